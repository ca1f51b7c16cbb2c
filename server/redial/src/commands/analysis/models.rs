//! `redial report --compare`: one page about all models, beside each other.

use std::fmt::Write as _;
use std::path::PathBuf;

use analysis::table::escaped_html as escaped;
use server::analysis::page;

use super::model::in_html;
use super::write_report;
use crate::commands::measure::{CompareOptions, compared};
use crate::commands::simulated_arg::SimulatedArg;
use crate::config::Config;
use crate::output::print;

/// What a report is about, in the place of a study's or a model's name.
const ABOUT: &str = "--compare";

/// Writes the page.
///
/// # Errors
/// When models, codes or the database cannot be read, or the file cannot be written or is somebody else's.
pub(super) async fn report(
    config: &Config,
    out: Option<PathBuf>,
    people: SimulatedArg,
) -> anyhow::Result<()> {
    let about = CompareOptions {
        people,
        ..CompareOptions::default()
    };
    let found = compared(config, &about).await?;
    let correlations = found.correlations(about.compare_seed);
    let mut html = page::head(
        ABOUT,
        "Models beside each other",
        "Models beside each other",
        &escaped(&found.people_from),
    );
    // Writing to a string cannot fail, here and below.
    for note in &found.notes {
        let _ = writeln!(html, "<p>{}</p>", escaped(note));
    }
    html += "<section>\n<h2>What people did, and what is computed</h2>\n";
    found
        .tables()
        .iter()
        .for_each(|table| html += &in_html(table));
    html += "</section>\n<section>\n<h2>Which differences mean anything</h2>\n";
    for table in found.difference_tables() {
        html += &in_html(&table);
    }
    html += "</section>\n<section>\n<h2>How far the two agree</h2>\n";
    if let Some(figure) = figures::models_compared(&found, &correlations) {
        html += &page::of_figure(&figure, 1);
    }
    for table in found.correlation_tables(&correlations) {
        html += &in_html(&table);
    }
    let _ = write!(
        html,
        "</section>\n<footer><p>Made by <code>redial report --compare</code>, version {}. SD has the divisor n.</p></footer>\n\
         </main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    let out = out.unwrap_or_else(|| PathBuf::from("models-report.html"));
    write_report(&out, ABOUT, &html)?;
    Ok(print(&format!("{}\n", out.display()))?)
}
