//! The decisions that platforms are told of sessions, and noting payments by hand.

use api::research::{DecisionMade, Outbox, PaymentNoted, PaymentRequest};
use api::routes;
use domain::recruitment::outbox::DeedKind;
use domain::session::event::SessionId;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::Deciding;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;

mod fields;
mod known;
mod summary;
mod typed;

use fields::{BonusFields, PayFields, RejectFields, ReturnFields};
use known::known;
use summary::{Chosen, Summary, Wish, summary};
use typed::Typed;

/// Approves, rejects, gives a bonus, and notes payments. Before anything happens, sentences say what it means.
#[component]
pub fn PlatformDecisions(deciding: Deciding) -> impl IntoView {
    let area = deciding.area;
    let study = deciding.study.get_value();
    let outbox = RwSignal::new(None::<Outbox>);
    let asked = RwSignal::new(None::<(Wish, Vec<Chosen>)>);
    let typed = Typed::new();
    let load = move || async move {
        let Some(study) = deciding.study.try_get_value() else {
            return Ok(());
        };
        let found = research_client::get(&routes::research_outbox(&study)).await?;
        outbox.set(Some(found));
        Ok(())
    };
    area.load(move || area.attempt(load()));
    let none = Signal::derive(move || deciding.chosen.with(Vec::is_empty));
    let ask = move |wish: Wish| {
        Callback::new(move |()| {
            let sessions = deciding.chosen.get_untracked();
            let study = deciding.study.get_value();
            area.attempt(async move {
                // Decisions that somebody else has made since are seen.
                load().await?;
                asked.set(Some((wish, known(&study, &sessions).await?)));
                Ok(())
            });
        })
    };
    // Another choice is another question; what is done leaves it.
    Effect::new(move |_| {
        let all_known = deciding.chosen.with(|chosen| {
            asked.with_untracked(|asked| {
                asked.as_ref().is_none_or(|(_, known)| {
                    let knows = |id: &SessionId| known.iter().any(|it| it.session == *id);
                    !chosen.is_empty() && chosen.iter().all(knows)
                })
            })
        });
        if !all_known {
            asked.set(None);
        }
    });
    let has_platforms =
        move || outbox.with(|it| it.as_ref().is_some_and(|it| !it.platforms.is_empty()));
    let at_platforms = move || {
        has_platforms().then(|| {
            view! {
                <Press testid="approve" class="button" disabled=none on_press=ask(Wish::Tell(DeedKind::Approve))>{text().deeds.ask_approve()}</Press>
                <Press testid="reject" class="button" disabled=none on_press=ask(Wish::Tell(DeedKind::Reject))>{text().deeds.ask_reject()}</Press>
                <Press testid="ask-return" class="button" disabled=none on_press=ask(Wish::Tell(DeedKind::AskReturn))>{text().deeds.ask_for_return()}</Press>
                <Press testid="bonus" class="button" disabled=none on_press=ask(Wish::Tell(DeedKind::Bonus))>{text().deeds.ask_bonus()}</Press>
            }
        })
    };
    let to_decisions = move || {
        let to = Route::Decisions(deciding.study.get_value());
        has_platforms().then(|| {
            view! { <Link area to class="button quiet" testid="to-decisions">{text().deeds.decisions()}</Link> }
        })
    };
    let form = move || {
        let (wish, known) = asked.get()?;
        let found = outbox.get()?;
        let still = deciding.chosen.get();
        let known: Vec<Chosen> = known
            .into_iter()
            .filter(|it| still.contains(&it.session))
            .collect();
        let summary = summary(wish, &known, &found, &study);
        Some(view! { <Form deciding asked wish summary outbox=found typed/> })
    };
    view! {
        <div class="area-decisions">
            <p class="actions">
                {at_platforms}
                <Press testid="pay" class="button" disabled=none on_press=ask(Wish::Pay)>{text().deeds.ask_pay()}</Press>
                {to_decisions}
            </p>
            {form}
        </div>
    }
}

/// The meaning of the wish, the fields to fill in, and the way on.
#[component]
fn Form(
    deciding: Deciding,
    asked: RwSignal<Option<(Wish, Vec<Chosen>)>>,
    wish: Wish,
    summary: Summary,
    outbox: Outbox,
    typed: Typed,
) -> impl IntoView {
    let area = deciding.area;
    let Summary {
        able,
        lines,
        anyway,
        commands,
    } = summary;
    let (sessions, number) = (able.clone(), able.len());
    let done = Callback::new(move |()| {
        let (sessions, study) = (sessions.clone(), deciding.study.get_value());
        let deed = match wish {
            Wish::Tell(kind) => match typed.deed(kind, anyway) {
                Ok(deed) => Some(deed),
                Err(words) => {
                    area.problem.set(Some(words));
                    return;
                }
            },
            Wish::Pay => None,
        };
        let payment = PaymentRequest {
            amount: None,
            reference: typed.transfer.get_untracked(),
        };
        area.attempt(async move {
            let (done, outcome) = match deed {
                Some(deed) => {
                    let path = |id: &SessionId| routes::research_decisions(&study, id);
                    deciding
                        .each::<_, DecisionMade>(&sessions, path, &deed)
                        .await
                }
                None => {
                    let path = |id: &SessionId| routes::research_payments(&study, id);
                    deciding
                        .each::<_, PaymentNoted>(&sessions, path, &payment)
                        .await
                }
            };
            if outcome.is_ok() {
                asked.set(None);
                typed.clear();
            }
            if done > 0 {
                deciding.done(done_in_words(wish, done, sessions.len() as u64));
            }
            outcome
        });
    });
    let lines: Vec<_> = lines
        .into_iter()
        .map(|line| view! { <p>{line}</p> })
        .collect();
    let commands = (!commands.is_empty()).then(|| {
        view! {
            <div class="area-command" tabindex="0" role="region" aria-label=text().deeds.commands() data-testid="commands">
                <pre>{commands.join("\n")}</pre>
            </div>
        }
    });
    let fields = match wish {
        _ if number == 0 => None,
        Wish::Tell(DeedKind::Approve) => None,
        Wish::Tell(DeedKind::Reject) => {
            let too_fast = able.iter().all(|id| outbox.too_fast.contains(id));
            Some(view! { <RejectFields typed too_fast/> }.into_any())
        }
        Wish::Tell(DeedKind::AskReturn) => Some(view! { <ReturnFields typed done/> }.into_any()),
        Wish::Tell(DeedKind::Bonus) => Some(view! { <BonusFields typed done/> }.into_any()),
        Wish::Pay => Some(view! { <PayFields typed done/> }.into_any()),
    };
    let words = &text().deeds;
    let verb = match wish {
        Wish::Tell(DeedKind::Approve) if anyway => words.approve_anyway(),
        Wish::Tell(DeedKind::Approve) => words.approve(),
        Wish::Tell(DeedKind::Reject) => words.reject(),
        Wish::Tell(DeedKind::AskReturn) => words.ask_return(),
        Wish::Tell(DeedKind::Bonus) => words.bonus(),
        Wish::Pay => words.pay(),
    };
    let is_rejection = wish == Wish::Tell(DeedKind::Reject);
    let offers_return = is_rejection && outbox.platforms.iter().any(|it| it.name == "prolific");
    let instead = (number > 0 && offers_return).then(|| {
        let to_return = move |()| {
            asked.update(|asked| {
                if let Some((wish, _)) = asked {
                    *wish = Wish::Tell(DeedKind::AskReturn);
                }
            });
        };
        view! {
            <Press testid="return-instead" class="button" on_press=Callback::new(to_return)>{text().deeds.return_instead()}</Press>
        }
    });
    let go = (number > 0).then(|| view! { <Press testid="wish-yes" on_press=done>{verb}</Press> });
    view! {
        <div class="note" data-testid="wish">
            {lines}
            {commands}
            {fields}
            <p class="actions">
                {go}
                {instead}
                <Press testid="wish-no" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>{text().deeds.leave()}</Press>
            </p>
        </div>
    }
}

/// The deeds that were done, of those that were to be done.
fn done_in_words(wish: Wish, done: u64, all: u64) -> String {
    let words = &text().deeds;
    let sessions = text().counted.sessions(all);
    match wish {
        Wish::Tell(_) if done == all => words.told(sessions),
        Wish::Tell(_) => words.told_some(done, sessions),
        Wish::Pay if done == all => words.noted(sessions),
        Wish::Pay => words.noted_some(done, sessions),
    }
}
