//! Tables that a command makes of several measures: printed, as CSV, as JSON, or as a folder with figures.

use std::path::PathBuf;

use analysis::table::Table;
use clap::Args;
use figures::Figure;
use server::analysis::{figure_files, table_files};
use server::folder::NewFolder;

use crate::output::{Align, aligned_with_grey, print, shows_colours, write_files};

/// How tables are put out.
#[derive(Debug, Clone, Args)]
pub struct TableOutput {
    /// Print JSON: every number, not rounded
    #[arg(long, conflicts_with_all = ["csv", "out"])]
    json: bool,
    /// Print CSV: a row for each number
    #[arg(long, conflicts_with = "out")]
    csv: bool,
    /// Write a folder: tables (Markdown, CSV, LaTeX), figures (SVG, PNG, PDF, and their data), and all
    /// numbers as JSON. A folder that this command wrote is replaced if nobody has changed anything in it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What a command made.
pub struct MeasureOutput {
    /// The command, as a folder names it.
    pub by: &'static str,
    /// Tables for people.
    pub tables: Vec<Table>,
    /// Tables with a row for each number; the first is what is printed as CSV.
    pub long: Vec<Table>,
    /// Every number.
    pub json: serde_json::Value,
    /// Figures.
    pub figures: Vec<Figure>,
}

impl MeasureOutput {
    /// Prints it or writes it.
    ///
    /// # Errors
    /// When it cannot be written, or the folder is somebody else's.
    pub fn put_out(self, output: &TableOutput) -> anyhow::Result<()> {
        if output.json {
            return Ok(print(&(serde_json::to_string_pretty(&self.json)? + "\n"))?);
        }
        if output.csv {
            let text = self.long.first().map(Table::to_csv).unwrap_or_default();
            return Ok(print(&text)?);
        }
        let Some(target) = &output.out else {
            let colours = shows_colours();
            let texts = self.tables.iter().map(|table| text_of(table, colours));
            let texts: Vec<String> = texts.collect();
            return Ok(print(&texts.join("\n"))?);
        };
        let mut folder = NewFolder::replacing(target, self.by)?;
        let (tables, drawn) = (self.tables.len() + self.long.len(), self.figures.len());
        for table in self.tables.into_iter().chain(self.long) {
            write_files(&mut folder, &table_files("", table))?;
        }
        for figure in self.figures {
            write_files(&mut folder, &figure_files("", figure))?;
        }
        let numbers = serde_json::to_string_pretty(&self.json)? + "\n";
        folder.write("numbers.json", numbers.as_bytes())?;
        folder.publish_listed(self.by)?;
        Ok(print(&format!(
            "{}: {tables} tables, {drawn} figures, and numbers.json\n",
            target.display()
        ))?)
    }
}

/// A table for the terminal: its caption, its columns aligned, its notes. What says little is grey where there are
/// colours; its text says so anyway.
fn text_of(table: &Table, colours: bool) -> String {
    let heads = table.columns.iter().map(|column| column.head.clone());
    let mut lines = vec![heads.collect::<Vec<String>>()];
    for row in 0..table.rows.len() {
        let cells = (0..table.columns.len()).map(|column| table.shown(row, column).text);
        lines.push(cells.collect());
    }
    let columns: Vec<Align> = table
        .columns
        .iter()
        .map(|column| {
            if column.is_words() {
                Align::Left
            } else {
                Align::Right
            }
        })
        .collect();
    let notes: String = table
        .notes
        .iter()
        .map(|note| format!("! {note}\n"))
        .collect();
    // The first line holds the heads.
    let grey =
        |line: usize, column: usize| colours && line > 0 && table.shown(line - 1, column).faint;
    let text = aligned_with_grey(&columns, &lines, grey);
    format!("{}\n\n{text}{notes}", table.caption)
}
