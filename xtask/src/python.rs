//! Virtual environments of Python, with packages from PyPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process::{find_program, run};
use crate::{apt, layout};

/// A virtual environment in a folder, made if it is not there.
///
/// # Errors
/// When there is no Python and it cannot be installed, or the environment cannot be made.
pub fn environment(folder: &Path) -> Result<PathBuf> {
    if installed(folder, "python").exists() {
        return Ok(folder.to_owned());
    }
    let name = if cfg!(windows) { "python" } else { "python3" };
    let python = match find_program(name) {
        Some(python) if has_venv(&python) => python,
        _ => {
            apt::install("Python", &["python3", "python3-venv"])?;
            find_program(name).with_context(|| format!("{name} is not on PATH"))?
        }
    };
    run(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    if !installed(folder, "python").exists() {
        bail!("{} is no virtual environment", folder.display());
    }
    Ok(folder.to_owned())
}

/// A program of a virtual environment.
#[must_use]
pub fn installed(environment: &Path, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(layout::program_file(name))
}

fn has_venv(python: &Path) -> bool {
    let found = Command::new(python)
        .args(["-c", "import venv, ensurepip"])
        .output();
    found.is_ok_and(|output| output.status.success())
}

/// Installs packages from PyPI into a virtual environment.
///
/// # Errors
/// When pip fails.
pub fn install(environment: &Path, packages: &[&str]) -> Result<()> {
    run(Command::new(installed(environment, "python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages))
    .context("packages cannot be installed: is the network reachable?")
}
