//! From sessions to the numbers of a paper.
//!
//! [`Person::of`] folds one session into what that person did in each condition;
//! [`analyse`] runs the plan that the study declares over all of them, and whatever else
//! there is beside it, marked as exploratory. [`Analysis::to_text`] prints it.
//!
//! - The same sessions and the same plan give the same numbers: the bootstrap is seeded.
//! - [`numbers`] writes every number, so that texts and tables round alike.
//! - Each table is declared once ([`tables`]) and written in every format ([`table`]).
//!
//! Deliberately absent: IO and clock; databases and logs, which are read by the server; drawing, which
//! is `figures`'.

mod attrition;
mod compare;
mod computed;
mod corrected;
mod declared;
mod details;
mod extent;
mod flow;
mod left_out;
mod methods;
mod model;
mod models_compared;
mod naming_power;
pub mod numbers;
mod person;
mod plan_words;
pub mod power;
mod report;
mod run;
mod scripts;
pub mod table;
pub mod tables;
mod text;
pub mod tuning;
mod typed_words;

pub use computed::Computed;
pub use details::{
    ConceptNames, DialUseRow, DimensionRow, DistanceOverTime, FunnelStep, HalvesRow, IncidenceRow,
    LabelRow, MeanOfPeople, NamingDifference, NamingOmnibus, NamingResults, NamingRow, NamingScore,
    RatingModel, RatingRow, TermAgreement, TermCounts, TypicalPath,
};
pub use extent::Extent;
pub use model::{AdjustedEffect, JointTest, ModelKind, ModelOfQuestions, TestsOfModel};
pub use models_compared::{
    ComparedModel, Correlation, DataSetCorrelations, Difference, LargestCorrelation,
    METRICS as COMPARED_METRICS, ModelsCompared, PeopleValues, ScoreColumn, ScoreSource,
};
pub use naming_power::{NamingPilot, NamingPower, NamingQuestion, PairPower};
pub use person::{
    Conditions, DialRange, ExcludedBy, Label, LeftOutReason, PEOPLE_WITH_PATHS, Person,
    QuestionResult, Rating, StageData, StaircaseResult, Trajectory,
};
pub use plan_words::plan_in_words;
pub use report::{
    Analysis, Attrition, AttritionTests, ConditionRow, Contrast, CrossComparison, DeclaredTest,
    EffectMeasure, Excluded, Flow, FlowCell, FlowCount, FlowOutcome, FlowReason, MetricComparison,
    ModelName, Omnibus, Pair, PairTests, PersonValue, RankTest, ReasonCount, Sample,
    StandardisedEffect, TestOfMeans, TestOfPair, TestResult,
};
pub use run::{analyse, analyse_to};
pub use tables::{ModelCard, MutualInformation, Population};
