//! PostgreSQL: any number of servers on one database.
//!
//! Each server has a few connections that write, each with a queue of its own, and pools that read. What two
//! transactions must not decide at once is locked for the time of the transaction; what was decided is
//! on the database's disk when COMMIT answers, and a COMMIT without an answer is looked up
//! ([`target`]).

use std::path::Path;
use std::str::FromStr as _;

use async_trait::async_trait;
use domain::session::event::SessionId;
use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

use super::sql::{
    Beside, Formats, NewWriter, Pool, Readers, Reads, SqlStorage, compare, newest, query,
};
use super::{Erase, OpenError, Opened, Result, StorageError};

mod problem;
mod target;

pub use problem::PostgresProblem;

use target::PostgresTarget;

/// Connections that write, each with a queue of its own.
const WRITERS: usize = 4;

/// Connections that read at the same time for requests.
const READERS: u32 = 5;

/// Views of a study that can be open at the same time.
const SNAPSHOTS: u32 = 4;

/// The oldest version that is taken.
const OLDEST: i64 = 15;

/// The steps that make the tables. Formats up to the first of them were SQLite's alone.
static FORMATS: Migrator = sqlx::migrate!("migrations/postgres");

/// A database, by its address.
#[derive(Clone)]
pub struct Address {
    options: PgConnectOptions,
    /// What it is called in messages: never with a password.
    name: String,
}

impl Address {
    /// The one that a URL such as `postgres://redial@localhost/redial` names; a password that is not in it comes from
    /// `PGPASSWORD` or a password file.
    ///
    /// # Errors
    /// When the URL cannot be read.
    pub fn of(url: &str) -> Opened<Self> {
        let options = PgConnectOptions::from_str(url).map_err(|error| {
            let name = without_password(url);
            OpenError::postgres(&name, PostgresProblem::Address(error.to_string()))
        })?;
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => options.get_host().to_owned(),
        };
        let database = options.get_database().unwrap_or(options.get_username());
        let name = format!("postgres://{host}:{}/{database}", options.get_port());
        let options = options.application_name("redial");
        Ok(Self { options, name })
    }

    fn problem(&self, problem: PostgresProblem) -> OpenError {
        OpenError::postgres(&self.name, problem)
    }

    fn failed(&self, error: impl Into<StorageError>) -> OpenError {
        self.problem(PostgresProblem::Failed(error.into()))
    }

    async fn connect(&self) -> Opened<PgConnection> {
        let connection = self.options.connect().await;
        connection.map_err(|error| self.problem(problem::of_connecting(error)))
    }

    /// A server that is of use, and how its tables compare; none where it has none yet.
    async fn examine(&self, connection: &mut PgConnection) -> Opened<Option<Formats>> {
        let failed = |error: sqlx::Error| self.failed(error);
        let version = setting(connection, "server_version_num").await;
        let version = version.map_err(failed)?;
        let major = version.parse::<i64>().unwrap_or(0) / 10_000;
        if major < OLDEST {
            return Err(self.problem(PostgresProblem::Old(major)));
        }
        let encoding = setting(connection, "server_encoding").await;
        let encoding = encoding.map_err(failed)?;
        if encoding != "UTF8" {
            return Err(self.problem(PostgresProblem::Encoding(encoding)));
        }
        for name in ["fsync", "full_page_writes", "synchronous_commit"] {
            let value = setting(connection, name).await.map_err(failed)?;
            if value == "off" {
                return Err(self.problem(PostgresProblem::Unsafe(name)));
            }
        }
        let tables = query(
            "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema() \
             ORDER BY 1",
        );
        let tables = tables.fetch_all(connection).await.map_err(failed)?;
        let tables = tables.iter().map(|row| row.try_get(0));
        let tables: Vec<String> = tables
            .collect::<std::result::Result<_, _>>()
            .map_err(failed)?;
        let has = |name: &str| tables.iter().any(|table| table == name);
        match tables.as_slice() {
            [] => return Ok(None),
            // It is made first: the first start broke off.
            [only] if only == "_sqlx_migrations" => return Ok(None),
            [first, ..] if !has("_sqlx_migrations") || !has("sessions") => {
                return Err(self.problem(PostgresProblem::Foreign(first.clone())));
            }
            _ => {}
        }
        let formats = compare(connection, &FORMATS).await;
        let known = newest(&FORMATS);
        match formats.map_err(|error| self.failed(error))? {
            Formats::Newer { found } => Err(self.problem(PostgresProblem::Newer { found, known })),
            Formats::Unreleased { format } => {
                Err(self.problem(PostgresProblem::Unreleased(format)))
            }
            Formats::HalfWay { format } => Err(self.problem(PostgresProblem::HalfWay(format))),
            formats => Ok(Some(formats)),
        }
    }

    fn pools(&self, readers: u32, snapshots: u32) -> Readers {
        let pool = |connections: u32| {
            let options = PgPoolOptions::new().max_connections(connections);
            Pool::Postgres(options.connect_lazy_with(self.options.clone()))
        };
        Readers {
            requests: pool(readers),
            snapshots: pool(snapshots),
        }
    }
}

async fn setting(
    connection: &mut PgConnection,
    name: &str,
) -> std::result::Result<String, sqlx::Error> {
    let row = query("SELECT current_setting(?)").bind(name);
    row.fetch_one(connection).await?.try_get(0)
}

/// An address that may be shown.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://{place}"),
        None => url.to_owned(),
    }
}

/// Opens a database to write; makes its tables, or brings them up to date.
///
/// # Errors
/// When it cannot be reached, or is of no use to this version.
pub async fn open(url: &str) -> Opened<SqlStorage> {
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
        // One server at a time: sqlx takes an advisory lock.
        let made = FORMATS.run(&mut connection).await;
        made.map_err(|error| address.problem(problem::of_making_tables(error)))?;
    }
    let readers = address.pools(READERS, SNAPSHOTS);
    let mut writers = Vec::new();
    for name in names_of_writers(&mut connection)
        .await
        .map_err(|error| address.failed(error))?
    {
        writers.push(NewWriter {
            target: Box::new(PostgresTarget::new(address.options.clone(), name)),
            connection: None,
        });
    }
    Ok(SqlStorage::new(Box::new(NothingBeside), readers, writers))
}

/// Names for the writers of this server, which no others have; those that have not written for a day are
/// forgotten.
async fn names_of_writers(
    connection: &mut PgConnection,
) -> std::result::Result<Vec<String>, sqlx::Error> {
    query("DELETE FROM commits WHERE committed < now() - interval '1 day'")
        .execute(connection)
        .await?;
    let mut names = Vec::new();
    for _ in 0..WRITERS {
        let name = query("SELECT CAST(gen_random_uuid() AS TEXT)");
        names.push(name.fetch_one(connection).await?.try_get(0)?);
    }
    Ok(names)
}

/// A database that is only read.
pub struct PostgresArchive {
    readers: Readers,
}

impl PostgresArchive {
    /// Opens the database at a URL.
    ///
    /// # Errors
    /// When it cannot be reached, or its tables are not those of this version.
    pub async fn open(url: &str) -> Opened<Self> {
        let address = Address::of(url)?;
        let mut connection = address.connect().await?;
        match address.examine(&mut connection).await? {
            Some(Formats::Current) => {}
            None => return Err(address.problem(PostgresProblem::Empty)),
            Some(_) => return Err(address.problem(PostgresProblem::Older)),
        }
        let readers = address.pools(2, 2);
        Ok(Self { readers })
    }
}

#[async_trait]
impl Reads for PostgresArchive {
    fn readers(&self) -> &Readers {
        &self.readers
    }

    fn path(&self) -> Option<&Path> {
        None
    }

    async fn close(&self) {
        self.readers.close().await;
    }
}

/// There is no beside: all is in the database.
struct NothingBeside;

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_has_a_password() {
        let address =
            Address::of("postgres://somebody:secret@db.example.org:5433/studies?sslmode=require");
        assert_eq!(
            address.unwrap().name,
            "postgres://db.example.org:5433/studies"
        );
        let error = Address::of("postgres://somebody:secret@host:port/x").err();
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(!text.is_empty() && !text.contains("secret"), "{text}");
    }
}
