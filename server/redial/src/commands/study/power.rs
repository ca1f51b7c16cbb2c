//! `redial study power`: how many people a study needs to show a difference.

use analysis::power::{Assumptions, PowerDesign, Settings, from_pilot, people_needed, power};
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use domain::study::{AnalysisPlan, Metric};
use server::catalogue::StudyEntry;
use server::export::SessionSelection;

use crate::commands::analysis::analysed;
use crate::config::Config;
use crate::output::print;
use crate::progress::Progress;
use crate::study_at_hand::find;

mod report;

pub use report::PowerReport;

/// `redial study power …`
#[derive(Debug, Clone, Args)]
pub struct PowerArgs {
    /// Name of the study, or its file. It has to declare its analysis
    study: String,
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
    /// Simulated studies for each number of people
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    simulations: u32,
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

/// Prints the power of a study's plan.
///
/// # Errors
/// When there is no such study, it declares no analysis, or the numbers make no sense.
pub async fn study_power(config: &Config, args: &PowerArgs) -> anyhow::Result<()> {
    let entry = find(config, &args.study)?;
    let found = work_out(config, &entry, &args.about).await?;
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&found)? + "\n"))?);
    }
    Ok(print(&found.in_words())?)
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
    let study = &entry.study;
    let Some(plan) = &study.analysis else {
        bail!(
            "the study '{}' declares no analysis. Add \"analysis\" to its file first: docs/analysis.md says how",
            study.id
        );
    };
    let Some(&metric) = plan.metrics.first() else {
        bail!("the study's analysis declares no metric");
    };
    let comparisons = study.comparisons();
    let design = PowerDesign::of(plan, &comparisons)?;
    let first = comparisons.first().map_or("", |first| first.name.as_str());
    let (assumed, from) = assumptions(config, entry, (plan, first, metric), about).await?;
    let settings = Settings {
        alpha: about.alpha,
        simulations: about.simulations,
        seed: about.power_seed,
    };
    let _progress = Progress::doing("simulating studies");
    let (needed, powers) = match about.people {
        Some(people) => (None, vec![power(&design, assumed, settings, people)?]),
        None => people_needed(&design, assumed, settings, about.power, about.at_most)?,
    };
    Ok(PowerReport {
        study: study.id.clone(),
        study_sha256: entry.sha256.clone(),
        metric,
        design,
        assumed,
        settings,
        wanted: about.power,
        people_needed: needed,
        powers,
        from,
        declared_people: plan.people,
    })
}

async fn assumptions(
    config: &Config,
    entry: &StudyEntry,
    (plan, first, metric): (&AnalysisPlan, &str, Metric),
    about: &PowerOptions,
) -> anyhow::Result<(Assumptions, Option<String>)> {
    if let (Some(difference), Some(sd), None) = (about.difference, about.sd, about.from) {
        let assumed = Assumptions {
            difference,
            sd,
            within: about.within,
        };
        return Ok((assumed, None));
    }
    let Some(whose) = about.from else {
        bail!("say --difference and --sd, or --from whose sessions they are to be taken");
    };
    let whose = match whose {
        PilotData::Pilots => SessionSelection::Pilots,
        PilotData::Participants => SessionSelection::People,
        PilotData::Simulated => SessionSelection::Simulated,
    };
    let found = analysed(config, &entry.study.id, whose).await?;
    let version = found
        .versions
        .iter()
        .max_by_key(|version| version.included.people);
    let sample = version.map(|version| &version.included);
    let comparison = sample.and_then(|sample| {
        sample
            .comparisons
            .iter()
            .find(|comparison| comparison.metric == metric && comparison.name == first)
    });
    let pilot = comparison
        .and_then(|comparison| from_pilot(comparison, plan.conditions_vary))
        .with_context(|| {
            format!(
                "these sessions of '{}' say too little about {}: at least three people with a value in each condition are needed",
                entry.study.id,
                metric.name()
            )
        })?;
    let people = sample.map_or(0, |sample| sample.people);
    let assumed = Assumptions {
        difference: about.difference.unwrap_or(pilot.difference),
        sd: about.sd.unwrap_or(pilot.sd),
        within: if about.within > 0.0 {
            about.within
        } else {
            pilot.within
        },
    };
    let from = format!(
        "{people} people of the database; what they say of the difference is as uncertain as they are few"
    );
    Ok((assumed, Some(from)))
}
