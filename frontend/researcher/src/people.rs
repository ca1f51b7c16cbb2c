//! A study's sessions as a table: which columns, in which order, and which of them, stands in the address.

use api::research::{Filter, Right, SessionTable, SessionsQuery};
use domain::session::event::SessionId;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::deciding::{Deciding, Decisions, PlatformDecisions};
use crate::links::Link;
use crate::route::{BESIDE, Beside, Route};
use crate::session_rows::session_rows;
use crate::side_by_side::how_many;
use crate::words::{counted, date_and_time};

mod columns;
mod filters;
mod table;

use columns::Columns;
use filters::Filters;
use table::Table;

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub struct People {
    /// What the pages share.
    pub area: Area,
    study: StoredValue<String>,
    /// What the address says.
    pub query: Memo<SessionsQuery>,
    /// The sessions, once they are here.
    pub table: RwSignal<Option<SessionTable>>,
    /// How often they were asked for: the last answer counts.
    asked: StoredValue<u64>,
    /// Sessions that are chosen, with their ordinals.
    pub chosen: RwSignal<Vec<SessionId>>,
}

impl People {
    /// The study.
    pub fn study(&self) -> String {
        self.study.get_value()
    }

    /// Shows other sessions, or the same in another way: from the first page on.
    pub fn ask(self, change: impl FnOnce(&mut SessionsQuery)) {
        let mut query = self.query.get_untracked();
        query.page = 0;
        change(&mut query);
        let study = self.study();
        self.area.go(Route::People { study, query });
    }

    /// The conditions of the address; none where they make no sense, which the server says.
    pub fn filter(&self) -> Filter {
        self.query
            .with(|query| Filter::parse(&query.filter))
            .unwrap_or_default()
    }

    /// Asks for the sessions again.
    pub fn load(self) {
        // It is also asked for once something was changed; the page may have been left since.
        let (Some(query), Some(study)) =
            (self.query.try_get_untracked(), self.study.try_get_value())
        else {
            return;
        };
        let serial = self.asked.get_value() + 1;
        self.asked.set_value(serial);
        self.area.attempt(async move {
            let take = |table| {
                // An answer that comes late is of no use; nor is one to a page that was left.
                let is_wanted = self.asked.try_get_value() == Some(serial);
                if is_wanted {
                    self.table.set(Some(table));
                }
                is_wanted
            };
            session_rows(&study, &query, take).await
        });
    }
}

/// The page.
#[component]
pub fn PeoplePage(area: Area, study: String) -> impl IntoView {
    let people = People {
        area,
        query: Memo::new(
            move |before: Option<&SessionsQuery>| match area.route.get() {
                Route::People { query, .. } => query,
                // The page is being left: nothing is asked for any more.
                _ => before.cloned().unwrap_or_default(),
            },
        ),
        study: StoredValue::new(study.clone()),
        table: RwSignal::new(None),
        asked: StoredValue::new(0),
        chosen: RwSignal::new(Vec::new()),
    };
    Effect::new(move |_| {
        people.query.track();
        people.chosen.set(Vec::new());
    });
    area.load(move || {
        people.query.track();
        people.load();
    });
    let may_decide = area.may(Right::Manage, &study);
    let deciding = Deciding {
        area,
        study: people.study,
        chosen: people.chosen,
        choosing: true,
        reload: Callback::new(move |()| people.load()),
    };
    let decisions =
        may_decide.then(|| view! { <Decisions deciding/> <PlatformDecisions deciding/> });
    let summary = move || {
        let (matching, all, at) = people
            .table
            .with(|it| it.as_ref().map(|it| (it.matching, it.all, it.at_unix_ms)))?;
        Some(format!(
            "{} of {}, as of {}",
            matching,
            counted(all, "session"),
            date_and_time(at)
        ))
    };
    let problems = move || {
        let problems = people
            .table
            .with(|it| it.as_ref().map(|it| it.problems.clone()))?;
        let items = problems.into_iter().map(|it| view! { <li>{it}</li> });
        let items = items.collect_view();
        (!items.is_empty()).then(|| view! { <ul class="problem">{items}</ul> })
    };
    view! {
        <div data-screen="people" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{study.clone()}</Link></p>
            <Heading words="People"/>
            <Filters people/>
            <Columns people/>
            {decisions}
            <SideBySide people/>
            <ChooseAll people/>
            {problems}
            <p class="muted small" data-testid="summary">{summary}</p>
            <Table people/>
            <Pages people/>
        </div>
    }
}

/// Most sessions that are chosen at once.
const MOST_CHOSEN: u64 = 1_000;

/// Chooses all sessions that meet the conditions, on whichever page they are, or none.
#[component]
fn ChooseAll(people: People) -> impl IntoView {
    let matching = Memo::new(move |_| {
        people
            .table
            .with(|it| it.as_ref().map_or(0, |it| it.matching))
    });
    let all = Callback::new(move |()| {
        let query = people.query.get_untracked();
        let study = people.study();
        people.area.attempt(async move {
            let mut found = Vec::new();
            for page in 0..(MOST_CHOSEN as u32).div_ceil(api::research::MOST_ROWS) {
                let query = SessionsQuery {
                    columns: "ordinal".to_owned(),
                    page,
                    rows: Some(api::research::MOST_ROWS),
                    ..query.clone()
                };
                let mut rows = Vec::new();
                let take = |table: SessionTable| {
                    rows = table.rows;
                    true
                };
                session_rows(&study, &query, take).await?;
                let is_last = rows.len() < api::research::MOST_ROWS as usize;
                found.extend(rows.into_iter().filter_map(|row| row.session));
                if is_last {
                    break;
                }
            }
            // Meanwhile somebody may have asked for others, or left.
            if people.query.try_get_untracked() == Some(query) {
                people.chosen.set(found);
            }
            Ok(())
        });
    });
    let none = Callback::new(move |()| people.chosen.set(Vec::new()));
    let nobody = Signal::derive(move || people.chosen.with(Vec::is_empty));
    let how_many = move || match people.chosen.with(Vec::len) {
        0 => String::new(),
        chosen => format!("{} chosen", counted(chosen as u64, "session")),
    };
    move || {
        let matching = matching.get();
        (matching > 0).then(|| {
            let words = format!("Choose all {matching} that match");
            let button = if matching <= MOST_CHOSEN {
                view! { <Press testid="choose-all" class="button quiet" on_press=all>{words}</Press> }.into_any()
            } else {
                let words = format!("At most {MOST_CHOSEN} are chosen at once; {matching} match.");
                view! { <span class="muted small">{words}</span> }.into_any()
            };
            view! {
                <p class="actions">
                    {button}
                    <Press testid="choose-none" class="button quiet" disabled=nobody on_press=none>"Choose none"</Press>
                    <span class="tabular small" role="status" data-testid="how-many-chosen">{how_many}</span>
                </p>
            }
        })
    }
}

/// The sessions that are chosen, side by side.
#[component]
fn SideBySide(people: People) -> impl IntoView {
    let link = move || {
        let sessions: Vec<String> = people
            .chosen
            .with(|chosen| chosen.iter().map(ToString::to_string).collect());
        let count = sessions.len();
        if !BESIDE.contains(&count) {
            return view! { <span class="muted small">{how_many(count)}</span> }.into_any();
        }
        let to = Route::Beside {
            study: people.study(),
            beside: Beside {
                sessions,
                ..Beside::default()
            },
        };
        view! { <Link area=people.area to class="button" testid="beside">"Side by side"</Link> }
            .into_any()
    };
    view! { <p class="actions">{link}</p> }
}

/// From page to page.
#[component]
fn Pages(people: People) -> impl IntoView {
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
                    <Press testid="page-before" class="button" disabled=Signal::stored(here == 0) on_press=go(page_before(here, last))>"Before"</Press>
                    <span class="tabular">{which_page(here, last)}</span>
                    <Press testid="page-next" class="button" disabled=Signal::stored(here >= last) on_press=go(here + 1)>"Next"</Press>
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
        format!("There is no page {number}; the last one is {pages}")
    } else {
        format!("Page {number} of {pages}")
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
