//! Small parts that several screens share.

use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use leptos::tachys::reactive_graph::OwnedView;

use super::presses;

/// The heading of a screen. It takes the focus when the screen appears, so that
/// a screen reader reads on from there, and brings the top of the page into view.
#[component]
pub fn Heading(
    /// The words.
    #[prop(into)]
    words: Signal<String>,
) -> impl IntoView {
    let heading = NodeRef::<html::H1>::new();
    heading.on_load(|heading| arrive_at(&heading));
    view! { <h1 tabindex="-1" node_ref=heading>{move || words.get()}</h1> }
}

/// Begins a screen at its heading; not one that is hidden, as while a study's first page waits for the app.
pub fn arrive_at(heading: &web_sys::HtmlElement) {
    if heading.client_height() == 0 {
        return;
    }
    window().scroll_to_with_x_and_y(0.0, 0.0);
    // Without focus the screen is as usable; there is nobody to tell.
    let _ = heading.focus();
}

/// A button that tells nothing but that it was pressed.
#[component]
pub fn Press(
    /// Its name for tests.
    testid: &'static str,
    /// How it looks.
    #[prop(default = "button primary")]
    class: &'static str,
    /// Whether it cannot be pressed now.
    #[prop(optional)]
    disabled: Option<Signal<bool>>,
    /// It was pressed.
    on_press: Callback<()>,
    /// The words on it.
    children: Children,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=class
            data-testid=testid
            disabled=move || disabled.is_some_and(|disabled| disabled.get())
            on:click=move |_| on_press.run(())
        >
            {children()}
        </button>
    }
}

/// Shows a value, with new elements each time it changes.
///
/// Two screens of one kind would otherwise share their elements, and with them
/// what was ticked, typed or focused on the screen before.
#[component]
pub fn Remount<T, V>(
    /// The value.
    of: Signal<T>,
    /// Makes the elements that show it.
    children: V,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    V: Fn(T) -> AnyView + Clone + Send + 'static,
{
    made_anew(Box::new(move || {
        let value = of.get();
        presses::new_page();
        let children = children.clone();
        Box::new(move || children(value))
    }))
}

/// Shows what `next` gives, with new elements each time. Not generic, so that it is in the page once.
fn made_anew(mut next: Box<dyn FnMut() -> Box<dyn FnOnce() -> AnyView> + Send>) -> AnyView {
    let parent = Owner::current();
    let mut left = false;
    let shown = move || {
        let make = next();
        let owner = parent.as_ref().map(|parent| parent.with(Owner::new));
        let owner = owner.unwrap_or_default();
        let view = owner.with(make);
        // Signals that the elements read live as long as the elements: these may still say something, as of lost
        // focus, while they are taken away.
        let view = OwnedView::new_with_owner(view, owner);
        left = !left;
        // From one side to the other everything is made anew.
        if left {
            Either::Left(view)
        } else {
            Either::Right(view)
        }
    };
    shown.into_any()
}

/// A whole percentage for words and widths: rounded down, within 0 to 100.
#[must_use]
pub fn whole_percent(share: f64) -> u32 {
    // A hair is added so that 0.29 * 100 = 28.999… counts as 29.
    if share.is_nan() {
        0
    } else {
        (share * 100.0 + 1e-9).clamp(0.0, 100.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_floored() {
        for (share, expected) in [
            (0.0, 0),
            (0.29, 29),
            (0.8999, 89),
            (1.0, 100),
            (7.0, 100),
            (f64::NAN, 0),
            (-1.0, 0),
        ] {
            assert_eq!(whole_percent(share), expected, "{share}");
        }
    }
}
