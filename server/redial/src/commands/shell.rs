//! `redial completions` and `redial manual`: what a shell and `man` want to know of the program.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::print;

/// `redial completions …`
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// `redial manual …`
#[derive(Debug, Clone, Args)]
pub struct ManualArgs {
    /// Folder for the pages, one for each command: redial.1, redial-serve.1 and so on
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the script that completes commands in a shell.
///
/// # Errors
/// When it cannot be printed.
pub fn completions(mut program: Command, args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "redial", &mut script);
    Ok(print(&String::from_utf8(script)?)?)
}

/// Writes the manual pages.
///
/// # Errors
/// When they cannot be written.
pub fn manual(program: Command, args: &ManualArgs) -> anyhow::Result<()> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(program, folder))
        .with_context(|| format!("the pages cannot be written to {}", folder.display()))
}
