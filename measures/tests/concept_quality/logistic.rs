//! Logistic regression beside scikit-learn's, and at the ends of what it takes.

use crate::toy::array;
use measures::logistic::{Design, Penalty};

/// scikit-learn 1.9.1:
///
/// ```python
/// import numpy as np
/// from sklearn.linear_model import LogisticRegression
/// i = np.arange(60)
/// x = np.stack([np.sin(i), np.cos(3 * i) * 5 + 2], axis=1)
/// y = ((x[:, 0] + 0.3 * x[:, 1] + np.sin(7 * i)) > 0.5).astype(int) + (np.sin(11 * i) > 0.6)
/// for kw in (dict(C=1.0), dict(C=np.inf), dict(C=np.inf, class_weight="balanced")):
///     m = LogisticRegression(tol=1e-13, max_iter=100000, **kw)
///     print(np.round(m.fit(x, y > 0).decision_function(x[:3]), 7), np.round(m.fit(x, y).predict_log_proba(x[:1]), 7))
/// ```
#[test]
fn regressions_agree_with_scikit_learn() {
    let x = array(60, 2, |i, column| match column {
        0 => (i as f64).sin(),
        _ => (3.0 * i as f64).cos() * 5.0 + 2.0,
    });
    let y: Vec<usize> = (0..60)
        .map(|i| {
            let noise = (7.0 * i as f64).sin();
            let first = x.at(i, 0)[0] + 0.3 * x.at(i, 1)[0] + noise > 0.5;
            usize::from(first) + usize::from((11.0 * i as f64).sin() > 0.6)
        })
        .collect();
    let two: Vec<usize> = y.iter().map(|&y| usize::from(y > 0)).collect();
    let all: Vec<usize> = (0..60).collect();
    let design = Design::new(&x, &all);
    let balanced = |targets: &[usize], classes: usize| -> Vec<f64> {
        let count = |class| targets.iter().filter(|&&t| t == class).count();
        (0..classes)
            .map(|class| 60.0 / (classes * count(class)) as f64)
            .collect()
    };
    for (penalty, weigh, logits, logs) in REFERENCE {
        let weights = weigh.then(|| balanced(&two, 2));
        let fitted = design.fit(&two, 2, weights.as_deref(), penalty);
        assert!(fitted.settled);
        for (row, expected) in logits.into_iter().enumerate() {
            let found = fitted.logits(x.row(row))[0];
            assert!((found - expected).abs() < 2e-6, "{found}, not {expected}");
        }
        let weights = weigh.then(|| balanced(&y, 3));
        let fitted = design.fit(&y, 3, weights.as_deref(), penalty);
        let found = fitted.log_probabilities(x.row(0));
        for (found, expected) in found.iter().zip(logs) {
            assert!((found - expected).abs() < 2e-6, "{found}, not {expected}");
        }
    }
}

/// Penalty, whether classes are balanced, logits of three rows, logarithms of three probabilities of the first.
const REFERENCE: [(Penalty, bool, [f64; 3], [f64; 3]); 3] = [
    (
        Penalty::Ridge(1.0),
        false,
        [2.2253479, 0.668254, 2.9627804],
        [-2.3709247, -0.3932249, -1.4621878],
    ),
    (
        Penalty::None,
        false,
        [2.3060774, 0.8122385, 3.2140491],
        [-2.4312756, -0.3857468, -1.4604459],
    ),
    (
        Penalty::None,
        true,
        [1.3311902, -0.1221278, 2.2147896],
        [-2.3857917, -1.1175172, -0.5431887],
    ),
];

#[test]
fn nothing_to_fit_gives_zeros_and_separable_classes_do_not_settle() {
    let x = array(4, 1, |row, _| row as f64);
    let none = Design::new(&x, &[]).fit(&[], 2, None, Penalty::None);
    assert_eq!(none.coefficients, [[0.0, 0.0]]);
    let design = Design::new(&x, &[0, 1, 2, 3]);
    assert_eq!(
        design.fit(&[0; 4], 1, None, Penalty::None).coefficients,
        [[0.0, 0.0]]
    );
    let separable = design.fit(&[0, 0, 1, 1], 2, None, Penalty::None);
    assert!(separable.coefficients[0][1] > 10.0);
    let ridge = design.fit(&[0, 0, 1, 1], 2, None, Penalty::Ridge(1.0));
    assert!(ridge.settled && ridge.coefficients[0][1] < 2.0);
}
