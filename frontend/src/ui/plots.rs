//! The curves of a series, each in a plot of its own.

use std::sync::Arc;

use domain::model::ModelFacts;
use leptos::prelude::*;

use super::paint::{self, PLOT_HEIGHT, PLOT_WIDTH};

/// Ends of a plot that no card says; a bundle without axes is refused when it is loaded.
const ENDS: [f64; 2] = [-1.0, 1.0];

/// Which curve is which says the place of its plot, not its colour: in each there are one curve of
/// the participant's and one of the target.
#[component]
pub fn Plots(
    /// The model whose instance it is.
    facts: Arc<ModelFacts>,
    /// Its values; nothing is drawn of none.
    values: Signal<Arc<Vec<f32>>>,
    /// The band within which values count as equal is drawn, if the card has one.
    #[prop(optional)]
    banded: bool,
) -> impl IntoView {
    let curves = facts.shape.channels();
    let [columns, _] = facts.shape.plot_grid();
    let plots = (0..curves).map(|curve| {
        let axes = facts.display.series.as_ref();
        let ends = axes.map_or(ENDS, |axes| axes.ends(curve));
        let path =
            move |offset: f64| values.with(|values| paint::curve(values, (curve, curves), ends, offset));
        let guide = axes.and_then(|axes| axes.guide_at).map(|guide| {
            let y = format!("{:.2}", paint::plot_y(guide, ends));
            view! { <line class="guide" x1="0" x2=PLOT_WIDTH.to_string() y1=y.clone() y2=y.clone()/> }
        });
        let band = axes.and_then(|axes| axes.target_band.as_ref());
        let band = band.filter(|_| banded).map(|band| {
            let width = band.of(curve);
            view! {
                <path class="band" d=move || path(width)/>
                <path class="band" d=move || path(-width)/>
            }
        });
        view! {
            <svg
                class="plot"
                viewBox=format!("0 0 {PLOT_WIDTH} {PLOT_HEIGHT}")
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                {guide}
                {band}
                <path class="curve" d=move || path(0.0)/>
            </svg>
        }
    });
    view! {
        <div class="plots" class:several={curves > 1} style:--columns=columns.to_string()>
            {plots.collect_view()}
        </div>
    }
}
