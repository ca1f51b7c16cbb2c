//! The evidence for verifying a report: the real decoders and pictures, how much is decoded again, and what is
//! found.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::common::identifiers::QuestionRef;
use crate::model::ModelFacts;
use crate::model::instance::InstanceId;

/// How far one build's value may be from another's: absolute up to 1, in proportion above. The
/// largest difference measured between our builds, candle and other engines over the shipped
/// models is 2.8e-5 (`cargo xtask bench decode`).
pub const VALUE_TOLERANCE: f64 = 1e-4;

/// The decoders and pictures that a session was made of.
pub trait Evidence {
    /// g(z), by the very weights that the session's plan names; `None` if they are not there.
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>>;
    /// A picture by its name; `None` if it is not there.
    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>>;
}

/// How much is decoded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Everything.
    All,
    /// Of each question the start, the end, the turning points, and every eighth of the rest.
    Sample,
}

impl Depth {
    /// Of how many events that are neither start, end nor turning point one is decoded.
    const EVERY: usize = 8;

    /// Whether the event at this place is decoded although nothing marks it out.
    #[must_use]
    pub fn takes(self, index: usize) -> bool {
        self == Self::All || index.is_multiple_of(Self::EVERY)
    }
}

/// Something that was reported and does not follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Contradiction {
    /// The question.
    #[serde(flatten)]
    pub at: QuestionRef,
    /// Number of the event in the participant's log; absent if it is no event's fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// What was reported, and what it should have been.
    pub problem: String,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let QuestionRef { stage, question } = self.at;
        match self.seq {
            Some(seq) => write!(f, "event {seq} ")?,
            None => write!(f, "plan ")?,
        }
        // People count from 1.
        let (stage, question) = (stage + 1, question + 1);
        write!(f, "(stage {stage}, question {question}): {}", self.problem)
    }
}

/// The findings in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct VerificationReport {
    /// Number of questions that were looked at: those that began.
    pub questions: u64,
    /// Number of latent vectors that were decoded again.
    pub decoded: u64,
    /// The contradictions: reports that do not follow, in the order of the log.
    pub contradictions: Vec<Contradiction>,
    /// The weights and pictures that are not there, so that something could not be verified.
    pub missing: BTreeSet<String>,
}

/// A question being verified: what its task may ask for, and what it says.
pub struct Verification<'a> {
    evidence: &'a dyn Evidence,
    depth: Depth,
    at: QuestionRef,
    report: &'a mut VerificationReport,
}

impl<'a> Verification<'a> {
    /// A question that is about to be verified; what is found is added to `report`.
    pub(crate) fn new(
        evidence: &'a dyn Evidence,
        depth: Depth,
        at: QuestionRef,
        report: &'a mut VerificationReport,
    ) -> Self {
        Self {
            evidence,
            depth,
            at,
            report,
        }
    }

    /// How much is to be decoded.
    #[must_use]
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// g(z); noted as missing if it cannot be decoded.
    pub fn decode(&mut self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        let decoded = self.evidence.decode(model, z);
        match decoded {
            Some(_) => self.report.decoded += 1,
            None => {
                let missing = format!("the weights of model '{}'", model.name);
                self.report.missing.insert(missing);
            }
        }
        decoded
    }

    /// A picture; noted as missing if it is not there.
    pub fn instance(&mut self, id: &InstanceId) -> Option<Vec<f32>> {
        let found = self.evidence.instance(id);
        if found.is_none() {
            self.report.missing.insert(format!("picture {id}"));
        }
        found
    }

    /// Says what does not follow.
    pub fn contradiction(&mut self, seq: Option<u64>, problem: String) {
        let at = self.at;
        self.report
            .contradictions
            .push(Contradiction { at, seq, problem });
    }
}
