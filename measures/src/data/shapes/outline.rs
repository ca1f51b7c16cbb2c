//! The 15 shapes, by what lies inside them.

/// Whether shape `shape` has the point (u, v) inside it; both run from −1 to 1 across its cell, v downwards. Nothing
/// lies further out than 0.9. Shapes 1 to 5 (here 0 to 4) are those that decide labels.
pub(super) fn contains(shape: usize, u: f64, v: f64) -> bool {
    let (x, y) = (u.abs(), v.abs());
    // Without a square root, whose argument is compared instead.
    let square_radius = u * u + v * v;
    match shape {
        // Disc.
        0 => square_radius < 0.7,
        // Square.
        1 => x.max(y) < 0.75,
        // Triangle, its tip at the top.
        2 => v < 0.8 && v > -0.85 && x < 0.5 * (v + 0.85),
        // Upright cross.
        3 => x.max(y) < 0.85 && x.min(y) < 0.26,
        // Ring.
        4 => (0.25..0.75).contains(&square_radius),
        // Triangle, its tip at the bottom.
        5 => v > -0.8 && v < 0.85 && x < 0.5 * (0.85 - v),
        // Diamond.
        6 => x + y < 0.88,
        // Cross from corner to corner.
        7 => x.max(y) < 0.8 && (x - y).abs() < 0.3,
        // Lying bar.
        8 => x < 0.88 && y < 0.26,
        // Standing bar.
        9 => y < 0.88 && x < 0.26,
        // Frame.
        10 => x.max(y) < 0.8 && x.max(y) > 0.45,
        // Upper half of a disc.
        11 => square_radius < 0.75 && v < 0.05,
        // Letter L.
        12 => x.max(y) < 0.8 && (u < -0.3 || v > 0.3),
        // Letter T.
        13 => y < 0.8 && x < 0.8 && (v < -0.3 || x < 0.26),
        // Two lying bars.
        _ => x < 0.8 && (0.25..0.75).contains(&y),
    }
}
