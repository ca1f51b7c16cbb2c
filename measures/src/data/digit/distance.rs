//! Distances to the nearest pixel without ink (Felzenszwalb and Huttenlocher 2012).

use crate::upsampling::Size;

/// For each pixel the square of the distance to the middle of the nearest pixel without ink; 0 where there is none
/// of it. Pixels beyond the border are no pixels, as in scipy; where everything is ink, infinity.
pub(super) fn squared(ink: &[bool], size: Size) -> Vec<f64> {
    let mut distances: Vec<f64> = ink
        .iter()
        .map(|&ink| if ink { f64::INFINITY } else { 0.0 })
        .collect();
    let mut column = vec![0.0; size.height];
    for c in 0..size.width {
        for (r, value) in column.iter_mut().enumerate() {
            *value = distances[r * size.width + c];
        }
        for (r, value) in along(&column).into_iter().enumerate() {
            distances[r * size.width + c] = value;
        }
    }
    for row in distances.chunks_exact_mut(size.width) {
        let found = along(row);
        row.copy_from_slice(&found);
    }
    distances
}

/// min over q of (p − q)² + heights[q], for each place p of a line: the lower hull of parabolas.
fn along(heights: &[f64]) -> Vec<f64> {
    let mut hull: Vec<(usize, f64)> = Vec::new();
    for (q, &height) in heights.iter().enumerate() {
        if height.is_infinite() {
            continue;
        }
        // From where on this parabola is below the last one of the hull; those that it is below of from their own
        // beginning on are no part of the hull.
        let mut from = f64::NEG_INFINITY;
        while let Some(&(last, begins)) = hull.last() {
            let meet = ((height + (q * q) as f64) - (heights[last] + (last * last) as f64))
                / (2.0 * (q - last) as f64);
            if meet > begins {
                from = meet;
                break;
            }
            hull.pop();
        }
        hull.push((q, from));
    }
    let mut at = 0;
    (0..heights.len())
        .map(|p| {
            while hull.get(at + 1).is_some_and(|next| next.1 < p as f64) {
                at += 1;
            }
            hull.get(at).map_or(f64::INFINITY, |&(q, _)| {
                let away = p as f64 - q as f64;
                away * away + heights[q]
            })
        })
        .collect()
}
