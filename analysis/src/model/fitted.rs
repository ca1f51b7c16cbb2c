//! A mixed model that was fitted.

use measures::statistics::Defined;
use measures::statistics::anova::FTest;
use measures::statistics::mixed_model::{FixedEffect, RandomEffect, WaldTest};
use serde::Serialize;

use crate::computed::Computed;

/// Which mixed model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// REML, degrees of freedom after Satterthwaite.
    Linear,
    /// Laplace's approximation.
    Logistic,
    /// Cumulative links, Laplace's approximation.
    Ordinal,
}

/// A mixed model, or why there is none, and whom it is of.
pub(crate) struct Fit {
    pub kind: ModelKind,
    /// People with a row in it.
    pub people: usize,
    pub model: Defined<ModelOfQuestions>,
}

/// A mixed model of single questions (of ratings, for difficulty).
#[derive(Debug, Clone, Serialize)]
pub struct ModelOfQuestions {
    /// Which.
    pub kind: ModelKind,
    /// Rows it is fitted to.
    pub rows: usize,
    /// Its random terms.
    pub random: Vec<RandomEffect>,
    /// Standard deviation of residuals, of a linear model.
    pub residual_sd: Option<f64>,
    /// Logarithm of its likelihood (restricted, for a linear one).
    pub log_likelihood: f64,
    /// Names of its random terms without variance: then the fit is singular.
    pub singular: Vec<String>,
    /// Its tests.
    #[serde(flatten)]
    pub tests: TestsOfModel,
}

/// A test that several effects are 0.
#[derive(Debug, Clone, Serialize)]
pub struct JointTest {
    /// F-test, of a linear model.
    pub f: Option<Computed<FTest>>,
    /// Wald's test, of the others.
    pub wald: Option<Computed<WaldTest>>,
}

/// The tests of a model. Estimates are in the metric's unit for a linear model, and logarithms of odds ratios otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct TestsOfModel {
    /// Of the conditions.
    #[serde(flatten)]
    pub conditions: JointTest,
    /// First minus second of each pair, in the order of the comparison's pairs.
    pub pairs: Vec<Computed<FixedEffect>>,
    /// The plan's contrasts, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<Computed<FixedEffect>>,
    /// The effects that the plan adjusts for, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adjusted: Vec<AdjustedEffect>,
}

/// A fixed effect beside the conditions.
#[derive(Debug, Clone, Serialize)]
pub struct AdjustedEffect {
    /// Its name: `period`, `sequence`, or `questionnaire.item`.
    pub name: String,
    /// Whether there is any.
    #[serde(flatten)]
    pub test: JointTest,
    /// Each later period less the first; of a number, what one more of it adds.
    pub effects: Vec<Computed<FixedEffect>>,
}

/// The hypotheses about a model, as weights of its fixed effects.
pub(super) struct Hypotheses {
    pub conditions: Vec<Vec<f64>>,
    pub pairs: Vec<Vec<f64>>,
    pub contrasts: Vec<Vec<f64>>,
    pub beside: Vec<(String, Vec<Vec<f64>>)>,
}

impl Hypotheses {
    /// The answers of a model that was fitted.
    pub(super) fn tested(
        &self,
        joint: impl Fn(&[Vec<f64>]) -> JointTest,
        effect: impl Fn(&[f64]) -> Defined<FixedEffect>,
    ) -> TestsOfModel {
        let effects = |all: &[Vec<f64>]| all.iter().map(|it| effect(it).into()).collect();
        let beside = self
            .beside
            .iter()
            .filter(|(_, effects)| !effects.is_empty());
        TestsOfModel {
            conditions: joint(&self.conditions),
            pairs: effects(&self.pairs),
            contrasts: effects(&self.contrasts),
            adjusted: beside
                .map(|(name, own)| AdjustedEffect {
                    name: name.clone(),
                    test: joint(own),
                    effects: effects(own),
                })
                .collect(),
        }
    }
}

impl ModelOfQuestions {
    /// The words on a singular fit; nothing of others.
    pub(crate) fn singular_words(&self) -> Option<String> {
        let terms = self.singular.join(", ");
        (!terms.is_empty()).then(|| format!("singular fit: no variance between levels of {terms}"))
    }
}
