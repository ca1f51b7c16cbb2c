//! A sheet as SVG: pictures as PNG data, curves as paths, everything in one file.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::model::{InstanceShape, SeriesDisplay};

use super::pixels::{pixels, png};
use super::{Anchor, Area, BLUE, Colour, GUIDE, LaidOutSheet, Mark, PAPER, PLOT};

/// Draws a scene.
///
/// # Errors
/// When a picture cannot be encoded: its values are not as many as its shape says.
pub fn svg(scene: &LaidOutSheet<'_>) -> anyhow::Result<String> {
    let (width, height) = (scene.width, scene.height.ceil());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\">\n\
         <style>image {{ image-rendering: pixelated; }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        hex(PAPER)
    );
    for mark in &scene.marks {
        match mark {
            Mark::Text {
                at: (x, y),
                size,
                anchor,
                colour,
                bold,
                text,
            } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let weight = if *bold { " font-weight=\"600\"" } else { "" };
                writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     fill=\"{}\"{weight}>{}</text>",
                    hex(*colour),
                    escaped(text)
                )?;
            }
            Mark::Fill { area, colour } => writeln!(out, "{}", rectangle(area, *colour))?,
            Mark::Instance { area, values } => {
                match (
                    pixels(scene.shape, scene.display, values),
                    &scene.display.series,
                ) {
                    (Some(pixels), _) => writeln!(
                        out,
                        "<image {} preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>",
                        place(area),
                        STANDARD.encode(png(&pixels)?)
                    )?,
                    (None, Some(axes)) => {
                        writeln!(out, "{}", rectangle(area, PLOT))?;
                        for curve in 0..scene.shape.channels() {
                            let plot = Plot::of(area, scene.shape, axes, curve);
                            writeln!(out, "{}", plot.drawn(axes.guide_at, values))?;
                        }
                    }
                    (None, None) => {}
                }
            }
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// Between plots of one series.
const BETWEEN: f64 = 1.0;

/// One curve of a series, and where it is drawn.
struct Plot {
    area: Area,
    curve: usize,
    curves: usize,
    ends: [f64; 2],
}

impl Plot {
    /// A curve's part of the area of an instance.
    fn of(area: &Area, shape: InstanceShape, axes: &SeriesDisplay, curve: usize) -> Self {
        let [columns, rows] = shape.plot_grid();
        let (w, h) = (area.w / columns as f64, area.h / rows as f64);
        let between = if columns * rows > 1 { BETWEEN } else { 0.0 };
        Self {
            area: Area {
                x: area.x + w * (curve % columns) as f64,
                y: area.y + h * (curve / columns) as f64,
                w: w - between,
                h: h - between,
            },
            curve,
            curves: shape.channels(),
            ends: axes.ends(curve),
        }
    }

    fn drawn(&self, guide_at: Option<f64>, values: &[f32]) -> String {
        let mut out = String::new();
        let area = &self.area;
        if let Some(guide) = guide_at {
            let y = self.height_of(guide);
            let _ = write!(
                out,
                "<path d=\"M{:.1} {y:.1}h{:.1}\" stroke=\"{}\" stroke-dasharray=\"2 2\" stroke-width=\"0.7\"/>",
                area.x,
                area.w,
                hex(GUIDE)
            );
        }
        let mut path = String::new();
        for (x, y) in self.points(values) {
            let command = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
        let width = if self.curves > 1 { 0.9 } else { 1.3 };
        let _ = write!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
            hex(BLUE)
        );
        out
    }

    /// Where the points of the curve lie; points that are not finite are left out.
    fn points<'a>(&'a self, values: &'a [f32]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let last = (values.len() / self.curves).saturating_sub(1).max(1) as f64;
        let curve = values.iter().skip(self.curve).step_by(self.curves);
        curve
            .enumerate()
            .filter(|(_, value)| value.is_finite())
            .map(move |(index, &value)| {
                let x = self.area.x + self.area.w * index as f64 / last;
                (x, self.height_of(f64::from(value)))
            })
    }

    /// Where a value lies in the plot; what is off it lies at its edge.
    fn height_of(&self, value: f64) -> f64 {
        let [low, high] = self.ends;
        let share = (value - low) / (high - low);
        self.area.y + self.area.h * (1.0 - share.clamp(0.0, 1.0))
    }
}

fn rectangle(area: &Area, colour: Colour) -> String {
    format!("<rect {} fill=\"{}\"/>", place(area), hex(colour))
}

fn place(area: &Area) -> String {
    let Area { x, y, w, h } = area;
    format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"")
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
