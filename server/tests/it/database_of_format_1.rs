//! A database that Redial itself made before tasks were folders (commit 7c7e12e), with
//! what that version exported of it.
//!
//! `format_1/drive.py` took three sessions of `format_1/study.json` on that version's
//! server: one complete, one left in the middle, one left in practice. The JSON Lines
//! beside it are that version's `redial export`; `format_1/models` holds the one of its models
//! that was trained again since.

use std::path::Path;

use api::{ErrorCode, SessionState, routes};
use axum::http::{Method, StatusCode};
use domain::session::event::{Author, SessionId};
use domain::session::{Phase, Session};
use domain::simulate::SimulatedParticipant;
use serde_json::{Value, json};

use crate::app::{App, Setup, identifying, json_lines};
use server::catalogue::{StudyEntry, StudyFiles};

async fn app_with(setup: Setup) -> App {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(
        data.join("test.db"),
        include_bytes!("format_1/redial.db").as_slice(),
    )
    .unwrap();
    App::on(folder, setup).await
}

fn tokens() -> Value {
    serde_json::from_str(include_str!("format_1/tokens.json")).unwrap()
}

/// Every column of before is still there, and holds what it held, but for those named as changed.
fn same(before: &[Value], today: &[Value], changed: &[&str]) {
    assert_eq!(before.len(), today.len());
    for (before, today) in before.iter().zip(today) {
        for (name, value) in before.as_object().unwrap() {
            if changed.contains(&name.as_str()) {
                continue;
            }
            let found = today
                .get(name)
                .unwrap_or_else(|| panic!("no column {name}"));
            match (found.as_f64(), value.as_f64()) {
                (Some(found), Some(value)) => {
                    assert!((found - value).abs() < 1e-9, "{name}: {found} {value}");
                }
                _ => assert_eq!(found, value, "{name}"),
            }
        }
    }
}

#[tokio::test]
async fn it_is_exported_with_the_numbers_of_before() {
    let app = app_with(Setup::default()).await;
    // As before: with what people typed.
    let out = app.export_of("old", identifying()).await;
    let table = |name: &str| {
        json_lines(&std::fs::read_to_string(out.join("jsonl/raw").join(name)).unwrap())
    };
    let questions = table("reconstruction_questions.jsonl");
    let before = json_lines(include_str!("format_1/questions.jsonl"));
    // One that was not ended was empty before and is called abandoned today.
    same(&before, &questions, &["outcome"]);
    for (before, today) in before.iter().zip(&questions) {
        let outcome = before["outcome"].as_str().unwrap_or("abandoned");
        assert_eq!(today["outcome"], outcome);
    }
    assert!(
        questions.iter().any(|row| row["away_s"] == json!(8.0)),
        "the page was hidden for eight seconds"
    );
    let dimensions = json_lines(include_str!("format_1/dimensions.jsonl"));
    same(&dimensions, &table("reconstruction_dimensions.jsonl"), &[]);
    let snapshots = json_lines(include_str!("format_1/snapshots.jsonl"));
    same(&snapshots, &table("reconstruction_snapshots.jsonl"), &[]);
    let answers = json_lines(include_str!("format_1/answers.jsonl"));
    same(&answers, &table("answers.jsonl"), &[]);
}

#[tokio::test]
async fn a_session_left_in_the_middle_goes_on_to_its_code() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/format_1/models");
    let app = app_with(Setup {
        models: Some(models),
        ..Setup::default()
    })
    .await;
    let mut resumed = 0;
    for (id, token) in tokens().as_object().unwrap() {
        let (id, token) = (SessionId(id.clone()), token.as_str());
        let answer = app
            .call(Method::GET, &routes::session(&id), token, None)
            .await;
        assert_eq!(answer.status, StatusCode::OK);
        let state: SessionState = answer.json();
        let session = Session::new(state.plan.clone())
            .replayed(&state.events)
            .unwrap();
        if session.phase() == Phase::Complete {
            continue;
        }
        for instance in state.plan.instances() {
            let picture = app.get(&routes::instance(&instance.0)).await;
            assert_eq!(picture.status, StatusCode::OK);
        }
        let rest: Vec<_> = SimulatedParticipant::going_on(session, 1, 3).collect();
        assert!(rest.iter().all(|event| event.author == Author::Participant));
        let batch = json!({ "events": rest });
        let appended = app.post(&routes::events(&id), token, batch).await;
        assert_eq!(appended.status, StatusCode::OK);
        let code = app.post(&routes::completion(&id), token, json!({})).await;
        assert_eq!(code.status, StatusCode::OK);
        resumed += 1;
    }
    assert_eq!(resumed, 2);
}

/// Plans of format 1 do not hold their models.
#[tokio::test]
async fn a_session_whose_model_was_trained_again_does_not_go_on() {
    let app = app_with(Setup::default()).await;
    let mut gone = 0;
    for (id, token) in tokens().as_object().unwrap() {
        let path = routes::session(&SessionId(id.clone()));
        let answer = app.call(Method::GET, &path, token.as_str(), None).await;
        if answer.status == StatusCode::OK {
            let state: SessionState = answer.json();
            assert!(state.completion_code.is_some(), "{id} goes on");
        } else {
            answer.refused(ErrorCode::Gone);
            gone += 1;
        }
    }
    assert_eq!(gone, 2);
}

#[test]
fn the_study_of_that_time_is_read() {
    let models = server::zoo::Models::load(None).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/format_1/study.json");
    let json = std::fs::read(path).unwrap();
    let files = StudyFiles::named(&|_| None);
    let entry = StudyEntry::new("old", &json, &models, &files).unwrap();
    assert_eq!(entry.study.format, 2);
}
