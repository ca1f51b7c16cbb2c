//! Rank correlations between what people did with models and what is computed without people, a panel for each data set.

use analysis::numbers::rounded;
use analysis::{COMPARED_METRICS, DataSetCorrelations, ModelsCompared, ScoreColumn};

use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Type};
use crate::figure::Figure;
use crate::ink::{Ink, Rgb, between, on};
use crate::layout::{GAP, grid, titled};
use crate::letters::{cut, width as width_of};

/// The colours of −1, 0 and 1: blue and orange, which can be told apart by everybody.
const AGAINST: Rgb = [213, 94, 0];
const NEITHER: Rgb = [247, 247, 247];
const WITH: Rgb = [0, 84, 147];
/// Height of a row.
const CELL: f64 = 13.0;
/// Height of the names of columns, which stand turned.
const HEADS: f64 = 46.0;

/// The figure; `None` where no correlation is defined.
#[must_use]
pub fn models_compared(found: &ModelsCompared, all: &[DataSetCorrelations]) -> Option<Figure> {
    let has = |score: &&ScoreColumn| {
        let mut all = all.iter().flat_map(|of| &of.correlations);
        all.any(|c| c.score == score.key && c.rho.is_some())
    };
    let scores: Vec<&ScoreColumn> = found.scores.iter().filter(has).collect();
    let panels: Vec<&DataSetCorrelations> = all
        .iter()
        .filter(|of| of.correlations.iter().any(|c| c.rho.is_some()))
        .collect();
    if scores.is_empty() || panels.is_empty() {
        return None;
    }
    let counts: Vec<String> = panels
        .iter()
        .map(|of| format!("{} {}", of.data, of.models))
        .collect();
    let caption = format!(
        "Spearman's correlation between what people did with models (columns) and what is computed without people \
         (rows), within each data set. Both are turned so that more is better: 1 (blue) means the same order, −1 \
         (orange) the reverse. Numbers of models: {}. {} So few models prove nothing: see the intervals and notes of \
         the tables. No test.",
        counts.join(", "),
        found.people_from
    );
    let mut table = found.correlations_table(all);
    table.name = "models-compared".to_owned();
    table.caption.clone_from(&caption);
    Some(Figure::of_table(
        table.name.clone(),
        caption,
        table,
        |width| draw(width, &scores, &panels),
    ))
}

fn draw(width: f64, scores: &[&ScoreColumn], panels: &[&DataSetCorrelations]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let widest = scores
        .iter()
        .map(|score| width_of(&score.head, BODY.size, false))
        .fold(0.0, f64::max);
    let left = widest.min(90.0) + 5.0;
    let height = 13.0 + scores.len() as f64 * CELL + HEADS;
    let areas = grid(&mut canvas, panels.len(), 0.0, 150.0, height, 3);
    for (of, panel) in panels.iter().zip(areas) {
        let title = format!("{} ({} models)", of.data, of.models);
        let inner = titled(&mut canvas, panel, &title);
        let w = (inner.w - left) / COMPARED_METRICS.len() as f64;
        for (row, score) in scores.iter().enumerate() {
            let y = inner.y + 2.0 + row as f64 * CELL;
            let at = (inner.x + left - 4.0, y + CELL / 2.0 + BODY.size * 0.36);
            let name = cut(&score.head, BODY.size, false, left - 5.0);
            canvas.text(at, Anchor::End, BODY, &name);
            for (column, metric) in COMPARED_METRICS.iter().enumerate() {
                let Some(rho) = of.find(*metric, &score.key).and_then(|c| c.rho) else {
                    continue;
                };
                let end = if rho < 0.0 { AGAINST } else { WITH };
                let colour = between(NEITHER, end, rho.abs());
                let x = inner.x + left + column as f64 * w;
                let area = Area::new(x, y, w - 1.0, CELL - 1.0);
                canvas.rect(area, Ink::Fixed(colour), 1.0);
                let style = Type {
                    ink: on(colour),
                    ..SMALL
                };
                let at = (x + w / 2.0, y + CELL / 2.0 + SMALL.size * 0.33);
                canvas.text(at, Anchor::Middle, style, &rounded(rho, 1));
            }
        }
        let bottom = inner.y + 2.0 + scores.len() as f64 * CELL;
        for (column, metric) in COMPARED_METRICS.iter().enumerate() {
            let x = inner.x + left + (column as f64 + 0.5) * w;
            let name = cut(metric.label(), SMALL.size, false, 62.0);
            let at = (x + 2.0, bottom + SMALL.size + 2.0);
            canvas.turned(at, Anchor::End, SMALL, &name, -35.0);
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}
