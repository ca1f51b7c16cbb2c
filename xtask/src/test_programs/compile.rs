//! All test programs are compiled, and every crate of the workspace is linted as it is compiled.
//!
//! `cargo clippy` checks crates, and leaves nothing behind that a test could be linked from: after it
//! everything is compiled once more. Its driver is a whole compiler, though. In rustc's place it lints what it
//! compiles, so that one pass makes both.

use super::TestProgram;
use crate::process::{cargo, command_line, find_program, note};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What clippy's driver is told. Every lint is a warning, errors too, so that the tests run whatever it says;
/// a warning fails the step of the lints.
const CLIPPY_ARGS: &str = "--cap-lints__CLIPPY_HACKERY__warn__CLIPPY_HACKERY__";

/// What compiling has said.
#[derive(Default)]
pub struct CompileResult {
    /// What the compiler or clippy warned of, each with its target, such as `domain (lib)`.
    warnings: BTreeSet<String>,
}

impl CompileResult {
    /// Whether everything was linted and nothing was warned of.
    ///
    /// # Errors
    /// When something was, or there is no clippy.
    pub fn lints(&self) -> Result<()> {
        if !self.warnings.is_empty() {
            let warnings: Vec<&str> = self.warnings.iter().map(String::as_str).collect();
            bail!("{}", warnings.join("\n"));
        }
        if driver().is_none() {
            bail!("there is no clippy; with rustup: `rustup component add clippy`");
        }
        Ok(())
    }

    /// Takes a message of cargo's; gives back what people should read of it.
    fn take<'a>(&mut self, message: &'a Value) -> Option<&'a str> {
        let said = &message["message"];
        let rendered = said["rendered"].as_str()?;
        if said["level"] == "warning" || said["level"] == "error" {
            let target = &message["target"];
            let text = |value: &'a Value| value.as_str().unwrap_or("?");
            self.warnings.insert(format!(
                "{} ({}): {rendered}",
                text(&target["name"]),
                text(&target["kind"][0])
            ));
        }
        Some(rendered)
    }
}

/// Compiles all test programs and lints what belongs to the workspace. Each program is handed on once it is there.
///
/// One call for all packages: with another choice cargo would choose other features of their
/// dependencies, and compile these again.
///
/// # Errors
/// When something does not compile, cargo says something else than its format, or a program is not taken.
pub fn compile(take: impl Fn(&TestProgram) -> Result<()>) -> Result<CompileResult> {
    let mut command = linted(cargo());
    // All that is wrong is said at once.
    command.args([
        "test",
        "--workspace",
        "--no-run",
        "--no-fail-fast",
        "--quiet",
    ]);
    command.arg("--message-format=json");
    let line = command_line(&command);
    note(&format!("$ {line}"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let mut compiled = CompileResult::default();
    let messages = child.stdout.take().context("cargo has no output")?;
    for message in BufReader::new(messages).lines() {
        let message = serde_json::from_str(&message?).context("cargo's messages are not JSON")?;
        if let Some(text) = compiled.take(&message) {
            eprint!("{text}");
        }
        if let Some(program) = program(&message) {
            take(&program)?;
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(compiled)
}

/// A cargo command that compiles crates of the workspace with clippy's driver, if there is one. Every
/// command that is to find them compiled needs it: cargo keeps what different compilers make apart.
pub fn linted(mut command: Command) -> Command {
    if let Some(driver) = driver() {
        command
            .env("RUSTC_WORKSPACE_WRAPPER", driver)
            .env("CLIPPY_ARGS", CLIPPY_ARGS);
    }
    command
}

/// Clippy's driver of the toolchain that runs xtask: it lies beside its cargo.
fn driver() -> Option<PathBuf> {
    let name = format!("clippy-driver{}", env::consts::EXE_SUFFIX);
    let beside = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name(&name));
    beside
        .filter(|driver| driver.is_file())
        .or_else(|| find_program(&name))
}

/// The test program that a message of cargo's tells of, if any.
fn program(message: &Value) -> Option<TestProgram> {
    let is_test = message["profile"]["test"].as_bool()?;
    let path = message["executable"].as_str()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy();
    let target = message["target"]["name"].as_str()?;
    is_test.then(|| TestProgram {
        folder: folder.to_owned(),
        name: format!("{package} {target}"),
        path: path.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_test_program_is_known_by_its_message() {
        let message = |test: bool, executable: Option<&str>| {
            json!({
                "reason": "compiler-artifact",
                "manifest_path": "/r/server/Cargo.toml",
                "target": { "name": "it", "kind": ["test"] },
                "profile": { "test": test },
                "executable": executable,
            })
        };
        let found = program(&message(true, Some("/t/it-1")));
        assert_eq!(
            found,
            Some(TestProgram {
                folder: "/r/server".into(),
                name: "server it".into(),
                path: "/t/it-1".into(),
            })
        );
        assert_eq!(program(&message(false, Some("/t/redial"))), None);
        assert_eq!(program(&message(true, None)), None);
        assert_eq!(program(&json!({ "reason": "build-finished" })), None);
    }

    #[test]
    fn warnings_are_printed_and_counted_against_their_target_and_notes_are_only_printed() {
        let message = |level: &str| {
            json!({
                "reason": "compiler-message",
                "target": { "name": "domain", "kind": ["lib"] },
                "message": { "level": level, "rendered": format!("{level}: x\n") },
            })
        };
        let mut compiled = CompileResult::default();
        assert_eq!(compiled.take(&message("note")), Some("note: x\n"));
        assert!(compiled.warnings.is_empty());
        assert_eq!(compiled.take(&message("warning")), Some("warning: x\n"));
        compiled.take(&message("error"));
        assert_eq!(compiled.take(&json!({ "reason": "build-finished" })), None);
        let said = compiled.lints().map_err(|error| error.to_string());
        let expected = "domain (lib): error: x\n\ndomain (lib): warning: x\n";
        assert_eq!(said, Err(expected.to_owned()));
    }
}
