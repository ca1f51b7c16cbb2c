//! `redial study power`: how many people a study needs to show a difference.

use analysis::power::{
    Assumptions, NoPower, Power, PowerDesign, Settings, from_pilot, people_needed, power,
};
use domain::study::{AnalysisPlan, Metric};
use serde::Serialize;

use crate::analysis::study_analysis_watched;
use crate::catalogue::StudyEntry;
use crate::export::{SessionSelection, Watch};
use crate::storage::{Archive, Problem, StorageError};

mod naming;

pub use naming::{NamingPowerReport, NamingPowerRequest, power_of_naming};

/// The assumptions, and how power is worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerRequest {
    /// The difference to be shown, in the unit of the plan's first metric; absent: that of a pilot.
    pub difference: Option<f64>,
    /// Standard deviation between people; absent: that of a pilot.
    pub sd: Option<f64>,
    /// Standard deviation within people; 0: that of a pilot, if there is one.
    pub within: f64,
    /// Whose sessions what is not given is taken from.
    pub from: Option<SessionSelection>,
    /// The power of so many people, in each condition if each person meets one; none: the number of people that
    /// the power wanted needs.
    pub people: Vec<usize>,
    /// The power wanted.
    pub wanted: f64,
    /// How power is worked out.
    pub settings: Settings,
    /// Never more people than this.
    pub at_most: usize,
}

/// The power of a study, with everything that was assumed.
#[derive(Debug, Clone, Serialize)]
pub struct PowerReport {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of its file.
    pub study_sha256: String,
    /// The metric that the difference is in.
    pub metric: Metric,
    /// The design, as far as power goes.
    pub design: PowerDesign,
    /// The assumptions.
    pub assumed: Assumptions,
    /// How power is worked out.
    pub settings: Settings,
    /// The power wanted.
    pub wanted: f64,
    /// How many people it needs; absent where that was not asked for, or no number is enough.
    pub people_needed: Option<usize>,
    /// The power of each number of people that was looked at.
    pub powers: Vec<Power>,
    /// Where what was not given comes from.
    pub from: Option<String>,
    /// How many people the study declares, in all.
    pub declared_people: Option<usize>,
}

/// Why power cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum PowerError {
    /// There is no plan.
    #[error(
        "the study '{0}' declares no analysis. Add \"analysis\" to its file first: docs/analysis.md says how"
    )]
    NoPlan(String),
    /// The plan is about nothing.
    #[error("the study's analysis declares no metric")]
    NoMetric,
    /// Neither numbers nor sessions that they can be taken from.
    #[error("say --difference and --sd, or --from whose sessions they are to be taken")]
    NothingAssumed,
    /// The sessions are too few.
    #[error(
        "these sessions of '{study}' say too little about {metric}: at least three people with a value in each condition are needed"
    )]
    TooLittle {
        /// The study.
        study: String,
        /// The plan's first metric.
        metric: String,
    },
    /// The plan, which says whom it includes, cannot be read.
    #[error("{0}")]
    Plan(Problem),
    /// The numbers make no sense, or the plan has no power that could be worked out.
    #[error(transparent)]
    NoPower(#[from] NoPower),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Works out the power of a study's plan. `archive` has the sessions that numbers are taken from, if any are; `watch` is
/// told how many of them are read.
///
/// # Errors
/// When the study declares no analysis, the numbers make no sense, or the database fails.
pub async fn power_of_study(
    archive: Option<&dyn Archive>,
    entry: &StudyEntry,
    request: &PowerRequest,
    watch: Watch<'_>,
) -> Result<PowerReport, PowerError> {
    let study = &entry.study;
    let plan = study.analysis.as_ref();
    let plan = plan.ok_or_else(|| PowerError::NoPlan(study.id.clone()))?;
    let metric = *plan.metrics.first().ok_or(PowerError::NoMetric)?;
    let comparisons = study.comparisons();
    let design = PowerDesign::of(plan, &comparisons)?;
    let first = comparisons.first().map_or("", |first| first.name.as_str());
    let about = (plan, first, metric);
    let (assumed, from) = assumptions(archive, entry, about, request, watch).await?;
    let settings = request.settings;
    let (needed, powers) = if request.people.is_empty() {
        people_needed(&design, assumed, settings, request.wanted, request.at_most)?
    } else {
        let mut powers = Vec::new();
        for people in &request.people {
            powers.push(power(&design, assumed, settings, *people)?);
            // A server that is to stop stops here.
            tokio::task::yield_now().await;
        }
        (None, powers)
    };
    Ok(PowerReport {
        study: study.id.clone(),
        study_sha256: entry.sha256.clone(),
        metric,
        design,
        assumed,
        settings,
        wanted: request.wanted,
        people_needed: needed,
        powers,
        from,
        declared_people: plan.people,
    })
}

async fn assumptions(
    archive: Option<&dyn Archive>,
    entry: &StudyEntry,
    (plan, first, metric): (&AnalysisPlan, &str, Metric),
    request: &PowerRequest,
    watch: Watch<'_>,
) -> Result<(Assumptions, Option<String>), PowerError> {
    if let (Some(difference), Some(sd), None) = (request.difference, request.sd, request.from) {
        let assumed = Assumptions {
            difference,
            sd,
            within: request.within,
        };
        return Ok((assumed, None));
    }
    let (Some(whose), Some(archive)) = (request.from, archive) else {
        return Err(PowerError::NothingAssumed);
    };
    let found = study_analysis_watched(archive, &entry.study.id, whose, watch).await?;
    let versions = found.versions.iter();
    let version = versions.max_by_key(|version| version.included.people);
    let sample = version.map(|version| &version.included);
    let comparison = sample.and_then(|sample| {
        let mut comparisons = sample.comparisons.iter();
        comparisons.find(|it| it.metric == metric && it.name == first)
    });
    let pilot = comparison.and_then(|comparison| from_pilot(comparison, plan.conditions_vary));
    let pilot = pilot.ok_or_else(|| PowerError::TooLittle {
        study: entry.study.id.clone(),
        metric: metric.name().to_owned(),
    })?;
    let people = sample.map_or(0, |sample| sample.people);
    let assumed = Assumptions {
        difference: request.difference.unwrap_or(pilot.difference),
        sd: request.sd.unwrap_or(pilot.sd),
        within: if request.within > 0.0 {
            request.within
        } else {
            pilot.within
        },
    };
    let from = format!(
        "{people} people of the database; what they say of the difference is as uncertain as they are few"
    );
    Ok((assumed, Some(from)))
}
