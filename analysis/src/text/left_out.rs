//! Why people are left out, in words.

use domain::study::ExclusionCriterion;

use crate::numbers::{counted, given};
use crate::person::LeftOutReason;
use crate::report::Excluded;

impl Excluded {
    /// Why they are left out, with the reasons behind it: `excluded by hand: “a child took part” (2)`.
    #[must_use]
    pub fn in_words(&self) -> String {
        why_left_out(self)
    }
}

/// Why people are left out, with the reasons behind it: `excluded by hand: “a child took part” (2)`.
pub(crate) fn why_left_out(excluded: &Excluded) -> String {
    let by_hand = excluded.reason == LeftOutReason::ByHand;
    let because: Vec<String> = excluded
        .because
        .iter()
        .map(|because| {
            let (open, close) = if by_hand { ("“", "”") } else { ("", "") };
            format!("{open}{}{close} ({})", because.reason, because.people)
        })
        .collect();
    let words = left_out(excluded.reason);
    if because.is_empty() {
        return words;
    }
    format!("{words}: {}", because.join(", "))
}

pub(crate) fn left_out(reason: LeftOutReason) -> String {
    let rule = match reason {
        LeftOutReason::Withdrawn => return "the participant withdrew".to_owned(),
        LeftOutReason::ByHand => return "excluded by hand".to_owned(),
        LeftOutReason::InclusionRules => return "the study's inclusion rules".to_owned(),
        LeftOutReason::OverQuota => return "over quota".to_owned(),
        LeftOutReason::Plan { rule } => rule,
    };
    match rule {
        ExclusionCriterion::Incomplete => "the session is not complete".to_owned(),
        ExclusionCriterion::Marked => "a wrong answer marked the session".to_owned(),
        ExclusionCriterion::Away { more_than_s } => {
            format!("away for more than {} s", given(more_than_s))
        }
        ExclusionCriterion::Solved { fewer_than } => format!(
            "fewer than {} solved",
            counted(fewer_than, "question", "questions")
        ),
        ExclusionCriterion::Outlying { metric, beyond_sd } => format!(
            "{} beyond {} SD of the mean",
            metric.name(),
            given(beyond_sd)
        ),
    }
}
