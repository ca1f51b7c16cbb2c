//! Whether sessions count in analyses.

use api::research::{Done, ExclusionRequest};
use api::routes;
use domain::session::event::SessionId;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::Deciding;
use crate::entrance::Field;
use crate::text::text;

/// Leaves sessions out of analyses, or takes that back. Before it happens, a sentence says what it means.
#[component]
pub fn Decisions(deciding: Deciding) -> impl IntoView {
    let asked = RwSignal::new(None::<bool>);
    let why = RwSignal::new(String::new());
    let number = move || deciding.chosen.with(Vec::len) as u64;
    let decide = Callback::new(move |()| {
        let Some(excluded) = asked.get_untracked() else {
            return;
        };
        let sessions = deciding.chosen.get_untracked();
        let request = ExclusionRequest {
            excluded,
            why: why.get_untracked(),
        };
        let study = deciding.study.get_value();
        deciding.area.attempt(async move {
            let path = |session: &SessionId| routes::research_exclusion(&study, session);
            let (done, outcome) = deciding.each::<_, Done>(&sessions, path, &request).await;
            if outcome.is_ok() {
                asked.set(None);
                why.set(String::new());
            }
            // Decisions that are made stand, also where the next one fails.
            if done > 0 {
                let words = decided(done, sessions.len() as u64, excluded);
                deciding.done(words);
            } else {
                // Decisions of other people show, too.
                let _ = deciding.reload.try_run(());
            }
            outcome
        });
    });
    let ask = move |excluded| Callback::new(move |()| asked.set(Some(excluded)));
    let none = Signal::derive(move || number() == 0);
    let form = move || {
        let excluded = asked.get()?;
        let means = move || {
            let words = &text().deciding;
            let sessions = text().counted.sessions(number());
            if excluded {
                words.means_exclude(sessions)
            } else {
                words.means_readmit(sessions)
            }
        };
        Some(view! {
            <div class="note" data-testid="means">
                <p>{means}</p>
                <Field label=text().deciding.why() testid="why" value=why on_enter=decide/>
                <p class="actions">
                    <Press testid="decide" disabled=none on_press=decide>{if excluded { text().deciding.exclude() } else { text().deciding.readmit() }}</Press>
                    <Press testid="decide-not" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>{text().deciding.leave()}</Press>
                </p>
            </div>
        })
    };
    let chosen = deciding.choosing.then(|| {
        view! {
            <span class="tabular" data-testid="chosen">{move || text().deciding.chosen(number())}</span>
        }
    });
    view! {
        <div class="area-decisions">
            <p class="actions">
                {chosen}
                <Press testid="exclude" class="button" disabled=none on_press=ask(true)>{text().deciding.ask_exclude()}</Press>
                <Press testid="readmit" class="button" disabled=none on_press=ask(false)>{text().deciding.ask_readmit()}</Press>
            </p>
            {form}
        </div>
    }
}

/// The decisions that were made, of those that were to be made.
fn decided(done: u64, all: u64, excluded: bool) -> String {
    let words = &text().deciding;
    let sessions = text().counted.sessions(all);
    match (done == all, excluded) {
        (true, true) => words.excluded(sessions),
        (true, false) => words.readmitted(sessions),
        (false, true) => words.excluded_some(done, sessions),
        (false, false) => words.readmitted_some(done, sessions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_something_failed_is_told() {
        assert_eq!(decided(1, 1, true), "1 session excluded.");
        assert_eq!(
            decided(2, 5, false),
            "2 of 5 sessions readmitted. The others are still chosen."
        );
    }
}
