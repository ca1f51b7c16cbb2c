//! Finding, or setting up, a compiler for `wasm32-unknown-unknown`.
//!
//! Three ways, the first that works is taken: the active toolchain has the target; rustup adds it
//! (outside CI only); Debian's own compiler builds the standard library for it from source.

use crate::layout::TARGET;
use crate::process::{env_flag, find_program, is_set_by_cargo_run, note, output, step};
use crate::{apt, process};
use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What a wasm module may use of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// 128-bit SIMD: decoding is about three times as fast, and every browser of the last
    /// years has it.
    Simd,
    /// Relaxed SIMD, too: fused multiplication and addition, where the browser has it.
    Relaxed,
}

/// The same flags in every call: others would rebuild the standard library. Leptos reads `erase_components`: views lose their
/// types at the border of a component, which makes the app's module smaller by a twentieth.
const RUSTFLAGS: &str = "-C target-feature=+simd128 --cfg=erase_components";

/// The crates whose code computes. With relaxed SIMD they alone are compiled once more, not what they stand on.
const COMPUTING: [&str; 4] = ["kernels", "decode", "models", "decoder"];

/// rustup needs seconds where it can reach its server, and may hang where it cannot.
const RUSTUP_PATIENCE: Duration = Duration::from_secs(60);

const DEBIAN_PACKAGES: [&str; 5] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-llvm",
    "lld-22",
];

/// A way to compile for wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The active toolchain comes with the target's standard library.
    Installed,
    /// `/usr/bin/rustc` of Debian, which builds the standard library along.
    Debian,
}

impl Toolchain {
    /// The toolchain to use, set up if need be.
    ///
    /// # Errors
    /// When none is there and none could be set up; the message says what to do.
    pub fn find() -> Result<Self> {
        if target_is_installed() {
            return Ok(Self::Installed);
        }
        if debian_is_complete() {
            return Ok(Self::Debian);
        }
        if rustup_may_be_tried() && add_with_rustup() && target_is_installed() {
            return Ok(Self::Installed);
        }
        apt::install("a compiler for wasm", &DEBIAN_PACKAGES).with_context(|| {
            format!("no compiler for {TARGET}; with rustup: `rustup target add {TARGET}`")
        })?;
        if !debian_is_complete() {
            bail!(
                "Debian's packages {} are installed but do not make a compiler at least as new \
                 as Rust {}; with rustup: `rustup target add {TARGET}`",
                DEBIAN_PACKAGES.join(" "),
                env!("CARGO_PKG_RUST_VERSION"),
            );
        }
        Ok(Self::Debian)
    }

    /// How this toolchain is described to people.
    pub fn description(self) -> &'static str {
        match self {
            Self::Installed => "the active Rust toolchain",
            Self::Debian => "Debian's /usr/bin/rustc, standard library included",
        }
    }

    /// A command `cargo build` for a profile, with everything set for this toolchain.
    pub fn build(self, profile: &str, vectors: Vectors) -> Command {
        let mut command = match self {
            Self::Installed => process::cargo(),
            Self::Debian => debian_cargo(),
        };
        // Encoded flags would win over RUSTFLAGS.
        command
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", RUSTFLAGS)
            // -Zbuild-std and -Zprofile-rustflags are not stable yet; with this variable a stable compiler
            // accepts them. It is the same in every call, since build scripts look at it.
            .env("RUSTC_BOOTSTRAP", "1");
        command.args(["build", "--profile", profile, "--target", TARGET]);
        if vectors == Vectors::Relaxed {
            command.arg("-Zprofile-rustflags");
            for package in COMPUTING {
                let flags = "[\"-C\", \"target-feature=+relaxed-simd\"]";
                let setting = format!("profile.{profile}.package.{package}.rustflags = {flags}");
                command.args(["--config", &setting]);
            }
        }
        if self == Self::Debian {
            command.args([
                "-Zbuild-std=std,panic_abort",
                // Small sorting instead of fast sorting: nothing here sorts much.
                "-Zbuild-std-features=optimize_for_size",
            ]);
        }
        command
    }
}

/// Debian's cargo, with all traces of the toolchain that runs xtask removed.
fn debian_cargo() -> Command {
    let mut command = Command::new("/usr/bin/cargo");
    command.current_dir(crate::layout::root());
    for (name, _) in env::vars_os() {
        if is_set_by_cargo_run(&name) {
            command.env_remove(name);
        }
    }
    for name in [
        "RUSTUP_TOOLCHAIN",
        "RUSTUP_TOOLCHAIN_SOURCE",
        "RUST_RECURSION_COUNT",
    ] {
        command.env_remove(name);
    }
    // `cargo run` and rustup put their own libraries in front, which are not this compiler's.
    command.env_remove("LD_LIBRARY_PATH");
    let mut path = vec![PathBuf::from("/usr/bin")];
    if let Some(inherited) = env::var_os("PATH") {
        path.extend(env::split_paths(&inherited));
    }
    if let Ok(path) = env::join_paths(path) {
        command.env("PATH", path);
    }
    command.env("RUSTC", "/usr/bin/rustc");
    command
}

fn target_is_installed() -> bool {
    output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]))
        .is_ok_and(|dir| Path::new(&dir).is_dir())
}

/// Whether Debian's compiler, its library sources and the wasm linker are all there.
fn debian_is_complete() -> bool {
    let Ok(version) = output(Command::new("/usr/bin/rustc").arg("--version")) else {
        return false;
    };
    let Ok(sysroot) = output(Command::new("/usr/bin/rustc").args(["--print", "sysroot"])) else {
        return false;
    };
    is_new_enough(&version, env!("CARGO_PKG_RUST_VERSION"))
        && Path::new(&sysroot)
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .is_file()
        && Path::new("/usr/bin/cargo").is_file()
        && find_program("rust-lld").is_some()
}

/// Whether `rustc 1.96.0 (...)` is at least version `1.95`.
fn is_new_enough(rustc_version: &str, wanted: &str) -> bool {
    let numbers = |version: &str| -> Option<(u32, u32)> {
        let mut parts = version.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let found = rustc_version.split_whitespace().nth(1).and_then(numbers);
    matches!((found, numbers(wanted)), (Some(found), Some(wanted)) if found >= wanted)
}

/// Never in CI, where a build must not depend on one more server.
fn rustup_may_be_tried() -> bool {
    let forbidden = env_flag("CI")
        || env_flag("REDIAL_NO_RUSTUP")
        || env::var("RUSTUP_AUTO_INSTALL").is_ok_and(|value| value == "0");
    !forbidden && find_program("rustup").is_some()
}

fn add_with_rustup() -> bool {
    step(&format!("adding the target {TARGET} with rustup (once)"));
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start rustup")
        .and_then(|child| wait_at_most(child, RUSTUP_PATIENCE));
    match added {
        Ok(Some(status)) if status.success() => return true,
        Ok(Some(_)) => note("rustup could not add it"),
        Ok(None) => note("rustup got no answer within a minute"),
        Err(error) => note(&format!("{error:#}")),
    }
    note("going on with Debian's packages; REDIAL_NO_RUSTUP=1 skips this attempt");
    false
}

/// Waits for a program, and ends it when the time is over (`None`).
fn wait_at_most(mut child: Child, patience: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Fails early, before minutes of compiling, when there is no way to build for wasm.
///
/// # Errors
/// As [`Toolchain::find`].
pub fn check() -> Result<Toolchain> {
    let toolchain = Toolchain::find()?;
    note(&format!("compiler for wasm: {}", toolchain.description()));
    Ok(toolchain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let cases = [
            (
                "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)",
                "1.95",
                true,
            ),
            ("rustc 1.95.0", "1.95", true),
            ("rustc 1.100.0", "1.95", true),
            ("rustc 2.0.0", "1.95", true),
            ("rustc 1.63.0 (Debian)", "1.95", false),
            ("", "1.95", false),
            ("rustc new", "1.95", false),
        ];
        for (found, wanted, expected) in cases {
            assert_eq!(is_new_enough(found, wanted), expected, "{found}");
        }
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let start = Instant::now();
        let sleeper = Command::new("sleep").arg("30").spawn().unwrap();
        assert_eq!(
            wait_at_most(sleeper, Duration::from_millis(100)).unwrap(),
            None
        );
        assert!(start.elapsed() < Duration::from_secs(10));
        let quick = Command::new("true").spawn().unwrap();
        assert!(
            wait_at_most(quick, Duration::from_secs(10))
                .unwrap()
                .unwrap()
                .success()
        );
    }

    #[test]
    fn relaxed_simd_is_for_what_computes_alone() {
        let settings = |vectors| {
            let command = Toolchain::Installed.build("wasm", vectors);
            let arguments: Vec<String> = command
                .get_args()
                .map(|it| it.to_string_lossy().into_owned())
                .collect();
            let settings = arguments
                .into_iter()
                .filter(|it| it.contains("relaxed-simd"));
            settings.collect::<Vec<_>>()
        };
        assert!(settings(Vectors::Simd).is_empty());
        let relaxed = settings(Vectors::Relaxed);
        assert_eq!(relaxed.len(), COMPUTING.len());
        assert!(relaxed[0].starts_with("profile.wasm.package.kernels.rustflags"));
    }

    #[test]
    fn debian_builds_the_standard_library_and_hides_the_running_toolchain() {
        let command = Toolchain::Debian.build("wasm", Vectors::Simd);
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(
            arguments,
            [
                "build",
                "--profile",
                "wasm",
                "--target",
                TARGET,
                "-Zbuild-std=std,panic_abort",
                "-Zbuild-std-features=optimize_for_size"
            ]
        );
        let value = |name: &str| {
            command
                .get_envs()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        assert_eq!(value("RUSTFLAGS"), Some(Some(RUSTFLAGS.as_ref())));
        assert_eq!(value("RUSTC"), Some(Some("/usr/bin/rustc".as_ref())));
        assert_eq!(
            value("CARGO"),
            Some(None),
            "set by cargo, removed for the child"
        );
        let path = value("PATH").flatten().unwrap();
        assert_eq!(
            env::split_paths(path).next().unwrap(),
            Path::new("/usr/bin")
        );
    }
}
