//! `cargo xtask dist`: what a release has, in one folder, with the hashes of its files.

mod debian;
mod elf;
mod licences;
mod tar;
mod trial;

use crate::process::{note, step};
use crate::release::{self, Platform};
use crate::{apt, frontend, layout, serve, template, wheel};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tar::Entry;

/// The version that is released.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The container's file; placeholders stand for names of this release.
const CONTAINERFILE: &str = include_str!("dist/Containerfile");

/// The archive of the container's folders.
const FOLDERS: &str = "container-folders.tar";

/// The user in the container: none that a system gives to somebody.
const USER: u32 = 10_001;

/// Options of `cargo xtask dist`.
#[derive(Args)]
pub struct DistOptions {
    /// Take the browser app as it lies in dist/ instead of building it: to try this command, not for a release
    #[arg(long)]
    app_as_it_is: bool,
}

/// Builds everything a release has, and tries its program out.
///
/// # Errors
/// When something cannot be built, the program needs libraries of the system, or does not answer.
pub fn dist(options: &DistOptions) -> Result<()> {
    let platform = Platform::of_compiler()?;
    release::warn_of_changes();
    if !options.app_as_it_is {
        serve::build_frontend(false)?;
    }
    // The program is compiled once, on its way into the wheel.
    let wheel = wheel::build(wheel::Program::Released)?;
    let program = fs::read(platform.program())
        .with_context(|| format!("cannot read {}", platform.program().display()))?;
    if platform.is_linux() {
        check_static(&program)?;
    }
    step("putting the release together");
    let folder = layout::target().join(format!("dist-{VERSION}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let licences = licences::list(platform.triple())?;
    let name = format!("redial-{VERSION}-{}", platform.name());
    let archive = format!("{name}.tar.gz");
    let time = release::commit_time().unwrap_or_default();
    let path = format!("{name}/{}", layout::program_file("redial"));
    let entries = entries(&name, (&path, program), &licences)?;
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).with_context(|| format!("cannot write {name}"))
    };
    write(&archive, &tar::compressed(&tar::archive(&entries, time)?)?)?;
    write("THIRD-PARTY.txt", licences.as_bytes())?;
    if platform.is_linux() {
        write("Containerfile", containerfile(&archive, &path)?.as_bytes())?;
        write(FOLDERS, &tar::archive(&container_folders(), time)?)?;
    }
    let wheel_name = wheel.file_name().context("the wheel has no name")?;
    fs::copy(&wheel, folder.join(wheel_name)).context("the wheel cannot be copied")?;
    if platform.is_linux() {
        debian_package(&platform.program(), &licences, &folder, time)?;
    }
    step("trying the program out, from an empty folder");
    trial::try_out(&folder.join(&archive), &path, VERSION)?;
    let files = frontend::files_below(&folder)?;
    write("SHA256SUMS", sums(&files).as_bytes())?;
    step(&format!("the release is in {}", folder.display()));
    for (name, bytes) in &files {
        note(&format!("{:>9}  {name}", size(bytes.len())));
    }
    Ok(())
}

/// The Debian package beside the archive, tried.
fn debian_package(program: &Path, licences: &str, folder: &Path, time: u64) -> Result<()> {
    let package = |folder: &Path, revision: u32| {
        let version = format!("{VERSION}-{revision}");
        debian::package(program, licences, folder, &version, time)
    };
    let Some(made) = package(folder, 1)? else {
        return Ok(());
    };
    let elsewhere = tempfile::tempdir()?;
    if let (Some(again), Some(later)) =
        (package(elsewhere.path(), 1)?, package(elsewhere.path(), 2)?)
    {
        debian::is_reproducible(&made, &again)?;
        if apt::is_root() {
            debian::try_out(&made, &later, |_| Ok(()))?;
        } else {
            note("the Debian package was not tried: that needs root");
        }
    }
    Ok(())
}

fn check_static(program: &[u8]) -> Result<()> {
    match elf::is_static(program) {
        Some(true) => {
            note("the program is linked statically");
            Ok(())
        }
        Some(false) => bail!("the program loads dynamic libraries: it would not run everywhere"),
        None => bail!("the program is none of Linux"),
    }
}

/// What the archive holds in its folder: the program at its path, what to read first, the licences, the studies to begin
/// with, and how it becomes a service.
fn entries(
    name: &str,
    (path, program): (&str, Vec<u8>),
    licences: &str,
) -> Result<BTreeMap<String, Entry>> {
    let program = Entry::File {
        bytes: program,
        executable: true,
    };
    let mut entries = BTreeMap::from([
        (path.to_owned(), program),
        (format!("{name}/THIRD-PARTY.txt"), Entry::text(licences)),
    ]);
    for file in ["README.md", "CHANGELOG.md", "LICENSE"] {
        let text = fs::read(layout::root().join(file)).with_context(|| file.to_owned())?;
        entries.insert(format!("{name}/{file}"), Entry::text(text));
    }
    for folder in ["studies", "deploy"] {
        let files = frontend::files_below(&layout::root().join(folder))?;
        ensure!(!files.is_empty(), "there is nothing in {folder}");
        for (file, text) in files
            .into_iter()
            .filter(|(file, _)| !file.starts_with("debian/"))
        {
            entries.insert(format!("{name}/{folder}/{file}"), Entry::text(text));
        }
    }
    Ok(entries)
}

/// The container's file with the names of this release.
fn containerfile(archive: &str, program: &str) -> Result<String> {
    template::fill(CONTAINERFILE, |name| {
        Ok(match name {
            "archive" => archive.to_owned(),
            "folders" => FOLDERS.to_owned(),
            "program" => program.to_owned(),
            "user" => USER.to_string(),
            _ => bail!("nothing is called so"),
        })
    })
}

/// Where the program in the container writes: its own folder, and one for temporary files.
fn container_folders() -> BTreeMap<String, Entry> {
    let folder = |mode, owner| Entry::Folder { mode, owner };
    BTreeMap::from([
        ("lab".to_owned(), folder(0o755, USER)),
        ("tmp".to_owned(), folder(0o1777, 0)),
    ])
}

/// A line for each file, as `sha256sum --check` reads them.
fn sums(files: &BTreeMap<String, Vec<u8>>) -> String {
    let line = |(name, bytes): (&String, &Vec<u8>)| {
        let hash = Sha256::digest(bytes);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hash}  {name}\n")
    };
    files.iter().map(line).collect()
}

/// A number of bytes for people.
fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_runs_the_program_of_the_archive_as_nobody_else() {
        let file = containerfile("redial-1.tar.gz", "redial-1/redial").unwrap();
        let instructions: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            instructions,
            [
                "FROM scratch",
                "ADD redial-1.tar.gz /opt/",
                "ADD container-folders.tar /",
                "USER 10001:10001",
                "WORKDIR /lab",
                "VOLUME [\"/lab\"]",
                "ENV REDIAL_BIND=0.0.0.0:8080",
                "EXPOSE 8080",
                "ENTRYPOINT [\"/opt/redial-1/redial\"]",
                "CMD [\"serve\"]",
            ]
        );
        let folders = tar::archive(&container_folders(), 0).unwrap();
        assert!(folders.starts_with(b"lab/\0"));
    }

    #[test]
    fn sums_are_those_of_sha256sum() {
        // printf redial | sha256sum
        let files = BTreeMap::from([("a".to_owned(), b"redial".to_vec())]);
        assert_eq!(
            sums(&files),
            "8d90a9d8b0481c5c92f364f2e8aad6f091f577fccc49fb7c4c97870f9766df10  a\n"
        );
        assert_eq!(sums(&BTreeMap::new()), "");
    }

    #[test]
    fn sizes_are_for_people() {
        let shown = [0, 999, 1_000, 45_678, 1_000_000, 75_960_000].map(size);
        assert_eq!(
            shown,
            ["0 B", "999 B", "1 kB", "45 kB", "1.0 MB", "75.9 MB"]
        );
    }
}
