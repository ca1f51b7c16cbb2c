//! Pictures in rows, each row with its name, and what is marked in them by an outline.

use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::canvas::{Anchor, Area, BODY, Canvas, Stroke};
use crate::figure::Figure;
use crate::ink::{Ink, between};
use crate::layout::GAP;
use crate::letters::{cut, width as width_of};

/// Greys that a picture is drawn in: neighbours of one grey become one rectangle.
const LEVELS: f64 = 7.0;

/// A picture in grey.
#[derive(Debug, Clone, PartialEq)]
pub struct GreyPicture {
    /// Rows and columns of pixels.
    pub pixels: (usize, usize),
    /// Row by row, from 0 (black) to 1.
    pub grey: Vec<f64>,
    /// Rows and columns of the cells that the picture is divided into.
    pub cells: (usize, usize),
    /// Whether each cell is marked, row by row.
    pub marked: Vec<bool>,
    /// Its label in the data, such as its class.
    pub label: String,
    /// A number of it in the data.
    pub value: f64,
}

/// A row of pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureRow {
    /// Its name.
    pub name: String,
    /// Its pictures.
    pub pictures: Vec<GreyPicture>,
}

/// Rows of pictures; `value` names their numbers. `None` without pictures.
#[must_use]
pub fn pictures(name: &str, caption: &str, value: &str, rows: &[PictureRow]) -> Option<Figure> {
    rows.iter().find(|row| !row.pictures.is_empty())?;
    let columns = vec![
        TableColumn::new("Row", ColumnKind::Text),
        TableColumn::new("Place", ColumnKind::Count),
        TableColumn::new("Label", ColumnKind::Text),
        TableColumn::new(value, ColumnKind::Number),
    ];
    let mut data = Vec::new();
    for row in rows {
        for (place, picture) in row.pictures.iter().enumerate() {
            data.push(vec![
                TableCell::text(&row.name),
                TableCell::Count(place + 1),
                TableCell::text(&picture.label),
                TableCell::number(Some(picture.value)),
            ]);
        }
    }
    Some(Figure::new(
        name.to_owned(),
        caption.to_owned(),
        columns,
        data,
        |width| draw(width, rows),
    ))
}

/// Rows stand in as many columns as there is room for.
fn draw(width: f64, rows: &[PictureRow]) -> Canvas {
    const SIDE: f64 = 34.0;
    const BETWEEN: f64 = 3.0;
    let mut canvas = Canvas::new(width);
    let most = rows.iter().map(|row| row.pictures.len()).max();
    let most = most.unwrap_or(1).max(1);
    let names = rows.iter().map(|row| width_of(&row.name, BODY.size, false));
    let left = names.fold(0.0, f64::max).min(60.0) + 5.0;
    let wanted = left + most as f64 * (SIDE + BETWEEN);
    let columns = ((width + GAP) / (wanted + GAP)).floor().max(1.0);
    let of_column = (width - (columns - 1.0) * GAP) / columns;
    let side = ((of_column - left) / most as f64 - BETWEEN).min(SIDE);
    let lines = (rows.len() as f64 / columns).ceil();
    for (number, row) in rows.iter().enumerate() {
        // Down each column first.
        let (column, line) = ((number as f64 / lines).floor(), number as f64 % lines);
        let x = column * (of_column + GAP);
        let y = line * (side + BETWEEN);
        let at = (x + left - 4.0, y + side / 2.0 + BODY.size * 0.36);
        let name = cut(&row.name, BODY.size, false, left - 5.0);
        canvas.text(at, Anchor::End, BODY, &name);
        for (place, picture) in row.pictures.iter().enumerate() {
            let x = x + left + place as f64 * (side + BETWEEN);
            put(&mut canvas, Area::new(x, y, side, side), picture);
        }
    }
    canvas.height = lines * (side + BETWEEN);
    canvas
}

fn put(canvas: &mut Canvas, area: Area, picture: &GreyPicture) {
    canvas.rect(area, Ink::Fixed([0; 3]), 1.0);
    let (rows, columns) = picture.pixels;
    let (w, h) = (area.w / columns as f64, area.h / rows as f64);
    for row in 0..rows {
        let pixels = &picture.grey[row * columns..(row + 1) * columns];
        let mut from = 0;
        for run in pixels.chunk_by(|a, b| level(*a) == level(*b)) {
            let share = level(run[0]);
            if share > 0.0 {
                let x = area.x + from as f64 * w;
                let y = area.y + row as f64 * h;
                let colour = between([0; 3], [255; 3], share);
                let place = Area::new(x, y, run.len() as f64 * w, h);
                canvas.rect(place, Ink::Fixed(colour), 1.0);
            }
            from += run.len();
        }
    }
    outline(canvas, area, picture);
}

/// The grey that a pixel is drawn in, from 0 to 1. A value that is no number is black.
fn level(grey: f64) -> f64 {
    (grey.clamp(0.0, 1.0) * LEVELS).round().max(0.0) / LEVELS
}

/// Lines between cells that are marked and those that are not.
fn outline(canvas: &mut Canvas, area: Area, picture: &GreyPicture) {
    let (rows, columns) = picture.cells;
    let (w, h) = (area.w / columns as f64, area.h / rows as f64);
    let is_marked = |row: usize, column: usize| {
        row < rows && column < columns && picture.marked[row * columns + column]
    };
    let stroke = Stroke::solid(Ink::Fixed([255, 176, 0]), 1.0);
    for row in 0..=rows {
        for column in 0..=columns {
            let (x, y) = (area.x + column as f64 * w, area.y + row as f64 * h);
            let here = is_marked(row, column);
            if here != (row > 0 && is_marked(row - 1, column)) {
                canvas.line((x, y), (x + w, y), stroke);
            }
            if here != (column > 0 && is_marked(row, column - 1)) {
                canvas.line((x, y), (x, y + h), stroke);
            }
        }
    }
}
