//! The samples of a concept, and one of them enlarged.

use std::sync::Arc;

use domain::concepts::{HighlightDisplay, HighlightPlace, Sheet, paint};
use domain::task::concept_naming::Plan;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::text::text;
use crate::ui::paint::put;
use crate::ui::parts::Press;

/// Pixels that a sample is painted with on its longer side, at least.
const SMALL: usize = 168;
/// The same of an enlarged one.
const LARGE: usize = 504;

/// The samples of the concept asked about, each of which can be enlarged.
#[component]
pub fn SampleList(
    /// The stage.
    plan: Arc<Plan>,
    /// The samples.
    sheet: Arc<Vec<f32>>,
    /// The sample that is enlarged, from 0.
    enlarged: Signal<Option<usize>>,
    /// A sample is to be enlarged.
    on_enlarge: Callback<usize>,
    /// The enlarged sample is to be closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let words = &text().naming;
    let count = plan.samples;
    let items = (0..count).map(|sample| {
        let label = words.enlarge(described(&plan, &sheet, sample));
        view! {
            <li>
                <button
                    type="button"
                    class="sample"
                    id=sample_id(sample)
                    data-testid=format!("sample-{sample}")
                    aria-label=label
                    aria-expanded=move || (enlarged.get() == Some(sample)).to_string()
                    on:click=move |_| {
                        if enlarged.get_untracked() == Some(sample) {
                            on_close.run(());
                        } else {
                            on_enlarge.run(sample);
                        }
                    }
                >
                    <Sample plan=plan.clone() sheet=sheet.clone() sample side=SMALL/>
                </button>
            </li>
        }
    });
    let items = items.collect_view();
    let large = {
        let (plan, sheet) = (plan.clone(), sheet.clone());
        move || {
            enlarged.get().map(|sample| {
                let close = Callback::new(move |()| {
                    on_close.run(());
                    focus_sample(sample);
                });
                view! {
                    <section
                        class="enlarged"
                        data-testid="enlarged"
                        aria-label=described(&plan, &sheet, sample)
                        on:keydown=move |event| {
                            if event.key() == "Escape" {
                                close.run(());
                            }
                        }
                    >
                        <Sample plan=plan.clone() sheet=sheet.clone() sample side=LARGE/>
                        <p>{described(&plan, &sheet, sample)}</p>
                        <Press testid="close-sample" class="button quiet" on_press=close>
                            {text().naming.close()}
                        </Press>
                    </section>
                }
            })
        }
    };
    view! {
        <section class="samples" aria-label=words.samples()>
            <h2>{words.samples()}</h2>
            <ol class="sample-list">{items}</ol>
            <div aria-live="polite">{large}</div>
        </section>
    }
}

/// One sample: its picture with the highlight, or the original above it. It says nothing to a screen
/// reader: what is around it does.
#[component]
pub fn Sample(
    /// The stage.
    plan: Arc<Plan>,
    /// The samples.
    sheet: Arc<Vec<f32>>,
    /// Which one, from 0.
    sample: usize,
    /// How many pixels its longer side has at least.
    side: usize,
) -> impl IntoView {
    let above = Some(plan.highlight_above);
    let original = (plan.display == HighlightDisplay::BelowOriginal).then(|| {
        view! { <Pixels plan=plan.clone() sheet=sheet.clone() sample above=None side/> }
    });
    view! {
        {original}
        <Pixels plan sheet sample above side/>
    }
}

#[component]
fn Pixels(
    plan: Arc<Plan>,
    sheet: Arc<Vec<f32>>,
    sample: usize,
    above: Option<f64>,
    side: usize,
) -> impl IntoView {
    let longer = plan.shape.height.max(plan.shape.width).max(1);
    let scale = side.div_ceil(longer);
    let (width, height) = (plan.shape.width * scale, plan.shape.height * scale);
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get()
            && let Some(sheet) = Sheet::of(&sheet, plan.shape, plan.samples)
        {
            let painted = paint(&sheet, sample, above, scale);
            put(&canvas, &painted.rgba, painted.height, painted.width);
        }
    });
    view! {
        <canvas
            node_ref=canvas
            class="sample-picture"
            width=width.to_string()
            height=height.to_string()
            aria-hidden="true"
        ></canvas>
    }
}

/// A sample in words: its number, and where its highlight is.
pub(super) fn described(plan: &Plan, sheet: &[f32], sample: usize) -> String {
    let words = &text().naming;
    let found = Sheet::of(sheet, plan.shape, plan.samples);
    let place = found.and_then(|sheet| sheet.place(sample, plan.highlight_above));
    match place {
        Some(HighlightPlace { share, row, column }) => {
            let third = |at: f64, [first, middle, last]: [&str; 3]| {
                let words = if at < 1.0 / 3.0 {
                    first
                } else if at < 2.0 / 3.0 {
                    middle
                } else {
                    last
                };
                words.to_owned()
            };
            words.sample(
                sample + 1,
                plan.samples,
                third(row, [words.upper(), words.middle(), words.lower()]),
                third(column, [words.left(), words.centre(), words.right()]),
                (share * 100.0).round().max(1.0),
            )
        }
        None => words.sample_plain(sample + 1, plan.samples),
    }
}

fn sample_id(sample: usize) -> String {
    format!("sample-{sample}")
}

/// Where the participant was before the sample was enlarged.
fn focus_sample(sample: usize) {
    let button = document().get_element_by_id(&sample_id(sample));
    if let Some(button) = button.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        // The sample can be reached whether or not the focus follows.
        let _ = button.focus();
    }
}
