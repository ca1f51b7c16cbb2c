//! Where things lie: the repository, the target folders and `dist/`.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The repository's root: xtask's own folder is one below it. Cargo says which folder that is when it runs xtask, since
/// checkouts that share a target folder share this program, too.
pub fn root() -> PathBuf {
    let compiled = || env!("CARGO_MANIFEST_DIR").into();
    let here = env::var_os("CARGO_MANIFEST_DIR").map_or_else(compiled, PathBuf::from);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// Where this program lies and when it was built; none if the system does not say it.
///
/// To be asked for first when it starts: the tests are compiled with another build of it, which takes its
/// place while it runs.
pub fn xtask() -> Option<&'static (PathBuf, SystemTime)> {
    static STARTED: OnceLock<Option<(PathBuf, SystemTime)>> = OnceLock::new();
    let find = || {
        let path = env::current_exe().ok()?;
        let built = path.metadata().ok()?.modified().ok()?;
        Some((path, built))
    };
    STARTED.get_or_init(find).as_ref()
}

/// Cargo's target folder for native builds; `CARGO_TARGET_DIR` moves it.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        // A relative folder is relative to where cargo was called; we always call it in the root.
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A virtual environment with tools that are written in Python.
pub fn python_tools() -> PathBuf {
    target().join("tools/python")
}

/// The target folder for wasm builds, apart so that neither side throws the other's work away.
pub fn wasm_target() -> PathBuf {
    target().join("wasm")
}

/// What the server serves: the page, its assets and their compressed twins.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// The folder with style sheets, fonts, icons and the page's template.
pub fn static_files() -> PathBuf {
    root().join("static")
}

/// The folder with the app's texts, a file for each language.
pub fn texts() -> PathBuf {
    root().join("frontend/text")
}

/// The folder of the crate with the browser tests, where npm installs what they inject.
pub fn tests() -> PathBuf {
    root().join("tests")
}

/// What the benchmark's page loads of other engines: their npm packages and their lock file.
pub fn peers() -> PathBuf {
    tests().join("peers")
}

/// Every engine that the benchmark compares, a folder each, with compressed twins.
pub fn engines() -> PathBuf {
    target().join("engines")
}

/// The server's executable as cargo leaves it.
pub fn server_binary(release: bool) -> PathBuf {
    let profile = if release { "release" } else { "debug" };
    target().join(profile).join(program_file("redial"))
}

/// The file of a program: Windows puts `.exe` behind its name.
pub fn program_file(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// The folder of the documentation in `dist/`.
pub const DOCS: &str = "docs";

/// The target of the browser app.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page, the same for every address of the app.
pub const PAGE: &str = "index.html";
/// The folder of the app's texts among the assets.
pub const TEXTS: &str = "text/";
/// The folder of what has its content's hash in its name.
pub const ASSETS: &str = "assets";
