//! The picture that is asked about and one example, large, beside each other.

use std::sync::Arc;

use domain::model::ModelFacts;
use leptos::html;
use leptos::prelude::*;

use crate::state::Examples;
use crate::text::text;
use crate::ui::thumbnail::Thumbnail;

/// The picture that is enlarged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The picture asked about, alone.
    Asked,
    /// The example before which there are so many others, too.
    Example(usize),
}

impl Shown {
    fn number(self) -> Option<usize> {
        match self {
            Self::Asked => None,
            Self::Example(before) => Some(before),
        }
    }

    /// The one that follows, or comes before, of so many examples; round and round.
    fn step(self, count: usize, forward: bool) -> Self {
        let count = count.max(1);
        let by = if forward { 1 } else { count - 1 };
        Self::Example(match self {
            Self::Asked if forward => 0,
            Self::Asked => count - 1,
            Self::Example(before) => (before + by) % count,
        })
    }
}

/// A dialog over the question. A tap anywhere, *Escape* and a button close it.
#[component]
pub(super) fn Enlarged(
    facts: Arc<ModelFacts>,
    asked: Option<Arc<Vec<f32>>>,
    examples: Signal<Arc<Examples>>,
    shown: RwSignal<Option<Shown>>,
) -> impl IntoView {
    let words = &text().single;
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let wanted = shown.with(Option::is_some);
        if let Some(dialog) = dialog.get() {
            match (wanted, dialog.open()) {
                (true, false) => {
                    // A browser that knows no dialogs leaves them closed.
                    let _ = dialog.show_modal();
                }
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    let count = move || examples.with(|examples| examples.0.iter().map(Vec::len).sum::<usize>());
    let step = move |forward: bool| {
        shown.update(|shown| *shown = shown.map(|it| it.step(count(), forward)));
    };
    let way = move |forward: bool| {
        let (testid, label, arrow) = if forward {
            ("example-next", words.next_example(), "\u{2192}")
        } else {
            ("example-previous", words.previous_example(), "\u{2190}")
        };
        view! {
            <button
                type="button"
                class="button"
                data-testid=testid
                aria-label=label
                on:click=move |event| {
                    event.stop_propagation();
                    step(forward);
                }
            >
                <span aria-hidden="true">{arrow}</span>
            </button>
        }
    };
    let large = {
        let facts = facts.clone();
        move |values: Arc<Vec<f32>>, words: String| {
            view! {
                <figure>
                    <Thumbnail facts=facts.clone() values/>
                    <figcaption>{words}</figcaption>
                </figure>
            }
        }
    };
    let pictures = move || {
        let number = shown.get().map(Shown::number)?;
        let asked = asked
            .clone()
            .map(|asked| large(asked, words.asked_picture().to_owned()));
        let example = number.and_then(|number| {
            let examples = examples.get();
            let values = examples.0.iter().flatten().nth(number)?.clone();
            Some(large(values, words.example(number + 1)))
        });
        Some(view! { {asked}{example} })
    };
    view! {
        <dialog
            class="enlarged-pictures"
            data-testid="enlarged"
            aria-label=words.enlarge()
            node_ref=dialog
            on:click=move |_| shown.set(None)
            on:close=move |_| shown.set(None)
        >
            <div class="enlarged-pair" aria-live="polite">{pictures}</div>
            <div class="actions">
                {way(false)}
                {way(true)}
                <button type="button" class="button quiet" data-testid="close-enlarged" on:click=move |_| shown.set(None)>
                    {text().naming.close()}
                </button>
            </div>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_gone_through_round_and_round() {
        assert_eq!(Shown::Asked.step(3, true), Shown::Example(0));
        assert_eq!(Shown::Asked.step(3, false), Shown::Example(2));
        assert_eq!(Shown::Example(2).step(3, true), Shown::Example(0));
        assert_eq!(Shown::Example(0).step(3, false), Shown::Example(2));
        assert_eq!(Shown::Example(0).step(0, true), Shown::Example(0));
    }
}
