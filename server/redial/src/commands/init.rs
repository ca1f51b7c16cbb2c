//! `redial init`: a folder to begin with.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use server::catalogue::STUDY_FILE;

use crate::output::print;

/// The study that everybody begins with, its consent form, and its name in it.
const STUDY: &str = include_str!("init/study.json");
const CONSENT: &str = include_str!("init/consent.md");
const NAME: &str = "curves";

/// The settings that commands find in the folder.
const SETTINGS: &str = "\
# Settings of redial, read by every command that runs in this folder. `redial serve --help` lists them.
database = \"sqlite://data/redial.db\"
studies = \"studies\"
";

/// What participants give is not for a repository.
const IGNORED: &str = "/data/\n";

/// `redial init …`
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// The folder to make
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name of the study in it: lower-case letters, digits and -
    #[arg(long, value_name = "NAME", default_value = NAME)]
    study: String,
}

/// Makes a folder with a study, its consent form and settings, and says what comes next.
///
/// # Errors
/// When the folder holds something already, the name is none of a study, or nothing can be written.
pub fn init(args: &InitArgs) -> anyhow::Result<()> {
    let (folder, name) = (&args.folder, &args.study);
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(
        (1..=64).contains(&name.len()) && name.chars().all(fits),
        "a study's name is 1 to 64 lower-case letters, digits and '-', which '{name}' is not"
    );
    let holds_something = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    ensure!(
        !holds_something,
        "{} holds something already, which stays as it is; name a new folder",
        folder.display()
    );
    let schema = serde_json::to_string_pretty(&domain::study::check::schema())? + "\n";
    let study = STUDY.replace(
        &format!("\"id\": \"{NAME}\""),
        &format!("\"id\": \"{name}\""),
    );
    let own = Path::new("studies").join(name);
    for (file, text) in [
        (PathBuf::from("redial.toml"), SETTINGS),
        (PathBuf::from(".gitignore"), IGNORED),
        (PathBuf::from("studies/study.schema.json"), &*schema),
        (own.join(STUDY_FILE), &*study),
        (own.join("consent.md"), CONSENT),
    ] {
        write(&folder.join(file), text)?;
    }
    let place = folder.display();
    Ok(print(&format!(
        "Made {place}:
  studies/{name}/study.json   the study: two models, ten questions
  studies/{name}/consent.md   what participants agree to
  redial.toml                 settings: where the database and the studies are

Put your name, contact and pay into the study. Then, in {place}:
  redial study check studies
  redial serve --preview      look at every page; nothing is stored
  redial serve                let people take it at http://127.0.0.1:8080/study/{name}
"
    ))?)
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let written = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(file, text));
    written.with_context(|| format!("{} cannot be written", file.display()))
}
