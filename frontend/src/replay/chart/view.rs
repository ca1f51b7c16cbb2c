//! The timeline on the page.

use std::collections::BTreeSet;

use domain::lanes::PassedTarget;
use leptos::ev::{PointerEvent, resize};
use leptos::html;
use leptos::prelude::*;

use super::canvas::{Canvas, prepared, theme};
use super::colours::Colours;
use super::paint::Drawing;
use super::{ChartKind, Scale, Zoom, height, rows};
use crate::replay::clock::length;
use crate::replay::view::SharedReplay;

/// Room for the names of rows, in pixels.
pub(super) const LABELS: f64 = 76.0;

/// The settings by which the timeline is shown.
#[derive(Clone, Copy)]
pub struct ChartSettings {
    /// The kinds that are hidden.
    pub hidden: RwSignal<BTreeSet<ChartKind>>,
    /// How much of the session is in sight.
    pub zoom: RwSignal<Zoom>,
    /// Where dials passed the target's values, by time; none until that is known.
    pub overshoots: RwSignal<Vec<PassedTarget>>,
}

impl ChartSettings {
    /// All of everything.
    #[must_use]
    #[allow(clippy::new_without_default)] // it makes signals
    pub fn new() -> Self {
        Self {
            hidden: RwSignal::new(BTreeSet::new()),
            zoom: RwSignal::new(Zoom::Whole),
            overshoots: RwSignal::new(Vec::new()),
        }
    }
}

/// The question that is alone in sight, by its index; none where the whole session is.
pub(super) fn question_in_sight(
    replay: SharedReplay,
    settings: ChartSettings,
    at: Signal<u64>,
) -> Memo<Option<usize>> {
    let shown = replay.with_value(|replay| replay.shown);
    Memo::new(move |_| {
        if settings.zoom.get() == Zoom::Whole {
            return None;
        }
        shown.taken.track();
        let at_ms = at.get();
        replay.with_value(|replay| {
            replay.with_lanes(|lanes| {
                let begun = lanes.questions().partition_point(|it| it.from_ms <= at_ms);
                (!lanes.questions().is_empty()).then(|| begun.saturating_sub(1))
            })
        })
    })
}

/// The timeline; pressing and dragging on it leads to a moment.
#[component]
pub fn Chart(
    /// The session.
    replay: SharedReplay,
    /// The settings of the timeline.
    settings: ChartSettings,
    /// The moment that is shown, in milliseconds since the session's start.
    at: Signal<u64>,
    /// The end, likewise.
    end: Signal<u64>,
    /// Somebody wants to see a moment.
    on_seek: Callback<u64>,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let node = NodeRef::<html::Canvas>::new();
    let frame = NodeRef::<html::Div>::new();
    let theme = theme();
    let resized = Trigger::new();
    let listener = window_event_listener(resize, move |_| resized.notify());
    on_cleanup(move || listener.remove());
    let scale = RwSignal::new(None::<Scale>);
    let question = question_in_sight(replay, settings, at);
    Effect::new(move |_| {
        theme.track();
        resized.track();
        shown.taken.track();
        let (Some(canvas), Some(frame)) = (node.get(), frame.get()) else {
            return;
        };
        let width = f64::from(frame.client_width());
        let end_ms = end.get();
        let made = replay.with_value(|replay| {
            replay.with_lanes(|lanes| {
                let zoomed = question.get().and_then(|it| lanes.questions().get(it));
                let made = Scale::new(lanes, end_ms, zoomed, LABELS, width - 8.0);
                let questions = lanes.questions().iter();
                let dials = match zoomed {
                    Some(question) => question.dials.len(),
                    None => questions.map(|it| it.dials.len()).max().unwrap_or(0),
                };
                let overshoots = settings.overshoots.read();
                settings.hidden.with(|hidden| {
                    let rows = rows(dials, |kind| hidden.contains(&kind));
                    let size = (width, height(&rows) + 2.0);
                    if let Some(context) = prepared(&canvas, size) {
                        shown.timeline.with(|entries| {
                            let drawing = Drawing {
                                lanes,
                                end_ms,
                                overshoots: &overshoots,
                                entries,
                                rows: &rows,
                                scale: &made,
                                hidden,
                                colours: &Colours::of(&canvas),
                            };
                            drawing.paint(&context);
                        });
                    }
                });
                made
            })
        });
        scale.set(Some(made));
    });
    let x = move || {
        let at = at.get();
        scale.with(|scale| {
            let scale = scale.as_ref()?;
            let (left, right) = scale.ends();
            let x = scale.x(at);
            (left - 1.0..=right + 1.0).contains(&x).then_some(x)
        })
    };
    let dragging = RwSignal::new(false);
    let seek = move |event: &PointerEvent| {
        let x = f64::from(event.offset_x());
        let moment = scale.with_untracked(|scale| Some(scale.as_ref()?.moment(x)));
        if let Some(moment) = moment {
            on_seek.run(moment);
        }
    };
    let label = Signal::derive(move || {
        shown.taken.track();
        let count = replay.with_value(|replay| replay.with_lanes(|it| it.questions().len()));
        format!(
            "Timeline of {} with {count} questions; the list beside it says the same in words",
            length(end.get())
        )
    });
    view! {
        <div
            class="chart"
            node_ref=frame
            data-testid="chart"
            on:pointerdown=move |event: PointerEvent| {
                if event.button() == 0 {
                    dragging.set(true);
                    if let Some(canvas) = node.get_untracked() {
                        // Without it a drag ends at the edge; nothing else is lost.
                        let _ = canvas.set_pointer_capture(event.pointer_id());
                    }
                    seek(&event);
                }
            }
            on:pointermove=move |event: PointerEvent| {
                if dragging.get_untracked() {
                    seek(&event);
                }
            }
            on:pointerup=move |_| dragging.set(false)
            on:pointercancel=move |_| dragging.set(false)
        >
            <Canvas node label/>
            <span
                class="chart-now"
                aria-hidden="true"
                hidden=move || x().is_none()
                style:transform=move || format!("translateX({:.1}px)", x().unwrap_or(0.0))
            ></span>
        </div>
    }
}
