//! `redial report --model`: one page about a model.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use analysis::ModelCard;
use analysis::table::{ColumnKind, Table, TableCell, TableColumn, escaped_html as escaped};
use anyhow::bail;
use models::Bundle;
use serde_json::json;
use server::analysis::{cards, page};
use server::catalogue::{StudyEntry, StudyFault, StudyFiles};
use server::export::SessionSelection;
use server::model_results::model_results;
use server::storage;
use server::tuning::TuningRequest;
use server::zoo::Models;

use super::write_report;
use crate::commands::models::{sheet::svg, show};
use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output::print;
use crate::tuning::tuned;

/// Writes the page.
///
/// # Errors
/// When there is no such model, or the file cannot be written or is somebody else's.
pub(super) async fn report(
    config: &Config,
    name: &str,
    out: Option<PathBuf>,
    whose: SessionSelection,
) -> anyhow::Result<()> {
    let models = Arc::new(models_at_hand(config)?);
    let Some(bundle) = models.get(name) else {
        let names: Vec<&str> = models.names().collect();
        bail!(
            "there is no model '{name}'; there are: {}",
            names.join(", ")
        );
    };
    let all = cards(&models);
    let card = all.iter().find(|card| card.name == name);
    let mut html = page::head(
        name,
        &format!("{}: a model", escaped(name)),
        &escaped(&bundle.card().title),
        &format!("The model <code>{}</code>", escaped(name)),
    );
    html += "<section>\n<h2>What its dials do</h2>\n<div class=\"table\" tabindex=\"0\">\n";
    html += &svg::svg(&show::sheet(bundle, 0)?.scene())?;
    html += "</div>\n</section>\n<section>\n<h2>Automated scores</h2>\n";
    html += &match card {
        Some(card) => in_html(&scores(bundle, card)),
        None => "<p>Its card has none.</p>\n".to_owned(),
    };
    html += "</section>\n<section>\n<h2>What people did with it</h2>\n";
    html += &people(config, bundle, whose).await?;
    html += "</section>\n<section>\n<h2>What simulated people could do with it</h2>\n";
    html += &simulated(bundle, &models)?;
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "</section>\n<footer><p>Made by <code>redial report --model</code>, version {}. SD has the divisor n.</p></footer>\n\
         </main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    let out = out.unwrap_or_else(|| PathBuf::from(format!("{name}-report.html")));
    write_report(&out, name, &html)?;
    Ok(print(&format!("{}\n", out.display()))?)
}

pub(super) fn in_html(table: &Table) -> String {
    format!(
        "<div class=\"table\" id=\"table-{}\" tabindex=\"0\">\n{}</div>\n",
        table.name,
        table.to_html("")
    )
}

/// What the card says.
fn scores(bundle: &Bundle, card: &ModelCard) -> Table {
    let facts = &bundle.card().facts;
    let row =
        |name: &str, value: Option<f64>| vec![TableCell::text(name), TableCell::number(value)];
    Table {
        name: "scores".to_owned(),
        caption: "What the model's card says. Squared error: Σ(x − x̂)² of an instance that it has not seen, on \
                  average. DCI: disentanglement as the paper printed it. MIG: mutual information gap. ε and T are \
                  those of questions about it, unless a study sets others."
            .to_owned(),
        columns: vec![
            TableColumn::new("Score", ColumnKind::Text),
            TableColumn::new("Value", ColumnKind::Number),
        ],
        rows: vec![
            row("Squared error", card.squared_error),
            row("DCI disentanglement", card.dci),
            row("MIG", card.mig),
            row("ε", Some(facts.threshold)),
            row("T (s)", Some(facts.skip_after_s)),
        ],
        notes: Vec::new(),
    }
}

/// The metrics of every condition with this model, by these weights, in every study of the
/// database.
async fn people(
    config: &Config,
    bundle: &Bundle,
    whose: SessionSelection,
) -> anyhow::Result<String> {
    let facts = &bundle.card().facts;
    let Ok(archive) = storage::open_archive(config.address()).await else {
        return Ok(format!(
            "<p>There is no database {} that can be read.</p>\n",
            escaped(&config.database)
        ));
    };
    let results = model_results(&*archive, whose).await;
    archive.close().await;
    let results = results?;
    let of_model = results.iter();
    let of_model = of_model.filter(|result| result.has(&facts.name, &facts.weights_sha256));
    let rows: Vec<Vec<TableCell>> = of_model
        .map(|result| {
            vec![
                TableCell::text(&result.study),
                TableCell::text(&result.condition),
                TableCell::text(result.metric.label()),
                TableCell::Count(result.description.n),
                TableCell::Mean {
                    mean: result.description.mean,
                    sd: result.description.sd_population,
                    divisor: 1.0,
                    best: false,
                },
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok("<p>Nobody in this database has finished a stage about it.</p>\n".to_owned());
    }
    let who = match whose {
        SessionSelection::Simulated => "Simulated people, no real ones",
        SessionSelection::People
        | SessionSelection::Participants
        | SessionSelection::Pilots
        | SessionSelection::All => "People who are included",
    };
    Ok(in_html(&Table {
        name: "people".to_owned(),
        caption: format!(
            "{who}, in every study of the database in which the model had these weights: each person's mean over \
             questions, then mean ± SD over people."
        ),
        columns: vec![
            TableColumn::new("Study", ColumnKind::Group),
            TableColumn::new("Condition", ColumnKind::Group),
            TableColumn::new("Metric", ColumnKind::Text),
            TableColumn::keyed("n", "n", ColumnKind::Count),
            TableColumn::keyed("Mean ± SD", "value", ColumnKind::Mean),
        ],
        rows,
        notes: Vec::new(),
    }))
}

/// What simulated people solve of 20 questions about it.
fn simulated(bundle: &Bundle, models: &Arc<Models>) -> anyhow::Result<String> {
    let study = json!({
        "format": 2,
        "id": "model",
        "title": "A model",
        "parts": [{ "kind": "stage", "id": "model", "task": {
            "kind": "reconstruction", "model": bundle.name(), "questions": 20,
        }}],
    });
    let files = StudyFiles::named(&|_| None);
    let entry = StudyEntry::new("model", study.to_string().as_bytes(), models, &files);
    let entry = entry.map_err(|problems| anyhow::anyhow!(StudyFault::lines(&problems)))?;
    // Large decoders take a while: half as many questions as `redial study tune` asks.
    let request = TuningRequest {
        questions: 20,
        times: vec![15.0, 30.0, 60.0],
        ..TuningRequest::default()
    };
    let found = tuned(&entry, models, &request)?.tuning;
    let mut html = in_html(&found.summary());
    if let Some(figure) = figures::tuning(&found) {
        html += &page::of_figure(&figure, 1);
    }
    Ok(html)
}
