//! Servers that share a database: PostgreSQL's alone.

use async_trait::async_trait;

use super::super::{NodeReport, Result, StoredNode};
use super::connection::{Connection, Dialect, query};
use super::job::{Job, WriteTransaction};
use super::read::{signed, unsigned};
use super::row::Row;

/// Milliseconds since 1970 by the database's clock; none in SQLite, which has ours.
pub(super) async fn clock(connection: &mut dyn Connection) -> Result<Option<u64>> {
    if connection.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let row = query("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")
        .fetch_one(connection)
        .await?;
    unsigned(&row, 0).map(Some)
}

/// All that have said something within a day.
pub(super) async fn all(connection: &mut dyn Connection) -> Result<Vec<StoredNode>> {
    if connection.dialect() == Dialect::Sqlite {
        return Ok(Vec::new());
    }
    let rows = query(
        "SELECT name, address, version, began_at, clock_ms, waiting, sockets, \
         CAST(EXTRACT(EPOCH FROM clock_timestamp() - seen_at) * 1000 AS BIGINT) AS silent \
         FROM nodes ORDER BY address, name",
    )
    .fetch_all(connection)
    .await?;
    let node = |row: &Row| {
        let report = NodeReport {
            name: row.try_get("name")?,
            address: row.try_get("address")?,
            version: row.try_get("version")?,
            began_at_unix_ms: unsigned(row, "began_at")?,
            clock_ms: row.try_get("clock_ms")?,
            waiting: unsigned(row, "waiting")?,
            sockets: unsigned(row, "sockets")?,
        };
        let silent_ms = row.try_get::<i64>("silent")?.max(0).unsigned_abs();
        Ok(StoredNode { report, silent_ms })
    };
    rows.iter().map(node).collect()
}

#[async_trait]
impl Job for NodeReport {
    type Answer = ();

    fn place(&self) -> &str {
        &self.name
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        if to.connection.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        query("DELETE FROM nodes WHERE seen_at < now() - interval '1 day'")
            .execute(&mut *to.connection)
            .await?;
        query(
            "INSERT INTO nodes (name, address, version, began_at, seen_at, clock_ms, waiting, sockets) \
             VALUES (?, ?, ?, ?, now(), ?, ?, ?) ON CONFLICT (name) DO UPDATE SET seen_at = now(), \
             clock_ms = excluded.clock_ms, waiting = excluded.waiting, sockets = excluded.sockets",
        )
        .bind(&self.name)
        .bind(&self.address)
        .bind(&self.version)
        .bind(signed(self.began_at_unix_ms))
        .bind(self.clock_ms)
        .bind(signed(self.waiting))
        .bind(signed(self.sockets))
        .execute(&mut *to.connection)
        .await?;
        Ok(())
    }
}

/// The name of a server that has ended.
pub(super) struct ForgetNode(pub String);

#[async_trait]
impl Job for ForgetNode {
    type Answer = ();

    fn place(&self) -> &str {
        &self.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        if to.connection.dialect() == Dialect::Postgres {
            query("DELETE FROM nodes WHERE name = ?")
                .bind(&self.0)
                .execute(&mut *to.connection)
                .await?;
        }
        Ok(())
    }
}
