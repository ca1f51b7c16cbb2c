//! Against the kernel that goes tap by tap, over random shapes.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Winograd;
use crate::nonzero::NonZero;
use crate::patches::Patches;
use crate::taps::Taps;
use crate::{Isa, Padding, side_up};

#[test]
fn sums_are_those_of_going_tap_by_tap() {
    let mut tried = 0;
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let stride = rng.random_range(1..=3);
        let kernel = rng.random_range(2..=3) * stride;
        let grid: (usize, usize) = (rng.random_range(1..=14), rng.random_range(1..=14));
        let mut edge = || rng.random_range(-9..=6);
        let padding = Padding {
            top: edge(),
            left: edge(),
            bottom: edge(),
            right: edge(),
        };
        let (rows, columns) = padding.sums();
        let (Some(height), Some(width)) = (
            side_up(grid.0, kernel, stride, rows),
            side_up(grid.1, kernel, stride, columns),
        ) else {
            continue;
        };
        let patches = Patches {
            maps: 1,
            large: (height, width),
            grid,
            kernel,
            stride,
            padding,
        };
        let inputs: usize = rng.random_range(1..=20);
        let (input_step, outputs) = (inputs.next_multiple_of(8), 8 * rng.random_range(1..=5));
        let mut values =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
        let weight = values(outputs * inputs * kernel * kernel);
        let bias = values(outputs);
        let x = values(grid.0 * grid.1 * input_step);
        let at = |output: usize, input: usize, ky: usize, kx: usize| {
            weight[((output * inputs + input) * kernel + ky) * kernel + kx]
        };
        let taps = Taps {
            transposed: true,
            patches,
            inputs,
            input_step,
            weights: Taps::pack(outputs, inputs, kernel, at),
            bias: bias.clone(),
        };
        let mut nonzero = NonZero::default();
        nonzero.reserve(x.len(), grid.0 * grid.1);
        let mut expected = vec![f32::NAN; taps.output_len()];
        taps.apply(Isa::detect(), &x, &mut expected, &mut nonzero);
        let Some(layer) = Winograd::new(patches, (inputs, input_step), bias, at) else {
            panic!("{patches:?}");
        };
        let slope = [0.0, 0.2, 1.0][tried % 3];
        let layer = layer.with_slope(slope);
        for isa in [Isa::detect(), Isa::portable()] {
            let mut found = vec![f32::NAN; layer.output_len()];
            layer.apply(
                isa,
                &x,
                &mut found,
                &mut vec![f32::NAN; layer.scratch_len()],
            );
            for (found, expected) in found.iter().zip(&expected) {
                let expected = expected.max(0.0) + slope * expected.min(0.0);
                assert!(
                    (found - expected).abs() < 4e-5,
                    "{found} is not {expected}: {isa:?} {patches:?} {inputs} {outputs}"
                );
            }
        }
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}
