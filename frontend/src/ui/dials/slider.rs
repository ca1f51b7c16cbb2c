//! A slider with a small step to either side.

use domain::model::latent::Dimension;
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlElement, HtmlInputElement};

use super::{Dial, THUMB_WIDTH_PX};
use crate::text::text;
use crate::ui::dial_keys;
use crate::ui::press_repeat::PressRepeat;
use crate::ui::range_touch::RangeTouch;

#[component]
pub(super) fn Slider(dial: Dial) -> impl IntoView {
    let Dial {
        position,
        dimension,
        value,
        name,
        locked,
        ..
    } = dial;
    let (min, max) = dimension.with_value(|d| match *d {
        Dimension::Continuous { min, max, .. } => (min, max),
        Dimension::Discrete { values } => (0.0, f64::from(values) - 1.0),
    });
    let share = move || dimension.with_value(|d| dial_keys::share(d, value.get()));
    let node = NodeRef::<html::Input>::new();
    // Everything that changes while the dial is dragged, in one effect: each costs a part of a frame.
    Effect::new(move |_| {
        if let Some(slider) = node.get() {
            slider.set_value(&value.get().to_string());
            let filled = format!("{:.4}", share());
            // Only a page that is being taken apart refuses.
            let _ = HtmlElement::style(&slider).set_property("--filled", &filled);
            let _ = slider.set_attribute("aria-valuetext", &dial.spoken());
        }
    });
    let finger = RangeTouch::new(THUMB_WIDTH_PX);
    // The slider itself, whatever the browser has made of a finger.
    let put_back = move |slider: &HtmlInputElement| {
        slider.set_value(&value.get_untracked().to_string());
    };
    view! {
        <StepButton dial up=false/>
        // "any": positions are counted from zero, not from the minimum as the browser would.
        <input
            type="range"
            class="slider"
            data-testid=format!("dial-{position}")
            min=min
            max=max
            step="any"
            node_ref=node
            aria-label=move || name.get()
            disabled=move || locked.get()
            on:pointerdown:target=move |event| {
                finger.down(&event.target(), &event, Some(untrack(share)));
            }
            on:pointermove=move |event| {
                if let Some(value) = finger.moved(&event) {
                    dial.move_to(value);
                }
            }
            on:pointerup=move |_| {
                if let Some(value) = finger.up() {
                    dial.move_to(value);
                }
            }
            on:pointercancel:target=move |event| {
                finger.cancelled();
                put_back(&event.target());
            }
            on:input:target=move |event| {
                let value = event.target().value_as_number();
                if value.is_nan() {
                    return;
                }
                match finger.input(value) {
                    Some(value) => dial.move_to(value),
                    None => put_back(&event.target()),
                }
            }
            on:keydown=move |event| {
                let with_command = event.ctrl_key() || event.alt_key() || event.meta_key();
                if !with_command && dial.key(&event.key(), event.shift_key()) {
                    event.prevent_default();
                }
            }
        />
        <StepButton dial up=true/>
    }
}

#[component]
fn StepButton(dial: Dial, up: bool) -> impl IntoView {
    let words = &text().dial;
    let press = PressRepeat::new(Callback::new(move |repeat| dial.step(up, repeat)));
    let label = move || {
        if up {
            words.plus(dial.name.get())
        } else {
            words.minus(dial.name.get())
        }
    };
    let testid = format!(
        "dial-{}-{}",
        dial.position,
        if up { "plus" } else { "minus" }
    );
    // Not a stop for the Tab key: an arrow does the same on the slider beside it.
    view! {
        <button
            type="button"
            class=if up { "step-button up" } else { "step-button down" }
            tabindex="-1"
            data-testid=testid
            aria-label=label
            disabled=move || dial.locked.get()
            on:pointerdown=move |event| press.press(&event)
            on:pointerup=move |_| press.release()
            on:pointerleave=move |_| press.release()
            on:pointercancel=move |_| press.release()
            on:contextmenu=move |event| event.prevent_default()
            on:click=move |event| press.click(&event)
        >
            {if up { "+" } else { "\u{2212}" }}
        </button>
    }
}
