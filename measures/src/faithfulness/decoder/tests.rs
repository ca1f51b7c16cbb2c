//! Slopes against differences, and what training makes of a layer that can be decoded.

use super::*;

fn drawn(random: &mut Random, shape: &[usize]) -> Array {
    let count = shape.iter().product();
    Array::new(
        shape.to_vec(),
        (0..count).map(|_| random.normal()).collect(),
    )
    .unwrap()
}

#[test]
fn slopes_are_those_of_differences() {
    let mut random = Random::new(7, 0);
    let (projections, outputs) = (drawn(&mut random, &[5, 3, 2]), drawn(&mut random, &[5, 3]));
    let weights = drawn(&mut random, &[4, 3]);
    let layer = LastLayer {
        weights: &weights,
        bias: &[0.3, -0.2, 0.1],
    };
    let mut decoder = Decoder::glorot(2, 4, 6, &mut random);
    decoder
        .parameters
        .iter_mut()
        .for_each(|p| *p += 0.1 * random.normal());
    let rows = [0, 2, 3];
    for loss in [Loss::CrossEntropy, Loss::L1] {
        let (_, slopes) = decoder.slopes(&projections, &outputs, layer, &rows, loss);
        assert!(slopes.iter().filter(|slope| slope.abs() > 1e-3).count() > 20);
        for (place, slope) in slopes.iter().enumerate() {
            let at = |by: f64| {
                let mut moved = decoder.clone();
                moved.parameters[place] += by;
                moved.slopes(&projections, &outputs, layer, &rows, loss).0
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!(
                (slope - difference).abs() < 1e-6,
                "{loss:?}, {place}: {slope}, {difference}"
            );
        }
    }
}

#[test]
fn the_network_is_what_the_formula_says() {
    let mut random = Random::new(3, 0);
    let (projections, weights) = (drawn(&mut random, &[4, 2, 3]), drawn(&mut random, &[5, 2]));
    let bias = [0.5, -1.0];
    let decoder = Decoder::glorot(3, 5, 7, &mut random);
    let found = decoder.outputs(
        &projections,
        LastLayer {
            weights: &weights,
            bias: &bias,
        },
    );
    let ((first, b1), (second, b2)) = (decoder.first(), decoder.second());
    for input in 0..4 {
        for (output, bias) in bias.iter().enumerate() {
            let part = projections.at(input, output);
            let units: Vec<f64> = (0..7)
                .map(|h| (b1[h] + (0..3).map(|k| part[k] * first[k * 7 + h]).sum::<f64>()).max(0.0))
                .collect();
            let code = |d: usize| b2[d] + (0..7).map(|h| second[d * 7 + h] * units[h]).sum::<f64>();
            let expected = bias
                + (0..5)
                    .map(|d| code(d) * weights.at(d, output)[0])
                    .sum::<f64>();
            assert!((found.at(input, output)[0] - expected).abs() < 1e-12);
        }
    }
    assert_eq!(decoder.parameters(), 3 * 7 + 7 + 7 * 5 + 5);
}

#[test]
fn training_lowers_the_loss_and_the_same_seed_gives_the_same_bits() {
    let mut random = Random::new(1, 0);
    let (codes, weights) = (drawn(&mut random, &[60, 3]), drawn(&mut random, &[3, 2]));
    let layer = LastLayer {
        weights: &weights,
        bias: &[],
    };
    let axes: Vec<f64> = (0..2)
        .flat_map(|_| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        .collect();
    let axes = Array::new(vec![2, 3, 3], axes).unwrap();
    let projections = crate::faithfulness::surrogates::project(&codes, &axes);
    let outputs = crate::faithfulness::surrogates::surf_of_projections(
        &projections,
        &Array::from_rows(&[weights.column(0), weights.column(1)]).unwrap(),
        &[],
    );
    let rows: Vec<usize> = (0..60).collect();
    let training = Training {
        hidden: 20,
        epochs: 100,
        loss: Loss::L1,
    };
    let fit = |epochs, seed| {
        Training { epochs, ..training }.fit(&projections, &outputs, layer, &rows, seed, |_| {})
    };
    let loss = |decoder: &Decoder| {
        decoder
            .slopes(&projections, &outputs, layer, &rows, Loss::L1)
            .0
    };
    let (before, after) = (loss(&fit(0, 4)), loss(&fit(100, 4)));
    assert!(after < before / 4.0, "{before} before, {after} after");
    assert_eq!(fit(100, 4), fit(100, 4));
    assert_ne!(fit(100, 4), fit(100, 5));
}
