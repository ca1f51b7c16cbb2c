//! The sound of a session below its timeline, on the same axis: how loud it is, and what was said when.

use domain::lanes::Span;
use leptos::html;
use leptos::prelude::*;
use web_sys::CanvasRenderingContext2d;

use super::Scale;
use super::canvas::{Canvas, prepared, theme};
use super::colours::Colours;
use super::view::{ChartSettings, LABELS, question_in_sight};
use crate::replay::sound::SoundTrack;
use crate::replay::view::SharedReplay;

/// How high the waveform is, in pixels.
const WAVE: f64 = 40.0;
/// How high the row of what was said is.
const WORDS: f64 = 10.0;

/// Waveform and transcript; pressing leads to a moment.
#[component]
pub fn SoundLane(
    /// The session.
    replay: SharedReplay,
    /// The settings of the timeline.
    settings: ChartSettings,
    /// The moment that is shown, in milliseconds since the session's start.
    at: Signal<u64>,
    /// The end, likewise.
    end: Signal<u64>,
    /// The recordings.
    tracks: Signal<Vec<SoundTrack>>,
    /// When something was said, by the transcripts.
    said: Signal<Vec<Span>>,
    /// Somebody wants to see a moment.
    on_seek: Callback<u64>,
) -> impl IntoView {
    let node = NodeRef::<html::Canvas>::new();
    let frame = NodeRef::<html::Div>::new();
    let (theme, resized) = (theme(), Trigger::new());
    let listener = window_event_listener(leptos::ev::resize, move |_| resized.notify());
    on_cleanup(move || listener.remove());
    let question = question_in_sight(replay, settings, at);
    let scale = RwSignal::new(None::<Scale>);
    Effect::new(move |_| {
        theme.track();
        resized.track();
        let (Some(canvas), Some(frame)) = (node.get(), frame.get()) else {
            return;
        };
        let width = f64::from(frame.client_width());
        let made = replay.with_value(|replay| {
            replay.with_lanes(|lanes| {
                let zoomed = question.get().and_then(|it| lanes.questions().get(it));
                Scale::new(lanes, end.get(), zoomed, LABELS, width - 8.0)
            })
        });
        if let Some(context) = prepared(&canvas, (width, WAVE + WORDS)) {
            let colours = Colours::of(&canvas);
            tracks.with(|tracks| said.with(|said| paint(&context, &made, &colours, tracks, said)));
        }
        scale.set(Some(made));
    });
    let seek = move |event: leptos::ev::PointerEvent| {
        let x = f64::from(event.offset_x());
        let moment = scale.with_untracked(|scale| Some(scale.as_ref()?.moment(x)));
        if let (0, Some(moment)) = (event.button(), moment) {
            on_seek.run(moment);
        }
    };
    let label = Signal::derive(move || {
        let (tracks, said) = (tracks.with(Vec::len), said.with(Vec::len));
        format!(
            "Waveform of {tracks} recordings, with {said} lines of transcript; the list says the same in words"
        )
    });
    view! {
        <div class="chart" node_ref=frame data-testid="sound-lane" on:pointerdown=seek>
            <Canvas node label/>
        </div>
    }
}

fn paint(
    context: &CanvasRenderingContext2d,
    scale: &Scale,
    colours: &Colours,
    tracks: &[SoundTrack],
    said: &[Span],
) {
    let (left, right) = scale.ends();
    let middle = WAVE / 2.0;
    context.set_fill_style_str(&colours.panel);
    context.fill_rect(left, 0.0, right - left, WAVE);
    context.set_fill_style_str(&colours.muted);
    // Words that cannot be drawn are in the label.
    let _ = context.fill_text("Sound", 0.0, middle + 4.0);
    context.set_fill_style_str(&colours.accent);
    let mut x = left;
    while x < right {
        let (from_ms, to_ms) = (scale.moment(x), scale.moment(x + 1.0));
        let peaks = tracks.iter().filter_map(|it| it.peak(from_ms, to_ms));
        if let Some(peak) = peaks.reduce(f32::max) {
            let height = (f64::from(peak) * (WAVE - 4.0)).max(1.0);
            context.fill_rect(x, middle - height / 2.0, 1.0, height);
        }
        x += 1.0;
    }
    // A missing piece is no silence: a line through the middle in another colour, broken.
    context.set_fill_style_str(&colours.bad);
    for track in tracks {
        let (from, to) = (scale.x(track.heard.to_ms), scale.x(track.ended_at_ms));
        let (mut x, to) = (from.max(left), to.min(right));
        while x + 3.0 < to {
            context.fill_rect(x, middle - 1.0, 3.0, 2.0);
            x += 6.0;
        }
    }
    context.set_fill_style_str(&colours.dial);
    for span in said {
        let (from, to) = (
            scale.x(span.from_ms).max(left),
            scale.x(span.to_ms).min(right),
        );
        if to > from {
            context.fill_rect(from, WAVE + 3.0, (to - from - 1.0).max(1.0), WORDS - 4.0);
        }
    }
}
