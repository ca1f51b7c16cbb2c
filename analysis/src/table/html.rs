//! A table as HTML, without style or script.

use std::fmt::Write as _;

use super::Table;

impl Table {
    /// The table as a `<table>` with its caption, and its notes as a paragraph behind it.
    /// `label` stands in bold before the caption: `Table 1.`
    #[must_use]
    pub fn to_html(&self, label: &str) -> String {
        let mut out = format!(
            "<table>\n<caption><span><b>{}</b> {}</span></caption>\n<thead><tr>",
            escaped(label),
            escaped(&self.caption)
        );
        let class = |column: usize| {
            let words = self
                .columns
                .get(column)
                .is_some_and(super::TableColumn::is_words);
            if words { "" } else { " class=\"number\"" }
        };
        // Writing to a string cannot fail, here and below.
        for (index, column) in self.columns.iter().enumerate() {
            let _ = write!(
                out,
                "<th scope=\"col\"{}>{}</th>",
                class(index),
                escaped(&column.head)
            );
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in 0..self.rows.len() {
            out.push_str(if self.begins_group(row) {
                "<tr class=\"group\">"
            } else {
                "<tr>"
            });
            for column in 0..self.columns.len() {
                let shown = self.shown(row, column);
                let text = escaped(&shown.text);
                let text = if shown.strong {
                    format!("<b>{text}</b>")
                } else if shown.faint {
                    format!("<span class=\"faint\">{text}</span>")
                } else {
                    text
                };
                let _ = write!(out, "<td{}>{text}</td>", class(column));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        if !self.notes.is_empty() {
            let _ = writeln!(
                out,
                "<p class=\"note\">{}</p>",
                escaped(&self.notes.join(" "))
            );
        }
        out
    }
}

/// Text as HTML and XML, in elements and attributes. Characters that XML does not allow
/// become U+FFFD.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}
