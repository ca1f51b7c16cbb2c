//! `cargo xtask build` and `cargo xtask serve`.

use crate::frontend::{BuildPurpose, Modules};
use crate::process::{BackgroundChild, cargo, note, run, step};
use crate::stages::Stages;
use crate::{assets, compress, docs, frontend, layout, release};
use anyhow::{Context, Result};
use clap::Args;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const ADDRESS: &str = "127.0.0.1:8080";

/// Options of `cargo xtask build`.
#[derive(Args)]
pub struct BuildOptions {
    /// Optimise the server
    #[arg(long)]
    release: bool,
    /// Optimise and compress the app less, to see a change sooner
    #[arg(long)]
    fast: bool,
    /// Build only the browser app
    #[arg(long)]
    frontend: bool,
    /// Build only the modules without which no study can be taken, as `serve` does at first
    #[arg(long)]
    first: bool,
    /// Print how long each stage took; with a file, write it there for `bench build`
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    timed: Option<Option<PathBuf>>,
}

/// Options of `cargo xtask serve`.
#[derive(Args)]
pub struct ServeOptions {
    /// Optimise the server
    #[arg(long)]
    release: bool,
    /// Passed on to `redial serve`, for example `-- --bind 0.0.0.0:8080`
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

/// Builds the app, and the server unless only the app is wanted.
///
/// # Errors
/// When something cannot be built.
pub fn build(options: &BuildOptions) -> Result<()> {
    let mut stages = Stages::default();
    let modules = if options.first {
        Modules::First
    } else {
        Modules::All
    };
    if options.frontend {
        timed_frontend(modules, options.fast, &mut stages)?;
    } else {
        build_all(modules, options.release, options.fast, &mut stages)?;
        if options.release {
            // The app is inside the optimised server, which may have been compiled before it was there.
            stages.time("server with the app inside", || build_server(true))?;
        }
        note(&format!(
            "the server is {}",
            layout::server_binary(options.release).display()
        ));
    }
    match &options.timed {
        Some(Some(file)) => fs::write(file, stages.lines())
            .with_context(|| format!("cannot write {}", file.display())),
        Some(None) => {
            print!("{}", stages.table());
            Ok(())
        }
        None => Ok(()),
    }
}

/// Builds the server beside the app: where one waits for its last crate or links, the other
/// has the cores.
fn build_all(modules: Modules, release: bool, fast: bool, stages: &mut Stages) -> Result<()> {
    step("building the server, beside the app");
    let server = BackgroundChild::start(server_command(release).arg("--quiet"))?;
    timed_frontend(modules, fast, stages)?;
    stages
        .time("server (what was left)", || server.wait())
        .context("the server does not compile")
}

/// Builds the app and puts `dist/` together.
///
/// # Errors
/// When something cannot be built.
pub fn build_frontend(fast: bool) -> Result<()> {
    timed_frontend(Modules::All, fast, &mut Stages::default())
}

fn timed_frontend(modules: Modules, fast: bool, stages: &mut Stages) -> Result<()> {
    let (purpose, quality) = if fast {
        (BuildPurpose::Here, compress::FAST)
    } else {
        (BuildPurpose::Shipping, compress::BEST)
    };
    let docs = match modules {
        Modules::All => stages.time("documentation", docs::build)?,
        Modules::First => BTreeMap::new(),
    };
    let modules = frontend::build(modules, purpose, stages)?;
    stages.time("dist", || assets::assemble(&modules, docs, quality))
}

/// Builds the server.
///
/// # Errors
/// When it does not compile.
pub fn build_server(release: bool) -> Result<()> {
    step(if release {
        "building the server, optimised"
    } else {
        "building the server"
    });
    run(&mut server_command(release)).context("the server does not compile")
}

fn server_command(release: bool) -> Command {
    let mut command = cargo();
    command.args(["build", "--package", "redial"]);
    if release {
        command.arg("--release");
        release::name_version(&mut command);
    }
    command
}

/// Builds everything and becomes the server. The first time the server answers as soon as studies can
/// be taken, and the rest is built beside it.
///
/// # Errors
/// When something cannot be built, or the server stops with an error.
pub fn serve(options: &ServeOptions) -> Result<()> {
    let modules = if frontend::was_built() {
        Modules::All
    } else {
        Modules::First
    };
    // Only this machine sees what is compressed.
    build_all(modules, options.release, true, &mut Stages::default())?;
    let data = layout::root().join("data");
    fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
    let arguments = with_defaults(&options.arguments);
    step(&format!(
        "Redial starts at http://{}  (Ctrl-C stops it)",
        address(&arguments)
    ));
    let mut server = Command::new(layout::server_binary(options.release));
    server
        .arg("serve")
        .args(&arguments)
        .current_dir(layout::root())
        .stdin(Stdio::null());
    server.env("REDIAL_DIST", layout::dist());
    if modules == Modules::First {
        build_the_rest()?;
    }
    become_program(&mut server)
}

/// Starts a build of all modules, which goes on beside the server. The server reads `dist/` anew for
/// each request.
fn build_the_rest() -> Result<()> {
    step("studies can be taken; beside the server go on being built, for some minutes:");
    note(
        "the experimenter's page (lab sessions), the researcher's area, the documentation, the decoder for models that only candle decodes,",
    );
    note("and a faster decoder for browsers with relaxed SIMD");
    let (xtask, _) = layout::xtask().context("where does xtask lie?")?;
    Command::new(xtask)
        .args(["build", "--frontend", "--fast"])
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start the build of the other modules")?;
    Ok(())
}

/// The person's arguments, with ours for what they leave open.
fn with_defaults(given: &[OsString]) -> Vec<OsString> {
    let mut arguments = given.to_vec();
    for (flag, value) in [
        ("--bind", ADDRESS),
        ("--database", "sqlite://data/redial.db"),
    ] {
        let is_flag = |argument: &OsString| {
            argument.to_str().is_some_and(|text| {
                text.strip_prefix(flag)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            })
        };
        if !given.iter().any(is_flag) {
            arguments.extend([flag.into(), value.into()]);
        }
    }
    arguments
}

/// The address after `--bind`.
fn address(arguments: &[OsString]) -> String {
    let mut texts = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(text) = texts.next() {
        if let Some(value) = text.strip_prefix("--bind=") {
            return value.to_owned();
        }
        if text == "--bind" {
            return texts
                .next()
                .map_or_else(String::new, |value| value.into_owned());
        }
    }
    ADDRESS.to_owned()
}

/// Replaces xtask by the program, so that signals and the exit status are the program's own.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot start {}", command.get_program().display()))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<()> {
    run(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &[&str], expected: &str, expected_address: &str) {
        let given: Vec<OsString> = given.iter().map(OsString::from).collect();
        let arguments = with_defaults(&given);
        let texts: Vec<_> = arguments
            .iter()
            .map(|argument| argument.to_string_lossy())
            .collect();
        assert_eq!(texts.join(" "), expected);
        assert_eq!(address(&arguments), expected_address);
    }

    #[test]
    fn defaults_fill_what_is_not_given() {
        let database = "--database sqlite://data/redial.db";
        check(&[], &format!("--bind {ADDRESS} {database}"), ADDRESS);
        check(
            &["--bind", "[::1]:1"],
            &format!("--bind [::1]:1 {database}"),
            "[::1]:1",
        );
        check(
            &["--bind=[::1]:1"],
            &format!("--bind=[::1]:1 {database}"),
            "[::1]:1",
        );
        check(
            &["--database=x"],
            &format!("--database=x --bind {ADDRESS}"),
            ADDRESS,
        );
    }
}
