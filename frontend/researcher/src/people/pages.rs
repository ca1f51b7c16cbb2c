//! From page to page of the table.

use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::People;
use crate::text::text;

/// From page to page.
#[component]
pub fn Pages(people: People) -> impl IntoView {
    let rows = move || {
        people
            .query
            .with(|it| it.rows.unwrap_or(api::research::ROWS))
    };
    let page = move || people.query.with(|it| it.page);
    let matching = move || {
        people
            .table
            .with(|it| it.as_ref().map_or(0, |it| it.matching))
    };
    let last = Memo::new(move |_| {
        let pages = matching().div_ceil(u64::from(rows().max(1)));
        u32::try_from(pages.saturating_sub(1)).unwrap_or(u32::MAX)
    });
    let go = move |to: u32| Callback::new(move |()| people.ask(|query| query.page = to));
    move || {
        // Nobody knows how many pages there are before they are here.
        people.table.with(Option::is_some).then_some(())?;
        let (here, last) = (page(), last.get());
        (last > 0 || here > 0).then(|| {
            view! {
                <p class="actions">
                    <Press testid="page-before" class="button" disabled=Signal::stored(here == 0) on_press=go(page_before(here, last))>{text().people.before()}</Press>
                    <span class="tabular">{which_page(here, last)}</span>
                    <Press testid="page-next" class="button" disabled=Signal::stored(here >= last) on_press=go(here + 1)>{text().people.next()}</Press>
                </p>
            }
        })
    }
}

/// The page before one; before a page beyond the end it is the last one.
fn page_before(here: u32, last: u32) -> u32 {
    here.saturating_sub(1).min(last)
}

/// Which page it is, in words. Both count from 0. An address can name a page that there is not, or no more.
fn which_page(here: u32, last: u32) -> String {
    let (number, pages) = (u64::from(here) + 1, u64::from(last) + 1);
    if here > last {
        text().people.no_page(number, pages)
    } else {
        text().people.page(number, pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_a_page_beyond_the_end_one_comes_to_the_last() {
        assert_eq!(page_before(7, 1), 1);
        assert_eq!(which_page(7, 1), "There is no page 8; the last one is 2");
        assert_eq!(page_before(1, 1), 0);
        assert_eq!(page_before(0, 1), 0);
        assert_eq!(which_page(1, 1), "Page 2 of 2");
        assert_eq!(
            which_page(u32::MAX, 0),
            "There is no page 4294967296; the last one is 1"
        );
    }
}
