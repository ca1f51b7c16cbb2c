//! Verdicts: what the server says of answers.

use super::{Effect, Phase, Refusal, Session};
use crate::session::event::QuestionRef;
use crate::task::Verdict;

impl Session {
    pub(super) fn take_verdict(
        &mut self,
        at: QuestionRef,
        verdict: Verdict,
        at_ms: u64,
    ) -> Result<Vec<Effect>, Refusal> {
        if self.verdicts.contains_key(&at) {
            return Err(Refusal::NotNow {
                event: "verdict_received",
                phase: self.phase,
            });
        }
        self.check_verdict(at, verdict)?;
        self.verdicts.insert(at, verdict);
        match self.phase {
            // A check that is waited for, too, comes first.
            Phase::AwaitingVerdicts { part } if self.without_check().is_none() => {
                Ok(self.go(self.after_waiting(part, at_ms)))
            }
            _ => Ok(vec![]),
        }
    }

    /// A verdict is about an answered question, and with the keys at hand it must be the true one.
    pub(super) fn check_verdict(&self, at: QuestionRef, verdict: Verdict) -> Result<(), Refusal> {
        let question = self.question(at).filter(|q| q.is_answered());
        let Some(question) = question else {
            return Err(Refusal::VerdictTooEarly);
        };
        match self.key(at) {
            Some(key) if key.verdict(&question.state) != Some(verdict) => {
                Err(Refusal::FalseVerdict)
            }
            _ => Ok(()),
        }
    }
}
