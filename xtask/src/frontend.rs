//! What runs in the browser: the app, and the decoder module in three builds. Each is compiled to
//! wasm, then bound to JavaScript by wasm-bindgen.

use crate::compress::content_hash;
use crate::process::{note, run, step};
use crate::short_names::ShortNames;
use crate::stages::Stages;
use crate::toolchain::{Toolchain, Vectors};
use crate::{layout, toolchain};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use wasm_bindgen_cli_support::Bindgen;

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

/// The cargo profile of every module, see the workspace's Cargo.toml.
const PROFILE: &str = "wasm";

/// The name of the app among the modules.
pub const APP: &str = "redial";

/// The name of the experimenter's app among the modules.
pub const EXPERIMENTER: &str = "experimenter";

/// The name of the decoder's first build, which every browser understands.
pub const DECODER: &str = "decoder_simd";

/// The name of the decoder with relaxed SIMD.
pub const RELAXED_DECODER: &str = "decoder_relaxed";

/// The name of the decoder that runs on candle.
pub const CANDLE_DECODER: &str = "decoder_candle";

/// The same packages in every call of cargo: with others it would choose other features of what
/// they depend on, and compile that again.
const PACKAGES: [&str; 3] = [
    "--package=participant",
    "--package=experimenter",
    "--package=decoder",
];

/// The app and the first decoder in one call, so that cargo builds them side by side.
const APP_AND_DECODER: &[&str] = &["--bin=participant", "--example=decoder_simd"];

/// The participant's app and a decoder; then the experimenter's app, for lab sessions. The decoder's
/// second build is for browsers that have relaxed SIMD, its third for models that only candle decodes.
const MODULES: [Module; 5] = [
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
    arguments: &["--package=plain-candle", "--lib"],
    file: "plain_candle.wasm",
    vectors: Vectors::Simd,
    later: true,
};

/// A module as wasm-bindgen left it.
pub struct Bindings {
    /// The JavaScript module that loads and wraps the wasm module.
    pub js: String,
    /// The wasm module.
    pub wasm: Vec<u8>,
    /// JavaScript that crates brought along, by its path below `snippets/`.
    pub snippets: BTreeMap<String, Vec<u8>>,
}

/// Whether every module was compiled before, whatever has changed since.
#[must_use]
pub fn was_built() -> bool {
    MODULES.iter().all(|module| module.path().is_file())
}

/// Compiles the modules and makes their bindings, by name; what has not changed is skipped.
///
/// # Errors
/// When there is no wasm compiler, or a module does not compile.
pub fn build(wanted: Modules, stages: &mut Stages) -> Result<BTreeMap<String, Bindings>> {
    let toolchain = toolchain::check()?;
    let mut built = BTreeMap::new();
    let modules = MODULES.iter();
    for module in modules.filter(|module| wanted == Modules::All || !module.later) {
        let bindings = stages.time(module.name, || module.build(toolchain))?;
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
        .filter(|module| ![APP, EXPERIMENTER].contains(&module.name));
    modules
        .chain([&PEER])
        .map(|module| Ok((module.name, module.build(toolchain)?)))
        .collect()
}

impl Module {
    fn build(&self, toolchain: Toolchain) -> Result<Bindings> {
        let wasm = self.compile(toolchain)?;
        let folder = layout::wasm_target().join("bindgen").join(self.name);
        bind(self.name, &wasm, &folder)?;
        read(self.name, &folder)
    }

    /// Where cargo leaves it.
    fn path(&self) -> PathBuf {
        profile_dir().join(self.file)
    }

    fn compile(&self, toolchain: Toolchain) -> Result<PathBuf> {
        let patience = if profile_dir().is_dir() {
            ""
        } else {
            ", the first time takes several minutes"
        };
        step(&format!("building {} (wasm32{patience})", self.name));
        run(toolchain
            .cargo("build", self.vectors)?
            .args(PACKAGES)
            .args(self.arguments)
            .args(["--profile", PROFILE, "--target-dir"])
            .arg(layout::wasm_target()))
        .with_context(|| format!("{} does not compile for wasm", self.name))?;
        Ok(self.path())
    }
}

fn profile_dir() -> PathBuf {
    layout::wasm_target().join(layout::TARGET).join(PROFILE)
}

/// Runs wasm-bindgen unless `folder` holds its result for exactly this module.
fn bind(name: &str, wasm: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let input = format!("{} {}", content_hash(&bytes), built_at()?);
    let stamp = folder.join("input.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == input) {
        note("bindings are up to date");
        return Ok(());
    }
    step(&format!("binding {name} to JavaScript (wasm-bindgen)"));
    // Snippets of an older module must not stay.
    if folder.is_dir() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let mut bindgen = Bindgen::new();
    let mut output = bindgen
        .input_bytes(name, bytes)
        .web(true)?
        .typescript(false)
        // Names and producers are for debuggers; they are a sixth of the module.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()
        .context("wasm-bindgen failed; are wasm-bindgen and wasm-bindgen-cli-support the same version in Cargo.lock?")?;
    // Both files are written with the long names, so both are changed.
    let mut names = ShortNames::default();
    let module = output.wasm_mut();
    for import in module.imports.iter_mut() {
        import.name = names.of(&import.name);
    }
    for export in module.exports.iter_mut() {
        export.name = names.of(&export.name);
    }
    output
        .emit(folder)
        .with_context(|| format!("cannot write bindings to {}", folder.display()))?;
    let js = folder.join(format!("{name}.js"));
    let long = fs::read_to_string(&js).with_context(|| format!("cannot read {}", js.display()))?;
    fs::write(&js, names.replace_in(&long))
        .with_context(|| format!("cannot write {}", js.display()))?;
    fs::write(&stamp, input).with_context(|| format!("cannot write {}", stamp.display()))
}

/// When this program was built: a new one may have another wasm-bindgen, or other options for it.
fn built_at() -> Result<String> {
    let modified = std::env::current_exe()?.metadata()?.modified()?;
    Ok(format!(
        "{}",
        modified.duration_since(UNIX_EPOCH)?.as_millis()
    ))
}

fn read(name: &str, folder: &Path) -> Result<Bindings> {
    let read = |file: String| {
        let path = folder.join(file);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let js = String::from_utf8(read(format!("{name}.js"))?)
        .context("wasm-bindgen's JavaScript is not UTF-8")?;
    let wasm = read(format!("{name}_bg.wasm"))?;
    let snippets = files_below(&folder.join("snippets"))?;
    Ok(Bindings { js, wasm, snippets })
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
