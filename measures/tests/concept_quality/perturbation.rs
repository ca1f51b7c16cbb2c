//! Perturbation selectivity beside numpy.

use crate::toy::{array, run};
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;

fn inputs(factors: &[f64]) -> Inputs<'static> {
    let before = array(8, 3, |row, code| ((row * 5 + code * 3) as f64).sin());
    let after = array(8, 3, |row, code| {
        let own = if code == row % 2 { 1.0 } else { 0.2 };
        before.at(row, code)[0] + own * (1.0 + row as f64 / 10.0)
    });
    Inputs::default()
        .with(Need::Codes, before)
        .with(Need::ChangedCodes, after)
        .with(Need::ChangedFactor, array(8, 1, |row, _| factors[row]))
}

/// numpy 2.4.6:
///
/// ```python
/// import numpy as np
/// r, c = np.arange(8)[:, None], np.arange(3)
/// z = np.sin(r * 5 + c * 3)
/// d = np.abs(np.where(c == r % 2, 1.0, 0.2) * (1 + r / 10)) / z.std(axis=0)
/// for f in (0, 1):
///     m = d[f::2].mean(axis=0)
///     one, two = d[f::4].mean(axis=0), d[f + 2::4].mean(axis=0)
///     print(m[f] / m.sum(), (two[one.argmax()] / two.sum() + one[two.argmax()] / one.sum()) / 2)
/// ```
#[test]
fn shares_of_change_agree_with_numpy() {
    let inputs = inputs(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    let outcome = run("selectivity", &inputs, 0);
    let request = Request {
        variant: Some("in-order".to_owned()),
        ..Request::default()
    };
    let in_order = list::find("selectivity")
        .unwrap()
        .run(&inputs, &request)
        .unwrap();
    for (factor, [ordered, matched]) in EXPECTED.into_iter().enumerate() {
        let found = outcome.values[factor].value.unwrap();
        assert!((found - matched).abs() < 1e-12, "{found}, not {matched}");
        let found = in_order.values[factor].value.unwrap();
        assert!((found - ordered).abs() < 1e-12, "{found}, not {ordered}");
    }
    let mean = (EXPECTED[0][1] + EXPECTED[1][1]) / 2.0;
    assert!((outcome.value("selectivity").unwrap() - mean).abs() < 1e-12);
}

/// Of each factor: in order, matched.
const EXPECTED: [[f64; 2]; 2] = [
    [0.7128821307790285, 0.7128821307790286],
    [0.714923388297985, 0.714923388297985],
];

#[test]
fn nothing_that_moves_has_no_share_and_factors_need_their_codes() {
    let inputs = inputs(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 9.0]);
    let outcome = run("selectivity", &inputs, 0);
    // Factor 9 has a single pair: no half to choose its code in.
    assert_eq!(outcome.values[2].value, None);
    assert_eq!(outcome.flags.len(), 1);
    let request = Request {
        variant: Some("in-order".to_owned()),
        ..Request::default()
    };
    let wrong = list::find("selectivity")
        .unwrap()
        .run(&inputs, &request)
        .unwrap_err();
    assert_eq!(
        wrong[0].to_string(),
        "codes has 3 columns, and at least 10 are needed"
    );
    let still = inputs
        .clone()
        .with(Need::ChangedCodes, inputs.get(Need::Codes).unwrap().clone());
    assert_eq!(run("selectivity", &still, 0).value("selectivity"), None);
}
