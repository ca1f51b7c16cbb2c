//! Running other programs: what is run is shown, and a failure says what to do.

use crate::layout;
use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Announces the next piece of work.
pub fn step(what: &str) {
    println!("==> {what}");
}

/// Says something about the work under way.
pub fn note(what: &str) {
    println!("    {what}");
}

/// A cargo command of the toolchain that runs xtask, in the repository's root.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(layout::root());
    without_xtask(&mut command);
    command
}

/// Keeps from a program that calls cargo what describes xtask: build scripts that ask for it would run anew.
pub fn without_xtask(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if is_set_by_cargo_run(&name) && name != "CARGO" {
            command.env_remove(name);
        }
    }
}

/// Whether `cargo run` sets this variable for the program it runs.
///
/// They describe xtask, so a build script or a test below must not see them.
pub fn is_set_by_cargo_run(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    const NAMES: [&str; 5] = [
        "CARGO",
        "CARGO_CRATE_NAME",
        "CARGO_BIN_NAME",
        "CARGO_PRIMARY_PACKAGE",
        "OUT_DIR",
    ];
    const PREFIXES: [&str; 3] = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_EXE_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A program that runs beside this one; it is ended if nobody waits for it.
pub struct BackgroundChild {
    child: Child,
    line: String,
}

impl BackgroundChild {
    /// Starts it, its output going straight to ours.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        let line = command_line(command);
        note(&format!("$ {line} &"));
        let child = command
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{line}`"))?;
        Ok(Self { child, line })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it does not succeed.
    pub fn wait(mut self) -> Result<()> {
        let status = self.child.wait()?;
        if !status.success() {
            bail!("`{}` failed ({status})", self.line);
        }
        Ok(())
    }
}

impl Drop for BackgroundChild {
    fn drop(&mut self) {
        // It may have ended, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program that runs beside this one and is listened to; it is ended with the value.
pub struct BackgroundProgram {
    child: BackgroundChild,
    lines: Receiver<String>,
}

impl BackgroundProgram {
    /// Starts it. Its standard output is kept for whoever waits for a line of it.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = BackgroundChild::start(command.stdout(Stdio::piped()))?;
        let output = child.child.stdout.take().context("it has no output")?;
        let (told, lines) = channel();
        // It ends with the program's output, or when nobody listens any more.
        thread::spawn(move || {
            let mut lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.try_for_each(|line| told.send(line))
        });
        Ok(Self { child, lines })
    }

    /// Waits for the next line that begins so.
    ///
    /// # Errors
    /// When none has come in time, or the program has ended.
    pub fn line_that_begins_with(&self, beginning: &str, patience: Duration) -> Result<String> {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).with_context(|| {
                let command = &self.child.line;
                format!("`{command}` has not said '{beginning}' within {patience:?}")
            })?;
            if line.starts_with(beginning) {
                return Ok(line);
            }
        }
    }
}

/// Runs a command to its end, its output going straight to ours.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    note(&format!("$ {line}"));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a command silently and returns what it prints, without the last line break.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn output(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed ({}): {}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned())
}

/// The first program of this name on PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(layout::program_file(name)))
        .find(|candidate| is_executable(candidate))
}

/// A program that is compiled once from its crate, in the target folder.
///
/// # Errors
/// When it cannot be compiled.
pub fn compiled_tool(name: &str, version: &str, arguments: &[&str]) -> Result<PathBuf> {
    let root = layout::target().join(format!("tools/{name}-{version}"));
    let binary = root.join("bin").join(layout::program_file(name));
    if !binary.is_file() {
        step(&format!("compiling {name}"));
        run(Command::new("cargo")
            .args(["install", name, "--version", version, "--locked"])
            // It compiles in a third of the time, and has little to do.
            .arg("--debug")
            .args(arguments)
            .arg("--root")
            .arg(&root)
            .env("CARGO_PROFILE_DEV_DEBUG", "0"))
        .with_context(|| {
            format!("{name} could not be compiled: is the registry of crates reachable?")
        })?;
    }
    Ok(binary)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Whether an environment variable is set to something that means yes.
pub fn env_flag(name: &str) -> bool {
    env::var(name).is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// The command as one would type it, without its environment.
pub fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy();
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_xtask_is_kept_from_children() {
        for name in [
            "CARGO",
            "CARGO_PKG_NAME",
            "CARGO_MANIFEST_DIR",
            "CARGO_BIN_EXE_xtask",
        ] {
            assert!(is_set_by_cargo_run(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "PATH"] {
            assert!(!is_set_by_cargo_run(OsStr::new(name)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_listened_to_until_it_says_something_or_ends() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo first; echo at 7; sleep 30"]);
        let program = BackgroundProgram::start(&mut command).unwrap();
        let patience = Duration::from_secs(20);
        let line = program.line_that_begins_with("at ", patience);
        assert_eq!(line.unwrap(), "at 7");
        let nothing = program.line_that_begins_with("at ", Duration::ZERO);
        assert!(nothing.is_err());
        let silent = BackgroundProgram::start(&mut Command::new("true")).unwrap();
        let start = Instant::now();
        assert!(silent.line_that_begins_with("at ", patience).is_err());
        assert!(start.elapsed() < patience);
    }

    #[test]
    fn a_failing_program_is_named() {
        let failed = run(Command::new("sh").args(["-c", "exit 3"])).map_err(|e| e.to_string());
        assert!(failed.is_err_and(|message| message.contains("sh -c exit 3")));
    }
}
