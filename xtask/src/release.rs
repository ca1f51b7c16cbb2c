//! How the program is compiled that other people get: optimised, linked statically where the system allows it, with the
//! commit in its version and nothing of this machine in it.

use crate::layout;
use crate::process::{find_program, note, output};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The system that a program is built for: the one that this machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform(String);

impl Platform {
    /// That of the compiler.
    ///
    /// # Errors
    /// When there is no compiler that says it.
    pub fn of_compiler() -> Result<Self> {
        let said = output(Command::new("rustc").arg("-vV"))?;
        let host = said.lines().find_map(|line| line.strip_prefix("host: "));
        Ok(Self(
            host.context("rustc does not name its host")?.to_owned(),
        ))
    }

    /// As compilers call it, such as `x86_64-unknown-linux-gnu`.
    pub fn triple(&self) -> &str {
        &self.0
    }

    /// As people call it, such as `x86_64-linux`.
    pub fn name(&self) -> String {
        let architecture = self.0.split('-').next().unwrap_or_default();
        let system = [("darwin", "macos"), ("windows", "windows")]
            .into_iter()
            .find(|(word, _)| self.0.contains(word))
            .map_or("linux", |(_, system)| system);
        format!("{architecture}-{system}")
    }

    /// Whether it is a Linux.
    pub fn is_linux(&self) -> bool {
        self.0.contains("linux")
    }

    /// Where cargo leaves the program.
    pub fn program(&self) -> PathBuf {
        let release = layout::target().join(&self.0).join("release");
        release.join(layout::program_file("redial"))
    }

    /// Flags of the compiler. On Linux and Windows the C library comes into the program, so that it runs with any version
    /// of the system's; macOS has none to link. The folder of crates is named otherwise: messages of panics would tell
    /// the name of whoever built the program.
    fn flags(&self, cargo_home: Option<&Path>) -> Vec<String> {
        let mut flags = Vec::new();
        if !self.0.contains("darwin") {
            flags.extend(["-C", "target-feature=+crt-static"].map(str::to_owned));
        }
        if let Some(home) = cargo_home {
            flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
        }
        flags
    }
}

/// Sets what a build of the program depends on, for cargo or for what calls it. The platform has to be given as `--target`,
/// too: without it the flags would hold for build scripts and macros, which cannot be linked statically.
///
/// # Errors
/// When the C library cannot be linked statically here.
pub fn prepare(command: &mut Command, platform: &Platform) -> Result<()> {
    if platform.is_linux() && !has_static_c_library() {
        bail!(
            "the program is linked statically, and libc.a is missing: it comes with libc6-dev on Debian, with \
             glibc-static on Fedora"
        );
    }
    let flags = platform.flags(cargo_home().as_deref());
    command
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        // Names of functions that the linker shares out have a number in them that is another one in another folder.
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .env_remove("RUSTFLAGS");
    if let Some(time) = commit_time() {
        // Files inside the program and inside the wheel are as old as the commit.
        command.env("SOURCE_DATE_EPOCH", time.to_string());
    }
    name_version(command);
    Ok(())
}

/// Tells a build which version it is of, where git knows the commit.
pub fn name_version(command: &mut Command) {
    if let Some(commit) = commit() {
        let version = concat!(env!("CARGO_PKG_VERSION"), " (commit ");
        command.env("REDIAL_VERSION", format!("{version}{commit})"));
    }
}

/// When the commit was made that is built, in seconds since 1970; none where git does not know it.
pub fn commit_time() -> Option<u64> {
    git(&["log", "-1", "--format=%ct"])?.parse().ok()
}

/// The commit that is built, and whether something was changed since.
fn commit() -> Option<String> {
    git(&["describe", "--always", "--dirty", "--exclude", "*"])
}

/// Says so where what is built is no commit: nobody could build it again.
pub fn warn_of_changes() {
    if commit().is_none_or(|commit| commit.ends_with("-dirty")) {
        note("what is built here is no commit as it is: build a release from a clean checkout");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    output(command.args(arguments).current_dir(layout::root())).ok()
}

fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Whether the C compiler finds `libc.a`; where none can be asked, linking will tell.
fn has_static_c_library() -> bool {
    let Some(compiler) = find_program("cc") else {
        return true;
    };
    // A file that it does not find is printed as it was asked for.
    output(Command::new(compiler).arg("-print-file-name=libc.a"))
        .is_ok_and(|path| Path::new(&path).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(triple: &str, name: &str, flags: &[&str]) {
        let platform = Platform(triple.to_owned());
        assert_eq!(platform.name(), name);
        assert_eq!(platform.flags(Some(Path::new("/home/ada/.cargo"))), flags);
    }

    #[test]
    fn platforms_have_names_and_the_c_library_comes_along_where_it_can() {
        let linked = ["-C", "target-feature=+crt-static"];
        let named = "--remap-path-prefix=/home/ada/.cargo=/cargo";
        let both = [linked[0], linked[1], named];
        check("x86_64-unknown-linux-gnu", "x86_64-linux", &both);
        check("aarch64-apple-darwin", "aarch64-macos", &[named]);
        check("x86_64-pc-windows-msvc", "x86_64-windows", &both);
    }
}
