//! The dials: a slider for a continuous dimension, unlabelled radio buttons for a discrete one.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::model::latent::{Dimension, LatentSpace};
use leptos::html;
use leptos::prelude::*;

use super::dial_keys;
use super::presses::Mirrored;
use crate::state::StripSignals;
use crate::text::text;

mod filmstrip;
mod name;
mod out_of_sight;
mod slider;

use filmstrip::Filmstrip;
use name::Name;
use out_of_sight::DialsBelow;
use slider::Slider;

/// Width of a slider's thumb, `--thumb` in `static/dials.css`, in CSS pixels.
pub const THUMB_WIDTH_PX: f64 = 26.0;

/// Heights of a slider with its name that still stand below each other on a usual screen.
const FEW: usize = 7;
/// The same on a high one.
const MANY: usize = 12;

/// How the workbench makes room for dials: the class that has two columns of them where the screen is wide
/// and not high enough for one.
#[must_use]
pub fn crowd(latent: &LatentSpace, shown: &[usize], previews: bool) -> &'static str {
    let heights = |dimension: &Dimension| match dimension {
        Dimension::Continuous { .. } => 1 + usize::from(previews),
        // Rows of five.
        Dimension::Discrete { values } => {
            usize::from(*values).div_ceil(5) * (1 + usize::from(previews))
        }
    };
    let dimensions = shown
        .iter()
        .filter_map(|&index| latent.dimensions().get(index));
    match dimensions.map(heights).sum::<usize>() {
        0..=FEW => "workbench",
        sum if sum <= MANY => "workbench many",
        _ => "workbench many crowded",
    }
}

/// All dials of a model.
#[component]
pub fn DialList(
    /// The model's dimensions.
    latent: LatentSpace,
    /// Where the dials stand.
    z: Signal<Vec<f64>>,
    /// Whether they stand still.
    locked: Signal<bool>,
    /// Names given to them; an empty or missing one stands for the usual name.
    names: Signal<Vec<String>>,
    /// Whether they can be renamed.
    rename: bool,
    /// A dial was moved: which one, and its new value, already snapped.
    on_input: Callback<(usize, f64)>,
    /// A dial was renamed.
    on_rename: Callback<(usize, String)>,
    /// The dimensions that are shown, in the order of their dials; absent: all, in order.
    #[prop(optional)]
    shown: Option<Vec<usize>>,
    /// Previews along each dial that is shown, and the model that they are pictures of.
    #[prop(optional_no_strip)]
    previews: Option<(Arc<ModelFacts>, Vec<StripSignals>)>,
) -> impl IntoView {
    let shown = shown.unwrap_or_else(|| (0..latent.len()).collect());
    let count = shown.len();
    let list = NodeRef::<html::Ol>::new();
    let dials = shown.into_iter().enumerate();
    let dials = dials.filter_map(|(position, index)| {
        let dimension = latent.dimensions().get(index)?.clone();
        let dial = Dial {
            index,
            position,
            dimension: StoredValue::new(dimension),
            value: Memo::new(move |_| z.with(|z| z.get(index).copied().unwrap_or_default())),
            name: Memo::new(move |_| names.with(|names| dial_name(names, index, position))),
            locked,
            on_input,
        };
        let control = if dial.dimension.with_value(Dimension::is_discrete) {
            view! { <Choice dial/> }.into_any()
        } else {
            view! { <Slider dial/> }.into_any()
        };
        let label = if rename {
            view! { <Name dial on_rename/> }.into_any()
        } else {
            view! { <span class="dial-name" aria-hidden="true">{move || dial.name.get()}</span> }
                .into_any()
        };
        let strip = previews.as_ref().and_then(|(facts, strips)| {
            let signals = strips.get(position)?.clone();
            Some(view! { <Filmstrip dial facts=facts.clone() signals/> })
        });
        Some(view! { <li class="dial">{label}{control}{strip}</li> })
    });
    // A person who looks on has another window.
    let below = use_context::<Mirrored>()
        .is_none()
        .then(|| view! { <DialsBelow list count/> });
    view! {
        <ol
            class="dials"
            role="list"
            class:locked=move || locked.get()
            style:--half=count.div_ceil(2).to_string()
            node_ref=list
        >
            {dials.collect_view()}
        </ol>
        {below}
    }
}

/// The participant's name for a dial.
fn dial_name(names: &[String], index: usize, position: usize) -> String {
    match names.get(index).map(|name| name.trim()) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => text().dial.name(position + 1),
    }
}

/// One dial, as its parts see it.
#[derive(Clone, Copy)]
struct Dial {
    /// Which dimension it moves.
    index: usize,
    /// Which dial it is on screen, from 0.
    position: usize,
    dimension: StoredValue<Dimension>,
    value: Memo<f64>,
    name: Memo<String>,
    locked: Signal<bool>,
    on_input: Callback<(usize, f64)>,
}

impl Dial {
    fn move_to(self, value: f64) {
        // A locked dial's element is disabled, but a timer or a key on its way can still arrive.
        if !self.locked.get_untracked() {
            self.on_input
                .run((self.index, self.dimension.with_value(|d| d.snap(value))));
        }
    }

    /// One press of a step button, or the `repeat`-th repetition while it is held.
    fn step(self, up: bool, repeat: u32) {
        let value = self.value.get_untracked();
        self.move_to(
            self.dimension
                .with_value(|d| dial_keys::after_step(d, value, up, repeat)),
        );
    }

    /// Whether the key meant something to the dial.
    fn key(self, key: &str, shift: bool) -> bool {
        let value = self.value.get_untracked();
        let wanted = self
            .dimension
            .with_value(|d| dial_keys::after_key(d, value, key, shift));
        if let Some(wanted) = wanted {
            self.move_to(wanted);
        }
        wanted.is_some()
    }

    /// Where it stands, as it is said aloud: a place between low and high, in the dial's own words no
    /// number of the model.
    fn spoken(self) -> String {
        let share = self
            .dimension
            .with_value(|d| dial_keys::share(d, self.value.get()));
        text().dial.value((share * 100.0).round())
    }
}

#[component]
fn Choice(dial: Dial) -> impl IntoView {
    let words = &text().dial;
    let Dial {
        position,
        dimension,
        value,
        name,
        locked,
        ..
    } = dial;
    let values = dimension.with_value(Dimension::width);
    let options = (0..values).map(|option| {
        let option_value = option as f64;
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name=format!("dial-{position}")
                    data-testid=format!("dial-{position}-option-{option}")
                    aria-label=move || words.choice_value(name.get(), option + 1)
                    prop:checked=move || value.get() == option_value
                    disabled=move || locked.get()
                    on:change=move |_| dial.move_to(option_value)
                />
            </label>
        }
    });
    view! {
        <div class="choices" role="radiogroup" aria-label=move || name.get()>
            {options.collect_view()}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dial_without_a_name_is_numbered() {
        let names = ["slope".to_owned(), "  ".to_owned()];
        assert_eq!(dial_name(&names, 0, 4), "slope");
        assert_eq!(dial_name(&names, 1, 1), "Dial 2");
        assert_eq!(dial_name(&names, 2, 0), "Dial 1", "by its place on screen");
    }
}
