//! Box plots of metrics, with means and significance stars: the paper's figures 6 and 8.

use analysis::table::{ColumnKind, STARS, TableCell, TableColumn, stars};
use analysis::tables::label;
use analysis::{ConditionRow, MetricComparison, Pair};

use crate::axis::{Scale, foot, labels_width, range, ticks_of_scale, vertical};
use crate::canvas::{Anchor, Area, BODY, Canvas, Stroke, Type};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, grid, name_below, names_below, titled};
use crate::{Of, bounds, divisor};

/// Most brackets above a panel: the smallest p-values come first.
const MOST_BRACKETS: usize = 10;
/// Height of a bracket with its stars.
const LANE: f64 = 9.0;
/// Most people whose values are drawn one by one.
const MOST_POINTS: usize = 60;

/// The metrics of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let metrics = of.metrics();
    if metrics.is_empty() {
        return None;
    }
    let n: Vec<String> = metrics
        .first()?
        .conditions
        .iter()
        .zip(of.names())
        .map(|(row, name)| format!("{name} n = {}", row.values.len()))
        .collect();
    let caption = format!(
        "Metrics of the comparison {}, over people who are included ({}; each one's mean over questions). \
         Boxes: quartiles and median; whiskers: the farthest value within 1.5 interquartile ranges; dots: \
         people; diamonds: means. Stars: {}; {STARS}.",
        of.name,
        n.join(", "),
        of.analysis.p_words()
    );
    let name = of.file("box-plots");
    let columns = vec![
        TableColumn::new("Metric", ColumnKind::Text),
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("Person", ColumnKind::Count),
        TableColumn::new("Value", ColumnKind::Number),
    ];
    Some(Figure::new(
        name,
        caption,
        columns,
        data(&metrics),
        |width| draw(width, &metrics, &of.names()),
    ))
}

fn data(metrics: &[&MetricComparison]) -> Vec<Vec<TableCell>> {
    let mut rows = Vec::new();
    for comparison in metrics {
        for row in &comparison.conditions {
            for value in &row.values {
                rows.push(vec![
                    TableCell::text(comparison.metric.name()),
                    TableCell::text(&row.condition),
                    TableCell::Count(value.person).of_people([value.person]),
                    TableCell::Number(value.value),
                ]);
            }
        }
    }
    rows
}

/// Brackets that do not cross each other share a lane.
struct Bracket<'a> {
    ends: (usize, usize),
    stars: &'a str,
    lane: usize,
}

fn brackets<'a>(comparison: &'a MetricComparison) -> Vec<Bracket<'a>> {
    let place = |name: &str| {
        comparison
            .conditions
            .iter()
            .position(|row| row.condition == name)
    };
    let corrected = |pair: &&Pair| pair.p_corrected.unwrap_or(1.0);
    let mut pairs: Vec<&Pair> = comparison
        .pairs
        .iter()
        .filter(|p| corrected(p) < 0.05)
        .collect();
    pairs.sort_by(|a, b| corrected(a).total_cmp(&corrected(b)));
    pairs.truncate(MOST_BRACKETS);
    let mut all: Vec<Bracket<'a>> = pairs
        .iter()
        .filter_map(|pair| {
            let (a, b) = (place(&pair.first)?, place(&pair.second)?);
            Some(Bracket {
                ends: (a.min(b), a.max(b)),
                stars: stars(corrected(pair)),
                lane: 0,
            })
        })
        .collect();
    // The shortest are the lowest.
    all.sort_by_key(|bracket| (bracket.ends.1 - bracket.ends.0, bracket.ends.0));
    for index in 0..all.len() {
        let (below, rest) = all.split_at_mut(index);
        let Some(bracket) = rest.first_mut() else {
            break;
        };
        let crosses =
            |other: &&Bracket<'_>| other.ends.0 < bracket.ends.1 && bracket.ends.0 < other.ends.1;
        bracket.lane = below
            .iter()
            .filter(crosses)
            .map(|b| b.lane + 1)
            .max()
            .unwrap_or(0);
    }
    all
}

fn draw(width: f64, metrics: &[&MetricComparison], names: &[String]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let lanes = metrics
        .iter()
        .flat_map(|c| brackets(c))
        .map(|bracket| bracket.lane + 1)
        .max()
        .unwrap_or(0);
    let (above, count) = (lanes as f64 * LANE, names.len() as f64);
    let narrowest = (34.0 + count * 26.0).clamp(110.0, width);
    let (below, turned) = names_below(names, (narrowest - 30.0) / count);
    let height = 128.0 + above + below;
    let areas = grid(&mut canvas, metrics.len(), 0.0, narrowest, height, 4);
    for (comparison, panel) in metrics.iter().zip(areas) {
        let divisor = divisor(comparison);
        let inner = titled(&mut canvas, panel, &label(comparison.metric, divisor));
        let values = || {
            comparison
                .conditions
                .iter()
                .flat_map(|row| &row.values)
                .map(|v| v.value / divisor)
        };
        let (low, high) = bounds(comparison.metric).unwrap_or_else(|| range(values()));
        let ticks = ticks_of_scale(low, high);
        let left = labels_width(&ticks);
        let plot = Area::new(
            inner.x + left,
            inner.y + above + 4.0,
            inner.w - left,
            inner.h - above - below - 4.0,
        );
        // Of values as they are, in the unit that the axis shows.
        let shown = Scale::up(plot, low, high);
        let scale = Scale {
            low: low * divisor,
            high: high * divisor,
            ..shown
        };
        vertical(&mut canvas, plot, shown, &ticks);
        let slot = plot.w / count;
        let middle = |index: usize| plot.x + slot * (index as f64 + 0.5);
        for (index, (row, name)) in comparison.conditions.iter().zip(names).enumerate() {
            condition(&mut canvas, row, index, middle(index), slot, scale);
            name_below(&mut canvas, (middle(index), plot.bottom()), name, turned);
        }
        foot(&mut canvas, plot);
        for bracket in brackets(comparison) {
            let y = plot.y - 4.0 - bracket.lane as f64 * LANE;
            let (a, b) = (middle(bracket.ends.0) + 1.5, middle(bracket.ends.1) - 1.5);
            let points = [(a, y + 2.0), (a, y), (b, y), (b, y + 2.0)];
            canvas.polyline(&points, Stroke::solid(Ink::Muted, 0.6));
            let style = Type {
                size: 7.0,
                bold: true,
                ..BODY
            };
            canvas.text(
                (f64::midpoint(a, b), y + 0.3),
                Anchor::Middle,
                style,
                bracket.stars,
            );
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}

fn condition(
    canvas: &mut Canvas,
    row: &ConditionRow,
    index: usize,
    x: f64,
    slot: f64,
    scale: Scale,
) {
    let Some(found) = row.description.defined() else {
        canvas.text((x, scale.at(scale.low) - 4.0), Anchor::Middle, BODY, "–");
        return;
    };
    let ink = Ink::Series(index);
    let half = (slot * 0.3).min(14.0);
    let reach = 1.5 * (found.quartile_3 - found.quartile_1);
    let inside = row
        .values
        .iter()
        .map(|v| v.value)
        .filter(|v| (found.quartile_1 - reach..=found.quartile_3 + reach).contains(v));
    let (low, high) = inside.fold((found.quartile_1, found.quartile_3), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let (top, bottom) = (scale.at(found.quartile_3), scale.at(found.quartile_1));
    let line = Stroke::solid(ink, 1.0);
    canvas.line((x, bottom), (x, scale.at(low)), line);
    canvas.line((x, top), (x, scale.at(high)), line);
    for end in [low, high] {
        let y = scale.at(end);
        canvas.line((x - half * 0.4, y), (x + half * 0.4, y), line);
    }
    let area = Area::new(x - half, top, 2.0 * half, bottom - top);
    canvas.rect(area, ink, 0.18);
    canvas.frame(area, line);
    let few = row.values.len() <= MOST_POINTS;
    for (nth, value) in row.values.iter().enumerate() {
        let outside = value.value < low || value.value > high;
        if few || outside {
            // Side by side by their order: the same every time.
            let offset = if few {
                ((nth * 4 % 7) as f64 / 6.0 - 0.5) * half * 1.3
            } else {
                0.0
            };
            canvas.of_person(value.person, |canvas| {
                canvas.circle((x + offset, scale.at(value.value)), 1.1, ink, 0.65);
            });
        }
    }
    let y = scale.at(found.median);
    canvas.line((x - half, y), (x + half, y), Stroke::solid(Ink::Text, 1.6));
    let y = scale.at(found.mean);
    let diamond = |r: f64| [(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
    canvas.polygon(&diamond(4.0), Ink::Paper, 1.0);
    canvas.polygon(&diamond(3.0), Ink::Text, 1.0);
}
