//! Picture and target, apart or over each other.

use std::sync::Arc;

use domain::model::{Arrangement, InstanceShape, ModelFacts, SeriesDisplay};
use leptos::html;
use leptos::prelude::*;

use super::paint::{self, PLOT_HEIGHT, PLOT_WIDTH, Tint};
use crate::text::text;

/// The two pictures, or the participant's alone where there is no target.
#[component]
pub fn PictureArea(
    /// The model whose instances they are.
    facts: Arc<ModelFacts>,
    /// The participant's.
    picture: Signal<Arc<Vec<f32>>>,
    /// The one to match.
    #[prop(optional_no_strip)]
    target: Option<Arc<Vec<f32>>>,
    /// How they are placed.
    arrangement: Signal<Arrangement>,
    /// They are to be placed anew; absent: they stay as they are.
    #[prop(optional_no_strip)]
    on_switch: Option<Callback<Arrangement>>,
) -> impl IntoView {
    let has_target = target.is_some();
    let overlaid = Memo::new(move |_| has_target && arrangement.get() == Arrangement::Overlaid);
    let coloured = paint::image_size(facts.shape).is_some_and(|(_, _, channels)| channels >= 3);
    let is_series = matches!(facts.shape, InstanceShape::Series { .. });
    let aspect = match facts.shape {
        #[allow(clippy::cast_precision_loss)] // pictures of a few hundred pixels
        InstanceShape::Image { height, width, .. } => width as f64 / height.max(1) as f64,
        InstanceShape::Series { .. } => PLOT_WIDTH / PLOT_HEIGHT,
    };
    let target = target.map(|target| {
        view! { <Frame facts=facts.clone() values=Signal::stored(target) role=Role::Target overlaid/> }
    });
    view! {
        <figure
            class="pictures"
            class:overlaid=move || overlaid.get()
            class:apart=move || has_target && !overlaid.get()
            class:coloured=coloured
            class:series=is_series
            style:--aspect=aspect.to_string()
        >
            <div class="frames">
                <Frame facts=facts.clone() values=picture role=if has_target { Role::Yours } else { Role::Alone } overlaid/>
                {target}
            </div>
            {has_target.then(|| view! {
                <div class="picture-tools">
                    {(!coloured).then(|| view! { <Legend/> })}
                    {on_switch.map(|on_switch| view! { <Switch overlaid on_switch/> })}
                </div>
            })}
        </figure>
    }
}

/// Whose picture a frame shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The only picture there is.
    Alone,
    Yours,
    Target,
}

impl Role {
    fn class(self) -> &'static str {
        match self {
            Self::Alone => "frame alone",
            Self::Yours => "frame yours",
            Self::Target => "frame target",
        }
    }

    fn caption_class(self) -> &'static str {
        match self {
            Self::Alone => "frame-caption alone",
            Self::Yours => "frame-caption yours",
            Self::Target => "frame-caption target",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Alone => "",
            Self::Yours => text().picture.yours(),
            Self::Target => text().picture.target(),
        }
    }

    fn testid(self) -> &'static str {
        match self {
            Self::Alone | Self::Yours => "picture",
            Self::Target => "target",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Alone => text().picture.picture(),
            Self::Yours => text().picture.your_picture(),
            Self::Target => text().picture.target_picture(),
        }
    }

    fn tint(self, overlaid: bool) -> Tint {
        match (overlaid, self) {
            (false, _) => Tint::Neutral,
            (true, Self::Alone) => Tint::Neutral,
            (true, Self::Yours) => Tint::Yours,
            (true, Self::Target) => Tint::Target,
        }
    }
}

#[component]
fn Frame(
    facts: Arc<ModelFacts>,
    values: Signal<Arc<Vec<f32>>>,
    role: Role,
    overlaid: Memo<bool>,
) -> impl IntoView {
    let content = match paint::image_size(facts.shape) {
        Some(size) => view! {
            <Image size binarise_at=facts.display.binarise_at values role overlaid/>
        }
        .into_any(),
        None => view! { <Plot axes=axes(&facts) values role/> }.into_any(),
    };
    view! {
        <div class="frame-slot">
            <div class=role.class()>{content}</div>
            <span class=role.caption_class() aria-hidden="true">{role.name()}</span>
        </div>
    }
}

/// Axes of a series; a bundle without any is refused when it is loaded.
pub(super) fn axes(facts: &ModelFacts) -> SeriesDisplay {
    facts.display.series.clone().unwrap_or(SeriesDisplay {
        x_start: 0.0,
        x_step: 1.0,
        y_min: -1.0,
        y_max: 1.0,
        guide_at: None,
        target_band: None,
    })
}

#[component]
fn Image(
    size: (usize, usize, usize),
    binarise_at: Option<f64>,
    values: Signal<Arc<Vec<f32>>>,
    role: Role,
    overlaid: Memo<bool>,
) -> impl IntoView {
    let (height, width, _) = size;
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            let tint = role.tint(overlaid.get());
            let pixels = values.with(|values| paint::pixels(values, size, binarise_at, tint));
            paint::put(&canvas, &pixels, height, width);
        }
    });
    view! {
        <canvas
            node_ref=canvas
            class:crisp=binarise_at.is_some()
            width=width.to_string()
            height=height.to_string()
            role="img"
            aria-label=role.label()
            data-testid=role.testid()
        ></canvas>
    }
}

#[component]
fn Plot(axes: SeriesDisplay, values: Signal<Arc<Vec<f32>>>, role: Role) -> impl IntoView {
    let guide = axes.guide_at.map(|guide| {
        let y = format!("{:.2}", paint::plot_y(guide, &axes));
        view! { <line class="guide" x1="0" x2=PLOT_WIDTH.to_string() y1=y.clone() y2=y.clone()/> }
    });
    let axes = StoredValue::new(axes);
    let path = move |offset: f64| {
        values.with(|values| axes.with_value(|axes| paint::curve(values, axes, offset)))
    };
    let band = axes
        .with_value(|axes| axes.target_band)
        .filter(|_| role == Role::Target);
    let band = band.map(|width| {
        view! {
            <path class="band" d=move || path(width)/>
            <path class="band" d=move || path(-width)/>
        }
    });
    view! {
        <svg
            class="plot"
            viewBox=format!("0 0 {PLOT_WIDTH} {PLOT_HEIGHT}")
            role="img"
            aria-label=role.label()
            data-testid=role.testid()
        >
            {guide}
            {band}
            <path class="curve" d=move || path(0.0)/>
        </svg>
    }
}

/// Which hue is whose while they lie over each other. Apart, each has its own caption.
#[component]
fn Legend() -> impl IntoView {
    let words = &text().picture;
    view! {
        <figcaption class="legend">
            <span class="legend-entry yours">{words.yours()}</span>
            <span class="legend-entry target">{words.target()}</span>
            <span class="legend-entry both">{words.both()}</span>
        </figcaption>
    }
}

#[component]
fn Switch(overlaid: Memo<bool>, on_switch: Callback<Arrangement>) -> impl IntoView {
    let words = &text().picture;
    let other = move || {
        if overlaid.get_untracked() {
            Arrangement::Apart
        } else {
            Arrangement::Overlaid
        }
    };
    view! {
        <button
            type="button"
            class="button quiet arrange"
            data-testid="arrange"
            on:click=move |_| on_switch.run(other())
        >
            <span class="arrange-icon" aria-hidden="true"></span>
            {move || if overlaid.get() { words.put_apart() } else { words.put_together() }}
        </button>
    }
}
