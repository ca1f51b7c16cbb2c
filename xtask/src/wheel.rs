//! `cargo xtask wheel`: the program and its Python module as a wheel, built by maturin.

use crate::process::{note, run, step, without_xtask};
use crate::python::{environment, install, installed};
use crate::release::{self, Platform};
use crate::{layout, serve};
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `cargo xtask wheel`.
#[derive(Args)]
pub struct WheelOptions {
    /// Leave the program unoptimised: built sooner, it finds the app and the studies in this
    /// folder alone. For tests
    #[arg(long)]
    debug: bool,
    /// Install the wheel into a fresh virtual environment, and run the README's ten lines there
    #[arg(long)]
    test: bool,
    /// With `--test`: import a PyTorch module, a Keras model and a Flax function, too, and layers of
    /// PyTorch. Their packages are several gigabytes
    #[arg(long, requires = "test")]
    frameworks: bool,
}

/// Which program a wheel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// An unoptimised one, for this machine alone.
    Debug,
    /// The one of a release: optimised, with everything inside, linked statically where that can be.
    Released,
}

/// Builds the wheel, and tests it if that is asked for.
///
/// # Errors
/// When there is no Python, or something cannot be built, installed or run.
pub fn wheel(options: &WheelOptions) -> Result<()> {
    let wheel = if options.debug {
        build(Program::Debug)?
    } else {
        serve::build_frontend(false)?;
        build(Program::Released)?
    };
    note(&format!("the wheel is {}", wheel.display()));
    if options.test {
        test(&wheel, options.frameworks)?;
    }
    Ok(())
}

/// Builds the wheel as tests want it, and tests it.
///
/// # Errors
/// See [`wheel`].
pub fn built_and_used(frameworks: bool) -> Result<()> {
    test(&build(Program::Debug)?, frameworks)
}

/// Builds the wheel. A released program lies where [`Platform::program`] says, too; it has the app inside that lies in
/// `dist/`.
///
/// # Errors
/// When there is no Python, or something cannot be built.
pub fn build(program: Program) -> Result<PathBuf> {
    let tools = environment(&layout::python_tools())?;
    install(&tools, &["maturin>=1.9,<2"])?;
    step("building the wheel");
    let out = layout::target().join("wheels");
    if out.exists() {
        std::fs::remove_dir_all(&out).with_context(|| out.display().to_string())?;
    }
    let mut command = Command::new(installed(&tools, "maturin"));
    command
        .args(["build", "--locked", "--interpreter"])
        .arg(installed(&tools, "python"))
        .arg("--out")
        .arg(&out)
        .current_dir(layout::root().join("python"));
    without_xtask(&mut command);
    match program {
        Program::Debug => {
            // What is embedded is read when the program runs.
            std::fs::create_dir_all(layout::dist())?;
            command.args(["--profile", "dev"]);
        }
        Program::Released => {
            let platform = Platform::of_compiler()?;
            release::prepare(&mut command, &platform)?;
            command.args(["--profile", "release", "--target", platform.triple()]);
        }
    }
    run(&mut command).context("the wheel cannot be built")?;
    let mut wheels = std::fs::read_dir(&out)?.filter_map(|entry| Some(entry.ok()?.path()));
    wheels
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .with_context(|| format!("maturin left no wheel in {}", out.display()))
}

/// Installs the wheel into a virtual environment with nothing else, and runs the tests there.
fn test(wheel: &Path, frameworks: bool) -> Result<()> {
    step("using the wheel in a fresh virtual environment");
    let folder = tempfile::tempdir()?;
    let fresh = environment(&folder.path().join("venv"))?;
    let wheel = wheel.display().to_string();
    if frameworks {
        let wheel = format!("{wheel}[torch,keras,jax,parquet]");
        install(&fresh, &[&wheel, "flax", "safetensors", "polars"])?;
    } else {
        install(&fresh, &[&wheel])?;
    }
    let script = |name: &str| {
        let mut command = Command::new(installed(&fresh, "python"));
        command
            .arg(layout::root().join("python/tests").join(name))
            .current_dir(folder.path())
            .env_remove("PYTHONPATH")
            .env_remove("REDIAL_BIN");
        command
    };
    run(script("ten_lines.py")
        .arg(layout::root())
        .args(frameworks.then_some("--torch")))
    .context("the README's ten lines do not run")?;
    run(script("measures.py").args(frameworks.then_some("--polars")))
        .context("arrays are not measured")?;
    if frameworks {
        run(&mut script("layers.py")).context("layers of PyTorch are not imported as they are")?;
        import_of_each(&script)?;
    }
    Ok(())
}

/// Imports decoders of each framework, a process for each: TensorFlow and PyTorch do not always load into one.
fn import_of_each(script: &impl Fn(&str) -> Command) -> Result<()> {
    for framework in ["torch", "keras"] {
        run(script("frameworks/guide.py")
            .arg(layout::root())
            .arg(framework))
        .context("docs/bring-your-own-model.md does not run as it stands there")?;
    }
    run(&mut script("frameworks/of_pytorch.py")).context("decoders of PyTorch are not imported")?;
    for backend in ["tensorflow", "jax", "torch"] {
        run(script("frameworks/of_keras.py").env("KERAS_BACKEND", backend))
            .with_context(|| format!("decoders of Keras on {backend} are not imported"))?;
    }
    run(&mut script("frameworks/of_jax.py")).context("decoders of JAX are not imported")
}
