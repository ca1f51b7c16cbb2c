//! The code of a position in a feature map: sines and cosines of its row and column.

/// The code of each position of a map, in reading order, `width_of_code` numbers each: the first half for the row,
/// the second for the column. Number i of n in a half is the sine (i even) or cosine (i odd) of
/// 2π·(place + 1)/size ÷ 10000^(2⌊i/2⌋/n), as in the detection transformer that BotCL takes it from. An odd width
/// leaves the last number 0.
#[must_use]
pub fn sine_code(height: usize, width: usize, width_of_code: usize) -> Vec<f32> {
    let half = width_of_code / 2;
    let number = |place: usize, size: usize, i: usize| {
        let angle = std::f64::consts::TAU * (place + 1) as f64 / size as f64;
        let period = 10_000_f64.powf((i / 2 * 2) as f64 / half as f64);
        let angle = angle / period;
        (if i.is_multiple_of(2) {
            angle.sin()
        } else {
            angle.cos()
        }) as f32
    };
    let mut code = Vec::with_capacity(height * width * width_of_code);
    for row in 0..height {
        for column in 0..width {
            code.extend((0..half).map(|i| number(row, height, i)));
            code.extend((0..half).map(|i| number(column, width, i)));
            code.extend((0..width_of_code % 2).map(|_| 0.0));
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    // import numpy as np   # 2.4.6
    // def code(h, w, d):
    //     n = d//2; f = np.arange(n); frequency = 10000.**(2*(f//2)/n)
    //     def axis(m):
    //         a = ((np.arange(m)+1)/m*2*np.pi)[:, None]/frequency
    //         return np.where(f%2 == 0, np.sin(a), np.cos(a))
    //     return np.concatenate([np.repeat(axis(h)[:, None], w, 1), np.repeat(axis(w)[None], h, 0)], -1)
    // c = code(2, 3, 8); print(c[0, 1].tolist(), c[1, 2].tolist())
    #[test]
    fn agrees_with_numpy() {
        let code = sine_code(2, 3, 8);
        assert_eq!(code.len(), 48);
        let expected = [
            (
                1,
                [
                    0.0,
                    -1.0,
                    0.031_410_759,
                    0.999_506_56,
                    -0.866_025_4,
                    -0.5,
                    0.041_875_653,
                    0.999_122_83,
                ],
            ),
            (
                5,
                [
                    0.0,
                    1.0,
                    0.062_790_52,
                    0.998_026_7,
                    0.0,
                    1.0,
                    0.062_790_52,
                    0.998_026_7,
                ],
            ),
        ];
        for (position, expected) in expected {
            for (found, expected) in code[8 * position..].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }
}
