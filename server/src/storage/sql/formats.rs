//! Which format the tables of a database have, among those that this version knows.

use std::time::Instant;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::super::Result;
use super::connection::{Connection, Dialect, query};
use super::row::SqlResult;

/// A step from one format to the next: the number of the next, what it does, and its statements.
type Step = (i64, &'static str, &'static str);

// The lists are made of the files in `migrations/`.
include!(concat!(env!("OUT_DIR"), "/steps.rs"));

/// The formats that steps lead to.
pub(in super::super) fn formats(steps: &[Step]) -> Migrator {
    let steps = steps.iter().map(|(format, words, statements)| {
        let kind = MigrationType::Simple;
        Migration::new(
            *format,
            (*words).into(),
            kind,
            statements.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(steps.collect())
}

/// How the tables compare with those of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Formats {
    /// They are the same.
    Current,
    /// They are to be brought up to date.
    Older,
    /// A later version made them.
    Newer {
        /// Their format.
        found: i64,
    },
    /// A format that was never released.
    Unreleased {
        /// Its number.
        format: i64,
    },
    /// They were left between two formats.
    HalfWay {
        /// Number of the format that is missing or not finished.
        format: i64,
    },
}

/// The newest format that is known.
pub(in super::super) fn newest(known: &Migrator) -> i64 {
    known.iter().map(|known| known.version).max().unwrap_or(0)
}

/// Compares the formats that a database has gone through with those that are known.
///
/// # Errors
/// When the database fails.
pub(in super::super) async fn compare(
    connection: &mut dyn Connection,
    known: &Migrator,
) -> Result<Formats> {
    let finished = match connection.dialect() {
        Dialect::Sqlite => "success",
        Dialect::Postgres => "CAST(success AS INTEGER)::BIGINT",
    };
    let rows = query(format!(
        "SELECT version, checksum, {finished} FROM _sqlx_migrations ORDER BY version"
    ))
    .fetch_all(connection)
    .await?;
    let newest = newest(known);
    let mut expected = known.iter();
    let mut last = None;
    for row in &rows {
        let format: i64 = row.try_get(0)?;
        let checksum: Vec<u8> = row.try_get(1)?;
        if format > newest {
            return Ok(Formats::Newer { found: format });
        }
        let mut same = known.iter().filter(|known| known.version == format);
        if !same.any(|known| *known.checksum == *checksum) {
            return Ok(Formats::Unreleased { format });
        }
        // They come one after the other.
        let next = expected.next().map_or(format, |next| next.version);
        let is_finished: bool = row.try_get(2)?;
        if !is_finished || format != next {
            let format = if is_finished { next } else { format };
            return Ok(Formats::HalfWay { format });
        }
        last = Some(format);
    }
    Ok(if last == Some(newest) {
        Formats::Current
    } else {
        Formats::Older
    })
}

/// Brings the tables of a database behind a server up to date, in one transaction: one server at a time, all or nothing.
/// The lock ends with the transaction, so it holds behind a pool of connections, too.
///
/// # Errors
/// When a step fails, or the database does; nothing is changed then.
pub(in super::super) async fn bring_up_to_date(
    connection: &mut dyn Connection,
    known: &Migrator,
) -> SqlResult<()> {
    query("BEGIN").execute(&mut *connection).await?;
    let done = take_steps(&mut *connection, known).await;
    let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = query(end).execute(connection).await;
    done.and(ended.map(|_| ()))
}

async fn take_steps(connection: &mut dyn Connection, known: &Migrator) -> SqlResult<()> {
    query("SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('formats', 0))")
        .execute(&mut *connection)
        .await?;
    // As sqlx has it.
    query(
        "CREATE TABLE IF NOT EXISTS _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
         installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, \
         execution_time BIGINT NOT NULL)",
    )
    .execute(&mut *connection)
    .await?;
    let rows = query("SELECT version FROM _sqlx_migrations")
        .fetch_all(&mut *connection)
        .await?;
    let there = rows.iter().map(|row| row.try_get(0));
    let there: Vec<i64> = there.collect::<SqlResult<_>>()?;
    for step in known.iter().filter(|step| !there.contains(&step.version)) {
        let began = Instant::now();
        query(step.sql.as_str().to_owned())
            .execute(&mut *connection)
            .await?;
        let nanoseconds = i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX);
        query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (?, ?, TRUE, ?, ?)",
        )
        .bind(step.version)
        .bind(&*step.description)
        .bind(&*step.checksum)
        .bind(nanoseconds)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
