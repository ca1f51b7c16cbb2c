//! The needs of the browser tests: Chromium, its driver and the npm packages they inject.

use crate::apt;
use crate::process::{compiled_tool, find_program, note, output, run, step};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser and its driver.
pub struct BrowserPrograms {
    chrome: PathBuf,
    chromedriver: PathBuf,
}

impl BrowserPrograms {
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

    /// Chromium's headless shell, `HEADLESS_SHELL` first, or Debian's: the same engine without the window around pages, in
    /// which browser tests take less CPU time (decision 82). None where somebody named a browser of their own, or where there is
    /// no shell of the driver's version; then the tests run in the browser itself.
    ///
    /// # Errors
    /// When `HEADLESS_SHELL` names nothing.
    pub fn headless_shell(&self) -> Result<Option<PathBuf>> {
        if env::var_os("CHROME").is_some() && env::var_os(HEADLESS_SHELL).is_none() {
            return Ok(None);
        }
        let find = || -> Result<Option<PathBuf>> {
            let found = program(HEADLESS_SHELL, "chromium-headless-shell")?;
            Ok(found.filter(|shell| {
                let shell = version_of(shell);
                shell.is_some() && shell == version_of(&self.chromedriver)
            }))
        };
        if find()?.is_none() {
            // All three, so that they are of one version.
            let packages = ["chromium-headless-shell", "chromium-driver", "chromium"];
            if let Err(error) = apt::install("Chromium's headless shell", &packages) {
                note(&format!("the tests run in the browser itself: {error:#}"));
            }
        }
        find()
    }
}

/// Where the tests are told of the shell.
pub const HEADLESS_SHELL: &str = "HEADLESS_SHELL";

/// The number in what a program says of its version: `156.0.8078.108` of `Chromium 156.0.8078.108 built on Debian`.
fn version_of(program: &Path) -> Option<String> {
    let said = output(Command::new(program).arg("--version")).ok()?;
    let number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    said.split_whitespace().find(number).map(str::to_owned)
}

/// A browser beside Chromium in which the tests take studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OtherBrowser {
    /// Debian's firefox-esr, with geckodriver from its crate
    Firefox,
    /// WebKitGTK, the nearest to Safari that runs here
    Webkit,
}

/// Version of geckodriver: the newest one that drives Debian's firefox-esr.
const GECKODRIVER: &str = "0.37.1";

impl OtherBrowser {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Firefox, Self::Webkit];

    /// The name in arguments and in `REDIAL_BROWSERS`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Firefox => "firefox",
            Self::Webkit => "webkit",
        }
    }

    /// Finds what it needs, or installs it; gives the variables that say where it is.
    ///
    /// # Errors
    /// When something is missing and cannot be installed; the message says what to do.
    pub fn find(self) -> Result<Vec<(&'static str, PathBuf)>> {
        match self {
            Self::Firefox => {
                if program("FIREFOX", "firefox-esr")?.is_none() {
                    apt::install("Firefox for the browser tests", &["firefox-esr"])?;
                }
                let firefox =
                    program("FIREFOX", "firefox-esr")?.context("firefox-esr is not on PATH")?;
                Ok(vec![("FIREFOX", firefox), ("GECKODRIVER", geckodriver()?)])
            }
            Self::Webkit => {
                let find = || -> Result<Option<Vec<_>>> {
                    let driver = program("WEBKITDRIVER", "WebKitWebDriver")?;
                    let screen = program("XVFB", "Xvfb")?;
                    Ok(driver
                        .zip(screen)
                        .map(|(driver, screen)| vec![("WEBKITDRIVER", driver), ("XVFB", screen)]))
                };
                if find()?.is_none() {
                    apt::install(
                        "WebKitGTK for the browser tests",
                        &["webkit2gtk-driver", "xvfb"],
                    )?;
                }
                find()?.context("WebKitWebDriver or Xvfb is not on PATH")
            }
        }
    }
}

/// Firefox's driver, which Debian does not have: compiled once from its crate.
fn geckodriver() -> Result<PathBuf> {
    match program("GECKODRIVER", "geckodriver")? {
        Some(found) => Ok(found),
        None => compiled_tool("geckodriver", GECKODRIVER, &[]),
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
