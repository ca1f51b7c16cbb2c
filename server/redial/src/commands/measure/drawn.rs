//! The figure of a single measure, where its paper has one.

use anyhow::{Context as _, bail};
use figures::{CurvePanel, Figure, Matrix, curves, heat_maps};
use measures::concept_quality::niche_measure::NICHE;
use measures::concept_quality::oracle_impurity::OIS;
use measures::faithfulness::surf::PARSIMONY;
use measures::outcome::{Outcome, Table};

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
    if name == PARSIMONY.name {
        let panels = outcome.tables.first().map(over_rows);
        let caption = format!("{about} Over the number of concepts that are shown. No test.");
        return Ok(panels.and_then(|panels| curves(name, &caption, &panels)));
    }
    let there_are = [&OIS, &NICHE, &PARSIMONY].map(|it| it.name).join(", ");
    bail!("{name} has no figure; there are those of {there_are}")
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
fn over_rows(table: &Table) -> Vec<CurvePanel> {
    let panel = |place: usize| {
        let rows = table.row_names.iter().zip(&table.rows);
        let points = rows.filter_map(|(name, row)| {
            Some((name.parse().ok()?, row.get(place).copied().flatten()))
        });
        CurvePanel {
            title: table.columns[place].clone(),
            across: "concepts".to_owned(),
            curves: vec![("explanation".to_owned(), points.collect())],
        }
    };
    (0..table.columns.len()).map(panel).collect()
}
