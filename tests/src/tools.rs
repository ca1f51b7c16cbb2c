//! Where the programs under test and the browser are, and copies of folders.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target folder.
#[must_use]
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The server's executable: `REDIAL_BIN`, else the debug build.
pub fn server() -> Result<PathBuf> {
    found("REDIAL_BIN", target().join("debug/redial"), "the server")
}

/// The built browser app: `REDIAL_DIST`, else `dist/`.
pub fn dist() -> Result<PathBuf> {
    let dist = found("REDIAL_DIST", root().join("dist"), "the browser app")?;
    found("", dist.join("index.html"), "the app's page")?;
    Ok(dist)
}

/// The browser: `CHROME`, else `chromium` on the path.
pub fn chrome() -> Result<PathBuf> {
    found("CHROME", on_path("chromium"), "Chromium")
}

/// Starts Chromium's headless shell, which `HEADLESS_SHELL` names: the same engine, without the window around pages. None
/// where nothing is named.
///
/// # Errors
/// When what is named is not there.
pub fn headless_shell() -> Result<Option<PathBuf>> {
    if env::var_os("HEADLESS_SHELL").is_none() {
        return Ok(None);
    }
    found(
        "HEADLESS_SHELL",
        PathBuf::new(),
        "Chromium's headless shell",
    )?;
    Ok(Some(root().join("tests/headless-shell.sh")))
}

/// The browser's driver: `CHROMEDRIVER`, else `chromedriver` on the path.
pub fn chromedriver() -> Result<PathBuf> {
    found("CHROMEDRIVER", on_path("chromedriver"), "chromedriver")
}

/// Firefox: `FIREFOX`, else `firefox-esr` on the path.
pub fn firefox() -> Result<PathBuf> {
    found("FIREFOX", on_path("firefox-esr"), "Firefox")
}

/// Firefox's driver: `GECKODRIVER`, else `geckodriver` on the path.
pub fn geckodriver() -> Result<PathBuf> {
    found("GECKODRIVER", on_path("geckodriver"), "geckodriver")
}

/// The driver of WebKitGTK's small browser: `WEBKITDRIVER`, else `WebKitWebDriver` on the path.
pub fn webkit_driver() -> Result<PathBuf> {
    found(
        "WEBKITDRIVER",
        on_path("WebKitWebDriver"),
        "WebKitWebDriver",
    )
}

/// A screen for browsers that have no headless way: `XVFB`, else `Xvfb` on the path.
pub fn xvfb() -> Result<PathBuf> {
    found("XVFB", on_path("Xvfb"), "Xvfb")
}

/// The accessibility checker that is injected into pages.
///
/// # Errors
/// When npm has not installed it.
pub fn axe() -> Result<PathBuf> {
    let script = root().join("tests/node_modules/axe-core/axe.min.js");
    found("", script, "axe-core")
}

/// The studies that ship.
#[must_use]
pub fn studies() -> PathBuf {
    root().join("studies")
}

/// Where pictures of the screens go: `REDIAL_SCREENSHOTS`, else `target/screenshots/`.
#[must_use]
pub fn screenshots() -> PathBuf {
    env::var_os("REDIAL_SCREENSHOTS").map_or_else(|| target().join("screenshots"), PathBuf::from)
}

/// Writes a picture where people look at it, and nothing in CI, where nobody does.
///
/// # Errors
/// When it cannot be written.
pub fn keep_picture(path: &Path, picture: &[u8]) -> Result<()> {
    if in_ci() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
}

/// A missing tool fails a test: one that is passed over would prove nothing.
fn found(variable: &str, default: PathBuf, what: &str) -> Result<PathBuf> {
    let given = if variable.is_empty() {
        None
    } else {
        env::var_os(variable)
    };
    let path = given.map_or(default, PathBuf::from);
    if !path.exists() {
        bail!(
            "{what} is not at {}; `cargo xtask test` builds or installs it and runs these tests",
            path.display()
        );
    }
    Ok(path)
}

/// The program of this name on the path, or its bare name.
fn on_path(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| name.into())
}

/// Copies a folder with everything in it.
///
/// # Errors
/// When something cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Whether the long run was asked for: `cargo xtask test --long`.
#[must_use]
pub fn long() -> bool {
    std::env::var_os("REDIAL_LONG").is_some()
}

/// Whether nobody is there to look at pictures: `CI` is set, as `.ci/run` does; read as xtask reads it.
#[must_use]
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}
