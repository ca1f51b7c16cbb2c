//! A database that has a record of every kind.

use std::path::Path;

use sqlx::ConnectOptions as _;

use crate::app::{ATTEMPT, App, STUDY, log_of};

/// Tables whose rows are copied.
pub const TABLES: [&str; 31] = [
    "acme",
    "api_tokens",
    "arrivals",
    "assignments",
    "audit_log",
    "blobs",
    "bundles",
    "credits",
    "erasures",
    "events",
    "identities",
    "instances",
    "memberships",
    "outbox",
    "password_links",
    "paused_cells",
    "payments",
    "plan_skeletons",
    "plans",
    "publications",
    "published",
    "recording_pieces",
    "sealed_events",
    "secrets",
    "sessions",
    "sign_ins",
    "study_statuses",
    "study_texts",
    "study_versions",
    "transcripts",
    "users",
];

/// What commands and servers do not write while the others are written. `ID` is the name of a session, `STUDY` that of its
/// study.
const MORE: [&str; 19] = [
    "INSERT INTO paused_cells VALUES ('STUDY', 'a cell', 7)",
    "INSERT INTO study_statuses VALUES ('STUDY', 'running', 7)",
    "INSERT INTO arrivals VALUES ('ID', 'prolific', 'p-ID', NULL, '{\"a\": \"ü\"}')",
    "INSERT INTO payments VALUES (NULL, 'STUDY', 'ID', 'owed', '', 250, 'EUR', NULL, 7)",
    "INSERT INTO credits VALUES ('ID', 'STUDY', 'waiting', 1, 9, 'é', 8)",
    "INSERT INTO recording_pieces (session, recording, piece, sha256, length, received_at, delete_at) \
     VALUES ('ID', 0, 0, 'hash of ID', 3, 7, 99999999999999), ('ID', 0, 1, 'hash', 0, 7, 99999999999999)",
    "INSERT INTO blobs VALUES ('hash of ID', 7, x'00ff00')",
    "INSERT INTO blobs VALUES ('hash', 7, x'') ON CONFLICT DO NOTHING",
    "INSERT INTO published VALUES ('studies/STUDY', 'study.json', 'hash', x'7b7d') ON CONFLICT DO NOTHING",
    "INSERT INTO publications SELECT COALESCE(MAX(number), 0) + 1, 7, 'studies/STUDY' FROM publications",
    "INSERT INTO transcripts VALUES ('ID', 0, 'WEBVTT of ID', 7, 99999999999999)",
    "INSERT INTO outbox (study, session, platform, deed, decided_at, state, since, attempts, in_doubt) \
     VALUES ('STUDY', 'ID', 'prolific', '{}', 1, 'sent', 2, 3, 0)",
    "INSERT INTO users (name, admin, disabled, password, added_at) VALUES ('zoë of STUDY', 1, 0, NULL, 7)",
    "INSERT INTO memberships VALUES ('zoë of STUDY', 'STUDY', 'owner', 1)",
    "INSERT INTO password_links VALUES ('zoë of STUDY', 'key of STUDY', 7)",
    "INSERT INTO sign_ins VALUES ('sign-in of STUDY', 'key of STUDY', 'zoë of STUDY', '::1', 'b', 7, 8)",
    "INSERT INTO api_tokens VALUES ('token of STUDY', 'key of STUDY', 'zoë of STUDY', 'l', '[]', '[]', 7, 8, NULL)",
    "INSERT INTO identities VALUES ('issuer', 'somebody of STUDY', 'zoë of STUDY', 7)",
    "INSERT INTO audit_log (at, act, study) VALUES (7, 'session_erased', 'STUDY')",
];

/// Puts records of every kind of a study into a server's database, whose study has this one's name. The database is closed
/// afterwards.
pub async fn fill(app: &App) {
    let study = app.setup.study["id"].as_str().unwrap();
    let start = async |attempt: &str, code: &str| {
        let body = serde_json::json!({ "attempt": format!("{attempt}-of-{study}"),
            "participant_code": format!("{code} of {study}") });
        let answer = app
            .post(&api::routes::study_sessions(study), None, body)
            .await;
        answer.json::<api::SessionStarted>()
    };
    let sealed = start(ATTEMPT, "Somebody").await;
    app.append_all(&sealed).await;
    app.complete(&sealed).await;
    let (id, storage) = (&sealed.plan.session, &app.state.storage);
    storage.seal_logs(id, u64::MAX >> 1).await.unwrap();
    let open = start("0000000000000003", "A second one").await;
    app.append(&open, &log_of(&open)[..5]).await;
    let erased = start("0000000000000002", "One who went").await;
    app.append(&erased, &log_of(&erased)[..5]).await;
    app.erase(&erased).await;
    storage
        .set_acme("account", Some("{}".to_owned()))
        .await
        .unwrap();
    storage.close().await;
    let more = MORE.map(|statement| {
        let statement = statement.replace("ID", &id.0);
        statement.replace("STUDY", study)
    });
    change(&app.file(), &more).await;
}

/// Runs statements on a file.
pub async fn change(file: &Path, statements: &[String]) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    for statement in statements {
        let statement = sqlx::AssertSqlSafe(statement.clone());
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    sqlx::Connection::close(connection).await.unwrap();
}

/// A server's database with records of every kind, and nothing that has it open.
pub async fn database() -> App {
    let app = App::new().await;
    assert_eq!(app.setup.study["id"], STUDY);
    fill(&app).await;
    app
}
