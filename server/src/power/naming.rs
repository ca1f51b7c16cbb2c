//! How many people a study needs to tell bundles of concepts apart by the names that people give.

use analysis::power::Settings;
use analysis::{NamingPilot, NamingPower, NamingQuestion};
use serde::Serialize;

use super::PowerError;
use crate::analysis::people_of_largest_version;
use crate::export::{SessionSelection, Watch};
use crate::storage::Archive;

/// The difference between bundles that is to be shown, and how power is worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct NamingPowerRequest {
    /// The difference that is to be shown.
    pub question: NamingQuestion,
    /// Whose sessions studies are drawn from.
    pub from: SessionSelection,
    /// The power of so many people; absent: the number of people that the power wanted needs.
    pub people: Option<usize>,
    /// The power wanted.
    pub wanted: f64,
    /// How power is worked out.
    pub settings: Settings,
    /// Never more people than this.
    pub at_most: usize,
}

/// The power of a naming study, with everything that was assumed.
#[derive(Debug, Clone, Serialize)]
pub struct NamingPowerReport {
    /// Name of the study.
    pub study: String,
    /// The difference that is to be shown.
    pub question: NamingQuestion,
    /// How many people studies are drawn from.
    pub pilot_people: usize,
    /// Whether these are simulated.
    pub simulated: bool,
    /// How power is worked out.
    pub settings: Settings,
    /// The power wanted.
    pub wanted: f64,
    /// How many people it needs for every two bundles; absent where that was not asked for, or no number is enough.
    pub people_needed: Option<usize>,
    /// The power of each number of people that was looked at.
    pub powers: Vec<NamingPower>,
}

/// Works out the power of a naming study from the people of a pilot. `watch` is told how many of them are read.
///
/// # Errors
/// When too few people named concepts of two bundles, the numbers make no sense, or the database fails.
pub async fn power_of_naming(
    archive: &dyn Archive,
    study: &str,
    request: &NamingPowerRequest,
    watch: Watch<'_>,
) -> Result<NamingPowerReport, PowerError> {
    let (people, plan) = people_of_largest_version(archive, study, request.from, watch).await?;
    let plan = plan.map_err(PowerError::Plan)?;
    let pilot = NamingPilot::of(people, plan.as_ref());
    let (question, settings) = (&request.question, request.settings);
    let (people_needed, powers) = match request.people {
        Some(people) => (None, vec![pilot.power(question, settings, people)?]),
        None => pilot.people_needed(question, settings, request.wanted, request.at_most)?,
    };
    Ok(NamingPowerReport {
        study: study.to_owned(),
        question: question.clone(),
        pilot_people: pilot.people(),
        simulated: request.from == SessionSelection::Simulated,
        settings,
        wanted: request.wanted,
        people_needed,
        powers,
    })
}
