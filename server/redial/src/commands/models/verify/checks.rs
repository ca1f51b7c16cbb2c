//! What a bundle is checked for, beyond what loading it refuses.

use domain::model::InstanceShape;
use models::Bundle;
use models::architecture::Architecture;
use models::bundle::WEIGHTS_FILE;
use models::card::{Percentiles, Precision};
use models::decoder::DecodeTiming;
use models::weights::{self, Values};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Gives words on what was seen (none: nothing to check), or what is wrong.
type Check = fn(&Bundle) -> Result<Option<String>, String>;

/// All of them.
pub(super) const ALL: [Check; 6] = [
    decodes,
    parts,
    percentiles,
    storage,
    held_out,
    disentanglement,
];

/// Latents decoded at most, spread over those that the bundle has.
const DECODED: usize = 1_000;
/// Latents drawn and decoded where a bundle holds none.
const DRAWN: usize = 200;
/// Decoded at a time.
const BATCH: usize = 50;
/// What f32 can lose beyond [0, 1].
const ROUNDING: f32 = 1e-6;
/// What sums of logarithms can lose.
const SLACK: f64 = 1e-9;
/// Largest change of a distance by storing weights in fewer bits that any gate admits.
const LARGEST_DISTANCE_CHANGE: f64 = 0.01;

/// Held-out latents decode to finite values, pictures within [0, 1] unless the card has another range.
fn decodes(bundle: &Bundle) -> Result<Option<String>, String> {
    let held_out = bundle.held_out();
    let zs: Vec<Vec<f64>> = if held_out.is_empty() {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        (0..DRAWN).map(|_| bundle.sample(&mut rng)).collect()
    } else {
        let every = held_out.len().div_ceil(DECODED);
        held_out.iter().step_by(every).cloned().collect()
    };
    let facts = &bundle.card().facts;
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for batch in zs.chunks(BATCH) {
        let instances = bundle.decoder().decode_batch(batch);
        for values in instances.map_err(|error| error.to_string())? {
            if values.len() != facts.shape.len() {
                let (found, expected) = (values.len(), facts.shape.len());
                return Err(format!("decodes to {found} values, not {expected}"));
            }
            for value in values {
                if !value.is_finite() {
                    return Err("decodes to values that are not finite".to_owned());
                }
                (low, high) = (low.min(value), high.max(value));
            }
        }
    }
    let picture = matches!(facts.shape, InstanceShape::Image { .. });
    let clipped = picture && facts.display.value_range.is_none();
    if clipped && (low < -ROUNDING || high > 1.0 + ROUNDING) {
        return Err(format!("decodes to {low:.3} … {high:.3}, outside [0, 1]"));
    }
    let count = zs.len();
    Ok(Some(format!(
        "{count} latents decode to {low:.2} … {high:.2}"
    )))
}

/// What runs a graph: how much as plan, by kernels and on candle.
fn parts(bundle: &Bundle) -> Result<Option<String>, String> {
    if !matches!(bundle.card().architecture, Architecture::Graph(_)) {
        return Ok(None);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let z = bundle.sample(&mut rng);
    let timing = DecodeTiming::of(bundle.decoder(), &z).map_err(|error| error.to_string())?;
    Ok(Some(timing.to_string()))
}

/// Percentiles of the card fit the held-out latents.
fn percentiles(bundle: &Bundle) -> Result<Option<String>, String> {
    let card = bundle.card();
    if card.percentiles.is_empty() {
        return Ok(None);
    }
    let dimensions = card.facts.latent.dimensions();
    if card.percentiles.len() != dimensions.len() {
        let (found, expected) = (card.percentiles.len(), dimensions.len());
        return Err(format!("percentiles of {found} dimensions, not {expected}"));
    }
    for (index, (found, dimension)) in card.percentiles.iter().zip(dimensions).enumerate() {
        let dial = index + 1;
        match found {
            None if dimension.is_discrete() => {}
            Some(found) if !dimension.is_discrete() => {
                let latents: Vec<f64> = bundle.held_out().iter().map(|z| z[index]).collect();
                fits(found, &latents).map_err(|problem| format!("dial {dial}: {problem}"))?;
            }
            None => return Err(format!("dial {dial} has no percentiles")),
            Some(_) => return Err(format!("dial {dial} is a choice, but has percentiles")),
        }
    }
    Ok(Some("percentiles fit".to_owned()))
}

/// The share of latents below each percentile is what it says, within four standard
/// errors: it may have been taken over more latents than the bundle holds.
fn fits(found: &Percentiles, latents: &[f64]) -> Result<(), String> {
    let Percentiles {
        p1,
        p5,
        p48,
        p52,
        p95,
        p99,
    } = *found;
    let all = [
        (1.0, p1),
        (5.0, p5),
        (48.0, p48),
        (52.0, p52),
        (95.0, p95),
        (99.0, p99),
    ];
    if !all.is_sorted_by(|a, b| a.1 <= b.1) {
        return Err("percentiles do not ascend".to_owned());
    }
    if latents.is_empty() {
        return Ok(());
    }
    let n = latents.len() as f64;
    for (percent, value) in all {
        let expected = percent / 100.0;
        let slack = 4.0 * (expected * (1.0 - expected) / n).sqrt() + 1.0 / n;
        let share = |inside: &dyn Fn(f64) -> bool| {
            latents.iter().filter(|&&z| inside(z)).count() as f64 / n
        };
        let (below, up_to) = (share(&|z| z < value), share(&|z| z <= value));
        if below > expected + slack || up_to < expected - slack {
            return Err(format!(
                "percentile {percent} is {value:.3}, but {:.1} % of the held-out latents lie below",
                100.0 * below
            ));
        }
    }
    Ok(())
}

/// What the card says about storage is what the weights file holds, and what it cost is
/// what a gate admits.
fn storage(bundle: &Bundle) -> Result<Option<String>, String> {
    let Some(bytes) = bundle.weights() else {
        return Ok(None);
    };
    let stored = weights::read_stored(WEIGHTS_FILE, bytes).map_err(|error| error.to_string())?;
    let mut counts = std::collections::BTreeMap::new();
    let said = bundle.card().storage.as_ref();
    for (name, (_, values)) in &stored {
        let found = match values {
            Values::F32(_) => None,
            Values::F16(_) => Some(Precision::F16),
            Values::Int8 { steps, .. } if steps.is_empty() => Some(Precision::Int8),
            Values::Int8 { .. } => Some(Precision::Int4),
        };
        if let Some(found) = found {
            *counts.entry(std::cmp::Reverse(found)).or_insert(0) += 1;
        }
        let expected = said.and_then(|said| said.tensors.get(name).copied());
        if found != expected {
            return Err(format!(
                "storage: tensor {name} is {}, the card says {}",
                type_name(found),
                type_name(expected)
            ));
        }
    }
    let Some(said) = said else {
        return Ok(Some("all f32".to_owned()));
    };
    if let Some(name) = said.tensors.keys().find(|name| !stored.contains_key(*name)) {
        return Err(format!("storage: there is no tensor {name}"));
    }
    for said in [Some(said), said.compared_with.as_deref()]
        .into_iter()
        .flatten()
    {
        let distance = said
            .mean_distance_change
            .unwrap_or(said.largest_distance_change);
        let sane = |change: f64| change.is_finite() && change >= 0.0;
        if said.instances == 0
            || !sane(said.largest_value_change)
            || !sane(said.largest_distance_change)
            || !sane(distance)
            || distance > LARGEST_DISTANCE_CHANGE
        {
            return Err(format!(
                "storage: a change of {} in value and {distance} in distance over {} latents is not admissible",
                said.largest_value_change, said.instances
            ));
        }
    }
    let counts = counts.into_iter();
    let counts = counts.map(|(kind, count)| format!("{count} {}", type_name(Some(kind.0))));
    Ok(Some(format!(
        "tensors: {}",
        counts.collect::<Vec<_>>().join(", ")
    )))
}

fn type_name(precision: Option<Precision>) -> &'static str {
    match precision {
        None => "f32",
        Some(Precision::F16) => "f16",
        Some(Precision::Int8) => "int8",
        Some(Precision::Int4) => "int4",
    }
}

/// Errors are numbers that a sum of squares can be.
fn held_out(bundle: &Bundle) -> Result<Option<String>, String> {
    let Some(held_out) = &bundle.card().held_out else {
        return Ok(None);
    };
    let errors = [
        Some(held_out.squared_error),
        held_out.squared_error_of_means,
    ];
    for error in errors.into_iter().flatten() {
        if !error.is_finite() || error < 0.0 {
            return Err(format!("held_out: {error} is no squared error"));
        }
    }
    if held_out.instances == 0 {
        return Err("held_out: no instances".to_owned());
    }
    Ok(None)
}

/// The matrix fits the model, and no number is larger than it can be.
fn disentanglement(bundle: &Bundle) -> Result<Option<String>, String> {
    let card = bundle.card();
    let Some(found) = &card.disentanglement else {
        return Ok(None);
    };
    let (factors, dials) = (found.factors.len(), card.facts.latent.len());
    let fits = found.factor_entropies.len() == factors
        && found.mutual_information.len() == factors
        && found
            .mutual_information
            .iter()
            .all(|row| row.len() == dials);
    if !fits || factors == 0 {
        return Err(format!(
            "disentanglement: not a matrix of {factors} factors and {dials} dials"
        ));
    }
    for (bits, &entropy) in found.mutual_information.iter().zip(&found.factor_entropies) {
        if let Some(bits) = bits
            .iter()
            .find(|b| !(-SLACK..=entropy + SLACK).contains(*b))
        {
            return Err(format!(
                "disentanglement: {bits} bits about a factor of {entropy} bits"
            ));
        }
    }
    let scores = [Some(found.dci), Some(found.dci_as_published), found.mig];
    match scores
        .into_iter()
        .flatten()
        .find(|s| !(-SLACK..=1.0 + SLACK).contains(s))
    {
        Some(score) => Err(format!(
            "disentanglement: a score of {score} is not in [0, 1]"
        )),
        None => Ok(Some("disentanglement fits".to_owned())),
    }
}
