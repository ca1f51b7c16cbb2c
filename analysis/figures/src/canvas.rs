//! Drawings as SVG elements. Lengths are in points (1/72 inch): the width is that of
//! the printed figure, and sizes of letters are what a journal asks for.

use std::fmt::Write as _;
use std::ops::Range;

use analysis::table::escaped_html as escaped;

use crate::ink::Ink;

mod people;

pub use people::PersonLink;

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Area {
    pub(crate) fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    pub(crate) fn right(self) -> f64 {
        self.x + self.w
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.h
    }
}

/// Where a text stands relative to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub size: f64,
    pub bold: bool,
    pub ink: Ink,
}

/// Numbers at axes.
pub(crate) const SMALL: Type = Type {
    size: 6.5,
    bold: false,
    ink: Ink::Muted,
};
/// Names of conditions, of axes, in legends.
pub(crate) const BODY: Type = Type {
    size: 7.0,
    bold: false,
    ink: Ink::Text,
};
/// Names of panels.
pub(crate) const TITLE: Type = Type {
    size: 7.5,
    bold: true,
    ink: Ink::Text,
};

/// How a line looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub ink: Ink,
    pub width: f64,
    /// Lengths of dashes and gaps; empty: none.
    pub dash: &'static str,
}

impl Stroke {
    pub(crate) const fn solid(ink: Ink, width: f64) -> Self {
        Self {
            ink,
            width,
            dash: "",
        }
    }

    pub(crate) const fn dashed(ink: Ink, width: f64, dash: &'static str) -> Self {
        Self { ink, width, dash }
    }
}

/// Marks in the order in which they are drawn.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    pub width: f64,
    pub height: f64,
    body: String,
    /// Which bytes of the body stand for which person, by number among all who started, in order.
    people: Vec<(Range<usize>, usize)>,
}

impl Canvas {
    pub(crate) fn new(width: f64) -> Self {
        Self {
            width,
            height: 0.0,
            body: String::new(),
            people: Vec::new(),
        }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.polyline(&[from, to], stroke);
    }

    /// A line through points; nothing for one that goes nowhere (the whisker of a box whose
    /// quartile is its extreme), which programs that draw it would complain about.
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let goes = |pair: &[(f64, f64)]| {
            !is_nothing(pair[1].0 - pair[0].0) || !is_nothing(pair[1].1 - pair[0].1)
        };
        if points.windows(2).any(goes) {
            self.stroked(&path(points), stroke);
        }
    }

    fn stroked(&mut self, path: &str, stroke: Stroke) {
        let dash = if stroke.dash.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", stroke.dash)
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\"{} stroke-width=\"{}\"{dash} stroke-linejoin=\"round\"/>",
            stroke.ink.stroke(),
            stroke.width
        );
    }

    /// A filled shape with corners at these points.
    pub(crate) fn polygon(&mut self, points: &[(f64, f64)], ink: Ink, opacity: f64) {
        if points.len() > 2 {
            let _ = writeln!(
                self.body,
                "<path d=\"{}Z\"{}{}/>",
                path(points),
                ink.fill(),
                see_through(opacity)
            );
        }
    }

    pub(crate) fn rect(&mut self, area: Area, ink: Ink, opacity: f64) {
        if is_nothing(area.w) || is_nothing(area.h) {
            return;
        }
        let _ = writeln!(
            self.body,
            "<rect{}{}{}/>",
            place(area),
            ink.fill(),
            see_through(opacity)
        );
    }

    /// A rectangle's edge; nothing for one without width or height.
    pub(crate) fn frame(&mut self, area: Area, stroke: Stroke) {
        if is_nothing(area.w) || is_nothing(area.h) {
            return;
        }
        let _ = writeln!(
            self.body,
            "<rect{} fill=\"none\"{} stroke-width=\"{}\"/>",
            place(area),
            stroke.ink.stroke(),
            stroke.width
        );
    }

    pub(crate) fn circle(&mut self, at: (f64, f64), radius: f64, ink: Ink, opacity: f64) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius}\"{}{}/>",
            at.0,
            at.1,
            ink.fill(),
            see_through(opacity)
        );
    }

    /// A marker whose shape says which series it is, so that colour is not all there is.
    pub(crate) fn marker(&mut self, at: (f64, f64), series: usize, radius: f64) {
        let (x, y) = at;
        let ink = Ink::Series(series);
        let corners: Vec<(f64, f64)> = match series % 4 {
            0 => return self.circle(at, radius, ink, 1.0),
            1 => vec![(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .into_iter()
                .map(|(a, b)| (a * 0.9, b * 0.9))
                .collect(),
            2 => vec![(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
            _ => vec![(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let points: Vec<(f64, f64)> = corners
            .iter()
            .map(|(a, b)| (x + a * radius, y + b * radius))
            .collect();
        self.polygon(&points, ink, 1.0);
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, style: Type, text: &str) {
        self.turned(at, anchor, style, text, 0.0);
    }

    /// Text turned about its place, in degrees clockwise.
    pub(crate) fn turned(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        style: Type,
        text: &str,
        degrees: f64,
    ) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if style.bold {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let (x, y) = at;
        let turn = if degrees == 0.0 {
            String::new()
        } else {
            format!(" transform=\"rotate({degrees} {x:.2} {y:.2})\"")
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{}\"{anchor}{weight}{}{turn}>{}</text>",
            style.size,
            style.ink.fill(),
            escaped(text)
        );
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let mut out = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = write!(out, "{}{x:.2} {y:.2}", if index == 0 { 'M' } else { 'L' });
    }
    out
}

/// Whether a length is written as none.
fn is_nothing(length: f64) -> bool {
    length.abs() < 0.005
}

fn place(area: Area) -> String {
    let Area { x, y, w, h } = area;
    format!(" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\"")
}

fn see_through(opacity: f64) -> String {
    if opacity < 1.0 {
        format!(" fill-opacity=\"{opacity}\"")
    } else {
        String::new()
    }
}
