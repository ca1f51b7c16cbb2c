//! Whether sessions count in analyses.

use api::research::{Done, ExclusionRequest};
use api::routes;
use domain::session::event::SessionId;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::Deciding;
use crate::entrance::Field;
use crate::words::counted;

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
            // What is done is done, also where the next one fails.
            if done > 0 {
                let words = decided(done, sessions.len() as u64, excluded);
                deciding.done(words);
            } else {
                // What somebody else has decided shows, too.
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
            let sessions = counted(number(), "session");
            if excluded {
                format!(
                    "{sessions}: left out of analyses from now on, with the reason. The data stay, pay does not change, and the platform is told nothing. It can be taken back."
                )
            } else {
                format!("{sessions}: counted again, if the study's own rules let them.")
            }
        };
        Some(view! {
            <div class="note" data-testid="means">
                <p>{means}</p>
                <Field label="Why" testid="why" value=why on_enter=decide/>
                <p class="actions">
                    <Press testid="decide" disabled=none on_press=decide>{if excluded { "Exclude" } else { "Readmit" }}</Press>
                    <Press testid="decide-not" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>"Leave it as it is"</Press>
                </p>
            </div>
        })
    };
    let chosen = deciding.choosing.then(|| {
        view! {
            <span class="tabular" data-testid="chosen">{move || format!("{} chosen", counted(number(), "session"))}</span>
        }
    });
    view! {
        <div class="area-decisions">
            <p class="actions">
                {chosen}
                <Press testid="exclude" class="button" disabled=none on_press=ask(true)>"Exclude…"</Press>
                <Press testid="readmit" class="button" disabled=none on_press=ask(false)>"Readmit…"</Press>
            </p>
            {form}
        </div>
    }
}

/// What was done, of what was to be done.
fn decided(done: u64, all: u64, excluded: bool) -> String {
    let verb = if excluded { "excluded" } else { "readmitted" };
    if done == all {
        format!("{} {verb}.", counted(done, "session"))
    } else {
        format!(
            "{done} of {} {verb}. The others are still chosen.",
            counted(all, "session")
        )
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
