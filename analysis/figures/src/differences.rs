//! Differences of every two conditions, with stars: the paper's figures A.11 and A.12. Each
//! difference is drawn as the estimate of the test that the stars are of.

use analysis::numbers::signed;
use analysis::table::{ColumnKind, STARS, TableCell, TableColumn, stars};
use analysis::tables::label;
use analysis::{MetricComparison, Pair};

use crate::axis::range;
use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Type};
use crate::figure::Figure;
use crate::ink::{Ink, Rgb, between, on};
use crate::layout::{GAP, grid, name_below, names_below, titled};
use crate::letters::width as width_of;
use crate::{Of, divisor};

/// The colour of the largest difference below zero, of none, and of the largest above.
const ENDS: [Rgb; 3] = [[0, 114, 178], [247, 247, 247], [213, 94, 0]];

/// The metrics of one comparison, a panel each; `None` with fewer than two conditions.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let conditions = of.conditions();
    let metrics: Vec<&MetricComparison> = of
        .metrics()
        .into_iter()
        .filter(|c| c.pairs.iter().any(|p| difference(p).is_some()))
        .collect();
    if conditions.len() < 2 || metrics.is_empty() {
        return None;
    }
    let n: Vec<String> = metrics
        .iter()
        .map(|c| format!("{} n = {}", c.metric.label(), c.n))
        .collect();
    let caption = format!(
        "Differences between conditions of the comparison {} (row against column), over people who are \
         included ({}), as the test of the stars estimates them: {}. Blue: the row is lower; orange: it is higher; each panel has a scale of its own. \
         Stars: {}; {STARS}.",
        of.name,
        n.join(", "),
        estimates(&metrics),
        of.analysis.p_words()
    );
    let name = of.file("differences");
    let columns = vec![
        TableColumn::new("Metric", ColumnKind::Text),
        TableColumn::new("First", ColumnKind::Text),
        TableColumn::new("Second", ColumnKind::Text),
        TableColumn::new("n", ColumnKind::Count),
        TableColumn::new("Estimates", ColumnKind::Text),
        TableColumn::keyed("First against second", "difference", ColumnKind::Number),
        TableColumn::new("Standard error", ColumnKind::Number),
        TableColumn::new("Low", ColumnKind::Number),
        TableColumn::new("High", ColumnKind::Number),
        TableColumn::keyed("p", "pair", ColumnKind::P),
    ];
    Some(Figure::new(
        name,
        caption,
        columns,
        data(&metrics),
        |width| draw(width, &metrics, &conditions, &of.names()),
    ))
}

/// The first against the second, as the test that counts has it.
fn difference(pair: &Pair) -> Option<f64> {
    pair.declared.estimate.defined().copied()
}

/// The names of the estimates of these metrics' tests, each once.
fn estimates(metrics: &[&MetricComparison]) -> String {
    let mut words: Vec<String> = Vec::new();
    for pair in metrics.iter().flat_map(|metric| &metric.pairs) {
        let word = pair.declared.test.estimates().to_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// The divisor of a panel's numbers: that of the metric's means for numbers in the metric's unit.
fn scale(comparison: &MetricComparison) -> f64 {
    let in_unit = |pair: &Pair| pair.declared.test.is_in_unit();
    if comparison.pairs.iter().all(in_unit) {
        divisor(comparison)
    } else {
        1.0
    }
}

/// The metric, and what is estimated of it where that is not in its unit.
fn title(comparison: &MetricComparison) -> String {
    let label = label(comparison.metric, scale(comparison));
    let mut others = comparison
        .pairs
        .iter()
        .map(|pair| pair.declared.test)
        .filter(|test| !test.is_in_unit());
    match others.next() {
        Some(test) => format!("{label} ({})", test.estimates().to_lowercase()),
        None => label,
    }
}

fn data(metrics: &[&MetricComparison]) -> Vec<Vec<TableCell>> {
    let mut rows = Vec::new();
    for comparison in metrics {
        for pair in &comparison.pairs {
            let result = pair.declared.result.defined();
            let interval = result.map(|found| found.interval);
            rows.push(vec![
                TableCell::text(comparison.metric.name()),
                TableCell::text(&pair.first),
                TableCell::text(&pair.second),
                TableCell::Count(comparison.n),
                TableCell::text(pair.declared.test.estimates()),
                TableCell::number(difference(pair)),
                TableCell::number(result.and_then(|found| found.standard_error)),
                TableCell::number(interval.map(|interval| interval.low)),
                TableCell::number(interval.map(|interval| interval.high)),
                pair.p().map_or(TableCell::None, |p| TableCell::P {
                    p,
                    corrected: pair.p_corrected,
                }),
            ]);
        }
    }
    rows
}

fn draw(
    width: f64,
    metrics: &[&MetricComparison],
    conditions: &[&str],
    names: &[String],
) -> Canvas {
    let mut canvas = Canvas::new(width);
    let widest = names
        .iter()
        .map(|n| width_of(n, BODY.size, false))
        .fold(0.0, f64::max);
    let left = widest.min(70.0) + 5.0;
    let count = conditions.len() as f64;
    let narrowest = (left + count * 29.0).clamp(110.0, width);
    let most = if width < 300.0 { 1 } else { 4 };
    // High enough for a number and stars; a panel of many conditions still fits a page.
    let cell = (150.0 / count).clamp(20.0, 32.0);
    let (below, turned) = names_below(names, (narrowest - left) / count);
    let height = 14.0 + cell * count + below;
    let areas = grid(&mut canvas, metrics.len(), 0.0, narrowest, height, most);
    for (comparison, panel) in metrics.iter().zip(areas) {
        let divisor = scale(comparison);
        let inner = titled(&mut canvas, panel, &title(comparison));
        let largest = comparison
            .pairs
            .iter()
            .filter_map(difference)
            .map(f64::abs)
            .fold(0.0, f64::max);
        let digits = digits(largest / divisor);
        let w = ((inner.w - left) / count).min(cell * 1.9);
        for (row, name) in names.iter().enumerate() {
            let y = inner.y + row as f64 * cell;
            let at = (inner.x + left - 4.0, y + cell / 2.0 + BODY.size * 0.36);
            canvas.text(at, Anchor::End, BODY, name);
            for column in 0..names.len() {
                let area = Area::new(inner.x + left + column as f64 * w, y, w - 1.0, cell - 1.0);
                let found = between_conditions(comparison, conditions[row], conditions[column]);
                one(&mut canvas, area, found, largest, (divisor, digits));
            }
        }
        for (column, name) in names.iter().enumerate() {
            let at = (
                inner.x + left + (column as f64 + 0.5) * w,
                inner.y + cell * count,
            );
            name_below(&mut canvas, at, name, turned);
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}

/// The difference of two conditions and its corrected p.
fn between_conditions(
    comparison: &MetricComparison,
    row: &str,
    column: &str,
) -> Option<(f64, Option<f64>)> {
    comparison.pairs.iter().find_map(|pair| {
        let sign = if pair.first == row && pair.second == column {
            1.0
        } else if pair.first == column && pair.second == row {
            -1.0
        } else {
            return None;
        };
        Some((sign * difference(pair)?, pair.p_corrected))
    })
}

fn one(
    canvas: &mut Canvas,
    area: Area,
    found: Option<(f64, Option<f64>)>,
    largest: f64,
    (divisor, digits): (f64, usize),
) {
    let middle = area.x + area.w / 2.0;
    let Some((difference, p)) = found else {
        canvas.rect(area, Ink::Grid, 0.6);
        return;
    };
    let share = if largest > 0.0 {
        difference / largest
    } else {
        0.0
    };
    // Half of the way at most for what is small: the text stays easy to read.
    let end = if share < 0.0 { ENDS[0] } else { ENDS[2] };
    let colour = between(ENDS[1], end, share.abs());
    canvas.rect(area, Ink::Fixed(colour), 1.0);
    let stars = p.map_or("", stars);
    let style = Type {
        ink: on(colour),
        ..SMALL
    };
    let text = signed(difference / divisor, digits);
    let up = if stars.is_empty() { 0.0 } else { 3.2 };
    let baseline = area.y + area.h / 2.0 + SMALL.size * 0.36;
    canvas.text((middle, baseline - up), Anchor::Middle, style, &text);
    if !stars.is_empty() {
        let style = Type {
            bold: true,
            ..style
        };
        canvas.text((middle, baseline + 5.2), Anchor::Middle, style, stars);
    }
}

/// Digits behind the point, so that the largest has two or three that mean something.
fn digits(largest: f64) -> usize {
    let (_, high) = range([0.0, largest].into_iter());
    match high {
        high if high >= 100.0 => 0,
        high if high >= 10.0 => 1,
        high if high >= 0.1 => 2,
        _ => 3,
    }
}
