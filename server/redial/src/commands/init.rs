//! `redial init`: a folder to begin with.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use server::catalogue::STUDY_FILE;
use server::folder::NewFolder;

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
    let schema = serde_json::to_string_pretty(&domain::study::check::schema())? + "\n";
    let study = STUDY.replace(
        &format!("\"id\": \"{NAME}\""),
        &format!("\"id\": \"{name}\""),
    );
    let mut made = NewFolder::new(folder)?;
    for (file, text) in [
        ("redial.toml", SETTINGS),
        (".gitignore", IGNORED),
        ("studies/study.schema.json", &*schema),
        (&*format!("studies/{name}/{STUDY_FILE}"), &*study),
        (&*format!("studies/{name}/consent.md"), CONSENT),
    ] {
        made.write(file, text.as_bytes())?;
    }
    made.publish()?;
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
