//! Bilinear upsampling of a map of concepts or attention to the size of its image.

/// Height and width of a map or an image, in positions or pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

impl Size {
    /// How many positions there are.
    #[must_use]
    pub fn area(self) -> usize {
        self.height * self.width
    }
}

/// A map of size `from`, in reading order, at size `to`.
///
/// The middle of output pixel i lies at (i + ½)/s − ½ of the map, s being how many pixels a position takes; places
/// outside the map take its edge. This is what image libraries call bilinear without aligned corners. A map that
/// has the size already comes back as it is. Panics when the map has not as many values as `from` says, or none.
#[must_use]
pub fn bilinear(map: &[f64], from: Size, to: Size) -> Vec<f64> {
    assert_eq!(map.len(), from.area(), "a map has a value at each position");
    let rows = taps(from.height, to.height);
    let columns = taps(from.width, to.width);
    let mut pixels = Vec::with_capacity(to.area());
    for row in &rows {
        let upper = &map[row.first * from.width..][..from.width];
        let lower = &map[row.second * from.width..][..from.width];
        pixels.extend(columns.iter().map(|column| {
            let across = |line: &[f64]| {
                line[column.first] * (1.0 - column.share) + line[column.second] * column.share
            };
            across(upper) * (1.0 - row.share) + across(lower) * row.share
        }));
    }
    pixels
}

/// Two neighbouring positions, and the second one's share of the pixel between them.
struct Tap {
    first: usize,
    second: usize,
    share: f64,
}

fn taps(from: usize, to: usize) -> Vec<Tap> {
    let last = from - 1;
    (0..to)
        .map(|pixel| {
            let middle = (pixel as f64 + 0.5) * from as f64 / to as f64 - 0.5;
            let place = middle.clamp(0.0, last as f64);
            let first = place as usize;
            Tap {
                first,
                second: (first + 1).min(last),
                share: place - first as f64,
            }
        })
        .collect()
}
