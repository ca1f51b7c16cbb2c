//! Secrets are planted, and a viewer looks for them wherever they may look.

use std::collections::BTreeSet;
use std::time::Duration;

use api::research::{AnalysisView, QuestionsSeen, Right, Role, WorkedOut};
use api::{SessionStarted, routes};
use axum::http::Method;
use domain::session::event::Envelope;
use domain::simulate::SimulatedParticipant;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use server::export::session_columns;
use server::http::{OpenedBy, endpoints};
use tower::ServiceExt as _;

use super::results::{WORDS, with_a_name};
use super::{Area, Shows, request};
use crate::app::{STUDY, ack};

/// What a participant writes.
const WRITTEN: &str = "My name is Ada Lovelace";
/// What Prolific calls the participants, their submissions, and its study.
const PARTICIPANT: &str = "5f1e0000aa";
const SUBMISSION: &str = "61c20000bb";
/// What Prolific pays for.
const CODES: [&str; 2] = ["C1A2B3C4", "C5D6E7F8"];

fn study() -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Secrets", "seed": 5,
        "recruitment": [{ "platform": "prolific",
            "codes": { "COMPLETED": CODES[0], "NO_CONSENT": CODES[1] } }],
        "pay": { "currency": "GBP", "amount": "3.00" },
        "parts": [
            {"kind": "stage", "id": "same", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2,
                "same_for_all": {"seed": 9}, "rename_dials": true}},
            {"kind": "questionnaire", "id": "words", "title": "", "items": [
                {"id": "about", "text": "?", "answer": {"kind": "text"}}]}
        ]
    })
}

/// The whole log of a participant who names a dial and writes who they are.
fn telling_log(started: &SessionStarted, seed: u64) -> Vec<Envelope> {
    let log = SimulatedParticipant::new(started.plan.clone(), seed, 5).collect();
    let mut written = 0;
    let log = with_a_name(&started.plan, log).into_iter().map(|event| {
        let mut json = serde_json::to_value(&event).unwrap();
        if json["kind"] == "questionnaire_answered" {
            json["answers"] = json!({ "about": WRITTEN });
            written += 1;
        }
        serde_json::from_value(json).unwrap()
    });
    let log = log.collect();
    assert_eq!(written, 1);
    log
}

/// The queries with which an address is asked for, for a viewer; without what is behind them it shows little or nothing.
async fn queries(area: &Area, path: &str, shows: &Shows) -> Vec<String> {
    let list = |queries: &[&str]| queries.iter().map(|it| (*it).to_owned()).collect();
    if path == routes::research_sessions(STUDY) {
        let columns = session_columns();
        let columns = columns.iter().filter(|it| !it.identifying);
        let columns: Vec<&str> = columns.map(|it| it.name).collect();
        return vec![String::new(), format!("?columns={}", columns.join(","))];
    }
    if path == routes::research_question_lines(STUDY) {
        let path = routes::research_questions(STUDY);
        let found: WorkedOut<QuestionsSeen> = area.worked_out(&path, shows).await;
        let questions = found.found.unwrap().questions.into_iter();
        return questions
            .map(|it| format!("?question={}", it.question))
            .collect();
    }
    let is_file = path == routes::research_analysis_file(STUDY);
    if is_file || path == routes::research_analysis_figure(STUDY) {
        let path = routes::research_analysis(STUDY);
        let view: WorkedOut<AnalysisView> = area.worked_out(&path, shows).await;
        let version = view.found.unwrap().versions.remove(0);
        let figures = version.figures.iter();
        if !is_file {
            let of = |name: &String| format!("?name={name}&version={}", version.study_sha256);
            return figures.map(|it| of(&it.name)).collect();
        }
        let tables = version.tables.iter();
        let files = [
            "numbers.json",
            "results.txt",
            "report.html",
            "labels-to-code.csv",
        ];
        let files = files.into_iter().map(str::to_owned);
        let files = files.chain(tables.map(|it| format!("tables/{}.csv", it.name)));
        let files = files.chain(figures.map(|it| format!("figures/{}.csv", it.name)));
        return files.map(|it| format!("?name={it}")).collect();
    }
    if path == routes::research_power(STUDY) {
        return list(&["?difference=0.1&sd=0.2&within=0.2&people=20"]);
    }
    if path == routes::research_tuning(STUDY) {
        return list(&["?questions=1&thresholds=0.1&times=30"]);
    }
    if path == routes::research_balance(STUDY) {
        return list(&["?arrivals=20"]);
    }
    list(&["", "?identifying=true"])
}

/// What an address answers in the end, and whether it answers at all.
async fn answer(area: &Area, path: &str, shows: &Shows) -> (bool, String) {
    if path.starts_with(routes::LIVE) {
        // It does not end; the picture comes first.
        let asked = request(Method::GET, path, shows, None);
        let answer = area.app.router.clone().oneshot(asked).await.unwrap();
        let mut body = answer.into_body().into_data_stream();
        let picture = body.next().await.unwrap().unwrap();
        return (true, String::from_utf8(picture.to_vec()).unwrap());
    }
    for _ in 0..600 {
        let answer = area.get(path, shows).await;
        let text = answer.text();
        // What cannot be worked out for this study says why, and has come to its end.
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let is_worked_on = json["current"] == false && json["problem"].is_null();
        let waits = is_worked_on || answer.status == 503;
        if !waits {
            return (answer.status.is_success(), text);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!(
        "{path} does not come to its end: {:.500}",
        area.get(path, shows).await.text()
    );
}

#[tokio::test]
async fn a_viewer_finds_no_secret_at_any_endpoint() {
    let area = Area::of(study()).await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let (owner, viewer) = (area.sign_in("ada").await, area.sign_in("vi").await);
    let mut sessions = Vec::new();
    for number in 0..3 {
        let link = json!({ "PROLIFIC_PID": format!("{PARTICIPANT}{number}"), "STUDY_ID": "60",
            "SESSION_ID": format!("{SUBMISSION}{number}") });
        let body = json!({ "attempt": format!("secret-{number:010}"), "link": link });
        let started: SessionStarted = area.app.ask_to_start(body).await.json();
        let log = telling_log(&started, number);
        // The last one is under way.
        let until = log.len() - usize::from(number == 2);
        ack(&area.app.append(&started, &log[..until]).await);
        sessions.push(started);
    }
    let own: Value = area.app.complete(&sessions[0]).await.json();
    let own = own["code"].as_str().unwrap().to_owned();
    // The way back to the platform, with its code, is in the log.
    area.app.depart(&sessions[0]).await;
    // There is something to find, for those who may.
    let session = &sessions[0].plan.session;
    let events = format!(
        "{}?identifying=true",
        routes::research_events(STUDY, session)
    );
    let (_, events) = answer(&area, &events, &owner).await;
    let told = [WORDS, WRITTEN, CODES[0]];
    assert!(told.iter().all(|it| events.contains(it)), "{events:.2000}");
    let (_, checklist) = answer(&area, &routes::research_checklist(STUDY), &owner).await;
    assert!(CODES.iter().all(|code| checklist.contains(code)));
    let arrival = area.app.state.storage.arrival(session).await;
    let arrival = arrival.unwrap().unwrap();
    assert!(arrival.participant.unwrap().starts_with(PARTICIPANT));
    assert!(arrival.submission.unwrap().starts_with(SUBMISSION));

    let secrets = [
        WRITTEN,
        WORDS,
        PARTICIPANT,
        SUBMISSION,
        CODES[0],
        CODES[1],
        &own,
    ];
    let mut silent = BTreeSet::new();
    let mut answers = 0;
    for endpoint in endpoints() {
        let by = endpoint.opened_by;
        if endpoint.method != Method::GET || by == OpenedBy::SessionToken {
            continue;
        }
        let path = endpoint
            .path
            .replace("{study}", STUDY)
            .replace("{session}", &session.0);
        let mut answered = false;
        for query in queries(&area, &path, &viewer).await {
            let path = format!("{path}{query}");
            let (done, text) = answer(&area, &path, &viewer).await;
            for secret in secrets {
                assert!(
                    !text.contains(secret),
                    "{path} tells {secret}: {text:.2000}"
                );
            }
            answers += usize::from(done);
            answered |= done;
        }
        if matches!(
            by,
            OpenedBy::Right(Right::Look) | OpenedBy::RightForSome(Right::Look)
        ) && !answered
        {
            silent.insert(path);
        }
    }
    assert!(silent.is_empty(), "say above how to ask for {silent:?}");
    println!("{answers} answers");
    assert!(answers > 30, "{answers}");
    // What is there is said, though not which.
    let (_, checklist) = answer(&area, &routes::research_checklist(STUDY), &viewer).await;
    assert!(checklist.contains("Prolific: 2 set."), "{checklist}");
}
