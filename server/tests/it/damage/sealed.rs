//! Pieces of sealed logs that cannot be read.

use api::ErrorCode;
use server::database::check;
use server::export::ExportOptions;
use server::storage;

use super::{damage, three};
use crate::app::{STUDY, json_lines, log_of};

#[tokio::test]
async fn a_damaged_piece_of_a_sealed_log_is_named_and_costs_no_other() {
    for (statement, problem) in [
        ("lines = substr(lines, 1, 40)", "they cannot be unpacked"),
        ("lines = zeroblob(9)", "they cannot be unpacked"),
        ("sha256 = 'another'", "their hash is another one"),
        ("format = 9", "their format 9 is not known"),
        ("events = events + 1", "are there"),
    ] {
        let (app, sessions) = three().await;
        for started in &sessions {
            let storage = &app.state.storage;
            let id = &started.plan.session;
            storage.seal_logs(id, u64::MAX / 4).await.unwrap();
        }
        app.state.storage.close().await;
        let statement = format!("UPDATE sealed_events SET {statement} WHERE session = $1");
        damage(&app, &sessions[1], &statement).await;

        let archive = storage::open_archive(&app.url()).await.unwrap();
        let out = app.folder.path().join("out");
        let options = ExportOptions::new("");
        let exported = server::export::export(&*archive, STUDY, &out, &options).await;
        let exported = exported.unwrap();
        assert_eq!((exported.sessions, exported.damaged_sessions), (2, 1));
        let named = &exported.problems[0];
        assert!(named.record.starts_with("events 0 to "), "{named:?}");
        let text = format!("{named:?}");
        assert!(text.contains(problem), "{statement}: {text}");
        let events = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
        let whole = log_of(&sessions[0]).len() + log_of(&sessions[2]).len();
        assert_eq!(json_lines(&events).len(), whole);
        archive.close().await;
        let report = check(&app.url()).await.unwrap();
        assert_eq!(report.problems.len(), 1, "{:?}", report.problems);

        let app = app.restart().await;
        let answer = app.read(&sessions[1]).await;
        let message = answer.refused(ErrorCode::Gone).message;
        assert!(message.contains("damaged"), "{statement}: {message}");
        assert_eq!(app.read(&sessions[0]).await.status, 200);
    }
}
