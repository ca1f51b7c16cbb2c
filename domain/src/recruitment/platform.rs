//! Recruitment platforms: how participants arrive from them, and how they go back.
//!
//! Each platform is one module: the parameters that its links carry, what is a preview there,
//! and where a participant goes at the end. The list of them is [`Recruitment`]. Nothing here
//! speaks to a platform; a participant's own browser does.

use serde::{Deserialize, Serialize};

pub use crate::session::ATTENTION_CHECKS_FAILED;
pub use crate::session::ended::Ended;

mod arrive;
mod connect;
mod link;
mod mturk;
mod name;
mod prolific;
mod sona;
mod way_back;

pub use arrive::{
    Arrived, MAX_PARAMETER, MAX_PARAMETERS, NotArrived, Parameters, arrive, parameters_in,
    participant_in,
};
pub use connect::Connect;
pub use link::Link;
pub use mturk::Mturk;
pub use name::{MAX_NAME, NameFault, ParticipantName};
pub use prolific::{Code, Prolific, SignedLinks, signed_link};
pub use sona::Sona;
pub use way_back::{Departure, WayBack};

/// A platform, and what a study's author sets about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "platform", rename_all = "snake_case")]
pub enum Recruitment {
    /// A link that the researcher hands out, with a code for the participant if wanted:
    /// `?participant=P07`.
    Link(Link),
    /// Prolific.
    Prolific(Prolific),
    /// Amazon Mechanical Turk.
    Mturk(Mturk),
    /// CloudResearch Connect.
    Connect(Connect),
    /// SONA Systems, which gives credit.
    Sona(Sona),
}

/// The facts of a platform that do not depend on a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlatformFacts {
    /// Name in study files, logs and exports.
    pub name: &'static str,
    /// Name as people read it.
    pub title: &'static str,
    /// The parameters of the link that are read; no others leave the page.
    pub parameters: &'static [&'static str],
    /// The one that names the participant.
    pub participant: &'static str,
    /// The one that names what the platform pays for, where there is one.
    pub submission: Option<&'static str>,
    /// The one that holds the platform's signature, where it signs its links. It is read, and not
    /// stored.
    pub signature: Option<&'static str>,
    /// Sources of a content security policy that may show the study in a frame.
    pub framed_by: &'static [&'static str],
    /// Origins that a participant's browser may hand a form in to.
    pub posts_to: &'static [&'static str],
}

/// The facts and functions of one platform.
trait Platform {
    const FACTS: PlatformFacts;

    /// Whether this is a look at the study by somebody who has not accepted it.
    fn is_preview(_link: &Parameters) -> bool {
        false
    }

    /// The fault in a link of this platform, if any. `stand_ins` are origins that
    /// stand for the platform in tests.
    fn fault(_link: &Parameters, _stand_ins: &[String]) -> Option<String> {
        None
    }

    /// How a participant goes back, `None` where the platform wants nothing of us.
    fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack>;

    /// The faults in the settings.
    fn faults(&self) -> Vec<SettingsFault> {
        Vec::new()
    }
}

/// Something wrong with a platform's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFault {
    /// The field.
    pub field: &'static str,
    /// The value that stands there.
    pub found: String,
    /// The value that should stand there.
    pub expected: &'static str,
}

/// Calls a function of the platform that a study's settings are for.
macro_rules! each {
    ($self:expr, $settings:ident: $P:ident => $call:expr) => {
        match $self {
            Recruitment::Link($settings) => {
                type $P = Link;
                $call
            }
            Recruitment::Prolific($settings) => {
                type $P = Prolific;
                $call
            }
            Recruitment::Mturk($settings) => {
                type $P = Mturk;
                $call
            }
            Recruitment::Connect($settings) => {
                type $P = Connect;
                $call
            }
            Recruitment::Sona($settings) => {
                type $P = Sona;
                $call
            }
        }
    };
}

impl Recruitment {
    /// The platform's facts, which do not depend on the study.
    #[must_use]
    pub fn facts(&self) -> PlatformFacts {
        each!(self, _settings: P => P::FACTS)
    }

    /// The faults in the settings.
    #[must_use]
    pub fn faults(&self) -> Vec<SettingsFault> {
        each!(self, settings: _P => settings.faults())
    }

    /// How a participant goes back; `None` where the platform wants nothing of us.
    #[must_use]
    pub fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack> {
        each!(self, settings: _P => settings.way_back(departure))
    }

    /// Whether it is a platform, and no link of the researcher's.
    #[must_use]
    pub fn is_platform(&self) -> bool {
        !matches!(self, Self::Link(_))
    }

    fn is_preview(&self, link: &Parameters) -> bool {
        each!(self, _settings: P => P::is_preview(link))
    }

    fn fault(&self, link: &Parameters, stand_ins: &[String]) -> Option<String> {
        each!(self, _settings: P => P::fault(link, stand_ins))
    }
}

/// The facts of every platform.
pub const ALL: [PlatformFacts; 5] = [
    Link::FACTS,
    Prolific::FACTS,
    Mturk::FACTS,
    Connect::FACTS,
    Sona::FACTS,
];

#[cfg(test)]
mod tests;
