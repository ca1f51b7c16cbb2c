//! Where the dials stood over time, in one question of each condition.

use analysis::TypicalPath;
use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::Of;
use crate::axis::{Scale, foot, horizontal, labels_width, ticks, vertical};
use crate::canvas::{Anchor, Area, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::{Ink, dash};
use crate::layout::{GAP, Sample, grid, legend, titled};

/// The conditions of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows = of.rows(&of.sample.typical, |row| &row.comparison);
    if rows.is_empty() {
        return None;
    }
    let names = of.names_of(&rows, |row| &row.condition);
    let n: Vec<String> = rows
        .iter()
        .zip(&names)
        .map(|(row, name)| {
            format!(
                "{name}: question {} of person {}, of {} solved",
                row.question, row.person, row.among
            )
        })
        .collect();
    let caption = format!(
        "Dials over time in one question of each condition of the comparison {}: of the solved ones, the one \
         whose response time is nearest to their median ({}). Above: where each dial stood in its range; below: \
         distance between picture and target; dashed: the distance that solves the question. An example, no \
         estimate.",
        of.name,
        n.join("; ")
    );
    let name = of.file("dials-over-time");
    let mut data = Vec::new();
    for row in &rows {
        for (index, second) in row.path.seconds.iter().enumerate() {
            for (dial, value) in row.path.z.get(index).into_iter().flatten().enumerate() {
                data.push(vec![
                    TableCell::text(&row.condition),
                    TableCell::Count(row.person).of_people([row.person]),
                    TableCell::Count(row.question),
                    TableCell::Number(*second),
                    TableCell::number(row.path.distance.get(index).copied()),
                    TableCell::Count(dial + 1),
                    TableCell::Number(*value),
                    TableCell::number(share(row, dial, *value)),
                ]);
            }
        }
    }
    let columns = vec![
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("Person", ColumnKind::Count),
        TableColumn::new("Question", ColumnKind::Count),
        TableColumn::new("Seconds", ColumnKind::Number),
        TableColumn::new("Distance", ColumnKind::Number),
        TableColumn::keyed("Dial, from 1", "dial", ColumnKind::Count),
        TableColumn::new("Value", ColumnKind::Number),
        TableColumn::keyed("Share of its range", "share", ColumnKind::Number),
    ];
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, &rows, &names)
    }))
}

/// Where in a dial's range a value lies; in its middle, where the range has no width.
fn share(row: &TypicalPath, dial: usize, value: f64) -> Option<f64> {
    let dial = row.dials.get(dial)?;
    let width = dial.max - dial.min;
    Some(if width > 0.0 {
        (value - dial.min) / width
    } else {
        0.5
    })
}

fn draw(width: f64, rows: &[&TypicalPath], names: &[String]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let dials = rows.iter().map(|row| row.dials.len()).max().unwrap_or(0);
    let dial_names: Vec<String> = (1..=dials).map(|dial| format!("Dial {dial}")).collect();
    let top = legend(&mut canvas, 0.0, &dial_names, Sample::Line);
    let areas = grid(&mut canvas, rows.len(), top, 140.0, 190.0, 3);
    for ((row, name), panel) in rows.iter().zip(names).zip(areas) {
        let inner = canvas.of_person(row.person, |canvas| titled(canvas, panel, name));
        let left = labels_width(&ticks(0.0, 1.0, 2));
        let until = row
            .response_time_s
            .max(row.path.seconds.last().copied().unwrap_or(0.0))
            .max(1.0);
        let upper = Area::new(
            inner.x + left,
            inner.y + 8.0,
            inner.w - left - 5.0,
            (inner.h - 40.0) * 0.62,
        );
        let lower = Area {
            y: upper.bottom() + 14.0,
            h: (inner.h - 40.0) * 0.38 - 8.0,
            ..upper
        };
        let x = Scale::along(upper, 0.0, until);
        let of = |plot: Area| Scale::up(plot, 0.0, 1.0);
        let places = ticks(0.0, until, if upper.w < 150.0 { 4 } else { 6 });
        for plot in [upper, lower] {
            vertical(&mut canvas, plot, of(plot), &ticks(0.0, 1.0, 2));
            foot(&mut canvas, plot);
        }
        horizontal(&mut canvas, lower, x, &places, "Time (s)");
        let y = of(upper);
        for dial in 0..row.dials.len() {
            let values = row
                .path
                .z
                .iter()
                .map(|z| z.get(dial).and_then(|v| share(row, dial, *v)));
            let line = steps(&row.path.seconds, values, until);
            let points: Vec<(f64, f64)> =
                line.iter().map(|(t, v)| (x.at(*t), y.within(*v))).collect();
            canvas.polyline(&points, Stroke::dashed(Ink::Series(dial), 1.4, dash(dial)));
        }
        let y = of(lower);
        let values = row.path.distance.iter().map(|value| Some(*value));
        let line = steps(&row.path.seconds, values, until);
        let points: Vec<(f64, f64)> = line.iter().map(|(t, v)| (x.at(*t), y.within(*v))).collect();
        canvas.polyline(&points, Stroke::solid(Ink::Text, 1.2));
        if let Some(threshold) = row.threshold {
            let solved = y.at(threshold);
            let dashed = Stroke::dashed(Ink::Muted, 0.8, "3 2");
            canvas.line((lower.x, solved), (lower.right(), solved), dashed);
        }
        let at = (lower.x + 2.0, lower.y - 3.0);
        canvas.text(at, Anchor::Start, SMALL, "Distance");
        let at = (upper.x + 2.0, upper.y - 2.0);
        canvas.text(at, Anchor::Start, SMALL, "Place in its range");
    }
    canvas.height += GAP / 3.0;
    canvas
}

/// A value counts until the next: the corners of that line, up to `until`.
fn steps(
    seconds: &[f64],
    values: impl Iterator<Item = Option<f64>>,
    until: f64,
) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (second, value) in seconds.iter().zip(values) {
        let Some(value) = value else { continue };
        if let Some((_, last)) = corners.last().copied() {
            corners.push((*second, last));
        }
        corners.push((*second, value));
    }
    if let Some((_, last)) = corners.last().copied() {
        corners.push((until, last));
    }
    corners
}
