//! Everybody on one question: what the area shows is what an export has, and the answers stay where they are.

use std::collections::BTreeMap;
use std::path::Path;

use api::research::{QuestionLines, QuestionsSeen, Role, WorkedOut};
use api::{ErrorCode, routes};
use axum::http::Method;
use domain::session::event::Envelope;
use domain::simulate::SimulatedParticipant;
use serde_json::{Value, json};
use server::export::ExportOptions;
use server::export::layout::{ExportHalf, csv as csv_of};

use super::{Area, Shows};
use crate::app::STUDY;

/// Three questions that are the same for all in an order of each person's own, and two that are drawn for each.
fn study() -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Same for all", "seed": 5,
        "parts": [
            {"kind": "stage", "id": "same", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 3,
                "same_for_all": {"seed": 9}, "question_order": "shuffled"}},
            {"kind": "stage", "id": "drawn", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2}}
        ]
    })
}

type Row = BTreeMap<String, String>;

fn table(folder: &Path, name: &str) -> Vec<Row> {
    let file = folder.join(csv_of(STUDY, ExportHalf::Raw, name));
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Which question a row is about.
fn place(row: &Row) -> [&str; 3] {
    ["session", "stage", "question"].map(|column| &*row[column])
}

impl Area {
    async fn found<T: serde::de::DeserializeOwned>(&self, path: &str, shows: &Shows) -> T {
        for _ in 0..600 {
            let answer: WorkedOut<T> = self.get(path, shows).await.json();
            assert_eq!(answer.problem, None);
            if answer.current {
                return answer.found.unwrap();
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("{path} is not worked out");
    }

    async fn lines(&self, question: &str, shows: &Shows) -> QuestionLines {
        let path = routes::research_question_lines(STUDY);
        self.found(&format!("{path}?question={question}"), shows)
            .await
    }
}

/// Four people, of whom the last has stopped in the middle of the first question.
async fn taken() -> Area {
    let area = Area::of(study()).await;
    for number in 1..=4 {
        let started = area.app.start(&format!("{number:016}")).await;
        let log: Vec<Envelope> =
            SimulatedParticipant::new(started.plan.clone(), number, 9).collect();
        let until = if number == 4 { 6 } else { log.len() };
        area.app.append(&started, &log[..until]).await;
    }
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    area
}

#[tokio::test]
async fn everybody_on_a_question_is_what_the_export_has() {
    let area = taken().await;
    let viewer = area.sign_in("vi").await;
    let seen: QuestionsSeen = area
        .found(&routes::research_questions(STUDY), &viewer)
        .await;
    assert_eq!(seen.problems, Vec::<String>::new());
    assert_eq!((seen.questions.len(), seen.alone), (3, 6));
    assert_eq!(seen.sessions, 4);

    let out = area.app.export_of(STUDY, ExportOptions::new("")).await;
    let questions = table(&out, "reconstruction_questions");
    let snapshots = table(&out, "reconstruction_snapshots");
    let sessions = table(&out, "sessions");
    // The export knows the targets: questions are the same where start and target are.
    let mut same = BTreeMap::<[&str; 3], Vec<&Row>>::new();
    for row in &questions {
        let which = ["model", "start_z", "target_z"].map(|column| &*row[column]);
        same.entry(which).or_default().push(row);
    }
    let mut left = same.values().filter(|rows| rows.len() > 1).count();
    let mut points = 0;
    for question in &seen.questions {
        let shown = area.lines(&question.question, &viewer).await;
        assert_eq!(
            (&shown.model, shown.lines.len() as u64),
            (&question.model, question.sessions)
        );
        let first = &shown.lines[0];
        let is_first = |row: &&Row| {
            let at = [
                first.session.to_string(),
                first.at.stage.to_string(),
                first.at.question.to_string(),
            ];
            place(row).map(str::to_owned) == at
        };
        let rows = same
            .values()
            .find(|rows| rows.iter().any(is_first))
            .unwrap();
        assert_eq!(rows.len(), shown.lines.len());
        let mut outcomes = BTreeMap::<String, u64>::new();
        for (line, row) in shown.lines.iter().zip(rows.iter()) {
            let number = |column: &str| row[column].parse::<f64>().unwrap();
            assert_eq!(row["session"], line.session.to_string());
            assert_eq!(row["outcome"], line.outcome);
            assert_eq!(row["stage_id"], line.stage_id);
            assert_eq!(row["started_at_ms"], line.started_at_ms.to_string());
            assert_eq!(number("response_time_s"), line.lasted_ms as f64 / 1_000.0);
            assert_eq!(line.wanted, 1.0 - number("threshold_distance"));
            let session = sessions.iter().find(|it| it["session"] == row["session"]);
            let session = session.unwrap();
            assert_eq!(session["ordinal"], line.ordinal.to_string());
            assert_eq!(session["standing"], line.standing);
            let mine = snapshots.iter().filter(|it| place(it) == place(row));
            let expected: Vec<(u64, f64)> = mine
                .map(|it| {
                    let distance: f64 = it["distance"].parse().unwrap();
                    (it["elapsed_ms"].parse().unwrap(), 1.0 - distance)
                })
                .collect();
            let found = line
                .elapsed_ms
                .iter()
                .copied()
                .zip(line.alignment.iter().copied());
            assert_eq!(
                found.collect::<Vec<_>>(),
                expected,
                "session {}",
                line.ordinal
            );
            points += expected.len();
            *outcomes.entry(line.outcome.clone()).or_default() += 1;
        }
        assert_eq!(outcomes, question.outcomes);
        left -= 1;
    }
    assert_eq!(left, 0, "every question of several people is listed");
    assert!(points > 100, "{points}");
    let abandoned = seen.questions.iter().map(|it| it.outcomes.get("abandoned"));
    assert_eq!(abandoned.flatten().sum::<u64>(), 1);
}

#[tokio::test]
async fn questions_are_for_those_who_may_look_and_give_no_answer_away() {
    let area = taken().await;
    area.add("ned", false, &[("other", Role::Owner, false)])
        .await;
    let viewer = area.sign_in("vi").await;
    let stranger = area.sign_in("ned").await;
    let list = routes::research_questions(STUDY);
    let seen: QuestionsSeen = area.found(&list, &viewer).await;
    let question = &seen.questions[0].question;
    let lines = format!(
        "{}?question={question}",
        routes::research_question_lines(STUDY)
    );
    for path in [&list, &lines] {
        area.get(path, &stranger)
            .await
            .refused(ErrorCode::Forbidden);
    }
    // Not one of the targets' values, which the export has.
    area.lines(question, &viewer).await;
    let text = area.get(&lines, &viewer).await.text() + &area.get(&list, &viewer).await.text();
    let out = area.app.export_of(STUDY, ExportOptions::new("")).await;
    for row in table(&out, "reconstruction_questions") {
        let target: Vec<f64> = serde_json::from_str(&row["target_z"]).unwrap();
        assert!(!text.contains(&row["target_z"]), "{target:?}");
    }
    assert!(!text.contains("target"), "{text}");
    // What is no name is not looked for; a name that nobody has begun has no lines.
    for odd in ["", "x", "0123456789ABCDEF", "..%2F..%2Fetc"] {
        let path = format!("{}?question={odd}", routes::research_question_lines(STUDY));
        let refused = area.get(&path, &viewer).await.refused(ErrorCode::Refused);
        assert!(
            refused.message.contains("16 hex digits"),
            "{}",
            refused.message
        );
    }
    let nobody = area.lines("0123456789abcdef", &viewer).await;
    assert_eq!(nobody.lines, Vec::new());
    // Simulated people are not among them, and whoever is erased is gone.
    let simulated: QuestionsSeen = area.found(&format!("{list}?of=simulated"), &viewer).await;
    assert_eq!((simulated.sessions, simulated.questions.len()), (0, 0));
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let owner = area.sign_in("ada").await;
    let before = area.lines(question, &viewer).await;
    let gone = before.lines[0].session.clone();
    let path = routes::research_erasure(STUDY, &gone);
    let body = json!({ "session": gone });
    let answer = area.call(Method::POST, &path, &owner, Some(body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let after = area.lines(question, &viewer).await;
    assert_eq!(after.lines.len(), before.lines.len() - 1);
    assert!(after.lines.iter().all(|it| it.session != gone));
}
