//! Names that open sessions: whatever parameter and platform they come in, one check refuses those that
//! name nobody, when the page asks for the study and when a session is started.

use std::fmt::Write as _;

use api::{Admission, ErrorCode, SessionStarted, StudyInfo, routes};
use serde_json::{Value, json};

use crate::app::{App, STUDY, Setup, study_with, tried_entry};

/// Every way in which a name can come: what the study says, the parameter, and what else its link has.
fn ways() -> Vec<(Value, &'static str, Value)> {
    let submit =
        json!({ "assignmentId": "A1", "hitId": "H1", "turkSubmitTo": "https://www.mturk.com" });
    let prolific = json!({ "platform": "prolific", "codes": { "COMPLETED": "C1" } });
    let connect =
        json!({ "platform": "connect", "complete_url": "https://connect.cloudresearch.com/x" });
    let sona = json!({ "platform": "sona", "site": "yourschool.sona-systems.com",
        "experiment_id": 123, "credit_token_file": "sona.txt" });
    let of = |from: Value| json!({ "recruitment": [from, { "platform": "link" }] });
    vec![
        (
            of(prolific.clone()),
            "PROLIFIC_PID",
            json!({ "STUDY_ID": "60", "SESSION_ID": "61" }),
        ),
        (of(prolific), "SESSION_ID", json!({ "PROLIFIC_PID": "5f" })),
        (of(json!({ "platform": "mturk" })), "workerId", submit),
        (
            of(connect),
            "participantId",
            json!({ "assignmentId": "A1", "projectId": "P1" }),
        ),
        (of(sona), "survey_code", json!({})),
        (json!({}), "participant", json!({})),
        (
            json!({ "participant_codes": "codes.txt" }),
            "participant",
            json!({}),
        ),
        (json!({ "mode": "lab" }), "participant", json!({})),
    ]
}

/// What names nobody, as it stands in a link once that was decoded.
fn nobodies() -> Vec<String> {
    let texts = [
        "{{%PROLIFIC_PID%}}",
        "{{%25PROLIFIC_PID%25}}",
        "%7B%7B%25PROLIFIC_PID%25%7D%7D",
        "%SURVEY_CODE%",
        "${e://Field/PID}",
        "[PARTICIPANT]",
        "<id>",
        "\u{ff5b}\u{ff5b}\u{ff05}PROLIFIC_PID\u{ff05}\u{ff5d}\u{ff5d}",
        "PROLIFIC_PID",
        "undefined",
        "\u{ff55}ndefined",
        "null",
        "NaN",
        "[object Object]",
        "P\u{200b}07",
        "P\u{fffd}07",
        "P\u{202e}07",
        "P\u{7}07",
        "\u{3164}",
        "-P07",
        "(P07)",
    ];
    let long = [101, 512, 513, 3_000].map(|length| "x".repeat(length));
    texts.into_iter().map(str::to_owned).chain(long).collect()
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

async fn door(app: &App, link: &Value) -> Admission {
    let pairs = link.as_object().unwrap().iter();
    let pairs = pairs.map(|(name, value)| format!("{name}={}", encoded(value.as_str().unwrap())));
    let query: Vec<String> = pairs.collect();
    let info: StudyInfo = app
        .get(&format!("{}?{}", routes::study(STUDY), query.join("&")))
        .await
        .json();
    info.arrival.door
}

#[tokio::test]
async fn a_name_that_everybody_could_come_with_is_refused_before_consent_whatever_it_comes_in() {
    for (more, parameter, rest) in ways() {
        let app = App::of(study_with(more.clone())).await;
        let mut attempt = 0_u32;
        let mut start = async |link: &Value| {
            attempt += 1;
            let body = json!({ "attempt": format!("{attempt:016}"), "link": link });
            app.ask_to_start(body).await
        };
        let with = |name: &str| {
            let mut link = rest.clone();
            link[parameter] = json!(name);
            link
        };
        let nobodies = nobodies();
        let blank = (parameter != "SESSION_ID").then(|| vec![String::new(), " ".to_owned()]);
        for name in nobodies.into_iter().chain(blank.unwrap_or_default()) {
            let link = with(&name);
            assert_eq!(
                door(&app, &link).await,
                Admission::WrongLink,
                "{parameter}={name:?}"
            );
            // Two browsers that have nothing in common but the link.
            for _ in 0..2 {
                let refused = start(&link).await.refused(ErrorCode::WrongLink);
                assert!(
                    refused.message.contains("The link is wrong"),
                    "{}",
                    refused.message
                );
                assert!(!refused.message.contains("again"), "{}", refused.message);
            }
        }
        assert_eq!(app.sessions().await, 0, "{more}");
        let link = with("P1");
        assert_eq!(door(&app, &link).await, Admission::Open, "{more}");
        start(&link).await.json::<SessionStarted>();
    }
}

#[tokio::test]
async fn a_code_beside_the_link_is_checked_like_one_in_it_and_so_are_trials() {
    for purpose in domain::recruitment::assignment::Purpose::ALL {
        let app = App::with(Setup {
            study: study_with(json!({})),
            purpose,
            ..Setup::default()
        })
        .await;
        for name in nobodies() {
            let body = json!({ "attempt": "0123456789abcdef", "participant_code": name });
            app.ask_to_start(body).await.refused(ErrorCode::WrongLink);
        }
        let two = json!({ "attempt": "0123456789abcdef", "participant_code": "P1",
            "link": { "participant": "P2" } });
        app.ask_to_start(two).await.refused(ErrorCode::Malformed);
        assert_eq!(app.sessions().await, 0);
    }
}

#[tokio::test]
async fn a_code_is_the_same_in_every_form_of_unicode() {
    let app = App::of(study_with(json!({ "participant_codes": "codes.txt" }))).await;
    let mut sessions = Vec::new();
    // The list has "P1": here it comes in wide letters, and with a wide space behind it.
    for (attempt, code) in ["P1", "\u{ff30}\u{ff11}", "P1\u{3000}"]
        .into_iter()
        .enumerate()
    {
        let started = app.start_as(&format!("{attempt:016}"), code).await;
        sessions.push(started.plan.session);
    }
    sessions.dedup();
    assert_eq!((sessions.len(), app.sessions().await), (1, 1));
    assert_eq!(
        app.stored().await[0].participant_code.as_deref(),
        Some("P1")
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_name_nobody() {
    let app = App::of(study_with(json!({}))).await;
    let page = format!("{}?participant=P%FF%FE7", routes::study(STUDY));
    let info: StudyInfo = app.get(&page).await.json();
    assert_eq!(info.arrival.door, Admission::WrongLink);
}

#[test]
fn a_listed_code_that_could_open_nothing_is_a_problem_of_the_file() {
    let study = study_with(json!({ "participant_codes": "wrong-codes.txt" }));
    let models = server::zoo::Models::load(None).unwrap();
    let problems = tried_entry(&study, &models).unwrap_err();
    let said = problems.join("\n");
    assert!(said.contains("wrong-codes.txt: line 2"), "{said}");
    assert!(
        said.contains("wrong-codes.txt: line 4") && said.contains("U+200B"),
        "{said}"
    );
    assert_eq!(problems.len(), 2, "{said}");
}
