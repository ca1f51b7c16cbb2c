//! A log that is verified a little at a time, one question after the other, without answer keys: beside a page that
//! replays it.

use std::collections::BTreeMap;

use crate::common::identifiers::QuestionRef;
use crate::model::evidence::{Contradiction, Depth, Evidence, Verification, VerificationReport};
use crate::session::event::{Author, Envelope, Event};
use crate::session::plan::SessionPlan;

/// A contradiction, and when its event happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAt {
    /// In milliseconds since the session's start.
    pub at_ms: u64,
    /// The contradiction.
    pub contradiction: Contradiction,
}

/// The verification of a log so far. The log may grow.
#[derive(Debug, Clone, Default)]
pub struct StepByStep {
    /// Where each question goes on, as an index into the log.
    next: BTreeMap<QuestionRef, usize>,
    found: Vec<FoundAt>,
    decoded: u64,
}

impl StepByStep {
    /// The contradictions, in the order in which they were found.
    #[must_use]
    pub fn found(&self) -> &[FoundAt] {
        &self.found
    }

    /// Number of latent vectors that were decoded again.
    #[must_use]
    pub fn decoded(&self) -> u64 {
        self.decoded
    }

    /// Compares the next events of a question, each of them once, until there are no more or `enough` says so. It is
    /// asked after each event that was decoded. An event that cannot be decoded yet is left for the next time.
    pub fn go_on(
        &mut self,
        plan: &SessionPlan,
        log: &[Envelope],
        at: QuestionRef,
        evidence: &dyn Evidence,
        mut enough: impl FnMut() -> bool,
    ) {
        let Some(stage) = plan.stages.get(at.stage) else {
            return;
        };
        let begins =
            |it: &Envelope| matches!(it.event, Event::QuestionStarted { at: begun } if begun == at);
        let first = match self.next.get(&at) {
            Some(next) => *next,
            None => match log.iter().position(begins) {
                Some(begun) => begun + 1,
                None => return,
            },
        };
        let mut next = first;
        for event in log.get(first..).unwrap_or_default() {
            if event.author == Author::Participant {
                match &event.event {
                    Event::QuestionStarted { .. } => break,
                    Event::Task(reported) => {
                        let mut report = VerificationReport::default();
                        let mut verification =
                            Verification::new(evidence, Depth::All, at, &mut report);
                        stage.task.verify_event(
                            at.question,
                            event.seq,
                            reported,
                            &mut verification,
                        );
                        if !report.missing.is_empty() {
                            break;
                        }
                        self.decoded += report.decoded;
                        let at_ms = event.at_ms;
                        self.found
                            .extend(report.contradictions.into_iter().map(|contradiction| {
                                FoundAt {
                                    at_ms,
                                    contradiction,
                                }
                            }));
                        if report.decoded > 0 && enough() {
                            next += 1;
                            break;
                        }
                    }
                    _ => {}
                }
            }
            next += 1;
        }
        self.next.insert(at, next);
    }
}
