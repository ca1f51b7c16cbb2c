//! Files of exports that are kept, each with a record of what it is.

use std::io::{ErrorKind, Result, Write as _};
use std::path::Path;

use api::research::ExportInfo;
use serde::{Deserialize, Serialize};

use super::Place;
use crate::private_files;

/// Format version of a record.
const FORMAT: u16 = 1;

#[derive(Serialize, Deserialize)]
struct Record {
    format: u16,
    info: ExportInfo,
}

/// The exports in a folder; nothing where there is no folder yet: the first job makes it. Other files there are left by
/// jobs that were under way when the server stopped, and are removed.
pub(super) fn open(folder: &Path) -> Result<Vec<ExportInfo>> {
    if !folder.try_exists()? {
        return Ok(Vec::new());
    }
    let mut infos = Vec::new();
    let mut wanted = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let record = std::fs::read(&path)?;
        let Ok(Record {
            format: FORMAT,
            info,
        }) = serde_json::from_slice(&record)
        else {
            continue;
        };
        let file = folder.join(format!("{}.zip", info.id));
        let length = std::fs::metadata(&file).map(|it| it.len()).ok();
        if path.file_stem().is_some_and(|it| it == info.id.as_str())
            && length.is_some()
            && length == info.ready.as_ref().map(|ready| ready.bytes)
        {
            wanted.extend([path, file]);
            infos.push(info);
        }
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !wanted.contains(&path) {
            remove_any(&path);
        }
    }
    Ok(infos)
}

/// Writes the record of an export whose file is whole: from then on a restart keeps it.
pub(super) fn note(place: &Place, info: &ExportInfo) -> Result<()> {
    let record = Record {
        format: FORMAT,
        info: info.clone(),
    };
    let path = place.record(&info.id);
    let unfinished = path.with_extension("json.unfinished");
    let mut file = private_files::create(&unfinished)?;
    file.write_all(&serde_json::to_vec(&record)?)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, &path)
}

/// Removes what is kept of an export: the record first, so that it never names a file that is not there.
pub(super) fn remove(place: &Place, id: &str) {
    remove_any(&place.record(id));
    remove_any(&place.file(id));
}

/// Removes a file, or a folder with all that is in it.
pub(super) fn remove_any(path: &Path) {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            tracing::warn!("{} cannot be removed: {error}", path.display());
        }
        _ => {}
    }
}
