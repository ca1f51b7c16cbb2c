//! The steps of a tutorial, one at a time.

use leptos::prelude::*;

use crate::state::Persistence;
use crate::text::text;
use crate::ui::parts::{Press, Remount};

/// Steps with the ways between them.
#[component]
pub fn Steps<F>(
    /// How many there are.
    count: usize,
    /// The one that is shown first, from 0.
    first: usize,
    /// Another step is shown.
    on_step: Callback<usize>,
    /// Shows a step, from 0.
    step: F,
    /// The last step was read.
    on_done: Callback<()>,
) -> AnyView
where
    F: Fn(usize) -> AnyView + Clone + Send + 'static,
{
    let (words, ways_words) = (&text().tutorial, &text().ways);
    let last = count.saturating_sub(1);
    let position = RwSignal::new(first.min(last));
    let go = move |to: usize| {
        position.set(to);
        on_step.run(to);
    };
    let ways = move |now: usize| {
        view! {
            <div class="actions">
                {(now < last).then(|| view! {
                    <button
                        type="button"
                        class="button primary"
                        data-testid="tutorial-next"
                        on:click=move |_| go(now + 1)
                    >
                        {ways_words.go_on()}
                    </button>
                })}
                {(now == last).then(|| view! {
                    <Press testid="tutorial-finish" on_press=on_done>{ways_words.go_on()}</Press>
                })}
                {(now > 0).then(|| view! {
                    <button
                        type="button"
                        class="button quiet"
                        data-testid="tutorial-back"
                        on:click=move |_| go(now - 1)
                    >
                        {ways_words.back()}
                    </button>
                })}
            </div>
        }
    };
    let show = move |now: usize| {
        view! {
            <div class="card">
                <p class="eyebrow">{words.step(now + 1, count)}</p>
                {step(now.min(last))}
                {ways(now)}
            </div>
        }
        .into_any()
    };
    view! {
        <div class="screen tutorial" data-screen="tutorial">
            <Remount of=position.into() children=show/>
        </div>
    }
    .into_any()
}

/// The words on what becomes of the work of somebody who needs a break: a title and its text.
pub fn a_break(keeping: Persistence) -> (&'static str, &'static str) {
    let words = &text().tutorial;
    let body = match keeping {
        Persistence::Everything => words.end_saved(),
        Persistence::InTab | Persistence::InAddress => words.end_saved_keep_open(),
    };
    (words.end_saved_title(), body)
}

/// The last step: what can happen, as titles with their texts.
pub fn endings<'a>(ends: impl IntoIterator<Item = (&'a str, &'a str)>) -> impl IntoView {
    let ends = ends.into_iter().map(|(title, body)| {
        let (title, body) = (title.to_owned(), body.to_owned());
        view! { <div><dt>{title}</dt><dd>{body}</dd></div> }
    });
    let ends = ends.collect_view();
    view! { <dl class="endings">{ends}</dl> }
}
