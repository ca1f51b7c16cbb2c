//! Distances against numpy and scipy, and what holds for all of them.

use super::*;
use proptest::prelude::*;

/// These distances take any values.
pub(super) const ANY: InstanceShape = curves(1);

const fn curves(channels: usize) -> InstanceShape {
    InstanceShape::series(1, channels)
}

/// One of each but SSIM, which has tests of its own, and those that can with a number for each of two channels.
pub(super) fn all() -> Vec<Distance> {
    let each = |numbers: [f64; 2]| PerChannel::of_each(numbers.to_vec()).unwrap();
    vec![
        Distance::Jaccard {
            tolerance: 0.5.into(),
        },
        Distance::Jaccard {
            tolerance: each([0.1, 2.0]),
        },
        Distance::BrayCurtis,
        Distance::MeanAbsolute { range: 3.0.into() },
        Distance::MeanAbsolute {
            range: each([0.5, 4.0]),
        },
        Distance::Iou { binarise_at: 0.5 },
    ]
}

/// scipy 1.17.1:
/// ```python
/// import numpy as np
/// from scipy.spatial.distance import braycurtis, jaccard, hamming
/// a = np.array([0., .2, .9, 1., .6, .4]); b = np.array([.1, .9, .8, 0., .55, .45])
/// braycurtis(a, b)                       # 0.3389830508474577
/// jaccard(a > .5, b > .5)                # 0.5
/// hamming(np.abs(a - b) > .5, np.zeros(6, bool))   # 0.3333333333333333
/// np.sum((a - b) ** 2)                   # 1.515
/// ```
#[test]
fn agrees_with_scipy() {
    let a = [0.0, 0.2, 0.9, 1.0, 0.6, 0.4];
    let b = [0.1, 0.9, 0.8, 0.0, 0.55, 0.45];
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-7, "{found} {expected}");
    near(
        Distance::BrayCurtis.between(ANY, &a, &b).unwrap(),
        0.338_983_050_847_457_7,
    );
    near(
        Distance::Iou { binarise_at: 0.5 }
            .between(ANY, &a, &b)
            .unwrap(),
        0.5,
    );
    near(
        Distance::Jaccard {
            tolerance: 0.5.into(),
        }
        .between(ANY, &a, &b)
        .unwrap(),
        1.0 / 3.0,
    );
    near(squared_error(&a, &b).unwrap(), 1.515);
}

/// Two curves of four points, channels last, of values that need no clipping; scipy 1.17.1:
/// ```python
/// import numpy as np
/// from scipy.spatial.distance import braycurtis, hamming
/// a = np.array([[-1.5, 20.], [.25, -4.], [2.5, 0.], [-.5, 3.]])
/// b = np.array([[-1., 14.], [-.25, -5.], [2.5, 12.], [4., 3.]])
/// off = np.abs(a - b)
/// hamming((off > 1).ravel(), np.zeros(8, bool))        # 0.375
/// hamming((off > [.25, 7]).ravel(), np.zeros(8, bool)) # 0.5
/// np.mean(np.minimum(off / 10, 1))                     # 0.28125
/// np.mean(np.minimum(off / [4, 40], 1))                # 0.215625
/// off.sum() / (np.abs(a) + np.abs(b)).sum()            # 0.3333333333333333
/// braycurtis(a.ravel(), b.ravel())                     # 0.3402777777777778
/// braycurtis([.001, -2.], [-.001, 2.])                 # inf
/// np.sum((a - b) ** 2)                                 # 201.75
/// ```
#[test]
fn agrees_with_numpy_on_curves_of_any_sign_and_scale() {
    let a = [-1.5, 20.0, 0.25, -4.0, 2.5, 0.0, -0.5, 3.0];
    let b = [-1.0, 14.0, -0.25, -5.0, 2.5, 12.0, 4.0, 3.0];
    let each = |numbers: [f64; 2]| PerChannel::of_each(numbers.to_vec()).unwrap();
    for (distance, expected) in [
        (
            Distance::Jaccard {
                tolerance: 1.0.into(),
            },
            0.375,
        ),
        (
            Distance::Jaccard {
                tolerance: each([0.25, 7.0]),
            },
            0.5,
        ),
        (Distance::MeanAbsolute { range: 10.0.into() }, 0.281_25),
        (
            Distance::MeanAbsolute {
                range: each([4.0, 40.0]),
            },
            0.215_625,
        ),
        (Distance::BrayCurtis, 1.0 / 3.0),
    ] {
        let found = distance.between(ANY, &a, &b).unwrap();
        assert!((found - expected).abs() < 1e-12, "{distance:?} {found}");
    }
    // Different signs: as far apart as can be, however small; scipy gives infinity.
    let signs = Distance::BrayCurtis.between(ANY, &[0.001, -2.0], &[-0.001, 2.0]);
    assert_eq!(signs.unwrap(), 1.0);
    assert_eq!(squared_error(&a, &b).unwrap(), 201.75);
}

#[test]
fn numbers_fit_the_channels_or_are_refused() {
    for distance in all() {
        assert_eq!(distance.problem(curves(2)), None, "{distance:?}");
    }
    let jaccard = |numbers: &[f64]| Distance::Jaccard {
        tolerance: PerChannel::of_each(numbers.to_vec()).unwrap(),
    };
    let range = |number: f64| Distance::MeanAbsolute {
        range: number.into(),
    };
    let said = jaccard(&[0.1, 0.2]).problem(curves(3)).unwrap();
    assert!(said.contains("2 numbers for 3 channels"), "{said}");
    for bad in [
        jaccard(&[-0.1]),
        jaccard(&[f64::NAN]),
        range(0.0),
        range(f64::INFINITY),
    ] {
        assert!(bad.problem(curves(1)).is_some(), "{bad:?}");
    }
    assert_eq!(jaccard(&[0.0]).problem(curves(1)), None);
    assert!(
        Distance::Iou {
            binarise_at: f64::NAN
        }
        .problem(curves(1))
        .is_some()
    );
    // A range of nothing finds no difference, rather than NaN.
    assert_eq!(range(0.0).between(ANY, &[1.0], &[2.0]).unwrap(), 0.0);
}

#[test]
fn empty_and_black_instances_are_equal() {
    for d in all() {
        assert_eq!(d.between(ANY, &[], &[]).unwrap(), 0.0);
        assert_eq!(d.between(ANY, &[0.0; 9], &[0.0; 9]).unwrap(), 0.0);
        assert!(d.between(ANY, &[0.0], &[]).is_err());
    }
    assert_eq!(squared_error(&[], &[]).unwrap(), 0.0);
}

#[test]
fn broken_pixels_do_not_spread() {
    for d in all() {
        let found = d
            .between(ANY, &[f32::NAN, 1.0, f32::INFINITY], &[0.0, 1.0, 0.0])
            .unwrap();
        assert_eq!(found, 0.0, "{d:?}");
    }
}

#[test]
fn threshold_has_the_released_tolerance() {
    assert!(reaches(0.1009, 0.1));
    assert!(!reaches(0.1011, 0.1));
    assert!(!reaches(f64::NAN, 0.1));
}

proptest! {
    #[test]
    fn symmetric_and_within_the_unit_interval(
        pairs in proptest::collection::vec((-3.0f32..3.0, -3.0f32..3.0), 0..40)
    ) {
        let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        for d in all() {
            let ab = d.between(ANY, &a, &b).unwrap();
            prop_assert!((0.0..=1.0).contains(&ab), "{d:?} {ab}");
            prop_assert_eq!(ab, d.between(ANY, &b, &a).unwrap());
            prop_assert_eq!(d.between(ANY, &a, &a).unwrap(), 0.0);
        }
    }
}
