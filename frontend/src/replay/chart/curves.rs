//! Curves over one time, that of a question: everybody's alignment, or one person's.

use std::sync::Arc;

use leptos::ev::{PointerEvent, resize};
use leptos::html;
use leptos::prelude::*;

use super::canvas::{Canvas, prepared, theme};
use super::colours::Colours;

mod paint;
mod plane;
mod saved;

pub use plane::{Curve, Plane};
pub use saved::drawn;

/// Curves on the page. With a pointer, the one is meant that is nearest.
#[component]
pub fn Curves(
    /// The curves.
    curves: Signal<Arc<Vec<Curve>>>,
    /// How much time is drawn, in milliseconds.
    length_ms: Signal<u64>,
    /// How high the drawing is, in pixels.
    height: f64,
    /// The curve that is meant, by its place.
    meant: RwSignal<Option<usize>>,
    /// The moment that is shown, in milliseconds since the beginning.
    #[prop(optional, into)]
    at: Signal<Option<u64>>,
    /// Somebody presses a moment of a curve.
    #[prop(optional, into)]
    on_pick: Option<Callback<(usize, u64)>>,
    /// Somebody presses or drags to a moment.
    #[prop(optional, into)]
    on_seek: Option<Callback<u64>>,
    /// The content of the drawing, in words.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let frame = NodeRef::<html::Div>::new();
    let (all, above) = (
        NodeRef::<html::Canvas>::new(),
        NodeRef::<html::Canvas>::new(),
    );
    let theme = theme();
    let resized = Trigger::new();
    let listener = window_event_listener(resize, move |_| resized.notify());
    on_cleanup(move || listener.remove());
    let plane = RwSignal::new(None::<Plane>);
    Effect::new(move |_| {
        theme.track();
        resized.track();
        let (Some(canvas), Some(frame)) = (all.get(), frame.get()) else {
            return;
        };
        let size = (f64::from(frame.client_width()), height);
        let made = Plane::new(size, length_ms.get());
        if let Some(context) = prepared(&canvas, size) {
            let colours = Colours::of(&canvas);
            curves.with(|curves| {
                paint::axes(&context, &made, curves, &colours);
                for curve in curves.iter() {
                    paint::curve(&context, &made, curve, &colours, false);
                }
            });
        }
        plane.set(Some(made));
    });
    // The curve that is meant is drawn above: with hundreds of curves, not all are drawn anew with each movement.
    Effect::new(move |_| {
        let (Some(canvas), Some(frame), Some(plane)) = (above.get(), frame.get(), plane.get())
        else {
            return;
        };
        let size = (f64::from(frame.client_width()), height);
        let Some(context) = prepared(&canvas, size) else {
            return;
        };
        let colours = Colours::of(&canvas);
        curves.with(|curves| {
            if let Some(curve) = meant.get().and_then(|index| curves.get(index)) {
                paint::curve(&context, &plane, curve, &colours, true);
            }
        });
    });
    let x = move || {
        let at_ms = at.get()?;
        plane.with(|plane| Some(plane.as_ref()?.x(at_ms)))
    };
    let dragging = RwSignal::new(false);
    let seek = move |event: &PointerEvent| {
        let moment =
            plane.with_untracked(|plane| Some(plane.as_ref()?.moment(f64::from(event.offset_x()))));
        if let (Some(moment), Some(on_seek)) = (moment, on_seek) {
            on_seek.run(moment);
        }
    };
    let mean = move |event: &PointerEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let plane = plane.get_untracked();
        let found = plane.and_then(|plane| curves.with_untracked(|all| plane.nearest(all, x, y)));
        if meant.get_untracked() != found {
            meant.set(found);
        }
    };
    let pick = move |event: web_sys::MouseEvent| {
        let (Some(on_pick), Some(index)) = (on_pick, meant.get_untracked()) else {
            return;
        };
        let moment =
            plane.with_untracked(|plane| Some(plane.as_ref()?.moment(f64::from(event.offset_x()))));
        if let Some(moment) = moment {
            on_pick.run((index, moment));
        }
    };
    view! {
        <div
            class="chart chart-curves"
            class:chart-links=on_pick.is_some()
            node_ref=frame
            data-testid="curves"
            on:pointerdown=move |event: PointerEvent| {
                if on_pick.is_some() {
                    mean(&event);
                }
                if on_seek.is_some() && event.button() == 0 {
                    dragging.set(true);
                    if let Some(canvas) = all.get_untracked() {
                        // Without it a drag ends at the edge; nothing else is lost.
                        let _ = canvas.set_pointer_capture(event.pointer_id());
                    }
                    seek(&event);
                }
            }
            on:pointermove=move |event: PointerEvent| {
                if dragging.get_untracked() {
                    seek(&event);
                } else if on_pick.is_some() {
                    mean(&event);
                }
            }
            on:pointerup=move |_| dragging.set(false)
            on:pointercancel=move |_| dragging.set(false)
            on:pointerleave=move |_| {
                if on_pick.is_some() {
                    meant.set(None);
                }
            }
            on:click=pick
        >
            <Canvas node=all label/>
            <div class="chart-above" aria-hidden="true"><Canvas node=above label=""/></div>
            <span
                class="chart-now"
                aria-hidden="true"
                hidden=move || x().is_none()
                style:transform=move || format!("translateX({:.1}px)", x().unwrap_or(0.0))
            ></span>
        </div>
    }
}
