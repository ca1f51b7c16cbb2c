//! Output of commands, and tables in it.

use std::io::{self, Write};

use server::analysis::AnalysisFile;
use server::folder::NewFolder;

/// Prints text on standard output.
///
/// A reader that has seen enough (`redial models list | head -1`) is no error:
/// what it does not want to read is dropped. `println!` would panic.
///
/// # Errors
/// When standard output cannot be written for another reason, such as a full disk.
pub fn print(text: &str) -> io::Result<()> {
    unless_closed(write_all(&mut io::stdout().lock(), text))
}

fn write_all(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// On which side of its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Lines of cells as text: columns as wide as their widest cell, two spaces apart,
/// no blanks at the end of a line. A line may be shorter than `columns`.
#[must_use]
pub fn aligned(columns: &[Align], lines: &[Vec<String>]) -> String {
    aligned_with_grey(columns, lines, |_, _| false)
}

/// The same with some cells (line, column) in grey, by a terminal's escape codes.
#[must_use]
pub fn aligned_with_grey(
    columns: &[Align],
    lines: &[Vec<String>],
    grey: impl Fn(usize, usize) -> bool,
) -> String {
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(columns.iter().zip(&widths))
            .enumerate()
            .map(|(column, (cell, (align, &width)))| {
                let cell = match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                };
                if grey(at, column) {
                    format!("\x1b[90m{cell}\x1b[39m")
                } else {
                    cell
                }
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Whether standard output shows colours: it is a terminal, and `NO_COLOR` is not set (no-color.org).
#[must_use]
pub fn shows_colours() -> bool {
    io::IsTerminal::is_terminal(&io::stdout())
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes files into a folder.
///
/// # Errors
/// When a figure cannot be drawn, or a file cannot be written.
pub fn write_files(folder: &mut NewFolder, files: &[AnalysisFile<'_>]) -> anyhow::Result<()> {
    for file in files {
        folder.write(&file.name, &file.bytes()?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_without_blanks() {
        let line = |cells: &[&str]| cells.iter().map(|&c| c.to_owned()).collect();
        let text = aligned(
            &[Align::Left, Align::Right, Align::Left],
            &[
                line(&["name", "n", "note"]),
                line(&["ä", "10", "–"]),
                line(&["long one", "7"]),
            ],
        );
        assert_eq!(text, "name       n  note\nä         10  –\nlong one   7\n");
    }

    #[test]
    fn grey_cells_are_as_wide_as_others() {
        let line = |cells: &[&str]| cells.iter().map(|&c| c.to_owned()).collect();
        let lines = [line(&["a", "1.25"]), line(&["b", "≈ 0.1"])];
        let columns = [Align::Left, Align::Right];
        let grey = aligned_with_grey(&columns, &lines, |line, column| (line, column) == (1, 1));
        assert_eq!(grey, "a   1.25\nb  \x1b[90m≈ 0.1\x1b[39m\n");
    }

    #[test]
    fn only_a_reader_that_went_away_is_passed_over() {
        let failed = |kind: io::ErrorKind| unless_closed(Err(kind.into()));
        assert!(failed(io::ErrorKind::BrokenPipe).is_ok());
        assert!(failed(io::ErrorKind::StorageFull).is_err());
    }
}
