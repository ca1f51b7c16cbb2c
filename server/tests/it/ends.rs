//! Whichever way a session ends, its slot and its credit are what that way owes.

use api::{CheckAnswer, ErrorCode, SessionStarted, routes};
use domain::design::Counts;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Ended;
use domain::session::Session;
use domain::session::device::DeviceReport;
use domain::session::event::{Envelope, Event};
use domain::simulate::SimulatedParticipant;
use serde_json::json;

use crate::app::{App, STUDY, Setup, ack, of_page};
use crate::sona::GIVEN;
use crate::stand_in::StandIn;
use crate::system::TestSystem;

/// Two cells of two people each. Every end gets credit.
fn setup(sona: &StandIn, system: &TestSystem) -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Ends",
        "design": { "factors": [{ "name": "arm", "levels": ["a", "b"] }],
            "assignment": { "cap": 2 } },
        "recruitment": [{ "platform": "sona", "site": "yourschool.sona-systems.com",
            "experiment_id": 123, "credit_token_file": "sona.txt",
            "credit_for": Ended::ALL.map(Ended::name) }],
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "C",
              "duration_minutes": 1 },
            { "kind": "device_check", "id": "device", "needs": { "min_width_px": 1000 } },
            { "kind": "questionnaire", "id": "quiz", "title": "Quiz", "attempts": 1,
              "wrong_answer": "screen_out", "items": [
                { "id": "goal", "text": "?", "right": "match",
                  "answer": { "kind": "choice", "options": ["match", "draw"] } }] },
            { "kind": "stage", "id": "{arm}", "task": {
                "kind": "exploration", "model": "sinelines-gt5" } }
        ]
    });
    Setup {
        study,
        stand_ins: vec![sona.origin.clone()],
        system: system.system(),
        ..Setup::default()
    }
}

async fn arrive(app: &App, number: u32) -> crate::app::AppResponse {
    let body = json!({ "attempt": format!("attempt-{number:016}"),
        "link": { "survey_code": number.to_string() } });
    app.ask_to_start(body).await
}

/// Logs events of a page, one after the other.
async fn log(app: &App, started: &SessionStarted, first: u64, events: Vec<Event>) {
    for (seq, event) in (first..).zip(events) {
        let envelope = of_page(started, seq, seq * 1_000, event);
        ack(&app.append(started, &[envelope]).await);
    }
}

fn device(width_px: u32) -> Event {
    Event::DeviceChecked {
        part: 1,
        device: DeviceReport {
            width_px,
            picture_px: None,
            fine_pointer: true,
            touch: false,
            decode_ms: None,
        },
    }
}

/// Lets a session end in a way, through what its page sends.
async fn end(app: &App, started: &SessionStarted, way: Ended) {
    let agreed = || Event::ConsentGiven(Default::default());
    match way {
        Ended::NoConsent => log(app, started, 0, vec![Event::ConsentDeclined]).await,
        Ended::Withdrawn => {
            let stops = Event::Withdrew { erase: false };
            log(app, started, 0, vec![agreed(), stops]).await;
        }
        Ended::IncompatibleDevice => log(app, started, 0, vec![agreed(), device(999)]).await,
        Ended::ScreenedOut => {
            let wrong = Event::QuestionnaireAnswered {
                questionnaire: "quiz".into(),
                answers: serde_json::from_value(json!({ "goal": "draw" })).unwrap(),
                time_over: false,
            };
            log(app, started, 0, vec![agreed(), device(1_000), wrong]).await;
            let path = routes::checks(&started.plan.session);
            let told = app.post(&path, Some(&started.token), json!({ "part": 2 }));
            let wrong = told.await.json::<CheckAnswer>().wrong;
            log(
                app,
                started,
                3,
                vec![Event::CheckReceived { part: 2, wrong }],
            )
            .await;
        }
        Ended::Completed | Ended::AttentionChecksFailed => panic!("that is no early end"),
    }
}

/// Number of slots that are taken in each cell, by a recount.
async fn taken(app: &App, system: &TestSystem) -> Vec<u64> {
    let mut snapshot = app.state.storage.study_snapshot(STUDY).await.unwrap();
    let mut ledger = snapshot.ledger().await.unwrap().of(Purpose::Participant);
    ledger.pass_time_to(system.now_unix_ms());
    let cells = ["a", "b"].into_iter();
    cells
        .map(|cell| ledger.taken(cell, Counts::Completions))
        .collect()
}

#[tokio::test]
async fn every_early_end_gives_its_slot_back_and_gets_the_credit_it_owes() {
    let sona = StandIn::saying(200, GIVEN).await;
    let system = TestSystem::at(1_900_000_000_000);
    let app = App::with(setup(&sona, &system)).await;
    let mut number = 0;
    for way in [
        Ended::NoConsent,
        Ended::Withdrawn,
        Ended::IncompatibleDevice,
        Ended::ScreenedOut,
    ] {
        let mut people: Vec<SessionStarted> = Vec::new();
        for _ in 0..4 {
            number += 1;
            people.push(arrive(&app, number).await.json());
        }
        assert_eq!(taken(&app, &system).await, [2, 2]);
        arrive(&app, 1_000 + number)
            .await
            .refused(ErrorCode::StudyFull);
        for started in &people {
            end(&app, started, way).await;
        }
        assert_eq!(taken(&app, &system).await, [0, 0], "{way:?}");
        let credited = app.state.sessions.ask_for_credit().await.unwrap();
        assert_eq!(credited, 4, "{way:?}");
        sona.asked();
        for stored in app.stored().await {
            assert_eq!(stored.completed_at_unix_ms, None, "nobody has completed it");
        }
    }
    // Who never comes back loses the slot when the lease ends.
    for _ in 0..4 {
        number += 1;
        arrive(&app, number).await.json::<SessionStarted>();
    }
    arrive(&app, 2_000).await.refused(ErrorCode::StudyFull);
    system.pass(120 * 60_000);
    // As a server knows it that has read everything anew.
    let app = app.restart().await;
    let mut people: Vec<SessionStarted> = Vec::new();
    for _ in 0..4 {
        number += 1;
        people.push(arrive(&app, number).await.json());
    }
    arrive(&app, 2_001).await.refused(ErrorCode::StudyFull);
    assert_eq!(app.state.sessions.ask_for_credit().await.unwrap(), 0);

    // Who comes to the end keeps it.
    for started in &people {
        let log: Vec<Envelope> = right(started);
        let (first, rest) = log.split_at(3);
        ack(&app.append(started, first).await);
        let path = routes::checks(&started.plan.session);
        let told = app.post(&path, Some(&started.token), json!({ "part": 2 }));
        assert_eq!(told.await.json::<CheckAnswer>().wrong, [""; 0]);
        ack(&app.append(started, rest).await);
    }
    system.pass(24 * 60 * 60_000);
    assert_eq!(taken(&app, &system).await, [2, 2]);
    arrive(&app, 2_002).await.refused(ErrorCode::StudyFull);
    assert_eq!(app.state.sessions.ask_for_credit().await.unwrap(), 4);
}

/// The log of somebody who answers rightly, whose check comes after the third event.
fn right(started: &SessionStarted) -> Vec<Envelope> {
    let mut session = Session::new(started.plan.clone());
    let answered = Event::QuestionnaireAnswered {
        questionnaire: "quiz".into(),
        answers: serde_json::from_value(json!({ "goal": "match" })).unwrap(),
        time_over: false,
    };
    let received = Event::CheckReceived {
        part: 2,
        wrong: Vec::new(),
    };
    let mut log = Vec::new();
    let agreed = Event::ConsentGiven(Default::default());
    for (seq, event) in (0..).zip([agreed, device(1_000), answered, received]) {
        let envelope = of_page(started, seq, seq * 1_000, event);
        session.apply(&envelope).unwrap();
        log.push(envelope);
    }
    log.extend(SimulatedParticipant::going_on(session, 1, 5));
    log
}
