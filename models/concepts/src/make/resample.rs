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

/// A region as a network would highlight it: each of `to` places has the share of it that the region covers, and
/// places are enlarged to the region's own size. Exactly as many pixels as the region has are above `above` (0 to below
/// 1), those that the places give most to; of equal ones the first. So regions that people mark have the outlines of
/// a network's. An empty region stays empty.
pub(super) fn outlined(region: &[bool], size: [usize; 2], to: [usize; 2], above: f64) -> Vec<u8> {
    let area = region.iter().filter(|inside| **inside).count();
    let coarse = shares(region, size, to);
    let map = bilinear(&coarse, to, size);
    let mut order: Vec<usize> = (0..map.len()).collect();
    order.sort_by(|a, b| map[*b].total_cmp(&map[*a]));
    let mut out = vec![0; map.len()];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `above` is in 0…1
    let least = ((above * 255.0).floor() as u8).saturating_add(1);
    for place in order.into_iter().take(area) {
        let value = (map[place] * 255.0).round() as u8;
        out[place] = value.max(least);
    }
    out
}

/// The share of each of `to` places that a region of `size` covers.
fn shares(region: &[bool], size: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    // How much of a pixel lies in a place, along one side.
    let along = |pixel: usize, place: usize, pixels: usize, places: usize| {
        #[allow(clippy::cast_precision_loss)] // a few hundred pixels
        let [pixel, place, pixels, places] = [pixel, place, pixels, places].map(|it| it as f64);
        let (from, end) = (place * pixels / places, (place + 1.0) * pixels / places);
        ((pixel + 1.0).min(end) - pixel.max(from)).max(0.0) * places / pixels
    };
    let mut shares = Vec::with_capacity(to[0] * to[1]);
    for row in 0..to[0] {
        for column in 0..to[1] {
            let covered = region.chunks(size[1].max(1)).enumerate().map(|(y, line)| {
                let across = line.iter().enumerate().filter(|(_, inside)| **inside);
                let across = across.map(|(x, _)| along(x, column, size[1], to[1]));
                along(y, row, size[0], to[0]) * across.sum::<f64>()
            });
            #[allow(clippy::cast_possible_truncation)]
            shares.push(covered.sum::<f64>() as f32);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rectangle of 2 × 4 pixels over two of four places: as many pixels are highlighted, and none far from it.
    #[test]
    fn a_region_keeps_its_area_and_its_place() {
        let region: Vec<bool> = (0..64).map(|at| at / 8 < 2 && at % 8 < 4).collect();
        assert_eq!(shares(&region, [8, 8], [2, 2]), [0.5, 0.0, 0.0, 0.0]);
        let map = outlined(&region, [8, 8], [4, 4], 0.2);
        let above: Vec<usize> = (0..64)
            .filter(|at| f64::from(map[*at]) / 255.0 > 0.2)
            .collect();
        assert_eq!(above.len(), 8);
        assert!(above.iter().all(|at| at / 8 < 3 && at % 8 < 6), "{above:?}");
        // Places as small as pixels change nothing.
        let same = outlined(&region, [8, 8], [8, 8], 0.2);
        assert!(same.iter().zip(&region).all(|(a, b)| (*a > 51) == *b));
        assert!(
            outlined(&[false; 4], [2, 2], [1, 1], 0.2)
                .iter()
                .all(|it| *it == 0)
        );
        // A highlight that is thinner than a place is as large as it was marked.
        let thin: Vec<bool> = (0..64).map(|at| at / 8 == 1).collect();
        let map = outlined(&thin, [8, 8], [2, 2], 0.9);
        assert_eq!(map.iter().filter(|it| **it > 229).count(), 8);
    }

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
