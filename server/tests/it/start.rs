use std::collections::BTreeSet;

use api::{ErrorCode, SessionStarted, StudyInfo, StudyList, routes};
use domain::session::event::{Envelope, Event};
use serde_json::{Value, json};

use crate::app::{ATTEMPT, App, STUDY, ack, log_of, stored_of, study_with};

mod late;

#[tokio::test]
async fn opening_a_study_creates_nothing() {
    let app = App::new().await;
    let list: StudyList = app.get(routes::STUDIES).await.json();
    let study: StudyInfo = app.get(&routes::study(STUDY)).await.json();
    app.get(&format!("/study/{STUDY}")).await;
    assert_eq!(list.studies, std::slice::from_ref(&study));
    assert_eq!(app.sessions().await, 0);
    let html = study.consent.unwrap().text_html;
    assert!(!html.contains("<script"), "{html}");
}

#[tokio::test]
async fn one_attempt_gives_one_session_and_one_token() {
    let app = App::new().await;
    let first = app.start(ATTEMPT).await;
    // The answer got lost, and the server was started anew.
    let app = app.restart().await;
    let second = app.start(ATTEMPT).await;
    assert_eq!(first.plan, second.plan);
    assert_eq!(first.token, second.token);
    assert_eq!(app.sessions().await, 1);
    app.append(&second, &log_of(&second)[..2]).await;
    let state = app.state_of(&second).await;
    assert_eq!(state.events.len(), 2);

    let app = app.restart().await;
    app.state_of(&second).await;
    // Once its token was used, a session is opened by nothing else.
    let third = app.start(ATTEMPT).await;
    assert_ne!(third.plan.session, first.plan.session);
    assert_eq!(third.log_len, 0);
    app.state_of(&second).await;
    let stored = app.stored().await;
    assert_eq!(stored.len(), 2);
    let named = |stored: &domain::session::event::SessionId| stored == &first.plan.session;
    let spent = stored.iter().find(|stored| named(&stored.id)).unwrap();
    assert!(
        spent.attempt_spent && !spent.attempt.contains(ATTEMPT),
        "{}",
        spent.attempt
    );
}

#[tokio::test]
async fn what_is_asked_before_the_start_decides_on_the_cell() {
    let question = json!({ "text": "Have you?", "answers": { "none": "No", "some": "Yes" } });
    let factors = json!([
        { "name": "experience", "levels": ["none", "some"], "varies": "answer", "question": question },
        { "name": "group", "levels": ["a", "b"] },
    ]);
    let design =
        json!({ "factors": factors, "assignment": { "caps": { "some.a": 1, "some.b": 1 } } });
    let app = App::of(study_with(json!({ "design": design }))).await;
    let study: StudyInfo = app.get(&routes::study(STUDY)).await.json();
    let [item] = study.questions_before.as_slice() else {
        panic!("{:?}", study.questions_before)
    };
    let options: Vec<&str> = item
        .answer
        .options()
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(
        (item.text.as_str(), options),
        ("Have you?", vec!["No", "Yes"])
    );
    let start = async |attempt: u32, answers: Value| {
        let body = json!({ "attempt": format!("{attempt:016}"), "answers": answers });
        app.ask_to_start(body).await
    };
    for (attempt, unfit) in [
        json!({}),
        json!({ "experience": "much" }),
        json!({ "group": "a" }),
        json!({ "experience": "some", "group": "a" }),
    ]
    .into_iter()
    .enumerate()
    {
        start(attempt as u32, unfit)
            .await
            .refused(ErrorCode::Malformed);
    }
    assert_eq!(app.sessions().await, 0);
    let mut cells = BTreeSet::new();
    for attempt in 10..12 {
        let some = json!({ "experience": "some" });
        let started: SessionStarted = start(attempt, some).await.json();
        assert_eq!(started.plan.cell["experience"], "some");
        cells.insert(started.plan.cell["group"].clone());
    }
    assert_eq!(cells.len(), 2, "one each");
    let some = json!({ "experience": "some" });
    start(12, some).await.refused(ErrorCode::StudyFull);
    let none: SessionStarted = start(13, json!({ "experience": "none" })).await.json();
    assert_eq!(none.plan.cell["experience"], "none");
}

#[tokio::test]
async fn a_participant_code_has_one_session_and_opens_it_again() {
    let app = App::new().await;
    let start = async |attempt: u32, code: &str| {
        let body = json!({ "attempt": format!("{attempt:016}"), "participant_code": code });
        app.ask_to_start(body).await.json::<SessionStarted>()
    };
    let first = start(1, "P-1").await;
    assert_eq!(first.log_len, 0);
    app.append(&first, &log_of(&first)[..2]).await;
    // From another device, fifty times at once: the script's way to fifty completion codes.
    let again = futures_util::future::join_all((2..52).map(|attempt| start(attempt, "P-1"))).await;
    for again in &again {
        assert_eq!((&again.plan, again.log_len), (&first.plan, 2));
    }
    assert_eq!(app.sessions().await, 1);
    app.read(&first).await.refused(ErrorCode::Unauthorised);
    let together =
        futures_util::future::join_all((100..120).map(|attempt| start(attempt, "P-2"))).await;
    let sessions: BTreeSet<_> = together.iter().map(|s| &s.plan.session).collect();
    assert_eq!(sessions.len(), 1, "also if nobody was first");
    assert_eq!(app.sessions().await, 2);
    // Who declined may come back and agree.
    let declined = start(200, "P-3").await;
    let opened = log_of(&declined)[0].clone();
    let decline = Envelope {
        seq: 1,
        event: Event::ConsentDeclined,
        ..opened.clone()
    };
    ack(&app.append(&declined, &[opened, decline]).await);
    let back = start(201, "P-3").await;
    assert_ne!(back.plan.session, declined.plan.session);
    assert_eq!((back.log_len, app.sessions().await), (0, 4));
    // Without a code everybody is somebody else.
    app.start(ATTEMPT).await;
    assert_eq!(app.sessions().await, 5);
}

#[tokio::test]
async fn a_study_can_let_a_code_start_many_sessions() {
    let app = App::of(study_with(json!({ "sessions_per_code": "many" }))).await;
    for attempt in 0..3 {
        let started = app.start_as(&format!("{attempt:016}"), "lab").await;
        assert_eq!(started.log_len, 0);
    }
    assert_eq!(app.sessions().await, 3);
}

#[tokio::test]
async fn simultaneous_starts_get_numbers_of_their_own() {
    let app = App::new().await;
    let attempts: Vec<String> = (0..30).map(|n| format!("attempt-{:010}", n / 2)).collect();
    let started =
        futures_util::future::join_all(attempts.iter().map(|attempt| app.start(attempt))).await;
    let names: BTreeSet<_> = started
        .iter()
        .map(|started| &started.plan.session)
        .collect();
    assert_eq!(names.len(), 15, "each attempt was made twice");
    let ordinals: BTreeSet<u64> = app.stored().await.iter().map(|s| s.ordinal).collect();
    assert_eq!(ordinals.len(), 15);
}

#[tokio::test]
async fn the_nth_session_of_a_study_with_a_seed_is_always_the_same() {
    let (one, other) = (App::new().await, App::new().await);
    for attempt in ["first-attempt-000", "second-attempt-00"] {
        let (mut a, b) = (
            one.start(attempt).await.plan,
            other.start(attempt).await.plan,
        );
        assert_ne!(a.session, b.session);
        a.session = b.session.clone();
        assert_eq!(a, b);
    }
    let sessions = one.stored().await;
    assert_ne!(sessions[0].keys.questions[1], sessions[1].keys.questions[1]);
    assert_ne!(sessions[0].seed, sessions[1].seed);
}

#[tokio::test]
async fn definition_and_models_are_pinned() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let mut snapshot = app.state.storage.study_snapshot(STUDY).await.unwrap();
    let stored = stored_of(&mut *snapshot).await.remove(0);
    assert_eq!(stored.study_sha256, started.plan.study_sha256);
    assert_eq!(
        snapshot.study_versions().await.unwrap(),
        std::slice::from_ref(&stored.study_sha256)
    );
    let json = snapshot
        .study_version(&stored.study_sha256)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&json).unwrap(),
        crate::app::study_json()
    );
    let models = stored.plan.models();
    let names: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
    // The tutorial's is one of them; closed forms have a hash, too.
    assert_eq!(names, ["circles", "sinelines-gt5"]);
    let at_hand = app.state.library.models();
    for model in models {
        let bundle = at_hand.get(&model.name).unwrap();
        assert_eq!(model.bundle_sha256, bundle.fingerprint());
        let storage = &app.state.storage;
        let files = storage.bundle(&model.bundle_sha256).await.unwrap().unwrap();
        assert_eq!(&*files.card, bundle.card_file());
    }
}

#[tokio::test]
async fn targets_are_never_sent_as_latent_vectors() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    let session = &started.plan.session;
    let mut answers = vec![serde_json::to_value(&started).unwrap()];
    answers.push(app.append(&started, &log).await.json());
    answers.push(app.read(&started).await.json());
    answers.push(app.complete(&started).await.json());
    answers.push(app.get(&routes::study(STUDY)).await.json());

    let stored = app.session(session).await;
    let keys = stored.keys.questions.iter().flatten();
    let targets: Vec<Value> = keys
        .map(|key| serde_json::to_value(key).unwrap()["target"].clone())
        .collect();
    assert!(targets.iter().all(Value::is_array));
    assert_eq!(targets.len(), 6);
    for answer in &answers {
        for target in &targets {
            assert!(!holds(answer, target), "{target} was sent");
        }
    }
}

/// Whether a value is in another, at any depth.
fn holds(value: &Value, wanted: &Value) -> bool {
    value == wanted
        || match value {
            Value::Array(values) => values.iter().any(|value| holds(value, wanted)),
            Value::Object(fields) => fields.values().any(|value| holds(value, wanted)),
            _ => false,
        }
}

#[tokio::test]
async fn a_start_that_makes_no_sense_is_refused() {
    let app = App::new().await;
    for body in [
        json!({ "attempt": "short" }),
        json!({ "attempt": "0123456789 abcdef" }),
        json!({ "attempt": "x".repeat(65) }),
        json!({ "attempt": ATTEMPT, "purpose": "pilot" }),
        json!({ "attempt": ATTEMPT, "extra": 1 }),
        json!({ "attempt": ATTEMPT, "condition": "none such" }),
        json!([]),
    ] {
        app.ask_to_start(body).await.refused(ErrorCode::Malformed);
    }
    app.post(
        &routes::study_sessions("none"),
        None,
        json!({ "attempt": ATTEMPT }),
    )
    .await
    .refused(ErrorCode::NotFound);
    assert_eq!(app.sessions().await, 0);

    let body = json!({ "attempt": ATTEMPT, "participant_code": " P-17 " });
    let started: SessionStarted = app.ask_to_start(body).await.json();
    let stored = app.session(&started.plan.session).await;
    assert_eq!(stored.participant_code.as_deref(), Some("P-17"));
}
