//! The screens between the first page and the end that follow from a session's plan and log alone.
//! The participant's page shows them, and so does a page that replays the session: there nobody is
//! told what is pressed.

use std::sync::Arc;
use std::time::Duration;

use domain::session::event::Event;
use domain::session::plan::PartPlan;
use leptos::prelude::*;

use super::between::{AwaitingScreen, BreakScreen, InstructionsScreen, PausedScreen, TimeUpScreen};
use crate::runtime::current::{CurrentSession, TakenSession};
use crate::runtime::store::DraftOf;
use crate::runtime::task::Displayed;
use crate::state::{Persistence, SaveState, Screen};
use crate::task::{self, StageFacts, StageIntroScreen, TutorialParts, screens};
use crate::ui::form::answers::Drafts;
use crate::ui::form::questionnaire::{LastAttempt, PageTime, QuestionnaireScreen};

/// The screen of a session where it stands on `display`; none for other screens, and where the session
/// has left it. Actions on it are told to `session`.
#[must_use]
pub fn under_way(
    display: &dyn Displayed,
    session: CurrentSession,
    screen: &Screen,
) -> Option<AnyView> {
    match *screen {
        Screen::Instructions { part } => instructions(display, session, part),
        Screen::Tutorial { part } => tutorial(display, session, part),
        Screen::StageIntro { stage } => stage_intro(display, session, stage),
        Screen::Question(at) => task::question_view(display, session, at),
        Screen::TimeUp { stage } => {
            let on_done = session.callback(move |taken, ()| taken.act(Event::StageLeft { stage }));
            let (save, keeping) = saving(display);
            Some(view! { <TimeUpScreen save keeping on_done/> }.into_any())
        }
        Screen::Questionnaire { part } => questionnaire(display, session, part),
        Screen::Paused => Some(view! { <PausedScreen/> }.into_any()),
        Screen::Break { part } => rest(display, session, part),
        Screen::AwaitingVerdicts => {
            let save = display.app().save;
            let offline = Signal::derive(move || save.get() == Some(SaveState::Offline));
            Some(view! { <AwaitingScreen offline/> }.into_any())
        }
        _ => None,
    }
}

fn instructions(display: &dyn Displayed, session: CurrentSession, part: usize) -> Option<AnyView> {
    let (title, html, at_least_s) = match display.session().plan().parts.get(part)? {
        PartPlan::Instructions {
            title,
            html,
            at_least_s,
            ..
        } => (title.clone(), html.clone(), *at_least_s),
        _ => return None,
    };
    let on_done = session.callback(move |taken, ()| taken.act(Event::InstructionsRead { part }));
    Some(view! { <InstructionsScreen title html at_least_s on_done/> }.into_any())
}

fn tutorial(display: &dyn Displayed, session: CurrentSession, part: usize) -> Option<AnyView> {
    let plan = display.session().shared_plan();
    let (task, facts) = match plan.parts.get(part)? {
        PartPlan::Tutorial { task, model } => (*task, model.clone()),
        _ => return None,
    };
    let mut stages = plan.stages.iter().map(|stage| &stage.task);
    let stage = stages.find(|plan| plan.task() == task).cloned();
    let decode = StoredValue::new_local(display.decoders().get(&facts)?);
    let draft = DraftOf::Part(part);
    let first = display.draft(draft).and_then(|step| step.parse().ok());
    let on_step = session.callback(move |taken, step: usize| {
        taken.keep_draft(draft, &step.to_string());
    });
    let on_done = session.callback(move |taken, ()| {
        taken.act(Event::TutorialFinished);
        taken.drop_draft(draft);
    });
    Some(screens(task).tutorial(TutorialParts {
        facts: Arc::new(facts),
        decode,
        stage,
        keeping: display.app().keeping.get_untracked(),
        first: first.unwrap_or_default(),
        on_step,
        on_done,
    }))
}

fn stage_intro(display: &dyn Displayed, session: CurrentSession, stage: usize) -> Option<AnyView> {
    let plan = display.session().shared_plan();
    let task = &plan.stages.get(stage)?.task;
    let facts = StageFacts::of(&display.session(), stage)?;
    let intro = screens(task.task()).intro(&facts, task);
    let on_begin = session.callback(move |taken, ()| taken.act(Event::StageStarted { stage }));
    let minutes_left = display.session().minutes_left();
    let picture = screens(task.task()).preview(task, display.decoders());
    Some(view! { <StageIntroScreen stage=facts intro minutes_left picture on_begin/> }.into_any())
}

fn questionnaire(display: &dyn Displayed, session: CurrentSession, part: usize) -> Option<AnyView> {
    let draft = DraftOf::Part(part);
    let drafts = display.draft(draft).as_deref().map(Drafts::parse);
    let shown = display.session();
    let questionnaire = shown.questionnaire()?.clone();
    let before = || Some(Drafts::of_answers(&shown.answered_before()?.answers));
    let drafts = drafts.or_else(before).unwrap_or_default();
    let again = questionnaire.attempts.and_then(|attempts| {
        let before = shown.attempts_of(part);
        (before > 0).then(|| LastAttempt {
            attempt: before + 1,
            attempts,
            wrong: shown.wrong_before().to_vec(),
        })
    });
    let way_back = shown.way_back();
    drop(shown);
    let on_draft = session.callback(move |taken, drafts: Drafts| {
        taken.keep_draft(draft, &drafts.text());
    });
    let name = StoredValue::new(questionnaire.id.clone());
    let hand_in = move |taken: &dyn TakenSession, answers, time_over| {
        taken.act(Event::QuestionnaireAnswered {
            questionnaire: name.get_value(),
            answers,
            time_over,
        });
        taken.drop_draft(draft);
    };
    let on_submit = session.callback(move |taken, answers| hand_in(taken, answers, false));
    let on_back =
        way_back.map(|part| session.callback(move |taken, ()| taken.act(Event::WentBack { part })));
    // Time runs on the participant's page alone.
    let limit = questionnaire.time_limit.filter(|_| session.get().is_some());
    let time = limit.map(|limit| PageTime {
        left_s: time_left(session),
        limit,
        on_more: session.callback(move |taken, ()| taken.act(Event::MoreTimeTaken { part })),
        on_over: session.callback(move |taken, answers| hand_in(taken, answers, true)),
    });
    let view = view! {
        <QuestionnaireScreen questionnaire drafts again on_draft on_submit on_back time/>
    };
    Some(view.into_any())
}

/// Seconds that are left for the page on screen, looked at twice a second.
fn time_left(session: CurrentSession) -> Signal<f64> {
    let left = move || session.get().and_then(|taken| taken.time_left_s());
    let left_s = RwSignal::new(left().unwrap_or(f64::INFINITY));
    let look = move || {
        if let Some(left) = left() {
            left_s.set(left);
        }
    };
    let ticks = set_interval_with_handle(look, Duration::from_millis(500));
    on_cleanup(move || {
        if let Ok(ticks) = ticks {
            ticks.clear();
        }
    });
    left_s.into()
}

fn rest(display: &dyn Displayed, session: CurrentSession, part: usize) -> Option<AnyView> {
    let at_least_s = match display.session().plan().parts.get(part)? {
        PartPlan::Break { at_least_s, .. } => *at_least_s,
        _ => return None,
    };
    let on_done = session.callback(move |taken, ()| taken.act(Event::BreakEnded { part }));
    let (save, keeping) = saving(display);
    Some(view! { <BreakScreen at_least_s save keeping on_done/> }.into_any())
}

/// Whether the work is saved, and what the browser keeps of it.
fn saving(display: &dyn Displayed) -> (Signal<Option<SaveState>>, Persistence) {
    let app = display.app();
    (app.save.into(), app.keeping.get_untracked())
}
