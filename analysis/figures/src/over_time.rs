//! The distance to the target over time.

use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{DistanceOverTime, PEOPLE_WITH_PATHS};

use crate::Of;
use crate::axis::{foot, horizontal, shares_over_time, ticks};
use crate::canvas::{Anchor, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, grid, titled};

/// The conditions of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows = of.rows(&of.sample.over_time, |row| &row.comparison);
    if rows.is_empty() {
        return None;
    }
    let names = of.names_of(&rows, |row| &row.condition);
    let n: Vec<String> = rows
        .iter()
        .zip(&names)
        .map(|(row, name)| {
            format!(
                "{name}: {} questions of {} people",
                row.questions, row.people
            )
        })
        .collect();
    let caption = format!(
        "Distance between picture and target over time in the comparison {} ({}): median and quartiles over \
         questions; one that has ended counts with its last distance. Dashed: the distance that solves a \
         question. Each curve ends when nine of ten questions have. People who are included, of the first {PEOPLE_WITH_PATHS} who started. No test.",
        of.name,
        n.join("; ")
    );
    let name = of.file("distance-over-time");
    let mut data = Vec::new();
    for row in &rows {
        for point in &row.at {
            data.push(vec![
                TableCell::text(&row.condition),
                TableCell::Number(point.second),
                TableCell::Count(point.open),
                TableCell::Number(point.quartile_1),
                TableCell::Number(point.median),
                TableCell::Number(point.quartile_3),
            ]);
        }
    }
    let columns = vec![
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("Seconds", ColumnKind::Number),
        TableColumn::keyed("Questions open", "open", ColumnKind::Count),
        TableColumn::keyed("First quartile", "quartile_1", ColumnKind::Number),
        TableColumn::new("Median", ColumnKind::Number),
        TableColumn::keyed("Third quartile", "quartile_3", ColumnKind::Number),
    ];
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, of, &rows, &names)
    }))
}

fn draw(width: f64, of: Of<'_>, rows: &[&DistanceOverTime], names: &[String]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let until = rows
        .iter()
        .filter_map(|row| row.at.last())
        .map(|p| p.second)
        .fold(1.0, f64::max);
    let areas = grid(&mut canvas, rows.len(), 0.0, 120.0, 138.0, 4);
    for ((row, name), panel) in rows.iter().zip(names).zip(areas) {
        let series = of.place(&row.condition);
        let inner = titled(&mut canvas, panel, name);
        let (plot, x, y) = shares_over_time(&mut canvas, inner, 36.0, until);
        let count = if plot.w < 130.0 { 3 } else { 5 };
        horizontal(&mut canvas, plot, x, &ticks(0.0, until, count), "Time (s)");
        let at = |second: f64, value: f64| (x.at(second), y.within(value));
        let upper = row.at.iter().map(|p| at(p.second, p.quartile_3));
        let lower = row.at.iter().rev().map(|p| at(p.second, p.quartile_1));
        let band: Vec<(f64, f64)> = upper.chain(lower).collect();
        canvas.polygon(&band, Ink::Series(series), 0.2);
        let median: Vec<(f64, f64)> = row.at.iter().map(|p| at(p.second, p.median)).collect();
        canvas.polyline(&median, Stroke::solid(Ink::Series(series), 1.6));
        if let Some(threshold) = row.threshold {
            let solved = y.at(threshold);
            let dashed = Stroke::dashed(Ink::Text, 0.9, "3 2");
            canvas.line((plot.x, solved), (plot.right(), solved), dashed);
        }
        foot(&mut canvas, plot);
        canvas.text(
            (plot.x + 2.0, plot.y - 2.0),
            Anchor::Start,
            SMALL,
            "Distance",
        );
    }
    canvas.height += GAP / 3.0;
    canvas
}
