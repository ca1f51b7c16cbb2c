//! What a reader must know of numbers.

use crate::array::Array;
use serde::Serialize;

/// Something that a reader must know of a number.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize)]
#[serde(tag = "flag", rename_all = "snake_case")]
pub enum Flag {
    /// A column does not vary.
    #[error("{array}, column {column} does not vary")]
    Constant {
        /// The array's name.
        array: &'static str,
        /// The column, from 0.
        column: usize,
    },
    /// A column of labels has one value only.
    #[error(
        "{array}, column {column} has one class only, so nothing tells classes apart there; it is left out of means"
    )]
    OneClass {
        /// The array's name.
        array: &'static str,
        /// The column, from 0.
        column: usize,
    },
    /// A class is not among the rows that are judged on, or not among those that are fitted to.
    #[error("{array}, column {column}: class {class} is not among the rows to {rows}")]
    ClassAbsent {
        /// The array's name.
        array: &'static str,
        /// The column, from 0.
        column: usize,
        /// The class.
        class: f64,
        /// The rows: fit to, judge on.
        rows: &'static str,
    },
    /// An area under the curve is below ½: what was learnt is turned round on other rows.
    #[error("the AUC of {of} is {auc:.4}, below ½")]
    AucBelowHalf {
        /// What it is of.
        of: String,
        /// The area.
        auc: f64,
    },
    /// A score is outside the range that its paper gives it. It is not clamped.
    #[error("{score} is {value:.4}, outside the range that its paper gives; it is not clamped")]
    OutOfRange {
        /// The score's name.
        score: &'static str,
        /// Its value.
        value: f64,
    },
    /// No code is in the niche of a label.
    #[error("no code is in the niche of label {label} at β = {beta}")]
    EmptyNiche {
        /// The label.
        label: usize,
        /// The threshold.
        beta: f64,
    },
    /// Codes were matched with concepts by how well they predict them.
    #[error("there are more codes than concepts: {matches}")]
    Matched {
        /// Which code was taken for which concept.
        matches: String,
    },
    /// A fit was ended before it stood still.
    #[error("{fit} was ended before it stood still")]
    NotConverged {
        /// What was fitted.
        fit: String,
    },
    /// Rows without a direction are left out: all their numbers are 0.
    #[error("{array}: {rows} rows are 0 in every column, and left out")]
    ZeroRows {
        /// The array's name.
        array: &'static str,
        /// How many.
        rows: usize,
    },
    /// A column was left out because it hardly varies beside the others.
    #[error("{array}, column {column} hardly varies beside the others, and is left out")]
    Inactive {
        /// The array's name.
        array: &'static str,
        /// The column, from 0.
        column: usize,
    },
    /// A number is not defined, for a reason of its own.
    #[error("{of} is not defined: {why}")]
    Undefined {
        /// What is not defined.
        of: String,
        /// Why.
        why: &'static str,
    },
    /// Some of what a mean is over has no value, and is left out of it.
    #[error("{score}: {count} {of} left out: {why}")]
    LeftOut {
        /// The score.
        score: &'static str,
        /// How many.
        count: usize,
        /// Of what, in the plural.
        of: &'static str,
        /// Why.
        why: &'static str,
    },
    /// There are no numbers: the arrays do not allow them.
    #[error("not computed: {}", why.join("; "))]
    NotComputed {
        /// All that is wrong.
        why: Vec<String>,
    },
    /// Nobody chose a term.
    #[error("nobody named anything, so that {score} is 0 for want of names")]
    NobodyNamed {
        /// The score.
        score: &'static str,
    },
    /// There is no interval.
    #[error(
        "{score} has no interval: there are too few people, or leaving one out changes nothing"
    )]
    NoInterval {
        /// The score.
        score: &'static str,
    },
    /// More was asked for than there is.
    #[error("{asked} {of} were asked for, and there are {there}")]
    Fewer {
        /// Of what, in the plural.
        of: &'static str,
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        there: usize,
    },
}

/// A flag for each column that has one value only.
pub(crate) fn constant<'a>(
    array: &'static str,
    columns: &'a [Vec<f64>],
) -> impl Iterator<Item = Flag> + 'a {
    columns
        .iter()
        .enumerate()
        .filter(|(_, values)| values.iter().all(|value| *value == values[0]))
        .map(move |(column, _)| Flag::Constant { array, column })
}

/// A flag for each code none of whose entries varies.
pub(crate) fn constant_codes(codes: &Array) -> impl Iterator<Item = Flag> + '_ {
    let varies = |column: usize| {
        (1..codes.rows()).any(|row| codes.at(row, column) != codes.at(row - 1, column))
    };
    (0..codes.columns())
        .filter(move |&column| !varies(column))
        .map(|column| Flag::Constant {
            array: "codes",
            column,
        })
}
