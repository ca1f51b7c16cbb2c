//! Opening the app: which screen an address leads to, and how a session is started or resumed.

use std::rc::Rc;
use std::sync::Arc;

use api::{ErrorCode, StartRequest, StudyInfo};
use domain::event::{Envelope, Event};
use domain::session::{Phase, Session};
use leptos::prelude::Set;

use super::client::{self, ClientError};
use super::clock::{Moment, SessionClock, resumed_at_ms};
use super::host::{Host, Opening, Restored};
use super::store::{RunningSession, Store, StoredSession, as_stored};
use super::ui::{Screen, Ui};
use super::{attempt, decoders, page, tab};
use crate::text::text;
use crate::view::CodeState;

/// Shows the list of studies.
pub async fn open_home(ui: Ui) {
    ui.error.set(None);
    match client::studies().await {
        Ok(studies) => ui.show(Screen::Home(studies)),
        Err(error) => ui.error.set(Some(in_words(&error))),
    }
}

/// Shows a study where its participant left it: in this browser's session, at its
/// end, or before its start.
pub async fn open_study(ui: Ui, study: String) {
    ui.error.set(None);
    let store = Rc::new(Store::open().await);
    match store.session(&page::slot(&study)).await {
        Some(StoredSession::Completed {
            title,
            code,
            records,
        }) => show_code(ui, title, code, records),
        Some(StoredSession::Running(running)) => resume(ui, store, study, *running).await,
        None => open_first_page(ui, &study).await,
    }
}

/// Shows a study's first page, whatever this browser holds of it.
pub async fn open_first_page(ui: Ui, study: &str) {
    match client::study(study).await {
        Ok(info) => {
            ui.set_host(None);
            ui.title.set(info.title.clone());
            // While the page is read; agreeing then costs no wait.
            ui.decoders().want(decoders::wanted_by(&info));
            ui.show(Screen::Study(info));
        }
        Err(ClientError::Refused(error)) if error.code == ErrorCode::NotFound => {
            ui.show(Screen::Problem(text().runtime.unknown_study().to_owned()));
        }
        Err(error) => ui.error.set(Some(in_words(&error))),
    }
}

/// The participant agrees: makes a session, or goes on with the one that waits for this answer.
pub async fn start(ui: Ui, info: StudyInfo) {
    if let Some(host) = ui.host() {
        host.act(Event::ConsentGiven);
        return;
    }
    ui.starting.set(true);
    ui.error.set(None);
    let slot = page::slot(&info.id);
    let request = StartRequest {
        attempt: attempt::current(&slot),
        participant_code: page::participant(),
    };
    let started = client::start(&info.id, &request).await;
    ui.starting.set(false);
    let started = match started {
        Ok(started) => started,
        Err(error) => {
            ui.error.set(Some(in_words(&error)));
            return;
        }
    };
    let running = RunningSession {
        title: info.title,
        token: started.token,
        plan: started.plan,
        started_at_wall_ms: Moment::now().wall_ms,
    };
    let store = Rc::new(Store::open().await);
    // Safe before anything else happens: from here on, a reload resumes.
    store
        .keep(&slot, &StoredSession::Running(Box::new(running.clone())))
        .await;
    attempt::answered(&slot);
    if !tab::claim(&running.plan.session).await {
        ui.show(Screen::OtherTab);
        return;
    }
    let clock = SessionClock::start(0, Moment::now());
    let host = open_host(ui, store, slot, running, &[], 0, clock);
    if let Some(host) = host {
        host.act(Event::PageOpened { page: page::info() });
        if host.read(Session::phase) == Phase::Consent {
            host.act(Event::ConsentGiven);
        }
    }
}

/// The participant does not agree.
pub fn decline(ui: Ui) {
    match ui.host() {
        Some(host) => host.act(Event::ConsentDeclined),
        // Nothing was created, so there is nothing to be told.
        None => ui.show(Screen::Declined),
    }
}

async fn resume(ui: Ui, store: Rc<Store>, study: String, running: RunningSession) {
    ui.title.set(running.title.clone());
    let id = running.plan.session.clone();
    if !tab::claim(&id).await {
        ui.show(Screen::OtherTab);
        return;
    }
    let local = store.events(&id).await;
    let (server, age_ms) = match client::session(&id, &running.token).await {
        Ok(state) => match state.completion_code {
            Some(code) => {
                let (title, records) = (running.title, state.records);
                let done = StoredSession::Completed {
                    title: title.clone(),
                    code: code.clone(),
                    records: records.clone(),
                };
                store.keep(&page::slot(&study), &done).await;
                store.drop_events(&id).await;
                show_code(ui, title, code, records);
                return;
            }
            None => (Some(state.events), Some(state.age_ms)),
        },
        Err(ClientError::Refused(error))
            if matches!(error.code, ErrorCode::Unauthorised | ErrorCode::NotFound) =>
        {
            open_first_page(ui, &study).await;
            ui.error.set(Some(text().runtime.session_lost().to_owned()));
            return;
        }
        // Without the server, what is here will do.
        Err(_) => (None, None),
    };
    let held = server.as_ref().map_or(0, Vec::len) as u64;
    let (log, whose) = merge(local, server);
    match whose {
        Whose::Local => {}
        Whose::Server { new_from } => {
            let new: Vec<_> = log[new_from..].iter().filter_map(as_stored).collect();
            store.append(&id, &new).await;
        }
        Whose::ServerAgainstLocal => {
            store.drop_events(&id).await;
            store
                .append(&id, &log.iter().filter_map(as_stored).collect::<Vec<_>>())
                .await;
        }
    }
    let moment = Moment::now();
    let last_ms = log.last().map_or(0, |envelope| envelope.at_ms);
    let at_ms = resumed_at_ms(last_ms, moment.wall_ms - running.started_at_wall_ms, age_ms);
    let clock = SessionClock::start(at_ms, moment);
    let Some(host) = open_host(ui, store, page::slot(&study), running, &log, held, clock) else {
        return;
    };
    host.act(Event::PageOpened { page: page::info() });
    if host.read(Session::phase) == Phase::Consent {
        open_consent(ui, &study).await;
    }
}

/// The first page, for a session that exists but has not been agreed to.
async fn open_consent(ui: Ui, study: &str) {
    match client::study(study).await {
        Ok(info) => ui.show(Screen::Study(info)),
        Err(error) => ui.error.set(Some(in_words(&error))),
    }
}

fn open_host(
    ui: Ui,
    store: Rc<Store>,
    slot: String,
    running: RunningSession,
    log: &[Envelope],
    held: u64,
    clock: SessionClock,
) -> Option<Rc<Host>> {
    let session = match Session::replay(Arc::new(running.plan), log) {
        Ok(session) => session,
        Err((index, refusal)) => {
            leptos::logging::error!("event {index} of the stored log: {refusal}");
            ui.show(Screen::Problem(text().runtime.broken(refusal)));
            return None;
        }
    };
    // What an earlier question looked like does not matter to one that is yet to start.
    let on_screen = matches!(session.phase(), Phase::Solving(_) | Phase::Solved(_));
    let opening = Opening {
        slot,
        title: running.title,
        token: running.token,
        session,
        log: log
            .iter()
            .filter_map(as_stored)
            .map(|(_, json)| json)
            .collect(),
        held,
        clock,
        restored: Restored::from_log(log).filter(|_| on_screen),
    };
    let host = Host::open(opening, store, ui);
    ui.code.set(CodeState::Waiting);
    ui.set_host(Some(Rc::clone(&host)));
    Some(host)
}

fn show_code(ui: Ui, title: String, code: String, records: Vec<domain::metrics::QuestionRecord>) {
    ui.title.set(title);
    ui.records.set(records);
    ui.code.set(CodeState::Ready(code));
    ui.show(Screen::Complete);
}

fn in_words(error: &ClientError) -> String {
    match error {
        ClientError::Unreachable => text().runtime.no_server().to_owned(),
        other => text().runtime.server_said(other),
    }
}

/// Whose log a session goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// This browser's, which goes on from the server's.
    Local,
    /// The server's, which goes on from this browser's with these events.
    Server { new_from: usize },
    /// The server's, from which this browser's differs.
    ServerAgainstLocal,
}

/// What the server holds is settled; what this browser has beyond it is still to come.
fn merge(local: Vec<Envelope>, server: Option<Vec<Envelope>>) -> (Vec<Envelope>, Whose) {
    let Some(server) = server else {
        return (local, Whose::Local);
    };
    let shared = local.len().min(server.len());
    if local[..shared] != server[..shared] {
        (server, Whose::ServerAgainstLocal)
    } else if server.len() > local.len() {
        (server, Whose::Server { new_from: shared })
    } else {
        (local, Whose::Local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::event::{EVENT_FORMAT, SessionId};

    fn log(times: &[u64]) -> Vec<Envelope> {
        let session = SessionId("s".to_owned());
        let envelope = |(seq, &at_ms): (usize, &u64)| Envelope {
            format: EVENT_FORMAT,
            session: session.clone(),
            seq: seq as u64,
            at_ms,
            event: Event::PageHidden,
        };
        times.iter().enumerate().map(envelope).collect()
    }

    #[test]
    fn the_longer_log_wins_unless_they_differ() {
        let check = |local: &[u64], server: Option<&[u64]>, expected: &[u64], whose: Whose| {
            assert_eq!(
                merge(log(local), server.map(log)),
                (log(expected), whose),
                "{local:?} {server:?}"
            );
        };
        check(&[1, 2], None, &[1, 2], Whose::Local);
        check(&[1, 2, 3], Some(&[1, 2]), &[1, 2, 3], Whose::Local);
        check(&[1, 2], Some(&[1, 2]), &[1, 2], Whose::Local);
        check(
            &[1],
            Some(&[1, 2, 3]),
            &[1, 2, 3],
            Whose::Server { new_from: 1 },
        );
        check(&[], Some(&[]), &[], Whose::Local);
        check(
            &[1, 5, 6],
            Some(&[1, 2]),
            &[1, 2],
            Whose::ServerAgainstLocal,
        );
    }
}
