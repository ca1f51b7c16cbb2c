//! Bundles of finished runs, and what is printed about them.

use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use measures::discovered::activity::active;
use models::Card;
use training::found_concepts::report::Activations;
use training::publish;
use training::run::Run;

/// Measures a run, writes its bundle below `out`, and says how good the model is.
pub(super) fn write_bundle(run: &Run, held_out: Option<usize>, out: &Path) -> Result<()> {
    let name = run.recipe.name;
    eprintln!("{name}: measuring on held-out rows");
    let rows = held_out.unwrap_or(run.task.measured_rows);
    let made = publish::bundle(run, rows, Some(today()))?;
    let folder = made.write(out)?;
    let card = Card::from_json(&made.files.card)?;
    measured(name, &card);
    if let Some(held_out) = card.held_out {
        let of_means = held_out
            .squared_error_of_means
            .map_or_else(String::new, |error| format!(", {error:.3} of means"));
        let paper = held_out
            .paper_squared_error
            .map_or_else(|| "none".to_owned(), |error| error.to_string());
        eprintln!(
            "{name}: held-out squared error {:.3}{of_means} on {} instances (paper: {paper})",
            held_out.squared_error, held_out.instances,
        );
    }
    if let Some(found) = card.disentanglement {
        eprintln!(
            "{name}: DCI {:.2} (as published {:.2}, paper {}), MIG {} (paper {})",
            found.dci,
            found.dci_as_published,
            figure(found.paper_dci),
            figure(found.mig),
            figure(found.paper_mig),
        );
    }
    if let Some(found) = card.categories {
        eprintln!(
            "{name}: {} of 10 digits reached, {:.2} bits between category and digit \
             (classifier {:.1} % right)",
            found.labels_reached,
            found.mutual_information,
            100.0 * found.classifier_accuracy
        );
    }
    let bytes = made.files.weights.as_ref().map_or(0, Vec::len);
    eprintln!(
        "{name}: {bytes} bytes of weights; bundle in {}",
        folder.display()
    );
    Ok(())
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:.2}"))
}

/// Prints what the concepts of a BotCL do on the held-out rows.
pub(super) fn concepts(run: &Run) -> Result<()> {
    let found = Activations::of(run, &run.split.held_out)?;
    let activity = found.by_concept();
    for concept in &activity {
        let of_digit = |mean: &Option<f64>| format!(" {:.2}", mean.unwrap_or(0.0));
        println!(
            "concept {:>2}: on {:>5.1} %, at an end {:>5.1} %, largest {:.2}; by digit{}",
            concept.concept,
            100.0 * concept.on,
            100.0 * concept.at_an_end,
            concept.largest.unwrap_or(0.0),
            concept.by_class.iter().map(of_digit).collect::<String>()
        );
    }
    println!(
        "accuracy {:.4} on {} held-out rows; active: {:?}",
        found.accuracy(),
        found.labels.len(),
        active(&activity)
    );
    Ok(())
}

/// Says over how many rows the ranges of the dials were measured.
pub(super) fn measured(name: &str, card: &Card) {
    if let Some(measured) = &card.measured {
        eprintln!("{name}: ranges and percentiles over {} rows", measured.rows);
    }
}

/// The day that the card carries, in UTC: `YYYY-MM-DD`.
fn today() -> String {
    Timestamp::now().strftime("%Y-%m-%d").to_string()
}
