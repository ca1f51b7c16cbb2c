//! Whether what a page reported follows from what it says the participant did.
//!
//! The browser decodes and compares; whoever controls it can report what they like. The server
//! has the weights and the targets, so it can decode the reported latent vectors again. A report that
//! does not agree is a *contradiction*: it flags a session and never excludes one by itself.
//!
//! Two builds of a decoder differ in their last digits. Values are therefore known up to
//! [`VALUE_TOLERANCE`], and a reported distance is accepted if any values within it give that
//! distance.

use crate::recruitment::assignment::Purpose;
use crate::session::event::Envelope;
use crate::session::plan::SessionPlan;
use crate::session::{AnswerKeys, Phase, QuestionLog, question_logs};

mod step_by_step;

pub use step_by_step::{FoundAt, StepByStep};

pub use crate::model::evidence::{
    Contradiction, Depth, Evidence, VALUE_TOLERANCE, Verification, VerificationReport,
};

/// Whether a session that has ended in a phase is verified by the server. Nothing is asked of people who
/// do not agree, and simulated ones are verified by hand.
#[must_use]
pub fn is_to_be_verified(purpose: Purpose, ended: Phase) -> bool {
    purpose != Purpose::Simulated && ended.is_end() && ended != Phase::Declined
}

/// Verifies every question of a session that began. `events` are those of the participant's log in
/// order; others are passed over.
#[must_use]
pub fn verify<'a>(
    plan: &SessionPlan,
    keys: &AnswerKeys,
    events: impl IntoIterator<Item = &'a Envelope>,
    evidence: &dyn Evidence,
    depth: Depth,
) -> VerificationReport {
    let mut report = VerificationReport::default();
    for QuestionLog { at, events, .. } in question_logs(events) {
        report.questions += 1;
        let Some(stage) = plan.stages.get(at.stage) else {
            continue;
        };
        match keys.of(at) {
            Some(key) => {
                let mut verification = Verification::new(evidence, depth, at, &mut report);
                stage
                    .task
                    .verify(key, at.question, &events, &mut verification);
            }
            None => {
                report.missing.insert("the answer keys".to_owned());
            }
        }
    }
    report
}
