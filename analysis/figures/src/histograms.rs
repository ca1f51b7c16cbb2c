//! Histograms of numbers, a panel for each list.

use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::axis::{Scale, foot, horizontal, labels_width, ticks, vertical};
use crate::canvas::{Area, Canvas};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::layout::{GAP, grid, titled};

/// Bars of a histogram, between its ends.
const BARS: usize = 20;

/// A list of numbers, and what it is called.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramPanel {
    /// Its title.
    pub title: String,
    /// Label of the horizontal axis: the name of the numbers.
    pub across: String,
    /// The numbers.
    pub values: Vec<f64>,
}

/// Histograms with twenty bars between `ends`, which all panels share. A number at the upper end belongs to the last bar;
/// one outside the ends to the bar nearest to it. None where there is no number. Numbers must be finite.
#[must_use]
pub fn histograms(
    name: &str,
    caption: &str,
    panels: &[HistogramPanel],
    ends: (f64, f64),
) -> Option<Figure> {
    if panels.iter().all(|panel| panel.values.is_empty()) {
        return None;
    }
    let counted: Vec<[usize; BARS]> = panels.iter().map(|p| counts(&p.values, ends)).collect();
    let columns = vec![
        TableColumn::new("Panel", ColumnKind::Text),
        TableColumn::new("From", ColumnKind::Number),
        TableColumn::new("To", ColumnKind::Number),
        TableColumn::new("Count", ColumnKind::Count),
    ];
    let edge = |bar: usize| ends.0 + (ends.1 - ends.0) * bar as f64 / BARS as f64;
    let rows = panels.iter().zip(&counted).flat_map(|(panel, counts)| {
        counts.iter().enumerate().map(move |(bar, count)| {
            vec![
                TableCell::text(&panel.title),
                TableCell::Number(edge(bar)),
                TableCell::Number(edge(bar + 1)),
                TableCell::Count(*count),
            ]
        })
    });
    let rows = rows.collect();
    let (name, caption) = (name.to_owned(), caption.to_owned());
    Some(Figure::new(name, caption, columns, rows, |width| {
        draw(width, panels, &counted, ends)
    }))
}

fn counts(values: &[f64], (low, high): (f64, f64)) -> [usize; BARS] {
    let mut counts = [0; BARS];
    for value in values {
        let bar = ((value - low) / (high - low) * BARS as f64).floor();
        counts[bar.clamp(0.0, (BARS - 1) as f64) as usize] += 1;
    }
    counts
}

fn draw(
    width: f64,
    panels: &[HistogramPanel],
    counted: &[[usize; BARS]],
    (low, high): (f64, f64),
) -> Canvas {
    let mut canvas = Canvas::new(width);
    let areas = grid(&mut canvas, panels.len(), 0.0, 130.0, 120.0, 3);
    // One scale for all, so that panels can be compared.
    let most = counted.iter().flatten().max().copied().unwrap_or(1).max(1);
    for ((panel, counts), area) in panels.iter().zip(counted).zip(areas) {
        let inner = titled(&mut canvas, area, &panel.title);
        let up = ticks(0.0, most as f64, 4);
        let left = labels_width(&up);
        let plot = Area::new(
            inner.x + left,
            inner.y + 4.0,
            inner.w - left - 4.0,
            inner.h - 30.0,
        );
        let (x, y) = (
            Scale::along(plot, low, high),
            Scale::up(plot, 0.0, most as f64),
        );
        vertical(&mut canvas, plot, y, &up);
        horizontal(&mut canvas, plot, x, &ticks(low, high, 4), &panel.across);
        let wide = plot.w / BARS as f64;
        for (bar, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let top = y.at(*count as f64);
            let left = plot.x + bar as f64 * wide;
            let area = Area::new(left + 0.4, top, wide - 0.8, plot.bottom() - top);
            canvas.rect(area, Ink::Series(0), 1.0);
        }
        foot(&mut canvas, plot);
    }
    canvas.height += GAP / 3.0;
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_belong_to_the_outer_bars() {
        // numpy.histogram([-1, -1, 0, 0.05, 1], bins=20, range=(-1, 1))[0]
        let found = counts(&[-1.0, -1.0, 0.0, 0.05, 1.0], (-1.0, 1.0));
        let mut expected = [0; BARS];
        (expected[0], expected[10], expected[19]) = (2, 2, 1);
        assert_eq!(found, expected);
    }
}
