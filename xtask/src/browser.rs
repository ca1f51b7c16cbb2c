//! What the browser tests need: Chromium, its driver and the npm packages they inject.

use crate::apt;
use crate::process::{find_program, note, run, step};
use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser and its driver.
pub struct Browser {
    chrome: PathBuf,
    chromedriver: PathBuf,
}

impl Browser {
    /// Finds both, `CHROME` and `CHROMEDRIVER` first, or installs Debian's.
    ///
    /// # Errors
    /// When one is missing and cannot be installed; the message says what to do.
    pub fn find() -> Result<Self> {
        if program("CHROME", "chromium")?.is_none()
            || program("CHROMEDRIVER", "chromedriver")?.is_none()
        {
            apt::install(
                "Chromium for the browser tests",
                &["chromium", "chromium-driver"],
            )?;
        }
        let chrome = program("CHROME", "chromium")?.context("chromium is not on PATH")?;
        let chromedriver =
            program("CHROMEDRIVER", "chromedriver")?.context("chromedriver is not on PATH")?;
        note(&format!(
            "browser: {}, driver: {}",
            chrome.display(),
            chromedriver.display()
        ));
        Ok(Self {
            chrome,
            chromedriver,
        })
    }

    /// Tells a command where they are.
    pub fn tell<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("CHROME", &self.chrome)
            .env("CHROMEDRIVER", &self.chromedriver)
    }
}

/// The program named by an environment variable, else the one of this name on PATH.
fn program(variable: &str, name: &str) -> Result<Option<PathBuf>> {
    match env::var_os(variable).map(PathBuf::from) {
        Some(path) if path.is_file() => Ok(Some(path)),
        Some(path) => bail!("{variable} is {}, which does not exist", path.display()),
        None => Ok(find_program(name)),
    }
}

/// Installs the packages that a folder's `package-lock.json` names unless they are there.
///
/// # Errors
/// When npm is missing and cannot be installed, or fails.
pub fn install_npm_packages(folder: &Path) -> Result<()> {
    // npm writes this file last, and newer than the lock file it followed.
    let modified = |name: &str| folder.join(name).metadata().and_then(|m| m.modified());
    if let (Ok(installed), Ok(locked)) = (
        modified("node_modules/.package-lock.json"),
        modified("package-lock.json"),
    ) && installed >= locked
    {
        return Ok(());
    }
    if find_program("npm").is_none() {
        apt::install("npm", &["npm"])?;
    }
    let lock = folder.join("package-lock.json");
    step(&format!(
        "installing the npm packages of {}",
        lock.display()
    ));
    run(Command::new("npm").arg("ci").current_dir(folder)).with_context(|| {
        format!(
            "npm cannot install {}: is its registry reachable?",
            lock.display()
        )
    })
}
