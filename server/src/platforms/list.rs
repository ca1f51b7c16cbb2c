//! A platform's own list of submissions, as its page gives it to download: read, and nothing more.

use std::collections::HashMap;

use csv::{ReaderBuilder, StringRecord, Trim};
use domain::recruitment::matching::{ListedRow, ListedState};
use thiserror::Error;

/// Most bytes of a list.
pub const MOST_BYTES: usize = 5 * 1024 * 1024;

/// Most rows of a list.
pub const MOST_ROWS: usize = 50_000;

/// Longest name, status or code, in characters.
const LONGEST_CELL: usize = 200;

/// The separators between the cells of a row, one of which a program for tables writes by its language.
const BETWEEN: [u8; 3] = [b',', b';', b'\t'];

/// What Prolific shows where no code was entered.
const NO_CODE: &str = "NOCODE";

/// A platform's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformList {
    /// Name of the platform.
    pub platform: &'static str,
    /// Its rows. A row that is there more than once is here once.
    pub rows: Vec<ListedRow>,
    /// How many rows were there before.
    pub repeated: u64,
}

/// Why something is no list of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ListError {
    /// It is too long.
    #[error("the list is too long: {0}; give it in parts")]
    TooLong(String),
    /// It is no text that is known.
    #[error("the list is no text in UTF-8{0}; save it as “CSV UTF-8”, and give that")]
    NotText(String),
    /// It has no rows.
    #[error(
        "the list is empty; give the file that the platform has for download, with the heads of its columns"
    )]
    Empty,
    /// Nobody knows whose columns these are.
    #[error(
        "these are no columns that are known: {}. Wanted are those of Prolific ({}) or of Mechanical Turk ({})",
        found.join(", "), Layout::PROLIFIC.wanted(), Layout::MTURK.wanted()
    )]
    Layout {
        /// The columns that were found.
        found: Vec<String>,
    },
    /// Something in a row makes no sense. Rows are numbered as a table shows them: the heads of the columns are row 1.
    #[error("row {row}{}: {why}", column.as_ref().map(|it| format!(", column '{it}'")).unwrap_or_default())]
    Row {
        /// The row.
        row: u64,
        /// The head of the column, where it is one cell's.
        column: Option<String>,
        /// The reason, in words.
        why: String,
    },
    /// Two rows contradict each other.
    #[error(
        "rows {first} and {second} are about the same submission and say different things; give one list, not two that were put together"
    )]
    Contradiction {
        /// The row that comes first.
        first: u64,
        /// The other.
        second: u64,
    },
}

/// The columns of a platform's list: each by the heads that it has had, in lower case and with spaces for `_`.
struct Layout {
    platform: &'static str,
    submission: &'static [&'static str],
    participant: &'static [&'static str],
    status: &'static [&'static str],
    /// A column that may be missing.
    code: &'static [&'static str],
    /// The heads as the platform writes them.
    shown: [&'static str; 3],
}

impl Layout {
    const PROLIFIC: Self = Self {
        platform: "prolific",
        submission: &["submission id", "session id"],
        participant: &["participant id"],
        status: &["status"],
        code: &["completion code", "entered code"],
        shown: ["Submission id", "Participant id", "Status"],
    };
    const MTURK: Self = Self {
        platform: "mturk",
        submission: &["assignmentid"],
        participant: &["workerid"],
        status: &["assignmentstatus"],
        code: &["answer.completioncode"],
        shown: ["AssignmentId", "WorkerId", "AssignmentStatus"],
    };

    fn wanted(&self) -> String {
        self.shown.join(", ")
    }
}

/// Where the columns are in a file.
struct Columns {
    platform: &'static str,
    submission: usize,
    participant: usize,
    status: usize,
    code: Option<usize>,
    heads: StringRecord,
}

impl Columns {
    fn of(heads: &StringRecord) -> Option<Self> {
        let names: Vec<String> = heads
            .iter()
            .map(|head| head.trim().replace('_', " ").to_lowercase())
            .collect();
        let place = |known: &[&str]| names.iter().position(|name| known.contains(&&**name));
        [Layout::PROLIFIC, Layout::MTURK]
            .into_iter()
            .find_map(|it| {
                Some(Self {
                    platform: it.platform,
                    submission: place(it.submission)?,
                    participant: place(it.participant)?,
                    status: place(it.status)?,
                    code: place(it.code),
                    heads: heads.clone(),
                })
            })
    }

    /// A cell that must not be empty.
    fn cell(&self, record: &StringRecord, place: usize, row: u64) -> Result<String, ListError> {
        let text = record.get(place).unwrap_or_default().trim();
        let wrong = |why: String| {
            let column = self.heads.get(place).map(str::to_owned);
            Err(ListError::Row { row, column, why })
        };
        let length = text.chars().count();
        if text.is_empty() {
            wrong("it is empty".to_owned())
        } else if length > LONGEST_CELL {
            wrong(format!(
                "it has {length} characters; at most {LONGEST_CELL} make sense"
            ))
        } else if text.chars().any(char::is_control) {
            wrong("it holds a character that cannot be shown".to_owned())
        } else {
            Ok(text.to_owned())
        }
    }

    fn row(&self, record: &StringRecord, number: u64) -> Result<ListedRow, ListError> {
        let words = self.cell(record, self.status, number)?;
        let is_empty = |place: &usize| {
            let code = record.get(*place).unwrap_or_default().trim();
            code.is_empty() || code.eq_ignore_ascii_case(NO_CODE)
        };
        let code = self.code.filter(|place| !is_empty(place));
        let code = code.map(|place| self.cell(record, place, number));
        Ok(ListedRow {
            number,
            submission: self.cell(record, self.submission, number)?,
            participant: self.cell(record, self.participant, number)?,
            state: ListedState::of(self.platform, &words),
            words,
            code: code.transpose()?,
        })
    }
}

/// Reads a platform's list: Prolific's list of submissions, or the results of a batch of Mechanical Turk. Cells may be
/// quoted, and have commas, semicolons or tabs between them.
///
/// # Errors
/// [`ListError`], which says where and what.
pub fn read_list(bytes: &[u8]) -> Result<PlatformList, ListError> {
    if bytes.len() > MOST_BYTES {
        let words = format!("{} bytes, and {MOST_BYTES} are taken", bytes.len());
        return Err(ListError::TooLong(words));
    }
    let text = text_of(bytes)?;
    let (between, columns) = columns_of(text)?;
    let mut reader = ReaderBuilder::new()
        .delimiter(between)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let (mut rows, mut repeated) = (Vec::<ListedRow>::new(), 0);
    let mut by_submission: HashMap<String, usize> = HashMap::new();
    for (place, record) in reader.records().enumerate() {
        let number = place as u64 + 2;
        if place >= MOST_ROWS {
            let words = format!("it has more than {MOST_ROWS} rows");
            return Err(ListError::TooLong(words));
        }
        let record = record.map_err(|error| broken(&error, number))?;
        // A program for tables may leave rows without anything in them.
        if record.iter().all(str::is_empty) {
            continue;
        }
        let row = columns.row(&record, number)?;
        match by_submission.get(&row.submission) {
            None => {
                by_submission.insert(row.submission.clone(), rows.len());
                rows.push(row);
            }
            Some(known) => {
                let first = &rows[*known];
                let number = first.number;
                if *first
                    != (ListedRow {
                        number,
                        ..row.clone()
                    })
                {
                    return Err(ListError::Contradiction {
                        first: number,
                        second: row.number,
                    });
                }
                repeated += 1;
            }
        }
    }
    Ok(PlatformList {
        platform: columns.platform,
        rows,
        repeated,
    })
}

/// A list as text, without the mark that some programs put in front of it.
fn text_of(bytes: &[u8]) -> Result<&str, ListError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ListError::NotText(" (it is in UTF-16)".to_owned()));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()]
            .split(|byte| *byte == b'\n')
            .count();
        ListError::NotText(format!(" (line {line} is not)"))
    })
}

/// The separator between cells, and the places of the columns.
fn columns_of(text: &str) -> Result<(u8, Columns), ListError> {
    if text.trim().is_empty() {
        return Err(ListError::Empty);
    }
    let mut most = StringRecord::new();
    for between in BETWEEN {
        let mut reader = ReaderBuilder::new();
        let reader = reader.delimiter(between).trim(Trim::All);
        let mut reader = reader.from_reader(text.as_bytes());
        let heads = reader.headers().map_err(|error| broken(&error, 1))?;
        if let Some(columns) = Columns::of(heads) {
            return Ok((between, columns));
        }
        if heads.len() > most.len() {
            most = heads.clone();
        }
    }
    // A file of something else may have no rows at all.
    let shown = |head: &str| head.chars().take(60).collect::<String>();
    let found: Vec<String> = most.iter().take(60).map(shown).collect();
    Err(ListError::Layout { found })
}

/// A row that cannot be taken apart.
fn broken(error: &csv::Error, row: u64) -> ListError {
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("it has {len} cells, and {expected_len} are expected"),
        _ => error.to_string(),
    };
    ListError::Row {
        row,
        column: None,
        why,
    }
}

#[cfg(test)]
mod tests;
