//! What can be opened as a database, and what is said of the rest.

use std::path::Path;

use server::analysis::study_analysis;
use server::database::{backup, check, vacuum};
use server::export::SessionSelection;
use server::storage::{self, OpenError};

use crate::files::{database, names, run, url};

/// Every way to open a file refuses it, says why, and leaves it as it is.
async fn refused(file: &Path, expected: &str) {
    let before = std::fs::read(file).unwrap();
    let beside = names(file.parent().unwrap());
    let url = url(file);
    let texts = [
        storage::open(&url)
            .await
            .map(|_| ())
            .unwrap_err()
            .to_string(),
        storage::open_archive(&url)
            .await
            .map(|_| ())
            .unwrap_err()
            .to_string(),
        check(&url).await.unwrap_err().to_string(),
        vacuum(&url).await.unwrap_err().to_string(),
        backup(&url, &file.with_extension("copy"))
            .await
            .unwrap_err()
            .to_string(),
    ];
    for text in texts {
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(file.to_str().unwrap()), "{text}");
    }
    assert!(std::fs::read(file).unwrap() == before, "{expected}");
    assert_eq!(names(file.parent().unwrap()), beside, "{expected}");
}

#[tokio::test]
async fn what_is_no_database_of_this_version_is_told_in_words_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign.db");
    run(
        &foreign,
        "CREATE TABLE bookmarks (url TEXT); CREATE TABLE sessions (id TEXT)",
    )
    .await;
    refused(&foreign, "another program (it has the table 'bookmarks')").await;

    let text = folder.path().join("text.db");
    std::fs::write(&text, "Dear diary, ".repeat(1_000)).unwrap();
    refused(&text, "is not a database").await;

    let (_folder, newer) = database().await;
    run(
        &newer,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (99, 'later', 1, X'00', 0)",
    )
    .await;
    refused(
        &newer,
        "was made by a newer version of Redial (its format is 99",
    )
    .await;

    let (_folder, unreleased) = database().await;
    run(
        &unreleased,
        "UPDATE _sqlx_migrations SET checksum = X'00' WHERE version = 2",
    )
    .await;
    refused(&unreleased, "never released").await;

    for half_way in [
        "UPDATE _sqlx_migrations SET success = 0 WHERE version = 11",
        "DELETE FROM _sqlx_migrations WHERE version = 3",
    ] {
        let (_folder, database) = database().await;
        run(&database, half_way).await;
        refused(&database, "was left half-way").await;
    }

    let (_folder, damaged) = database().await;
    let mut bytes = std::fs::read(&damaged).unwrap();
    bytes[100..4096].fill(0xa5);
    std::fs::write(&damaged, bytes).unwrap();
    refused(&damaged, "is damaged").await;

    let missing = folder.path().join("missing.db");
    let error = check(&url(&missing)).await.unwrap_err().to_string();
    assert!(error.contains("there is no database at"), "{error}");
    let error = storage::open("mysql://x").await.map(|_| ()).unwrap_err();
    assert!(matches!(error, OpenError::UnknownKind(_)), "{error}");
}

#[tokio::test]
async fn an_older_database_is_read_without_being_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.db");
    let bytes = include_bytes!("format_1/redial.db").as_slice();
    std::fs::write(&file, bytes).unwrap();
    let archive = storage::open_archive(&url(&file)).await.unwrap();
    assert_eq!(archive.studies().await.unwrap(), ["old"]);
    let results = study_analysis(&*archive, "old", SessionSelection::People)
        .await
        .unwrap();
    assert_eq!(
        (results.started, results.complete, results.damaged),
        (3, 1, 0)
    );
    archive.close().await;
    let report = check(&url(&file)).await.unwrap();
    assert_eq!(report.problems, []);
    assert_eq!(report.sessions, 3);
    assert!(std::fs::read(&file).unwrap() == bytes);
    assert_eq!(names(folder.path()), ["old.db"]);
    // What writes brings it up to date.
    let storage = storage::open(&url(&file)).await.unwrap();
    assert_eq!(storage.studies().await.unwrap(), ["old"]);
}
