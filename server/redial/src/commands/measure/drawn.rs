//! The figure of a single measure, where its paper has one.

use anyhow::{Context as _, bail};
use figures::{CurvePanel, Figure, HistogramPanel, Matrix, curves, heat_maps, histograms};
use measures::alignment::global_importance::CGIM;
use measures::concept_quality::niche_measure::NICHE;
use measures::concept_quality::niche_released::NICHE_RELEASED;
use measures::concept_quality::oracle_impurity::OIS;
use measures::discovered::saliency::insertion_deletion::{DAUC, IAUC};
use measures::faithfulness::surf::PARSIMONY;
use measures::measure::{Measure, Score};
use measures::outcome::{Outcome, Table};

/// The measures that have a figure.
const DRAWN: [&Measure; 7] = [
    &OIS,
    &NICHE,
    &NICHE_RELEASED,
    &IAUC,
    &DAUC,
    &CGIM,
    &PARSIMONY,
];

/// The figure of one measure as SVG.
///
/// # Errors
/// When several were asked for, there is no figure of this measure, or there is no number to draw.
pub fn svg(outcomes: &[Outcome]) -> anyhow::Result<String> {
    let [outcome] = outcomes else {
        bail!("a figure shows one measure: name it, in the place of `all`");
    };
    let figure = figure(outcome)?;
    let figure =
        figure.with_context(|| format!("{}: there is no number to draw", outcome.measure.name))?;
    Ok(figure.to_svg())
}

fn figure(outcome: &Outcome) -> anyhow::Result<Option<Figure>> {
    let name = outcome.measure.name;
    let about = format!("{}, {} rows.", outcome.measure.title, outcome.rows);
    if name == OIS.name {
        let matrices: Vec<Matrix> = outcome.tables.iter().map(matrix).collect();
        let caption = format!(
            "{about} Test AUC with which each code tells each concept, beside the same of the concepts themselves. Colours \
             from ½ to 1. No test."
        );
        return Ok(heat_maps(name, &caption, &matrices, (0.5, 1.0)));
    }
    if name == NICHE.name {
        let panels = outcome.tables.first().map(over_first_column);
        let caption = format!("{about} Niches over β. No test.");
        return Ok(panels.and_then(|panels| curves(name, &caption, &panels)));
    }
    if name == NICHE_RELEASED.name {
        let panels = outcome.tables.first().map(over_first_column);
        let caption = format!(
            "{about} Variant {}. The score is the area under this curve. No test.",
            outcome.variant
        );
        return Ok(panels.and_then(|panels| curves(name, &caption, &panels)));
    }
    if name == IAUC.name || name == DAUC.name {
        let panels = outcome.tables.first();
        let panels = panels.map(|table| over_rows(table, "step", "mean over images"));
        let caption = format!(
            "{about} The model's output for the true class after each step, mean over images. The score is the mean area \
             under the curve of each image, over the share of pixels. No test."
        );
        return Ok(panels.and_then(|panels| curves(name, &caption, &panels)));
    }
    if name == CGIM.name {
        let panels: Vec<HistogramPanel> = outcome
            .measure
            .scores
            .iter()
            .map(|score| spread(outcome, score))
            .collect();
        let caption = format!(
            "{about} Variant {}. How many concepts, or classes, have which similarity; those without one are left out. No \
             test.",
            outcome.variant
        );
        return Ok(histograms(name, &caption, &panels, (-1.0, 1.0)));
    }
    if name == PARSIMONY.name {
        let panels = outcome.tables.first();
        let panels = panels.map(|table| over_rows(table, "concepts", "explanation"));
        let caption = format!("{about} Over the number of concepts that are shown. No test.");
        return Ok(panels.and_then(|panels| curves(name, &caption, &panels)));
    }
    let there_are = DRAWN.map(|it| it.name).join(", ");
    bail!("{name} has no figure; there are those of {there_are}")
}

/// The numbers of single concepts, or single classes, of a score.
fn spread(outcome: &Outcome, score: &Score) -> HistogramPanel {
    let values = outcome.values.iter();
    let own = values.filter(|value| value.score.name == score.name && value.of.is_some());
    HistogramPanel {
        title: score.title.to_owned(),
        across: "similarity".to_owned(),
        values: own.filter_map(|value| value.value).collect(),
    }
}

fn matrix(table: &Table) -> Matrix {
    Matrix {
        title: table.title.to_owned(),
        rows: table.row_names.clone(),
        columns: table.columns.clone(),
        values: table.rows.clone(),
    }
}

/// A panel for each column but the first, over what the first holds.
fn over_first_column(table: &Table) -> Vec<CurvePanel> {
    let across = table.columns.first().cloned().unwrap_or_default();
    let panel = |place: usize| {
        let points = table.rows.iter().filter_map(|row| {
            let value = row.get(place).copied().flatten();
            Some((row.first().copied().flatten()?, value))
        });
        CurvePanel {
            title: table.columns[place].clone(),
            across: across.clone(),
            curves: vec![("codes".to_owned(), points.collect())],
        }
    };
    (1..table.columns.len()).map(panel).collect()
}

/// A panel for each column, over the names of the rows, which are numbers.
fn over_rows(table: &Table, across: &str, series: &str) -> Vec<CurvePanel> {
    let panel = |place: usize| {
        let rows = table.row_names.iter().zip(&table.rows);
        let points = rows.filter_map(|(name, row)| {
            Some((name.parse().ok()?, row.get(place).copied().flatten()))
        });
        CurvePanel {
            title: table.columns[place].clone(),
            across: across.to_owned(),
            curves: vec![(series.to_owned(), points.collect())],
        }
    };
    (0..table.columns.len()).map(panel).collect()
}
