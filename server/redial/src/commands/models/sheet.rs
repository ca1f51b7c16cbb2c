//! A model at a glance: what each dial does, random samples, and what the dials have to
//! do with the factors of the data, laid out on one sheet.
//!
//! [`Sheet`] is what there is to see; [`layout`](Sheet::scene) gives every mark its place;
//! [`svg`] writes them down, and [`raster`] draws that. None of them knows about bundles.

use domain::model::{Display, InstanceShape};

mod layout;
mod pixels;
pub mod raster;
pub mod svg;
#[cfg(test)]
mod tests;

/// An instance, flattened row by row, channels last.
pub type FlatInstance = Vec<f32>;

/// What is on a sheet.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Headline.
    pub title: String,
    /// Line under it.
    pub subtitle: String,
    /// Shape of every instance.
    pub shape: InstanceShape,
    /// How participants see them.
    pub display: Display,
    /// What each dial does.
    pub traversals: Vec<Traversal>,
    /// Instances as questions draw them.
    pub samples: Vec<FlatInstance>,
    /// Mutual information, where it was measured.
    pub matrix: Option<InformationMatrix>,
}

/// One dial moved, all others left alone.
#[derive(Debug, Clone)]
pub struct Traversal {
    /// Name of the dial, and how far it is moved.
    pub label: String,
    /// For each starting point the instances on the way.
    pub rows: Vec<Vec<FlatInstance>>,
}

/// Mutual information between factors and dials.
#[derive(Debug, Clone)]
pub struct InformationMatrix {
    /// Names of the factors, each with its entropy in bits.
    pub factors: Vec<(String, f64)>,
    /// One row for each factor, one column for each dial, in bits.
    pub bits: Vec<Vec<f64>>,
    /// Lines beside it.
    pub notes: Vec<String>,
}

/// Red, green, blue.
pub type Colour = [u8; 3];

/// On which side of its place a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Right of it.
    Start,
    /// Centred on it.
    Middle,
    /// Left of it.
    End,
}

/// Something drawn. Lengths are in pixels of a sheet drawn at its own size.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark<'a> {
    /// A line of text on its baseline.
    Text {
        /// Where it is.
        at: (f64, f64),
        /// Font size.
        size: f64,
        /// Which side of `at`.
        anchor: Anchor,
        /// Colour of the letters.
        colour: Colour,
        /// Whether they are heavy.
        bold: bool,
        /// The letters.
        text: String,
    },
    /// A filled rectangle.
    Fill {
        /// Where it is.
        area: Area,
        /// What with.
        colour: Colour,
    },
    /// An instance.
    Instance {
        /// Where it is.
        area: Area,
        /// Its values.
        values: &'a [f32],
    },
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

/// Marks with their places.
#[derive(Debug, Clone)]
pub struct LaidOutSheet<'a> {
    /// Width of the sheet.
    pub width: f64,
    /// Height of the sheet.
    pub height: f64,
    /// Shape of every instance.
    pub shape: InstanceShape,
    /// How they are drawn.
    pub display: &'a Display,
    /// What is drawn, in order.
    pub marks: Vec<Mark<'a>>,
}

/// Colour of what is written.
const INK: Colour = [27, 39, 51];
/// Colour of what is written beside it.
const MUTED: Colour = [91, 103, 112];
/// Colour of curves, and of much mutual information.
const BLUE: Colour = [31, 95, 168];
/// Colour behind curves.
const PLOT: Colour = [244, 246, 248];
/// Colour of guide lines.
const GUIDE: Colour = [176, 186, 194];
/// Colour of the sheet.
const PAPER: Colour = [255, 255, 255];

/// A colour on the way from one to another; `share` in [0, 1].
fn between(from: Colour, to: Colour, share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(from[i]), f64::from(to[i]));
        (a + (b - a) * share).round() as u8
    })
}
