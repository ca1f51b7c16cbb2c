//! `redial study power`: how many people a study needs to show a difference.

use analysis::NamingQuestion;
use analysis::power::Settings;
use clap::{Args, ValueEnum};
use domain::study::NamingMeasure;
use server::catalogue::StudyEntry;
use server::export::SessionSelection;
use server::power::{
    NamingPowerReport, NamingPowerRequest, PowerReport, PowerRequest, power_of_naming,
    power_of_study,
};

use crate::commands::data::open;
use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;
use crate::study_at_hand::find;

mod report;

pub use report::in_words;

/// Simulated studies for each number of people, where nobody says how many.
const SIMULATIONS: u32 = 2_000;
/// The same for naming studies, whose every interval takes hundreds of samples.
const NAMING_SIMULATIONS: u32 = 200;

/// `redial study power …`
#[derive(Debug, Clone, Args)]
pub struct PowerArgs {
    /// Name of the study, or its file. It has to declare its analysis, but for --naming
    study: String,
    /// How many people tell bundles of concepts apart by this measure of their names. Studies are drawn from the
    /// people that --from says, and nothing else is assumed
    #[arg(long, value_name = "MEASURE", requires = "from", conflicts_with_all = ["difference", "sd", "within"])]
    naming: Option<NamingBy>,
    /// With --naming: the bundles to be told apart, each from each. All of them unless told
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "naming")]
    bundles: Vec<String>,
    #[command(flatten)]
    about: PowerOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is assumed, and how power is worked out.
#[derive(Debug, Clone, Args)]
pub struct PowerOptions {
    /// The difference to be shown, in the unit of the plan's first metric: the last condition of
    /// the first comparison has this much more than the others
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub difference: Option<f64>,
    /// Standard deviation between people: of what a person's values have in common
    #[arg(long, value_name = "SD")]
    sd: Option<f64>,
    /// Standard deviation within people: of one person's value in a condition about what their
    /// values have in common. Of two conditions, the differences have √2 times this
    #[arg(long, value_name = "SD", default_value_t = 0.0)]
    within: f64,
    /// Take what is not given from sessions in the database: those of `pilots`, of
    /// `participants`, or of `simulated` people. A pilot's difference is worth little
    #[arg(long, value_name = "WHO")]
    pub from: Option<PilotData>,
    /// Work out the power of so many people, in each condition if each person meets one; else
    /// the number of people that the power wanted needs
    #[arg(long, value_name = "N")]
    people: Option<usize>,
    /// The power wanted
    #[arg(long, value_name = "P", default_value_t = 0.8)]
    power: f64,
    /// A difference is shown if its corrected p is below this
    #[arg(long, value_name = "ALPHA", default_value_t = 0.05)]
    alpha: f64,
    /// Simulated studies for each number of people [default: 2000, with --naming 200]
    #[arg(long, value_name = "N")]
    simulations: Option<u32>,
    /// The same seed gives the same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    power_seed: u64,
    /// Never look at more people than this
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    at_most: usize,
}

/// Whose sessions a pilot's numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PilotData {
    /// Pilots.
    Pilots,
    /// Participants.
    Participants,
    /// Simulated people.
    Simulated,
}

/// What bundles of concepts are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NamingBy {
    /// Concept discovery rate: how many people find a name.
    Cdr,
    /// Concept consistency: how many find the same.
    Cc,
    /// Mutual information between concepts: how alike the names of different concepts are.
    Mic,
}

/// Prints the power of a study's plan, or that of telling bundles of concepts apart.
///
/// # Errors
/// When there is no such study, it declares no analysis, or the numbers make no sense.
pub async fn study_power(config: &Config, args: &PowerArgs) -> anyhow::Result<()> {
    let entry = find(config, &args.study).await?.entry;
    if let (Some(by), Some(from)) = (args.naming, args.about.from) {
        let found = work_out_naming(config, &entry, args, by, from).await?;
        if args.json {
            return Ok(print(&(serde_json::to_string_pretty(&found)? + "\n"))?);
        }
        return Ok(print(&report::naming_in_words(&found))?);
    }
    let found = work_out(config, &entry, &args.about).await?;
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&found)? + "\n"))?);
    }
    Ok(print(&in_words(&found))?)
}

/// Works out the power of a study's plan.
///
/// # Errors
/// When the study declares no analysis, or the numbers make no sense.
pub async fn work_out(
    config: &Config,
    entry: &StudyEntry,
    about: &PowerOptions,
) -> anyhow::Result<PowerReport> {
    let request = about.request();
    let archive = match request.from {
        Some(_) => Some(open(config, &entry.study.id).await?),
        None => None,
    };
    let _progress = Progress::doing("simulating studies");
    let found = power_of_study(archive.as_deref(), entry, &request, &|_, _| {}).await;
    if let Some(archive) = archive {
        archive.close().await;
    }
    Ok(found?)
}

async fn work_out_naming(
    config: &Config,
    entry: &StudyEntry,
    args: &PowerArgs,
    by: NamingBy,
    from: PilotData,
) -> anyhow::Result<NamingPowerReport> {
    let about = &args.about;
    let request = NamingPowerRequest {
        question: NamingQuestion {
            measure: match by {
                NamingBy::Cdr => NamingMeasure::Cdr,
                NamingBy::Cc => NamingMeasure::Cc,
                NamingBy::Mic => NamingMeasure::Mic,
            },
            bundles: args.bundles.clone(),
        },
        from: from.into(),
        people: about.people,
        wanted: about.power,
        settings: about.settings(NAMING_SIMULATIONS),
        at_most: about.at_most,
    };
    let archive = open(config, &entry.study.id).await?;
    let _progress = Progress::doing("simulating studies");
    let found = power_of_naming(&*archive, &entry.study.id, &request, &|_, _| {}).await;
    archive.close().await;
    Ok(found?)
}

impl From<PilotData> for SessionSelection {
    fn from(from: PilotData) -> Self {
        match from {
            PilotData::Pilots => Self::Pilots,
            PilotData::Participants => Self::People,
            PilotData::Simulated => Self::Simulated,
        }
    }
}

impl PowerOptions {
    fn settings(&self, simulations: u32) -> Settings {
        Settings {
            alpha: self.alpha,
            simulations: self.simulations.unwrap_or(simulations),
            seed: self.power_seed,
        }
    }

    fn request(&self) -> PowerRequest {
        PowerRequest {
            difference: self.difference,
            sd: self.sd,
            within: self.within,
            from: self.from.map(SessionSelection::from),
            people: self.people.into_iter().collect(),
            wanted: self.power,
            settings: self.settings(SIMULATIONS),
            at_most: self.at_most,
        }
    }
}
