//! An export of all these sessions from the area: what memory it takes while it goes on, and whether a download that is
//! cut twice goes on to the same file.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use api::research::{ExportInfo, ExportOf, ExportState, NewExport};
use api::routes;
use http_body_util::BodyExt as _;
use hyper::Method;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use crate::area::said;
use crate::client::Client;
use crate::server::Server;

/// How often the server's memory is looked at.
const EVERY: Duration = Duration::from_millis(250);
/// How long an export may take.
const LIMIT: Duration = Duration::from_secs(3_600);
/// Width of the figure of its memory, in characters.
const WIDTH: usize = 60;

/// Measures and prints.
///
/// # Errors
/// When the export fails, or its file is not what the server says.
pub(super) async fn measure(server: &Server, study: &str, token: &str) -> Result<()> {
    let client = Client::new(server.address());
    let path = routes::research_exports(study);
    let wanted = NewExport {
        of: ExportOf::Simulated,
        ..NewExport::default()
    };
    let begun: ExportInfo = client
        .post(&path, Some(token), &wanted)
        .await?
        .success(&path)?
        .json()?;
    let path = routes::research_export(study, &begun.id);
    let (since, mut memory_mb) = (Instant::now(), vec![server.memory_now_mb()?]);
    let ready = loop {
        tokio::time::sleep(EVERY).await;
        memory_mb.push(server.memory_now_mb()?);
        let answer = client.send(Method::GET, &path, Some(token), None).await?;
        let info: ExportInfo = answer.success(&path)?.json()?;
        ensure!(info.state != ExportState::Failed, "{:?}", info.problem);
        ensure!(since.elapsed() < LIMIT, "the export does not end");
        if let Some(ready) = info.ready {
            break ready;
        }
    };
    println!(
        "\nan export of {} sessions: {} MB in {:.0} s",
        ready.sessions,
        ready.bytes / 1_000_000,
        since.elapsed().as_secs_f64()
    );
    draw(&memory_mb);

    let path = routes::research_export_file(study, &begun.id);
    let archive = server.folder().join("from-the-area.zip");
    let mut kept = BufWriter::new(File::create(&archive)?);
    let (mut file, mut hash) = (0, Sha256::new());
    for (cut, until) in [ready.bytes / 3, ready.bytes * 2 / 3, ready.bytes]
        .into_iter()
        .enumerate()
    {
        let first = (cut > 0).then_some(file);
        let mut body = client.open_from(&path, token, first).await?;
        while file < until {
            let frame = body.frame().await.context("the download ends early")??;
            if let Ok(bytes) = frame.into_data() {
                hash.update(&bytes);
                kept.write_all(&bytes)?;
                file += bytes.len() as u64;
            }
        }
    }
    kept.flush()?;
    let hash = hex(hash);
    ensure!(
        hash == ready.sha256 && file == ready.bytes,
        "{hash} is not {}",
        ready.sha256
    );
    println!("a download that is cut twice has the SHA-256 that the server says: {hash}");

    let folder = server.folder().join("by-command");
    let out = folder.to_string_lossy().into_owned();
    said(server, &["export", study, "--simulated", "--out", &out])?;
    let manifest: Value = serde_json::from_slice(&std::fs::read(folder.join("manifest.json"))?)?;
    println!("by the command's manifest: {}", rows(&manifest));
    let same = same_files(&archive, &folder)?;
    println!("{same} files have the SHA-256 of the command's; the others say when they were made");
    Ok(())
}

/// Files that say when the export was made.
const DATED: [&str; 4] = [
    "manifest.json",
    "dataset_description.json",
    "README.md",
    "CHANGES.md",
];

/// Compares the files of an archive with those of a folder by their SHA-256; gives how many are the same. Those that say
/// when they were made are left out.
///
/// # Errors
/// When a file differs, or is in one of them alone.
fn same_files(archive: &Path, folder: &Path) -> Result<usize> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(archive)?))?;
    let (mut same, mut dated) = (0, 0);
    for index in 0..archive.len() {
        let entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        // The folder of the archive is called after the study.
        let (_, path) = name.split_once('/').context("a file without a folder")?;
        if entry.is_dir() {
            continue;
        }
        if DATED.contains(&path) {
            dated += 1;
            continue;
        }
        let path = path.to_owned();
        let of_area = hash_of(entry)?;
        let of_command = File::open(folder.join(&path)).with_context(|| path.clone())?;
        let of_command = hash_of(of_command)?;
        ensure!(
            of_area == of_command,
            "{path}: {of_area} is not {of_command}"
        );
        same += 1;
    }
    let there = files_below(folder)?;
    let here = same + dated;
    ensure!(
        here == there,
        "the command wrote {there} files, the area {here}"
    );
    Ok(same)
}

fn files_below(folder: &Path) -> Result<usize> {
    let mut files = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        files += if entry.file_type()?.is_dir() {
            files_below(&entry.path())?
        } else {
            1
        };
    }
    Ok(files)
}

fn hash_of(mut content: impl Read) -> Result<String> {
    let (mut hash, mut part) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        let read = content.read(&mut part)?;
        if read == 0 {
            return Ok(hex(hash));
        }
        hash.update(&part[..read]);
    }
}

fn hex(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tables with most rows.
fn rows(manifest: &Value) -> String {
    let mut found = Vec::new();
    collect(manifest, "", &mut found);
    found.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let most = found.iter().take(3);
    let words: Vec<String> = most
        .map(|(name, rows)| format!("{rows} rows in {name}"))
        .collect();
    words.join(", ")
}

fn collect(value: &Value, name: &str, found: &mut Vec<(String, u64)>) {
    match value {
        Value::Object(fields) => {
            let own = fields.get("path").or_else(|| fields.get("name"));
            let name = own.and_then(Value::as_str).unwrap_or(name);
            if let Some(rows) = fields.get("rows").and_then(Value::as_u64) {
                found.push((name.to_owned(), rows));
            }
            for (below, value) in fields {
                collect(value, below, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, name, found)),
        _ => {}
    }
}

/// Memory along the time of the export, a line for each tenth of it.
fn draw(memory_mb: &[f64]) {
    let most = memory_mb.iter().copied().fold(0.0, f64::max);
    let step = memory_mb.len().div_ceil(10).max(1);
    println!("the server's memory meanwhile, in MB:");
    for part in memory_mb.chunks(step) {
        let here = part.iter().copied().fold(0.0, f64::max);
        let bar = (here / most * WIDTH as f64).round() as usize;
        println!("{here:>8.0} {}", "#".repeat(bar));
    }
}
