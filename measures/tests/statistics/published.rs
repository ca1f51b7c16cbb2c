//! The paper's own tests that can be rebuilt from its table 2: those between the people of its
//! MNIST study, of whom means and population standard deviations are printed (n = 15 for each of
//! seven models). The paper's other tests are within people and would need their values.
//!
//! A test sees of a sample only its size, mean and standard deviation, so that any sample with
//! these three gives the statistic: here seven people below the mean, seven above, one on it.
//!
//! Printed values are rounded. The bounds of F are those of all means and standard deviations
//! that round to what is printed; docs/analysis.md has the numbers beside the printed ones.

use measures::statistics::anova::one_way;
use measures::statistics::describe;
use measures::statistics::t_test::{Variances, independent};

use super::within;

const PEOPLE: usize = 15;
const MODELS: [&str; 7] = ["ae5", "vae5", "ig5", "tc5", "ss5", "ae10", "ss10"];
/// Table 2 of the paper, mean and SD.
const COMPLETION: [(f64, f64); 7] = [
    (0.38, 0.23),
    (0.40, 0.31),
    (0.51, 0.31),
    (0.62, 0.26),
    (0.73, 0.24),
    (0.35, 0.29),
    (0.71, 0.29),
];
const DIFFICULTY: [(f64, f64); 7] = [
    (5.60, 1.62),
    (5.87, 1.15),
    (5.67, 1.30),
    (5.00, 1.41),
    (3.40, 1.54),
    (5.27, 1.73),
    (4.40, 1.40),
];
/// In thousands.
const ERROR_AUC: [(f64, f64); 7] = [
    (15.7, 4.3),
    (18.6, 13.7),
    (21.3, 8.6),
    (16.0, 13.1),
    (6.3, 4.7),
    (47.8, 34.0),
    (7.6, 3.3),
];

/// A sample of 15 with this mean and population SD.
fn sample((mean, sd): (f64, f64)) -> Vec<f64> {
    let off = sd * (PEOPLE as f64 / (PEOPLE - 1) as f64).sqrt();
    let mut values = vec![mean - off; PEOPLE / 2];
    values.push(mean);
    values.extend(vec![mean + off; PEOPLE / 2]);
    let found = describe(&values).unwrap();
    assert!((found.mean - mean).abs() < 1e-12 && (found.sd_population - sd).abs() < 1e-12);
    values
}

/// The expected F and p are numpy's and scipy's, from means and standard deviations alone:
/// ```python
/// m, s = np.array(table).T; n = 15
/// F = (n*((m - m.mean())**2).sum()/6) / ((n*s**2).sum()/98); F, stats.f.sf(F, 6, 98)
/// ```
/// `reference` is what was worked out of the same table before there was any code, to its digits.
#[test]
fn one_way_f_of_the_mnist_study() {
    for (table, f, p, reference, printed, [low, high]) in [
        (
            COMPLETION,
            4.631_135_871_247_291,
            0.000_349_048_195_393_936_7,
            4.63,
            4.7,
            [4.19, 5.11],
        ),
        (
            DIFFICULTY,
            4.973_802_914_255_771,
            0.000_174_424_731_381_824_1,
            4.97,
            4.9,
            [4.89, 5.06],
        ),
        (
            ERROR_AUC,
            11.408_507_188_873_244,
            1.217_811_514_224_663_5e-9,
            11.41,
            11.4,
            [11.29, 11.53],
        ),
    ] {
        let found = one_way(&table.map(sample)).unwrap().test;
        assert_eq!((found.df1, found.df2), (6.0, 98.0));
        within(found.f, &f.into(), 1e-9, 0.0);
        within(found.p, &p.into(), 1e-9, 0.0);
        assert!((found.f - reference).abs() < 0.005, "{}", found.f);
        // What is printed can come from what is printed.
        assert!(low < printed && printed < high && low < found.f && found.f < high);
    }
}

/// ```python
/// (m1 - m2) / np.sqrt((15*s1**2 + 15*s2**2)/28 * 2/15)
/// ```
#[test]
fn independent_t_of_the_mnist_study() {
    let of = |name: &str| MODELS.iter().position(|model| *model == name).unwrap();
    for (table, first, second, t) in [
        (COMPLETION, "ae5", "ss5", -3.939_589_063_715_938),
        (DIFFICULTY, "ae5", "ss5", 3.682_777_522_499_041_6),
        (ERROR_AUC, "ae5", "ss5", 5.521_230_139_857_383),
        (ERROR_AUC, "ae5", "ae10", -3.504_647_868_784_795_5),
    ] {
        let (a, b) = (sample(table[of(first)]), sample(table[of(second)]));
        let found = independent(&a, &b, Variances::Pooled).unwrap().test;
        assert!((found.df - 28.0).abs() < f64::EPSILON);
        within(found.t, &t.into(), 1e-9, 0.0);
    }
}
