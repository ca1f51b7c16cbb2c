//! The app: which screen is on display, and what its callbacks do.

use std::rc::Rc;

use domain::common::settings::Mode;
use domain::session::event::Event;
use frontend::runtime::current::TakenSession as _;
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::host::Host;
use frontend::runtime::page::{self, PageEvent};
use frontend::runtime::{gestures, language, modality, waiting_page};
use frontend::screens::between::EndedEarlyScreen;
use frontend::screens::complete::CompleteScreen;
use frontend::screens::device::device_check;
use frontend::screens::home::HomeScreen;
use frontend::screens::microphone::microphone;
use frontend::screens::notice::{
    DeclinedScreen, ErrorScreen, LoadingScreen, LostScreen, OtherTabScreen, loading,
};
use frontend::screens::study::StudyScreen;
use frontend::screens::under_way::under_way;
use frontend::screens::withdraw::{WithdrawScreen, WithdrawnScreen};
use frontend::state::{FetchProgress, SaveState, Screen};
use frontend::text::text;
use frontend::ui::parts::Remount;
use frontend::ui::presses;
use frontend::ui::shell::Shell;
use frontend::ui::sound::SoundSign;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::context::Context;
use crate::opening;
use crate::route::Route;

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
    /// Loads decoders.
    decoder_loader: DecoderLoader,
) -> impl IntoView {
    let context = Context::new(decoder_loader);
    open(Route::current(), context, false);
    presses::listen();
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
        <Shell sound can_stop on_stop save=context.app.save.into() keeping=context.app.keeping.into() title=context.app.title.into() contact=context.app.contact.into() progress=context.app.progress.into() whereabouts=context.app.whereabouts.into() time_left=context.app.time_left.into()>
            <Remount of=context.app.screen.into() children=move |screen| screen_view(context, screen)/>
        </Shell>
    }
    .into_any()
}

fn screen_view(context: Context, screen: Screen) -> AnyView {
    let open_again = Callback::new(move |()| open(Route::current(), context, false));
    let take_over = Callback::new(move |()| open(Route::current(), context, true));
    // A study's first page takes over itself what is being read.
    if !matches!(screen, Screen::Opening | Screen::Study(_)) {
        waiting_page::leave();
    }
    match screen {
        Screen::Opening => {
            let arrival = Signal::stored(FetchProgress::default());
            let error = context.app.error;
            Effect::new(move |_| {
                if error.with(Option::is_some) {
                    waiting_page::leave();
                }
            });
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
            let on_start = Callback::new(move |(consented, answers)| {
                spawn_local(opening::start(context, study.clone(), consented, answers));
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
                save.is_some_and(|save| save != SaveState::Saved)
            });
            let code = context.app.code.into();
            let mode = context
                .host()
                .map(|host| host.read(|session| session.plan().mode));
            let on_next_person = (mode == Some(Mode::Lab)).then(|| first_page(context));
            view! { <WithdrawnScreen erase waits code way_back=context.app.way_back.into() on_next_person/> }
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
        Screen::Loading(missing) => loading(context.session, missing),
        Screen::Microphone => microphone(context.session).into_any(),
        Screen::DeviceCheck { part } => device_check(context.session, part).into_any(),
        Screen::Instructions { .. }
        | Screen::Tutorial { .. }
        | Screen::StageIntro { .. }
        | Screen::Question(_)
        | Screen::Questionnaire { .. }
        | Screen::TimeUp { .. }
        | Screen::Paused
        | Screen::Break { .. }
        | Screen::AwaitingVerdicts => context
            .host()
            .and_then(|host| under_way(&*host, context.session, &screen))
            .into_any(),
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
    view! { <WithdrawScreen at_end contact=context.app.contact.get_untracked() failed=failed.into() on_go_on on_stop/> }
}

/// Opens the study's first page, for whoever comes next.
fn first_page(context: Context) -> Callback<()> {
    Callback::new(move |()| {
        if let Route::Study(study) = Route::current() {
            spawn_local(async move { opening::open_first_page(context, &study).await });
        }
    })
}

fn complete_view(context: Context) -> AnyView {
    let on_retry = context.callback(|host, ()| host.retry());
    let on_next_person = first_page(context);
    let ending = context.app.ending.get_untracked();
    let claim = context
        .host()
        .map(|host| host.read(|session| session.plan().session.claim_number()));
    view! { <CompleteScreen claim code=context.app.code.into() keeping=context.app.keeping.into() way_back=context.app.way_back.into() ending on_retry on_next_person/> }
        .into_any()
}
