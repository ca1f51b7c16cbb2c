//! Which answers to a questionnaire are wrong: told once the server has them, and not before.

use std::collections::BTreeMap;

use api::{CheckAnswer, ErrorCode, SessionStarted, routes};
use domain::session::event::{Author, Envelope, Event, PageInfo};
use serde_json::{Value, json};
use server::export::layout::{ExportHalf, csv as csv_of};

use crate::app::{ATTEMPT, App, AppResponse, STUDY, Setup, ack, of_page};

fn setup() -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Checks", "seed": 3, "parts": [
            { "kind": "questionnaire", "id": "quiz", "title": "Quiz", "attempts": 2, "wrong_answer": "mark", "items": [
                { "id": "goal", "text": "?", "right": "match", "answer": { "kind": "choice", "options": ["match", "draw"] } },
                { "id": "dials", "text": "?", "right": 5, "answer": { "kind": "number" } }] },
            { "kind": "questionnaire", "id": "opinions", "title": "Opinions", "random_order": true, "items": [
                { "id": "colour", "text": "Write green.", "right": "green", "answer": { "kind": "text" } },
                { "id": "why", "text": "?", "prefer_not": true, "answer": { "kind": "choice", "random_order": true, "options":
                    ["a", "b", { "id": "other", "text": "Other", "describe": "required" }] } }] },
            { "block": "sus" },
            { "block": "nasa-tlx" },
            { "kind": "stage", "id": "play", "task": { "kind": "exploration", "model": "sinelines-gt5" } }
        ]
    });
    Setup::of(study)
}

async fn ask(app: &App, started: &SessionStarted) -> AppResponse {
    let path = routes::checks(&started.plan.session);
    app.post(&path, Some(&started.token), json!({ "part": 0 }))
        .await
}

async fn told(app: &App, started: &SessionStarted) -> Vec<String> {
    ask(app, started).await.json::<CheckAnswer>().wrong
}

/// A page that logs one event after the other.
struct Page {
    started: SessionStarted,
    seq: u64,
}

impl Page {
    fn next(&self, event: Event) -> Envelope {
        of_page(&self.started, self.seq, self.seq * 1_000, event)
    }

    async fn log(&mut self, app: &App, event: Event) {
        let envelope = self.next(event);
        self.seq = ack(&app.append(&self.started, &[envelope]).await);
    }

    async fn answer(&mut self, app: &App, questionnaire: &str, answers: Value) {
        let event = Event::QuestionnaireAnswered {
            questionnaire: questionnaire.into(),
            answers: serde_json::from_value(answers).unwrap(),
            time_over: false,
        };
        self.log(app, event).await;
    }

    async fn receive(&mut self, app: &App, wrong: &[String]) {
        let event = Event::CheckReceived {
            part: 0,
            wrong: wrong.to_vec(),
        };
        self.log(app, event).await;
    }
}

#[tokio::test]
async fn a_check_comes_after_the_answers_are_stored_and_is_logged_once_for_each_attempt() {
    let app = App::with(setup()).await;
    let started = app.start(ATTEMPT).await;
    let sent = serde_json::to_string(&started).unwrap();
    assert!(
        !sent.contains("\"right\"") && !sent.contains("green\""),
        "{sent}"
    );
    let mut page = Page { started, seq: 0 };
    let opened = Event::PageOpened {
        page: PageInfo::default(),
    };
    page.log(&app, opened).await;
    ask(&app, &page.started)
        .await
        .refused(ErrorCode::NotAnswered);
    let path = routes::checks(&page.started.plan.session);
    app.post(&path, None, json!({ "part": 0 }))
        .await
        .refused(ErrorCode::Unauthorised);

    page.answer(&app, "quiz", json!({ "goal": "draw", "dials": 5 }))
        .await;
    assert_eq!(told(&app, &page.started).await, ["goal"]);
    assert_eq!(told(&app, &page.started).await, ["goal"]);
    // What the page says it was told must be what it was told.
    let made_up = page.next(Event::CheckReceived {
        part: 0,
        wrong: vec![],
    });
    app.append(&page.started, &[made_up])
        .await
        .refused(ErrorCode::Refused);
    page.receive(&app, &["goal".into()]).await;
    ask(&app, &page.started)
        .await
        .refused(ErrorCode::NotAnswered);

    // Again, on a server that reads everything back.
    let app = app.restart().await;
    page.answer(&app, "quiz", json!({ "goal": "match", "dials": 5 }))
        .await;
    assert_eq!(told(&app, &page.started).await, [""; 0]);
    page.receive(&app, &[]).await;
    let own = app.events(&page.started.plan.session, Author::Server).await;
    assert_eq!(own.len(), 2, "one for each attempt");

    page.answer(
        &app,
        "opinions",
        json!({ "colour": "blue",
        "why": { "chosen": ["other"], "described": { "other": "tea" } } }),
    )
    .await;
    let points = [5, 4, 2, 1, 2, 3, 2, 4, 5, 2];
    let rows: BTreeMap<String, i32> = (1..=10)
        .zip(points)
        .map(|(number, point)| (format!("sus_{number}"), point))
        .collect();
    page.answer(&app, "sus", json!({ "sus": { "rows": rows } }))
        .await;
    page.answer(
        &app,
        "nasa_tlx",
        json!({ "mental_demand": 6, "physical_demand": 3,
        "temporal_demand": 12, "performance": 8, "effort": 6,
        "frustration": { "no_answer": "prefer_not" } }),
    )
    .await;
    let out = app.export().await;
    check_tables(&out);
}

fn table(folder: &std::path::Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader =
        csv::Reader::from_path(folder.join(csv_of(STUDY, ExportHalf::Raw, name))).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn check_tables(out: &std::path::Path) {
    let answers = table(out, "answers");
    let rows = |item: &str| -> Vec<&BTreeMap<String, String>> {
        answers.iter().filter(|row| row["item"] == item).collect()
    };
    let column = |item: &str, name: &str| -> Vec<String> {
        rows(item).iter().map(|row| row[name].clone()).collect()
    };
    assert_eq!(column("goal", "attempt"), ["1", "2"]);
    assert_eq!(column("goal", "right"), ["false", "true"]);
    assert_eq!(column("colour", "right"), ["false"]);
    assert_eq!(column("why", "answer_text"), [r#"["other"]"#]);
    assert_eq!(column("why", "described"), [r#"{"other":"withheld"}"#]);
    let mut places = [column("why", "place"), column("colour", "place")].concat();
    places.sort();
    assert_eq!(places, ["1", "2"]);
    let order: Vec<String> = serde_json::from_str(&column("why", "shown_order")[0]).unwrap();
    assert_eq!(order.last().map(String::as_str), Some("other"));
    assert_eq!(order.len(), 3);
    assert_eq!(column("sus", "row")[0], "sus_1");
    assert_eq!(
        column("sus", "answer_number"),
        ["5", "4", "2", "1", "2", "3", "2", "4", "5", "2"]
    );
    assert_eq!(column("frustration", "no_answer"), ["prefer_not"]);

    let scores = table(out, "scores");
    let values: Vec<(&str, &str)> = scores
        .iter()
        .map(|row| (row["score"].as_str(), row["value"].as_str()))
        .collect();
    // Brooke's own example; a TLX that lacks a subscale has no score.
    assert_eq!(values, [("sus", "55.0"), ("raw_tlx", "")]);

    let session = &table(out, "sessions")[0];
    assert_eq!(session["attention_checks"], "1");
    assert_eq!(session["attention_checks_failed"], "1");
    assert_eq!(session["marked"], "false");
}
