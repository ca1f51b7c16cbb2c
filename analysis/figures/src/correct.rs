//! Right answers by dimension: the paper's figure 7.

use analysis::DimensionRow;
use analysis::table::{Cell, Column, Kind, Table, short_names};

use crate::Of;
use crate::axis::{Scale, foot, labels_width, ticks, vertical};
use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, grid, titled};

/// The conditions of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows: Vec<&DimensionRow> = of
        .sample
        .dimensions
        .iter()
        .filter(|row| row.comparison == of.name)
        .collect();
    let people = rows.iter().map(|row| row.right.n);
    let (fewest, most) = (people.clone().min()?, people.max()?);
    let caption = format!(
        "Rate of right answers by dimension in the comparison {}: mean over people who are included ({}) ± one \
         standard error; dashed: what guessing gives. No test.",
        of.name,
        if fewest == most {
            format!("n = {most}")
        } else {
            format!("n = {fewest} to {most}")
        },
    );
    let name = of.file("correct-by-dimension");
    let data = Table {
        name: name.clone(),
        caption: caption.clone(),
        columns: vec![
            Column::new("Condition", Kind::Text),
            Column::keyed("Dimension, from 1", "dimension", Kind::Count),
            Column::new("n", Kind::Count),
            Column::new("Rate", Kind::Number),
            Column::new("Standard error", Kind::Number),
            Column::new("Chance", Kind::Number),
        ],
        rows: rows
            .iter()
            .map(|row| {
                vec![
                    Cell::text(&row.condition),
                    Cell::Count(row.dimension + 1),
                    Cell::Count(row.right.n),
                    Cell::Number(row.right.mean),
                    Cell::number(row.right.standard_error),
                    Cell::Number(row.chance),
                ]
            })
            .collect(),
        notes: Vec::new(),
    };
    Some(Figure::new(name, caption, data, |width| {
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
    let names = short_names(&conditions);
    let dimensions = rows.iter().map(|row| row.dimension + 1).max().unwrap_or(1);
    let narrowest = (30.0 + dimensions as f64 * 18.0).clamp(110.0, width);
    let areas = grid(&mut canvas, conditions.len(), 0.0, narrowest, 130.0, 4);
    for ((condition, name), panel) in conditions.iter().zip(&names).zip(areas) {
        let series = of.place(condition);
        let inner = titled(&mut canvas, panel, name);
        let ticks = ticks(0.0, 1.0, 5);
        let left = labels_width(&ticks);
        let plot = Area {
            x: inner.x + left,
            y: inner.y + 4.0,
            w: inner.w - left,
            h: inner.h - 28.0,
        };
        let scale = Scale {
            low: 0.0,
            high: 1.0,
            from: plot.bottom(),
            to: plot.y,
        };
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
