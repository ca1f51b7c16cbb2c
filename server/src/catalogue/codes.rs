//! The list of codes that can start a study: a code a line, or the first column of a spreadsheet.

use std::collections::{BTreeMap, BTreeSet};

use domain::recruitment::platform::ParticipantName;

use super::files::StudyFiles;

/// Most problems of one list that are told at once.
const MOST_TOLD: usize = 20;

/// Reads the list. Blank lines are passed over.
///
/// # Errors
/// Every line that holds no code, more than one, or the code of another line; a list without codes.
pub(super) fn read(
    name: &str,
    files: &StudyFiles<'_>,
) -> Result<BTreeSet<ParticipantName>, Vec<String>> {
    let text = files
        .text(name)
        .map_err(|fault| vec![format!("{name}: {fault}")])?;
    // Spreadsheets on old Macs end lines with '\r' alone.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: BTreeMap<ParticipantName, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let line_number = index + 1;
        match code_of(line) {
            Ok(None) => {}
            Ok(Some(code)) => match lines.get(&code) {
                Some(first) => problems.push(format!(
                    "{name}: line {line_number}: found the code of line {first} again; each code once, for one person"
                )),
                None => {
                    lines.insert(code, line_number);
                }
            },
            Err(problem) => problems.push(format!("{name}: line {line_number}: {problem}")),
        }
        if problems.len() == MOST_TOLD {
            break;
        }
    }
    if problems.is_empty() && lines.is_empty() {
        problems.push(format!(
            "{name}: found no code, so nobody could start; a code a line is wanted"
        ));
    }
    if problems.is_empty() {
        Ok(lines.into_keys().collect())
    } else {
        Err(problems)
    }
}

/// The code in a line; none in one that is blank, as an empty row of a spreadsheet is.
fn code_of(line: &str) -> Result<Option<ParticipantName>, String> {
    let fields = line.split([',', ';', '\t']).map(|field| {
        let field = field.trim();
        let quoted = field.strip_prefix('"').and_then(|f| f.strip_suffix('"'));
        quoted.unwrap_or(field).trim()
    });
    let mut filled = fields.filter(|field| !field.is_empty());
    let Some(code) = filled.next() else {
        return Ok(None);
    };
    if filled.next().is_some() {
        return Err("found more than one entry; one code a line is wanted".into());
    }
    ParticipantName::parse(code)
        .map(Some)
        .map_err(|why| format!("this is no code of a participant: {why}"))
}
