//! Records that cannot be read: everything else comes out, the server goes on for everybody else,
//! and `check` names what is wrong.

use api::{ErrorCode, SessionStarted};
use serde_json::Value;
use server::analysis::study_analysis;
use server::database::check;
use server::export::{ExportOptions, SessionSelection};
use server::storage;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqliteConnection};

use crate::app::{App, STUDY, json_lines, log_of};

mod sealed;

/// A server with three sessions, complete.
async fn three() -> (App, Vec<SessionStarted>) {
    let app = App::new().await;
    let mut all = Vec::new();
    for attempt in ["attempt-number-1", "attempt-number-2", "attempt-number-3"] {
        let started = app.start(attempt).await;
        app.append_all(&started).await;
        all.push(started);
    }
    (app, all)
}

async fn connect(app: &App) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(app.file());
    options.foreign_keys(false).connect().await.unwrap()
}

/// Runs a statement on the closed database, with a session's name for `$1`.
pub(crate) async fn damage(app: &App, session: &SessionStarted, statement: &str) {
    let mut connection = connect(app).await;
    let done = sqlx::query(AssertSqlSafe(statement.to_owned()))
        .bind(&session.plan.session.0)
        .execute(&mut connection)
        .await
        .unwrap();
    assert!(done.rows_affected() > 0, "{statement}");
    connection.close().await.unwrap();
}

/// What is done to the second session, the record that is then named, a part of what is said of it,
/// and whether its plan and its log are still read.
const DAMAGE: [(&str, &str, &str, bool, bool); 8] = [
    (
        "UPDATE plans SET plan = substr(plan, 1, 100) WHERE session = $1",
        "plan",
        "the stored text is damaged",
        false,
        true,
    ),
    (
        "UPDATE plans SET keys = '[' WHERE session = $1",
        "answer keys",
        "the stored text is damaged",
        false,
        true,
    ),
    (
        "UPDATE plans SET plan = CAST(X'22ff22' AS TEXT) WHERE session = $1",
        "plan",
        "its bytes are damaged",
        false,
        true,
    ),
    (
        "DELETE FROM plans WHERE session = $1",
        "plan",
        "it is missing",
        false,
        true,
    ),
    (
        "UPDATE events SET envelope = 'x' || envelope WHERE session = $1 AND seq = 7",
        "event 7 of the participant",
        "the stored text is damaged",
        true,
        true,
    ),
    (
        "DELETE FROM events WHERE session = $1 AND seq BETWEEN 4 AND 6",
        "events 4 to 6 of the participant",
        "they are missing",
        true,
        true,
    ),
    (
        "DELETE FROM events WHERE session = $1 AND seq = \
         (SELECT log_len - 1 FROM sessions WHERE id = $1)",
        "of the participant",
        "it is missing",
        true,
        true,
    ),
    (
        "UPDATE events SET envelope = (SELECT replace(envelope, '\"seq\":3', '\"seq\":5') FROM events \
         WHERE session = $1 AND seq = 3) WHERE session = $1 AND seq = 5",
        "event 5 of the participant",
        "it does not follow from those before",
        true,
        true,
    ),
];

#[tokio::test]
async fn one_damaged_record_ends_neither_export_nor_results_and_is_named() {
    for (statement, record, problem, with_plan, with_log) in DAMAGE {
        let (app, sessions) = three().await;
        app.state.storage.close().await;
        damage(&app, &sessions[1], statement).await;
        let id = &sessions[1].plan.session.0;

        let archive = storage::open_archive(&app.url()).await.unwrap();
        let out = app.folder.path().join("out");
        let options = ExportOptions::new("");
        let exported = server::export::export(&*archive, STUDY, &out, &options).await;
        let exported = exported.unwrap();
        assert_eq!((exported.sessions, exported.damaged_sessions), (2, 1));
        let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
        assert_eq!(manifest["damaged_sessions"], 1);
        let problems = manifest["problems"].as_array().unwrap();
        assert_eq!(problems.len(), 1, "{statement}: {problems:?}");
        assert_eq!(problems[0]["session"], id.as_str());
        let named = problems[0]["record"].as_str().unwrap();
        assert!(named.ends_with(record), "{statement}: {named}");
        let said = problems[0]["problem"].as_str().unwrap();
        assert!(said.contains(problem), "{statement}: {said}");

        let of = |name: &str, id: &str| {
            let rows = json_lines(&read(name));
            rows.iter().filter(|row| row["session"] == id).count()
        };
        for whole in [&sessions[0], &sessions[2]] {
            let name = whole.plan.session.0.as_str();
            assert_eq!(of("jsonl/raw/sessions.jsonl", name), 1);
            assert_eq!(of("jsonl/raw/events.jsonl", name), log_of(whole).len());
            assert_eq!(of("materials/plans.jsonl", name), 1);
        }
        assert_eq!(
            of("jsonl/raw/sessions.jsonl", id),
            0,
            "no number is made from it"
        );
        assert_eq!(of("jsonl/raw/reconstruction_questions.jsonl", id), 0);
        assert_eq!(
            of("materials/plans.jsonl", id),
            usize::from(with_plan),
            "{statement}"
        );
        let kept = of("jsonl/raw/events.jsonl", id);
        assert!(
            (kept + 3 >= log_of(&sessions[1]).len()) == with_log,
            "{statement}: {kept} events"
        );

        let results = study_analysis(&*archive, STUDY, SessionSelection::People)
            .await
            .unwrap();
        assert_eq!(
            (results.started, results.complete, results.damaged),
            (3, 2, 1),
            "{statement}"
        );
        assert!(results.to_text().contains("1 damaged and left out"));
        assert_eq!(results.versions[0].included.people, 2);
        archive.close().await;

        let report = check(&app.url()).await.unwrap();
        let named = report.problems.iter().any(|found| {
            found.session.as_ref().is_some_and(|found| found.0 == *id)
                && found.record.ends_with(record)
        });
        assert!(named, "{statement}: {:?}", report.problems);
    }
}

#[tokio::test]
async fn a_damaged_session_is_told_so_and_the_others_go_on() {
    for (statement, ..) in DAMAGE {
        let (app, sessions) = three().await;
        app.state.storage.close().await;
        damage(&app, &sessions[1], statement).await;
        let app = app.restart().await;
        let answer = if statement.contains("log_len") {
            // Its end is missing: seen when something is to be added, not before.
            let log = log_of(&sessions[1]);
            app.append(&sessions[1], &log[log.len() - 1..]).await
        } else {
            app.read(&sessions[1]).await
        };
        let message = answer.refused(ErrorCode::Gone).message;
        assert!(message.contains("damaged"), "{statement}: {message}");
        for whole in [&sessions[0], &sessions[2]] {
            assert_eq!(app.read(whole).await.status, 200, "{statement}");
        }
        let new = app.start("attempt-number-4").await;
        app.append_all(&new).await;
    }
}

/// Pages of a table's b-tree that hold rows.
async fn leaves(app: &App, table: &str) -> Vec<i64> {
    let mut connection = connect(app).await;
    // Page numbers are those of the file only once everything is in it.
    sqlx::query("PRAGMA journal_mode = DELETE")
        .execute(&mut connection)
        .await
        .unwrap();
    let rows = sqlx::query("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
        .bind(table)
        .fetch_all(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn overwrite(app: &App, page: i64) {
    let mut bytes = std::fs::read(app.file()).unwrap();
    let from = usize::try_from(page - 1).unwrap() * 4096;
    bytes[from..from + 4096].fill(0xa5);
    std::fs::write(app.file(), bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_page_costs_what_is_on_it_and_no_more() {
    for table in [
        "events",
        "sessions",
        "sqlite_autoindex_sessions_1",
        "sqlite_autoindex_sessions_2",
        "sqlite_autoindex_plans_1",
    ] {
        let (app, sessions) = three().await;
        let all: usize = sessions.iter().map(|started| log_of(started).len()).sum();
        app.state.storage.close().await;
        let leaves = leaves(&app, table).await;
        overwrite(&app, leaves[leaves.len() / 2]);

        let archive = storage::open_archive(&app.url()).await.unwrap();
        let out = app.folder.path().join("out");
        let options = ExportOptions::new("");
        let exported = server::export::export(&*archive, STUDY, &out, &options).await;
        let exported = exported.unwrap();
        archive.close().await;
        let text = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
        let events = json_lines(&text).len();
        let told = !exported.problems.is_empty();
        match table {
            "events" => {
                assert!(told);
                assert!(exported.sessions >= 1, "{:?}", exported.problems);
                assert!(events < all && events + 60 > all, "{events} of {all}");
            }
            // Three small rows share one page; nothing else says which sessions there are.
            "sessions" => {
                assert!(told);
                assert_eq!((exported.sessions, exported.damaged_sessions), (0, 3));
            }
            "sqlite_autoindex_sessions_2" => {
                assert!(told, "there might have been more");
                let whole = (exported.sessions, exported.damaged_sessions, events);
                assert_eq!(whole, (3, 0, all));
            }
            // The index is not needed where there are the rows.
            _ => assert_eq!(
                (exported.sessions, events, told),
                (3, all, false),
                "{table}"
            ),
        }
        let report = check(&app.url()).await.unwrap();
        let file = |problem: &server::storage::Problem| problem.record == "database file";
        assert!(report.problems.iter().any(file), "{:?}", report.problems);
    }
}
