//! All that a database holds, or what belongs to one study, written into another one, whatever the two are.
//!
//! Everything is read from one view of the source, and written in portions. Until the end the target holds a record of
//! the copy ([`record`]), and nothing else opens it; a copy that broke off is gone on with by another one of the same
//! source, which takes the source as it is then: rows that are there are compared, and replaced or deleted where the
//! source has changed. Before it ends, the rows of both sides are compared, table by table, by their hash.

use sha2::{Digest as _, Sha256};

use super::super::{CopyError, Copying, StorageError};
use super::connection::{Connection, Dialect, query};

mod cell;
mod part;
mod portions;
mod record;
mod table;

pub(in super::super) use record::unfinished;

use OfStudy::{Blob, Bundle, Instance, Named, Nothing, Secret, Session, Skeleton, Version};
use part::{OfStudy, Part};
use portions::{Portions, begin};
use record::Record;
use table::Table;

/// Every table with what its rows are told apart and ordered by, and which of them belong to a study; those first that
/// others refer to. Claims and probes are of no use to another server; versions and changes of ledgers begin anew.
const TABLES: [(&str, &str, OfStudy); 31] = [
    ("study_versions", "sha256", Named),
    ("study_texts", "study_sha256, file, sha256", Version),
    ("study_statuses", "study", Named),
    ("instances", "sha256", Instance),
    ("blobs", "sha256", Blob),
    ("bundles", "sha256", Bundle),
    ("sessions", "id", Named),
    ("plans", "session", Session),
    ("plan_skeletons", "name", Skeleton),
    ("events", "session, author, seq", Session),
    ("sealed_events", "session, author, first", Session),
    ("assignments", "study, ordinal", Named),
    ("paused_cells", "study, cell", Named),
    ("arrivals", "session", Session),
    ("secrets", "name", Secret),
    ("acme", "name", Nothing),
    ("erasures", "session", Named),
    ("payments", "number", Named),
    ("credits", "session", Named),
    ("recording_pieces", "session, recording, piece", Session),
    ("transcripts", "session, recording", Session),
    ("users", "name", Nothing),
    ("memberships", "\"user\", study", Nothing),
    ("password_links", "\"user\"", Nothing),
    ("sign_ins", "id", Nothing),
    ("api_tokens", "id", Nothing),
    ("identities", "issuer, subject", Nothing),
    ("audit_log", "number", Nothing),
    ("outbox", "number", Named),
    ("published", "item, file", Nothing),
    ("publications", "number", Nothing),
];

/// Tables whose rows are numbered by the database.
const NUMBERED: [&str; 3] = ["audit_log", "outbox", "payments"];

/// The result of a step of a copy.
type Copied<T> = std::result::Result<T, CopyError>;

/// The database that is written: two connections, since it is read while it is written.
pub(in super::super) struct To<'c> {
    /// The one that reads.
    pub reads: &'c mut dyn Connection,
    /// The one that writes.
    pub writes: &'c mut dyn Connection,
}

/// Copies all rows of `from`, or those of one study, which is in a transaction that sees one state, into a database whose
/// tables are empty, or to which a copy of the same source was begun. `tell` is told the number of rows so far. Gives the
/// number of rows.
///
/// # Errors
/// When the target holds something else, or one of the two fails.
pub(in super::super) async fn copy(
    from: &mut dyn Connection,
    to: To<'_>,
    what: Copying<'_>,
    tell: &(dyn Fn(u64) + Sync),
) -> Copied<u64> {
    let To { reads, writes } = to;
    let part = Part::of(&mut *from, what.study).await?;
    let record = Record::from(&mut *from, part.study()).await?;
    let mut tables = Vec::new();
    for named in TABLES {
        let table = Table::of(&mut *from, named).await?;
        if Table::of(&mut *writes, named).await?.columns != table.columns {
            return Err(CopyError::Columns(table.name));
        }
        tables.push(table);
    }
    let goes_on = match Record::of(&mut *writes).await? {
        None => false,
        Some(begun) if begun == record => true,
        Some(_) => return Err(CopyError::Another),
    };
    if !goes_on {
        for table in &tables {
            if !table.is_empty(&mut *writes).await? {
                return Err(CopyError::NotEmpty(table.name));
            }
        }
        record.begin(&mut *writes).await?;
    }
    let mut portions = Portions::new(&mut *writes, &record);
    if goes_on {
        // First those that refer to others.
        for table in tables.iter().rev() {
            in_one_view(reads, async |reads| {
                delete_gone(&mut *from, reads, &part, table, &mut portions).await
            })
            .await?;
        }
    }
    let mut read = Vec::new();
    let mut all = 0;
    for table in &tables {
        let tell = |rows| tell(all + rows);
        let (hash, count) = in_one_view(reads, async |reads| {
            bring(&mut *from, reads, &part, table, &mut portions, &tell).await
        })
        .await?;
        read.push((hash, count));
        all += count;
    }
    drop(portions);
    for (table, read) in tables.iter().zip(read) {
        let written = in_one_view(reads, async |reads| Ok(table.hash(reads).await?));
        if written.await? != read {
            return Err(CopyError::Differs(table.name));
        }
    }
    if !what.is_ahead {
        end(writes, &record).await?;
    }
    Ok(all)
}

/// Does something with a connection in a transaction that only reads.
async fn in_one_view<T>(
    reads: &mut dyn Connection,
    read: impl AsyncFnOnce(&mut dyn Connection) -> Copied<T>,
) -> Copied<T> {
    let begun = query("BEGIN").execute(&mut *reads).await;
    begun.map_err(StorageError::from)?;
    let done = read(&mut *reads).await?;
    let ended = query("COMMIT").execute(reads).await;
    ended.map_err(StorageError::from)?;
    Ok(done)
}

/// Deletes the rows that the source no longer has.
async fn delete_gone(
    from: &mut dyn Connection,
    reads: &mut dyn Connection,
    part: &Part,
    table: &Table,
    portions: &mut Portions<'_>,
) -> Copied<()> {
    let whole = Part::Whole;
    let mut theirs = table.rows(from, part, true);
    let mut ours = table.rows(reads, &whole, true);
    while let Some(key) = ours.take().await? {
        if theirs.at(&key).await?.is_none() {
            portions.delete(table, &key).await?;
        }
    }
    portions.commit().await
}

/// Writes the rows that are not there, or are others. Gives the hash over all rows of the source, and their number.
async fn bring(
    from: &mut dyn Connection,
    reads: &mut dyn Connection,
    part: &Part,
    table: &Table,
    portions: &mut Portions<'_>,
    tell: &(dyn Fn(u64) + Sync),
) -> Copied<([u8; 32], u64)> {
    let whole = Part::Whole;
    let mut theirs = table.rows(from, part, false);
    let mut ours = table.rows(reads, &whole, false);
    let (mut hash, mut count) = (Sha256::new(), 0);
    while let Some(row) = theirs.take().await? {
        row.iter().for_each(|cell| cell.add_to(&mut hash));
        count += 1;
        match ours.at(table.key(&row)).await? {
            None => {
                if portions.insert(table, row).await? {
                    tell(count);
                }
            }
            Some(there) if there == row => {}
            Some(_) => portions.replace(table, &row).await?,
        }
    }
    portions.write(table).await?;
    portions.commit().await?;
    tell(count);
    Ok((hash.finalize().into(), count))
}

/// The copy has ended: rows that are made from now on are numbered after those that came.
async fn end(to: &mut dyn Connection, record: &Record) -> Copied<()> {
    begin(&mut *to).await?;
    if !record.hold(&mut *to).await? {
        return Err(CopyError::Ended);
    }
    if to.dialect() == Dialect::Postgres {
        for table in NUMBERED {
            query(format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'number'), \
                 COALESCE(MAX(number), 1), MAX(number) IS NOT NULL) FROM {table}"
            ))
            .execute(&mut *to)
            .await
            .map_err(StorageError::from)?;
        }
    }
    record.end(&mut *to).await?;
    let committed = query("COMMIT").execute(to).await;
    committed.map_err(StorageError::from)?;
    Ok(())
}
