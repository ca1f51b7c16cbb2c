//! Files of the browser app.

use async_trait::async_trait;

use super::super::{AppFiles, Result};
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};
use super::read::signed;

/// The names of those that are stored.
pub(super) async fn names(connection: &mut dyn Connection) -> Result<Vec<String>> {
    let rows = query("SELECT name FROM app_files ORDER BY name")
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// The bytes of one, if it is stored.
pub(super) async fn of_name(
    connection: &mut dyn Connection,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    let row = query("SELECT bytes FROM app_files WHERE name = ?")
        .bind(name)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

#[async_trait]
impl Job for AppFiles {
    type Answer = ();

    fn place(&self) -> &str {
        "app files"
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        for (name, bytes) in &self.new {
            query(
                "INSERT INTO app_files (name, bytes, offered_at) VALUES (?, ?, ?) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(name)
            .bind(&**bytes)
            .bind(signed(self.now_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        }
        for name in &self.names {
            query("UPDATE app_files SET offered_at = ? WHERE name = ? AND offered_at < ?")
                .bind(signed(self.now_unix_ms))
                .bind(name)
                .bind(signed(self.now_unix_ms))
                .execute(&mut *to.connection)
                .await?;
        }
        query("DELETE FROM app_files WHERE offered_at < ?")
            .bind(signed(self.delete_before_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        Ok(())
    }
}
