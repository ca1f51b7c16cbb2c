//! `redial simulate` and `redial demo`: simulated people take a study.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use domain::simulate::Mixture;
use domain::study::Consent;
use server::catalogue::StudyEntry;
use server::database::lock::Lock;
use server::folder::NewFolder;
use server::simulation::{Attendance, Simulated, Simulation, simulate};
use server::storage::{self, DatabaseAddress, url_of};
use server::zoo::Models;

use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;
use crate::study_at_hand::{StudyAtHand, find};

/// The study of the demonstration.
const DEMO_STUDY: &str = "chi21-synthetic";

/// `redial simulate …`
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    /// Name of the study, or its file
    pub study: String,
    /// Number of people who start [default: as many as it takes to fill every cell]
    #[arg(long, value_name = "N")]
    pub participants: Option<usize>,
    /// How they go about it: knows_dimensions, coordinate_ascent, random_trial or gives_up; or
    /// several with their shares, such as coordinate_ascent=0.7,gives_up=0.3
    #[arg(long, value_name = "STRATEGY", default_value_t = Mixture::default())]
    pub strategy: Mixture,
    /// The same seed gives the same sessions
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// `redial demo …`
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// Folder to make; it must not exist, or be empty
    #[arg(value_name = "DIR", default_value = "redial-demo")]
    pub folder: PathBuf,
    /// The same seed gives the same sessions
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Runs `redial simulate …`.
///
/// # Errors
/// When there is no such study, these people have taken it already, or the database fails.
pub async fn simulate_study(config: &Config, args: &SimulateArgs) -> anyhow::Result<()> {
    ensure!(args.participants != Some(0), "--participants is at least 1");
    let StudyAtHand { entry, models } = find(config, &args.study).await?;
    let people = args
        .participants
        .map_or(Attendance::FillEveryCell, Attendance::Arrive);
    let found = run(
        config.address(),
        models,
        &entry,
        people,
        &args.strategy,
        args.seed,
    )
    .await?;
    let study = &entry.study.id;
    let mut text = in_words(study, &found);
    text += &time_in_words(&found.took_ms, entry.study.consent());
    text += &format!(
        "They are in {}, marked as simulated: no quota, table, figure or export of people counts them.\n\
         `redial analyze {study} --simulated` analyses them; export and report take --simulated, too.\n",
        config.database
    );
    Ok(print(&text)?)
}

/// Runs `redial demo …`.
///
/// # Errors
/// When the folder holds something, or cannot be written.
pub async fn demo(config: &Config, args: &DemoArgs) -> anyhow::Result<()> {
    let StudyAtHand { entry, models } = find(config, DEMO_STUDY).await?;
    let mut folder = NewFolder::new(&args.folder)?;
    let database = url_of(&folder.path().join("redial.db"));
    let found = run(
        (&database).into(),
        models,
        &entry,
        Attendance::FillEveryCell,
        &Mixture::default(),
        args.seed,
    )
    .await?;
    let place = std::path::absolute(&args.folder)?;
    let settings = format!(
        "# Settings of this demonstration: redial --config {0}/redial.toml analyze {DEMO_STUDY}\n\
         # Change the database's place if you move the folder.\n\
         database = {1}\n\
         # Its people are simulated, and all commands show them.\n\
         simulated = true\n",
        args.folder.display(),
        toml::Value::String(url_of(&place.join("redial.db"))),
    );
    folder.write("redial.toml", settings.as_bytes())?;
    let try_this = try_this(&args.folder);
    let readme = format!(
        "# A finished study of simulated people\n\n{} {}\nNothing here says anything about real people. Try:\n\n\
         ```sh\n{try_this}```\n\n`docs/simulated-people.md` in Redial's repository says how they act.\n",
        in_words(DEMO_STUDY, &found),
        format_args!(
            "Seed {}, Redial {}.\n",
            args.seed,
            env!("CARGO_PKG_VERSION")
        ),
    );
    folder.write("README.md", readme.as_bytes())?;
    folder.publish().context("the demonstration")?;
    let text = format!(
        "{}{} holds them. Try:\n\n{try_this}",
        in_words(DEMO_STUDY, &found),
        args.folder.display()
    );
    Ok(print(&text)?)
}

fn try_this(folder: &Path) -> String {
    let redial = format!("redial --config {}/redial.toml", folder.display());
    format!(
        "{redial} analyze {DEMO_STUDY}\n\
         {redial} analyze {DEMO_STUDY} --out analysis\n\
         {redial} report {DEMO_STUDY}\n\
         {redial} export {DEMO_STUDY} --out data\n"
    )
}

fn in_words(study: &str, found: &Simulated) -> String {
    let strategies: Vec<String> = found
        .strategies
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let full = if found.full {
        " Every cell is full."
    } else {
        ""
    };
    format!(
        "{} simulated people took '{study}': {} came to the end, {} of them meet its inclusion rules. \
         {} events.{full}\nStrategies: {}.\n",
        found.started,
        found.complete,
        found.included,
        found.events,
        strategies.join(", ")
    )
}

/// How long people took, beside what the consent form says.
fn time_in_words(took_ms: &[u64], consent: Option<&Consent>) -> String {
    let mut minutes: Vec<u64> = took_ms.iter().map(|ms| ms.div_ceil(60_000)).collect();
    minutes.sort_unstable();
    let at = |share: f64| {
        let place = (minutes.len() as f64 * share).ceil() as usize;
        minutes.get(place.saturating_sub(1)).copied()
    };
    let (Some(half), Some(most)) = (at(0.5), at(0.9)) else {
        return String::new();
    };
    let says = consent.map(|consent| u64::from(consent.duration_minutes));
    let beside = match says {
        Some(says) if half > says => format!(
            " The consent form says {says}: ask less, or say there that it takes longer, and pay for it."
        ),
        Some(says) => format!(" The consent form says {says}."),
        None => String::new(),
    };
    format!(
        "Of those who came to the end, half took {half} minutes at most, nine in ten {most}.{beside}\n"
    )
}

async fn run(
    database: DatabaseAddress,
    models: Arc<Models>,
    entry: &StudyEntry,
    people: Attendance,
    mixture: &Mixture,
    seed: u64,
) -> anyhow::Result<Simulated> {
    // One process writes to a database at a time.
    let _lock = Lock::take(&database.url)?;
    let storage = storage::open(database).await?;
    let now = jiff::Timestamp::now().as_millisecond();
    let now = u64::try_from(now).unwrap_or_default();
    let simulation = Simulation::that_is_over(people, mixture.clone(), seed, now);
    let total = match people {
        Attendance::Arrive(people) => Some(people),
        // How many come until every cell is full depends on who gives up.
        Attendance::FillEveryCell => None,
    };
    let progress = Progress::counting("simulated people", total);
    let on_person = || progress.one_more();
    let found = simulate(storage.clone(), models, entry, &simulation, &on_person).await;
    drop(progress);
    storage.close().await;
    Ok(found?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_people_took_stands_beside_what_was_promised() {
        let consent = |minutes: u32| -> Consent {
            serde_json::from_value(
                serde_json::json!({ "file": "c.md", "investigator": "I", "contact": "C",
                "duration_minutes": minutes }),
            )
            .unwrap()
        };
        assert_eq!(time_in_words(&[], Some(&consent(5))), "");
        let took: Vec<u64> = (1..=10).rev().map(|minutes| minutes * 60_000 - 1).collect();
        let said = "Of those who came to the end, half took 5 minutes at most, nine in ten 9.";
        assert_eq!(time_in_words(&took, None), format!("{said}\n"));
        let enough = format!("{said} The consent form says 5.\n");
        assert_eq!(time_in_words(&took, Some(&consent(5))), enough);
        let short = time_in_words(&took, Some(&consent(4)));
        assert!(
            short.contains("The consent form says 4: ask less"),
            "{short}"
        );
    }
}
