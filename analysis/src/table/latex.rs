//! A table as LaTeX, with the rules of the package booktabs.

use std::fmt::Write as _;

use super::Table;

impl Table {
    /// The table as a LaTeX `table` environment, for `\input`. The document needs
    /// `\usepackage{booktabs}`, and `\usepackage{xcolor}` for cells in grey.
    #[must_use]
    pub fn to_latex(&self) -> String {
        let columns = self
            .columns
            .iter()
            .map(|c| if c.is_words() { 'l' } else { 'r' });
        let mut out = format!(
            "% Needs \\usepackage{{booktabs}}{}.\n\\begin{{table*}}\n\\centering\n\\caption{{{}}}\n\
             \\label{{tab:{}}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n",
            if self.has_faint() {
                " and \\usepackage{xcolor}"
            } else {
                ""
            },
            escaped(&self.caption),
            self.name,
            columns.collect::<String>()
        );
        let heads: Vec<String> = self.columns.iter().map(|c| escaped(&c.head)).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{} \\\\\n\\midrule", heads.join(" & "));
        for row in 0..self.rows.len() {
            if self.begins_group(row) {
                out.push_str("\\midrule\n");
            }
            let cells = (0..self.columns.len()).map(|column| {
                let shown = self.shown(row, column);
                let text = escaped(&shown.text);
                if shown.strong {
                    format!("\\textbf{{{text}}}")
                } else if shown.faint {
                    format!("\\textcolor{{gray}}{{{text}}}")
                } else {
                    text
                }
            });
            let cells: Vec<String> = cells.collect();
            // A row must not begin with a bracket: the one before would take it for its own.
            let open = if cells.first().is_some_and(|cell| cell.starts_with('[')) {
                "{}"
            } else {
                ""
            };
            let _ = writeln!(out, "{open}{} \\\\", cells.join(" & "));
        }
        out.push_str("\\bottomrule\n\\end{tabular}\n");
        for note in &self.notes {
            let _ = writeln!(out, "\\par\\smallskip\\footnotesize {}", escaped(note));
        }
        out.push_str("\\end{table*}\n");
        out
    }
}

/// Text that LaTeX sets as it is. Signs of statistics are written in its own words, so that
/// pdfLaTeX knows them; other letters are left in UTF-8.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '±' => out.push_str("$\\pm$"),
            '×' => out.push_str("$\\times$"),
            '·' => out.push_str("$\\cdot$"),
            '−' => out.push_str("$-$"),
            '≤' => out.push_str("$\\leq$"),
            '≈' => out.push_str("$\\approx$"),
            '≥' => out.push_str("$\\geq$"),
            '²' => out.push_str("$^2$"),
            '′' => out.push_str("$'$"),
            'ε' => out.push_str("$\\varepsilon$"),
            'η' => out.push_str("$\\eta$"),
            'χ' => out.push_str("$\\chi$"),
            'ω' => out.push_str("$\\omega$"),
            '–' => out.push_str("--"),
            '—' => out.push_str("---"),
            '°' => out.push_str("$^\\circ$"),
            '“' => out.push_str("``"),
            '”' => out.push_str("''"),
            '’' => out.push('\''),
            '⌊' => out.push_str("$\\lfloor$"),
            '⌋' => out.push_str("$\\rfloor$"),
            '\n' | '\r' | '\t' => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}
