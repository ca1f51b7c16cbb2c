//! A job: from a request to a file.

use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::research::{EXPORT_HOURS, ExportInfo, ExportReady, ExportState};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::kept::remove_any;
use super::{ExportJobs, HOUR_MS, Place, kept, selection};
use crate::export::{ExportError, ExportOptions, ExportSummary, export_watched};
use crate::export_list::ListedExport;
use crate::private_files;
use crate::secrets::hex;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// Files that do not shrink any more.
const COMPRESSED: [&str; 4] = ["parquet", "webm", "ogg", "m4a"];

impl ExportJobs {
    /// Makes the export of a job, once it is its turn.
    pub(super) async fn make(self: Arc<Self>, id: String) {
        // The semaphore is never closed.
        let Ok(_turn) = self.at_once.acquire().await else {
            return;
        };
        if !self.change(&id, |info| info.state = ExportState::Running) {
            return;
        }
        let me = Arc::clone(&self);
        let job = id.clone();
        // Files are written from one end to the other: not on the threads that serve requests.
        let made =
            tokio::task::spawn_blocking(move || Handle::current().block_on(me.write(&job))).await;
        let problem = match made {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(place) = &self.place {
            remove_any(&place.work(&id));
        }
        if let Some(problem) = problem {
            tracing::warn!("export {id}: {problem}");
            self.change(&id, |info| {
                info.state = ExportState::Failed;
                info.problem = Some(problem);
            });
        }
    }

    async fn write(&self, id: &str) -> Result<(), ExportError> {
        let (Some(place), Some(info)) =
            (&self.place, self.jobs().get(id).map(|job| job.info.clone()))
        else {
            return Err(ExportError::Stopped);
        };
        let selection = selection(&info.request).map_err(|_| ExportError::Stopped)?;
        let now = at_utc(self.now());
        let name = name_of(&info.study, &now);
        let work = place.work(id);
        private_files::create_folder(&work).map_err(|error| ExportError::file(&work, error))?;
        let folder = work.join(&name);
        let options = ExportOptions {
            spreadsheet_safe: info.request.spreadsheet_safe,
            identifying: info.request.identifying,
            audit: info.request.audit,
            selection,
            address: info.request.address.as_deref().unwrap_or_default(),
            ..ExportOptions::new(&now)
        };
        let mut watch = |done, listed| {
            let goes_on = self.change(id, |info| {
                info.sessions_done = done;
                info.sessions_listed = listed;
            });
            if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let archive: &dyn crate::storage::Archive = &*self.storage;
        let summary = export_watched(archive, &info.study, &folder, &options, &mut watch).await?;
        let goes_on = || self.change(id, |_| {});
        let (bytes, sha256) = pack(&folder, &name, &work.join("packed"), &goes_on)?;
        let ready = ExportReady {
            file: format!("{name}.zip"),
            bytes,
            sha256,
            sessions: summary.sessions,
            included_sessions: summary.included_sessions,
            problems: summary.problems.iter().map(ToString::to_string).collect(),
            kept_until_unix_ms: self.now().saturating_add(EXPORT_HOURS * HOUR_MS),
        };
        list(place, &info, &summary, &now);
        self.keep(place, &work.join("packed"), info, ready)
    }

    /// Puts a whole file in its place, and says that it is ready.
    fn keep(
        &self,
        place: &Place,
        packed: &Path,
        info: ExportInfo,
        ready: ExportReady,
    ) -> Result<(), ExportError> {
        let file = place.file(&info.id);
        std::fs::rename(packed, &file).map_err(|error| ExportError::file(&file, error))?;
        let whole = ExportInfo {
            state: ExportState::Ready,
            sessions_done: ready.sessions,
            sessions_listed: ready.sessions,
            ready: Some(ready),
            ..info
        };
        let noted = kept::note(place, &whole);
        let id = whole.id.clone();
        if noted.is_err() || !self.change(&id, |info| *info = whole) {
            kept::remove(place, &id);
        }
        noted.map_err(|error| ExportError::file(&place.record(&id), error))
    }
}

/// Puts it into the list of exports, as the command does: before it is ready, so that none is missing there.
fn list(place: &Place, info: &ExportInfo, summary: &ExportSummary, now: &str) {
    let file = place.file(&info.id);
    let listed = ListedExport::new(&info.study, &file, now, summary.ids.clone());
    if let Err(error) = listed.add(&place.database) {
        let id = &info.id;
        tracing::warn!("export {id} cannot be put into the list of exports: {error}");
    }
}

/// The folder as a ZIP archive; its length and SHA-256. It takes the same memory for files of any length.
fn pack(
    folder: &Path,
    name: &str,
    packed: &Path,
    goes_on: &dyn Fn() -> bool,
) -> Result<(u64, String), ExportError> {
    let mut files = Vec::new();
    files_below(folder, &mut files)?;
    files.sort();
    let failed = |path: &Path, error: std::io::Error| ExportError::file(path, error);
    let file = private_files::create(packed).map_err(|error| failed(packed, error))?;
    let mut zip = ZipWriter::new(BufWriter::new(file));
    let mut chunk = vec![0; CHUNK];
    for path in files {
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let inside = inside.to_string_lossy().replace('\\', "/");
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or("");
        let method = if COMPRESSED.contains(&extension) {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        };
        // Without a time: what is in it says when it was made.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .large_file(true);
        zip.start_file(format!("{name}/{inside}"), options)
            .map_err(|error| failed(packed, error.into()))?;
        let mut source = File::open(&path).map_err(|error| failed(&path, error))?;
        loop {
            if !goes_on() {
                return Err(ExportError::Stopped);
            }
            let read = source
                .read(&mut chunk)
                .map_err(|error| failed(&path, error))?;
            if read == 0 {
                break;
            }
            zip.write_all(&chunk[..read])
                .map_err(|error| failed(packed, error))?;
        }
    }
    let written = zip.finish().map_err(|error| failed(packed, error.into()))?;
    let file = written
        .into_inner()
        .map_err(|error| failed(packed, error.into_error()))?;
    file.sync_all().map_err(|error| failed(packed, error))?;
    drop(file);
    hashed(packed, &mut chunk)
}

/// Every file below a folder.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ExportError> {
    let failed = |error| ExportError::file(folder, error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            files_below(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// A file's length and SHA-256.
fn hashed(path: &Path, chunk: &mut [u8]) -> Result<(u64, String), ExportError> {
    let failed = |error| ExportError::file(path, error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    loop {
        let read = file.read(chunk).map_err(failed)?;
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&chunk[..read]);
        bytes += read as u64;
    }
}

/// Milliseconds since 1970 as RFC 3339.
fn at_utc(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms)
        .unwrap_or_default()
        .to_string()
}

/// Name of the folder in the archive: the study and the minute.
fn name_of(study: &str, at_utc: &str) -> String {
    let minute = at_utc.get(..16).unwrap_or(at_utc);
    format!("{study}-{}Z", minute.replace(':', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_packed_whole_and_said_by_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("curves");
        std::fs::create_dir_all(from.join("raw")).unwrap();
        std::fs::write(from.join("raw/a.csv"), "a,b\n".repeat(50_000)).unwrap();
        std::fs::write(from.join("b.parquet"), [7; 10]).unwrap();
        let packed = folder.path().join("packed");
        let (bytes, sha256) = pack(&from, "curves-1", &packed, &|| true).unwrap();
        let content = std::fs::read(&packed).unwrap();
        assert_eq!(bytes, content.len() as u64);
        assert_eq!(sha256, hex(&Sha256::digest(&content)));
        assert!(bytes < 10_000, "{bytes}");
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(content)).unwrap();
        let names: Vec<String> = zip
            .file_names()
            .map(|name| name.unwrap().into_owned())
            .collect();
        assert_eq!(names, ["curves-1/b.parquet", "curves-1/raw/a.csv"]);
        let mut text = String::new();
        zip.by_name("curves-1/raw/a.csv")
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "a,b\n".repeat(50_000));
        let stopped = pack(&from, "curves-1", &packed, &|| false);
        assert!(matches!(stopped, Err(ExportError::Stopped)));
    }

    #[test]
    fn a_name_holds_the_study_and_the_minute() {
        let at = at_utc(1_795_656_840_123);
        assert_eq!(at, "2026-11-26T01:34:00.123Z");
        assert_eq!(name_of("curves", &at), "curves-2026-11-26T0134Z");
    }
}
