//! The files of an analysis, by their names in the folder of `redial analyze --out`.

use std::fmt::Write as _;
use std::sync::Arc;

use analysis::table::Table;
use analysis::{Analysis, ModelCard};
use figures::{Figure, RenderError, figures};

use super::{StudyAnalysis, page};
use crate::folder::CONTENTS;

/// A function that makes the bytes of a file.
type Make<'a> = Box<dyn Fn() -> Result<Vec<u8>, AnalysisFileError> + 'a>;

/// Why a file cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisFileError {
    /// A figure cannot be drawn.
    #[error(transparent)]
    Figure(#[from] RenderError),
    /// The numbers cannot be written.
    #[error("the numbers cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A file that is not made yet.
pub struct AnalysisFile<'a> {
    /// Its path below the folder.
    pub name: String,
    make: Make<'a>,
}

impl<'a> AnalysisFile<'a> {
    fn new(name: String, make: impl Fn() -> Result<Vec<u8>, AnalysisFileError> + 'a) -> Self {
        Self {
            name,
            make: Box::new(make),
        }
    }

    fn text(name: String, make: impl Fn() -> String + 'a) -> Self {
        Self::new(name, move || Ok(make().into_bytes()))
    }

    /// Its bytes.
    ///
    /// # Errors
    /// When a figure cannot be drawn, or a number cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>, AnalysisFileError> {
        (self.make)()
    }
}

/// The files, in the order in which they are written.
#[must_use]
pub fn analysis_files<'a>(
    study: &'a str,
    found: &'a StudyAnalysis,
    cards: &'a [ModelCard],
) -> Vec<AnalysisFile<'a>> {
    let mut files = Vec::new();
    for version in &found.versions {
        let place = place(found, version);
        files.push(AnalysisFile::text(format!("{place}methods.md"), || {
            format!("# Methods\n\n{}\n", version.methods())
        }));
        if let Some(script) = version.r_script(study) {
            let name = format!("{place}analysis.R");
            files.push(AnalysisFile::text(name, move || script.clone()));
        }
        if let Some(notebook) = version.notebook(study) {
            let name = format!("{place}analysis.ipynb");
            files.push(AnalysisFile::text(name, move || notebook.clone()));
        }
        for table in version.tables(cards) {
            files.extend(table_files(&place, table));
        }
        if let Some(to_code) = version.coding_file() {
            let name = format!("{place}{}.csv", to_code.name);
            files.push(AnalysisFile::text(name, move || to_code.to_csv()));
        }
        let figures = figures(version, cards);
        let captions: String = figures.iter().fold(String::new(), |mut out, figure| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "**{}.** {}\n", figure.name, figure.caption);
            out
        });
        for figure in figures {
            files.extend(figure_files(&place, figure));
        }
        let name = format!("{place}figures/captions.md");
        files.push(AnalysisFile::text(name, move || captions.clone()));
    }
    files.push(AnalysisFile::new("numbers.json".to_owned(), || {
        Ok(found.to_json()?.into_bytes())
    }));
    files.push(AnalysisFile::text("results.txt".to_owned(), || {
        found.to_text()
    }));
    files.push(AnalysisFile::text("report.html".to_owned(), move || {
        page::page(study, found, cards)
    }));
    files.push(AnalysisFile::text("README.md".to_owned(), move || {
        readme(study, found)
    }));
    files
}

/// A table in every format, in `tables/` below a place.
#[must_use]
pub fn table_files(place: &str, table: Table) -> Vec<AnalysisFile<'static>> {
    /// A format by its ending, and what makes it.
    type TextFormat = (&'static str, fn(&Table) -> String);
    let name = format!("{place}tables/{}", table.name);
    let table = Arc::new(table);
    let formats: [TextFormat; 3] = [
        ("md", Table::to_markdown),
        ("csv", Table::to_csv),
        ("tex", Table::to_latex),
    ];
    let file = |(ending, write): TextFormat| {
        let table = Arc::clone(&table);
        AnalysisFile::text(format!("{name}.{ending}"), move || write(&table))
    };
    formats.into_iter().map(file).collect()
}

/// A figure in every format, in `figures/` below a place.
#[must_use]
pub fn figure_files(place: &str, figure: Figure) -> Vec<AnalysisFile<'static>> {
    /// A format by its ending, and what makes it.
    type Format = (&'static str, fn(&Figure) -> Result<Vec<u8>, RenderError>);
    let name = format!("{place}figures/{}", figure.name);
    let figure = Arc::new(figure);
    let formats: [Format; 4] = [
        ("svg", |figure| Ok(figure.to_svg().into_bytes())),
        ("png", Figure::to_png),
        ("pdf", Figure::to_pdf),
        ("csv", |figure| Ok(figure.data.to_csv().into_bytes())),
    ];
    let file = |(ending, write): Format| {
        let figure = Arc::clone(&figure);
        AnalysisFile::new(format!("{name}.{ending}"), move || Ok(write(&figure)?))
    };
    formats.into_iter().map(file).collect()
}

/// Where a version's files are: with several, each has a folder of its own.
pub(super) fn place(found: &StudyAnalysis, version: &Analysis) -> String {
    if found.versions.len() < 2 {
        return String::new();
    }
    let hash = version
        .study_sha256
        .get(..12)
        .unwrap_or(&version.study_sha256);
    format!("version-{hash}/")
}

fn readme(study: &str, found: &StudyAnalysis) -> String {
    let simulated = if found.simulated {
        "**These are simulated people.** Nothing here says anything about real ones.\n\n"
    } else {
        ""
    };
    let mut out = format!(
        "# Analysis of {study}\n\n{simulated}Written by `redial analyze {study} --out`, version {}. Everything here is worked out \
         from the event logs and can be written again.\n\n\
         | file | holds |\n| --- | --- |\n\
         | `report.html` | all of it on one page, to be read, printed and sent |\n\
         | `methods.md` | who took part, who was left out and why, tests and corrections |\n\
         | `analysis.R` | the declared tests once more, with R alone and from exported tables: `Rscript analysis.R EXPORT` |\n\
         | `analysis.ipynb` | the same as a notebook with pandas and scipy, without mixed models |\n\
         | `tables/` | each table as Markdown, CSV and LaTeX (`\\usepackage{{booktabs}}`); CSV has every digit |\n\
         | `figures/` | each figure as SVG, PNG (300 dpi) and PDF, 7 inches wide, and its data as CSV; `captions.md` has the captions |\n\
         | `labels-to-code.csv` | where dials were named: every label, with a column for each of two coders; fill in a copy, and `redial study agreement COPY` says how far they agree |\n\
         | `numbers.json` | every number, those that no table shows, too |\n\
         | `results.txt` | what `redial analyze` prints |\n\
         | `{CONTENTS}` | the hash of each file: as long as none has changed, the folder may be replaced by a new analysis |\n\n\
         People are numbered in the order in which they started, within a version of the study. Labels and ratings are \
         theirs: look at them before you publish them.\n",
        env!("CARGO_PKG_VERSION")
    );
    if found.versions.len() > 1 {
        out += "\nSessions of different versions of the study file are analysed apart, each in a folder of its own:\n\n";
        for version in &found.versions {
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "- `{}`: {} people started, {} are included",
                place(found, version),
                version.started,
                version.included.people
            );
        }
    }
    if found.versions.is_empty() {
        out += "\nNobody has started yet: there are no tables and figures.\n";
    }
    if !found.problems.is_empty() {
        out += "\n**Not everything in the database can be read.** No number is made of a session in which something \
                cannot:\n\n";
        for problem in &found.problems {
            let _ = writeln!(out, "- {problem}");
        }
    }
    out
}
