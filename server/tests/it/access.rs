//! Who may start a session, and what is kept of what they are told.

use api::{ErrorCode, SessionStarted, StudyInfo, StudyList, routes};
use serde_json::{Value, json};

use crate::app::{ATTEMPT, App, STUDY, ack, log_of, study_with};

/// A study that anybody can start, with something more in its file.
async fn with(more: Value) -> App {
    App::of(study_with(more)).await
}

async fn try_to_start(app: &App, attempt: u32, code: &str) -> crate::app::AppResponse {
    let body = json!({ "attempt": format!("{attempt:016}"), "participant_code": code });
    app.ask_to_start(body).await
}

async fn opens(app: &App, attempt: u32, code: &str) -> SessionStarted {
    try_to_start(app, attempt, code).await.json()
}

async fn shuts(app: &App, attempt: u32, code: &str, why: ErrorCode) {
    try_to_start(app, attempt, code).await.refused(why);
}

#[tokio::test]
async fn only_codes_in_the_studys_list_can_start_it() {
    let app = with(json!({ "participant_codes": "codes.txt" })).await;
    for (attempt, code) in [(1, "P1"), (2, "P-02")] {
        opens(&app, attempt, code).await;
    }
    for (attempt, code) in [(3, "P3"), (4, "p1")] {
        shuts(&app, attempt, code, ErrorCode::WrongLink).await;
    }
    let nobody = app.ask_to_start(json!({ "attempt": ATTEMPT })).await;
    nobody.refused(ErrorCode::WrongLink);
    assert_eq!(app.sessions().await, 2);
}

#[tokio::test]
async fn a_study_is_open_between_its_times_and_who_has_begun_can_go_on() {
    let early = with(json!({ "opens": "2999-01-01T00:00:00Z" })).await;
    let info: StudyInfo = early.get(&routes::study(STUDY)).await.json();
    assert_eq!(info.arrival.door, api::Admission::NotNow);
    shuts(&early, 1, "P1", ErrorCode::NotOpen).await;
    assert_eq!(early.sessions().await, 0);

    let app = with(json!({ "closes": "2999-01-01T00:00:00+01:00" })).await;
    let begun = opens(&app, 1, "P1").await;
    let mut closed = app.setup.clone();
    closed.study["closes"] = json!("2020-01-01T00:00:00Z");
    let app = app.restart_with(closed).await;
    let again = opens(&app, 2, "P1").await;
    assert_eq!(again.plan.session, begun.plan.session);
    shuts(&app, 3, "P2", ErrorCode::NotOpen).await;
}

#[tokio::test]
async fn no_more_sessions_are_started_than_the_study_says() {
    let app = with(json!({ "design": { "assignment": { "most_sessions": 2 } } })).await;
    for (attempt, code) in [(1, "P1"), (2, "P2")] {
        opens(&app, attempt, code).await;
    }
    shuts(&app, 3, "P3", ErrorCode::StudyFull).await;
    // Who has one goes on with it.
    opens(&app, 4, "P2").await;
    assert_eq!(app.sessions().await, 2);
}

#[tokio::test]
async fn codes_that_a_spreadsheet_would_misread_are_refused_and_so_is_nul() {
    let app = with(json!({})).await;
    for code in ["=1+1", "-1", "@x", "a\u{202e}b", "a\u{7}"] {
        shuts(&app, 1, code, ErrorCode::WrongLink).await;
    }
    let refused = try_to_start(&app, 1, "a\0b").await;
    let refused = refused.refused(ErrorCode::Malformed);
    assert!(refused.message.contains("NUL"), "{}", refused.message);
    opens(&app, 1, "Zoë 2+").await;
}

#[tokio::test]
async fn a_study_that_is_not_listed_has_its_page() {
    let app = with(json!({ "listed": false })).await;
    let list: StudyList = app.get(routes::STUDIES).await.json();
    assert_eq!(list.studies, []);
    app.get(&routes::study(STUDY)).await.json::<StudyInfo>();
}

#[tokio::test]
async fn what_participants_were_told_is_in_the_export() {
    let app = with(json!({})).await;
    app.start(ATTEMPT).await;
    let out = app.export().await;
    let manifest = std::fs::read(out.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let told = &manifest["texts"][0];
    assert_eq!(told["text"], "consent.md");
    let text = std::fs::read_to_string(out.join(told["file"].as_str().unwrap())).unwrap();
    assert_eq!(text, "# Consent <script>alert(1)</script>");
    // printf '# Consent <script>alert(1)</script>' | sha256sum
    let sha256 = "a072a35107c83c7d576f6330f21580edb4865ea87d0baeaec42e79b1aea62e77";
    assert_eq!(told["sha256"], sha256);
    assert_eq!(
        told["study_sha256"],
        app.stored().await[0].study_sha256.as_str()
    );
}

#[tokio::test]
async fn who_left_goes_on_only_where_the_study_lets_them() {
    let app = with(json!({ "resume": { "within_hours": 0 } })).await;
    let begun = opens(&app, 1, "P1").await;
    // Nothing was done yet, so there is nothing to go on with.
    let again = opens(&app, 2, "P1").await;
    assert_eq!(again.plan.session, begun.plan.session);
    let log = log_of(&again);
    ack(&app.append(&again, &log[..2]).await);
    app.read(&again).await.refused(ErrorCode::NotResumable);
    shuts(&app, 3, "P1", ErrorCode::NotResumable).await;
    assert_eq!(app.sessions().await, 1);

    let mut an_hour = app.setup.clone();
    an_hour.study["resume"] = json!({ "within_hours": 1 });
    let app = app.restart_with(an_hour.clone()).await;
    let back = opens(&app, 4, "P1").await;
    assert_eq!(app.state_of(&back).await.events, log[..2]);
    ack(&app.append(&back, &log).await);

    // A session that has ended shows its end for ever.
    an_hour.study["resume"] = json!({ "within_hours": 0 });
    let app = app.restart_with(an_hour).await;
    let done = opens(&app, 5, "P1").await;
    app.state_of(&done).await;
}
