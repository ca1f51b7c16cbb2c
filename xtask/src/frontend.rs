//! What runs in the browser: the app, and the decoder module in three builds. Each is compiled to
//! wasm, then bound to JavaScript by wasm-bindgen.

mod bindings;

pub use bindings::Bindings;

use crate::process::{run, step};
use crate::stages::Stages;
use crate::toolchain::{Toolchain, Vectors};
use crate::{layout, toolchain};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One wasm module of the site.
struct Module {
    /// Name of the files that wasm-bindgen writes, and of the module in placeholders.
    name: &'static str,
    /// What cargo builds, it among others.
    arguments: &'static [&'static str],
    /// Where cargo leaves it, in the folder of the profile.
    file: &'static str,
    vectors: Vectors,
    /// Whether participants can take studies without it, if need be more slowly.
    later: bool,
}

/// Which modules are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modules {
    /// All of them.
    All,
    /// Those without which no study can be taken: the participant's app and the first decoder. The
    /// others are the longer half of a first build.
    First,
}

/// For whom modules are built: the cargo profile of all of them, see the workspace's Cargo.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildPurpose {
    /// For everybody: as small and fast as they can be.
    Shipping,
    /// For this machine alone, tests among it: its profile may leave out what only makes modules small.
    Here,
}

impl BuildPurpose {
    /// The name of the cargo profile.
    fn profile(self) -> &'static str {
        match self {
            Self::Shipping => "wasm",
            Self::Here => "wasm-quick",
        }
    }

    /// Where cargo leaves what it built.
    fn folder(self) -> PathBuf {
        let target = layout::wasm_target().join(layout::TARGET);
        target.join(self.profile())
    }
}

/// The name of the app among the modules.
pub const APP: &str = "redial";

/// The name of the experimenter's app among the modules.
pub const EXPERIMENTER: &str = "experimenter";

/// The name of the researcher's app among the modules: all of the area but the replays.
pub const RESEARCHER: &str = "researcher";

/// The name of the app that replays sessions.
pub const REPLAY: &str = "replay";

/// The name of the decoder's first build, which every browser understands.
pub const DECODER: &str = "decoder_simd";

/// The name of the decoder with relaxed SIMD.
pub const RELAXED_DECODER: &str = "decoder_relaxed";

/// The name of the decoder that runs on candle.
pub const CANDLE_DECODER: &str = "decoder_candle";

/// The same packages in every call of cargo: with others it would choose other features of what
/// they depend on, and compile that again.
const PACKAGES: [&str; 5] = [
    "--package=participant",
    "--package=experimenter",
    "--package=researcher",
    "--package=decoder",
    // Nothing but the benchmark is made of it. It needs all that the decoder on candle needs, so that `domain` and
    // what it stands on have the same features with and without candle.
    "--package=plain-candle",
];

/// The app and the first decoder in one call, so that cargo builds them side by side.
const APP_AND_DECODER: &[&str] = &["--bin=participant", "--example=decoder_simd"];

/// The participant's app and a decoder; then the experimenter's app, for lab sessions, and the researcher's two. The decoder's
/// second build is for browsers that have relaxed SIMD, its third for models that only candle decodes.
const MODULES: [Module; 7] = [
    Module {
        name: APP,
        arguments: APP_AND_DECODER,
        file: "participant.wasm",
        vectors: Vectors::Simd,
        later: false,
    },
    Module {
        name: DECODER,
        arguments: APP_AND_DECODER,
        file: "examples/decoder_simd.wasm",
        vectors: Vectors::Simd,
        later: false,
    },
    Module {
        name: EXPERIMENTER,
        // With an example as in the other calls: else cargo would choose other features of dependencies,
        // and compile them again.
        arguments: &["--bin=experimenter", "--example=decoder_simd"],
        file: "experimenter.wasm",
        vectors: Vectors::Simd,
        later: true,
    },
    Module {
        name: RESEARCHER,
        arguments: &["--bin=researcher", "--example=decoder_simd"],
        file: "researcher.wasm",
        vectors: Vectors::Simd,
        later: true,
    },
    Module {
        name: REPLAY,
        arguments: &["--bin=replay", "--example=decoder_simd"],
        file: "replay.wasm",
        vectors: Vectors::Simd,
        later: true,
    },
    Module {
        name: RELAXED_DECODER,
        arguments: &["--example=decoder_relaxed"],
        file: "examples/decoder_relaxed.wasm",
        vectors: Vectors::Relaxed,
        later: true,
    },
    Module {
        name: CANDLE_DECODER,
        arguments: &["--example=decoder_candle", "--features=decoder/candle"],
        file: "examples/decoder_candle.wasm",
        vectors: Vectors::Simd,
        later: true,
    },
];

/// Decoders of candle's own layers, which no page but the benchmark's loads.
const PEER: Module = Module {
    name: "plain_candle",
    arguments: &["--lib"],
    file: "plain_candle.wasm",
    vectors: Vectors::Simd,
    later: true,
};

/// Whether every module was compiled for this machine before, whatever has changed since.
#[must_use]
pub fn was_built() -> bool {
    let built = |module: &Module| BuildPurpose::Here.folder().join(module.file).is_file();
    MODULES.iter().all(built)
}

/// Compiles the modules and makes their bindings, by name; what has not changed is skipped.
///
/// # Errors
/// When there is no wasm compiler, or a module does not compile.
pub fn build(
    wanted: Modules,
    purpose: BuildPurpose,
    stages: &mut Stages,
) -> Result<BTreeMap<String, Bindings>> {
    let toolchain = toolchain::check()?;
    let mut built = BTreeMap::new();
    let modules = MODULES.iter();
    for module in modules.filter(|module| wanted == Modules::All || !module.later) {
        let bindings = stages.time(module.name, || module.build(toolchain, purpose))?;
        built.insert(module.name.to_owned(), bindings);
    }
    Ok(built)
}

/// The same with the peer that the benchmark compares with, and without the app.
///
/// # Errors
/// As [`build`].
pub fn build_measured() -> Result<BTreeMap<&'static str, Bindings>> {
    let toolchain = toolchain::check()?;
    let modules = MODULES
        .iter()
        .filter(|module| ![APP, EXPERIMENTER, RESEARCHER, REPLAY].contains(&module.name));
    modules
        .chain([&PEER])
        .map(|module| {
            Ok((
                module.name,
                module.build(toolchain, BuildPurpose::Shipping)?,
            ))
        })
        .collect()
}

impl Module {
    fn build(&self, toolchain: Toolchain, purpose: BuildPurpose) -> Result<Bindings> {
        let wasm = self.compile(toolchain, purpose)?;
        let folder = layout::wasm_target().join("bindgen").join(self.name);
        bindings::bind(self.name, &wasm, &folder)?;
        bindings::read(self.name, &folder)
    }

    fn compile(&self, toolchain: Toolchain, purpose: BuildPurpose) -> Result<PathBuf> {
        let patience = if purpose.folder().is_dir() {
            ""
        } else {
            ", the first time takes several minutes"
        };
        step(&format!("building {} (wasm32{patience})", self.name));
        run(toolchain
            .build(purpose.profile(), self.vectors)
            .args(PACKAGES)
            .args(self.arguments)
            .arg("--target-dir")
            .arg(layout::wasm_target()))
        .with_context(|| format!("{} does not compile for wasm", self.name))?;
        Ok(purpose.folder().join(self.file))
    }
}

/// Every file below a folder by its path in it, with `/` between the parts; nothing if the folder
/// does not exist. Hidden files are left out.
///
/// # Errors
/// When a folder or file cannot be read.
pub fn files_below(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![(folder.to_path_buf(), String::new())];
    while let Some((dir, prefix)) = pending.pop() {
        if !dir.is_dir() {
            continue;
        }
        let entries =
            fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", dir.display()))?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            if file_name.starts_with('.') {
                continue;
            }
            let (path, name) = (entry.path(), format!("{prefix}{file_name}"));
            if path.is_dir() {
                pending.push((path, format!("{name}/")));
            } else {
                let content =
                    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                files.insert(name, content);
            }
        }
    }
    Ok(files)
}
