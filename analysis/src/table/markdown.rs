//! A table as Markdown (GitHub's pipe tables).

use std::fmt::Write as _;

use super::Table;

impl Table {
    /// The table as Markdown: the caption in bold, the table, and the notes.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        // Writing to a string cannot fail, here and below.
        let mut out = format!("**{}**\n\n", escaped(&self.caption));
        let heads: Vec<String> = self.columns.iter().map(|c| escaped(&c.head)).collect();
        let _ = writeln!(out, "| {} |", heads.join(" | "));
        let rules = self
            .columns
            .iter()
            .map(|c| if c.is_words() { "---" } else { "---:" });
        let _ = writeln!(out, "| {} |", rules.collect::<Vec<_>>().join(" | "));
        for row in 0..self.rows.len() {
            let cells = (0..self.columns.len()).map(|column| {
                let shown = self.shown(row, column);
                let text = escaped(&shown.text);
                if shown.strong {
                    format!("**{text}**")
                } else {
                    text
                }
            });
            let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
        }
        for note in &self.notes {
            let _ = write!(out, "\n{}\n", escaped(note));
        }
        out
    }
}

/// Text that Markdown leaves as it is, in one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~' | '&' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' | '\r' | '\t' => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}
