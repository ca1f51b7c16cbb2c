//! Which rows are wanted, in which order.

use std::cmp::Ordering;
use std::sync::Arc;

use api::research::{Comparison, Condition, Filter, MOST_ROWS, ROWS, SPAN, SessionsQuery};
use domain::common::table::{Column, ColumnType};
use domain::recruitment::assignment::Purpose;

use super::row::SummaryRow;
use crate::export::session_columns;

/// A page of rows, as it was asked for and checked.
pub struct TableRequest {
    /// Places of the columns that are shown, among [`session_columns`].
    pub shown: Vec<usize>,
    /// Whether anything is used that can say who somebody is: shown, sorted by or compared.
    pub identifying: bool,
    sort: usize,
    largest_first: bool,
    conditions: Vec<CheckedCondition>,
    /// Place of the column that says what a session is for.
    purpose: usize,
    /// Places of the columns that name sessions.
    names: [usize; 2],
    page: usize,
    rows: usize,
}

/// A condition on the cells of a column.
struct CheckedCondition {
    column: usize,
    kind: ColumnType,
    comparison: Comparison,
    values: Vec<CellValue>,
}

/// The value of a cell when it is compared.
#[derive(Debug, Clone, PartialEq)]
enum CellValue {
    Nothing,
    Number(f64),
    Time(jiff::Timestamp),
    Text(String),
    /// Whole numbers from one to another; no cell is this.
    Span(u64, u64),
}

impl CellValue {
    /// A cell, as its column says what it holds; none where a text is no such thing.
    fn of(text: &str, kind: ColumnType) -> Option<Self> {
        Some(match kind {
            _ if text.is_empty() => Self::Nothing,
            ColumnType::Integer | ColumnType::Number => Self::Number(
                text.parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite())?,
            ),
            ColumnType::Time => Self::Time(time(text)?),
            ColumnType::Boolean if !["true", "false"].contains(&text) => return None,
            _ => Self::Text(text.to_owned()),
        })
    }

    /// Which comes first; of different kinds the one that is declared first, but nothing is last.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            _ => Ordering::Equal,
        }
    }
}

/// A moment; a day is its beginning, in UTC.
fn time(text: &str) -> Option<jiff::Timestamp> {
    let of_day = || {
        let day: jiff::civil::Date = text.parse().ok()?;
        Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    text.parse().ok().or_else(of_day)
}

impl TableRequest {
    /// Checks what is asked for. To somebody who `may_identify` nobody, columns that can say who somebody is are
    /// not there.
    ///
    /// # Errors
    /// The problem, and what there is, in words.
    pub fn read(query: &SessionsQuery, may_identify: bool) -> Result<Self, String> {
        let columns = session_columns();
        let find = |name: &str| {
            let is_it =
                |column: &Column| column.name == name && (may_identify || !column.identifying);
            let place = columns.iter().position(is_it);
            place.ok_or_else(|| unknown(name, &columns, may_identify))
        };
        let named = query.columns.split(',').map(str::trim);
        let named: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
        let shown: Vec<usize> = if named.is_empty() {
            let usual = columns.iter().enumerate();
            usual.filter(|(_, it)| it.usual).map(|(at, _)| at).collect()
        } else {
            named.into_iter().map(find).collect::<Result<_, _>>()?
        };
        let sort = match query.sort.trim() {
            "" => "-ordinal",
            sort => sort,
        };
        let largest_first = sort.starts_with('-');
        let sort = find(sort.trim_start_matches('-'))?;
        let filter = Filter::parse(&query.filter)?;
        let conditions = filter.0.iter().map(|condition| {
            let column = find(&condition.column)?;
            CheckedCondition::read(condition, column, columns[column].column_type)
        });
        let conditions = conditions.collect::<Result<Vec<_>, String>>()?;
        let purpose = find("purpose")?;
        let names = [find("ordinal")?, find("session")?];
        let rows = query.rows.unwrap_or(ROWS);
        if !(1..=MOST_ROWS).contains(&rows) {
            return Err(format!("a page has 1 to {MOST_ROWS} rows, not {rows}"));
        }
        let used = conditions.iter().map(|it| it.column).chain([sort]);
        let mut used = used.chain(shown.iter().copied());
        let whole = |number| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Self {
            identifying: used.any(|column| columns[column].identifying),
            shown,
            sort,
            largest_first,
            conditions,
            purpose,
            names,
            page: whole(query.page),
            rows: whole(rows),
        })
    }

    /// The rows of the page, and how many there are on all pages together. Simulated people are among them only where a
    /// condition says what sessions are for or names sessions, so that nobody mixes them with people by mistake. Of rows with the same value the one with
    /// the smaller ordinal comes first; empty cells come last.
    #[must_use]
    pub fn page_of(&self, rows: Vec<Arc<SummaryRow>>) -> (Vec<Arc<SummaryRow>>, u64) {
        let kind = session_columns()[self.sort].column_type;
        let says_which = |it: &CheckedCondition| {
            let names = it.comparison == Comparison::Is && self.names.contains(&it.column);
            it.column == self.purpose || names
        };
        let with_simulated = self.conditions.iter().any(says_which);
        let meets = |row: &SummaryRow| {
            (with_simulated || row.cell(self.purpose) != Purpose::Simulated.name())
                && self.conditions.iter().all(|it| it.is_met_by(row))
        };
        let found = rows.into_iter().filter(|row| meets(row));
        let mut found: Vec<(CellValue, Arc<SummaryRow>)> = found
            .map(|row| {
                let value = CellValue::of(row.cell(self.sort), kind);
                (value.unwrap_or(CellValue::Nothing), row)
            })
            .collect();
        // It keeps the order of those that are equal, which is that of ordinals.
        found.sort_by(|(one, _), (other, _)| {
            let nothing = |value: &CellValue| *value == CellValue::Nothing;
            let in_order = if self.largest_first {
                other.order(one)
            } else {
                one.order(other)
            };
            nothing(one).cmp(&nothing(other)).then(in_order)
        });
        let matching = found.len() as u64;
        let page = found.into_iter().skip(self.page.saturating_mul(self.rows));
        (page.take(self.rows).map(|(_, row)| row).collect(), matching)
    }
}

impl CheckedCondition {
    fn read(condition: &Condition, column: usize, kind: ColumnType) -> Result<Self, String> {
        let Condition {
            column: name,
            comparison,
            value,
        } = condition;
        let has_order = matches!(
            kind,
            ColumnType::Integer | ColumnType::Number | ColumnType::Time
        );
        let values = match comparison {
            Comparison::Holds => vec![CellValue::Text(value.to_lowercase())],
            Comparison::Less | Comparison::More if !has_order => {
                return Err(format!(
                    "'{name}' holds no numbers or times, so nothing in it is less or more; compare it with = or ~"
                ));
            }
            Comparison::Less | Comparison::More if value.is_empty() => {
                let sign = comparison.sign();
                return Err(format!("'{name}{sign}' lacks what is compared with"));
            }
            Comparison::Less | Comparison::More => vec![value_of(name, value, kind)?],
            Comparison::Is => {
                let values = value.split('|');
                let values = values.map(|value| match span(value, kind) {
                    Some(span) => Ok(span),
                    None => value_of(name, value.trim(), kind),
                });
                values.collect::<Result<_, _>>()?
            }
        };
        Ok(Self {
            column,
            kind,
            comparison: *comparison,
            values,
        })
    }

    fn is_met_by(&self, row: &SummaryRow) -> bool {
        let cell = row.cell(self.column);
        if let (Comparison::Holds, [CellValue::Text(part)]) = (self.comparison, &*self.values) {
            return cell.to_lowercase().contains(part);
        }
        let Some(found) = CellValue::of(cell, self.kind) else {
            return false;
        };
        let order =
            |wanted: &CellValue, order| found != CellValue::Nothing && found.order(wanted) == order;
        self.values.iter().any(|wanted| match self.comparison {
            Comparison::Less => order(wanted, Ordering::Less),
            Comparison::More => order(wanted, Ordering::Greater),
            Comparison::Is | Comparison::Holds => match (&found, wanted) {
                // Ordinals and counts are far below 2^53.
                #[allow(clippy::cast_precision_loss)]
                (CellValue::Number(it), CellValue::Span(first, last)) => {
                    (*first as f64..=*last as f64).contains(it)
                }
                _ => found == *wanted,
            },
        })
    }
}

/// Whole numbers from one to another, as [`Filter::of_ordinals`] writes them.
fn span(text: &str, kind: ColumnType) -> Option<CellValue> {
    let (first, last) = text.split_once(SPAN)?;
    let whole = |text: &str| text.trim().parse().ok();
    (kind == ColumnType::Integer)
        .then(|| Some(CellValue::Span(whole(first)?, whole(last)?)))
        .flatten()
}

fn value_of(column: &str, text: &str, kind: ColumnType) -> Result<CellValue, String> {
    CellValue::of(text, kind).ok_or_else(|| {
        let wanted = match kind {
            ColumnType::Time => "a time such as 2026-01-31 or 2026-01-31T09:30:00Z",
            ColumnType::Boolean => "true or false",
            _ => "a number",
        };
        format!("'{column}' is compared with {wanted}, not with '{text}'")
    })
}

fn unknown(name: &str, columns: &[Column], may_identify: bool) -> String {
    let there = columns.iter().filter(|it| may_identify || !it.identifying);
    let there: Vec<&str> = there.map(|column| column.name).collect();
    format!(
        "there is no column '{name}'; there are: {}",
        there.join(", ")
    )
}
