//! People's ratings of stages: the paper's figure 9.

use analysis::RatingRow;
use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::axis::{Scale, horizontal, ticks_of_scale};
use crate::canvas::{Anchor, Area, BODY, Canvas, Stroke};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, Sample, legend};
use crate::letters::wrapped;
use crate::{Of, between_them};

/// The items about one comparison's stages, those of one scale together.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows = of.rows(&of.sample.ratings, |row| &row.comparison);
    let people = between_them(rows.iter().map(|row| row.rating.n))?;
    let caption = format!(
        "Subjective measures in the comparison {}: mean over people who are included (n = {people} a condition) \
         ± one standard deviation (divisor n). No test.",
        of.name
    );
    let name = of.file("ratings");
    let columns = vec![
        TableColumn::new("Item", ColumnKind::Text),
        TableColumn::new("Text", ColumnKind::Text),
        TableColumn::new("Lowest", ColumnKind::Number),
        TableColumn::new("Highest", ColumnKind::Number),
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("n", ColumnKind::Count),
        TableColumn::new("Mean", ColumnKind::Number),
        TableColumn::keyed("Standard deviation", "sd", ColumnKind::Number),
    ];
    let data = rows
        .iter()
        .map(|row| {
            vec![
                TableCell::text(&row.item),
                TableCell::text(&row.text),
                TableCell::Number(row.low),
                TableCell::Number(row.high),
                TableCell::text(&row.condition),
                TableCell::Count(row.rating.n),
                TableCell::Number(row.rating.mean),
                TableCell::Number(row.rating.sd_population),
            ]
        })
        .collect();
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, of, &rows)
    }))
}

fn draw(width: f64, of: Of<'_>, rows: &[&RatingRow]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let names = of.names();
    let mut top = legend(&mut canvas, 0.0, &names, Sample::Marker);
    let mut scales: Vec<(f64, f64)> = Vec::new();
    for row in rows {
        if !scales.contains(&(row.low, row.high)) {
            scales.push((row.low, row.high));
        }
    }
    let left = (width * 0.42).min(190.0);
    let line = (names.len() as f64 * 7.5 + 8.0).max(22.0);
    for (low, high) in scales {
        let mut items: Vec<&RatingRow> = Vec::new();
        for row in rows.iter().filter(|row| (row.low, row.high) == (low, high)) {
            if !items.iter().any(|known| known.item == row.item) {
                items.push(row);
            }
        }
        let plot = Area::new(
            left,
            top + 3.0,
            width - left - 8.0,
            items.len() as f64 * line,
        );
        let scale = Scale::along(plot, low, high);
        horizontal(&mut canvas, plot, scale, &ticks_of_scale(low, high), "");
        for (index, item) in items.iter().enumerate() {
            let y = plot.y + index as f64 * line;
            if index > 0 {
                canvas.line((0.0, y), (plot.right(), y), Stroke::solid(Ink::Grid, 0.6));
            }
            let lines = wrapped(&item.text, BODY.size, left - 8.0, 3);
            let first = y + line / 2.0 - (lines.len() as f64 - 1.0) * 4.3 + BODY.size * 0.36;
            for (nth, text) in lines.iter().enumerate() {
                let at = (0.0, first + nth as f64 * 8.6);
                canvas.text(at, Anchor::Start, BODY, text);
            }
            for row in rows.iter().filter(|row| row.item == item.item) {
                let series = of.place(&row.condition);
                let y = y + line / 2.0 + (series as f64 - (names.len() as f64 - 1.0) / 2.0) * 7.5;
                let (mean, sd) = (row.rating.mean, row.rating.sd_population);
                let bar = [mean - sd, mean + sd].map(|v| (scale.within(v), y));
                canvas.line(bar[0], bar[1], Stroke::solid(Ink::Series(series), 1.2));
                canvas.marker((scale.within(mean), y), series, 2.6);
            }
        }
        top = plot.bottom() + 20.0;
    }
    canvas.height = top + GAP / 3.0 - 4.0;
    canvas
}
