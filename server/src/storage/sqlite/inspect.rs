//! Looking for damage in a database that is only read.

use async_trait::async_trait;
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqliteConnection};

use super::super::sql::{hashes, study_version};
use super::super::{Content, Inspection, Problem, Result, StorageError};
use super::archive::SqliteArchive;

#[async_trait]
impl Inspection for SqliteArchive {
    async fn integrity(&self) -> Result<Vec<Problem>> {
        // The file itself, not the copy that may have been made of it.
        let mut connection = self.source.options().connect().await?;
        let mut problems = pages(&mut connection).await?;
        problems.extend(references(&mut connection).await?);
        connection.close().await?;
        Ok(problems)
    }

    async fn hashes(&self, of: Content) -> Result<(Vec<String>, Option<StorageError>)> {
        hashes(&mut *self.readers.requests.acquire().await?, of).await
    }

    async fn study_file(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        study_version(&mut *self.readers.requests.acquire().await?, sha256).await
    }
}

async fn pages(connection: &mut SqliteConnection) -> Result<Vec<Problem>> {
    let found = sqlx::query("PRAGMA integrity_check")
        .fetch_all(connection)
        .await;
    let texts = match found.map_err(StorageError::from) {
        Ok(rows) => rows
            .iter()
            .map(|row| row.try_get::<String, _>(0))
            .collect::<std::result::Result<Vec<_>, _>>()?,
        Err(error) if error.is_damage() => vec![error.to_string()],
        Err(error) => return Err(error),
    };
    let texts = texts.iter().flat_map(|text| text.lines());
    let problem = |text: &str| {
        let why = format!("it is damaged: {}", text.trim_start_matches("*** "));
        Problem::general("database file", why)
    };
    Ok(texts.filter(|text| *text != "ok").map(problem).collect())
}

async fn references(connection: &mut SqliteConnection) -> Result<Vec<Problem>> {
    let found = sqlx::query(
        "SELECT \"table\", parent, COUNT(*) FROM pragma_foreign_key_check GROUP BY 1, 2",
    )
    .fetch_all(connection)
    .await;
    match found.map_err(StorageError::from) {
        Ok(rows) => rows
            .iter()
            .map(|row| {
                let (table, parent): (String, String) = (row.try_get(0)?, row.try_get(1)?);
                let rows: i64 = row.try_get(2)?;
                let why =
                    format!("{rows} of its rows belong to a row of '{parent}' that is missing");
                Ok(Problem::general(format!("table '{table}'"), why))
            })
            .collect(),
        Err(error) if error.is_damage() => Ok(Vec::new()), // told already
        Err(error) => Err(error),
    }
}
