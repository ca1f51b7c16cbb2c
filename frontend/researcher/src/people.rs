//! A study's sessions as a table: which columns, in which order, and which of them, stands in the address.

use api::research::{Filter, Right, SessionTable, SessionsQuery};
use domain::session::event::SessionId;
use frontend::ui::parts::Heading;
use leptos::prelude::*;

use crate::area::Area;
use crate::deciding::{Deciding, Decisions, PlatformDecisions};
use crate::links::Link;
use crate::route::Route;
use crate::session_rows::session_rows;
use crate::text::text;
use crate::words::date_and_time;

mod choosing;
mod columns;
mod filters;
mod pages;
mod table;

use choosing::{ChooseAll, SideBySide};
use columns::Columns;
use filters::Filters;
use pages::Pages;
use table::Table;

/// The state that the parts of the page share.
#[derive(Clone, Copy)]
pub struct People {
    /// The state that the pages share.
    pub area: Area,
    study: StoredValue<String>,
    /// The query of the address.
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
        let all = text().counted.sessions(all);
        Some(text().people.summary(matching, all, date_and_time(at)))
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
            <Heading words=text().people.heading()/>
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
