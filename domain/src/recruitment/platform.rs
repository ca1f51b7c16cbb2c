//! Recruitment platforms: how participants arrive from them, and how they go back.
//!
//! Each platform is one module: the parameters that its links carry, what is a preview there,
//! and where a participant goes at the end. The list of them is [`Recruitment`]. Nothing here
//! speaks to a platform; a participant's own browser does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::session::ATTENTION_CHECKS_FAILED;
pub use crate::session::ended::Ended;

mod connect;
mod link;
mod mturk;
mod name;
mod prolific;
mod sona;

pub use connect::Connect;
pub use link::Link;
pub use mturk::Mturk;
pub use name::{MAX_NAME, NameFault, ParticipantName};
pub use prolific::{Code, Prolific, SignedLinks, signed_link};
pub use sona::Sona;

/// The parameters of the link that a participant came with.
pub type Parameters = BTreeMap<String, String>;

/// Most parameters of a link that are read.
pub const MAX_PARAMETERS: usize = 16;

/// Longest value of a link's parameter, in characters: a platform's signature. All others are names.
pub const MAX_PARAMETER: usize = 4_000;

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

/// What does not depend on a study.
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

/// What each platform says of itself.
trait Platform {
    const FACTS: PlatformFacts;

    /// Whether this is a look at the study by somebody who has not accepted it.
    fn is_preview(_link: &Parameters) -> bool {
        false
    }

    /// What is wrong with a link of this platform, if anything. `stand_ins` are origins that
    /// stand for the platform in tests.
    fn fault(_link: &Parameters, _stand_ins: &[String]) -> Option<String> {
        None
    }

    /// How a participant goes back, `None` where the platform wants nothing of us.
    fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack>;

    /// What is wrong with the settings.
    fn faults(&self) -> Vec<SettingsFault> {
        Vec::new()
    }
}

/// Something wrong with a platform's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFault {
    /// The field.
    pub field: &'static str,
    /// What stands there.
    pub found: String,
    /// What should.
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
    /// What does not depend on the study.
    #[must_use]
    pub fn facts(&self) -> PlatformFacts {
        each!(self, _settings: P => P::FACTS)
    }

    /// What is wrong with the settings.
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

/// What a link says to platforms: the parameters that one of them reads, also those that are blank
/// or too long, so that the server can say that they are. What is beyond [`MAX_PARAMETER`] by more
/// than a character is cut off.
#[must_use]
pub fn parameters_in(parameter: impl Fn(&str) -> Option<String>) -> Parameters {
    let names = ALL.iter().flat_map(|facts| facts.parameters);
    let values = names.filter_map(|name| Some((*name, parameter(name)?)));
    values
        .map(|(name, value)| {
            let value = value.chars().take(MAX_PARAMETER + 1).collect();
            (name.to_owned(), value)
        })
        .collect()
}

/// The participant that a link names, whichever platform it comes from.
#[must_use]
pub fn participant_in(parameter: impl Fn(&str) -> Option<String>) -> Option<String> {
    ALL.iter().find_map(|facts| parameter(facts.participant))
}

/// How somebody came to a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived<'a> {
    /// The platform.
    pub from: &'a Recruitment,
    /// What names the participant: the platform's name for them, or a code of the researcher's.
    pub participant: Option<ParticipantName>,
    /// The platform's name for what it pays for.
    pub submission: Option<String>,
    /// Whether this is a look by somebody who has not accepted the study: nothing may start.
    pub preview: bool,
    /// What the link says to that platform, without its signature.
    pub link: Parameters,
}

/// Why a link does not lead into a study.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotArrived {
    /// It has none of the parameters of the study's platforms.
    #[error("this study is opened from {}", .platforms.join(" or "))]
    FromElsewhere {
        /// The platforms, as people read them.
        platforms: Vec<&'static str>,
    },
    /// It is of one of the platforms, but something is wrong with it.
    #[error("{0}")]
    Faulty(String),
    /// It does not say who comes: it was made wrongly, and opening it again does not help.
    #[error(
        "'{parameter}' in this link names nobody: {why}. The link is wrong; please tell whoever gave it to you"
    )]
    Nameless {
        /// The parameter.
        parameter: &'static str,
        /// What is wrong with it.
        why: NameFault,
    },
}

/// A study that names no platform is open to everybody who has its link.
const ANYBODY: &Recruitment = &Recruitment::Link(Link {});

/// How somebody with this link comes to a study. The first platform counts whose parameter
/// for the participant is there; a plain link only where the study lists it, or lists none.
///
/// # Errors
/// When the link is of none of the study's platforms, is wrong, or names nobody where it should.
pub fn arrive<'a>(
    recruitment: &'a [Recruitment],
    link: &Parameters,
    stand_ins: &[String],
) -> Result<Arrived<'a>, NotArrived> {
    for from in recruitment.iter().filter(|from| from.is_platform()) {
        if from.is_preview(link) {
            return arrived(from, link, true);
        }
        if link.contains_key(from.facts().participant) {
            let arrived = arrived(from, link, false)?;
            return match from.fault(&arrived.link, stand_ins) {
                Some(fault) => Err(NotArrived::Faulty(fault)),
                None => Ok(arrived),
            };
        }
    }
    let plain = match recruitment {
        [] => Some(ANYBODY),
        listed => listed.iter().find(|from| !from.is_platform()),
    };
    match plain {
        Some(from) => arrived(from, link, false),
        None => Err(NotArrived::FromElsewhere {
            platforms: recruitment.iter().map(|from| from.facts().title).collect(),
        }),
    }
}

/// What a link says to a platform. All of it but the signature are names, and checked as such; one
/// that is blank says nothing, unless it is the participant's.
fn arrived<'a>(
    from: &'a Recruitment,
    link: &Parameters,
    preview: bool,
) -> Result<Arrived<'a>, NotArrived> {
    let facts = from.facts();
    let mut names = BTreeMap::new();
    for parameter in facts.parameters {
        let Some(value) = link.get(*parameter) else {
            continue;
        };
        if facts.signature == Some(parameter) {
            continue;
        }
        match ParticipantName::parse(value) {
            Ok(name) => drop(names.insert((*parameter).to_owned(), name)),
            Err(NameFault::Empty) if *parameter != facts.participant => {}
            // Before the task is accepted, MTurk says so in the place of a name.
            Err(_) if preview => {}
            Err(why) => return Err(NotArrived::Nameless { parameter, why }),
        }
    }
    let participant = names.get(facts.participant).cloned();
    let link: Parameters = names
        .into_iter()
        .map(|(parameter, name)| (parameter, name.into()))
        .collect();
    Ok(Arrived {
        from,
        participant,
        submission: facts.submission.and_then(|name| link.get(name).cloned()),
        preview,
        link,
    })
}

/// A participant who is about to go back.
#[derive(Debug, Clone, Copy)]
pub struct Departure<'a> {
    /// The link that they came with.
    pub link: &'a Parameters,
    /// How their session ended.
    pub ended: Ended,
    /// The session's own completion code, where everything was answered.
    pub code: Option<&'a str>,
    /// Fields that a form tells beside the code.
    pub summary: &'a [(&'static str, String)],
}

/// How a participant goes back to the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct WayBack {
    /// The platform, as people read it.
    pub platform: String,
    /// The platform's code for how the session ended, where it has one: to be entered by hand
    /// where the way back does not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Address to open, or to hand the form in to. Empty: there is none, and the participant returns
    /// the task with the platform's own button.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Fields of the form; none: the address is merely opened.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub form: BTreeMap<String, String>,
}

impl WayBack {
    /// The participant returns the task with the platform's own button: it takes nothing from us.
    #[must_use]
    fn by_hand(platform: &PlatformFacts) -> Self {
        Self {
            platform: platform.title.to_owned(),
            code: None,
            url: String::new(),
            form: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests;
