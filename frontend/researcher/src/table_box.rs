//! Tables in boxes of their own.

use leptos::prelude::*;

/// What stands above a column: its words, and whether it holds numbers.
pub type Head = (&'static str, bool);

/// Heads of columns that hold words.
pub const fn words<const N: usize>(heads: [&'static str; N]) -> [Head; N] {
    let mut found = [("", false); N];
    let mut place = 0;
    while place < N {
        found[place].0 = heads[place];
        place += 1;
    }
    found
}

/// A table within which one scrolls, so that the page stays as wide as the screen.
#[component]
pub fn TableBox(
    /// Its name for those who do not see it.
    label: &'static str,
    /// Its name for tests.
    #[prop(default = "")]
    testid: &'static str,
    /// The heads of its columns.
    #[prop(into)]
    heads: Vec<Head>,
    /// The rows.
    children: Children,
) -> impl IntoView {
    let head =
        |(words, number): Head| view! { <th scope="col" class:area-number=number>{words}</th> };
    view! {
        <div class="area-scroll" tabindex="0" role="region" aria-label=label>
            <table class="area-table" data-testid=testid>
                <thead><tr>{heads.into_iter().map(head).collect_view()}</tr></thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}
