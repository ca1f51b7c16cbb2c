//! The results of an analysis.

mod flow;
mod pairs;

use domain::study::{AnalysisPlan, ConditionsVary, Metric};
use measures::statistics::anova::{MixedAnova, OneWayAnova, RepeatedAnova, WelchAnova};
use measures::statistics::contingency::ChiSquaredTest;
use measures::statistics::rank::RankAnova;
use measures::statistics::{Description, Interval};
use serde::Serialize;

use crate::computed::Computed;
use crate::details::{
    DialUseRow, DimensionRow, DistanceOverTime, FunnelStep, HalvesRow, IncidenceRow, LabelRow,
    NamingResults, RatingModel, RatingRow, TypicalPath,
};
use crate::model::ModelOfQuestions;
use crate::person::LeftOutReason;
pub use flow::{Flow, FlowCell, FlowCount, FlowOutcome, FlowReason};
pub use pairs::{
    Contrast, DeclaredTest, EffectMeasure, Pair, PairTests, RankTest, StandardisedEffect,
    TestOfPair, TestResult,
};

/// The analysis of one version of a study.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    /// SHA-256 of the study's definition, plan included.
    pub study_sha256: String,
    /// The plan that it declares; absent: everything here is exploratory.
    pub plan: Option<AnalysisPlan>,
    /// Whether conditions vary within people or between them: as declared, or as the sessions look.
    pub design: ConditionsVary,
    /// Whether all of them are simulated people; every table, figure and text then says so.
    pub simulated: bool,
    /// People who started.
    pub started: usize,
    /// People who are left out, by the first reason that there is.
    pub excluded: Vec<Excluded>,
    /// Whether fewer people are included than the plan declares.
    pub interim: bool,
    /// The people who were lost, and where.
    pub attrition: Attrition,
    /// How far people came.
    pub funnel: Vec<FunnelStep>,
    /// The people who were allocated to each cell, left out and analysed.
    pub flow: Flow,
    /// Results for the people who are included.
    pub included: Sample,
    /// Results for all who started.
    pub everyone: Sample,
}

/// People left out for one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Excluded {
    /// The reason.
    pub reason: LeftOutReason,
    /// How many people.
    pub people: usize,
    /// The reasons behind it, the most frequent first: what was given for each exclusion by hand,
    /// the inclusion rules that are not met. Somebody may have several.
    pub because: Vec<ReasonCount>,
    /// Their numbers among all who started, from 1.
    #[serde(skip)]
    pub numbers: Vec<usize>,
}

/// How often something is a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReasonCount {
    /// The reason given, or the name of the rule.
    pub reason: String,
    /// How many people.
    pub people: usize,
}

/// People kept and lost in each cell: a comparison within people, a condition between them.
#[derive(Debug, Clone, Serialize)]
pub struct Attrition {
    /// Cell, people included, people left out.
    pub cells: Vec<(String, usize, usize)>,
    /// Numbers of these people among all who started, from 1: for each cell those included, and those left out.
    #[serde(skip)]
    pub numbers: Vec<[Vec<usize>; 2]>,
    /// Whether the share differs between cells; absent with one cell, or where people belong to
    /// several.
    pub tests: Option<AttritionTests>,
}

/// Tests of attrition.
#[derive(Debug, Clone, Serialize)]
pub struct AttritionTests {
    /// Pearson's.
    pub chi_squared: Computed<ChiSquaredTest>,
    /// p of Fisher's exact test.
    pub fisher_p: Computed<f64>,
}

/// Results for some people.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sample {
    /// How many people.
    pub people: usize,
    /// Every metric in every comparison in which it means something.
    pub comparisons: Vec<MetricComparison>,
    /// Comparisons compared, where the plan asks for it.
    pub across: Vec<CrossComparison>,
    /// How questions of reconstruction end over active time.
    pub incidence: Vec<IncidenceRow>,
    /// The first questions against the last.
    pub halves: Vec<HalvesRow>,
    /// Right answers by dimension.
    pub dimensions: Vec<DimensionRow>,
    /// People's ratings of stages.
    pub ratings: Vec<RatingRow>,
    /// Whether they said the same of the conditions of a comparison: exploratory, not corrected.
    pub rating_models: Vec<RatingModel>,
    /// The names that people gave to the dials.
    pub labels: Vec<LabelRow>,
    /// In which order they took them up.
    pub dial_use: Vec<DialUseRow>,
    /// The names that people gave to concepts: exploratory, not corrected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub naming: Vec<NamingResults>,
    /// Distances to the target over time.
    pub over_time: Vec<DistanceOverTime>,
    /// A question of each condition.
    pub typical: Vec<TypicalPath>,
}

/// One metric in one comparison.
#[derive(Debug, Clone, Serialize)]
pub struct MetricComparison {
    /// The comparison.
    pub name: String,
    /// The metric.
    pub metric: Metric,
    /// Whether the plan declares it. If not, it is exploratory.
    pub planned: bool,
    /// Its conditions.
    pub conditions: Vec<ConditionRow>,
    /// People in the tests that count. Within people: those with a value in every condition; in
    /// a mixed model, those with any.
    pub n: usize,
    /// Their numbers among all who started, from 1; none where a model does not say which they are.
    #[serde(skip)]
    pub numbers: Vec<usize>,
    /// People who were to do one of the conditions and are in no test, for want of a value.
    pub left_out: usize,
    /// Whether conditions differ at all; absent where there are fewer than two.
    pub omnibus: Option<Omnibus>,
    /// Every two conditions.
    pub pairs: Vec<Pair>,
    /// The plan's contrasts of these conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<Contrast>,
    /// A mixed model of single questions; absent where there are fewer than two conditions, the
    /// metric is none of single questions, or it was not asked for.
    pub model: Option<Computed<ModelOfQuestions>>,
}

/// A metric in one condition.
#[derive(Debug, Clone, Serialize)]
pub struct ConditionRow {
    /// The condition.
    pub condition: String,
    /// Mean, spread, quartiles over people; of nobody there are none.
    pub description: Computed<Description>,
    /// 95 % BCa bootstrap interval of the mean; absent where it was not asked for.
    pub interval: Option<Computed<Interval>>,
    /// Questions that ended, of these people.
    pub questions: usize,
    /// Questions among them in which they were away for some time.
    pub questions_with_time_away: usize,
    /// Everybody's value.
    pub values: Vec<PersonValue>,
    /// The models of the condition, by name.
    pub models: Vec<ModelName>,
}

/// The value of a metric for one person.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PersonValue {
    /// Number of the person among all who started, from 1.
    pub person: usize,
    /// The value.
    pub value: f64,
}

/// A model, as the sessions had it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelName {
    /// Its name.
    pub name: String,
    /// SHA-256 of its weights; empty for a closed form.
    pub weights_sha256: String,
}

/// Tests of all conditions of a comparison at once.
#[derive(Debug, Clone, Serialize)]
pub struct Omnibus {
    /// Of means.
    pub means: TestOfMeans,
    /// Of ranks: Friedman's within people, Kruskal and Wallis's between them.
    pub ranks: Computed<RankAnova>,
}

/// A test of means.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "test", rename_all = "snake_case")]
pub enum TestOfMeans {
    /// Within people.
    Repeated {
        /// Repeated-measures analysis of variance.
        anova: Computed<RepeatedAnova>,
    },
    /// Between people.
    OneWay {
        /// One-way analysis of variance.
        anova: Computed<OneWayAnova>,
        /// Welch's.
        welch: Computed<WelchAnova>,
    },
}

/// Comparisons compared: people between them, conditions within.
#[derive(Debug, Clone, Serialize)]
pub struct CrossComparison {
    /// The metric.
    pub metric: Metric,
    /// Whether the plan declares it.
    pub planned: bool,
    /// The comparisons.
    pub comparisons: Vec<String>,
    /// The test.
    pub anova: Computed<MixedAnova>,
}
