//! The record of a copy in the database that is written, until the copy has ended.

use sha2::{Digest as _, Sha256};

use super::super::super::Result;
use super::super::connection::{Connection, Dialect, query};
use crate::secrets::hex;

/// A copy that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The hash that tells the database that is read from all others.
    source: String,
    /// The one study that is taken, if it is one.
    study: Option<String>,
}

impl Record {
    /// Of a copy from this database. Its first tables were made at a moment of their own and took their own time, to the
    /// nanosecond, which a database keeps for ever: so a database that is only read has a name, too.
    pub(super) async fn from(from: &mut dyn Connection, study: Option<&str>) -> Result<Self> {
        let row = query(
            "SELECT CAST(version AS TEXT) || ' ' || CAST(installed_on AS TEXT) || ' ' || CAST(execution_time AS TEXT) \
             FROM _sqlx_migrations ORDER BY version LIMIT 1",
        );
        let born: String = row.fetch_one(from).await?.try_get(0)?;
        Ok(Self {
            source: hex(&Sha256::digest(born)),
            study: study.map(str::to_owned),
        })
    }

    /// The one in a database that is written.
    pub(super) async fn of(to: &mut dyn Connection) -> Result<Option<Self>> {
        let row = query("SELECT source, study FROM copies")
            .fetch_optional(to)
            .await?;
        let record = row.map(|row| {
            Ok(Self {
                source: row.try_get(0)?,
                study: row.try_get(1)?,
            })
        });
        record.transpose()
    }

    /// Writes it down.
    pub(super) async fn begin(&self, to: &mut dyn Connection) -> Result<()> {
        query("INSERT INTO copies (source, study) VALUES (?, ?)")
            .bind(&self.source)
            .bind(&self.study)
            .execute(to)
            .await?;
        Ok(())
    }

    /// Whether it is there, which nobody changes until the end of the transaction.
    pub(super) async fn hold(&self, to: &mut dyn Connection) -> Result<bool> {
        let sql = match to.dialect() {
            Dialect::Sqlite => "SELECT 1 FROM copies WHERE source = ?",
            Dialect::Postgres => "SELECT 1 FROM copies WHERE source = ? FOR UPDATE",
        };
        let row = query(sql).bind(&self.source).fetch_optional(to).await?;
        Ok(row.is_some())
    }

    /// Takes it away: the copy has ended.
    pub(super) async fn end(&self, to: &mut dyn Connection) -> Result<()> {
        let delete = query("DELETE FROM copies WHERE source = ?");
        delete.bind(&self.source).execute(to).await?;
        Ok(())
    }
}

/// When the copy into a database began that has not ended; none where there is no such.
pub(in super::super::super) async fn unfinished(to: &mut dyn Connection) -> Result<Option<String>> {
    let row = query("SELECT began_at FROM copies")
        .fetch_optional(to)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}
