//! Equivalence tests against statsmodels, their power against an integral in scipy.

use measures::statistics::Undefined;
use measures::statistics::equivalence::{
    Bounds, EquivalenceDesign, equivalence_power, independent_equivalence, paired_equivalence,
};
use measures::statistics::t_test::Variances;
use serde_json::Value;

use super::{column, data, number, rates, rows, same, within};

fn scipy() -> Value {
    serde_json::from_str(include_str!("scipy.json")).unwrap()
}

#[test]
fn two_one_sided_tests() {
    let (scipy, data, rates) = (scipy(), data(), rates());
    let bounds = Bounds {
        low: -0.3,
        high: 0.3,
    };
    let found = paired_equivalence(&column(&rates, 1), &column(&rates, 2), bounds).unwrap();
    let expected = &scipy["tost_paired"];
    same(found.p, &expected["p"]);
    same(found.p_low, &expected["p_low"]);
    same(found.p_high, &expected["p_high"]);
    // The 90 % interval lies within the bounds exactly where the test rejects at 5 %.
    let inside = found.interval.low > bounds.low && found.interval.high < bounds.high;
    assert_eq!(inside, found.p < 0.05);

    let groups = rows(&data["groups"]);
    let bounds = Bounds {
        low: -1.0,
        high: 1.0,
    };
    let found =
        independent_equivalence(&groups[0], &groups[1], bounds, Variances::Separate).unwrap();
    let expected = &scipy["tost_independent"];
    same(found.p, &expected["p"]);
    same(found.p_low, &expected["p_low"]);
    same(found.p_high, &expected["p_high"]);
    let wrong = Bounds {
        low: 1.0,
        high: -1.0,
    };
    assert!(matches!(
        paired_equivalence(&groups[0], &groups[0], wrong),
        Err(Undefined::OutOfRange { .. })
    ));
}

#[test]
fn power() {
    for row in scipy()["tost_power"].as_array().unwrap() {
        for (key, paired) in [("paired", true), ("independent", false)] {
            let design = EquivalenceDesign {
                paired,
                n: serde_json::from_value(row["n"].clone()).unwrap(),
                difference: number(&row["difference"]),
                sd: number(&row["sd"]),
                bounds: Bounds {
                    low: number(&row["low"]),
                    high: number(&row["high"]),
                },
                level: 0.05,
            };
            let found = equivalence_power(&design).unwrap();
            within(found, &row[key], 1e-6, 1e-9);
        }
    }
}
