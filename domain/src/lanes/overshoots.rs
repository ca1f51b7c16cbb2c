//! Where dials passed their targets, which only whoever has the answer keys can say.

use serde::{Deserialize, Serialize};

use crate::session::event::{Envelope, QuestionRef};
use crate::session::{AnswerKeys, question_logs};

/// A dial passed the target's value while it was slid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct PassedTarget {
    /// In which question.
    pub at: QuestionRef,
    /// 0-based index of the dial's dimension.
    pub dimension: usize,
    /// The first record after it had, in milliseconds since the session's start.
    pub at_ms: u64,
}

/// All of a session, in order: one for each that the measures of its questions count. `events` are those of the
/// participant's log in order; others are passed over.
#[must_use]
pub fn overshoots<'a>(
    keys: &AnswerKeys,
    events: impl IntoIterator<Item = &'a Envelope>,
) -> Vec<PassedTarget> {
    let all = question_logs(events).into_iter().filter_map(|question| {
        let passed = keys
            .of(question.at)?
            .overshoots(&question.events)
            .into_iter();
        Some(passed.map(move |passed| PassedTarget {
            at: question.at,
            dimension: passed.dimension,
            at_ms: question.from_ms.saturating_add(passed.elapsed_ms),
        }))
    });
    all.flatten().collect()
}
