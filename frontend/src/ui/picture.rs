//! Picture and target, apart or over each other.

use std::sync::Arc;

use domain::model::{Arrangement, InstanceShape, ModelFacts};
use leptos::html;
use leptos::prelude::*;

use super::paint::{self, Tint};
use super::plots::Plots;
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
            style:--aspect=paint::aspect(facts.shape).to_string()
        >
            <div class="frames">
                <Frame facts=facts.clone() values=picture role=if has_target { Role::Yours } else { Role::Alone } overlaid/>
                {target}
            </div>
            {has_target.then(|| view! { <Captions overlaid/> })}
            {on_switch.map(|on_switch| view! { <Switch overlaid on_switch/> })}
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
        Some(size) => view! { <Image facts size values role overlaid/> }.into_any(),
        None => view! {
            <div class="plot-area" role="img" aria-label=role.label() data-testid=role.testid()>
                <Plots facts values banded={role == Role::Target}/>
            </div>
        }
        .into_any(),
    };
    view! { <div class=role.class()>{content}</div> }
}

#[component]
fn Image(
    facts: Arc<ModelFacts>,
    size: (usize, usize, usize),
    values: Signal<Arc<Vec<f32>>>,
    role: Role,
    overlaid: Memo<bool>,
) -> impl IntoView {
    let (height, width, _) = size;
    let crisp = facts.display.binarise_at.is_some();
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |pixels: Option<Vec<u8>>| {
        let mut pixels = pixels.unwrap_or_default();
        if let Some(canvas) = canvas.get() {
            let tint = role.tint(overlaid.get());
            values.with(|x| paint::pixels(x, size, &facts.display, tint, &mut pixels));
            paint::put(&canvas, &pixels, height, width);
        }
        pixels
    });
    view! {
        <canvas
            node_ref=canvas
            class:crisp=crisp
            width=width.to_string()
            height=height.to_string()
            role="img"
            aria-label=role.label()
            data-testid=role.testid()
        ></canvas>
    }
}

/// Whose picture is which, below them: by its place, and by its hue while they lie over each other. Pictures have names
/// of their own for screen readers.
#[component]
fn Captions(overlaid: Memo<bool>) -> impl IntoView {
    let words = &text().picture;
    view! {
        <figcaption class="captions" aria-hidden="true">
            <span class="caption yours">{words.yours()}</span>
            <span class="caption-pair">
                <span class="caption target">{words.target()}</span>
                {move || overlaid.get().then(|| view! { <span class="caption both">{words.both()}</span> })}
            </span>
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
            <span class="arrange-words">
                {move || if overlaid.get() { words.put_apart() } else { words.put_together() }}
            </span>
        </button>
    }
}
