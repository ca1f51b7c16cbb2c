//! Decisions of a study: what platforms are told of its sessions, and how far that is.

use api::research::{DecisionInfo, Done, Outbox, Right, SettlementRequest};
use api::routes;
use domain::recruitment::outbox::{DecisionState, Deed, Settlement};
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::again::load_again;
use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;
use crate::words::{date_and_time, sentence};

/// How often the page looks while something is not over.
const LOOK_EVERY_MS: u32 = 5_000;

/// The page.
#[component]
pub fn OutboxPage(area: Area, study: String) -> impl IntoView {
    let name = StoredValue::new(study.clone());
    let outbox = RwSignal::new(None::<Outbox>);
    let load = move || async move {
        // It is also asked for once something was changed; the page may have been left since.
        let Some(study) = name.try_get_value() else {
            return Ok(());
        };
        let found: Outbox = research_client::get(&routes::research_outbox(&study)).await?;
        let as_shown = |it: &Option<Outbox>| {
            it.as_ref().is_some_and(|it| {
                it.decisions == found.decisions && it.platforms == found.platforms
            })
        };
        // A list that is made anew takes the focus from whoever is in it.
        if outbox.try_with_untracked(as_shown) == Some(false) {
            outbox.set(Some(found));
        }
        Ok(())
    };
    area.load(move || area.attempt(load()));
    let is_open = |outbox: &Outbox| outbox.decisions.iter().any(|it| it.state.is_open());
    let waits = move || outbox.with_untracked(|it| it.as_ref().is_some_and(is_open));
    load_again(LOOK_EVERY_MS, waits, load);
    let take_back = Callback::new(move |number: u64| {
        area.attempt(async move {
            let path = routes::research_take_back(&name.get_value(), &number.to_string());
            let key = area.change_key();
            let taken: Result<Done, _> =
                research_client::post(&path, &Done {}, key.as_deref()).await;
            load().await?;
            taken?;
            area.done
                .set(Some(text().outbox.taken_back_done().to_owned()));
            Ok(())
        });
    });
    let settle = Callback::new(move |(number, how): (u64, Settlement)| {
        area.attempt(async move {
            let path = routes::research_settlement(&name.get_value(), &number.to_string());
            let key = area.change_key();
            let request = SettlementRequest { how };
            let settled: Result<Done, _> =
                research_client::post(&path, &request, key.as_deref()).await;
            load().await?;
            settled?;
            Ok(())
        });
    });
    let shown = move || match outbox.get() {
        None => view! { <p class="muted">{text().shell.loading()}</p> }.into_any(),
        Some(outbox) => {
            view! { <Decisions area study=name.get_value() outbox take_back settle/> }.into_any()
        }
    };
    let to_match = area.may(Right::Identify, &study).then(|| {
        let to = Route::Match(study.clone());
        view! {
            <p class="actions"><Link area to class="button quiet" testid="to-match">{text().outbox.to_match()}</Link></p>
        }
    });
    view! {
        <div data-screen="decisions" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{study.clone()}</Link></p>
            <Heading words=text().outbox.heading()/>
            {to_match}
            {shown}
        </div>
    }
}

#[component]
fn Decisions(
    area: Area,
    study: String,
    outbox: Outbox,
    take_back: Callback<u64>,
    settle: Callback<(u64, Settlement)>,
) -> impl IntoView {
    let missing = outbox.platforms.iter().filter(|it| !it.reachable);
    let missing: Vec<_> = missing
        .map(|platform| {
            let (name, title) = (platform.name.clone(), platform.title.clone());
            let command = format!("redial platform {name} approve {study} --completed");
            view! {
                <p class="note" data-testid="no-credentials">
                    {text().outbox.no_credentials(title)}
                    <code class="area-token">{command}</code>
                </p>
            }
        })
        .collect();
    let list = if outbox.decisions.is_empty() {
        view! { <p class="muted">{text().outbox.nothing()}</p> }.into_any()
    } else {
        let items = outbox.decisions.into_iter().map(|decision| {
            view! { <Item area study=study.clone() decision take_back settle/> }
        });
        view! { <ul class="area-list" data-testid="outbox">{items.collect_view()}</ul> }.into_any()
    };
    view! {
        {missing}
        {list}
    }
}

/// The deed that a platform is told, in words.
fn deed_in_words(deed: &Deed) -> String {
    let words = &text().outbox;
    match deed {
        Deed::Approve { amount, currency } => words.approve(amount, currency),
        Deed::Reject {
            category, message, ..
        } => match category {
            Some(category) => words.reject_for(category.words(), message),
            None => words.reject(message),
        },
        Deed::AskReturn { reason } => words.ask_return(reason),
        Deed::Bonus {
            amount,
            currency,
            reason,
            reference,
        } => words.bonus(reference, amount, currency, reason),
    }
}

/// Where a decision stands, in words.
fn state_in_words(decision: &DecisionInfo, time: impl Fn(u64) -> String) -> String {
    let since = time(decision.since_unix_ms);
    let next = decision.next_at_unix_ms.map(&time).unwrap_or_default();
    let by = decision.settled_by.as_deref();
    let words = &text().outbox;
    match decision.state {
        DecisionState::Waiting => words.waits(next),
        DecisionState::TakenBack => match by {
            Some(by) => words.taken_back_by(by, since),
            None => words.taken_back(since),
        },
        DecisionState::Sending => words.being_sent(since),
        DecisionState::TryingAgain => match decision.failing_since_unix_ms {
            Some(failing) => words.tried_again(time(failing), next),
            None => words.sent_again(next),
        },
        DecisionState::Sent => match by {
            Some(by) => words.done_as_noted(by, since),
            None => words.sent(since),
        },
        DecisionState::Failed => words.refused(since),
        DecisionState::Uncertain => words.uncertain(since),
    }
}

#[component]
fn Item(
    area: Area,
    study: String,
    decision: DecisionInfo,
    take_back: Callback<u64>,
    settle: Callback<(u64, Settlement)>,
) -> impl IntoView {
    let number = decision.number;
    let to = Route::Replay {
        study,
        session: decision.session.to_string(),
        at: None,
        list: None,
    };
    let state = state_in_words(&decision, date_and_time);
    let answer = decision.answer.as_deref().map(sentence);
    let answer = answer.map(|answer| view! { <p class="small">{answer}</p> });
    let back = decision.can_be_taken_back.then(|| {
        let back = Callback::new(move |()| take_back.run(number));
        view! { <Press testid="take-back" class="button" on_press=back>{text().outbox.take_back()}</Press> }
    });
    let open_to = decision.can_be_settled;
    let uncertain = decision.state != DecisionState::Failed;
    let press = move |how: Settlement| Callback::new(move |()| settle.run((number, how)));
    let settling = open_to.then(|| {
        let look = uncertain.then(|| {
            view! { <p class="small">{text().outbox.look_first()}</p> }
        });
        view! {
            {look}
            <p class="actions">
                <Press testid="settle-done" class="button quiet" on_press=press(Settlement::Done)>{text().outbox.settle_done()}</Press>
                <Press testid="settle-again" class="button quiet" on_press=press(Settlement::Again)>{text().outbox.settle_again()}</Press>
                <Press testid="settle-dropped" class="button quiet" on_press=press(Settlement::Dropped)>{text().outbox.settle_dropped()}</Press>
            </p>
        }
    });
    let words = &text().outbox;
    let by = decision.decided_by.as_deref();
    let decided = words.decided(
        &decision.platform,
        by.unwrap_or(words.by_command()),
        date_and_time(decision.decided_at_unix_ms),
    );
    let name = decision.session.claim_number();
    view! {
        <li class="area-item" data-decision=number data-state=decision.state.name()>
            <p><strong>{sentence(&state)}</strong></p>
            {answer}
            <p>{sentence(&deed_in_words(&decision.deed))}</p>
            <p class="small muted">
                <Link area to>{name}</Link>
                {decided}
            </p>
            <p class="actions">{back}</p>
            {settling}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use domain::recruitment::pay::Amount;
    use domain::session::event::SessionId;

    use super::*;

    #[test]
    fn a_decision_says_until_when_it_waits_and_since_when_nobody_answers() {
        let mut decision = DecisionInfo {
            number: 1,
            session: SessionId("s".to_owned()),
            platform: "prolific".to_owned(),
            deed: Deed::Bonus {
                amount: Amount::of_hundredths(50),
                currency: "GBP".to_owned(),
                reason: "a report".to_owned(),
                reference: "2".to_owned(),
            },
            decided_by: None,
            decided_at_unix_ms: 0,
            state: DecisionState::Waiting,
            since_unix_ms: 1,
            next_at_unix_ms: Some(2),
            can_be_taken_back: true,
            can_be_settled: false,
            failing_since_unix_ms: None,
            answer: None,
            settled_by: None,
        };
        assert_eq!(deed_in_words(&decision.deed), "bonus 2, 0.50 GBP: a report");
        let words = |decision: &DecisionInfo| state_in_words(decision, |time| format!("at {time}"));
        assert_eq!(words(&decision), "waits until at 2");
        decision.state = DecisionState::TryingAgain;
        decision.failing_since_unix_ms = Some(1);
        assert_eq!(words(&decision), "no answer since at 1; tried again at 2");
        decision.state = DecisionState::TakenBack;
        decision.settled_by = Some("ada".to_owned());
        assert_eq!(words(&decision), "taken back by ada, at 1");
    }
}
