//! A database that the version before made, with a session of format 1: it is read,
//! resumed, exported, and gives the same numbers.

use std::path::Path;
use std::str::FromStr as _;

use api::{ErrorCode, SessionState, routes};
use axum::http::{Method, StatusCode};
use domain::session::event::{Author, SessionId};
use serde_json::{Value, json};
use server::secrets::TokenHash;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::app::{App, AppResponse, Setup, identifying, json_lines};

const SESSION: &str = "0123456789abcdef0123456789abcdef";
const EXPECTED: &str = include_str!("../../../domain/tests/logs/v1.expected.json");
const TOKEN: &str = "the-token";

/// The sample's plan and events, under a name such as the server gives.
fn plan() -> String {
    let plan = include_str!("../../../domain/tests/logs/v1.plan.json");
    plan.replace("\"s-1\"", &format!("\"{SESSION}\""))
}

fn events() -> Vec<String> {
    let events = include_str!("../../../domain/tests/logs/v1.events.jsonl");
    let name = format!("\"{SESSION}\"");
    events
        .lines()
        .map(|line| line.replace("\"s-1\"", &name))
        .collect()
}

/// Makes the file as the first migration alone did.
async fn old_database(file: &Path) -> SqliteConnection {
    let migrations = tempfile::tempdir().unwrap();
    let first = "0001_sessions_and_events.sql";
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    std::fs::copy(all.join(first), migrations.path().join(first)).unwrap();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let url = format!("sqlite://{}", file.display());
    let options = SqliteConnectOptions::from_str(&url).unwrap();
    let mut connection = options.create_if_missing(true).connect().await.unwrap();
    let migrator = Migrator::new(migrations.path()).await.unwrap();
    migrator.run(&mut connection).await.unwrap();
    connection
}

/// Stores the sample session, or the first `log_len` events of it, as the version before did.
async fn insert(connection: &mut SqliteConnection, log_len: usize, models: &Value) {
    let json: Value = serde_json::from_str(&plan()).unwrap();
    let all = events();
    let log = all.get(..log_len).unwrap_or(&all);
    let targets: Vec<Vec<[f64; 2]>> = json["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| vec![[0.5, 0.5]; stage["questions"].as_array().unwrap().len()])
        .collect();
    let complete = log.len() == all.len();
    let phase = if complete {
        r#"{"phase":"complete"}"#
    } else {
        r#"{"phase":"solving","stage":0,"question":0}"#
    };
    sqlx::query("INSERT INTO study_versions VALUES ('ab', 'small', X'7b7d')")
        .execute(&mut *connection)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO sessions VALUES (?, 'small', 'ab', 1, ?, 'attempt-0123456789', ?, NULL, \
         1790000000000, ?, ?, NULL, NULL)",
    )
    .bind(SESSION)
    .bind("07".repeat(32))
    .bind(server::secrets::hex(&TokenHash::of(TOKEN).0))
    .bind(phase)
    .bind(log.len() as i64)
    .execute(&mut *connection)
    .await
    .unwrap();
    sqlx::query("INSERT INTO plans VALUES (?, 1, ?, ?, ?)")
        .bind(SESSION)
        .bind(plan())
        .bind(json!(targets).to_string())
        .bind(models.to_string())
        .execute(&mut *connection)
        .await
        .unwrap();
    for text in log {
        let event: Value = serde_json::from_str(text).unwrap();
        sqlx::query("INSERT INTO events VALUES (?, ?, ?, ?, 1790000000000, ?)")
            .bind(SESSION)
            .bind(event["seq"].as_i64())
            .bind(event["at_ms"].as_i64())
            .bind(event["kind"].as_str())
            .bind(text)
            .execute(&mut *connection)
            .await
            .unwrap();
    }
}

async fn app_on_old_database(log_len: usize, models: &Value) -> App {
    let folder = tempfile::tempdir().unwrap();
    let mut connection = old_database(&folder.path().join("data/test.db")).await;
    insert(&mut connection, log_len, models).await;
    connection.close().await.unwrap();
    App::on(folder, Setup::default()).await
}

fn session() -> SessionId {
    SessionId(SESSION.to_owned())
}

async fn resume(app: &App) -> AppResponse {
    let path = routes::session(&session());
    app.call(Method::GET, &path, Some(TOKEN), None).await
}

#[tokio::test]
async fn it_is_exported_with_the_same_numbers() {
    let app = app_on_old_database(usize::MAX, &json!([])).await;
    // As before: with what people typed.
    let out = app.export_of("small", identifying()).await;
    let expected: Vec<Value> = serde_json::from_str(EXPECTED).unwrap();
    let text =
        std::fs::read_to_string(out.join("jsonl/raw/reconstruction_questions.jsonl")).unwrap();
    let rows = json_lines(&text);
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row["outcome"], expected["outcome"]);
        assert_eq!(row["target_z"], json!([0.5, 0.5]));
        for (column, measure) in [
            ("response_time_s", "response_time_s"),
            ("active_time_s", "active_time_s"),
            ("slide_distance_widths", "slide_distance"),
            ("error_auc_s", "error_auc"),
        ] {
            let (found, expected) = (row[column].as_f64(), expected[measure].as_f64());
            let difference = found.unwrap() - expected.unwrap();
            assert!(difference.abs() < 1e-9, "{column}: {found:?}, {expected:?}");
        }
    }
    // What was stored is exported as it was stored.
    let exported = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
    assert!(exported.lines().eq(events()));
}

#[tokio::test]
async fn it_is_resumed_while_its_models_are_there_and_refused_in_words_otherwise() {
    // The sample's model is not in the zoo.
    let app = app_on_old_database(16, &json!([])).await;
    let refused = resume(&app).await;
    assert_eq!(refused.status, StatusCode::GONE);
    let message = refused.refused(ErrorCode::Gone).message;
    assert!(message.contains("'dials'"), "{message}");
    // Its log is still there, and takes what a page may still have.
    let more: Vec<Value> = events()[16..20]
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let id = session();
    let batch = json!({ "events": more });
    let answer = app.post(&routes::events(&id), Some(TOKEN), batch).await;
    assert_eq!(answer.json::<api::Ack>().acked_len, 20);
    let stored = app.events(&id, Author::Participant).await;
    assert_eq!(stored.len(), 20);
}

#[tokio::test]
async fn a_complete_session_is_shown_whatever_became_of_its_models() {
    let app = app_on_old_database(usize::MAX, &json!([])).await;
    let state: SessionState = resume(&app).await.json();
    assert_eq!(state.events.len(), events().len());
}

#[tokio::test]
async fn a_model_with_the_same_weights_takes_the_place_of_one_that_was_not_stored() {
    // As if the sample's model had been the closed form `sinelines-gt5`, in an older bundle.
    let folder = tempfile::tempdir().unwrap();
    let mut connection = old_database(&folder.path().join("data/test.db")).await;
    insert(&mut connection, 3, &json!([])).await;
    let plan = plan()
        .replace("\"name\": \"dials\"", "\"name\": \"sinelines-gt5\"")
        .replace("\"name\":\"dials\"", "\"name\":\"sinelines-gt5\"");
    sqlx::query("UPDATE plans SET plan = ?, models = ?")
        .bind(plan)
        .bind(json!([{ "name": "sinelines-gt5", "weights_sha256": "", "fingerprint": "0".repeat(64) }]).to_string())
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let app = App::on(folder, Setup::default()).await;
    let state: SessionState = resume(&app).await.json();
    for model in state.plan.models() {
        let models = app.state.library.models();
        let bundle = models.get(&model.name).unwrap();
        assert_eq!(model.bundle_sha256, bundle.fingerprint(), "{}", model.name);
    }
    // Its targets, which lay within the plan, are fetched as those of any session.
    for id in state.plan.instances() {
        assert_eq!(
            app.get(&routes::instance(&id.0)).await.status,
            StatusCode::OK
        );
    }
}
