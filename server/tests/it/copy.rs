//! All that a database holds, taken to another kind of database and back.

use std::path::{Path, PathBuf};

use cluster::{Cluster, cluster};
use domain::session::event::SessionId;
use server::database;
use server::erasure_keeper::ErasureKeeper;
use server::storage::{self, BlobPlace, Copying, StorageError};

use crate::app::{ATTEMPT, App, STUDY, Setup, log_of};

mod every_kind;
mod goes_on;
mod one_study;

/// A table's rows as text, by the copy in a file.
async fn rows_of(file: &Path, table: &str) -> Vec<String> {
    use sqlx::{ConnectOptions as _, Row as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let columns = sqlx::query("SELECT name FROM pragma_table_info(?) ORDER BY name")
        .bind(table)
        .fetch_all(&mut connection)
        .await
        .unwrap();
    let quoted: Vec<String> = columns
        .iter()
        .map(|row| format!("quote(\"{}\")", row.get::<String, _>(0)))
        .collect();
    let rows = format!(
        "SELECT {} FROM {table} ORDER BY 1",
        quoted.join(" || ',' || ")
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(rows))
        .fetch_all(&mut connection)
        .await
        .unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_database_comes_back_from_postgresql_as_it_was() {
    let app = App::new().await;
    let started = app.start_as(ATTEMPT, "P1").await;
    app.append_all(&started).await;
    app.complete(&started).await;
    let erased = app.start("0000000000000002").await;
    app.append(&erased, &log_of(&erased)[..5]).await;
    app.erase(&erased).await;
    app.state.storage.close().await;
    let there = app.url();
    let server = cluster().database();
    let folder = tempfile::tempdir().unwrap();
    let back = folder.path().join("back.db");

    let rows = storage::copy(&there, &server, Copying::default(), &|_| {})
        .await
        .unwrap();
    assert!(rows > 50, "{rows}");
    // Whoever has something already is not written over.
    let again = storage::copy(&there, &server, Copying::default(), &|_| {})
        .await
        .unwrap_err();
    assert!(
        again
            .to_string()
            .contains("has rows in its table 'study_versions' already"),
        "{again}"
    );
    let report = database::check(&server).await.unwrap();
    assert_eq!(
        (report.sessions, report.problems.len()),
        (1, 0),
        "{:?}",
        report.problems
    );
    let returned = storage::copy(
        &server,
        &storage::url_of(&back),
        Copying::default(),
        &|_| {},
    )
    .await
    .unwrap();
    assert_eq!(returned, rows);
    for table in [
        "study_versions",
        "study_texts",
        "sessions",
        "plans",
        "events",
        "assignments",
        "arrivals",
        "secrets",
        "erasures",
        "payments",
        "instances",
        "bundles",
        "blobs",
        "users",
        "audit_log",
        "outbox",
    ] {
        assert_eq!(
            rows_of(&back, table).await,
            rows_of(&app.file(), table).await,
            "{table}"
        );
    }
    // A backup of a database behind a server is such a file, too.
    let backup = folder.path().join("backup.db");
    let report = database::backup(&server, &backup).await.unwrap();
    assert_eq!((report.sessions, report.problems.len()), (1, 0));

    // What was copied is served on.
    let on = App::at(&server, app.setup.clone()).await;
    assert_eq!(on.state_of(&started).await.events, log_of(&started));
    on.read(&erased).await.refused(api::ErrorCode::Erased);
    let next = on.start("0000000000000007").await;
    assert_eq!(on.session(&next.plan.session).await.ordinal, 3);
    let ledger = on.state.storage.study_snapshot(STUDY).await.unwrap();
    assert_eq!({ ledger }.ledger().await.unwrap().lines.len(), 3);
    assert!(on.state.storage.user("nobody").await.unwrap().is_none());
}

/// A list of erasures of a database, as its servers keep it.
fn erasures(app: &App, beside: &Path, blobs: &BlobPlace) -> ErasureKeeper {
    ErasureKeeper::new(app.state.storage.clone(), beside, blobs).unwrap()
}

#[tokio::test]
async fn a_dump_that_is_put_back_brings_nobody_back_who_was_erased() {
    let (url, dump) = (cluster().database(), cluster().database());
    let app = App::at(&url, Setup::default()).await;
    let stays = app.start(ATTEMPT).await;
    let erased = app.start("0000000000000002").await;
    storage::copy(&url, &dump, Copying::default(), &|_| {})
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [beside, other] = ["redial", "other"].map(|name| folder.path().join(name));
    let inside = BlobPlace::Database;
    let mut keeper = erasures(&app, &beside, &inside);
    assert_eq!(keeper.catch_up().await.unwrap(), 0);
    assert!(app.erase(&erased).await.status.is_success());
    for _ in 0..2 {
        assert_eq!(keeper.catch_up().await.unwrap(), 0);
    }
    let list = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let id = &erased.plan.session;
    assert_eq!(list("redial-erasures").matches(&id.0).count(), 1);

    let back = App::at(&dump, app.setup.clone()).await;
    assert!(back.state.storage.session(id).await.unwrap().is_some());
    for expected in [1, 0] {
        let mut keeper = erasures(&back, &beside, &inside);
        assert_eq!(keeper.catch_up().await.unwrap(), expected);
    }
    back.read(&erased).await.refused(api::ErrorCode::Erased);
    assert!(back.read(&stays).await.status.is_success());
    // Whoever erased it: a server that never had a list has it now.
    let mut keeper = erasures(&back, &other, &inside);
    assert_eq!(keeper.catch_up().await.unwrap(), 0);
    assert!(list("other-erasures").contains(&id.0));

    // Where blobs lie outside, so does the list, and takes over what a server had in its own.
    let place = BlobPlace::Folder(folder.path().join("blobs"));
    let mut keeper = erasures(&back, &beside, &place);
    assert_eq!(keeper.catch_up().await.unwrap(), 0);
    assert!(list(&format!("blobs/erasures/{id}")).contains(&id.0));
    let (url, dump) = (cluster().database(), cluster().database());
    let again = a_list_outside_reaches_a_dump([&url, &dump], folder.path(), &place).await;
    // What a later version has written there is not passed over.
    let later = list(&format!("blobs/erasures/{again}")).replace("\"format\":1", "\"format\":2");
    let name = "f".repeat(32);
    std::fs::write(folder.path().join("blobs/erasures").join(&name), later).unwrap();
    let told = erasures(&back, &beside, &place).catch_up().await;
    assert!(
        matches!(&told, Err(StorageError::Beside(why)) if why.contains(&name)),
        "{told:?}"
    );
}

/// Erases a session after its database was copied to another: a server whose own folder is empty erases it there, too.
/// Gives its name.
pub async fn a_list_outside_reaches_a_dump(
    [url, dump]: [&str; 2],
    folder: &Path,
    place: &BlobPlace,
) -> SessionId {
    let app = App::at(url, Setup::default()).await;
    let erased = app.start(ATTEMPT).await;
    storage::copy(url, dump, Copying::default(), &|_| {})
        .await
        .unwrap();
    assert!(app.erase(&erased).await.status.is_success());
    let own = folder.join("own");
    let mut keeper = erasures(&app, &own, place);
    assert_eq!(keeper.catch_up().await.unwrap(), 0);
    let back = App::at(dump, app.setup.clone()).await;
    for expected in [1, 0] {
        let mut keeper = erasures(&back, &own, place);
        assert_eq!(keeper.catch_up().await.unwrap(), expected);
    }
    back.read(&erased).await.refused(api::ErrorCode::Erased);
    assert!(!folder.join("own-erasures").exists());
    erased.plan.session
}

/// Files below a folder that hold a text, but for PostgreSQL's log of changes.
pub fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("pg_wal") {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn nothing_of_an_erased_session_is_left_in_postgresql_s_tables_after_a_vacuum() {
    const CODE: &str = "Somebody whom nobody else is called";
    let cluster = Cluster::own();
    let url = cluster.database();
    let app = App::at(&url, Setup::default()).await;
    let started = app.start_as(ATTEMPT, CODE).await;
    app.append_all(&started).await;
    let checkpoint = || cluster.sql("postgres", "CHECKPOINT").unwrap();
    checkpoint();
    let session = &*started.plan.session.0;
    assert!(!holding(&cluster.data(), CODE).is_empty(), "it was given");
    assert!(app.erase(&started).await.status.is_success());
    checkpoint();
    assert!(
        !holding(&cluster.data(), CODE).is_empty(),
        "deleted rows stay for a while"
    );
    let sizes = database::vacuum(&url).await.unwrap();
    assert!(sizes.before > 0 && sizes.after > 0);
    checkpoint();
    assert_eq!(holding(&cluster.data(), CODE), Vec::<PathBuf>::new());
    // Its name stays, in what is kept of it, and leads to nothing.
    assert!(!holding(&cluster.data(), session).is_empty());
    app.read(&started).await.refused(api::ErrorCode::Erased);
}

#[tokio::test]
async fn every_table_is_copied_or_of_this_server_alone() {
    let url = cluster().database();
    storage::open(&url).await.unwrap().close().await;
    let name = url.rsplit('/').next().unwrap();
    let tables = cluster().sql(
        name,
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
         AND relnamespace = 'public'::regnamespace ORDER BY 1",
    );
    let tables = tables.unwrap();
    let source = include_str!("../../src/storage/sql/copy.rs");
    let own = [
        "_sqlx_migrations",
        "app_files",
        "commits",
        "copies",
        "duties",
        "erased_from",
        "ledger_changes",
        "ledger_versions",
        "nodes",
        "probes",
    ];
    for table in tables.lines() {
        let is_copied = source.contains(&format!("(\"{table}\", "));
        assert_ne!(is_copied, own.contains(&table), "{table}");
    }
}
