//! The folder of `redial analyze --out`.

use std::fmt::Write as _;
use std::path::Path;

use analysis::table::Table;
use analysis::{Analysis, ModelCard};
use figures::{Figure, figures};
use server::analysis::StudyAnalysis;
use server::folder::{CONTENTS, NewFolder};

use super::page;

/// The command, in the folder's list of contents.
const MADE_BY: &str = "redial analyze";

/// Writes the folder; says what is in it.
///
/// # Errors
/// When it is somebody else's, or cannot be written: then nothing has changed.
pub(super) fn write(
    target: &Path,
    study: &str,
    found: &StudyAnalysis,
    cards: &[ModelCard],
) -> anyhow::Result<String> {
    let mut folder = NewFolder::replacing(target, MADE_BY)?;
    let (mut tables, mut drawn) = (0, 0);
    for version in &found.versions {
        let place = place(found, version);
        let these = version.tables(cards);
        let figures = figures(version, cards);
        tables += these.len();
        drawn += figures.len();
        let methods = format!("# Methods\n\n{}\n", version.methods());
        folder.write(&format!("{place}methods.md"), methods.as_bytes())?;
        for table in &these {
            write_table(&mut folder, &place, table)?;
        }
        if let Some(to_code) = version.coding_file() {
            let name = format!("{place}{}.csv", to_code.name);
            folder.write(&name, to_code.to_csv().as_bytes())?;
        }
        for figure in &figures {
            write_figure(&mut folder, &place, figure)?;
        }
        let captions: String = figures.iter().fold(String::new(), |mut out, figure| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "**{}.** {}\n", figure.name, figure.caption);
            out
        });
        folder.write(&format!("{place}figures/captions.md"), captions.as_bytes())?;
    }
    let numbers = serde_json::to_string_pretty(found)? + "\n";
    folder.write("numbers.json", numbers.as_bytes())?;
    folder.write("results.txt", found.to_text().as_bytes())?;
    let report = page::page(study, found, cards);
    folder.write("report.html", report.as_bytes())?;
    folder.write("README.md", readme(study, found).as_bytes())?;
    folder.publish_listed(MADE_BY)?;
    Ok(format!(
        "'{study}' in {}: {tables} tables, {drawn} figures, methods and numbers. Begin with report.html or README.md\n",
        target.display()
    ))
}

/// Where a version's files are: with several, each has a folder of its own.
fn place(found: &StudyAnalysis, version: &Analysis) -> String {
    if found.versions.len() < 2 {
        return String::new();
    }
    let hash = version
        .study_sha256
        .get(..12)
        .unwrap_or(&version.study_sha256);
    format!("version-{hash}/")
}

/// Writes a table in every format, to `tables/` below a place.
///
/// # Errors
/// When it cannot be written.
pub(in crate::commands) fn write_table(
    folder: &mut NewFolder,
    place: &str,
    table: &Table,
) -> anyhow::Result<()> {
    let name = format!("{place}tables/{}", table.name);
    folder.write(&format!("{name}.md"), table.to_markdown().as_bytes())?;
    folder.write(&format!("{name}.csv"), table.to_csv().as_bytes())?;
    folder.write(&format!("{name}.tex"), table.to_latex().as_bytes())?;
    Ok(())
}

/// Writes a figure in every format, to `figures/` below a place.
///
/// # Errors
/// When it cannot be drawn or written.
pub(in crate::commands) fn write_figure(
    folder: &mut NewFolder,
    place: &str,
    figure: &Figure,
) -> anyhow::Result<()> {
    let name = format!("{place}figures/{}", figure.name);
    folder.write(&format!("{name}.svg"), figure.to_svg().as_bytes())?;
    folder.write(&format!("{name}.png"), &figure.to_png()?)?;
    folder.write(&format!("{name}.pdf"), &figure.to_pdf()?)?;
    folder.write(&format!("{name}.csv"), figure.data.to_csv().as_bytes())?;
    Ok(())
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
