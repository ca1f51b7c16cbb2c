//! `redial models list`.

use clap::Args;
use models::Bundle;
use models::card::{Disentanglement, HeldOut};
use serde::Serialize;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output::{self, Align};

/// `redial models list …`
#[derive(Debug, Clone, Args)]
pub struct ModelListArgs {
    /// Print JSON, with names, hashes and numbers in full
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV, with the same
    #[arg(long)]
    pub csv: bool,
}

/// What the list says about a model. The names are those of the CSV's columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ListedModel {
    name: String,
    title: String,
    dataset: String,
    dimensions: usize,
    held_out_instances: Option<usize>,
    /// With sampled latents where the model samples.
    squared_error: Option<f64>,
    squared_error_of_means: Option<f64>,
    paper_squared_error: Option<f64>,
    dci_as_published: Option<f64>,
    dci_standard: Option<f64>,
    paper_dci: Option<f64>,
    mig: Option<f64>,
    paper_mig: Option<f64>,
    weights_bytes: usize,
    weights_sha256: String,
    fingerprint: String,
}

impl ListedModel {
    fn of(bundle: &Bundle) -> Self {
        let card = bundle.card();
        let error = |of: fn(&HeldOut) -> Option<f64>| card.held_out.as_ref().and_then(of);
        let measured =
            |of: fn(&Disentanglement) -> Option<f64>| card.disentanglement.as_ref().and_then(of);
        Self {
            name: bundle.name().to_owned(),
            title: card.title.clone(),
            dataset: card.provenance.dataset.clone(),
            dimensions: card.facts.latent.len(),
            held_out_instances: card.held_out.as_ref().map(|held_out| held_out.instances),
            squared_error: error(|h| Some(h.squared_error)),
            squared_error_of_means: error(|h| h.squared_error_of_means),
            paper_squared_error: error(|h| h.paper_squared_error),
            dci_as_published: measured(|d| Some(d.dci_as_published)),
            dci_standard: measured(|d| Some(d.dci)),
            paper_dci: measured(|d| d.paper_dci),
            mig: measured(|d| d.mig),
            paper_mig: measured(|d| d.paper_mig),
            weights_bytes: bundle.weights().map_or(0, <[u8]>::len),
            weights_sha256: card.facts.weights_sha256.clone(),
            fingerprint: bundle.fingerprint().to_owned(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(nothing, |value| format!("{value:.digits$}"))
        };
        let has_weights = self.weights_bytes > 0;
        vec![
            self.name.clone(),
            number(self.squared_error, 2),
            number(self.squared_error_of_means, 2),
            number(self.paper_squared_error, 2),
            number(self.dci_as_published, 2),
            number(self.dci_standard, 2),
            number(self.paper_dci, 2),
            number(self.mig, 2),
            number(self.paper_mig, 2),
            if has_weights {
                thousands(self.weights_bytes)
            } else {
                nothing()
            },
            // A formula has no weights; its bundle has a hash all the same.
            self.fingerprint.chars().take(8).collect(),
        ]
    }
}

const COLUMNS: [(&str, Align); 11] = [
    ("model", Align::Left),
    ("error", Align::Right),
    ("of means", Align::Right),
    ("paper's", Align::Right),
    ("DCI as published", Align::Right),
    ("standard", Align::Right),
    ("paper's", Align::Right),
    ("MIG", Align::Right),
    ("paper's", Align::Right),
    ("bytes", Align::Right),
    ("hash", Align::Left),
];

const LEGEND: &str = "
error  mean over held-out instances of the summed squared error (latents sampled where the
       model samples; beside it that of the means)
DCI    disentanglement: codes predicted from factors, as the paper printed it, and factors
       from codes, as it is defined
MIG    mutual information gap      bytes  of the weights      hash  of the whole bundle
";

fn nothing() -> String {
    "–".to_owned()
}

/// `6624123` as `6,624,123`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Runs `redial models list`.
///
/// # Errors
/// When a model is broken.
pub fn list(config: &Config, args: &ModelListArgs) -> anyhow::Result<()> {
    let models = models_at_hand(config)?;
    let rows: Vec<ListedModel> = models.iter().map(ListedModel::of).collect();
    let text = if args.json {
        serde_json::to_string_pretty(&rows)? + "\n"
    } else if args.csv {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &rows {
            writer.serialize(row)?;
        }
        String::from_utf8(writer.into_inner()?)?
    } else {
        table(&rows)
    };
    output::print(&text)?;
    Ok(())
}

fn table(rows: &[ListedModel]) -> String {
    let (headings, aligns): (Vec<&str>, Vec<Align>) = COLUMNS.into_iter().unzip();
    let mut lines = vec![headings.into_iter().map(str::to_owned).collect()];
    lines.extend(rows.iter().map(ListedModel::cells));
    output::aligned(&aligns, &lines) + LEGEND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (7, "7"),
            (335, "335"),
            (335_608, "335,608"),
            (6_624_123, "6,624,123"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn numbers_stand_in_their_columns_and_what_is_missing_is_a_dash() {
        let row = ListedModel {
            name: "sinelines-vae5".to_owned(),
            title: String::new(),
            dataset: String::new(),
            dimensions: 5,
            held_out_instances: Some(50_000),
            squared_error: Some(2.546),
            squared_error_of_means: Some(1.5),
            paper_squared_error: Some(3.28),
            dci_as_published: Some(0.41),
            dci_standard: Some(0.52),
            paper_dci: Some(0.395),
            mig: None,
            paper_mig: Some(0.15),
            weights_bytes: 335_608,
            weights_sha256: "ab".repeat(32),
            fingerprint: "0123456789abcdef".to_owned(),
        };
        let cells = row.cells();
        assert_eq!(cells.len(), COLUMNS.len());
        assert_eq!(
            cells[1..],
            [
                "2.55", "1.50", "3.28", "0.41", "0.52", "0.40", "–", "0.15", "335,608", "01234567"
            ]
        );
        let table = table(&[row]);
        let lines: Vec<&str> = table.lines().collect();
        let end = |line: &str, word: &str| {
            let at = line.find(word).unwrap() + word.len();
            line[..at].chars().count()
        };
        assert_eq!(end(lines[0], "of means"), end(lines[1], "1.50"));
        assert_eq!(end(lines[0], "bytes"), end(lines[1], "335,608"));
    }
}
