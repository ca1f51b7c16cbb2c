//! The Debian package: the program as a service, put together by Debian's own `dpkg-deb`.

mod trial;

use crate::layout;
use crate::process::{find_program, note, output, run, step};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use trial::try_out;

/// Scripts that dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// What dpkg asks about where somebody has changed it, instead of writing it over.
const SETTINGS: &str = "etc/redial/redial.toml";

/// Files of the repository, and where they lie in a system.
const FILES: [(&str, &str); 7] = [
    (
        "deploy/redial.service",
        "usr/lib/systemd/system/redial.service",
    ),
    ("deploy/redial.toml", SETTINGS),
    (
        "deploy/redial.rules.yml",
        "usr/share/doc/redial/redial.rules.yml",
    ),
    (
        "deploy/redial.dashboard.json",
        "usr/share/doc/redial/redial.dashboard.json",
    ),
    ("LICENSE", "usr/share/doc/redial/copyright"),
    ("README.md", "usr/share/doc/redial/README.md"),
    ("CHANGELOG.md", "usr/share/doc/redial/changelog"),
];

/// Scripts that complete commands, by shell.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/redial"),
    ("zsh", "usr/share/zsh/vendor-completions/_redial"),
    ("fish", "usr/share/fish/vendor_completions.d/redial.fish"),
];

/// Makes a package of a program, in a folder; gives its path. Nothing where there is no `dpkg-deb`. The same program gives
/// the same bytes: its files are as old as `time` says, in seconds since 1970.
///
/// # Errors
/// When a file is missing, or the program does not say its completions and manual.
pub fn package(
    program: &Path,
    licences: &str,
    folder: &Path,
    version: &str,
    time: u64,
) -> Result<Option<PathBuf>> {
    if find_program("dpkg-deb").is_none() {
        note("no Debian package: there is no dpkg-deb on this machine");
        return Ok(None);
    }
    step(&format!("making the Debian package {version}"));
    let staged = tempfile::tempdir()?;
    let root = staged.path();
    install(program, &root.join("usr/bin/redial"), 0o755)?;
    for (from, to) in FILES {
        install(&layout::root().join(from), &root.join(to), 0o644)?;
    }
    let third = root.join("usr/share/doc/redial/THIRD-PARTY.txt");
    fs::write(&third, licences).with_context(|| third.display().to_string())?;
    mode(&third, 0o644)?;
    for (shell, to) in COMPLETIONS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        let to = root.join(to);
        folder_of(&to)?;
        fs::write(&to, script + "\n").with_context(|| to.display().to_string())?;
        mode(&to, 0o644)?;
    }
    let manual = root.join("usr/share/man/man1");
    fs::create_dir_all(&manual)?;
    run(Command::new(program).arg("manual").arg(&manual))?;
    // Pages of the manual, and what has changed, are kept compressed; without a time in them.
    run(Command::new("sh")
        .args([
            "-c",
            "gzip -9n usr/share/man/man1/* usr/share/doc/redial/changelog",
        ])
        .current_dir(root))?;
    let control = root.join("DEBIAN");
    fs::create_dir(&control)?;
    for script in SCRIPTS {
        let from = layout::root().join("deploy/debian").join(script);
        install(&from, &control.join(script), 0o755)?;
    }
    fs::write(control.join("conffiles"), format!("/{SETTINGS}\n"))?;
    let sums = Command::new("sh")
        .args(["-c", "find usr -type f | LC_ALL=C sort | xargs md5sum"])
        .current_dir(root)
        .output()?;
    fs::write(control.join("md5sums"), sums.stdout)?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let size = output(Command::new("du").args(["-ks", "usr"]).current_dir(root))?;
    let size = size.split_whitespace().next().unwrap_or("0").to_owned();
    fs::write(
        control.join("control"),
        description(version, &architecture, &size),
    )?;
    run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(root))?;
    let package = folder.join(format!("redial_{version}_{architecture}.deb"));
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(root)
        .arg(&package)
        .env("SOURCE_DATE_EPOCH", time.to_string()))?;
    Ok(Some(package))
}

/// What dpkg knows of the package.
fn description(version: &str, architecture: &str, size: &str) -> String {
    format!(
        "Package: redial\n\
         Version: {version}\n\
         Architecture: {architecture}\n\
         Maintainer: The Redial developers <redial@localhost>\n\
         Installed-Size: {size}\n\
         Depends: adduser, init-system-helpers\n\
         Section: science\n\
         Priority: optional\n\
         Description: studies of how well people understand generative models\n \
         Participants turn dials in their browser until a picture matches a target. Redial\n \
         serves such studies, keeps what people do, and analyses it.\n \
         .\n \
         The service listens on 127.0.0.1:8080 alone until /etc/redial/redial.toml says\n \
         otherwise.\n"
    )
}

/// Copies a file with its rights.
fn install(from: &Path, to: &Path, rights: u32) -> Result<()> {
    folder_of(to)?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    mode(to, rights)
}

fn folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

#[cfg(unix)]
fn mode(file: &Path, rights: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(rights))
        .with_context(|| file.display().to_string())
}

#[cfg(not(unix))]
fn mode(_: &Path, _: u32) -> Result<()> {
    Ok(())
}

/// Whether two packages of the same program are the same bytes.
///
/// # Errors
/// When they are not.
pub fn is_reproducible(package: &Path, again: &Path) -> Result<()> {
    ensure!(
        fs::read(package)? == fs::read(again)?,
        "the Debian package is another one when it is made again"
    );
    note("made again, the package is the same");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the program that the other tests use, in a Debian of its own.
    #[test]
    #[ignore = "makes a Debian system with mmdebstrap, as root"]
    fn the_package_is_installed_upgraded_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        // What a debugger reads would be compressed for minutes.
        let program = folder.path().join("redial");
        fs::copy(layout::server_binary(false), &program).unwrap();
        run(Command::new("strip").arg(&program)).unwrap();
        let package = |version: &str| {
            let made = package(&program, "none", folder.path(), version, 1_700_000_000);
            made.unwrap().expect("dpkg-deb")
        };
        // This program reads the studies and models of the repository, where it lies.
        let with_repository = |root: &Path| {
            let there = root.join(layout::root().strip_prefix("/")?);
            fs::create_dir_all(there.join("server"))?;
            for part in ["studies", "models/zoo", "dist"] {
                fs::create_dir_all(there.join(part))?;
                run(Command::new("cp")
                    .arg("-rT")
                    .arg(layout::root().join(part))
                    .arg(there.join(part)))?;
            }
            run(Command::new("chmod").args(["-R", "a+rX"]).arg(&there))
        };
        try_out(&package("1.0-1"), &package("1.0-2"), with_repository).unwrap();
    }
}
