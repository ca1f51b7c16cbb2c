//! PostgreSQL: any number of servers on one database.
//!
//! Each server has a few connections that write, each with a queue of its own, and pools that read.
//! A matter that two transactions must not decide at once is locked for the time of the
//! transaction; what was decided is on the database's disk when COMMIT answers, and a COMMIT
//! without an answer is looked up ([`target`]).

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use domain::session::event::SessionId;
use sqlx::PgConnection;

use super::sql::{
    Beside, Connection, Formats, NewWriter, OnServer, SqlStorage, bring_up_to_date, parts, query,
    rewrite,
};
use super::{BlobPlace, Erase, Opened, Result, StorageError};

mod address;
mod archive;
mod problem;
mod target;

pub use address::{has_password, without_password};
pub use archive::PostgresArchive;
pub use problem::PostgresProblem;

use address::{Address, FORMATS};
use target::PostgresTarget;

/// Connections that write, each with a queue of its own.
const WRITERS: usize = 4;

/// Connections that read at the same time for requests.
const READERS: u32 = 5;

/// Views of a study that can be open at the same time.
const SNAPSHOTS: u32 = 10;

/// Opens a database to write; makes its tables, or brings them up to date.
///
/// # Errors
/// When it cannot be reached, or is of no use to this version.
pub async fn open(url: &str, blobs: &BlobPlace) -> Opened<SqlStorage> {
    let address = Address::of(url)?;
    let mut connection = address.connect().await?;
    let is_replica = query("SELECT CAST(CAST(pg_is_in_recovery() AS INTEGER) AS BIGINT)");
    let is_replica = is_replica.fetch_one(&mut connection).await;
    let is_replica: bool = is_replica
        .and_then(|row| row.try_get(0))
        .map_err(|error| address.failed(error))?;
    if is_replica {
        return Err(address.problem(PostgresProblem::Replica));
    }
    if address.examine(&mut connection).await? != Some(Formats::Current) {
        let made = bring_up_to_date(&mut connection, &FORMATS).await;
        made.map_err(|error| address.problem(problem::of_making_tables(error)))?;
    }
    let readers = address.pools(READERS, SNAPSHOTS);
    let mut writers = Vec::new();
    for name in names_of_writers(&mut connection)
        .await
        .map_err(|error| address.failed(error))?
    {
        writers.push(NewWriter {
            target: Box::new(PostgresTarget::new(address.clone(), name)),
            connection: None,
        });
    }
    SqlStorage::new(Box::new(NothingBeside(address)), readers, writers, blobs)
}

/// A connection to a database whose tables have been made, to write all of it.
///
/// # Errors
/// As [`open`].
pub async fn connect(url: &str) -> Opened<OnServer<Box<PgConnection>>> {
    Address::of(url)?.connect().await
}

/// How long a server waits for a table that is to be written anew: others wait behind it.
const SHORT: Duration = Duration::from_millis(500);

/// How long the command waits for it.
const LONG: Duration = Duration::from_secs(60);

/// Writes the tables anew with what participants gave, so that nothing of deleted rows is left in them; each is closed to
/// others meanwhile. Gives the size of the database in bytes before and after.
///
/// # Errors
/// When the database cannot be opened, is not of this version, or fails, or one of the tables could not be written anew;
/// then the others are.
pub async fn vacuum(url: &str) -> Opened<(u64, u64)> {
    let address = Address::of(url)?;
    let mut connection = address.connect_to_current().await?;
    let mut left = None;
    let vacuumed = async {
        let before = size(&mut connection).await?;
        for part in parts() {
            if !rewrite(&mut connection, &part, LONG).await? {
                left = left.take().or(Some(part));
            }
        }
        Ok((before, size(&mut connection).await?))
    };
    let sizes = vacuumed.await;
    let sizes = sizes.map_err(|error: StorageError| address.failed(error))?;
    match left {
        Some(part) => Err(address.problem(PostgresProblem::NotRewritten(part))),
        None => Ok(sizes),
    }
}

async fn size(connection: &mut dyn Connection) -> std::result::Result<u64, sqlx::Error> {
    let row = query("SELECT pg_database_size(current_database())");
    let size: i64 = row.fetch_one(connection).await?.try_get(0)?;
    Ok(size.unsigned_abs())
}

/// Names for the writers of this server, which no others have; those that have not written for a day are
/// forgotten.
async fn names_of_writers(
    connection: &mut dyn Connection,
) -> std::result::Result<Vec<String>, sqlx::Error> {
    query("DELETE FROM commits WHERE committed < now() - interval '1 day'")
        .execute(&mut *connection)
        .await?;
    let mut names = Vec::new();
    for _ in 0..WRITERS {
        let name = query("SELECT CAST(gen_random_uuid() AS TEXT)");
        names.push(name.fetch_one(&mut *connection).await?.try_get(0)?);
    }
    Ok(names)
}

/// There is no beside: all is in the database.
struct NothingBeside(Address);

#[async_trait]
impl Beside for NothingBeside {
    fn path(&self) -> Option<&Path> {
        None
    }

    async fn list_as_erased(&self, _: &Erase) -> Result<()> {
        Ok(())
    }

    async fn is_listed_as_erased(&self, _: &SessionId) -> Result<bool> {
        Ok(false)
    }

    fn forget_summaries(&self) -> Result<()> {
        Ok(())
    }

    async fn rewrite(&self, part: &str) -> Result<bool> {
        // One of its own: if this is given up, it ends, and the table is free.
        let mut connection = self.0.connection().await?;
        let done = rewrite(&mut connection, part, SHORT).await?;
        Box::new(connection).close().await?;
        Ok(done)
    }
}
