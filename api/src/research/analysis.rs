//! Results that are worked out from the logs of a study: its analysis, as a page shows it.

use domain::json::named;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// Whose sessions a result is about, as the commands have it. Simulated people are never among real ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultOf {
    /// Those of people. Pilots and previews are left out and counted.
    #[default]
    People,
    /// Those of simulated people.
    Simulated,
}

named!(ResultOf: People, Simulated);

/// Which result is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ResultQuery {
    /// Of whose sessions.
    pub of: ResultOf,
    /// Whether with words that participants typed. It needs [`Right::Identify`](super::Right::Identify) and is noted.
    pub identifying: bool,
    /// What was read then or later is new enough, in milliseconds since 1970; otherwise it has to be of now. Whoever asks
    /// again and again says here [`WorkedOut::asked_at_unix_ms`] of the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

/// Which file of an analysis is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AnalysisFileQuery {
    /// Its name in the folder of `redial analyze --out`: `numbers.json`, `report.html`, `tables/metrics.csv`.
    pub name: String,
    /// As in [`ResultQuery`].
    pub of: ResultOf,
    /// As in [`ResultQuery`].
    pub identifying: bool,
    /// As in [`ResultQuery`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

/// Which figure of an analysis is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FigureQuery {
    /// [`ShownFigure::name`].
    pub name: String,
    /// [`AnalysedVersion::study_sha256`].
    pub version: String,
    /// As in [`ResultQuery`].
    pub of: ResultOf,
    /// As in [`ResultQuery`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

/// Something that takes a while to work out, as far as it is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkedOut<T> {
    /// When it was asked for, by the server's clock, in milliseconds since 1970.
    pub asked_at_unix_ms: u64,
    /// When the logs were read that [`found`](Self::found) was made of, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at_unix_ms: Option<u64>,
    /// Whether it is new enough: nothing was written since, or it was read since it was asked for.
    pub current: bool,
    /// How far a newer one is that is being worked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working: Option<Working>,
    /// Why there is none, or no newer one, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The newest that there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<T>,
}

/// How far something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Working {
    /// Sessions that are read.
    pub done: u64,
    /// Sessions that are to be read; 0 while others are worked out before, or where nobody knows.
    pub of: u64,
}

/// The analysis of a study: the numbers, tables and words of `redial report`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnalysisView {
    /// The study's title, in its first language.
    pub title: String,
    /// Whether all of this is about simulated people. Then no real person is in it.
    pub simulated: bool,
    /// How many sessions there are, and of what kind.
    pub counts: Vec<PeopleCount>,
    /// What cannot be read.
    pub problems: Vec<String>,
    /// Whether participants typed words that are in it; without the right to see them they are not.
    pub has_typed_words: bool,
    /// All of it as `redial analyze` prints it.
    pub text: String,
    /// Each version of the study: sessions of different versions are not put together.
    pub versions: Vec<AnalysedVersion>,
}

/// The analysis of one version of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnalysedVersion {
    /// SHA-256 of the study file.
    pub study_sha256: String,
    /// What stands before the names of its files ([`AnalysisFileQuery::name`]): empty where there is one version alone.
    pub folder: String,
    /// Whether the study declares an analysis. If not, everything is exploratory.
    pub declared: bool,
    /// Whether fewer people are included than the study declares.
    pub interim: bool,
    /// Who started, how far they came, who is included, and who is left out and why.
    pub people: Vec<PeopleCount>,
    /// Who took part, tests and corrections: paragraphs.
    pub methods: Vec<String>,
    /// The tables, in their order.
    pub tables: Vec<ShownTable>,
    /// The figures, in their order.
    pub figures: Vec<ShownFigure>,
}

/// A number of people or sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PeopleCount {
    /// Its name for programs.
    pub name: String,
    /// What is counted.
    pub words: String,
    /// How many.
    pub people: u64,
    /// The condition ([`SessionsQuery::filter`](super::SessionsQuery::filter)) that selects them in the table of sessions;
    /// nothing where nobody is to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownTable {
    /// Name of its files, without ending.
    pub name: String,
    /// What it shows, of how many people, and what signs in it mean.
    pub caption: String,
    /// What stands above its columns.
    pub heads: Vec<ShownHead>,
    /// Its rows; each has a cell for each column.
    pub rows: Vec<Vec<ShownCell>>,
    /// What has to be said about single cells.
    pub notes: Vec<String>,
}

/// What stands above a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownHead {
    /// The words.
    pub words: String,
    /// Whether the cells below are numbers.
    pub numbers: bool,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownCell {
    /// What is read: rounded. Empty where a group goes on from the row before.
    pub text: String,
    /// Whether it stands out: the best of its group, or a difference that is significant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strong: bool,
    /// What a CSV file has: every digit; of a mean its standard deviation, too, of a test all its numbers.
    pub exact: Vec<String>,
    /// Where the sessions are that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<LeadsTo>,
}

/// Where sessions are that something is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum LeadsTo {
    /// In the table of sessions, by a condition.
    Sessions {
        /// The condition.
        filter: String,
        /// Words for the link.
        words: String,
    },
    /// In a replay.
    Replay {
        /// The session.
        session: SessionId,
    },
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownFigure {
    /// Name of its files, without ending.
    pub name: String,
    /// What it shows, of how many people, and by which test.
    pub caption: String,
}

/// A figure as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureDrawing {
    /// SVG for a page: one drawing for wide screens (class `wide`) and one for narrow ones (class `narrow`). What stands
    /// for one person is a link to the session's replay.
    pub svg: String,
    /// Number of rows of its data.
    pub rows: u64,
    /// The first of them.
    pub data: ShownTable,
}
