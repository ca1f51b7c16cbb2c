//! How participants arrive: what their link says to the study's platforms.

use std::collections::BTreeMap;

use super::name::{NameFault, ParticipantName};
use super::{ALL, Link, Recruitment};

/// The parameters of the link that a participant came with.
pub type Parameters = BTreeMap<String, String>;

/// Most parameters of a link that are read.
pub const MAX_PARAMETERS: usize = 16;

/// Longest value of a link's parameter, in characters: a platform's signature. All others are names.
pub const MAX_PARAMETER: usize = 4_000;

/// The parameters of a link that one of the platforms reads, also those that are blank or too long, so
/// that the server can say that they are. The part of a value beyond [`MAX_PARAMETER`] by more than a
/// character is cut off.
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
    /// The name of the participant: the platform's name for them, or a code of the researcher's.
    pub participant: Option<ParticipantName>,
    /// The platform's name for what it pays for.
    pub submission: Option<String>,
    /// Whether this is a look by somebody who has not accepted the study: nothing may start.
    pub preview: bool,
    /// The link's parameters for that platform, without its signature.
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
        /// The fault in it.
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

/// The arrival at a platform by a link. All parameters but the signature are names, and checked as such;
/// one that is blank says nothing, unless it is the participant's.
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
