//! Database files on their own, without a server.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tempfile::TempDir;

use crate::app::{ATTEMPT, App};

pub fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// A database with one session, complete; closed.
pub async fn database() -> (TempDir, PathBuf) {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    app.append_all(&started).await;
    app.state.storage.close().await;
    let file = app.file();
    (app.folder, file)
}

pub async fn run(file: &Path, statements: &str) {
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options
        .create_if_missing(true)
        .foreign_keys(false)
        .connect()
        .await
        .unwrap();
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
