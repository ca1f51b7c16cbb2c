//! The plan of one session: everything its participant will be asked, drawn when it starts.

use base64::Engine as _;
use serde::{Deserialize, Serialize};

use crate::event::{QuestionRef, SessionId};
use crate::model::{Arrangement, ModelFacts};
use crate::questionnaire::Questionnaire;

/// Format version of a stored plan.
pub const PLAN_FORMAT: u16 = 1;

/// An instance x, flattened. In JSON: base64 of little-endian f32, so that the
/// browser compares with exactly the numbers that the server decoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Instance(pub Vec<f32>);

impl From<Instance> for String {
    fn from(instance: Instance) -> Self {
        let bytes: Vec<u8> = instance.0.iter().flat_map(|v| v.to_le_bytes()).collect();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }
}

impl TryFrom<String> for Instance {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|e| format!("an instance is base64: {e}"))?;
        let (values, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(format!(
                "an instance of {} bytes is no row of f32",
                bytes.len()
            ));
        }
        Ok(Self(
            values.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        ))
    }
}

#[cfg(feature = "check")]
impl schemars::JsonSchema for Instance {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Instance".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "contentEncoding": "base64",
            "description": "Little-endian 32-bit floats, row by row"
        })
    }
}

/// Where the session takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The participant is alone.
    #[default]
    Online,
    /// An experimenter sits beside the participant; skip is always there.
    Lab,
}

/// When a question may be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SkipRule {
    /// Not at all: practice must be solved.
    Never,
    /// At any time: lab sessions.
    Always,
    /// Once the active time passes T.
    AfterActive {
        /// T in seconds.
        seconds: f64,
    },
}

/// One question as the participant's browser gets it: the target is an
/// instance, never a latent vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionPlan {
    /// z the controls start at.
    pub start: Vec<f64>,
    /// x′, the picture to match.
    pub target: Instance,
}

/// The questions about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct StagePlan {
    /// Name of the stage in the study.
    pub id: String,
    /// Whether this is practice: not scored, and gated on being solved.
    pub practice: bool,
    /// The model, pinned as it was when the session started; threshold and
    /// arrangement already are the study's where it sets them.
    pub model: ModelFacts,
    /// When a question may be skipped.
    pub skip: SkipRule,
    /// Whether dials can be renamed.
    pub rename_dials: bool,
    /// The questions, in order.
    pub questions: Vec<QuestionPlan>,
    /// Questionnaires after the last question, in order.
    pub after: Vec<Questionnaire>,
}

impl StagePlan {
    /// Arrangement a question opens with.
    #[must_use]
    pub fn arrangement(&self) -> Arrangement {
        self.model.display.arrangement
    }
}

/// Everything one participant will be asked, in the order they will be asked it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct SessionPlan {
    /// Format version of this record.
    pub format: u16,
    /// The session.
    pub session: SessionId,
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's definition in hex.
    pub study_sha256: String,
    /// Where the session takes place.
    pub mode: Mode,
    /// Whether consent is asked for.
    pub consent: bool,
    /// Whether the tutorial is shown.
    pub tutorial: bool,
    /// The stages in this session's order; practice, where there is any, is first.
    pub stages: Vec<StagePlan>,
    /// Questionnaires at the end, in order.
    pub closing: Vec<Questionnaire>,
}

impl SessionPlan {
    /// The stage and question at `at`, if there is one.
    #[must_use]
    pub fn question(&self, at: QuestionRef) -> Option<(&StagePlan, &QuestionPlan)> {
        let stage = self.stages.get(at.stage)?;
        Some((stage, stage.questions.get(at.question)?))
    }

    /// Number of questions, practice included.
    #[must_use]
    pub fn question_count(&self) -> usize {
        self.stages.iter().map(|stage| stage.questions.len()).sum()
    }

    /// How many questions stand before `at`.
    #[must_use]
    pub fn questions_before(&self, at: QuestionRef) -> usize {
        let earlier: usize = self
            .stages
            .iter()
            .take(at.stage)
            .map(|s| s.questions.len())
            .sum();
        earlier + at.question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_survives_json_to_the_bit() {
        let instance = Instance(vec![0.1, -3.5, f32::MIN_POSITIVE, 1.0]);
        let json = serde_json::to_string(&instance).unwrap();
        assert_eq!(serde_json::from_str::<Instance>(&json).unwrap(), instance);
        assert!(
            serde_json::from_str::<Instance>("\"AAAA\"").is_err(),
            "three bytes"
        );
        assert!(serde_json::from_str::<Instance>("\"@\"").is_err());
    }
}
