//! Why a database behind PostgreSQL is of no use, with what to do about it.

use super::super::StorageError;

/// Why a database behind PostgreSQL cannot be opened. Nothing in it has been changed.
#[derive(Debug, thiserror::Error)]
pub enum PostgresProblem {
    /// The address cannot be read.
    #[error("this is no address of a database ({0}): write postgres://USER@HOST/DATABASE")]
    Address(String),
    /// Nobody answers.
    #[error(
        "it cannot be reached ({0}): see that the server runs and that this machine may connect to it"
    )]
    Unreachable(String),
    /// The server does not believe us.
    #[error(
        "the server refuses this user ({0}): put the password into PGPASSWORD or a password file, and see \
         pg_hba.conf of the server"
    )]
    Refused(String),
    /// There is no such database.
    #[error("there is no such database; make it with: createdb --encoding=UTF8 NAME")]
    Missing,
    /// The server is too old.
    #[error("the server is PostgreSQL {0}; Redial needs version 15 or a later one")]
    Old(i64),
    /// Texts are kept in another way.
    #[error(
        "its encoding is {0}; make a database with: createdb --encoding=UTF8 --template=template0 NAME"
    )]
    Encoding(String),
    /// Writes that were acknowledged could be lost.
    #[error(
        "the server's setting {0} is off, so what was acknowledged could be lost: set it to on, for the \
         server and for this user"
    )]
    Unsafe(&'static str),
    /// It only follows another server.
    #[error("this server is a replica and takes no writes: name the primary server")]
    Replica,
    /// A copy into it has not ended.
    #[error(
        "the copy into it that began on {0} (UTC) has not ended: go on with it by the same \
         'redial database copy', or make the database anew"
    )]
    UnfinishedCopy(String),
    /// It belongs to another program.
    #[error(
        "it is a database of another program (it has the table '{0}'): name one of its own for Redial"
    )]
    Foreign(String),
    /// A later version has made its tables.
    #[error(
        "it was made by a newer version of Redial (its format is {found}, this version reads formats up to \
         {known}): use that version, or a later one"
    )]
    Newer {
        /// Its format.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// Its tables are of a version that was never released.
    #[error("its format {0} is not the one that this version knows under that number")]
    Unreleased(i64),
    /// Its tables were left between two formats.
    #[error(
        "it was left half-way when it was brought up to date (format {0} is missing or not finished)"
    )]
    HalfWay(i64),
    /// Its tables are of an earlier version.
    #[error(
        "it is of an older version of Redial: a server of this version brings it up to date when it starts"
    )]
    Older,
    /// It has no tables.
    #[error("it holds nothing: a server makes the tables when it first starts")]
    Empty,
    /// This user may not make tables.
    #[error(
        "its tables cannot be made or brought up to date ({0}): let this user create tables in the schema"
    )]
    NotMade(String),
    /// Something was asked for that is done with a file.
    #[error(
        "this is done with a database in a file. For one behind PostgreSQL there are pg_dump and pg_restore, and \
         'redial database copy' into a file"
    )]
    NoFile,
    /// A table could not be had, or is still seen as it was.
    #[error(
        "its table '{0}' was not written anew: somebody has had it for a minute, or sees what was there before \
         (an export, a copy, pg_dump). Try again when that has ended"
    )]
    NotRewritten(String),
    /// It failed in another way.
    #[error("it cannot be opened: {0}")]
    Failed(StorageError),
}

/// Why no connection came about.
pub(super) fn of_connecting(error: sqlx::Error) -> PostgresProblem {
    let said = match &error {
        sqlx::Error::Database(said) => Some((said.code(), said.message())),
        _ => None,
    };
    match said {
        Some((Some(code), message)) if matches!(&*code, "28000" | "28P01") => {
            PostgresProblem::Refused(message.to_owned())
        }
        Some((Some(code), _)) if code == "3D000" => PostgresProblem::Missing,
        _ => match StorageError::from(error) {
            StorageError::Unreachable(why) => PostgresProblem::Unreachable(why),
            error => PostgresProblem::Failed(error),
        },
    }
}

/// Why the tables could not be made.
pub(super) fn of_making_tables(error: sqlx::Error) -> PostgresProblem {
    PostgresProblem::NotMade(error.to_string())
}
