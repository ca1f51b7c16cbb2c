//! A sheet as PNG, drawn by a small canvas of our own.

use domain::model::SeriesDisplay;

use super::letters::Letters;
use super::pixels::{Pixels, pixels, png};
use super::{Area, BLUE, Colour, GUIDE, Mark, PAPER, PLOT, Scene, between};

/// Pixels of the file for each pixel of the sheet, along a side.
const SCALE: f64 = 2.0;
/// Width of a curve, in pixels of the sheet.
const STROKE: f64 = 1.3;

/// Draws a scene.
///
/// # Errors
/// When the picture cannot be encoded.
pub fn raster(scene: &Scene<'_>) -> anyhow::Result<Vec<u8>> {
    let mut canvas = Canvas::new(scene.width, scene.height);
    let letters = Letters::new()?;
    for mark in &scene.marks {
        match mark {
            Mark::Text {
                at,
                size,
                anchor,
                colour,
                bold,
                text,
            } => {
                let at = ((at.0 * SCALE) as f32, (at.1 * SCALE) as f32);
                let size = (size * SCALE) as f32;
                letters.draw(text, *bold, size, at, *anchor, |x, y, share| {
                    canvas.dot(x, y, *colour, share);
                });
            }
            Mark::Fill { area, colour } => canvas.fill(area, *colour),
            Mark::Instance { area, values } => {
                match (
                    pixels(scene.shape, scene.display, values),
                    &scene.display.series,
                ) {
                    (Some(pixels), _) => canvas.picture(area, &pixels),
                    (None, Some(axes)) => canvas.curve(area, axes, values),
                    (None, None) => {}
                }
            }
        }
    }
    Ok(png(&canvas.0)?)
}

struct Canvas(Pixels);

impl Canvas {
    fn new(width: f64, height: f64) -> Self {
        let (width, height) = ((width * SCALE) as usize, (height * SCALE).ceil() as usize);
        Self(Pixels {
            width,
            height,
            channels: 3,
            bytes: PAPER.repeat(width * height),
        })
    }

    /// Recolours the pixels of an area: `colour` gets the centre of each, in pixels of the
    /// sheet, and the colour it has.
    fn paint(&mut self, area: &Area, colour: impl Fn(f64, f64, Colour) -> Colour) {
        let ends = |from: f64, length: f64, limit: usize| {
            let end = |at: f64| ((at * SCALE).round().max(0.0) as usize).min(limit);
            end(from)..end(from + length)
        };
        for row in ends(area.y, area.h, self.0.height) {
            for column in ends(area.x, area.w, self.0.width) {
                let at = 3 * (row * self.0.width + column);
                let bytes = &mut self.0.bytes[at..at + 3];
                let (x, y) = ((column as f64 + 0.5) / SCALE, (row as f64 + 0.5) / SCALE);
                let painted = colour(x, y, [bytes[0], bytes[1], bytes[2]]);
                bytes.copy_from_slice(&painted);
            }
        }
    }

    /// Covers a share of one pixel; none beyond the edges.
    fn dot(&mut self, x: i32, y: i32, colour: Colour, share: f32) {
        let inside = |at: i32, limit: usize| usize::try_from(at).ok().filter(|&at| at < limit);
        let (Some(x), Some(y)) = (inside(x, self.0.width), inside(y, self.0.height)) else {
            return;
        };
        let at = 3 * (y * self.0.width + x);
        let bytes = &mut self.0.bytes[at..at + 3];
        let painted = between([bytes[0], bytes[1], bytes[2]], colour, f64::from(share));
        bytes.copy_from_slice(&painted);
    }

    fn fill(&mut self, area: &Area, colour: Colour) {
        self.paint(area, |_, _, _| colour);
    }

    fn picture(&mut self, area: &Area, pixels: &Pixels) {
        let nearest =
            |share: f64, length: usize| ((share * length as f64) as usize).min(length - 1);
        self.paint(area, |x, y, before| {
            let column = nearest((x - area.x) / area.w, pixels.width);
            let row = nearest((y - area.y) / area.h, pixels.height);
            let at = (row * pixels.width + column) * pixels.channels;
            match pixels.bytes.get(at..at + pixels.channels) {
                Some(&[grey]) => [grey; 3],
                Some(&[r, g, b]) => [r, g, b],
                _ => before,
            }
        });
    }

    fn curve(&mut self, area: &Area, axes: &SeriesDisplay, values: &[f32]) {
        self.fill(area, PLOT);
        if let Some(guide) = axes.guide_at {
            let y = height_of(area, axes, guide) - 0.5 / SCALE;
            let dash = |x: f64| ((x - area.x) / 2.0) as usize;
            let line = Area {
                y,
                h: 1.0 / SCALE,
                ..*area
            };
            self.paint(&line, |x, _, before| {
                if dash(x).is_multiple_of(2) {
                    GUIDE
                } else {
                    before
                }
            });
        }
        let points: Vec<(f64, f64)> = points(area, axes, values).collect();
        self.paint(area, |x, y, before| {
            // Only pieces of the curve within reach of this pixel.
            let reach = STROKE / 2.0 + 1.0 / SCALE;
            let from = points
                .partition_point(|p| p.0 < x - reach)
                .saturating_sub(1);
            let to = (points.partition_point(|p| p.0 <= x + reach) + 1).min(points.len());
            let away = points[from..to]
                .windows(2)
                .map(|ends| distance((x, y), ends[0], ends[1]))
                .fold(f64::INFINITY, f64::min);
            // Half covered where the edge of the stroke runs through the pixel's centre.
            between(before, BLUE, (STROKE / 2.0 - away) * SCALE + 0.5)
        });
    }
}

/// Where the points of a series lie in an area; points that are not finite are left out.
pub(super) fn points<'a>(
    area: &'a Area,
    axes: &'a SeriesDisplay,
    values: &'a [f32],
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let last = values.len().saturating_sub(1).max(1) as f64;
    values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
        .map(move |(index, &value)| {
            let x = area.x + area.w * index as f64 / last;
            (x, height_of(area, axes, f64::from(value)))
        })
}

/// Where a value lies in an area; what is off the plot lies at its edge.
pub(super) fn height_of(area: &Area, axes: &SeriesDisplay, value: f64) -> f64 {
    let share = (value - axes.y_min) / (axes.y_max - axes.y_min);
    area.y + area.h * (1.0 - share.clamp(0.0, 1.0))
}

/// Distance of a point from a piece of a straight line.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (px, py) = (point.0 - from.0, point.1 - from.1);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 {
        ((px * dx + py * dy) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (px - share * dx).hypot(py - share * dy)
}
