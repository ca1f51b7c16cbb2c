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
    /// F-test of the conditions, of a linear model.
    pub f: Option<Computed<FTest>>,
    /// Wald's test of the conditions, of the others.
    pub wald: Option<Computed<WaldTest>>,
    /// First minus second of each pair, in the order of the comparison's pairs: in the metric's
    /// unit for a linear model, as logarithms of odds ratios otherwise.
    pub pairs: Vec<Computed<FixedEffect>>,
}

impl ModelOfQuestions {
    /// What is said of a singular fit; nothing of others.
    pub(crate) fn singular_words(&self) -> Option<String> {
        let terms = self.singular.join(", ");
        (!terms.is_empty()).then(|| format!("singular fit: no variance between levels of {terms}"))
    }
}
