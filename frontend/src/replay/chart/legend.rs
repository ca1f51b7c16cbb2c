//! The timeline's legend: shapes and colours with their names, and what is to be hidden.

use domain::lanes::AbsenceKind;
use domain::task::Outcome;
use leptos::html;
use leptos::prelude::*;
use web_sys::CanvasRenderingContext2d as Context;

use super::ChartKind;
use super::canvas::{Canvas, prepared, theme};
use super::colours::Colours;
use super::paint::absence;
use super::symbols::{self, Symbol};
use super::view::ChartSettings;

/// Size of a sample in pixels.
const SAMPLE: (f64, f64) = (18.0, 14.0);

/// How something looks.
#[derive(Debug, Clone, Copy)]
enum Sample {
    Symbol(Symbol),
    Alignment,
    Error,
    Dial,
    Absence(AbsenceKind),
}

fn samples(kind: ChartKind) -> Vec<(Sample, &'static str)> {
    let outcome = |outcome| Sample::Symbol(Symbol::Outcome(outcome));
    match kind {
        ChartKind::Questions => vec![
            (outcome(Outcome::Solved), "solved"),
            (outcome(Outcome::Answered), "answered or finished"),
            (outcome(Outcome::Missed), "declared, and missed"),
            (outcome(Outcome::Skipped), "skipped"),
            (outcome(Outcome::Cut), "cut off"),
        ],
        ChartKind::Alignment => vec![(Sample::Alignment, "dashed: what solves it")],
        ChartKind::Error => vec![(Sample::Error, "each question to its largest")],
        ChartKind::Dials => vec![(Sample::Dial, "low to high; an arrow head where it turned")],
        ChartKind::Overshoots => vec![(
            Sample::Symbol(Symbol::Overshoot),
            "a dial passed the target's value while it was slid",
        )],
        ChartKind::Places => vec![],
        ChartKind::Notes => vec![(Sample::Symbol(Symbol::Note), "")],
        ChartKind::Verdicts => vec![
            (Sample::Symbol(Symbol::Verdict { right: true }), "right"),
            (Sample::Symbol(Symbol::Verdict { right: false }), "wrong"),
        ],
        ChartKind::Asked => vec![(Sample::Symbol(Symbol::Asked), "")],
        ChartKind::Absences => vec![
            (Sample::Absence(AbsenceKind::Away), "away"),
            (Sample::Absence(AbsenceKind::Paused), "paused"),
            (Sample::Absence(AbsenceKind::Offline), "without network"),
            (Sample::Symbol(Symbol::Reload), "opened again"),
        ],
        ChartKind::Findings => vec![(Sample::Symbol(Symbol::Finding), "")],
    }
}

/// Names, shapes, and a tick for each kind.
#[component]
pub fn Legend(
    /// The settings of the timeline, with the kinds that are hidden.
    settings: ChartSettings,
) -> impl IntoView {
    let kind = |kind: ChartKind| {
        let shown = move || settings.hidden.with(|hidden| !hidden.contains(&kind));
        let toggle = move |_| {
            settings.hidden.update(|hidden| {
                if !hidden.remove(&kind) {
                    hidden.insert(kind);
                }
            });
        };
        let samples = samples(kind).into_iter().map(|(sample, words)| {
            view! { <span class="chart-sample"><SampleCanvas sample/>{words}</span> }
        });
        view! {
            <li>
                <label class="chart-kind">
                    <input type="checkbox" data-kind=kind.name() prop:checked=shown on:change=toggle/>
                    {kind.words()}
                </label>
                {samples.collect_view()}
            </li>
        }
    };
    view! {
        <ul class="chart-legend" aria-label="What is shown" data-testid="legend">
            {ChartKind::ALL.into_iter().map(kind).collect_view()}
        </ul>
        <p class="muted small">
            "Slanted lines: long rests, drawn short; their length stands above them. Between them all is to scale."
        </p>
    }
}

/// The shape at the end of a curve: how its question ended; none: it has not.
#[component]
pub fn OutcomeSample(
    /// How it ended.
    outcome: Option<Outcome>,
) -> impl IntoView {
    view! { <SampleCanvas sample=Sample::Symbol(Symbol::ended(outcome))/> }
}

#[component]
fn SampleCanvas(sample: Sample) -> impl IntoView {
    let node = NodeRef::<html::Canvas>::new();
    let theme = theme();
    Effect::new(move |_| {
        theme.track();
        if let Some(canvas) = node.get()
            && let Some(context) = prepared(&canvas, SAMPLE)
        {
            draw(&context, sample, &Colours::of(&canvas));
        }
    });
    view! { <Canvas node label=""/> }
}

fn draw(context: &Context, sample: Sample, colours: &Colours) {
    let (width, height) = SAMPLE;
    let (x, y) = (width / 2.0, height / 2.0);
    let colour = match sample {
        Sample::Symbol(symbol) => return symbols::draw(context, symbol, x, y, colours),
        Sample::Absence(kind) => {
            return absence(context, kind, [1.0, 0.0, width - 1.0, height], colours);
        }
        Sample::Alignment => &colours.alignment,
        Sample::Error => &colours.error,
        Sample::Dial => &colours.dial,
    };
    context.set_stroke_style_str(colour);
    context.set_line_width(2.0);
    context.begin_path();
    context.move_to(1.0, y);
    context.line_to(width - 1.0, y);
    context.stroke();
}
