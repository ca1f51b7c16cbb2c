//! How participants go back to the platform that they came from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Ended, Parameters, PlatformFacts};

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
    pub(super) fn by_hand(platform: &PlatformFacts) -> Self {
        Self {
            platform: platform.title.to_owned(),
            code: None,
            url: String::new(),
            form: BTreeMap::new(),
        }
    }
}
