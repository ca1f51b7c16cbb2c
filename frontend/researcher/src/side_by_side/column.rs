//! One of the sessions that stand side by side.

use std::sync::Arc;

use domain::lanes::{LaneQuestion, Lanes, Point, Span};
use frontend::replay::chart::curves::{Curve, Curves};
use frontend::replay::clock::fine_clock;
use frontend::replay::view::SharedReplay;
use frontend::replay::window::WindowFrame;
use leptos::prelude::*;

use super::together::{Seat, Together, moment_of};
use crate::links::Link;
use crate::route::Route;
use crate::text::text;
use crate::words::levels;
use crate::words::percent;

/// How high its own timeline is, in pixels.
const HEIGHT: f64 = 110.0;

/// Its name, its alignment along the common clock, and the participant's screen.
#[component]
pub fn Column(together: Together, seat: Seat, replay: SharedReplay, span: Span) -> impl IntoView {
    let ordinal = seat.state.session.ordinal;
    let session = seat.state.session.session.0.clone();
    let id = session.clone();
    let to = Signal::derive(move || {
        let at_ms = moment_of(span, together.at_ms());
        Route::replay(&together.study.get_value(), &session, Some(at_ms))
    });
    let curve = seat.replay.with_lanes(|lanes| curve(lanes, span));
    let points = StoredValue::new(curve.points.clone());
    let curves = Signal::stored(Arc::new(vec![curve]));
    let now = move || {
        let at_ms = together.at_ms().min(span.length_ms());
        let begun = points.with_value(|all| {
            let begun = all.partition_point(|point| point.at_ms <= at_ms);
            all[..begun].last().copied()
        });
        let over = at_ms >= span.length_ms();
        let (words, time) = (&text().beside, fine_clock(at_ms));
        let now = match begun {
            Some(it) => words.alignment_at(percent(it.value), time),
            None => time,
        };
        if over { words.over(now) } else { now }
    };
    let at = Signal::derive(move || Some(together.at_ms().min(span.length_ms())));
    let label = text().beside.alignment_of(ordinal);
    let on_seek = Callback::new(move |at_ms| together.seek(at_ms));
    let cell = levels(&seat.state.plan.cell);
    view! {
        <section class="area-column" aria-label=text().replay.title(ordinal) data-testid="column" data-session=id>
            <h2>{text().replay.title(ordinal)}</h2>
            <p class="small">
                <Link area=together.area to testid="to-moment">{text().beside.to_moment()}</Link>
                " "
                <span class="muted">{cell}</span>
            </p>
            <p class="tabular" data-testid="now">{now}</p>
            <Curves
                curves
                length_ms=Signal::derive(move || together.end_ms())
                height=HEIGHT
                meant=RwSignal::new(None)
                at
                on_seek=on_seek
                label
            />
            <WindowFrame replay/>
        </section>
    }
}

/// The alignment of all that is shown of a session, from its beginning.
fn curve(lanes: &Lanes, span: Span) -> Curve {
    let within = |lane: &&LaneQuestion| (span.from_ms..=span.to_ms).contains(&lane.from_ms);
    let mine: Vec<&LaneQuestion> = lanes.questions().iter().filter(within).collect();
    let points = mine.iter().flat_map(|lane| &lane.error.alignment);
    let points = points.filter(|point| point.at_ms <= span.to_ms);
    let ended = mine.last().and_then(|lane| lane.ended);
    Curve {
        points: points
            .map(|point| Point {
                at_ms: point.at_ms.saturating_sub(span.from_ms),
                value: point.value,
            })
            .collect(),
        until_ms: span.length_ms(),
        wanted: mine.last().map_or(1.0, |lane| lane.wanted),
        outcome: ended.map(|(_, outcome)| outcome),
    }
}
