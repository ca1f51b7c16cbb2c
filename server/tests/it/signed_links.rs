//! Links that Prolific signs. Keys and tokens are made by openssl (`signed_links.sh`).

use std::time::{Duration, Instant};

use api::{Admission, ErrorCode, StudyInfo, routes};
use serde_json::{Value, json};

use crate::app::{App, STUDY, Setup, study_with};
use crate::stand_in::StandIn;
use crate::system::TestSystem;

const FIXTURE: &str = include_str!("signed_links.json");

/// In seconds since 1970, while the good tokens hold.
const NOW_S: u64 = 1_900_000_000;

fn fixture(name: &str) -> Value {
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    fixture[name].clone()
}

async fn served(keys: &StandIn) -> (App, TestSystem) {
    let recruitment = json!({ "recruitment": [{
        "platform": "prolific", "codes": { "COMPLETED": "C1" },
        "signed": { "domain": "study.example.org" }
    }] });
    let system = TestSystem::at(NOW_S * 1_000);
    let app = App::with(Setup {
        study: study_with(recruitment),
        keys_of_prolific: Some(format!("{}/jwks.json", keys.origin)),
        system: system.system(),
        ..Setup::default()
    })
    .await;
    (app, system)
}

fn body(attempt: u32, token: &Value, participant: &str) -> Value {
    let mut link = json!({ "PROLIFIC_PID": participant, "STUDY_ID": "60", "SESSION_ID": "61" });
    if !token.is_null() {
        link["prolific_token"] = token.clone();
    }
    json!({ "attempt": format!("{attempt:016}"), "link": link })
}

#[tokio::test]
async fn only_a_link_that_prolific_signed_opens_the_study() {
    let keys = StandIn::saying(200, &fixture("keys").to_string()).await;
    let (app, _) = served(&keys).await;
    let bad = [
        "wrong_key",
        "for_another",
        "too_old",
        "no_key",
        "not_signed",
        "by_the_public_key",
        "by_second",
        "ends_in_years",
        "held_for_years",
        "begins_later",
        "signed_later",
        "nothing of that name",
    ];
    for (attempt, name) in bad.into_iter().enumerate() {
        let token = fixture(name);
        let attempt = u32::try_from(attempt).unwrap();
        let refused = app.ask_to_start(body(attempt, &token, "5f")).await;
        let refused = refused.refused(ErrorCode::WrongLink);
        assert!(
            refused
                .message
                .contains("Please open the study from Prolific"),
            "{name}: {}",
            refused.message
        );
        let token = token.as_str().unwrap_or_default().to_owned();
        let address = format!(
            "{}?PROLIFIC_PID=5f&STUDY_ID=60&SESSION_ID=61&prolific_token={token}",
            routes::study(STUDY)
        );
        let info: StudyInfo = app.get(&address).await.json();
        assert_eq!(info.arrival.door, Admission::Closed, "{name}");
        assert_eq!(info.arrival.platforms, ["Prolific"]);
    }
    let garbage = body(90, &json!("a.b.c"), "5f");
    let refused = app.ask_to_start(garbage).await;
    refused.refused(ErrorCode::WrongLink);
    // Signed, but for somebody else.
    let other = body(91, &fixture("good"), "5e");
    app.ask_to_start(other).await.refused(ErrorCode::WrongLink);
    assert_eq!(app.sessions().await, 0);

    let good = fixture("good").as_str().unwrap().to_owned();
    // The token alone says who comes.
    let address = format!("{}?prolific_token={good}", routes::study(STUDY));
    let info: StudyInfo = app.get(&address).await.json();
    assert_eq!(info.arrival.door, Admission::Open);
    let alone = json!({ "attempt": format!("{:016}", 92), "link": { "prolific_token": good } });
    let started: api::SessionStarted = app.ask_to_start(alone).await.json();
    let arrival = app.state.storage.arrival(&started.plan.session).await;
    let arrival = arrival.unwrap().unwrap();
    assert_eq!(arrival.participant.as_deref(), Some("5f"));
    assert_eq!(arrival.submission.as_deref(), Some("61"));
    assert!(
        !arrival.link.contains_key("prolific_token"),
        "it is not kept"
    );
    let again = body(93, &fixture("good"), "5f");
    let again: api::SessionStarted = app.ask_to_start(again).await.json();
    assert_eq!(again.plan.session, started.plan.session);
}

#[tokio::test]
async fn keys_are_fetched_when_needed_each_day_and_for_a_name_that_is_new() {
    let keys = StandIn::saying(503, "down").await;
    let (app, system) = served(&keys).await;
    let start = async |attempt: u32, name: &str| {
        app.ask_to_start(body(attempt, &fixture(name), "5f")).await
    };
    let refused = start(1, "good").await.refused(ErrorCode::Unavailable);
    assert!(
        refused.message.contains("open the link again in a minute"),
        "{}",
        refused.message
    );
    assert_eq!(app.sessions().await, 0);
    assert_eq!(keys.asked().len(), 1);
    // Nobody else waits for what was down a moment ago.
    start(1, "good").await.refused(ErrorCode::Unavailable);
    assert!(keys.asked().is_empty());

    keys.say(200, &fixture("keys").to_string());
    system.pass(10_000);
    start(2, "good").await.json::<api::SessionStarted>();
    start(3, "good").await.json::<api::SessionStarted>();
    assert_eq!(keys.asked(), ["/jwks.json"], "once");
    // New keys: the old ones are asked for anew, though not within a minute.
    keys.say(200, &fixture("later_keys").to_string());
    start(4, "by_second").await.refused(ErrorCode::WrongLink);
    assert!(keys.asked().is_empty());
    system.pass(60_000);
    start(5, "by_second").await.json::<api::SessionStarted>();
    assert_eq!(keys.asked().len(), 1);
    // A day later they are fetched anew; if that fails, those before are believed for a week.
    keys.say(503, "down");
    system.pass(24 * 3_600 * 1_000);
    start(6, "by_second").await.json::<api::SessionStarted>();
    assert_eq!(keys.asked().len(), 1);
    system.pass(6 * 24 * 3_600 * 1_000);
    start(7, "by_second").await.refused(ErrorCode::Unavailable);
}

/// What a person waits for at most.
const A_FEW_SECONDS: Duration = Duration::from_secs(8);

#[tokio::test]
async fn while_the_keys_do_not_answer_nobody_waits_long_and_the_last_known_ones_are_used() {
    let keys = StandIn::saying(200, "{}").await;
    keys.hang();
    let (app, system) = served(&keys).await;
    let start = async |attempt: u32, name: &str| {
        app.ask_to_start(body(attempt, &fixture(name), "5f")).await
    };
    let began = Instant::now();
    let five = futures_util::future::join_all((1..6).map(|attempt| start(attempt, "for_days")));
    for answer in five.await {
        let refused = answer.refused(ErrorCode::Unavailable);
        assert!(
            refused.message.contains("open the link again in a minute"),
            "{}",
            refused.message
        );
    }
    assert!(began.elapsed() < A_FEW_SECONDS, "{:?}", began.elapsed());
    // The first page says so before anybody reads a consent form, and does not wait again.
    let began = Instant::now();
    let token = fixture("for_days").as_str().unwrap().to_owned();
    let page = format!("{}?prolific_token={token}", routes::study(STUDY));
    let info: StudyInfo = app.get(&page).await.json();
    assert_eq!(info.arrival.door, Admission::Unchecked);
    assert_eq!(info.arrival.platforms, ["Prolific"]);
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "it was asked again"
    );
    assert_eq!(app.sessions().await, 0);

    keys.say(200, &fixture("keys").to_string());
    system.pass(10_000);
    start(6, "for_days").await.json::<api::SessionStarted>();
    // Two days later they hang: the last known ones are used.
    keys.hang();
    system.pass(2 * 24 * 3_600 * 1_000);
    let began = Instant::now();
    start(7, "for_days").await.json::<api::SessionStarted>();
    assert!(began.elapsed() < A_FEW_SECONDS, "{:?}", began.elapsed());
    let began = Instant::now();
    start(8, "for_days").await.json::<api::SessionStarted>();
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "it was asked again"
    );
}
