//! Participants who stop, and take back what they gave.

use std::path::Path;
use std::time::Duration;

use api::{DepartureInfo, ErrorCode, SessionStarted, routes};
use axum::http::Method;
use domain::recruitment::platform::Ended;
use domain::session::event::{Envelope, Event, PageInfo};
use serde_json::{Value, json};
use server::database::{backup, restore};
use server::storage;

use crate::app::{ATTEMPT, App, STUDY, ack, log_of, study_with};
use crate::files::{run, url};

/// Something that only this person has given.
const GIVEN: &str = "a browser that nobody else has";

/// Another who took part.
const OTHER: &str = "fedcba9876-543210";

/// The log of somebody whose page says `GIVEN`.
fn given(started: &SessionStarted) -> Vec<Envelope> {
    let mut log = log_of(started);
    for logged in &mut log {
        if let Event::PageOpened { page } = &mut logged.event {
            *page = PageInfo {
                user_agent: GIVEN.to_owned(),
                ..PageInfo::default()
            };
        }
    }
    log
}

fn withdrew(after: &Envelope, erase: bool) -> Envelope {
    Envelope {
        seq: after.seq + 1,
        event: Event::Withdrew { erase },
        ..after.clone()
    }
}

/// Files in a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let holds = |file: &std::fs::DirEntry| {
        let bytes = std::fs::read(file.path()).unwrap();
        bytes
            .windows(text.len())
            .any(|found| found == text.as_bytes())
    };
    let names = files.filter(holds).map(|file| file.file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

/// Waits until no file in a folder holds a text.
async fn is_gone(folder: &Path, text: &str) {
    for _ in 0..100 {
        if holding(folder, text).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("'{text}' is in {:?}", holding(folder, text));
}

#[tokio::test]
async fn nothing_that_was_given_is_left_in_any_file() {
    let app = App::new().await;
    let folder = app.folder.path().join("data");
    let other = app.start(OTHER).await;
    app.append_all(&other).await;
    let started = app.start_as(ATTEMPT, "Mrs Example").await;
    let log = given(&started);
    let (some, _) = log.split_at(log.len() / 2);
    ack(&app.append(&started, some).await);
    assert!(!holding(&folder, GIVEN).is_empty(), "it was given");
    assert!(!holding(&folder, "Mrs Example").is_empty(), "it was given");

    let wish = withdrew(&some[some.len() - 1], true);
    let acked = ack(&app.append(&started, std::slice::from_ref(&wish)).await);
    assert_eq!(acked, wish.seq + 1);
    is_gone(&folder, GIVEN).await;
    is_gone(&folder, "Mrs Example").await;
    // A lost acknowledgement: the page sends it again, and learns what has become of it.
    app.refuses(&started, &[wish], ErrorCode::Erased).await;
    let path = routes::session(&started.plan.session);
    app.read(&started).await.refused(ErrorCode::Erased);
    app.call(Method::GET, &path, Some(&other.token), None)
        .await
        .refused(ErrorCode::NotFound);
    // The other one is there.
    let out = app.export().await;
    let sessions = std::fs::read_to_string(out.join("jsonl/raw/sessions.jsonl")).unwrap();
    assert!(sessions.contains(&other.plan.session.0), "{sessions}");
    assert!(!sessions.contains(&started.plan.session.0), "{sessions}");
    // Who comes back starts anew, in a place of their own.
    let again = app.start_as("0000000000000003", "Mrs Example").await;
    assert_ne!(again.plan.session, started.plan.session);
    let ledger = app.state.storage.study_snapshot(STUDY).await.unwrap();
    let ledger = { ledger }.ledger().await.unwrap();
    assert_eq!(ledger.lines.len(), 3, "that they were there stays");
    // The same after a restart.
    let app = app.restart().await;
    app.read(&started).await.refused(ErrorCode::Erased);
    assert!(holding(&folder, GIVEN).is_empty());
}

#[tokio::test]
async fn while_somebody_reads_the_old_pages_stay_and_then_they_go() {
    let app = App::new().await;
    let folder = app.folder.path().join("data");
    let started = app.start(ATTEMPT).await;
    let log = given(&started);
    ack(&app.append(&started, &log).await);
    let mut reader = app.state.storage.study_snapshot(STUDY).await.unwrap();
    assert_eq!(reader.sessions().await.unwrap().ordinals.len(), 1);
    let erased: DepartureInfo = app.erase(&started).await.json();
    assert_eq!(erased.ended, Ended::Completed);
    assert!(erased.code.is_some(), "though nobody had asked for it");
    assert!(
        !holding(&folder, GIVEN).is_empty(),
        "the reader has it still"
    );
    drop(reader);
    is_gone(&folder, GIVEN).await;
}

#[tokio::test]
async fn erasing_takes_the_session_s_own_token_and_can_be_asked_for_twice() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let path = routes::session(&started.plan.session);
    app.call(Method::DELETE, &path, Some("not the token"), None)
        .await
        .refused(ErrorCode::Unauthorised);
    app.call(Method::DELETE, &path, None, None)
        .await
        .refused(ErrorCode::Unauthorised);
    for _ in 0..2 {
        let erased: DepartureInfo = app.erase(&started).await.json();
        // Nobody had agreed to anything yet.
        assert_eq!(erased.ended, Ended::NoConsent);
    }
    assert_eq!(app.sessions().await, 0);
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_erased_all_the_same() {
    for damage in [
        "UPDATE events SET envelope = 'nothing that was ever written' WHERE seq = 2",
        "UPDATE plans SET plan = 'nothing that was ever written'",
    ] {
        let app = App::new().await;
        let started = app.start(ATTEMPT).await;
        ack(&app.append(&started, &given(&started)).await);
        app.state.storage.close().await;
        let folder = app.folder.path().join("data");
        run(&folder.join("test.db"), damage).await;
        let app = app.restart().await;
        let erased = app.state.sessions.erase(&started.plan.session).await;
        assert!(erased.unwrap(), "{damage}");
        is_gone(&folder, GIVEN).await;
    }
}

#[tokio::test]
async fn a_backup_that_is_restored_is_cleaned_of_what_was_erased_since() {
    let app = App::new().await;
    let (other, started) = (app.start(OTHER).await, app.start(ATTEMPT).await);
    app.append_all(&other).await;
    ack(&app.append(&started, &given(&started)).await);
    let file = app.file();
    let kept = tempfile::tempdir().unwrap();
    let copy = kept.path().join("backup.db");
    backup(&url(&file), &copy).await.unwrap();
    let id = &started.plan.session;
    assert!(app.state.sessions.erase(id).await.unwrap());
    app.state.storage.close().await;

    let restored = restore(&url(&file), &copy, true).await.unwrap();
    assert_eq!(restored.erased, 1);
    let bytes = std::fs::read(&file).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|at| at == text.as_bytes());
    assert!(!holds(GIVEN));
    assert!(holds(&other.plan.session.0));
    // A backup that somebody put there by hand is cleaned when it is opened.
    for end in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{end}", file.display())));
    }
    std::fs::copy(&copy, &file).unwrap();
    let storage = storage::open(&url(&file)).await.unwrap();
    assert!(storage.session(id).await.unwrap().is_none());
    assert_eq!(
        storage.erasure(id).await.unwrap().unwrap().ended,
        Ended::Completed
    );
    storage.close().await;
    let left = holding(file.parent().unwrap(), GIVEN);
    let kept = restored.kept.unwrap();
    let kept = kept.file_name().unwrap().to_str().unwrap();
    assert!(left.iter().all(|name| name.starts_with(kept)), "{left:?}");
}

fn from_prolific(more: Value) -> Value {
    let mut study = study_with(more);
    study["recruitment"] = json!([{ "platform": "prolific",
        "codes": { "COMPLETED": "C1", "NO_CONSENT": "C2" } }]);
    study
}

async fn start(app: &App, attempt: &str) -> SessionStarted {
    let link = json!({ "PROLIFIC_PID": "5f", "SESSION_ID": "s" });
    let body = json!({ "attempt": attempt, "link": link });
    app.ask_to_start(body).await.json()
}

#[tokio::test]
async fn who_took_everything_back_is_paid_for_what_they_did() {
    for (complete, ended, code) in [
        (true, Ended::Completed, "C1"),
        (false, Ended::Withdrawn, "C2"),
    ] {
        let app = App::of(from_prolific(json!({}))).await;
        let started = start(&app, ATTEMPT).await;
        let log = log_of(&started);
        let log = if complete { &log[..] } else { &log[..3] };
        ack(&app.append(&started, log).await);
        if complete {
            assert_eq!(app.depart(&started).await.ended, ended);
            app.erase(&started).await.json::<DepartureInfo>();
        } else {
            ack(&app.append(&started, &[withdrew(&log[2], true)]).await);
        }
        let departure = app.depart(&started).await;
        assert_eq!(departure.ended, ended);
        assert_eq!(departure.way_back.unwrap().code.as_deref(), Some(code));
        // Once they are paid, the platform's names go, too.
        let folder = app.folder.path().join("data");
        assert_eq!(app.state.storage.forget_arrivals(STUDY).await.unwrap(), 1);
        let erasure = app.state.storage.erasure(&started.plan.session).await;
        let arrival = erasure.unwrap().unwrap().arrival.unwrap();
        assert_eq!((arrival.participant, arrival.submission), (None, None));
        app.state.storage.close().await;
        assert!(holding(&folder, "PROLIFIC_PID").is_empty());
    }
}

#[tokio::test]
async fn a_study_can_keep_who_took_part_and_nothing_else() {
    let app = App::of(from_prolific(json!({ "erasure_keeps_code": true }))).await;
    let started = start(&app, ATTEMPT).await;
    let erased = app.state.sessions.erase(&started.plan.session).await;
    assert!(erased.unwrap());
    let body = json!({ "attempt": OTHER, "link": { "PROLIFIC_PID": "5f" } });
    app.ask_to_start(body).await.refused(ErrorCode::TookPart);
}

#[tokio::test]
async fn who_stops_and_lets_us_keep_what_they_gave_has_ended() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&app.append(&started, &log[..4]).await);
    ack(&app.append(&started, &[withdrew(&log[3], false)]).await);
    let stored = app.stored().await.remove(0);
    assert_eq!(stored.phase, "withdrawn");
    assert!(stored.has_ended());
    assert_eq!(app.depart(&started).await.ended, Ended::Withdrawn);
    app.complete(&started).await.refused(ErrorCode::NotComplete);
}

#[tokio::test]
async fn an_erased_session_gives_its_slot_back() {
    let one_place = json!({ "design": { "assignment": { "cap": 1 } } });
    let app = App::of(study_with(one_place)).await;
    let started = app.start(ATTEMPT).await;
    app.append_all(&started).await;
    let full = json!({ "attempt": OTHER });
    let shut = app.ask_to_start(full.clone()).await;
    shut.refused(ErrorCode::StudyFull);
    let erased = app.state.sessions.erase(&started.plan.session).await;
    assert!(erased.unwrap());
    app.ask_to_start(full).await.json::<SessionStarted>();
}
