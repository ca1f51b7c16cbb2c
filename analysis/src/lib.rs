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
mod declared;
mod details;
mod extent;
mod found;
mod left_out;
mod methods;
mod model;
pub mod numbers;
mod person;
mod plan_words;
pub mod power;
mod report;
mod run;
pub mod table;
pub mod tables;
mod text;
pub mod tuning;

pub use details::{
    DialUseRow, DimensionRow, FunnelStep, HalvesRow, IncidenceRow, LabelRow, MeanOfPeople,
    OverTime, RatingModel, RatingRow, TypicalPath,
};
pub use extent::Extent;
pub use found::Found;
pub use model::{ModelKind, ModelOfQuestions};
pub use person::{
    Conditions, Dial, ExcludedBy, Label, LeftOut, PEOPLE_WITH_PATHS, Path, Person, Question,
    Rating, StageData,
};
pub use plan_words::plan_in_words;
pub use report::{
    Across, Analysis, Attrition, AttritionTests, Because, Comparison, ConditionRow, DeclaredTest,
    Excluded, ModelName, Omnibus, Pair, PairTests, PersonValue, RankTest, Sample, TestOfMeans,
    TestOfPair, TestResult,
};
pub use run::{analyse, analyse_to};
pub use tables::{ModelCard, MutualInformation, Who};
