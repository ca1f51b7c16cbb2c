//! Values that belong to certificates that the server gets by itself.

use async_trait::async_trait;

use super::super::Result;
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};

/// The value that is kept under a name.
pub(super) async fn of_name(connection: &mut dyn Connection, name: &str) -> Result<Option<String>> {
    let row = query("SELECT value FROM acme WHERE name = ?")
        .bind(name)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// A value in the place of what is kept under a name; without one, nothing is kept.
pub(super) struct SetAcme {
    pub name: String,
    pub value: Option<String>,
}

#[async_trait]
impl Job for SetAcme {
    type Answer = ();

    fn place(&self) -> &str {
        &self.name
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        let change = match &self.value {
            Some(value) => query(
                "INSERT INTO acme (name, value) VALUES (?, ?) \
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )
            .bind(&self.name)
            .bind(value),
            None => query("DELETE FROM acme WHERE name = ?").bind(&self.name),
        };
        change.execute(&mut *to.connection).await?;
        Ok(())
    }
}
