//! The table of a study's sessions, a page at a time.
//!
//! Its columns are those of `sessions.csv` in an export, and so are its values.

use std::fmt;

use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// Rows of a page unless somebody says otherwise.
pub const ROWS: u32 = 50;
/// Most rows of a page.
pub const MOST_ROWS: u32 = 200;
/// The sign between the first and the last of the whole numbers that a condition holds for.
pub const SPAN: &str = "..";

/// Which sessions are wanted, with which columns, in which order. The address of the page holds it, so that a link
/// shows the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionsQuery {
    /// Names of columns, with commas between them. Empty: those of [`SessionColumn::usual`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// The column to sort by, `-` before it for the largest first. Empty: by `ordinal`, the newest first.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sort: String,
    /// Conditions as [`Filter`] reads them. Empty: all sessions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// The page, from 0.
    pub page: u32,
    /// Rows of a page: [`ROWS`] unless told, [`MOST_ROWS`] at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
}

/// Whether a session is shown with what is identifying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionQuery {
    /// Whether with the code of the participant. It needs [`Right::Identify`](super::Right::Identify) and is noted.
    pub identifying: bool,
}

/// A page of a study's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionTable {
    /// Every column that whoever asks may see, in the order of the export.
    pub columns: Vec<SessionColumn>,
    /// Names of the columns of the rows, in their order.
    pub shown: Vec<String>,
    /// The rows of the page.
    pub rows: Vec<SessionRow>,
    /// Sessions that meet the conditions.
    pub matching: u64,
    /// Sessions of the study.
    pub all: u64,
    /// Sessions of the study that the server has not read yet, and that are not among the rows: they come when it is
    /// asked again.
    pub missing: u64,
    /// What cannot be read of the study as a whole.
    pub problems: Vec<String>,
    /// The moment that the page shows, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionColumn {
    /// Its name in the export.
    pub name: String,
    /// What its cells hold: `text`, `integer`, `number`, `boolean`, `time`, `numbers` or `json`.
    pub kind: String,
    /// Unit; empty where there is none.
    pub unit: String,
    /// What it means, and when it is empty.
    pub meaning: String,
    /// Whether it is shown where nobody has chosen.
    pub usual: bool,
    /// Whether a cell can say who somebody is.
    pub identifying: bool,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRow {
    /// Its name; nothing where that cannot be read.
    pub session: Option<SessionId>,
    /// Its number within the study, from 1.
    #[serde(default)]
    pub ordinal: u64,
    /// Cells in the order of [`SessionTable::shown`], as an export writes them; nothing: empty.
    pub values: Vec<Option<String>>,
    /// What cannot be read of it. No number is made of a session that is damaged.
    pub problems: Vec<String>,
}

/// Conditions on sessions, all of which must be met.
///
/// `standing=counted|excluded;questions_solved<20;user_agent~Firefox`: a column, a comparison, and what it is compared
/// with. `=` holds for any of several values with `|` between them, and for whole numbers from one to another:
/// `ordinal=1..20|25`; nothing behind it holds for empty cells. `<`
/// and `>` compare numbers and times, `~` looks for a part of a text in any case of letters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter(pub Vec<Condition>);

/// One of the conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Name of a column.
    pub column: String,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub value: String,
}

/// How a cell is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It is one of several values.
    Is,
    /// It is less.
    Less,
    /// It is more.
    More,
    /// It holds a part.
    Holds,
}

impl Comparison {
    /// Its sign.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Is => '=',
            Self::Less => '<',
            Self::More => '>',
            Self::Holds => '~',
        }
    }

    const ALL: [Self; 4] = [Self::Is, Self::Less, Self::More, Self::Holds];
}

impl Filter {
    /// The condition that holds for the sessions with these ordinals; none for none.
    #[must_use]
    pub fn of_ordinals(ordinals: impl IntoIterator<Item = u64>) -> Option<String> {
        let mut all: Vec<u64> = ordinals.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for ordinal in all {
            match spans.last_mut() {
                Some((_, last)) if last.saturating_add(1) == ordinal => *last = ordinal,
                _ => spans.push((ordinal, ordinal)),
            }
        }
        let span = |(first, last): (u64, u64)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}{SPAN}{last}")
            }
        };
        let spans: Vec<String> = spans.into_iter().map(span).collect();
        (!spans.is_empty()).then(|| format!("ordinal={}", spans.join("|")))
    }

    /// Reads conditions.
    ///
    /// # Errors
    /// The first one that has no sign or no column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let conditions = text.split(';').filter(|it| !it.trim().is_empty());
        let read = |text: &str| {
            let at = text.find(|c| Comparison::ALL.iter().any(|it| it.sign() == c))?;
            let (column, rest) = text.split_at(at);
            let sign = rest.chars().next()?;
            let comparison = Comparison::ALL.into_iter().find(|it| it.sign() == sign)?;
            let column = column.trim();
            (!column.is_empty()).then(|| Condition {
                column: column.to_owned(),
                comparison,
                value: rest[1..].trim().to_owned(),
            })
        };
        let read = |text: &str| {
            read(text).ok_or_else(|| {
                format!("'{text}' is no condition; one is 'standing=counted' or 'events<100'")
            })
        };
        conditions.map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, it) in self.0.iter().enumerate() {
            let before = if place > 0 { ";" } else { "" };
            write!(
                f,
                "{before}{}{}{}",
                it.column,
                it.comparison.sign(),
                it.value
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_as_they_are_read() {
        let text = "standing=counted|excluded;questions_solved<20;cell=;user_agent~Fire=fox";
        let filter = Filter::parse(text).unwrap();
        assert_eq!(filter.0.len(), 4);
        assert_eq!(filter.0[3].value, "Fire=fox");
        assert_eq!(filter.to_string(), text);
        assert_eq!(Filter::parse(" ; ").unwrap(), Filter::default());
        let ordinals = Filter::of_ordinals([7, 1, 2, 3, 9, 2, 10]);
        assert_eq!(ordinals.as_deref(), Some("ordinal=1..3|7|9..10"));
        assert_eq!(Filter::of_ordinals([]), None);
        for bad in ["standing", "=counted", "a=1;b"] {
            assert!(Filter::parse(bad).is_err(), "{bad}");
        }
    }
}
