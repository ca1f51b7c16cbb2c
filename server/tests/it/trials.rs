//! Pilots, previews and simulated people: what a session is for is the server's to decide, and what is
//! no participant's has no code, no way back and no payment, and stands in nobody's way.

use api::{Admission, DepartureInfo, ErrorCode, SessionStarted, StudyInfo, routes};
use domain::recruitment::assignment::Purpose;
use domain::session::event::{Author, Envelope, Event};
use serde_json::{Value, json};
use server::export::{ReplayedSessions, SessionSelection, Visited};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::app::{App, STUDY, Setup, study_with};

fn setup(more: &Value, purpose: Purpose) -> Setup {
    Setup {
        study: study_with(more.clone()),
        purpose,
        ..Setup::default()
    }
}

fn from_prolific() -> Value {
    json!({
        "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "C1", "NO_CONSENT": "C2" } }],
        "pay": { "currency": "GBP", "amount": "3.00" },
        "erasure_keeps_code": true,
        "design": { "assignment": { "cap": 1, "most_sessions": 1 } }
    })
}

async fn try_to_start(app: &App, attempt: u32, more: Value) -> crate::app::AppResponse {
    let mut body = more;
    body["attempt"] = json!(format!("{attempt:016}"));
    app.ask_to_start(body).await
}

/// The same database, with another purpose in its ledger.
async fn with_purpose(app: App, purpose: &str) -> App {
    app.state.storage.close().await;
    let options = SqliteConnectOptions::new().filename(app.file());
    let mut connection = options.connect().await.unwrap();
    let changed = sqlx::query("UPDATE assignments SET purpose = ?")
        .bind(purpose)
        .execute(&mut connection);
    assert_eq!(changed.await.unwrap().rows_affected(), 1);
    connection.close().await.unwrap();
    App::on(app.folder, app.setup).await
}

#[tokio::test]
async fn what_a_request_says_that_a_session_is_for_opens_no_door() {
    let closed = json!({ "closes": "2020-01-01T00:00:00Z" });
    let listed = json!({ "participant_codes": "codes.txt" });
    let signed = json!({ "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "C1" },
        "signed": { "domain": "study.example.org" } }] });
    let full = json!({ "design": { "assignment": { "most_sessions": 1 } } });
    for (more, code) in [
        (closed, ErrorCode::NotOpen),
        (listed, ErrorCode::WrongLink),
        (signed, ErrorCode::WrongLink),
        (from_prolific(), ErrorCode::WrongLink),
        (full, ErrorCode::StudyFull),
    ] {
        let app = App::with(setup(&more, Purpose::Participant)).await;
        let is_full = code == ErrorCode::StudyFull;
        if is_full {
            app.start("the-first-attempt").await;
        }
        for purpose in ["pilot", "preview", "simulated", "anything"] {
            let refused = try_to_start(&app, 1, json!({ "purpose": purpose })).await;
            let refused = refused.refused(ErrorCode::Malformed);
            assert!(
                refused.message.contains("participant"),
                "{}",
                refused.message
            );
        }
        // What pages of earlier versions say is taken, and changes nothing.
        try_to_start(&app, 1, json!({ "purpose": "participant" }))
            .await
            .refused(code);
        assert_eq!(app.sessions().await, u64::from(is_full), "{more}");
    }
}

#[tokio::test]
async fn a_trial_is_told_so_has_no_code_and_no_way_back_and_is_paid_by_nobody() {
    let app = App::with(setup(&from_prolific(), Purpose::Pilot)).await;
    let link = json!({ "link": { "PROLIFIC_PID": "5f", "SESSION_ID": "61" } });
    for query in ["", "?PROLIFIC_PID=5f"] {
        let page = format!("{}{query}", routes::study(STUDY));
        let info: StudyInfo = app.get(&page).await.json();
        assert_eq!(
            (info.arrival.door, info.arrival.trial),
            (Admission::Open, true)
        );
        assert_eq!(info.arrival.way_back, None);
    }
    // With a link of the platform and without one, and as many as there are.
    let mut trials = Vec::new();
    for (attempt, link) in [(1, link.clone()), (2, json!({})), (3, link.clone())] {
        let started: SessionStarted = try_to_start(&app, attempt, link).await.json();
        app.append_all(&started).await;
        app.complete(&started).await.refused(ErrorCode::NoCode);
        let departure = app.depart(&started).await;
        assert_eq!((departure.way_back, departure.code), (None, None));
        let storage = &app.state.storage;
        let session = &started.plan.session;
        assert_eq!(storage.arrival(session).await.unwrap(), None);
        let own = app.events(session, Author::Server).await;
        let own: Vec<Envelope> = own.iter().map(|it| it.envelope().unwrap()).collect();
        let told = |it: &Envelope| matches!(it.event, Event::WayBackGiven { .. });
        assert!(!own.iter().any(told), "{own:?}");
        trials.push(started);
    }
    // One is taken back, and keeps its code.
    let departure: DepartureInfo = app.erase(&trials[0]).await.json();
    assert_eq!((departure.way_back, departure.code), (None, None));

    // The same person as a participant: neither shut out nor led to the trial, and the only place is free.
    let app = app
        .restart_with(setup(&from_prolific(), Purpose::Participant))
        .await;
    let page = format!("{}?PROLIFIC_PID=5f", routes::study(STUDY));
    let info: StudyInfo = app.get(&page).await.json();
    assert_eq!(
        (info.arrival.door, info.arrival.trial),
        (Admission::Open, false)
    );
    let started: SessionStarted = try_to_start(&app, 4, link.clone()).await.json();
    assert_eq!(started.log_len, 0);
    assert!(
        trials
            .iter()
            .all(|it| it.plan.session != started.plan.session)
    );
    app.append_all(&started).await;
    let back = app.depart(&started).await.way_back.unwrap();
    assert_eq!(back.code.as_deref(), Some("C1"));
    let storage = &*app.state.storage;
    let paid = ReplayedSessions::open(storage, STUDY, SessionSelection::Participants).await;
    let mut paid = paid.unwrap();
    let mut sessions = Vec::new();
    while let Some(session) = paid.next().await.unwrap() {
        let Visited::Whole(session) = session else {
            panic!("it is whole")
        };
        sessions.push(session.stored.id.clone());
    }
    assert_eq!(sessions, [started.plan.session]);
    let erased = paid.erasures().await.unwrap();
    assert!(erased.is_empty(), "the erased one was a trial");
}

#[tokio::test]
async fn trials_of_earlier_versions_that_came_from_a_platform_are_read_and_lead_nowhere() {
    let sona = json!({ "recruitment": [{ "platform": "sona", "site": "yourschool.sona-systems.com",
        "experiment_id": 123, "credit_token_file": "sona.txt" }] });
    for (more, link) in [
        (from_prolific(), json!({ "PROLIFIC_PID": "5f" })),
        (sona, json!({ "survey_code": "98765" })),
    ] {
        for purpose in ["pilot", "preview", "simulated"] {
            let app = App::with(setup(&more, Purpose::Participant)).await;
            let started: SessionStarted =
                try_to_start(&app, 1, json!({ "link": link })).await.json();
            app.append_all(&started).await;
            // As a request could have it before.
            let app = with_purpose(app, purpose).await;
            let storage = &app.state.storage;
            let session = &started.plan.session;
            assert!(storage.arrival(session).await.unwrap().is_some());
            assert_eq!(storage.purpose(session).await.unwrap().name(), purpose);
            assert_eq!(app.depart(&started).await.way_back, None);
            app.complete(&started).await.refused(ErrorCode::NoCode);
            assert_eq!(app.state.sessions.ask_for_credit().await.unwrap(), 0);
            // Whose name it was can take part.
            let own: SessionStarted = try_to_start(&app, 2, json!({ "link": link })).await.json();
            assert_ne!(&own.plan.session, session);
        }
    }
}
