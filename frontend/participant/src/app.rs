//! The app: which screen is on display, and what its callbacks do.

use std::sync::Arc;

use domain::event::{Event, QuestionRef};
use domain::plan::StagePlan;
use domain::session::Session;
use frontend::runtime::decoders::TUTORIAL_MODEL;
use frontend::runtime::engine::Engine;
use frontend::runtime::host::Host;
use frontend::runtime::page::{self, PageEvent};
use frontend::state::{CodeState, Screen};
use frontend::task::reconstruction::{QuestionScreen, QuestionView};
use frontend::task::tutorial::TutorialScreen;
use frontend::text::text;
use frontend::ui::form::questionnaire::QuestionnaireScreen;
use frontend::ui::parts::Remount;
use frontend::ui::progress::Place;
use frontend::ui::shell::Shell;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::context::Context;
use crate::opening;
use crate::route::Route;
use crate::screens::complete::CompleteScreen;
use crate::screens::home::HomeScreen;
use crate::screens::notice::{DeclinedScreen, ErrorScreen, LoadingScreen, OtherTabScreen};
use crate::screens::stage_intro::StageIntroScreen;
use crate::screens::study::StudyScreen;

/// Opens what an address leads to, from the beginning.
fn open(route: Route, context: Context) {
    context.set_host(None);
    context.app.show(Screen::Opening);
    match route {
        Route::Home => spawn_local(opening::open_home(context)),
        Route::Study(id) => spawn_local(opening::open_study(context, id)),
        Route::Unknown => {
            let message = text().runtime.unknown_page().to_owned();
            context.app.show(Screen::Problem(message));
        }
    }
}

/// The app.
#[component]
pub fn App(
    /// The way to the decoder module.
    engine: Engine,
) -> impl IntoView {
    let context = Context::new(engine);
    open(Route::current(), context);
    page::listen(move |event| {
        if let Some(host) = context.host() {
            match event {
                PageEvent::Hidden => host.hide(),
                PageEvent::Shown => host.show(),
                PageEvent::NetworkUp => host.network(true),
                PageEvent::NetworkDown => host.network(false),
            }
        }
    });
    view! {
        <Shell save=context.app.save.into() title=context.app.title.into()>
            <Remount of=context.app.screen.into() children=move |screen| screen_view(context, screen)/>
        </Shell>
    }
}

fn screen_view(context: Context, screen: Screen) -> AnyView {
    let open_again = Callback::new(move |()| open(Route::current(), context));
    match screen {
        Screen::Opening => {
            let fraction = Signal::derive(|| None);
            view! { <LoadingScreen fraction error=context.app.error.into() on_retry=open_again/> }
                .into_any()
        }
        Screen::Problem(message) => {
            // Without a session there is nothing that loading again could bring back.
            let again = context.host().map(|_| {
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
            let on_start =
                Callback::new(move |()| spawn_local(opening::start(context, study.clone())));
            let on_decline = Callback::new(move |()| opening::decline(context));
            view! {
                <StudyScreen info starting=context.app.starting.into() error=context.app.error.into() on_start on_decline/>
            }
            .into_any()
        }
        Screen::Declined => view! { <DeclinedScreen/> }.into_any(),
        Screen::OtherTab => view! { <OtherTabScreen on_retry=open_again/> }.into_any(),
        Screen::Complete => complete_view(context),
        Screen::Loading { model } => loading_view(context, model),
        Screen::Tutorial => {
            let Some(model) = context
                .host()
                .and_then(|host| host.decoders().get(TUTORIAL_MODEL))
            else {
                return ().into_any();
            };
            let decode = StoredValue::new_local(model.decode);
            let on_done = context.callback(|host, ()| host.act(Event::TutorialFinished));
            view! { <TutorialScreen facts=model.facts decode on_done/> }.into_any()
        }
        Screen::StageIntro { stage } => context
            .host()
            .and_then(|host| stage_intro_view(context, &host, stage))
            .into_any(),
        Screen::Question(at) => context
            .host()
            .and_then(|host| question_view(context, &host, at))
            .map(|q| view! { <QuestionScreen q/> })
            .into_any(),
        Screen::Questionnaire { .. } => {
            let asked = context
                .host()
                .and_then(|host| host.read(|session| session.questionnaire().cloned()));
            asked
                .map(|questionnaire| {
                    let name = questionnaire.id.clone();
                    let on_submit = context.callback(move |host, answers| {
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

fn loading_view(context: Context, model: String) -> AnyView {
    let decoders = move || context.host().map(|host| host.decoders().clone());
    let fraction = Signal::derive(move || decoders()?.progress(&model));
    let error = Signal::derive(move || decoders()?.error());
    let on_retry = context.callback(|host, ()| host.decoders().retry_now());
    view! { <LoadingScreen fraction error on_retry/> }.into_any()
}

fn complete_view(context: Context) -> AnyView {
    let on_retry = context.callback(|host, ()| host.retry());
    let has_code = move || {
        context
            .app
            .code
            .with(|code| matches!(code, CodeState::Ready(_)))
    };
    let start_again = move |_| {
        if let Route::Study(study) = Route::current() {
            spawn_local(async move { opening::open_first_page(context, &study).await });
        }
    };
    view! {
        <CompleteScreen code=context.app.code.into() records=context.app.records.get_untracked() on_retry/>
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

fn stage_intro_view(context: Context, host: &Host, stage: usize) -> Option<impl IntoView + use<>> {
    let plan = Arc::clone(host.stage(stage)?);
    let (number, count) = host.read(|session| stage_number(&session.plan().stages, stage));
    let on_begin = context.callback(move |host, ()| host.act(Event::StageStarted { stage }));
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

fn question_view(context: Context, host: &Host, at: QuestionRef) -> Option<QuestionView> {
    let stage = Arc::clone(host.stage(at.stage)?);
    let (_, target, signals) = host
        .question()
        .filter(|(on_screen, _, _)| *on_screen == at)?;
    let (stage_number, stage_count) =
        host.read(|session| stage_number(&session.plan().stages, at.stage));
    let place = Place {
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
        on_input: context.callback(|host, (dimension, value)| host.on_input(dimension, value)),
        on_switch: context.callback(|host, arrangement| host.on_switch(arrangement)),
        on_rename: context.callback(|host, (dimension, name)| host.on_rename(dimension, name)),
        on_skip: context.callback(|host, ()| host.on_skip()),
        on_move_on: context.callback(|host, ()| host.act(Event::MovedOn)),
        place,
    })
}

/// Number of a stage from 1 and how many there are, practice counted in neither.
fn stage_number(stages: &[StagePlan], index: usize) -> (usize, usize) {
    let real = |stages: &[StagePlan]| stages.iter().filter(|stage| !stage.practice).count();
    let upto = stages.get(..=index).map_or(0, real);
    (upto, real(stages))
}
