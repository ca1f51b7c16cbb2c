//! The app: which screen is on display, and what its callbacks do.

use std::sync::Arc;

use domain::event::{Event, QuestionRef};
use domain::plan::StagePlan;
use domain::session::Session;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::runtime::boot;
use crate::runtime::decoders::TUTORIAL_MODEL;
use crate::runtime::engine::Engine;
use crate::runtime::host::Host;
use crate::runtime::page::{self, PageEvent};
use crate::runtime::ui::{Screen, Ui};
use crate::text::text;
use crate::view::{
    Anew, CompleteScreen, DeclinedScreen, ErrorScreen, Footer, HomeScreen, LoadingScreen,
    OtherTabScreen, QuestionScreen, QuestionView, QuestionnaireScreen, Shell, StageIntroScreen,
    StudyScreen, TutorialScreen,
};

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The list of studies.
    Home,
    /// A study, by its id.
    Study(String),
    /// Nowhere.
    Unknown,
}

impl Route {
    /// Reads the path of an address.
    #[must_use]
    pub fn from_path(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[..] {
            [] => Self::Home,
            ["study", id]
                if id
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') =>
            {
                Self::Study(id.to_owned())
            }
            _ => Self::Unknown,
        }
    }

    fn current() -> Self {
        let path = page::window().and_then(|window| window.location().pathname().ok());
        Self::from_path(&path.unwrap_or_default())
    }

    /// Opens what the address leads to, from the beginning.
    fn open(self, ui: Ui) {
        ui.set_host(None);
        ui.show(Screen::Opening);
        match self {
            Self::Home => spawn_local(boot::open_home(ui)),
            Self::Study(id) => spawn_local(boot::open_study(ui, id)),
            Self::Unknown => ui.show(Screen::Problem(text().runtime.unknown_page().to_owned())),
        }
    }
}

/// The app.
#[component]
pub fn App(
    /// The way to the decoder module.
    engine: Engine,
) -> impl IntoView {
    let ui = Ui::new(engine);
    Route::current().open(ui);
    page::listen(move |event| {
        if let Some(host) = ui.host() {
            match event {
                PageEvent::Hidden => host.hide(),
                PageEvent::Shown => host.show(),
                PageEvent::NetworkUp => host.network(true),
                PageEvent::NetworkDown => host.network(false),
            }
        }
    });
    view! {
        <Shell save=ui.save.into() title=ui.title.into()>
            <Anew of=ui.screen.into() children=move |screen| screen_view(ui, screen)/>
        </Shell>
    }
}

/// A callback that tells the session under way something; nothing without one.
fn telling<T: 'static>(ui: Ui, tell: impl Fn(&Host, T) + Send + Sync + 'static) -> Callback<T> {
    Callback::new(move |said| {
        if let Some(host) = ui.host() {
            tell(&host, said);
        }
    })
}

fn screen_view(ui: Ui, screen: Screen) -> AnyView {
    let open_again = Callback::new(move |()| Route::current().open(ui));
    match screen {
        Screen::Opening => {
            let fraction = Signal::derive(|| None);
            view! { <LoadingScreen fraction error=ui.error.into() on_retry=open_again/> }.into_any()
        }
        Screen::Problem(message) => {
            // Without a session there is nothing that loading again could bring back.
            let again = ui.host().map(|_| {
                view! {
                    <p class="actions">
                        <a class="button primary" href="">{text().runtime.reload()}</a>
                    </p>
                }
            });
            view! { <ErrorScreen message/> {again} }.into_any()
        }
        Screen::Home(studies) => view! { <HomeScreen studies/> }.into_any(),
        Screen::Study(info) => {
            let study = info.clone();
            let on_start = Callback::new(move |()| spawn_local(boot::start(ui, study.clone())));
            let on_decline = Callback::new(move |()| boot::decline(ui));
            view! {
                <StudyScreen info starting=ui.starting.into() error=ui.error.into() on_start on_decline/>
            }
            .into_any()
        }
        Screen::Declined => view! { <DeclinedScreen/> }.into_any(),
        Screen::OtherTab => view! { <OtherTabScreen on_retry=open_again/> }.into_any(),
        Screen::Complete => complete_view(ui),
        Screen::Loading { model } => loading_view(ui, model),
        Screen::Tutorial => {
            let Some(ready) = ui
                .host()
                .and_then(|host| host.decoders().get(TUTORIAL_MODEL))
            else {
                return ().into_any();
            };
            let decode = StoredValue::new_local(ready.decode);
            let on_done = telling(ui, |host, ()| host.act(Event::TutorialFinished));
            view! { <TutorialScreen facts=ready.facts decode on_done/> }.into_any()
        }
        Screen::StageIntro { stage } => ui
            .host()
            .and_then(|host| stage_intro_view(ui, &host, stage))
            .into_any(),
        Screen::Question(at) => ui
            .host()
            .and_then(|host| question_view(ui, &host, at))
            .map(|q| view! { <QuestionScreen q/> })
            .into_any(),
        Screen::Questionnaire { .. } => {
            let asked = ui
                .host()
                .and_then(|host| host.read(|session| session.questionnaire().cloned()));
            asked
                .map(|questionnaire| {
                    let name = questionnaire.id.clone();
                    let on_submit = telling(ui, move |host, answers| {
                        host.act(Event::QuestionnaireAnswered {
                            questionnaire: name.clone(),
                            answers,
                        });
                    });
                    view! { <QuestionnaireScreen questionnaire on_submit/> }
                })
                .into_any()
        }
    }
}

fn loading_view(ui: Ui, model: String) -> AnyView {
    let decoders = move || ui.host().map(|host| host.decoders().clone());
    let fraction = Signal::derive(move || decoders()?.progress(&model));
    let error = Signal::derive(move || decoders()?.error());
    let on_retry = telling(ui, |host, ()| host.decoders().hurry());
    view! { <LoadingScreen fraction error on_retry/> }.into_any()
}

fn complete_view(ui: Ui) -> AnyView {
    let on_retry = telling(ui, |host, ()| host.retry());
    let has_code = move || {
        ui.code
            .with(|code| matches!(code, crate::view::CodeState::Ready(_)))
    };
    let start_again = move |_| {
        if let Route::Study(study) = Route::current() {
            spawn_local(async move { boot::open_first_page(ui, &study).await });
        }
    };
    view! {
        <CompleteScreen code=ui.code.into() records=ui.records.get_untracked() on_retry/>
        {move || has_code().then(|| view! {
            <p class="aside">
                <button type="button" class="button quiet" data-testid="start-again" on:click=start_again>
                    {text().complete.again()}
                </button>
            </p>
        })}
    }
    .into_any()
}

fn stage_intro_view(ui: Ui, host: &Host, stage: usize) -> Option<impl IntoView + use<>> {
    let plan = Arc::clone(host.stage(stage)?);
    let (number, count) = host.read(|session| stage_number(&session.plan().stages, stage));
    let on_begin = telling(ui, move |host, ()| host.act(Event::StageStarted { stage }));
    Some(view! {
        <StageIntroScreen
            number
            count
            practice=plan.practice
            first={number == 1}
            questions=plan.questions.len()
            on_begin
        />
    })
}

fn question_view(ui: Ui, host: &Host, at: QuestionRef) -> Option<QuestionView> {
    let stage = Arc::clone(host.stage(at.stage)?);
    let (_, target, signals) = host
        .question()
        .filter(|(on_screen, _, _)| *on_screen == at)?;
    let (stage_number, stage_count) =
        host.read(|session| stage_number(&session.plan().stages, at.stage));
    let footer = Footer {
        stage_number,
        stage_count,
        question_number: at.question + 1,
        question_count: stage.questions.len(),
        practice: stage.practice,
        overall: host.read(Session::progress),
    };
    Some(QuestionView {
        at,
        stage,
        target,
        z: signals.z.into(),
        picture: signals.picture.into(),
        alignment: signals.alignment.into(),
        locked: signals.locked.into(),
        can_skip: signals.can_skip.into(),
        arrangement: signals.arrangement.into(),
        dial_names: signals.dial_names.into(),
        on_input: telling(ui, |host, (dimension, value)| {
            host.on_input(dimension, value)
        }),
        on_switch: telling(ui, |host, arrangement| host.on_switch(arrangement)),
        on_rename: telling(ui, |host, (dimension, name)| {
            host.on_rename(dimension, name)
        }),
        on_activity: telling(ui, |host, ()| host.on_activity()),
        on_skip: telling(ui, |host, ()| host.on_skip()),
        on_move_on: telling(ui, |host, ()| host.act(Event::MovedOn)),
        footer,
    })
}

/// Number of a stage from 1 and how many there are, practice counted in neither.
fn stage_number(stages: &[StagePlan], index: usize) -> (usize, usize) {
    let real = |stages: &[StagePlan]| stages.iter().filter(|stage| !stage.practice).count();
    let upto = stages.get(..=index).map_or(0, real);
    (upto, real(stages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_where_they_say() {
        let study = |id: &str| Route::Study(id.to_owned());
        for (path, expected) in [
            ("/", Route::Home),
            ("", Route::Home),
            ("/study/quickstart", study("quickstart")),
            ("/study/sinelines-demo/", study("sinelines-demo")),
            ("/study", Route::Unknown),
            ("/study/a/b", Route::Unknown),
            ("/study/%2e%2e", Route::Unknown),
            ("/elsewhere", Route::Unknown),
        ] {
            assert_eq!(Route::from_path(path), expected, "{path}");
        }
    }
}
