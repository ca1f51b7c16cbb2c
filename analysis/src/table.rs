//! A table, declared once and written as Markdown, CSV, LaTeX and HTML.
//!
//! Tables for people (Markdown, LaTeX, HTML) are rounded; CSV holds every number as it is, with mean
//! and standard deviation, or statistic, degrees of freedom and p, in columns of their own.

mod csv;
mod html;
mod latex;
mod markdown;
mod names;

use measures::statistics::Interval;
use serde::Serialize;

pub use html::escaped as escaped_html;
pub(crate) use names::key;
pub use names::{file_name, short_names};

pub use crate::numbers::{STARS, p_value, stars};
use crate::numbers::{degrees, digits, number, p_after_sign, rounded, statistic};

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Name of its files, without ending: lower-case letters, digits and `-`.
    pub name: String,
    /// Sentences: its content, the number of people, and the meaning of the signs in it.
    pub caption: String,
    /// Its columns, in order.
    pub columns: Vec<TableColumn>,
    /// Its rows; each has a cell for each column.
    pub rows: Vec<Vec<TableCell>>,
    /// Sentences on single cells.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableColumn {
    /// Its name for readers.
    pub head: String,
    /// Name in CSV: lower-case letters, digits and `_`.
    pub key: String,
    /// The kind of its cells.
    pub kind: ColumnKind,
}

/// The kind of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Text that several rows share: shown in the first of them.
    Group,
    /// [`TableCell::Text`], or [`TableCell::Named`].
    Text,
    /// [`TableCell::Count`].
    Count,
    /// [`TableCell::Number`].
    Number,
    /// [`TableCell::Mean`].
    Mean,
    /// [`TableCell::Test`].
    Test,
    /// [`TableCell::P`].
    P,
    /// [`TableCell::PValue`].
    PValue,
    /// [`TableCell::Effect`].
    Effect,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TableCell {
    /// Nothing: there is no such number, or it is undefined.
    None,
    /// Words.
    Text(String),
    /// Something by its name in the data, which CSV has, and by what a reader reads.
    Named {
        /// The name.
        name: String,
        /// The words.
        label: String,
    },
    /// How many.
    Count(usize),
    /// A number.
    Number(f64),
    /// A mean with its standard deviation.
    Mean {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
        /// The divisor of both where people read them: 1 or 1000.
        divisor: f64,
        /// Whether it is the best of its group.
        best: bool,
    },
    /// A test.
    Test {
        /// Letter of its statistic.
        symbol: &'static str,
        /// Degrees of freedom, one or two.
        df: Vec<f64>,
        /// Its statistic.
        statistic: f64,
        /// Its p.
        p: f64,
    },
    /// A p-value, with stars for the corrected one.
    P {
        /// Not corrected.
        p: f64,
        /// Corrected over its family; absent if there is none.
        corrected: Option<f64>,
    },
    /// A p-value that no family corrects.
    PValue(f64),
    /// An effect size. The column's head or the table's caption says of what level its interval is.
    Effect {
        /// Its letter: `g_z`.
        symbol: &'static str,
        /// Its estimate.
        value: f64,
        /// Its interval, if it has one.
        interval: Option<Interval>,
    },
    /// A cell that says little: it is printed in grey, with ≈ before it.
    Faint(Box<TableCell>),
    /// A cell with the people whom it is about. It reads as the cell does.
    OfPeople {
        /// The cell.
        cell: Box<TableCell>,
        /// Their numbers among all who started, from 1, in order.
        people: Vec<usize>,
    },
}

/// A cell as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCell {
    /// Its text.
    pub text: String,
    /// Whether it stands out.
    pub strong: bool,
    /// Whether it says little, and is grey. The text says so, too: with ≈.
    pub faint: bool,
}

impl TableColumn {
    /// A column whose name in CSV is made from its head.
    #[must_use]
    pub fn new(head: &str, kind: ColumnKind) -> Self {
        Self::keyed(head, &key(head), kind)
    }

    /// A column with a name of its own in CSV.
    #[must_use]
    pub fn keyed(head: &str, key: &str, kind: ColumnKind) -> Self {
        Self {
            head: head.to_owned(),
            key: key.to_owned(),
            kind,
        }
    }

    /// Whether its cells are words: they stand on the left.
    #[must_use]
    pub fn is_words(&self) -> bool {
        matches!(self.kind, ColumnKind::Group | ColumnKind::Text)
    }
}

impl TableCell {
    /// The text, or nothing for an empty one.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number, or nothing.
    #[must_use]
    pub fn number(value: Option<f64>) -> Self {
        value.map_or(Self::None, Self::Number)
    }

    /// The cell, with the people whom it is about.
    #[must_use]
    pub fn of_people(self, people: impl IntoIterator<Item = usize>) -> Self {
        Self::OfPeople {
            cell: Box::new(self),
            people: people.into_iter().collect(),
        }
    }

    /// The cell, as one that says little.
    #[must_use]
    pub fn faint(self) -> Self {
        Self::Faint(Box::new(self))
    }

    /// The people whom it is about, by their numbers among all who started; none where nothing says so.
    #[must_use]
    pub fn people(&self) -> &[usize] {
        match self {
            Self::OfPeople { people, .. } => people,
            _ => &[],
        }
    }

    pub(crate) fn shown(&self) -> ShownCell {
        let (text, strong) = match self {
            Self::None => ("–".to_owned(), false),
            Self::Text(text) | Self::Named { label: text, .. } => (text.clone(), false),
            Self::Count(count) => (count.to_string(), false),
            Self::Number(value) => (number(*value), false),
            Self::Mean {
                mean,
                sd,
                divisor,
                best,
            } => {
                let (mean, sd) = (mean / divisor, sd / divisor);
                let digits = digits(mean.abs().max(sd));
                let text = format!("{} ± {}", rounded(mean, digits), rounded(sd, digits));
                (text, *best)
            }
            Self::Test {
                symbol,
                df,
                statistic: value,
                p,
            } => {
                let df: Vec<String> = df.iter().map(|df| degrees(*df)).collect();
                let text = format!(
                    "{symbol}({}) = {}, p {}",
                    df.join(", "),
                    statistic(*value),
                    p_after_sign(*p)
                );
                (text, false)
            }
            Self::P { p, corrected } => {
                let stars = corrected.map_or("", stars);
                let p = p_value(corrected.unwrap_or(*p));
                (format!("{p}{stars}"), !stars.is_empty())
            }
            Self::PValue(p) => (p_value(*p), false),
            Self::Effect {
                symbol,
                value,
                interval,
            } => {
                let ends = interval.map_or(String::new(), |it| {
                    format!(" ({} to {})", statistic(it.low), statistic(it.high))
                });
                (format!("{symbol} = {}{ends}", statistic(*value)), false)
            }
            Self::Faint(cell) => {
                let text = format!("≈ {}", cell.shown().text);
                return ShownCell {
                    text,
                    strong: false,
                    faint: true,
                };
            }
            Self::OfPeople { cell, .. } => return cell.shown(),
        };
        ShownCell {
            text,
            strong,
            faint: false,
        }
    }
}

impl Table {
    /// The cell of a row, as it is read; nothing where a group goes on from the row before.
    #[must_use]
    pub fn shown(&self, row: usize, column: usize) -> ShownCell {
        let cell = |row: usize| self.rows.get(row).and_then(|cells| cells.get(column));
        let goes_on = self
            .columns
            .get(column)
            .is_some_and(|c| c.kind == ColumnKind::Group)
            && row > 0
            && cell(row) == cell(row - 1);
        match cell(row) {
            Some(cell) if !goes_on => cell.shown(),
            _ => ShownCell {
                text: String::new(),
                strong: false,
                faint: false,
            },
        }
    }

    /// Whether a cell is grey.
    pub(crate) fn has_faint(&self) -> bool {
        let mut cells = self.rows.iter().flatten();
        cells.any(|cell| matches!(cell, TableCell::Faint(_)))
    }

    /// Whether a row begins another group.
    pub(crate) fn begins_group(&self, row: usize) -> bool {
        row > 0
            && self
                .columns
                .first()
                .is_some_and(|c| c.kind == ColumnKind::Group)
            && !self.shown(row, 0).text.is_empty()
    }
}

#[cfg(test)]
mod tests;
