//! Where a database is, and whether it is of use.

use std::str::FromStr as _;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

use super::super::sql::{
    Connection, Formats, OnServer, POSTGRES_STEPS, Pool, ROWS_PER_STATEMENT, Readers, compare,
    formats, newest, query, unfinished,
};
use super::super::{OpenError, Opened, StorageError};
use super::problem::{self, PostgresProblem};

/// How long a request waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The oldest version that is taken.
const OLDEST: i64 = 15;

/// The steps that make the tables. Formats up to the first of them were SQLite's alone.
pub(super) static FORMATS: LazyLock<Migrator> = LazyLock::new(|| formats(POSTGRES_STEPS));

/// A database, by its address.
#[derive(Clone)]
pub struct Address {
    options: PgConnectOptions,
    /// Whether it is that of a pool of connections, such as PgBouncer.
    is_pooled: bool,
    /// Its name in messages: never with a password.
    name: String,
}

/// Prepared statements cached: those with many rows come in as many sizes, and there are three such.
const STATEMENTS: usize = 3 * ROWS_PER_STATEMENT + 50;

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
        // Somebody who asks for no statements with names has something on the way that does not know them.
        let parameters = options.to_url_lossy();
        let is_pooled = parameters
            .query_pairs()
            .any(|(name, value)| name == "statement-cache-capacity" && value == "0");
        // No numbers with fractions are stored, and PgBouncer takes no such settings.
        let mut options = options.application_name("redial").extra_float_digits(None);
        if !url.contains("statement-cache-capacity") {
            options = options.statement_cache_capacity(STATEMENTS);
        }
        Ok(Self {
            options,
            is_pooled,
            name,
        })
    }

    /// The error for a problem with it.
    pub(super) fn problem(&self, problem: PostgresProblem) -> OpenError {
        OpenError::postgres(&self.name, problem)
    }

    /// It failed in another way.
    pub(super) fn failed(&self, error: impl Into<StorageError>) -> OpenError {
        self.problem(PostgresProblem::Failed(error.into()))
    }

    /// A connection to it.
    pub(super) async fn connection(&self) -> Result<OnServer<Box<PgConnection>>, sqlx::Error> {
        let connection = self.options.connect().await?;
        Ok(OnServer::new(Box::new(connection), self.is_pooled))
    }

    /// The same, with what is to be done where there is none.
    pub(super) async fn connect(&self) -> Opened<OnServer<Box<PgConnection>>> {
        let connection = self.connection().await;
        connection.map_err(|error| self.problem(problem::of_connecting(error)))
    }

    /// A connection to it, where its tables are those of this version.
    pub(super) async fn connect_to_current(&self) -> Opened<OnServer<Box<PgConnection>>> {
        let mut connection = self.connect().await?;
        match self.examine(&mut connection).await? {
            Some(Formats::Current) => Ok(connection),
            None => Err(self.problem(PostgresProblem::Empty)),
            Some(_) => Err(self.problem(PostgresProblem::Older)),
        }
    }

    /// A server that is of use, and how its tables compare; none where it has none yet.
    pub(super) async fn examine(&self, connection: &mut dyn Connection) -> Opened<Option<Formats>> {
        let failed = |error: sqlx::Error| self.failed(error);
        let version = setting(&mut *connection, "server_version_num").await;
        let version = version.map_err(failed)?;
        let major = version.parse::<i64>().unwrap_or(0) / 10_000;
        if major < OLDEST {
            return Err(self.problem(PostgresProblem::Old(major)));
        }
        let encoding = setting(&mut *connection, "server_encoding").await;
        let encoding = encoding.map_err(failed)?;
        if encoding != "UTF8" {
            return Err(self.problem(PostgresProblem::Encoding(encoding)));
        }
        for name in ["fsync", "full_page_writes", "synchronous_commit"] {
            let value = setting(&mut *connection, name).await.map_err(failed)?;
            if value == "off" {
                return Err(self.problem(PostgresProblem::Unsafe(name)));
            }
        }
        let tables = query(
            "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema() \
             ORDER BY 1",
        );
        let tables = tables.fetch_all(&mut *connection).await.map_err(failed)?;
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
        if has("copies") {
            let began_at = unfinished(&mut *connection).await;
            if let Some(began_at) = began_at.map_err(|error| self.failed(error))? {
                return Err(self.problem(PostgresProblem::UnfinishedCopy(began_at)));
            }
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

    /// Pools that read.
    pub(super) fn pools(&self, readers: u32, snapshots: u32) -> Readers {
        let pool = |connections: u32| {
            let options = PgPoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(PATIENCE);
            let pool = options.connect_lazy_with(self.options.clone());
            Pool::Postgres(pool, self.is_pooled)
        };
        Readers {
            requests: pool(readers),
            snapshots: pool(snapshots),
        }
    }
}

async fn setting(
    connection: &mut dyn Connection,
    name: &str,
) -> std::result::Result<String, sqlx::Error> {
    let row = query("SELECT current_setting(?)").bind(name);
    row.fetch_one(connection).await?.try_get(0)
}

/// An address that may be shown: without a password.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://{place}"),
        None => url.to_owned(),
    }
}

/// Whether an address has a password in it.
#[must_use]
pub fn has_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    let of_user = user.split_once(':').is_some_and(|(_, it)| !it.is_empty());
    let parameters = rest
        .split_once('?')
        .map_or("", |(_, parameters)| parameters);
    let mut parameters = parameters.split('&');
    of_user || parameters.any(|it| it.starts_with("password=") && it != "password=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_seen_wherever_they_stand() {
        for (url, has_one) in [
            ("postgres://redial@db/redial", false),
            ("postgres://redial:@db/redial?sslmode=require", false),
            ("postgres://redial:x@db/redial", true),
            ("postgres://redial:a@b@db/redial", true),
            ("postgres://db/redial?user=u&password=x", true),
            ("postgres://db/redial?password=&user=u", false),
            ("postgres:x", false),
        ] {
            assert_eq!(has_password(url), has_one, "{url}");
        }
    }

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
