//! Maps of networks are smaller than their pictures.

/// A map of `from` rows and columns at `to` rows and columns: bilinear, the centre of an output pixel i at
/// (i + ½) / s − ½ of the map, clamped to it, where s is how many times larger the output is. This is how
/// `align_corners=False` has it in PyTorch's `interpolate`. No values for a map without pixels.
pub(super) fn bilinear(map: &[f32], from: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    let [rows, columns] = from;
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let along = |index: usize, from: usize, to: usize| {
        #[allow(clippy::cast_precision_loss)] // a few hundred pixels
        let place = ((index as f64 + 0.5) * from as f64 / to as f64 - 0.5).max(0.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let low = (place.floor() as usize).min(from - 1);
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        let share = (place - low as f64) as f32;
        (low, (low + 1).min(from - 1), share)
    };
    let mut values = Vec::with_capacity(to[0] * to[1]);
    for row in 0..to[0] {
        let (up, down, lower) = along(row, rows, to[0]);
        for column in 0..to[1] {
            let (left, right, later) = along(column, columns, to[1]);
            let at = |row: usize, column: usize| map[row * columns + column];
            let upper = at(up, left) * (1.0 - later) + at(up, right) * later;
            let below = at(down, left) * (1.0 - later) + at(down, right) * later;
            values.push(upper * (1.0 - lower) + below * lower);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// python3 -c "import cv2, numpy as np
    /// print(cv2.resize(np.array([[0, 1], [.5, .25]], 'f4'), (4, 3), interpolation=cv2.INTER_LINEAR).flatten().tolist())"
    /// (opencv-python 5.0.0, whose pixel centres are those of PyTorch without aligned corners)
    #[test]
    fn maps_are_enlarged_as_opencv_does() {
        let found = bilinear(&[0.0, 1.0, 0.5, 0.25], [2, 2], [3, 4]);
        let expected = [
            0.0, 0.25, 0.75, 1.0, 0.25, 0.34375, 0.53125, 0.625, 0.5, 0.4375, 0.3125, 0.25,
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(bilinear(&[0.3; 6], [2, 3], [2, 3]), [0.3; 6]);
        assert!(bilinear(&[], [0, 3], [2, 2]).is_empty());
    }
}
