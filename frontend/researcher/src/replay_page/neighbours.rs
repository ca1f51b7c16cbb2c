//! The sessions before and after this one, in the table from which somebody came.

use api::research::{SessionTable, SessionsQuery};
use frontend::runtime::client::ClientError;
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::links::Link;
use crate::route::Route;
use crate::session_rows::session_rows;
use crate::text::text;

/// A session of a table, and the page of the table that it is on.
type Neighbour = (String, u32);

/// The sessions before and after one; nothing at the ends of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Neighbours {
    before: Option<Neighbour>,
    after: Option<Neighbour>,
}

/// Links to the sessions before and after this one.
#[component]
pub fn Neighbours(
    /// The page.
    viewer: Viewer,
    /// The table.
    list: SessionsQuery,
) -> impl IntoView {
    let area = viewer.area;
    let study = viewer.study.get_value();
    let found = RwSignal::new(Neighbours::default());
    let query = list.clone();
    viewer.load(move || {
        let (study, session) = (viewer.study.get_value(), viewer.session.get_value());
        let query = query.clone();
        area.attempt(async move {
            let neighbours = neighbours(&study, &session, &query).await?;
            // The page may have been left.
            let _ = found.try_set(neighbours);
            Ok(())
        });
    });
    let link = move |to: Option<Neighbour>, words: &'static str, testid: &'static str| {
        let (session, page) = to?;
        let to = Route::Replay {
            study: study.clone(),
            session,
            at: None,
            list: Some(SessionsQuery {
                page,
                ..list.clone()
            }),
        };
        Some(view! { <Link area to class="button quiet" testid>{words}</Link> })
    };
    move || {
        let Neighbours { before, after } = found.get();
        view! {
            {link(before, text().replay.session_before(), "session-before")}
            {link(after, text().replay.session_next(), "session-next")}
        }
    }
}

async fn neighbours(
    study: &str,
    session: &str,
    query: &SessionsQuery,
) -> Result<Neighbours, ClientError> {
    let page = async |page: u32| {
        // Of what the table shows, the names of sessions are enough.
        let query = SessionsQuery {
            columns: "session".to_owned(),
            page,
            ..query.clone()
        };
        let mut names: Vec<String> = Vec::new();
        // Which are beside each other is known when all are there.
        let take = |table: SessionTable| {
            let rows = table.rows.into_iter();
            names = rows.filter_map(|row| Some(row.session?.0)).collect();
            true
        };
        session_rows(study, &query, take).await?;
        Ok(names)
    };
    let here = page(query.page).await?;
    let Some(at) = here.iter().position(|it| it == session) else {
        // The table is another one by now.
        return Ok(Neighbours::default());
    };
    let (mut before, mut after) = beside(&here, at, query.page);
    if before.is_none() && query.page > 0 {
        let number = query.page - 1;
        before = page(number).await?.pop().map(|it| (it, number));
    }
    if after.is_none() {
        let number = query.page + 1;
        after = page(number)
            .await?
            .into_iter()
            .next()
            .map(|it| (it, number));
    }
    Ok(Neighbours { before, after })
}

/// Those beside one on its own page.
fn beside(names: &[String], at: usize, page: u32) -> (Option<Neighbour>, Option<Neighbour>) {
    let of = |at: Option<usize>| Some((names.get(at?)?.clone(), page));
    (of(at.checked_sub(1)), of(at.checked_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_the_ends_are_on_other_pages() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let named = |name: &str| Some((name.to_owned(), 2));
        assert_eq!(beside(&names, 0, 2), (None, named("b")));
        assert_eq!(beside(&names, 1, 2), (named("a"), named("c")));
        assert_eq!(beside(&names, 2, 2), (named("b"), None));
        assert_eq!(beside(&names[..1], 0, 2), (None, None));
    }
}
