//! Amazon Mechanical Turk: the study runs in a frame of MTurk's page (an `ExternalQuestion`),
//! whose address carries `assignmentId`, `hitId`, `workerId` and `turkSubmitTo`. A participant
//! goes back by handing a form in to MTurk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Departure, Parameters, Platform, PlatformFacts, WayBack};

/// What `assignmentId` says before a worker has accepted the task.
const NOT_ACCEPTED: &str = "ASSIGNMENT_ID_NOT_AVAILABLE";

/// The path that a form is handed in to.
const SUBMIT: &str = "/mturk/externalSubmit";

/// Nothing can be set: MTurk says in the link where the form goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mturk {}

impl Platform for Mturk {
    const FACTS: PlatformFacts = PlatformFacts {
        name: "mturk",
        title: "Mechanical Turk",
        parameters: &["assignmentId", "hitId", "workerId", "turkSubmitTo"],
        participant: "workerId",
        submission: Some("assignmentId"),
        signature: None,
        framed_by: &["https://*.mturk.com"],
        posts_to: &["https://www.mturk.com", "https://workersandbox.mturk.com"],
    };

    fn is_preview(link: &Parameters) -> bool {
        link.get("assignmentId")
            .is_some_and(|id| id == NOT_ACCEPTED)
    }

    fn fault(link: &Parameters, stand_ins: &[String]) -> Option<String> {
        if link.get("assignmentId").is_none_or(String::is_empty) {
            return Some("the link from Mechanical Turk lacks 'assignmentId'".to_owned());
        }
        let Some(host) = link
            .get("turkSubmitTo")
            .map(|host| host.trim_end_matches('/'))
        else {
            return Some("the link from Mechanical Turk lacks 'turkSubmitTo'".to_owned());
        };
        let known = Self::FACTS.posts_to.contains(&host) || stand_ins.iter().any(|it| it == host);
        (!known).then(|| "'turkSubmitTo' in the link is not Mechanical Turk".to_owned())
    }

    /// Only a session that was answered to its end can be handed in: for anything else MTurk's
    /// own button gives the task back.
    fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack> {
        if !departure.ended.is_completed() {
            return Some(WayBack::by_hand(&Self::FACTS));
        }
        let code = departure.code?;
        let host = departure.link.get("turkSubmitTo")?.trim_end_matches('/');
        let assignment = departure.link.get("assignmentId")?;
        let mut form = BTreeMap::from([
            ("assignmentId".to_owned(), assignment.clone()),
            ("completionCode".to_owned(), code.to_owned()),
        ]);
        let summary = departure.summary.iter();
        form.extend(summary.map(|(name, value)| ((*name).to_owned(), value.clone())));
        Some(WayBack {
            platform: Self::FACTS.title.to_owned(),
            code: None,
            url: [host, SUBMIT].concat(),
            form,
        })
    }
}
