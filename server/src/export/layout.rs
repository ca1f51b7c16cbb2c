//! Where things are in an export's folder: the layout of Psych-DS, and beside it what that does
//! not know.

/// A half of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportHalf {
    /// Every session, with flags.
    Raw,
    /// The sessions that count.
    Included,
}

domain::json::named!(ExportHalf: Raw, Included);

/// Name of a table's CSV file. Psych-DS wants pairs of a word and a value, of letters and digits.
#[must_use]
pub fn csv(study: &str, part: ExportHalf, table: &str) -> String {
    format!("{}.csv", stem(study, part, table))
}

/// Name of the file that says what the columns of a table's CSV file mean.
#[must_use]
pub fn sidecar(study: &str, part: ExportHalf, table: &str) -> String {
    format!("{}.json", stem(study, part, table))
}

fn stem(study: &str, part: ExportHalf, table: &str) -> String {
    let (study, table) = (value(study), value(table));
    format!(
        "data/{}/study-{study}_description-{table}_data",
        part.name()
    )
}

/// Name of a table's Parquet file.
#[must_use]
pub fn parquet(part: ExportHalf, table: &str) -> String {
    format!("parquet/{}/{table}.parquet", part.name())
}

/// Name of a table's file of JSON Lines.
#[must_use]
pub fn jsonl(part: ExportHalf, table: &str) -> String {
    format!("jsonl/{}/{table}.jsonl", part.name())
}

/// Letters and digits alone: what follows anything else begins with a capital letter.
fn value(name: &str) -> String {
    let mut value = String::new();
    let mut capital = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            value.push(if capital { c.to_ascii_uppercase() } else { c });
            capital = false;
        } else {
            capital = !value.is_empty();
        }
    }
    if value.is_empty() {
        value.push_str("unnamed");
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_pairs_of_a_word_and_a_value() {
        assert_eq!(
            csv(
                "chi21-synthetic",
                ExportHalf::Raw,
                "reconstruction_questions"
            ),
            "data/raw/study-chi21Synthetic_description-reconstructionQuestions_data.csv"
        );
        assert_eq!(value("-–"), "unnamed");
    }
}
