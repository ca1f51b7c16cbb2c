//! Findings of this page about the device it runs on.

use domain::model::ModelFacts;
use domain::movement::Decode;
use domain::session::Session;
use domain::session::device::DeviceReport;
use domain::session::plan::PartPlan;
use gloo_timers::future::TimeoutFuture;

use super::clock::monotonic_ms;
use super::page::{self, window};
use super::sizes::smallest_picture_px;

/// Pictures decoded before the first one is timed: the first ones are slower.
const WARM_UP: usize = 3;
/// Pictures that are timed, at most.
const TIMED: usize = 21;
/// Time after which no other picture is begun, in milliseconds.
const LONGEST_MS: f64 = 3_000.0;

/// The model that is decoded at this part of a session to see whether the device is fast enough.
#[must_use]
pub fn checked_model(session: &Session, part: usize) -> Option<ModelFacts> {
    match session.plan().parts.get(part) {
        Some(PartPlan::DeviceCheck { model, .. }) => model.clone(),
        _ => None,
    }
}

/// Looks at pointer and window, measures the pictures of these questions
/// ([`smallest_picture_px`]), and times a decoder, if one is given. The page stays alive meanwhile.
pub async fn look(questions: &[String], decoder: Option<(&ModelFacts, &Decode)>) -> DeviceReport {
    let has = |query: &str| {
        let found = window().and_then(|window| window.match_media(query).ok().flatten());
        found.is_some_and(|found| found.matches())
    };
    let decode_ms = match decoder {
        Some((facts, decode)) => median_ms(facts, decode).await,
        None => None,
    };
    DeviceReport {
        width_px: page::info().viewport_width_px,
        picture_px: smallest_picture_px(questions),
        fine_pointer: has("(any-pointer: fine)"),
        touch: has("(any-pointer: coarse)"),
        decode_ms,
    }
}

/// Median time of a picture in milliseconds; `None` if one cannot be decoded.
async fn median_ms(facts: &ModelFacts, decode: &Decode) -> Option<f64> {
    let (mut times, mut picture) = (Vec::new(), Vec::new());
    let begun = monotonic_ms();
    for index in 0..WARM_UP + TIMED {
        let z = spread(facts, index);
        let before = monotonic_ms();
        if !decode.at(&z, &mut picture) {
            return None;
        }
        let now = monotonic_ms();
        if index >= WARM_UP {
            times.push(now - before);
        }
        if !times.is_empty() && now - begun > LONGEST_MS {
            break;
        }
        TimeoutFuture::new(0).await;
    }
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// Latent vectors all over a model's ranges: component i of the n-th lies at the share
/// frac((n + 1) (i + 1) φ) of its range, φ the golden ratio's fraction.
fn spread(facts: &ModelFacts, n: usize) -> Vec<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let share = |i: usize| ((n + 1) as f64 * (i + 1) as f64 * GOLDEN).fract();
    let dimensions = facts.latent.dimensions().iter().enumerate();
    dimensions
        .map(|(i, dimension)| dimension.snap(dimension.at_share(share(i))))
        .collect()
}
