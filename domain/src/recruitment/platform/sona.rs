//! SONA Systems: the link carries `survey_code`, which SONA puts in the place of `%SURVEY_CODE%`;
//! credit is given when the server says so to SONA, not when the participant's browser does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::prolific::is_domain;
use super::{Departure, Ended, Platform, PlatformFacts, SettingsFault, WayBack};

/// The end of the domain of every SONA site.
const SITES: &str = ".sona-systems.com";

/// The study at SONA.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sona {
    /// The site of the school: `yourschool.sona-systems.com`.
    pub site: String,
    /// The study's number at SONA: `experiment_id` in its completion URL.
    pub experiment_id: u64,
    /// A file beside the study with the credit token alone: `credit_token` in the completion URL.
    /// It is a secret, and stands in no export.
    pub credit_token_file: String,
    /// The ways to end that get credit. Absent: those who answered everything.
    #[serde(default = "answered", skip_serializing_if = "is_answered")]
    pub credit_for: Vec<Ended>,
}

fn answered() -> Vec<Ended> {
    let ways = Ended::ALL.into_iter();
    ways.filter(|ended| ended.is_completed()).collect()
}

fn is_answered(ways: &[Ended]) -> bool {
    ways == answered()
}

impl Sona {
    /// The path, with its query, of the call that gives credit for a participant.
    #[must_use]
    pub fn credit_path(&self, credit_token: &str, survey_code: &str) -> String {
        format!(
            "/services/SonaAPI.svc/WebstudyCredit?experiment_id={}&credit_token={}&survey_code={}",
            self.experiment_id,
            encoded(credit_token),
            encoded(survey_code),
        )
    }
}

/// A value of a query.
fn encoded(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

impl Platform for Sona {
    const FACTS: PlatformFacts = PlatformFacts {
        name: "sona",
        title: "SONA",
        parameters: &["survey_code"],
        participant: "survey_code",
        submission: None,
        signature: None,
        framed_by: &[],
        posts_to: &[],
    };

    /// Home: there is nothing more to say there, the server has said it.
    fn way_back(&self, _: &Departure<'_>) -> Option<WayBack> {
        Some(WayBack {
            platform: Self::FACTS.title.to_owned(),
            code: None,
            url: format!("https://{}/", self.site),
            form: BTreeMap::new(),
        })
    }

    fn faults(&self) -> Vec<SettingsFault> {
        let mut faults = Vec::new();
        if !(is_domain(&self.site) && self.site.ends_with(SITES)) {
            faults.push(SettingsFault {
                field: "site",
                found: format!("'{}'", self.site),
                expected: "the domain of your school at SONA, such as yourschool.sona-systems.com",
            });
        }
        faults
    }
}
