//! The report: one HTML file with everything in it, and no script.

use std::fmt::Write as _;

use analysis::numbers::counted;
use analysis::table::escaped_html as escaped;
use analysis::{Analysis, ModelCard};
use figures::{Figure, dark_style, figures};

use super::StudyAnalysis;

/// The look of the page. Figures and tables that are wider than a phone scroll on their own;
/// on paper nothing is cut and no figure is torn apart.
const STYLE: &str = include_str!("page.css");

/// The mark of a file that is a report of a study.
#[must_use]
pub fn mark(study: &str) -> String {
    format!(
        "<meta name=\"generator\" content=\"redial report {}\">",
        escaped(study)
    )
}

/// The page of a study, as `redial report` writes it.
#[must_use]
pub fn page(study: &str, found: &StudyAnalysis, cards: &[ModelCard]) -> String {
    let name = escaped(&found.title);
    let mut out = head(
        study,
        &format!("{name}: results"),
        &name,
        &escaped(&summary(found)),
    );
    if !found.problems.is_empty() {
        out += "<section class=\"warning\">\n<h2>Not everything can be read</h2>\n\
                <p>No number is made of a session in which something cannot.</p>\n<ul>\n";
        for problem in &found.problems {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(out, "<li>{}</li>", escaped(&problem.to_string()));
        }
        out += "</ul>\n</section>\n";
    }
    if found.versions.is_empty() {
        out += "<p>No session can be analysed yet.</p>\n";
    }
    for version in &found.versions {
        if found.versions.len() > 1 {
            let hash = version
                .study_sha256
                .get(..12)
                .unwrap_or(&version.study_sha256);
            let _ = writeln!(
                out,
                "<h2 class=\"version\">Study version {}</h2>",
                escaped(hash)
            );
        }
        out += &of_version(version, cards);
    }
    let _ = write!(
        out,
        "<footer><p>Made by <code>redial report</code>, version {}, from the event logs. SD has the divisor n.</p></footer>\n\
         </main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The beginning of a page about a study or a model, down to its heading and a sentence below it.
/// All but `about` is HTML.
#[must_use]
pub fn head(about: &str, title: &str, heading: &str, below: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{}\n<title>{title}</title>\n\
         <style>\n{STYLE}{}\n</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{heading}</h1>\n<p>{below}</p>\n</header>\n",
        mark(about),
        dark_style(),
    )
}

fn summary(found: &StudyAnalysis) -> String {
    let mut out = format!(
        "{} started, {} complete",
        counted(found.started, "session", "sessions"),
        found.complete
    );
    if found.damaged > 0 {
        let _ = write!(out, ", {} damaged and left out", found.damaged);
    }
    if found.no_data > 0 {
        let left_out = counted(found.no_data, "pilot or preview", "pilots or previews");
        let _ = write!(out, ", {left_out} left out");
    }
    if found.simulated {
        return format!("Simulated people, no real ones: {out}.");
    }
    out + "."
}

fn of_version(version: &Analysis, cards: &[ModelCard]) -> String {
    let mut out = String::new();
    if version.interim {
        out += "<p class=\"warning\">Interim: fewer people are included than the study declares.</p>\n";
    }
    out += "<section>\n<h2>Methods</h2>\n";
    for paragraph in version.methods().split("\n\n") {
        let _ = writeln!(out, "<p>{}</p>", escaped(paragraph));
    }
    let _ = writeln!(
        out,
        "<p class=\"hash\">Study file, SHA-256: <code>{}</code></p>\n</section>",
        escaped(&version.study_sha256)
    );
    out += "<section>\n<h2>Tables</h2>\n";
    for (index, table) in version.tables(cards).iter().enumerate() {
        let _ = writeln!(
            out,
            "<div class=\"table\" id=\"table-{}\" tabindex=\"0\">\n{}</div>",
            table.name,
            table.to_html(&format!("Table {}.", index + 1))
        );
    }
    out += "</section>\n<section>\n<h2>Figures</h2>\n";
    for (index, figure) in figures(version, cards).iter().enumerate() {
        out += &of_figure(figure, index + 1);
    }
    let _ = writeln!(
        out,
        "</section>\n<section class=\"all\">\n<h2>All results</h2>\n<details>\n<summary>As printed by <code>redial \
         analyze</code></summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n</section>",
        escaped(&version.to_text())
    );
    out
}

/// A figure with its number and caption.
#[must_use]
pub fn of_figure(figure: &Figure, number: usize) -> String {
    format!(
        "<figure id=\"figure-{}\">\n{}<figcaption><b>Figure {number}.</b> {}</figcaption>\n</figure>\n",
        figure.name,
        figure.to_inline(),
        escaped(&figure.caption)
    )
}
