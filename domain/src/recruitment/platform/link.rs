//! A link that the researcher hands out.

use serde::{Deserialize, Serialize};

use super::{Departure, Platform, PlatformFacts, WayBack};

/// Nothing can be set: the participant gets a completion code to write down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Link {}

impl Platform for Link {
    const FACTS: PlatformFacts = PlatformFacts {
        name: "link",
        title: "the link that you were given",
        parameters: &["participant"],
        participant: "participant",
        submission: None,
        signature: None,
        framed_by: &[],
        posts_to: &[],
    };

    fn way_back(&self, _: &Departure<'_>) -> Option<WayBack> {
        None
    }
}
