//! Choosing sessions: all that meet the conditions, and what is done with them side by side.

use api::research::{SessionTable, SessionsQuery};
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::People;
use crate::links::Link;
use crate::route::{BESIDE, Beside, Route};
use crate::session_rows::session_rows;
use crate::side_by_side::how_many;
use crate::text::text;

/// Most sessions that are chosen at once.
const MOST_CHOSEN: u64 = 1_000;

/// Chooses all sessions that meet the conditions, on whichever page they are, or none.
#[component]
pub fn ChooseAll(people: People) -> impl IntoView {
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
    move || {
        let matching = matching.get();
        (matching > 0).then(|| {
            let words = text().people.choose_all(matching);
            let button = if matching <= MOST_CHOSEN {
                view! { <Press testid="choose-all" class="button quiet" on_press=all>{words}</Press> }.into_any()
            } else {
                let words = text().people.too_many(MOST_CHOSEN, matching);
                view! { <span class="muted small">{words}</span> }.into_any()
            };
            view! {
                <p class="actions">
                    {button}
                    <Press testid="choose-none" class="button quiet" disabled=nobody on_press=none>{text().people.choose_none()}</Press>
                </p>
            }
        })
    }
}

/// The sessions that are chosen, side by side.
#[component]
pub fn SideBySide(people: People) -> impl IntoView {
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
        view! { <Link area=people.area to class="button" testid="beside">{text().people.side_by_side()}</Link> }
            .into_any()
    };
    view! { <p class="actions">{link}</p> }
}
