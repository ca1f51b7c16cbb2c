//! Tables in boxes of their own.

use leptos::oco::Oco;
use leptos::prelude::*;

/// The head of a column: its words, and whether the column holds numbers.
pub type Head = (&'static str, bool);

/// The heads of a table's columns, whether they are known here or made by the server.
pub struct Heads(Vec<(Oco<'static, str>, bool)>);

impl<const N: usize> From<[Head; N]> for Heads {
    fn from(heads: [Head; N]) -> Self {
        Self(heads.map(|(words, number)| (words.into(), number)).into())
    }
}

impl From<Vec<(String, bool)>> for Heads {
    fn from(heads: Vec<(String, bool)>) -> Self {
        let heads = heads.into_iter();
        Self(
            heads
                .map(|(words, number)| (words.into(), number))
                .collect(),
        )
    }
}

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
    #[prop(into)]
    label: String,
    /// Its name for tests.
    #[prop(into, optional)]
    testid: String,
    /// The heads of its columns.
    #[prop(into)]
    heads: Heads,
    /// The rows.
    children: Children,
) -> impl IntoView {
    let head = |(words, number): (Oco<'static, str>, bool)| {
        view! { <th scope="col" class:area-number=number>{words}</th> }
    };
    view! {
        <div class="area-scroll" tabindex="0" role="region" aria-label=label>
            <table class="area-table" data-testid=testid>
                <thead><tr>{heads.0.into_iter().map(head).collect_view()}</tr></thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}
