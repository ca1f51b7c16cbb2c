//! Figures of measures: curves over a parameter, and tables of numbers as heat maps.

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::axis::{Scale, foot, horizontal, labels_width, range, ticks, vertical};
use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Stroke, Type};
use crate::figure::Figure;
use crate::ink::{Ink, Rgb, between, dash, on};
use crate::layout::{GAP, Sample, grid, legend, titled};
use crate::letters::{cut, width as width_of};

/// The colours of the least and the most.
const ENDS: [Rgb; 2] = [[247, 247, 247], [0, 84, 147]];

/// A panel of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePanel {
    /// Its title.
    pub title: String,
    /// Label of the horizontal axis.
    pub across: String,
    /// The curves by the names of the series.
    pub curves: Vec<(String, CurvePoints)>,
}

/// Places on the horizontal axis, and the number there, or none where it is not defined.
pub type CurvePoints = Vec<(f64, Option<f64>)>;

/// Curves over a parameter, in panels with one legend. The order of the series is that of the first panel.
#[must_use]
pub fn curves(name: &str, caption: &str, panels: &[CurvePanel]) -> Option<Figure> {
    let points = panels.iter().flat_map(|panel| &panel.curves);
    let mut numbers = points
        .flat_map(|(_, points)| points)
        .filter_map(|(_, v)| *v);
    numbers.next()?;
    let columns = vec![
        TableColumn::new("Panel", ColumnKind::Text),
        TableColumn::new("Series", ColumnKind::Text),
        TableColumn::new("Across", ColumnKind::Number),
        TableColumn::new("Value", ColumnKind::Number),
    ];
    let mut rows = Vec::new();
    for panel in panels {
        for (series, points) in &panel.curves {
            for (across, value) in points {
                rows.push(vec![
                    TableCell::text(&panel.title),
                    TableCell::text(series),
                    TableCell::Number(*across),
                    TableCell::number(*value),
                ]);
            }
        }
    }
    let (name, caption) = (name.to_owned(), caption.to_owned());
    Some(Figure::new(name, caption, columns, rows, |width| {
        draw_curves(width, panels)
    }))
}

fn draw_curves(width: f64, panels: &[CurvePanel]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let first = panels.first().map(|panel| &panel.curves);
    let names: Vec<String> = first
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let top = legend(&mut canvas, 0.0, &names, Sample::Marker);
    let areas = grid(&mut canvas, panels.len(), top, 130.0, 140.0, 3);
    for (panel, area) in panels.iter().zip(areas) {
        let inner = titled(&mut canvas, area, &panel.title);
        let all = || panel.curves.iter().flat_map(|(_, points)| points);
        let (low, high) = range(all().filter_map(|(_, value)| *value));
        let ends = all().map(|(across, _)| *across);
        let (from, until) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), at| {
            (a.min(at), b.max(at))
        });
        let up = ticks(low, high, 5);
        let left = labels_width(&up);
        let plot = Area::new(
            inner.x + left,
            inner.y + 4.0,
            inner.w - left - 4.0,
            inner.h - 30.0,
        );
        let (x, y) = (Scale::along(plot, from, until), Scale::up(plot, low, high));
        vertical(&mut canvas, plot, y, &up);
        horizontal(&mut canvas, plot, x, &ticks(from, until, 5), &panel.across);
        for (name, points) in &panel.curves {
            let series = names.iter().position(|it| it == name).unwrap_or(0);
            let places: Vec<(f64, f64)> = points
                .iter()
                .filter_map(|(across, value)| Some((x.at(*across), y.within((*value)?))))
                .collect();
            let stroke = Stroke::dashed(Ink::Series(series), 1.4, dash(series));
            canvas.polyline(&places, stroke);
            // Where many lie close together, markers would hide the line.
            let every = places.len().div_ceil(8).max(1);
            for place in places.iter().step_by(every) {
                canvas.marker(*place, series, 2.2);
            }
        }
        foot(&mut canvas, plot);
    }
    canvas.height += GAP / 3.0;
    canvas
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Its title.
    pub title: String,
    /// The names of its rows.
    pub rows: Vec<String>,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The numbers, row by row; none where one is not defined.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Tables of numbers as heat maps, a panel each, on one scale of colours from the first of `ends` to the second; what
/// lies beyond has the colour of the end. `None` without numbers.
#[must_use]
pub fn heat_maps(name: &str, caption: &str, tables: &[Matrix], ends: (f64, f64)) -> Option<Figure> {
    let mut numbers = tables
        .iter()
        .flat_map(|table| table.values.iter().flatten());
    numbers.find(|value| value.is_some())?;
    let columns = vec![
        TableColumn::new("Panel", ColumnKind::Text),
        TableColumn::new("Row", ColumnKind::Text),
        TableColumn::new("Column", ColumnKind::Text),
        TableColumn::new("Value", ColumnKind::Number),
    ];
    let mut rows = Vec::new();
    for table in tables {
        for (row, values) in table.rows.iter().zip(&table.values) {
            for (column, value) in table.columns.iter().zip(values) {
                rows.push(vec![
                    TableCell::text(&table.title),
                    TableCell::text(row),
                    TableCell::text(column),
                    TableCell::number(*value),
                ]);
            }
        }
    }
    let (name, caption) = (name.to_owned(), caption.to_owned());
    Some(Figure::new(name, caption, columns, rows, |width| {
        draw_maps(width, tables, ends)
    }))
}

fn draw_maps(width: f64, tables: &[Matrix], (low, high): (f64, f64)) -> Canvas {
    const CELL: f64 = 17.0;
    let mut canvas = Canvas::new(width);
    let names = tables.iter().flat_map(|table| &table.rows);
    let widest = names
        .map(|name| width_of(name, BODY.size, false))
        .fold(0.0, f64::max);
    let left = widest.min(80.0) + 5.0;
    let most = tables
        .iter()
        .map(|table| table.rows.len())
        .max()
        .unwrap_or(1);
    let height = 13.0 + most as f64 * CELL + 40.0;
    let areas = grid(&mut canvas, tables.len(), 0.0, 150.0, height, 3);
    for (table, area) in tables.iter().zip(areas) {
        let inner = titled(&mut canvas, area, &table.title);
        let w = ((inner.w - left) / table.columns.len().max(1) as f64).min(2.0 * CELL);
        for (row, (name, values)) in table.rows.iter().zip(&table.values).enumerate() {
            let y = inner.y + 2.0 + row as f64 * CELL;
            let at = (inner.x + left - 4.0, y + CELL / 2.0 + BODY.size * 0.36);
            let name = cut(name, BODY.size, false, left - 5.0);
            canvas.text(at, Anchor::End, BODY, &name);
            for (column, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let x = inner.x + left + column as f64 * w;
                let share = if high > low {
                    (value - low) / (high - low)
                } else {
                    0.0
                };
                let colour = between(ENDS[0], ENDS[1], share);
                let cell = Area::new(x, y, w - 1.0, CELL - 1.0);
                canvas.rect(cell, Ink::Fixed(colour), 1.0);
                if w >= 14.0 {
                    let style = Type {
                        ink: on(colour),
                        size: 6.0,
                        ..SMALL
                    };
                    let at = (x + w / 2.0, y + CELL / 2.0 + 2.0);
                    canvas.text(at, Anchor::Middle, style, &rounded(*value, 2));
                }
            }
        }
        let bottom = inner.y + 2.0 + table.rows.len() as f64 * CELL;
        for (column, name) in table.columns.iter().enumerate() {
            let x = inner.x + left + (column as f64 + 0.5) * w;
            let name = cut(name, SMALL.size, false, 50.0);
            let at = (x + 2.0, bottom + SMALL.size + 2.0);
            canvas.turned(at, Anchor::End, SMALL, &name, -35.0);
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}
