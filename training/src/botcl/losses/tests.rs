use candle_core::{Device, Var};

use super::*;
use crate::botcl::attention::{activations, concept_features, non_overlapping, overlapping};

/// Attention of 2 concepts at 3 positions of 4 pictures, and features of 3 numbers there.
const ATTENTION: [f64; 24] = [
    0.63, 0.9, 0.78, 0.23, 0.3, 0.87, 0.01, 0.82, 0.8, 0.47, 0.3, 0.28, 0.25, 0.45, 0.5, 0.55, 1.0,
    0.79, 0.62, 0.99, 0.22, 0.16, 0.61, 0.04,
];
const FEATURES: [f64; 36] = [
    0.16, -0.19, -2.52, -0.54, -0.05, 0.11, -1.53, -0.48, -0.98, -0.81, 1.06, -0.81, -0.03, 0.88,
    -0.58, -0.11, 0.11, 0.06, -1.23, 0.08, 1.36, -1.55, 0.86, 0.12, -0.64, 2.0, 0.76, -1.2, 0.07,
    0.58, -0.19, 0.68, -0.07, 0.67, 1.44, -0.68,
];
const LABELS: [u8; 4] = [0, 1, 0, 2];
/// 10/32, the scale of the released code.
const SCALE: f64 = 0.3125;

fn tensor(values: &[f64], shape: (usize, usize, usize)) -> Tensor {
    Tensor::from_slice(values, shape, &Device::Cpu).unwrap()
}

fn value(loss: Result<Tensor>) -> f64 {
    loss.unwrap().to_scalar().unwrap()
}

// import numpy as np   # 2.4.6; a and f as above, y = [0, 1, 0, 2]
// t = np.tanh(a.sum(1)); v = np.einsum('npk,npd->nkd', a, f); on = a.sum(1) > a.sum(1).mean(0)
// unit = lambda x: x/np.linalg.norm(x, axis=-1, keepdims=True); cos = lambda x: unit(x) @ unit(x).T
// print(((abs(2*t-1)-1)**2).mean(), a.mean(), -np.mean([cos(v[on[:, i], i]).mean() for i in range(2)]))
// print(cos(np.stack([v[on[:, i], i].mean(0) for i in range(2)])).mean())
// s = (2*t-1) @ (2*t-1).T*.3125; same = np.equal.outer(y, y); share = same.mean()
// print((np.where(same, 1-share, share)*(np.log1p(np.exp(s)) - same*s)).mean())
#[test]
fn values_agree_with_numpy() {
    let attention = tensor(&ATTENTION, (4, 3, 2));
    let features = concept_features(&tensor(&FEATURES, (4, 3, 3)), &attention).unwrap();
    let t = activations(&attention).unwrap();
    for (name, found, expected) in [
        ("quantisation", quantisation(&t), 0.048_273_029_794_976_635),
        ("area", attention_area(&attention), 0.523_75),
        (
            "consistency",
            consistency(&features, &attention),
            -0.378_037_550_843_139_1,
        ),
        (
            "distinctiveness",
            distinctiveness(&features, &attention),
            0.963_576_707_253_459_1,
        ),
        (
            "contrast",
            contrast(&t, &LABELS, SCALE),
            0.328_698_810_144_804_9,
        ),
    ] {
        let found = value(found);
        assert!(
            (found - expected).abs() < 1e-9,
            "{name}: {found} is not {expected}"
        );
    }
}

// labels = [0, 0, 1, 2, 1]; same = [[a == b for b in labels] for a in labels]
// print(sum(map(sum, same)))   # 9 of 25
#[test]
fn pairs_are_weighed_by_the_share_of_the_other_kind() {
    let weights = pair_weights(&[0, 0, 1, 2, 1]);
    assert!((weights.same - 0.64).abs() < 1e-12 && (weights.other - 0.36).abs() < 1e-12);
    let nothing = pair_weights(&[]);
    assert_eq!((nothing.same, nothing.other), (0.0, 0.0));
}

#[test]
fn the_best_and_the_worst_that_there_is() {
    let t = Tensor::new(&[[0.0, 1.0], [1.0, 0.0]], &Device::Cpu).unwrap();
    assert_eq!(value(quantisation(&t)), 0.0);
    assert_eq!(
        value(quantisation(
            &Tensor::full(0.5, (2, 3), &Device::Cpu).unwrap()
        )),
        1.0
    );
    // The same features wherever a concept is active: nothing is more consistent.
    let attention = tensor(&ATTENTION, (4, 3, 2));
    let alike = Tensor::ones((4, 2, 3), candle_core::DType::F64, &Device::Cpu).unwrap();
    assert!((value(consistency(&alike, &attention)) + 1.0).abs() < 1e-9);
    // A single picture is never above its own mean: no concept is active, and nothing is divided by 0.
    let one = tensor(&ATTENTION[..6], (1, 3, 2));
    let features = concept_features(&tensor(&FEATURES[..9], (1, 3, 3)), &one).unwrap();
    assert_eq!(value(consistency(&features, &one)), 0.0);
    assert_eq!(value(distinctiveness(&features, &one)), 0.0);
}

/// Gradients against central differences, through attention and activations.
#[test]
fn gradients_agree_with_differences() {
    type Loss = fn(&Tensor, &Tensor) -> Result<Tensor>;
    let losses: [(&str, Loss); 9] = [
        ("quantisation", |s, _| {
            quantisation(&activations(&non_overlapping(s)?)?)
        }),
        ("area", |s, _| attention_area(&non_overlapping(s)?)),
        ("reconstruction", |s, f| {
            reconstruction(
                &non_overlapping(s)?.flatten_from(1)?,
                &f.narrow(2, 0, 2)?.flatten_from(1)?,
            )
        }),
        ("consistency", |s, f| {
            let attention = non_overlapping(s)?;
            consistency(&concept_features(f, &attention)?, &attention)
        }),
        ("distinctiveness", |s, f| {
            let attention = non_overlapping(s)?;
            distinctiveness(&concept_features(f, &attention)?, &attention)
        }),
        ("contrast", |s, _| {
            contrast(&activations(&non_overlapping(s)?)?, &LABELS, SCALE)
        }),
        ("contrast, overlapping", |s, _| {
            contrast(&activations(&overlapping(s)?)?, &LABELS, SCALE)
        }),
        ("consistency, overlapping", |s, f| {
            let attention = overlapping(s)?;
            consistency(&concept_features(f, &attention)?, &attention)
        }),
        ("distinctiveness, overlapping", |s, f| {
            let attention = overlapping(s)?;
            distinctiveness(&concept_features(f, &attention)?, &attention)
        }),
    ];
    let scores: Vec<f64> = ATTENTION.iter().map(|a| 4.0 * a - 2.0).collect();
    for (name, loss) in losses {
        for features_move in [false, true] {
            let (start, shape) = if features_move {
                (FEATURES.to_vec(), (4, 3, 3))
            } else {
                (scores.clone(), (4, 3, 2))
            };
            let of = |moved: &Tensor| {
                if features_move {
                    loss(&tensor(&scores, (4, 3, 2)), moved)
                } else {
                    loss(moved, &tensor(&FEATURES, (4, 3, 3)))
                }
                .unwrap()
            };
            let var = Var::from_tensor(&tensor(&start, shape)).unwrap();
            let grads = of(&var).backward().unwrap();
            let grad: Vec<f64> = grads.get(&var).map_or_else(
                || vec![0.0; start.len()],
                |grad| grad.flatten_all().unwrap().to_vec1().unwrap(),
            );
            let step = 1e-6;
            for place in 0..start.len() {
                let moved = |by: f64| {
                    let mut values = start.clone();
                    values[place] += by;
                    of(&tensor(&values, shape)).to_scalar::<f64>().unwrap()
                };
                let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                assert!(
                    (numeric - grad[place]).abs() < 1e-7,
                    "{name}, {place}: {numeric}, {}",
                    grad[place]
                );
            }
        }
    }
}
