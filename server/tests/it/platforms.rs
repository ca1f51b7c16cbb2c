//! Participants who come from recruitment platforms.

use api::{Admission, ErrorCode, SessionStarted, StudyInfo, routes};
use axum::http::Method;
use domain::recruitment::platform::Ended;
use domain::session::event::{Author, Envelope, Event};
use serde_json::{Value, json};

use crate::app::{App, STUDY, Setup, ack, log_of, study_with};

const STAND_IN: &str = "http://127.0.0.1:9";

fn prolific() -> Value {
    json!([{ "platform": "prolific", "codes": { "COMPLETED": "C1", "NO_CONSENT": "C2" } }])
}

async fn served(study: Value, others: Vec<Value>) -> App {
    App::with(Setup {
        study,
        others,
        stand_ins: vec![STAND_IN.to_owned()],
        ..Setup::default()
    })
    .await
}

fn start_body(attempt: u32, link: &Value) -> Value {
    json!({ "attempt": format!("{attempt:016}"), "link": link })
}

async fn start(app: &App, study: &str, attempt: u32, link: &Value) -> SessionStarted {
    let path = routes::study_sessions(study);
    app.post(&path, None, start_body(attempt, link))
        .await
        .json()
}

/// What the server wrote into its own log of a session.
async fn told(app: &App, started: &SessionStarted) -> Vec<Event> {
    let own = app.events(&started.plan.session, Author::Server).await;
    let own = own.into_iter();
    own.map(|event| event.envelope().unwrap().event).collect()
}

/// A mistake in the study's file, or its absence, takes nobody's pay away.
#[tokio::test]
async fn whoever_began_goes_back_although_the_study_is_not_served_any_more() {
    let app = served(study_with(json!({ "recruitment": prolific() })), vec![]).await;
    let link = json!({ "PROLIFIC_PID": "5f", "STUDY_ID": "S", "SESSION_ID": "s" });
    let started = start(&app, STUDY, 1, &link).await;
    let without = Setup {
        study: study_with(json!({ "id": "another" })),
        ..app.setup.clone()
    };
    let app = app.restart_with(without).await;
    app.get(&routes::study(STUDY))
        .await
        .refused(ErrorCode::NotFound);
    app.append_all(&started).await;
    let departure = app.depart(&started).await;
    let completed = "https://app.prolific.com/submissions/complete?cc=C1";
    assert_eq!(departure.way_back.unwrap().url, completed);
}

#[tokio::test]
async fn who_comes_from_prolific_goes_back_there_with_its_code() {
    let app = served(study_with(json!({ "recruitment": prolific() })), vec![]).await;
    let path = routes::study(STUDY);
    let info: StudyInfo = app.get(&path).await.json();
    assert_eq!(info.arrival.door, Admission::Closed);
    assert_eq!(info.arrival.platforms, ["Prolific"]);
    let info: StudyInfo = app
        .get(&format!("{path}?PROLIFIC_PID=5f&SESSION_ID=s"))
        .await
        .json();
    assert_eq!(info.arrival.door, Admission::Open);
    let no_consent = "https://app.prolific.com/submissions/complete?cc=C2";
    assert_eq!(info.arrival.way_back.unwrap().url, no_consent);
    assert_eq!(app.sessions().await, 0);

    let refused = app.ask_to_start(start_body(1, &json!({}))).await;
    refused.refused(ErrorCode::WrongLink);
    assert_eq!(app.sessions().await, 0);

    let link = json!({ "PROLIFIC_PID": "5f", "STUDY_ID": "S", "SESSION_ID": "s" });
    let started = start(&app, STUDY, 2, &link).await;
    let way = routes::departure(&started.plan.session);
    let early = app.own(Method::POST, &way, &started).await;
    early.refused(ErrorCode::NotComplete);
    app.append_all(&started).await;
    let departure = app.depart(&started).await;
    assert_eq!(departure.ended, Ended::Completed);
    let completed = "https://app.prolific.com/submissions/complete?cc=C1";
    assert_eq!(departure.way_back.unwrap().url, completed);
    app.depart(&started).await;
    let given = Event::WayBackGiven {
        ended: Ended::Completed,
        platform: "prolific".into(),
        code: Some("C1".into()),
    };
    assert_eq!(told(&app, &started).await, [given], "said once");

    // The same person again, on another device: the same session, and no name of theirs in it.
    let again = start(&app, STUDY, 3, &link).await;
    assert_eq!(again.plan.session, started.plan.session);
    let stored = app.stored().await.remove(0);
    let code = stored.participant_code.unwrap();
    assert!(
        code.starts_with("prolific-") && !code.contains("5f-"),
        "{code}"
    );
    let storage = &app.state.storage;
    let arrival = async || storage.arrival(&stored.id).await.unwrap().unwrap();
    assert_eq!(arrival().await.participant.as_deref(), Some("5f"));
    assert_eq!(storage.forget_arrivals(STUDY).await.unwrap(), 1);
    let arrival = arrival().await;
    assert_eq!((arrival.participant, arrival.link.len()), (None, 0));
    assert_eq!(arrival.platform, "prolific");
    // They are still known to be the same.
    let again = start(&app, STUDY, 4, &link).await;
    assert_eq!(again.plan.session, started.plan.session);
}

#[tokio::test]
async fn who_does_not_agree_after_the_start_goes_back_without_consent() {
    let app = served(study_with(json!({ "recruitment": prolific() })), vec![]).await;
    let started = start(&app, STUDY, 1, &json!({ "PROLIFIC_PID": "5f" })).await;
    let opened = log_of(&started)[0].clone();
    let declined = Envelope {
        seq: 1,
        event: Event::ConsentDeclined,
        ..opened.clone()
    };
    ack(&app.append(&started, &[opened, declined]).await);
    let departure = app.depart(&started).await;
    assert_eq!(departure.ended, Ended::NoConsent);
    assert_eq!(departure.way_back.unwrap().code.as_deref(), Some("C2"));
}

#[tokio::test]
async fn a_preview_at_mechanical_turk_creates_nothing_and_a_worker_hands_a_form_in() {
    let recruitment = json!({ "recruitment": [{ "platform": "mturk" }] });
    let app = served(study_with(recruitment), vec![]).await;
    let look = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H";
    let info: StudyInfo = app
        .get(&format!("{}?{look}", routes::study(STUDY)))
        .await
        .json();
    assert_eq!(info.arrival.door, Admission::Preview);
    let link = json!({ "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H" });
    let refused = app.ask_to_start(start_body(1, &link)).await;
    refused.refused(ErrorCode::WrongLink);
    let elsewhere = json!({
        "assignmentId": "A", "hitId": "H", "workerId": "W", "turkSubmitTo": "https://evil.example"
    });
    let refused = app.ask_to_start(start_body(1, &elsewhere)).await;
    refused.refused(ErrorCode::WrongLink);
    assert_eq!(app.sessions().await, 0);

    let link = json!({
        "assignmentId": "A", "hitId": "H", "workerId": "W", "turkSubmitTo": STAND_IN
    });
    let started = start(&app, STUDY, 1, &link).await;
    app.append_all(&started).await;
    let form = app.depart(&started).await.way_back.unwrap();
    assert_eq!(form.url, format!("{STAND_IN}/mturk/externalSubmit"));
    assert_eq!(form.form["assignmentId"], "A");
    let stored = app.stored().await.remove(0);
    assert_eq!(
        Some(&form.form["completionCode"]),
        stored.completion_code.as_ref()
    );
}

#[tokio::test]
async fn who_took_part_in_a_study_cannot_take_one_that_comes_not_after_it() {
    let pilot = study_with(json!({ "id": "the-pilot", "recruitment": prolific() }));
    let main = study_with(json!({ "recruitment": prolific(), "not_after": ["the-pilot"] }));
    let app = served(main, vec![pilot]).await;
    let (one, other) = (
        json!({ "PROLIFIC_PID": "1" }),
        json!({ "PROLIFIC_PID": "2" }),
    );
    start(&app, "the-pilot", 1, &one).await;
    let refused = app.ask_to_start(start_body(2, &one)).await;
    refused.refused(ErrorCode::TookPart);
    start(&app, STUDY, 3, &other).await;
    assert_eq!(app.sessions().await, 1);
}

#[tokio::test]
async fn newcomers_alone_take_part_where_the_study_wants_it_but_for_a_list_of_studies() {
    let other = |id: &str| study_with(json!({ "id": id, "recruitment": prolific() }));
    let main = study_with(json!({
        "recruitment": prolific(), "newcomers_only": true, "may_follow": ["the-pilot"]
    }));
    let app = served(main, vec![other("the-pilot"), other("another")]).await;
    let person = |name: &str| json!({ "PROLIFIC_PID": name });
    start(&app, "the-pilot", 1, &person("1")).await;
    start(&app, "another", 2, &person("2")).await;
    let refused = app.ask_to_start(start_body(3, &person("2"))).await;
    refused.refused(ErrorCode::TookPart);
    let first = start(&app, STUDY, 4, &person("1")).await;
    start(&app, STUDY, 5, &person("3")).await;
    // Their own session is no other study.
    let again = start(&app, STUDY, 6, &person("1")).await;
    assert_eq!(again.plan.session, first.plan.session);
    assert_eq!(app.sessions().await, 2);
}

#[tokio::test]
async fn only_a_studys_platforms_may_frame_it_and_be_handed_forms() {
    let policy = async |study: Value| {
        let app = served(study, vec![]).await;
        std::fs::create_dir_all(app.folder.path().join("dist")).unwrap();
        std::fs::write(app.folder.path().join("dist/index.html"), "<p>").unwrap();
        let page = app.get(&format!("/study/{STUDY}")).await;
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        let directives = policy
            .split(';')
            .map(|directive| directive.trim().to_owned());
        let wanted = |directive: &String| {
            directive.starts_with("frame-ancestors") || directive.starts_with("form-action")
        };
        directives.filter(wanted).collect::<Vec<_>>()
    };
    let own = ["form-action 'self'", "frame-ancestors 'self'"];
    assert_eq!(policy(study_with(json!({}))).await, own);
    let framed = json!({ "framed_by": ["https://survey.example.org"] });
    let framed = policy(study_with(framed)).await;
    assert_eq!(
        framed[1],
        "frame-ancestors 'self' https://survey.example.org"
    );
    let mturk = policy(study_with(
        json!({ "recruitment": [{ "platform": "mturk" }] }),
    ))
    .await;
    let hosts = "https://www.mturk.com https://workersandbox.mturk.com";
    assert_eq!(mturk[0], format!("form-action 'self' {hosts} {STAND_IN}"));
    assert_eq!(
        mturk[1],
        format!("frame-ancestors 'self' https://*.mturk.com {STAND_IN}")
    );
}
