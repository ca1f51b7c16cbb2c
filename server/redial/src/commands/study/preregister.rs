//! `redial study preregister`: the folder to deposit before the first session.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use analysis::plan_in_words;
use anyhow::{Context as _, bail};
use api::StudyInfo;
use clap::Args;
use domain::recruitment::assignment::Purpose;
use domain::study::Part;
use domain::study::draw::StudyTexts as _;
use serde_json::json;
use server::catalogue::StudyEntry;
use server::folder::NewFolder;
use server::storage;

use super::power::{PowerOptions, in_words, work_out};
use crate::config::Config;
use crate::output::print;
use crate::study_at_hand::find;

mod forms;

/// The command, in the folder's list of contents.
const MADE_BY: &str = "redial study preregister";

/// `redial study preregister …`
#[derive(Debug, Clone, Args)]
pub struct PreregisterArgs {
    /// Name of the study, or its file
    study: String,
    /// Folder to write. One that this command wrote is replaced if nobody has changed anything
    /// in it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    power: PowerOptions,
}

/// Writes the folder.
///
/// # Errors
/// When there is no such study, it declares no analysis, or the folder cannot be written.
pub async fn preregister(config: &Config, args: &PreregisterArgs) -> anyhow::Result<()> {
    let entry = find(config, &args.study).await?.entry;
    let study = &entry.study;
    let Some(plan) = &study.analysis else {
        bail!(
            "the study '{}' declares no analysis. Add \"analysis\" to its file first: docs/analysis.md says how",
            study.id
        );
    };
    let sessions = sessions(config, &study.id).await;
    let now = jiff::Timestamp::now().to_string();
    let mut folder = NewFolder::replacing(&args.out, MADE_BY)?;
    folder.write("study.json", &entry.json)?;
    folder.write(
        "study.sha256",
        format!("{}  study.json\n", entry.sha256).as_bytes(),
    )?;
    for language in &study.languages {
        let texts = format!("texts/{language}");
        if let Some(consent) = &entry.info(language).consent {
            let file = format!("{texts}/consent.html");
            folder.write(&file, consent.text_html.as_bytes())?;
        }
        for part in study.leaves() {
            if let Part::Instructions(part) = part
                && let Some(html) = entry.texts.html(&part.file, study.spoken(language))
            {
                folder.write(&format!("{texts}/{}.html", part.file), html.as_bytes())?;
            }
        }
    }
    let words = format!("# Analysis plan of {}\n\n{}", study.id, plan_in_words(plan));
    folder.write("analysis-plan.md", words.as_bytes())?;
    for (file, form) in forms::forms(&entry, plan, sessions.as_ref()) {
        folder.write(file, form.as_bytes())?;
    }
    let plan = serde_json::to_string_pretty(plan)? + "\n";
    folder.write("analysis-plan.json", plan.as_bytes())?;
    let versions = serde_json::to_string_pretty(&versions(&entry, &now))? + "\n";
    folder.write("versions.json", versions.as_bytes())?;
    let asks_for_power = args.power.difference.is_some() || args.power.from.is_some();
    if asks_for_power {
        let found = work_out(config, &entry, &args.power).await?;
        let words = format!("# Simulated power\n\n```\n{}```\n", in_words(&found));
        folder.write("power.md", words.as_bytes())?;
        let json = serde_json::to_string_pretty(&found)? + "\n";
        folder.write("power.json", json.as_bytes())?;
    }
    let readme = readme(&entry, sessions.as_ref(), asks_for_power, &now);
    folder.write("README.md", readme.as_bytes())?;
    folder
        .publish_listed(MADE_BY)
        .context("the deposit folder")?;
    let mut said = format!(
        "'{}' in {}\nSHA-256 of the study file: {}\n",
        study.id,
        args.out.display(),
        entry.sha256
    );
    if let Some(started) = sessions.filter(|started| started.of(Purpose::Participant) > 0) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            said,
            "{} sessions have been started already; README.md says so",
            started.of(Purpose::Participant)
        );
    }
    Ok(print(&said)?)
}

/// Sessions that were started, those erased since among them, by what they are for.
struct Started(BTreeMap<Purpose, usize>);

impl Started {
    fn of(&self, purpose: Purpose) -> usize {
        self.0.get(&purpose).copied().unwrap_or_default()
    }

    /// Those of participants; the others are named beside them, since they are no data.
    fn in_words(&self) -> String {
        let mut words = match self.of(Purpose::Participant) {
            0 => "No participant's session of this study had been started in the database at hand."
                .to_owned(),
            1 => "**1 session of this study had been started already** in the database at hand."
                .to_owned(),
            sessions => format!(
                "**{sessions} sessions of this study had been started already** in the database at hand."
            ),
        };
        let others: Vec<String> = Purpose::ALL
            .into_iter()
            .filter(|purpose| !purpose.counts() && self.of(*purpose) > 0)
            .map(|purpose| format!("{} {}", self.of(purpose), purpose.name()))
            .collect();
        if !others.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(
                words,
                " Sessions there that are no participant's, and no data: {}.",
                others.join(", ")
            );
        }
        words
    }
}

/// The study's sessions that the database has; `None` without a database that can be read.
async fn sessions(config: &Config, study: &str) -> Option<Started> {
    let archive = storage::open_archive(config.address()).await.ok()?;
    let ledger = match archive.study_snapshot(study).await {
        Ok(mut snapshot) => snapshot.ledger().await.ok(),
        Err(_) => None,
    };
    archive.close().await;
    let mut started = BTreeMap::new();
    for line in ledger?.lines.iter().filter(|line| line.was_started()) {
        *started.entry(line.purpose).or_default() += 1;
    }
    Some(Started(started))
}

fn versions(entry: &StudyEntry, now: &str) -> serde_json::Value {
    let info = |language: &String| entry.info(language);
    let languages = entry.study.languages.iter();
    let consent = |info: StudyInfo| Some((info.language, info.consent?.text_sha256));
    let consent: BTreeMap<_, _> = languages.map(info).filter_map(consent).collect();
    json!({
        "written_at_utc": now,
        "redial_version": env!("CARGO_PKG_VERSION"),
        "study": entry.study.id,
        "study_sha256": entry.sha256,
        "models": entry.info(entry.study.first_language()).models.iter().map(|model| json!({
            "name": model.name,
            "bundle_sha256": model.bundle_sha256,
        })).collect::<Vec<_>>(),
        "consent_sha256": consent,
    })
}

fn readme(entry: &StudyEntry, sessions: Option<&Started>, has_power: bool, now: &str) -> String {
    let power = if has_power {
        "| `power.md`, `power.json` | how many people the declared analysis needs, what was assumed for that, and the \
         Monte-Carlo error |\n"
    } else {
        ""
    };
    let without_power = if has_power {
        ""
    } else {
        "\nNot in this folder: simulated power. `--difference`, `--sd` and `--within` put it here; if your plan names a \
         number of people, say elsewhere how you came to it.\n"
    };
    let sessions = match sessions {
        Some(started) => started.in_words(),
        None => "There was no database at hand: whether sessions had been started is not known."
            .to_owned(),
    };
    format!(
        "# Preregistration of {}\n\n{}\n\nWritten on {now} by Redial {}. {sessions}\n\n\
         | file | holds |\n| --- | --- |\n\
         | `study.json` | the study, byte by byte as its sessions will be hashed with it |\n\
         | `study.sha256` | its hash: `sha256sum -c study.sha256` |\n\
         | `texts/` | the consent form and what participants are told to read, by language |\n\
         | `analysis-plan.md`, `analysis-plan.json` | the analysis that the study declares, in words and as it is in the file |\n\
         | `osf-form.md`, `aspredicted-form.md` | the same as the two registries ask for it, field by field, with what is yours to write marked |\n\
         {power}| `versions.json` | the program's version, and each model with the hash of its bundle |\n\
         | `contents.json` | the hash of every file here |\n\n\
         Deposit the whole folder (for example at osf.io or aspredicted.org) before the first session. Each session \
         stores the hash of the study file it was started with, and `redial analyze` prints it: readers can compare \
         it with this one. A changed study file is another version; its sessions are analysed apart.\n{without_power}",
        entry.study.id,
        entry
            .study
            .title
            .spoken(entry.study.spoken(entry.study.first_language())),
        env!("CARGO_PKG_VERSION")
    )
}
