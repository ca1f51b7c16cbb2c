//! Right answers by dimension: the paper's figure 7.

use analysis::DimensionRow;
use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::axis::{Scale, foot, labels_width, ticks, vertical};
use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, grid, titled};
use crate::{Of, between_them};

/// The conditions of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows = of.rows(&of.sample.dimensions, |row| &row.comparison);
    let people = between_them(rows.iter().map(|row| row.right.n))?;
    let caption = format!(
        "Rate of right answers by dimension in the comparison {}: mean over people who are included (n = {people}) ± \
         one standard error; dashed: what guessing gives. No test.",
        of.name
    );
    let name = of.file("correct-by-dimension");
    let columns = vec![
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::keyed("Dimension, from 1", "dimension", ColumnKind::Count),
        TableColumn::new("n", ColumnKind::Count),
        TableColumn::new("Rate", ColumnKind::Number),
        TableColumn::new("Standard error", ColumnKind::Number),
        TableColumn::new("Chance", ColumnKind::Number),
    ];
    let data = rows
        .iter()
        .map(|row| {
            vec![
                TableCell::text(&row.condition),
                TableCell::Count(row.dimension + 1),
                TableCell::Count(row.right.n),
                TableCell::Number(row.right.mean),
                TableCell::number(row.right.standard_error),
                TableCell::Number(row.chance),
            ]
        })
        .collect();
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, of, &rows)
    }))
}

fn draw(width: f64, of: Of<'_>, rows: &[&DimensionRow]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let conditions: Vec<&str> = of
        .conditions()
        .into_iter()
        .filter(|condition| rows.iter().any(|row| row.condition == *condition))
        .collect();
    let names = of.analysis.names_of(&conditions);
    let dimensions = rows.iter().map(|row| row.dimension + 1).max().unwrap_or(1);
    let narrowest = (30.0 + dimensions as f64 * 18.0).clamp(110.0, width);
    let areas = grid(&mut canvas, conditions.len(), 0.0, narrowest, 130.0, 4);
    for ((condition, name), panel) in conditions.iter().zip(&names).zip(areas) {
        let series = of.place(condition);
        let inner = titled(&mut canvas, panel, name);
        let ticks = ticks(0.0, 1.0, 5);
        let left = labels_width(&ticks);
        let plot = Area::new(
            inner.x + left,
            inner.y + 4.0,
            inner.w - left,
            inner.h - 28.0,
        );
        let scale = Scale::up(plot, 0.0, 1.0);
        vertical(&mut canvas, plot, scale, &ticks);
        let slot = plot.w / dimensions as f64;
        let of_condition = || rows.iter().filter(|row| row.condition == *condition);
        let chance: Vec<(f64, f64)> = of_condition()
            .flat_map(|row| {
                let left = plot.x + slot * row.dimension as f64;
                let y = scale.at(row.chance);
                [(left, y), (left + slot, y)]
            })
            .collect();
        canvas.polyline(&chance, Stroke::dashed(Ink::Text, 0.9, "2.5 2"));
        for row in of_condition() {
            let x = plot.x + slot * (row.dimension as f64 + 0.5);
            if let Some(error) = row.right.standard_error {
                let (low, high) = (row.right.mean - error, row.right.mean + error);
                let ends = ((x, scale.within(low)), (x, scale.within(high)));
                canvas.line(ends.0, ends.1, Stroke::solid(Ink::Series(series), 1.2));
            }
            canvas.marker((x, scale.at(row.right.mean)), series, 2.8);
            let at = (x, plot.bottom() + SMALL.size + 3.0);
            canvas.text(at, Anchor::Middle, SMALL, &(row.dimension + 1).to_string());
        }
        foot(&mut canvas, plot);
        let at = (
            plot.x + plot.w / 2.0,
            plot.bottom() + 2.0 * SMALL.size + 7.0,
        );
        canvas.text(at, Anchor::Middle, BODY, "Dimension");
    }
    canvas.height += GAP / 3.0;
    canvas
}
