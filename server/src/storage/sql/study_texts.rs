//! Texts that participants read: those of studies as they were when sessions were started.

use super::super::{Result, StoredText};
use super::connection::{Connection, query};
use super::row::Row;

/// Adds the texts of a definition that are not stored yet.
pub(super) async fn insert(
    connection: &mut dyn Connection,
    study_sha256: &str,
    texts: &[StoredText],
) -> Result<()> {
    for text in texts {
        query(
            "INSERT INTO study_texts (study_sha256, file, sha256, markdown) VALUES (?, ?, ?, ?) \
             ON CONFLICT DO NOTHING",
        )
        .bind(study_sha256)
        .bind(&text.file)
        .bind(&text.sha256)
        .bind(&*text.markdown)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The texts of all definitions of a study.
pub(super) async fn read(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<(String, StoredText)>> {
    let rows = query(
        "SELECT study_sha256, file, study_texts.sha256, markdown FROM study_texts \
         JOIN study_versions ON study_versions.sha256 = study_sha256 \
         WHERE study = ? ORDER BY study_sha256, file, study_texts.sha256",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    let text = |row: &Row| {
        let markdown: Vec<u8> = row.try_get("markdown")?;
        let text = StoredText {
            file: row.try_get("file")?,
            sha256: row.try_get("sha256")?,
            markdown: markdown.into(),
        };
        Ok((row.try_get("study_sha256")?, text))
    };
    rows.iter().map(text).collect()
}
