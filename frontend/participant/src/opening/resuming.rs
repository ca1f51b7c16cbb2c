//! Going on with a session that was begun: its log is put together and replayed.

use std::rc::Rc;
use std::sync::Arc;

use api::{ErrorCode, StudyInfo};
use domain::model::instance::Instance;
use domain::recruitment::platform::WayBack;
use domain::session::event::{Envelope, Event};
use domain::session::{Phase, Session};
use frontend::runtime::client::{self, ClientError, WithPlan};
use frontend::runtime::clock::{self, LastReceived, SessionClock, resumed_at_ms};
use frontend::runtime::current::TakenSession as _;
use frontend::runtime::file_link::session_file;
use frontend::runtime::host::{Host, OpenSession};
use frontend::runtime::language::speak;
use frontend::runtime::merge::{NewerLog, merge};
use frontend::runtime::page;
use frontend::runtime::store::{LocalSession, RunningSession, Store, as_stored};
use frontend::state::ending::Ending;
use frontend::state::{CodeState, Screen};
use frontend::text::text;
use leptos::prelude::Set;

use super::lost::made_again;
use super::{begin_anew, claim, in_words, is_erased, is_lost};
use crate::context::Context;

pub(super) async fn resume(
    context: Context,
    store: Rc<Store>,
    study: String,
    running: RunningSession,
    instances: Vec<Instance>,
    take_over: bool,
) {
    speak(context.app, &running.plan.language).await;
    context.app.title.set(running.title.clone());
    let id = running.plan.session.clone();
    if !claim(context, &id, take_over).await {
        context.app.show(Screen::OtherTab);
        return;
    }
    let local = store.events(&id).await;
    let (server, since_last_ms) = match client::session(&id, &running.token).await {
        Ok(WithPlan { answer: state, .. }) => {
            if let Some(code) = state.completion_code {
                // Without the way back nothing is done yet: the opened session asks for it again.
                if let Ok(departure) = client::departure(&id, &running.token).await {
                    let way_back = departure.way_back;
                    let ending = Ending {
                        way_back,
                        ..ending(&running, &state.events)
                    };
                    show_completed(context, &store, &study, running, code, ending).await;
                    return;
                }
            }
            (Some(state.events), state.since_last_event_ms)
        }
        Err(error) if is_lost(&error) => match made_again(&running, &local).await {
            // The log is handed in from its beginning.
            Ok(true) => (Some(Vec::new()), None),
            Ok(false) if local.is_empty() => {
                begin_anew(context, &study).await;
                return;
            }
            Ok(false) => {
                let file = session_file(&running, &local);
                context.app.contact.set(running.plan.contact.clone());
                context.app.show(Screen::Lost { study, file });
                return;
            }
            Err(error) => {
                context.app.error.set(Some(in_words(&error)));
                return;
            }
        },
        Err(error) if is_erased(&error) => {
            show_erased(context, &store, &study, running).await;
            return;
        }
        // Events that the server has not heard of stay in this browser's store.
        Err(ClientError::Refused(error)) if error.code == ErrorCode::NotResumable => {
            let message = text().runtime.not_resumable().to_owned();
            context.app.show(Screen::Problem(message));
            return;
        }
        // Without the server, what is here will do.
        Err(_) => (None, None),
    };
    let received = server
        .as_ref()
        .and_then(|events| events.last())
        .zip(since_last_ms)
        .map(|(last, ago_ms)| LastReceived {
            at_ms: last.at_ms,
            ago_ms,
        });
    let server_there = server.is_some();
    let acked_len = server.as_ref().map_or(0, Vec::len) as u64;
    let (log, newer) = merge(local, server);
    match newer {
        NewerLog::Local => {}
        NewerLog::Server { new_from } => {
            let new: Vec<_> = log[new_from..].iter().filter_map(as_stored).collect();
            store.append(&id, &new).await;
        }
        NewerLog::ServerOverLocal => {
            store.drop_events(&id).await;
            store
                .append(&id, &log.iter().filter_map(as_stored).collect::<Vec<_>>())
                .await;
        }
    }
    let at_ms = resumed_at_ms(
        log.last().map(|envelope| envelope.at_ms),
        received,
        store.clock_note(&id),
        clock::wall_ms(),
    );
    let clock = SessionClock::start(at_ms, clock::monotonic_ms());
    let Some(host) = open_host(
        context,
        store,
        page::slot(&study),
        running,
        instances,
        &log,
        acked_len,
        clock,
    ) else {
        return;
    };
    // Before anything is shown. Without the server the text that was agreed to holds.
    host.set_asking(server_there);
    let changed = if server_there {
        changed_consent(&host, &study).await
    } else {
        None
    };
    host.set_asking(changed.is_some());
    host.act(Event::PageOpened { page: page::info() });
    if let Some(info) = changed {
        context.app.show(Screen::Study(info));
    } else if host.read(Session::phase) == Phase::Consent {
        open_consent(context, &host, &study).await;
    }
}

/// The study's first page, if its consent text is another than the one agreed to.
async fn changed_consent(host: &Host, study: &str) -> Option<StudyInfo> {
    let agreed = host.read(|session| {
        let agreed = session.consented().filter(|_| session.can_agree_again())?;
        agreed.text_sha256.clone()
    })?;
    let language = host.read(|session| session.plan().language.clone());
    let info = client::study(study, Some(&language)).await.ok()?;
    let now = &info.consent.as_ref()?.text_sha256;
    (*now != agreed).then_some(info)
}

/// The first page, for a session that exists but has not been agreed to.
async fn open_consent(context: Context, host: &Host, study: &str) {
    let language = host.read(|session| session.plan().language.clone());
    match client::study(study, Some(&language)).await {
        Ok(info) => context.app.show(Screen::Study(info)),
        Err(error) => context.app.error.set(Some(in_words(&error))),
    }
}

#[allow(clippy::too_many_arguments)] // what a session on this page consists of
pub(super) fn open_host(
    context: Context,
    store: Rc<Store>,
    slot: String,
    running: RunningSession,
    instances: Vec<Instance>,
    log: &[Envelope],
    acked_len: u64,
    clock: SessionClock,
) -> Option<Rc<Host>> {
    context.app.contact.set(running.plan.contact.clone());
    let session = match Session::new(Arc::new(running.plan)).replayed(log) {
        Ok(session) => session,
        Err((index, refusal)) => {
            leptos::logging::error!("event {index} of the stored log: {refusal}");
            context
                .app
                .show(Screen::Problem(text().runtime.broken().to_owned()));
            return None;
        }
    };
    let open = OpenSession {
        slot,
        title: running.title,
        token: running.token,
        session,
        log: log
            .iter()
            .filter_map(as_stored)
            .map(|(_, json)| json)
            .collect(),
        acked_len,
        clock,
        instances,
    };
    let host = Host::open(open, store, context.decoders(), context.app);
    context.app.code.set(CodeState::Waiting);
    context.app.way_back.set(None);
    context.set_host(Some(Rc::clone(&host)));
    Some(host)
}

/// The ending that the last screen shows; nothing if the log does not fit the plan.
fn ending(running: &RunningSession, log: &[Envelope]) -> Ending {
    let session = Session::new(running.plan.clone()).replayed(log);
    session
        .map(|session| Ending::of(&session))
        .unwrap_or_default()
}

/// Keeps the end of a session in place of its log, and shows it.
async fn show_completed(
    context: Context,
    store: &Store,
    study: &str,
    running: RunningSession,
    code: String,
    ending: Ending,
) {
    let done = LocalSession::Completed {
        title: running.title.clone(),
        language: Some(running.plan.language.clone()),
        code: code.clone(),
        ending: ending.clone(),
    };
    store.save_session(&page::slot(study), &done).await;
    store.drop_events(&running.plan.session).await;
    show_code(context, running.title, code, ending);
}

/// Says that everything was erased, and keeps nothing but that.
async fn show_erased(context: Context, store: &Store, study: &str, running: RunningSession) {
    let id = &running.plan.session;
    // Without an answer there is no way back for now; the next visit asks again.
    let departure = client::departure(id, &running.token).await.ok();
    let known = departure.is_some();
    let (code, way_back) = departure.map_or((None, None), |it| (it.code, it.way_back));
    if known {
        let erased = LocalSession::Erased {
            title: running.title.clone(),
            language: running.plan.language.clone(),
            way_back: way_back.clone(),
            code: code.clone(),
        };
        store.save_session(&page::slot(study), &erased).await;
        store.drop_events(id).await;
    }
    show_erasure(context, running.title, code, way_back);
}

pub(super) fn show_erasure(
    context: Context,
    title: String,
    code: Option<String>,
    way_back: Option<WayBack>,
) {
    context.app.title.set(title);
    if let Some(code) = code {
        context.app.code.set(CodeState::Ready(code));
    }
    context.app.way_back.set(way_back);
    context.app.show(Screen::Withdrawn { erase: true });
}

pub(super) fn show_code(context: Context, title: String, code: String, ending: Ending) {
    context.app.title.set(title);
    context.app.way_back.set(ending.way_back.clone());
    context.app.ending.set(ending);
    context.app.code.set(CodeState::Ready(code));
    context.app.show(Screen::Complete);
}
