//! Relaxed SIMD for the crates of this workspace alone.
//!
//! Cargo calls xtask in place of rustc for workspace crates (`RUSTC_WORKSPACE_WRAPPER`) when a
//! module with relaxed SIMD is built. The standard library and the dependencies are then the
//! same as for the other modules, and are not compiled once more, as they would be for other
//! `RUSTFLAGS`.

use crate::layout::{self, TARGET};
use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Tells xtask that cargo calls it as rustc.
const VARIABLE: &str = "REDIAL_RELAXED_SIMD";
const FLAGS: [&str; 2] = ["-C", "target-feature=+relaxed-simd"];
/// What cargo calls the crate that it asks rustc about flags with.
const PROBE: &str = "___";

/// Makes a cargo command compile workspace crates with relaxed SIMD.
///
/// # Errors
/// When it is not known where xtask lies.
pub fn wrap(command: &mut Command) -> Result<()> {
    let (xtask, _) = layout::xtask().context("where does xtask lie?")?;
    command
        .env("RUSTC_WORKSPACE_WRAPPER", xtask)
        .env(VARIABLE, "1");
    Ok(())
}

/// Runs rustc if xtask is called as that.
pub fn run_if_called() -> Option<ExitCode> {
    env::var_os(VARIABLE)?;
    let mut arguments = env::args_os().skip(1);
    let rustc = arguments.next()?;
    let arguments = with_flags(arguments.collect());
    let status = Command::new(&rustc).args(arguments).status();
    Some(match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cannot start {}: {error}", rustc.display());
            ExitCode::FAILURE
        }
    })
}

/// Build scripts and procedural macros are for this machine and stay as they are.
fn with_flags(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |text: &'static str| move |argument: &OsString| argument == text;
    if arguments.iter().any(is(TARGET)) && !arguments.iter().any(is(PROBE)) {
        arguments.extend(FLAGS.map(OsString::from));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wasm_is_compiled_with_relaxed_simd() {
        let check = |given: &[&str], more: usize| {
            let given: Vec<OsString> = given.iter().map(OsString::from).collect();
            assert_eq!(with_flags(given.clone()).len(), given.len() + more);
        };
        check(&["--crate-name", "decode", "--target", TARGET], 2);
        check(&["--crate-name", "build_script_build"], 0);
        check(&["-", "--crate-name", PROBE, "--target", TARGET], 0);
        check(&["-vV"], 0);
    }
}
