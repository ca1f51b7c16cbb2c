//! The participant's screen, read-only and live.

use domain::plan::PartPlan;
use domain::session::Session;
use frontend::task::{self, StageFacts, StageIntroScreen, screens};
use frontend::ui::form::answers::Drafts;
use frontend::ui::form::questionnaire::QuestionnaireScreen;
use frontend::ui::parts::{Remount, whole_percent};
use leptos::prelude::*;

use crate::clock::clock;
use crate::context::Current;
use crate::followed::{Followed, OnScreen};

/// What the participant sees, as far as it is known.
#[component]
pub fn Mirror(
    /// The session that is followed.
    current: StoredValue<Current, LocalStorage>,
) -> impl IntoView {
    let shown = current.with_value(|current| current.followed.shown);
    let screen =
        move |screen: OnScreen| current.with_value(|current| on_screen(&current.followed, screen));
    let status = move || {
        if shown.ended.get() {
            "Ended"
        } else if shown.away.get() {
            "Page in the background or closed"
        } else if shown.paused.get() {
            "Paused"
        } else {
            "Live"
        }
    };
    let done = move || format!("{} % done", whole_percent(shown.progress.get()));
    let time = move || clock(shown.seconds.get() * 1_000);
    let left = move || {
        let minutes = shown.minutes_left.get()?;
        Some(format!("{minutes} min left in this stage"))
    };
    let broken = move || {
        let why = shown.broken.get()?;
        Some(view! { <p class="problem" role="alert">"This log cannot be followed: " {why}</p> })
    };
    view! {
        <section class="lab-mirror" aria-label="The participant's screen">
            <p class="lab-status">
                <span class="lab-live" data-testid="status" class:quiet=move || status() != "Live">
                    {status}
                </span>
                <time class="lab-time" data-testid="time">{time}</time>
                <span class="muted" data-testid="done">{done}</span>
                <span class="muted">{left}</span>
            </p>
            {broken}
            // Nothing here can be pressed or focused: it is the participant's.
            <div class="lab-frame" inert>
                <Remount of=shown.screen.into() children=screen mirrored=true/>
            </div>
        </section>
    }
}

fn on_screen(followed: &Followed, screen: OnScreen) -> AnyView {
    let known = match &screen {
        OnScreen::Words(_) => None,
        OnScreen::Question(at) => task::followed_question(followed, followed.plan(), *at),
        OnScreen::Intro(stage) => intro(followed, *stage),
        OnScreen::Questionnaire(part) => questionnaire(followed, *part),
    };
    known.unwrap_or_else(|| {
        let words = match screen {
            OnScreen::Words(words) => words,
            _ => "A screen that cannot be shown here".to_owned(),
        };
        view! { <p class="lab-words" data-testid="words">{words}</p> }.into_any()
    })
}

fn intro(followed: &Followed, stage: usize) -> Option<AnyView> {
    let plan = followed.plan();
    let facts = StageFacts::of(&plan.stages, stage)?;
    let task = &plan.stages.get(stage)?.task;
    let intro = screens(task.task()).intro(&facts, task);
    let on_begin = Callback::new(|()| {});
    Some(view! { <StageIntroScreen stage=facts intro on_begin/> }.into_any())
}

/// The form as it is asked; what is being filled in is known once it is handed in.
fn questionnaire(followed: &Followed, part: usize) -> Option<AnyView> {
    matches!(
        followed.plan().parts.get(part)?,
        PartPlan::Questionnaire { .. }
    )
    .then_some(())?;
    let questionnaire = followed.read(|session: &Session| session.questionnaire().cloned())?;
    let nothing = Callback::new(|_| {});
    let on_submit = Callback::new(|_| {});
    Some(
        view! {
            <QuestionnaireScreen
                questionnaire
                drafts=Drafts::default()
                again=None
                on_draft=nothing
                on_submit
                on_back=None
                time=None
            />
        }
        .into_any(),
    )
}
