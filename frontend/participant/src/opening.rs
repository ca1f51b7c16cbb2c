//! Opening the app: which screen an address leads to, and how a session is started or resumed.

use std::rc::Rc;

use api::{Admission, ErrorCode, StartRequest, StudyInfo};
use domain::common::language::ENGLISH;
use domain::design::Levels;
use domain::session::event::{Consented, Event, SessionId};
use domain::session::{Phase, Session};
use frontend::runtime::client::{self, ClientError, WithPlan};
use frontend::runtime::clock::{self, SessionClock};
use frontend::runtime::content;
use frontend::runtime::credentials::{self, SessionCredentials};
use frontend::runtime::current::TakenSession as _;
use frontend::runtime::language::{self, speak};
use frontend::runtime::store::{LocalSession, RunningSession, Store, StoredRunning};
use frontend::runtime::{attempt, decoders, page, tab, waiting_page};
use frontend::state::Screen;
use frontend::text::text;
use leptos::prelude::{GetUntracked as _, Set};

use crate::context::Context;

mod lost;
mod resuming;

use resuming::{open_host, resume, show_code, show_erasure};

/// Shows the list of studies.
pub async fn open_home(context: Context) {
    context.app.error.set(None);
    match client::studies().await {
        Ok(list) => {
            speak(context.app, &list.language).await;
            context.app.show(Screen::Home(list.studies));
        }
        Err(error) => tell(context, &error).await,
    }
}

/// Shows a study where its participant left it: in this browser's session, at its
/// end, or before its start.
///
/// `take_over` takes the session from another tab that has it.
pub async fn open_study(context: Context, study: String, take_over: bool) {
    context.app.error.set(None);
    let store = Rc::new(Store::open().await);
    context
        .app
        .keeping
        .set(credentials::keeping(store.is_lasting()));
    let stored = store.session(&page::slot(&study)).await;
    if stored.is_some() {
        waiting_page::note_begun();
    }
    match stored {
        Some(LocalSession::Completed {
            title,
            language,
            code,
            ending,
        }) => {
            speak(context.app, language.as_deref().unwrap_or(ENGLISH)).await;
            show_code(context, title, code, ending);
        }
        Some(LocalSession::Erased {
            title,
            language,
            way_back,
            code,
        }) => {
            speak(context.app, &language).await;
            show_erasure(context, title, code, way_back);
        }
        Some(LocalSession::Running(stored)) => match stored.read() {
            Some((running, instances)) => {
                // A plan of format 1 holds them; the next reload finds them in the cache.
                for instance in &instances {
                    content::cache_instance(instance);
                }
                resume(context, store, study, running, instances, take_over).await;
            }
            None => open_without_store(context, store, study, take_over).await,
        },
        None => open_without_store(context, store, study, take_over).await,
    }
}

/// Shows a study of which this browser's store has nothing that can be read.
async fn open_without_store(context: Context, store: Rc<Store>, study: String, take_over: bool) {
    match credentials::kept(&page::slot(&study)) {
        Some(way) => go_back(context, store, study, way, take_over).await,
        None => open_first_page(context, &study).await,
    }
}

/// Goes on with a session of which this browser has only the way back: the server has the rest.
async fn go_back(
    context: Context,
    store: Rc<Store>,
    study: String,
    way: SessionCredentials,
    take_over: bool,
) {
    match client::session(&way.session, &way.token).await {
        Ok(WithPlan { answer, plan }) => {
            let title = match client::study(&study, Some(&answer.plan.language)).await {
                Ok(info) => info.title,
                // Its session may be gone on with all the same.
                Err(ClientError::Refused(_)) => String::new(),
                Err(error) => {
                    tell(context, &error).await;
                    return;
                }
            };
            let stored = LocalSession::Running(StoredRunning {
                title: title.clone(),
                token: way.token.clone(),
                plan,
                receipt: None,
            });
            store.save_session(&page::slot(&study), &stored).await;
            let running = RunningSession {
                title,
                token: way.token,
                plan: answer.plan,
                receipt: None,
            };
            resume(context, store, study, running, vec![], take_over).await;
        }
        Err(error) if is_lost(&error) => begin_anew(context, &study).await,
        Err(error) => tell(context, &error).await,
    }
}

/// Whether the server knows nothing of a session, or not with this secret.
fn is_lost(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(error)
        if matches!(error.code, ErrorCode::Unauthorised | ErrorCode::NotFound))
}

/// Whether everything in a session was erased.
fn is_erased(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(error) if error.code == ErrorCode::Erased)
}

/// The first page, and why it is the first one again.
pub async fn begin_anew(context: Context, study: &str) {
    credentials::forget(&page::slot(study));
    open_first_page(context, study).await;
    let lost = text().runtime.session_lost().to_owned();
    context.app.error.set(Some(lost));
}

/// Shows a study's first page, whatever this browser holds of it.
pub async fn open_first_page(context: Context, study: &str) {
    let found = match waiting_page::study(study) {
        Some(info) => Ok(info),
        None => client::study(study, page::language().as_deref()).await,
    };
    match found {
        Ok(info) => {
            speak(context.app, &info.language).await;
            context.set_host(None);
            context.app.title.set(info.title.clone());
            let contact = info.consent.as_ref().map(|consent| consent.contact.clone());
            context.app.contact.set(contact);
            context.app.way_back.set(info.arrival.way_back.clone());
            if info.arrival.door == Admission::Open {
                // While the page is read; agreeing then costs no wait.
                context.decoders().fetch(decoders::models_of_study(&info));
            }
            context.app.show(Screen::Study(info));
        }
        Err(ClientError::Refused(error)) if error.code == ErrorCode::NotFound => {
            language::speak_browsers(context.app).await;
            context
                .app
                .show(Screen::Problem(text().runtime.unknown_study().to_owned()));
        }
        Err(error) => tell(context, &error).await,
    }
}

/// A session is being started, from the press until its first page is shown or an error is said. Once its first page is
/// shown the attempt is forgotten, and another press would make another session.
struct Starting(Context);

impl Starting {
    /// None where one is being started already.
    fn begin(context: Context) -> Option<Self> {
        if context.app.starting.get_untracked() {
            return None;
        }
        context.app.starting.set(true);
        Some(Self(context))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.app.starting.set(false);
    }
}

/// The participant agrees: makes a session, or goes on with the one that waits for this answer.
pub async fn start(context: Context, info: StudyInfo, consented: Consented, answers: Levels) {
    if let Some(host) = context.host() {
        host.act(Event::ConsentGiven(consented));
        return;
    }
    let Some(_starting) = Starting::begin(context) else {
        return;
    };
    context.app.error.set(None);
    let slot = page::slot(&info.id);
    let Some(attempt) = attempt::current(&slot) else {
        let message = text().runtime.no_random().to_owned();
        context.app.error.set(Some(message));
        return;
    };
    let request = StartRequest {
        attempt,
        condition: page::condition(),
        answers,
        language: Some(info.language),
        link: page::link(),
        ..StartRequest::default()
    };
    let started = client::start(&info.id, &request).await;
    let WithPlan {
        answer: started,
        plan,
    } = match started {
        Ok(started) => started,
        Err(error) => {
            context.app.error.set(Some(in_words(&error)));
            return;
        }
    };
    let running = RunningSession {
        title: info.title,
        token: started.token,
        plan: started.plan,
        receipt: started.receipt,
    };
    let stored = LocalSession::Running(StoredRunning {
        title: running.title.clone(),
        token: running.token.clone(),
        plan,
        receipt: running.receipt.clone(),
    });
    let store = Rc::new(Store::open().await);
    // Safe before anything else happens: from here on, a reload resumes.
    store.save_session(&slot, &stored).await;
    waiting_page::note_begun();
    let way = SessionCredentials {
        session: running.plan.session.clone(),
        token: running.token.clone(),
    };
    credentials::keep(&slot, &way, store.is_lasting());
    attempt::answered(&slot);
    if started.log_len > 0 {
        // The participant's code had a session already, perhaps on another device.
        resume(context, store, info.id, running, vec![], true).await;
        return;
    }
    if !claim(context, &running.plan.session, false).await {
        context.app.show(Screen::OtherTab);
        return;
    }
    let clock = SessionClock::start(0, clock::monotonic_ms());
    let host = open_host(context, store, slot, running, vec![], &[], 0, clock);
    if let Some(host) = host {
        host.act(Event::PageOpened { page: page::info() });
        if host.read(Session::phase) == Phase::Consent {
            host.act(Event::ConsentGiven(consented));
        }
    }
}

/// Takes the session for this tab; if another takes it over later, this one stops.
async fn claim(context: Context, session: &SessionId, take_over: bool) -> bool {
    let on_lost = move || {
        if let Some(host) = context.host() {
            host.give_up();
        }
    };
    tab::claim(session, take_over, on_lost).await
}

/// The participant may want to stop: they are asked.
pub fn ask_to_stop(context: Context) {
    if let Some(host) = context.host() {
        host.set_asking(true);
        context.app.show(Screen::Withdraw);
    }
}

/// The participant goes on after all.
pub fn go_on(context: Context) {
    if let Some(host) = context.host() {
        host.set_asking(false);
        host.show_phase();
    }
}

/// The participant does not agree.
pub fn decline(context: Context) {
    match context.host() {
        Some(host) => host.act(Event::ConsentDeclined),
        // Nothing was created, so there is nothing to be told.
        None => context.app.show(Screen::Declined),
    }
}

/// Says why the app goes no further, where no study has said a language yet.
async fn tell(context: Context, error: &ClientError) {
    language::speak_browsers(context.app).await;
    context.app.error.set(Some(in_words(error)));
}

fn in_words(error: &ClientError) -> String {
    match error {
        ClientError::Unreachable => text().runtime.no_server().to_owned(),
        ClientError::Refused(error) if error.code == ErrorCode::StudyFull => {
            text().runtime.study_full().to_owned()
        }
        ClientError::Refused(error) if error.code == ErrorCode::TookPart => {
            text().runtime.took_part().to_owned()
        }
        ClientError::Refused(error) if error.code == ErrorCode::NotResumable => {
            text().runtime.not_resumable().to_owned()
        }
        ClientError::Refused(error) if error.code == ErrorCode::NotOpen => {
            text().runtime.not_open().to_owned()
        }
        ClientError::Refused(error) if error.code == ErrorCode::WrongLink => {
            text().runtime.wrong_link().to_owned()
        }
        // The server's message is English, and for the people who run it.
        ClientError::Refused(error) => {
            leptos::logging::error!("the server refused: {}", error.message);
            let text = &text().runtime;
            match error.code {
                ErrorCode::Unavailable | ErrorCode::StorageFull | ErrorCode::Internal => {
                    text.server_busy().to_owned()
                }
                _ => text.not_accepted().to_owned(),
            }
        }
        ClientError::Unintelligible(what) => {
            leptos::logging::error!("an answer was not understood: {what}");
            text().runtime.strange_answer().to_owned()
        }
    }
}
