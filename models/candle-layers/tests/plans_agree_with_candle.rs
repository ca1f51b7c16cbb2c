//! Plans against candle's operations, over random architectures.
#![allow(clippy::unwrap_used)]

use candle_core::{Device, Tensor};
use candle_layers::Network;
use decode::architecture::{Activation, Flow, Layer, Padding, Units, flows};
use decode::plan::{DecodingPlan, StepOperation};
use decode::weights::{StoredTensors, Values, expand};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ACTIVATIONS: [Activation; 7] = [
    Activation::Relu,
    Activation::LeakyRelu { slope: 0.2 },
    Activation::Sigmoid,
    Activation::Tanh,
    Activation::Elu { alpha: 1.0 },
    Activation::Elu { alpha: 0.3 },
    Activation::Softplus,
];

type Compile = fn(&[Layer], usize, &StoredTensors) -> Option<DecodingPlan>;

const COMPILERS: [(&str, Compile); 2] = [
    ("this machine's vectors", DecodingPlan::compile),
    ("plain Rust", DecodingPlan::compile_portable),
];

/// Sizes on both sides of the kernels' blocks, and among them.
const CHANNELS: [usize; 11] = [1, 2, 3, 7, 8, 9, 16, 31, 33, 40, 64];

fn pick<T: Copy>(rng: &mut impl Rng, from: &[T]) -> T {
    from[rng.random_range(0..from.len())]
}

fn edges(rng: &mut impl Rng, range: std::ops::RangeInclusive<i32>) -> Padding {
    let mut edge = || rng.random_range(range.clone());
    Padding {
        top: edge(),
        left: edge(),
        bottom: edge(),
        right: edge(),
    }
}

/// Groups of so many maps, and maps that come of them: one group half of the time.
fn groups(rng: &mut impl Rng, inputs: usize) -> (usize, usize) {
    let divisors: Vec<usize> = (1..=inputs).filter(|n| inputs.is_multiple_of(*n)).collect();
    let groups = match rng.random_range(0..4) {
        0 => inputs,
        1 => pick(rng, &divisors),
        _ => return (1, pick(rng, &CHANNELS)),
    };
    (groups, groups * pick(rng, &[1, 1, 2, 3, 8, 12]))
}

/// A layer that takes `flow`, perhaps one that gives nothing.
fn layer(rng: &mut impl Rng, index: usize, flow: Flow) -> Layer {
    let name = format!("l{index}");
    let norm = |channels| Layer::BatchNorm {
        name: name.clone(),
        channels,
        eps: 1e-3,
    };
    let activation = Layer::Activation {
        function: pick(rng, &ACTIVATIONS),
    };
    match flow {
        Flow::Flat(n) => match rng.random_range(0..5) {
            0 => activation,
            1 => norm(n),
            2 if n % 4 == 0 => Layer::Reshape {
                channels: n / 4,
                height: 2,
                width: 2,
                channels_last: rng.random(),
            },
            3 if n % 3 == 0 => Layer::Reshape {
                channels: 1,
                height: 3,
                width: n / 3,
                channels_last: rng.random(),
            },
            _ => Layer::Dense {
                name: name.clone(),
                inputs: n,
                outputs: pick(rng, &[1, 5, 12, 36, 64, 100, 132]),
            },
        },
        Flow::Maps { channels, .. } => {
            let (inputs, kernel) = (channels, rng.random_range(1..=5));
            let stride = rng.random_range(1..=3);
            let (groups, outputs) = groups(rng, inputs);
            match rng.random_range(0..8) {
                0 | 1 => activation,
                2 => norm(channels),
                3 => Layer::Upsample {
                    scale: rng.random_range(1..=3),
                },
                4 => Layer::Flatten {
                    channels_last: rng.random(),
                },
                5 => Layer::Conv {
                    name: name.clone(),
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding: edges(rng, 0..=3),
                    groups,
                },
                _ => Layer::ConvTranspose {
                    name: name.clone(),
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding: edges(rng, -2..=2),
                    groups,
                },
            }
        }
    }
}

/// Layers that fit together, for vectors of `width` values.
fn architecture(rng: &mut impl Rng, width: usize) -> Vec<Layer> {
    let (mut layers, mut flow) = (Vec::new(), Flow::Flat(width));
    for index in 0..rng.random_range(1..9) {
        let mut longer = layers.clone();
        longer.push(layer(rng, index, flow));
        match flows(&longer, width).map(|flows| *flows.last().unwrap()) {
            Ok(next) if next.len() <= 20_000 => (layers, flow) = (longer, next),
            _ => {}
        }
    }
    if layers.is_empty() {
        layers.push(Layer::Activation {
            function: Activation::Relu,
        });
    }
    layers
}

/// Random tensors, such that values neither vanish nor grow from layer to layer.
fn tensors(rng: &mut impl Rng, layers: &[Layer]) -> StoredTensors {
    let mut stored = StoredTensors::new();
    for (name, shape) in layers.iter().flat_map(Layer::tensors) {
        let len: usize = shape.iter().product();
        let positive = name.ends_with("running_var");
        let spread = if shape.len() > 1 {
            (3.0 * shape[0] as f32 / len as f32).sqrt()
        } else {
            0.5
        };
        let mut draw = || -> f32 {
            let value = rng.random_range(-1.0..1.0f32);
            if positive {
                value.abs() + 0.5
            } else {
                value * spread
            }
        };
        let values = Values::F32((0..len).map(|_| draw()).collect());
        stored.insert(name, (shape, values));
    }
    stored
}

fn inputs(rng: &mut impl Rng, len: usize) -> Vec<f32> {
    // Zeros, too: the kernels leave them out.
    (0..len)
        .map(|_| {
            if rng.random_bool(0.2) {
                0.0
            } else {
                rng.random_range(-2.0..2.0)
            }
        })
        .collect()
}

fn with_candle(layers: &[Layer], stored: &StoredTensors, xs: &[f32], rows: usize) -> Vec<f32> {
    let mut expanded = expand("test", stored.clone(), layers).unwrap();
    let network = Network::new(layers, |name, shape| {
        let (_, values) = expanded.remove(name).unwrap();
        Tensor::from_vec(values, shape, &Device::Cpu)
    })
    .unwrap();
    let batch = Tensor::new(xs, &Device::Cpu)
        .unwrap()
        .reshape((rows, ()))
        .unwrap();
    let y = network.forward(&batch).unwrap();
    let y = if y.rank() == 4 {
        y.permute((0, 2, 3, 1)).unwrap()
    } else {
        y
    };
    y.flatten_all().unwrap().to_vec1().unwrap()
}

/// The plan of `layers`, once it has given what candle gives.
fn plan_that_agrees(layers: &[Layer], width: usize) -> DecodingPlan {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let stored = tensors(&mut rng, layers);
    let xs = inputs(&mut rng, width);
    let expected = with_candle(layers, &stored, &xs, 1);
    let plan = DecodingPlan::compile(layers, width, &stored).unwrap();
    let mut found = vec![f32::NAN; expected.len()];
    plan.run(&mut plan.scratch(), &xs, &mut found);
    assert_close(&found, &expected, 2e-5, &layers);
    plan
}

fn assert_close(found: &[f32], expected: &[f32], tolerance: f32, what: &impl std::fmt::Debug) {
    assert_eq!(found.len(), expected.len(), "{what:?}");
    let scale = expected.iter().fold(1.0f32, |a, b| a.max(b.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(
            off <= tolerance * scale,
            "{what:?}: value {i} is {found}, not {expected}"
        );
    }
}

#[test]
fn random_architectures_give_what_candle_gives() {
    let (mut with_weights, mut small_groups, mut large_groups) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let width = rng.random_range(1..=40);
        let layers = architecture(&mut rng, width);
        let stored = tensors(&mut rng, &layers);
        let rows = rng.random_range(1..=6);
        let xs = inputs(&mut rng, rows * width);
        let expected = with_candle(&layers, &stored, &xs, rows);
        for (vectors, compile) in COMPILERS {
            let plan = compile(&layers, width, &stored).unwrap();
            let count = |wanted: fn(&StepOperation) -> bool| {
                plan.operations().iter().filter(|o| wanted(o)).count()
            };
            with_weights += count(|o| o.has_weights());
            small_groups += count(|&o| o == StepOperation::Grouped);
            large_groups += count(|&o| o == StepOperation::Groups);
            let mut scratch = plan.scratch();
            let mut found = vec![f32::NAN; expected.len()];
            let each = found.chunks_exact_mut(plan.instance_len());
            for (x, y) in xs.chunks_exact(width).zip(each) {
                plan.run(&mut scratch, x, y);
            }
            assert_close(&found, &expected, 2e-5, &(seed, vectors, &layers));
            found.fill(f32::NAN);
            plan.run_batch(&mut scratch, &xs, &mut found, rows);
            assert_close(&found, &expected, 2e-5, &("batch", seed, vectors, &layers));
        }
    }
    let found = (with_weights, small_groups, large_groups);
    assert!(
        with_weights > 8000 && small_groups > 400 && large_groups > 50,
        "{found:?}"
    );
}

/// Whatever comes between, repeated pixels are not computed with one by one.
#[test]
fn upsampling_goes_into_the_convolution_after_it() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (inputs, outputs) = (pick(&mut rng, &CHANNELS), pick(&mut rng, &CHANNELS));
        let mut layers = vec![
            Layer::Reshape {
                channels: inputs,
                height: rng.random_range(5..=7),
                width: 6,
                channels_last: false,
            },
            Layer::Upsample {
                scale: rng.random_range(1..=4),
            },
            Layer::BatchNorm {
                name: "norm".to_owned(),
                channels: inputs,
                eps: 1e-3,
            },
            Layer::Activation {
                function: pick(&mut rng, &ACTIVATIONS),
            },
            Layer::Conv {
                name: "conv".to_owned(),
                inputs,
                outputs,
                kernel: rng.random_range(1..=5),
                stride: 1,
                padding: edges(&mut rng, 0..=4),
                groups: 1,
            },
        ];
        if rng.random() {
            layers.drain(2..4);
        }
        let Layer::Reshape { height, .. } = layers[0] else {
            unreachable!("put there above");
        };
        let width = inputs * height * 6;
        let stored = tensors(&mut rng, &layers);
        let xs = self::inputs(&mut rng, width);
        let expected = with_candle(&layers, &stored, &xs, 1);
        for (vectors, compile) in COMPILERS {
            let plan = compile(&layers, width, &stored).unwrap();
            assert!(!plan.operations().contains(&StepOperation::Upsample));
            let mut found = vec![f32::NAN; expected.len()];
            plan.run(&mut plan.scratch(), &xs, &mut found);
            assert_close(&found, &expected, 2e-5, &(seed, vectors, &layers));
        }
    }
}

/// Values that were a vector in between are other maps than those that were upsampled, or have
/// been changed since.
#[test]
fn an_upsampling_before_a_vector_stays() {
    for (channels, width, function) in [(8, 4, None), (4, 8, None), (8, 4, Some(ACTIVATIONS[0]))] {
        let mut layers = vec![
            Layer::Reshape {
                channels: 8,
                height: 2,
                width: 2,
                channels_last: true,
            },
            Layer::Upsample { scale: 2 },
            Layer::Flatten {
                channels_last: true,
            },
            Layer::Reshape {
                channels,
                height: 4,
                width,
                channels_last: true,
            },
            Layer::Conv {
                name: "conv".to_owned(),
                inputs: channels,
                outputs: 9,
                kernel: 3,
                stride: 1,
                padding: Padding::all(1),
                groups: 1,
            },
        ];
        if let Some(function) = function {
            layers.insert(3, Layer::Activation { function });
        }
        plan_that_agrees(&layers, 32);
    }
}

/// Two pixels of one map are two values, which a batch norm after flattening takes one by one.
#[test]
fn a_norm_of_values_is_none_of_channels() {
    let layers = [
        Layer::Reshape {
            channels: 1,
            height: 1,
            width: 2,
            channels_last: false,
        },
        Layer::ConvTranspose {
            name: "conv".to_owned(),
            inputs: 1,
            outputs: 1,
            kernel: 1,
            stride: 1,
            padding: Padding::NONE,
            groups: 1,
        },
        Layer::Flatten {
            channels_last: true,
        },
        Layer::BatchNorm {
            name: "norm".to_owned(),
            channels: 2,
            eps: 1e-3,
        },
    ];
    plan_that_agrees(&layers, 2);
}

#[test]
fn large_layers_stay_in_the_precision_they_are_stored_in() {
    let layers = [
        Layer::Dense {
            name: "a".to_owned(),
            inputs: 7,
            outputs: 600,
        },
        Layer::BatchNorm {
            name: "n".to_owned(),
            channels: 600,
            eps: 1e-3,
        },
        Layer::Dense {
            name: "b".to_owned(),
            inputs: 600,
            outputs: 450,
        },
        Layer::BatchNorm {
            name: "m".to_owned(),
            channels: 450,
            eps: 1e-3,
        },
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let single = tensors(&mut rng, &layers);
    let xs = inputs(&mut rng, 5 * 7);
    for half in [true, false] {
        let mut stored = single.clone();
        let (shape, values) = stored.get_mut("b.weight").unwrap();
        let old = values.expand(shape, Units::along(0));
        *values = if half {
            Values::F16(
                old.iter()
                    .map(|&v| half::f16::from_f32(v).to_bits())
                    .collect(),
            )
        } else {
            Values::Int8 {
                values: old.iter().map(|&v| (v * 1000.0) as i8).collect(),
                scales: (0..450).map(|i| 0.001 + 1e-6 * i as f32).collect(),
                steps: Vec::new(),
            }
        };
        let expected = with_candle(&layers, &stored, &xs, 5);
        for (_, compile) in COMPILERS {
            let plan = compile(&layers, 7, &stored).unwrap();
            let mut scratch = plan.scratch();
            let mut found = vec![0.0; expected.len()];
            for (x, y) in xs.chunks_exact(7).zip(found.chunks_exact_mut(450)) {
                plan.run(&mut scratch, x, y);
            }
            assert_close(&found, &expected, 1e-5, &half);
            plan.run_batch(&mut scratch, &xs, &mut found, 5);
            assert_close(&found, &expected, 1e-5, &half);
        }
    }
}

/// Nearly all of this is padding: a picture that all patches miss.
#[test]
fn paddings_larger_than_memory_are_not_computed() {
    let layers = [
        Layer::Reshape {
            channels: 1,
            height: 2,
            width: 2,
            channels_last: false,
        },
        Layer::ConvTranspose {
            name: "c".to_owned(),
            inputs: 1,
            outputs: 1,
            kernel: 1,
            stride: 200_000,
            padding: Padding::all(100_000),
            groups: 1,
        },
    ];
    let stored = tensors(&mut ChaCha8Rng::seed_from_u64(1), &layers);
    let plan = DecodingPlan::compile(&layers, 4, &stored).unwrap();
    let mut pixel = [f32::NAN];
    plan.run(&mut plan.scratch(), &[1.0, 2.0, 3.0, 4.0], &mut pixel);
    assert_eq!(
        pixel.to_vec(),
        stored["c.bias"].1.expand(&[1], Units::along(0))
    );
}

/// The patches of all pixels that reach a row of this would take 170 MB.
#[test]
fn large_kernels_do_not_make_large_patches() {
    for outputs in [1, 3] {
        let layers = [
            Layer::Reshape {
                channels: 1,
                height: 32,
                width: 32,
                channels_last: false,
            },
            Layer::Conv {
                name: "c".to_owned(),
                inputs: 1,
                outputs,
                kernel: 65,
                stride: 1,
                padding: Padding::all(32),
                groups: 1,
            },
            Layer::BatchNorm {
                name: "n".to_owned(),
                channels: outputs,
                eps: 1e-3,
            },
            Layer::Activation {
                function: Activation::Tanh,
            },
        ];
        let plan = plan_that_agrees(&layers, 1024);
        assert!(!plan.operations().contains(&StepOperation::Columns));
    }
}

/// So large that not all rows are laid out at a time.
#[test]
fn large_maps_in_groups() {
    let maps = |channels| Layer::Reshape {
        channels,
        height: 41,
        width: 70,
        channels_last: true,
    };
    for (inputs, outputs, groups) in [(9, 9, 9), (12, 18, 6), (16, 16, 2)] {
        let (name, kernel) = ("c".to_owned(), 5);
        for stride in [1, 2, 3] {
            let conv = Layer::Conv {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding: Padding::all(2),
                groups,
            };
            let transposed = Layer::ConvTranspose {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding: Padding {
                    top: 1,
                    left: -2,
                    bottom: 3,
                    right: 0,
                },
                groups,
            };
            for layer in [conv, transposed] {
                let plan = plan_that_agrees(&[maps(inputs), layer], inputs * 41 * 70);
                assert!(plan.operations().contains(&StepOperation::Grouped));
            }
        }
    }
}

#[test]
fn what_does_not_fit_together_is_no_plan() {
    let layers = [Layer::Dense {
        name: "d".to_owned(),
        inputs: 4,
        outputs: 2,
    }];
    let stored = tensors(&mut ChaCha8Rng::seed_from_u64(1), &layers);
    assert!(DecodingPlan::compile(&layers, 4, &stored).is_some());
    assert!(DecodingPlan::compile(&layers, 4, &StoredTensors::new()).is_none());
    assert!(DecodingPlan::compile(&layers, 5, &stored).is_none());
}
