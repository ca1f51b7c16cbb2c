//! The contents of a file, found out before anything is done with it.

use std::path::Path;
use std::sync::LazyLock;

use sqlx::migrate::Migrator;
use sqlx::{Row, SqliteConnection};

use super::super::sql::{Formats, SQLITE_STEPS, compare, formats, newest, unfinished};
use super::super::{OpenError, Opened, StorageError};

/// The steps that make the tables, one for each format of the database.
pub(super) static FORMATS: LazyLock<Migrator> = LazyLock::new(|| formats(SQLITE_STEPS));

/// Where the formats that a file has gone through are noted.
const FORMATS_TABLE: &str = "_sqlx_migrations";

/// The contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    /// No tables.
    Nothing,
    /// A database of this version.
    Current,
    /// A database of an older version.
    Older,
}

impl Contents {
    /// Finds out, without writing.
    ///
    /// # Errors
    /// When the file is of no use to this version.
    pub(super) async fn of(connection: &mut SqliteConnection, path: &Path) -> Opened<Self> {
        let failed = |error: sqlx::Error| of_storage(path, error.into());
        let tables = sqlx::query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' \
             ESCAPE '~' ORDER BY name",
        )
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
        let tables = tables.iter().map(|row| row.try_get(0));
        let tables: Vec<String> = tables.collect::<Result<_, _>>().map_err(failed)?;
        if tables.is_empty() {
            return Ok(Self::Nothing);
        }
        let ours = ["sessions", "plans", "events"];
        let has = |name: &str| tables.iter().any(|table| table == name);
        // Alone, the table of formats is what is left when the first start broke off.
        if !has(FORMATS_TABLE) || (tables.len() > 1 && !ours.into_iter().all(has)) {
            let theirs = |table: &&String| *table != FORMATS_TABLE && !ours.contains(&&***table);
            let table = tables.iter().find(theirs).or(tables.first()).cloned();
            return Err(OpenError::Foreign {
                path: path.to_owned(),
                table: table.unwrap_or_default(),
            });
        }
        if has("copies") {
            let began_at = unfinished(connection).await;
            if let Some(began_at) = began_at.map_err(|error| of_storage(path, error))? {
                let path = path.to_owned();
                return Err(OpenError::UnfinishedCopy { path, began_at });
            }
        }
        let known = newest(&FORMATS);
        let compared = compare(connection, &FORMATS).await;
        let path = path.to_owned();
        match compared.map_err(|error| of_storage(&path, error))? {
            Formats::Current => Ok(Self::Current),
            Formats::Older => Ok(Self::Older),
            Formats::Newer { found } => Err(OpenError::Newer { path, found, known }),
            Formats::Unreleased { format } => Err(OpenError::Unreleased { path, format }),
            Formats::HalfWay { format } => Err(OpenError::HalfWay {
                path,
                format,
                known,
            }),
        }
    }
}

/// Brings the tables up to date.
pub(super) async fn bring_up_to_date(connection: &mut SqliteConnection, path: &Path) -> Opened<()> {
    FORMATS.run(connection).await.map_err(|error| {
        let error = match error {
            sqlx::migrate::MigrateError::Execute(error)
            | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => error.into(),
            other => StorageError::backend(other),
        };
        let path = path.to_owned();
        OpenError::NotBroughtUpToDate { path, error }
    })
}

/// A failure to read a file, in words about the file.
pub(super) fn of_storage(path: &Path, error: StorageError) -> OpenError {
    let path = path.to_owned();
    match error {
        StorageError::Damaged(detail) if detail.contains("not a database") => {
            OpenError::NotADatabase(path)
        }
        StorageError::Damaged(detail) => OpenError::Damaged { path, detail },
        StorageError::Full => OpenError::NoRoom(path),
        StorageError::ReadOnly => OpenError::ReadOnly(path),
        error => OpenError::Storage { path, error },
    }
}
