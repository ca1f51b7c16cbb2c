//! The app: which screen is on display, and what its callbacks do.
//!
//! Longer than most files: one match from what is to be shown to its screen, with what each screen is given.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use domain::device::DeviceReport;
use domain::event::Event;
use domain::plan::PartPlan;
use domain::session::Session;
use frontend::runtime::engine::Engine;
use frontend::runtime::host::Host;
use frontend::runtime::page::{self, PageEvent};
use frontend::runtime::store::DraftOf;
use frontend::runtime::{device, gestures, language, modality};
use frontend::state::{Arrival, Missing, SaveState, Screen};
use frontend::task::{self, StageFacts, StageIntroScreen, TutorialParts, screens};
use frontend::text::text;
use frontend::ui::form::answers::Drafts;
use frontend::ui::form::questionnaire::{Again, PageTime, QuestionnaireScreen};
use frontend::ui::parts::Remount;
use frontend::ui::shell::Shell;
use frontend::ui::sound::SoundSign;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::context::Context;
use crate::opening;
use crate::route::Route;
use crate::screens::between::{
    AwaitingScreen, BreakScreen, EndedEarlyScreen, InstructionsScreen, PausedScreen, TimeUpScreen,
};
use crate::screens::complete::CompleteScreen;
use crate::screens::device::DeviceScreen;
use crate::screens::home::HomeScreen;
use crate::screens::microphone::{MicrophoneScreen, Trial};
use crate::screens::notice::{
    DeclinedScreen, ErrorScreen, LoadingScreen, LostScreen, OtherTabScreen,
};
use crate::screens::study::StudyScreen;
use crate::screens::withdraw::{WithdrawScreen, WithdrawnScreen};

/// Opens what an address leads to, from the beginning.
///
/// `take_over` takes a session from another tab that has it.
fn open(route: Route, context: Context, take_over: bool) {
    context.set_host(None);
    context.app.show(Screen::Opening);
    match route {
        Route::Home => spawn_local(opening::open_home(context)),
        Route::Study(id) => spawn_local(opening::open_study(context, id, take_over)),
        Route::Unknown => spawn_local(async move {
            language::speak_browsers(context.app).await;
            let message = text().runtime.unknown_page().to_owned();
            context.app.show(Screen::Problem(message));
        }),
    }
}

/// The app.
#[component]
pub fn App(
    /// The way to the decoder module.
    engine: Engine,
) -> impl IntoView {
    let context = Context::new(engine);
    open(Route::current(), context, false);
    modality::listen();
    gestures::listen();
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
    // In another language every word on the page is another one.
    let language: Signal<String> = context.app.language.into();
    view! { <Remount of=language children=move |_| page_view(context)/> }
}

fn page_view(context: Context) -> AnyView {
    let on_stop = Callback::new(move |()| opening::ask_to_stop(context));
    let can_stop = Signal::derive(move || {
        let asked_already = matches!(
            context.app.screen.get(),
            Screen::Withdraw | Screen::Withdrawn { .. } | Screen::OtherTab | Screen::Problem(_)
        );
        let can = |host: Rc<Host>| host.read(|session| session.can_withdraw(true));
        !asked_already && context.host().is_some_and(can)
    });
    let on_talk = context.callback(|host, on| host.talk(on));
    let press_to_talk = Signal::derive(move || {
        // Whether there is a session follows from what is recorded.
        context.app.sound.track();
        let press = |host: Rc<Host>| {
            host.read(|session| session.recording().is_some_and(|it| it.press_to_talk))
        };
        context.host().is_some_and(press)
    });
    let sound =
        view! { <SoundSign sound=context.app.sound.into() press_to_talk on_talk/> }.into_any();
    view! {
        <Shell sound can_stop on_stop save=context.app.save.into() keeping=context.app.keeping.into() title=context.app.title.into() contact=context.app.contact.into() progress=context.app.progress.into() time_left=context.app.time_left.into()>
            <Remount of=context.app.screen.into() children=move |screen| screen_view(context, screen)/>
        </Shell>
    }
    .into_any()
}

fn screen_view(context: Context, screen: Screen) -> AnyView {
    let open_again = Callback::new(move |()| open(Route::current(), context, false));
    let take_over = Callback::new(move |()| open(Route::current(), context, true));
    match screen {
        Screen::Opening => {
            let arrival = Signal::stored(Arrival::default());
            view! { <LoadingScreen arrival error=context.app.error.into() on_retry=open_again/> }
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
            let on_start = Callback::new(move |consented| {
                spawn_local(opening::start(context, study.clone(), consented));
            });
            let again = context
                .host()
                .is_some_and(|host| host.read(|session| session.consented().is_some()));
            let on_decline = Callback::new(move |()| opening::decline(context));
            view! {
                <StudyScreen info again keeping=context.app.keeping.into() starting=context.app.starting.into() error=context.app.error.into() on_start on_decline/>
            }
            .into_any()
        }
        Screen::Declined => {
            view! { <DeclinedScreen way_back=context.app.way_back.into()/> }.into_any()
        }
        Screen::Withdraw => withdraw_view(context).into_any(),
        Screen::Withdrawn { erase } => {
            // After a reload nothing is under way any more.
            let waits = Signal::derive(move || {
                let save = context.app.save.get();
                erase && save.is_some_and(|save| save != SaveState::Saved)
            });
            let code = context.app.code.into();
            view! { <WithdrawnScreen erase waits code way_back=context.app.way_back.into()/> }
                .into_any()
        }
        Screen::Lost { study, file } => {
            let on_again = Callback::new(move |()| {
                let study = study.clone();
                spawn_local(async move { opening::begin_anew(context, &study).await });
            });
            view! { <LostScreen file on_again/> }.into_any()
        }
        Screen::OtherTab => view! { <OtherTabScreen on_take_over=take_over/> }.into_any(),
        Screen::Complete => complete_view(context),
        Screen::Loading(missing) => loading_view(context, missing),
        Screen::Instructions { part } => instructions_view(context, part).into_any(),
        Screen::Tutorial { part } => tutorial_view(context, part).into_any(),
        Screen::StageIntro { stage } => stage_intro_view(context, stage).into_any(),
        Screen::Question(at) => task::question_view(context.session, at).into_any(),
        Screen::Questionnaire { part } => questionnaire_view(context, part).into_any(),
        Screen::TimeUp { stage } => {
            let on_done = context.callback(move |host, ()| host.act(Event::StageLeft { stage }));
            view! { <TimeUpScreen on_done/> }.into_any()
        }
        Screen::Microphone => microphone_view(context).into_any(),
        Screen::Paused => view! { <PausedScreen/> }.into_any(),
        Screen::Break { part } => break_view(context, part).into_any(),
        Screen::AwaitingVerdicts => {
            let offline =
                Signal::derive(move || context.app.save.get() == Some(SaveState::Offline));
            view! { <AwaitingScreen offline/> }.into_any()
        }
        Screen::DeviceCheck { part } => device_view(context, part).into_any(),
        Screen::DeviceUnfit => {
            let words = &text().device;
            ended_early(context, "device-unfit", words.over(), words.over_body())
        }
        Screen::ScreenedOut => {
            let words = &text().screened_out;
            ended_early(context, "screened-out", words.heading(), words.body())
        }
    }
}

fn ended_early(
    context: Context,
    name: &'static str,
    heading: &'static str,
    body: &'static str,
) -> AnyView {
    let saved = Signal::derive(move || context.app.save.get() == Some(SaveState::Saved));
    view! { <EndedEarlyScreen name heading body saved way_back=context.app.way_back.into()/> }
        .into_any()
}

/// Looks at the device as soon as the screen is there. One that fits goes on by itself; of one that
/// does not, nothing is logged before the participant has had the chance to look again.
fn device_view(context: Context, part: usize) -> Option<impl IntoView> {
    let host = context.host()?;
    let needs = host.read(|session| session.device_needs(part))?;
    let model = host.checked_model(part);
    let decoder = match &model {
        Some(facts) => Some(host.decoders().get(facts)?),
        None => None,
    };
    let parts = StoredValue::new_local((model, decoder));
    let found = RwSignal::new(None::<DeviceReport>);
    let look = move || {
        found.set(None);
        spawn_local(async move {
            let (model, decoder) = parts.get_value();
            let device = device::look(model.as_ref().zip(decoder.as_ref())).await;
            // The screen may be gone by now.
            if found.try_set(Some(device)).is_none() && needs.faults(&device).is_empty() {
                done(context, part, device);
            }
        });
    };
    look();
    let faults = Signal::derive(move || {
        let faults = found.get().map(|device| needs.faults(&device));
        faults.filter(|faults| !faults.is_empty())
    });
    let on_again = Callback::new(move |()| look());
    let on_stop = Callback::new(move |()| {
        if let Some(device) = found.get_untracked() {
            done(context, part, device);
        }
    });
    Some(view! { <DeviceScreen faults on_again on_stop/> })
}

fn done(context: Context, part: usize, device: DeviceReport) {
    if let Some(host) = context.host() {
        host.act(Event::DeviceChecked { part, device });
    }
}

fn microphone_view(context: Context) -> Option<impl IntoView> {
    let recording = context.host()?.read(Session::recording)?;
    let trial = RwSignal::new(Trial::Asked);
    let level = Signal::derive(move || context.host().map_or(0.0, |host| host.microphone_level()));
    let on_try = Callback::new(move |()| {
        trial.set(Trial::Opening);
        spawn_local(async move {
            let Some(host) = context.host() else {
                return;
            };
            match host.open_microphone().await {
                Ok(()) => trial.set(Trial::Open),
                Err(why) => {
                    leptos::logging::warn!("no microphone: {why}");
                    trial.set(Trial::Refused);
                }
            }
        });
    });
    let on_answer = context.callback(|host, agreed| host.answer_recording(agreed));
    Some(view! { <MicrophoneScreen recording trial level on_try on_answer/> })
}

fn withdraw_view(context: Context) -> impl IntoView {
    let at_end = context
        .host()
        .is_some_and(|host| host.read(|session| session.phase().is_end()));
    let failed = RwSignal::new(false);
    let on_go_on = Callback::new(move |()| opening::go_on(context));
    let on_stop = Callback::new(move |erase| {
        let Some(host) = context.host() else {
            return;
        };
        if !at_end {
            host.act(Event::Withdrew { erase });
            return;
        }
        failed.set(false);
        spawn_local(async move { failed.set(!host.erase_after_the_end().await) });
    });
    view! { <WithdrawScreen at_end failed=failed.into() on_go_on on_stop/> }
}

fn loading_view(context: Context, missing: Missing) -> AnyView {
    let models = move || context.host().map(|host| host.decoders().clone());
    let instances = move || context.host().map(|host| host.instances().clone());
    let on_retry = context.callback(|host, ()| {
        host.decoders().retry_now();
        host.instances().retry_now();
    });
    let (arrival, error) = match missing {
        Missing::Model(sha256) => (
            Signal::derive(move || {
                models()
                    .and_then(|it| it.arrival(&sha256))
                    .unwrap_or_default()
            }),
            Signal::derive(move || models()?.error()),
        ),
        Missing::Instance => (
            Signal::stored(Arrival::default()),
            Signal::derive(move || instances()?.error()),
        ),
    };
    view! { <LoadingScreen arrival error on_retry/> }.into_any()
}

fn instructions_view(context: Context, part: usize) -> Option<impl IntoView> {
    let (title, html, at_least_s) =
        context
            .host()?
            .read(|session| match session.plan().parts.get(part) {
                Some(PartPlan::Instructions {
                    title,
                    html,
                    at_least_s,
                    ..
                }) => Some((title.clone(), html.clone(), *at_least_s)),
                _ => None,
            })?;
    let on_done = context.callback(move |host, ()| host.act(Event::InstructionsRead { part }));
    Some(view! { <InstructionsScreen title html at_least_s on_done/> })
}

fn tutorial_view(context: Context, part: usize) -> Option<impl IntoView> {
    let host = context.host()?;
    let (task, facts) = host.read(|session| match session.plan().parts.get(part) {
        Some(PartPlan::Tutorial { task, model }) => Some((*task, model.clone())),
        _ => None,
    })?;
    let stage = host.read(|session| {
        let mut stages = session.plan().stages.iter().map(|stage| &stage.task);
        stages.find(|plan| plan.task() == task).cloned()
    });
    let decode = StoredValue::new_local(host.decoders().get(&facts)?);
    let draft = DraftOf::Part(part);
    let first = host.draft(draft).and_then(|step| step.parse().ok());
    let on_step = context.callback(move |host, step: usize| {
        host.keep_draft(draft, &step.to_string());
    });
    let on_done = context.callback(move |host, ()| {
        host.act(Event::TutorialFinished);
        host.drop_draft(draft);
    });
    Some(screens(task).tutorial(TutorialParts {
        facts: Arc::new(facts),
        decode,
        stage,
        keeping: context.app.keeping.get_untracked(),
        first: first.unwrap_or_default(),
        on_step,
        on_done,
    }))
}

fn stage_intro_view(context: Context, stage: usize) -> Option<impl IntoView> {
    let host = context.host()?;
    let plan = host.stage(stage)?.clone();
    let facts = host.read(|session| StageFacts::of(&session.plan().stages, stage))?;
    let intro = screens(plan.task.task()).intro(&facts, &plan.task);
    let on_begin = context.callback(move |host, ()| host.act(Event::StageStarted { stage }));
    Some(view! { <StageIntroScreen stage=facts intro on_begin/> })
}

fn questionnaire_view(context: Context, part: usize) -> Option<impl IntoView> {
    let host = context.host()?;
    let questionnaire = host.read(|session| session.questionnaire().cloned())?;
    let draft = DraftOf::Part(part);
    let drafts = host.draft(draft).as_deref().map(Drafts::parse);
    let before = || {
        let answered = |session: &Session| Some(session.answered_before()?.answers.clone());
        host.read(answered).as_ref().map(Drafts::of_answers)
    };
    let drafts = drafts.or_else(before).unwrap_or_default();
    let again = host.read(|session| {
        let attempts = questionnaire.attempts?;
        let before = session.attempts_of(part);
        (before > 0).then(|| Again {
            attempt: before + 1,
            attempts,
            wrong: session.wrong_before().to_vec(),
        })
    });
    let on_draft = context.callback(move |host, drafts: Drafts| {
        host.keep_draft(draft, &drafts.text());
    });
    let name = StoredValue::new(questionnaire.id.clone());
    let hand_in = move |host: &Host, answers, time_over| {
        host.act(Event::QuestionnaireAnswered {
            questionnaire: name.get_value(),
            answers,
            time_over,
        });
        host.drop_draft(draft);
    };
    let on_submit = context.callback(move |host, answers| hand_in(host, answers, false));
    let on_back = host
        .read(Session::way_back)
        .map(|part| context.callback(move |host, ()| host.act(Event::WentBack { part })));
    let time = questionnaire.time_limit.map(|limit| PageTime {
        left_s: time_left(context),
        limit,
        on_more: context.callback(move |host, ()| host.act(Event::MoreTimeTaken { part })),
        on_over: context.callback(move |host, answers| hand_in(host, answers, true)),
    });
    Some(view! {
        <QuestionnaireScreen questionnaire drafts again on_draft on_submit on_back time/>
    })
}

/// Seconds that are left for the page on screen, looked at twice a second.
fn time_left(context: Context) -> Signal<f64> {
    let left = move || context.host().and_then(|host| host.time_left_s());
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

fn break_view(context: Context, part: usize) -> Option<impl IntoView> {
    let at_least_s = context
        .host()?
        .read(|session| match session.plan().parts.get(part) {
            Some(PartPlan::Break { at_least_s, .. }) => Some(*at_least_s),
            _ => None,
        })?;
    let on_done = context.callback(move |host, ()| host.act(Event::BreakEnded { part }));
    Some(view! { <BreakScreen at_least_s on_done/> })
}

fn complete_view(context: Context) -> AnyView {
    let on_retry = context.callback(|host, ()| host.retry());
    let on_next_person = Callback::new(move |()| {
        if let Route::Study(study) = Route::current() {
            spawn_local(async move { opening::open_first_page(context, &study).await });
        }
    });
    let ending = context.app.ending.get_untracked();
    let claim = context
        .host()
        .map(|host| host.read(|session| session.plan().session.claim_number()));
    view! { <CompleteScreen claim code=context.app.code.into() keeping=context.app.keeping.into() way_back=context.app.way_back.into() ending on_retry on_next_person/> }
        .into_any()
}
