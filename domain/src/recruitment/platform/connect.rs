//! CloudResearch Connect: the link carries `participantId`, `assignmentId` and `projectId`;
//! participants go back to an address that Connect gives for the project.

use serde::{Deserialize, Serialize};

use super::{Departure, Ended, Platform, PlatformFacts, SettingsFault, WayBack};

/// Where every address of Connect begins.
const HOST: &str = "https://connect.cloudresearch.com/";

/// The addresses that Connect gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// The project's redirect URL, as Connect shows it at the end of creating the project.
    pub complete_url: String,
    /// The redirect URL of a partial complete, for participants whom practice screens out;
    /// absent: they are told to return the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_url: Option<String>,
}

impl Platform for Connect {
    const FACTS: PlatformFacts = PlatformFacts {
        name: "connect",
        title: "CloudResearch Connect",
        parameters: &["participantId", "assignmentId", "projectId"],
        participant: "participantId",
        submission: Some("assignmentId"),
        signature: None,
        framed_by: &[],
        posts_to: &[],
    };

    fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack> {
        let url = match departure.ended {
            Ended::Completed | Ended::AttentionChecksFailed => Some(&self.complete_url),
            Ended::ScreenedOut => self.partial_url.as_ref(),
            Ended::IncompatibleDevice | Ended::NoConsent | Ended::Withdrawn => None,
        };
        let by_hand = WayBack::by_hand(&Self::FACTS);
        Some(WayBack {
            url: url.cloned().unwrap_or_default(),
            ..by_hand
        })
    }

    fn faults(&self) -> Vec<SettingsFault> {
        let fields = [
            ("complete_url", Some(&self.complete_url)),
            ("partial_url", self.partial_url.as_ref()),
        ];
        let fault = |(field, url): (&'static str, Option<&String>)| {
            let url = url.filter(|url| !url.starts_with(HOST))?;
            Some(SettingsFault {
                field,
                found: format!("'{url}'"),
                expected: "the redirect URL that Connect shows, https://connect.cloudresearch.com/…",
            })
        };
        fields.into_iter().filter_map(fault).collect()
    }
}
