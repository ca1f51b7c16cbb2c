//! The published items.

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use super::super::{Publication, Published, PublishedFile, PublishedItem, Result, StorageError};
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::read::{signed, unsigned};
use crate::secrets::hex;

/// The number of the last publication; 0 before the first.
pub(super) async fn number(connection: &mut dyn Connection) -> Result<u64> {
    let row = query("SELECT COALESCE(MAX(number), 0) AS number FROM publications")
        .fetch_one(connection)
        .await?;
    unsigned(&row, "number")
}

/// All that is published. The number is read first: what is published meanwhile is read once more later.
pub(super) async fn all(connection: &mut dyn Connection) -> Result<Published> {
    let number = number(&mut *connection).await?;
    let rows = query("SELECT item, file, sha256, bytes FROM published ORDER BY item, file")
        .fetch_all(connection)
        .await?;
    let mut items: Vec<PublishedItem> = Vec::new();
    for row in &rows {
        let (item, name, sha256): (String, String, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let bytes: Vec<u8> = row.try_get(3)?;
        if hex(&Sha256::digest(&bytes)) != sha256 {
            return Err(StorageError::Corrupt {
                what: format!("{item}/{name}, which is published"),
                why: "its hash is another; publish it again".to_owned(),
            });
        }
        if items.last().is_none_or(|last| last.item != item) {
            let files = Vec::new();
            items.push(PublishedItem { item, files });
        }
        if let Some(last) = items.last_mut() {
            let bytes = bytes.into();
            last.files.push(PublishedFile { name, bytes });
        }
    }
    Ok(Published { number, items })
}

/// The answer is the number of the publication; none where nothing was to be changed.
#[async_trait]
impl Job for Publication {
    type Answer = Option<u64>;

    fn place(&self) -> &str {
        "published"
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Published))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<Option<u64>> {
        let mut changed = Vec::new();
        for item in &self.withdrawn {
            if delete(&mut *to.connection, item).await? > 0 {
                changed.push(item.as_str());
            }
        }
        for PublishedItem { item, files } in &self.items {
            delete(&mut *to.connection, item).await?;
            for PublishedFile { name, bytes } in files {
                query("INSERT INTO published (item, file, sha256, bytes) VALUES (?, ?, ?, ?)")
                    .bind(item)
                    .bind(name)
                    .bind(hex(&Sha256::digest(bytes)))
                    .bind(&**bytes)
                    .execute(&mut *to.connection)
                    .await?;
            }
            changed.push(item);
        }
        if changed.is_empty() {
            return Ok(None);
        }
        let number = number(&mut *to.connection).await? + 1;
        query("INSERT INTO publications (number, published_at, items) VALUES (?, ?, ?)")
            .bind(signed(number))
            .bind(signed(self.at_unix_ms))
            .bind(changed.join("\n"))
            .execute(&mut *to.connection)
            .await?;
        Ok(Some(number))
    }
}

async fn delete(connection: &mut dyn Connection, item: &str) -> Result<u64> {
    let deletion = query("DELETE FROM published WHERE item = ?").bind(item);
    Ok(deletion.execute(connection).await?)
}
