//! SSIM against scikit-image, MS-SSIM against pytorch-msssim, and what holds for both.

use super::*;
use crate::model::distance::Distance;
use proptest::prelude::*;

/// A picture of stripes with a disc, which lies lower with a larger `k`; all its values are exact in f32.
///
/// ```python
/// def picture(h, w, c, k):
///     y, x, z = np.meshgrid(np.arange(h), np.arange(w), np.arange(c), indexing="ij")
///     shade = (3 * y + 5 * x + y * x // 7 + 2 * z + k * (y // 5)) % 17 / 16
///     disc = (y - h // 2 - k) ** 2 + (x - w // 2) ** 2 < (min(h, w) // 3) ** 2
///     return np.where(disc, 1 - shade / 8, shade / 4)
/// ```
fn picture(shape: InstanceShape, k: i32) -> Vec<f32> {
    let InstanceShape::Image {
        height,
        width,
        channels,
    } = shape
    else {
        panic!("a series");
    };
    let [h, w, c] = [height, width, channels].map(|it| i32::try_from(it).unwrap());
    let mut values = Vec::new();
    for y in 0..h {
        for x in 0..w {
            for z in 0..c {
                let shade = (3 * y + 5 * x + y * x / 7 + 2 * z + k * (y / 5)) % 17;
                let shade = shade as f32 / 16.0;
                let from_centre = (y - h / 2 - k).pow(2) + (x - w / 2).pow(2);
                let in_disc = from_centre < (h.min(w) / 3).pow(2);
                values.push(if in_disc {
                    1.0 - shade / 8.0
                } else {
                    shade / 4.0
                });
            }
        }
    }
    values
}

fn ssim(range: f64, scales: u8) -> Distance {
    Distance::Ssim { range, scales }
}

/// scikit-image 0.26.0:
/// ```python
/// from skimage.metrics import structural_similarity
/// a, b = picture(h, w, c, 0), picture(h, w, c, 3)
/// how = dict(gaussian_weights=True, sigma=1.5, use_sample_covariance=False, channel_axis=2)
/// structural_similarity(a, b, data_range=r, **how)
/// structural_similarity(a, 1 - a, data_range=r, **how)   # below 0
/// ```
#[test]
fn agrees_with_scikit_image() {
    for ((height, width, channels, range), similarity) in [
        ((11, 11, 1, 1.0), 0.054_645_289_555_916_28),
        ((28, 28, 1, 1.0), 0.196_624_278_886_730_2),
        ((64, 48, 1, 1.0), 0.184_182_181_149_385_6),
        ((40, 33, 3, 1.0), 0.206_736_430_454_094_18),
        ((28, 28, 1, 2.0), 0.281_539_280_982_759_26),
    ] {
        let shape = InstanceShape::image(height, width, channels);
        let (a, b) = (picture(shape, 0), picture(shape, 3));
        let found = ssim(range, 1).between(shape, &a, &b).unwrap();
        assert!((1.0 - found - similarity).abs() < 1e-9, "{shape:?} {found}");
        // A contrary picture is no further away than an unlike one.
        let negative: Vec<f32> = a.iter().map(|value| 1.0 - value).collect();
        assert_eq!(ssim(range, 1).between(shape, &a, &negative).unwrap(), 1.0);
    }
}

/// pytorch-msssim 1.0.0 with the first weights of Wang et al. in proportion:
/// ```python
/// t = [torch.tensor(picture(h, w, c, k)).permute(2, 0, 1)[None] for k in (0, 3)]
/// # By itself it takes windows in f32, which changes the similarity by 1e-5.
/// g = torch.exp(-((torch.arange(11, dtype=torch.float64) - 5) ** 2) / (2 * 1.5**2)); g /= g.sum()
/// weights = (np.array(W[:m]) / sum(W[:m])).tolist()
/// ms_ssim(*t, data_range=1, weights=weights, win=g.repeat(c, 1, 1, 1))
/// ```
#[test]
fn agrees_with_pytorch_over_several_scales() {
    for ((channels, scales), similarity) in [
        ((1, 2), 0.390_737_641_102_532_2),
        ((1, 3), 0.545_187_133_564_608_7),
        ((3, 5), 0.672_870_483_219_247),
    ] {
        let shape = InstanceShape::image(192, 176, channels);
        let (a, b) = (picture(shape, 0), picture(shape, 3));
        let found = ssim(1.0, scales).between(shape, &a, &b).unwrap();
        assert!((1.0 - found - similarity).abs() < 1e-9, "{scales} {found}");
    }
}

#[test]
fn only_pictures_with_a_window_at_each_scale_are_compared() {
    let problem = |shape, range, scales| ssim(range, scales).problem(shape).unwrap_or_default();
    let digit = InstanceShape::image(28, 28, 1);
    assert_eq!(problem(digit, 1.0, 1), "");
    assert_eq!(problem(digit, 1.0, 2), "");
    assert_eq!(
        problem(digit, 1.0, 3),
        "scales: 3; pictures of this size have 1 to 2"
    );
    assert!(problem(digit, 1.0, 0).contains("scales: 0"));
    assert!(problem(digit, 0.0, 1).contains("range: 0"));
    assert!(problem(digit, f64::NAN, 1).contains("range"));
    let at_least = "at least 11 × 11";
    assert!(problem(InstanceShape::image(10, 28, 1), 1.0, 1).contains(at_least));
    assert!(problem(InstanceShape::series(64, 1), 1.0, 1).contains(at_least));
    assert_eq!(problem(InstanceShape::image(256, 176, 3), 1.0, 5), "");
    // Nor are they where nobody has looked at the card.
    let small = InstanceShape::image(2, 2, 1);
    assert!(ssim(1.0, 1).between(small, &[0.0; 4], &[0.0; 4]).is_err());
    let wrong = ssim(1.0, 1).between(digit, &[0.0; 4], &[0.0; 4]);
    assert!(wrong.is_err(), "values for another shape");
}

#[test]
fn its_numbers_may_be_left_out() {
    let read: Distance = serde_json::from_str(r#"{"kind":"ssim"}"#).unwrap();
    assert_eq!(read, ssim(1.0, 1));
    let wrong = serde_json::from_str::<Distance>(r#"{"kind":"ssim","window":7}"#);
    assert!(wrong.is_err());
}

#[test]
fn black_pictures_are_alike_and_broken_pixels_count_as_black() {
    let shape = InstanceShape::image(12, 12, 1);
    let black = vec![0.0; 144];
    let mut broken = black.clone();
    broken[70] = f32::NAN;
    broken[71] = f32::INFINITY;
    let found = ssim(1.0, 1).between(shape, &broken, &black);
    assert_eq!(found.unwrap(), 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// It is symmetric and within [0, 1], and whatever another build makes of the values, its distance lies within
    /// the bounds.
    #[test]
    fn every_rounding_lies_within(
        values in proptest::collection::vec((-0.5f32..1.5, -0.5f32..1.5, -1.0f64..1.0), 24 * 23),
        tolerance in 1e-5f64..0.2,
        scales in 1u8..=2,
    ) {
        let shape = InstanceShape::image(24, 23, 1);
        let x: Vec<f32> = values.iter().map(|v| v.0).collect();
        let target: Vec<f32> = values.iter().map(|v| v.1).collect();
        let size = x.iter().fold(1.0, |size: f64, v| size.max(f64::from(v.abs())));
        let other: Vec<f32> = values
            .iter()
            .map(|v| (f64::from(v.0) + 0.999 * v.2 * tolerance * size) as f32)
            .collect();
        let distance = ssim(1.0, scales);
        let there = distance.between(shape, &x, &target).unwrap();
        prop_assert!((0.0..=1.0).contains(&there));
        let back = distance.between(shape, &target, &x).unwrap();
        prop_assert!((there - back).abs() < 1e-12);
        prop_assert!(distance.between(shape, &x, &x).unwrap() < 1e-12);
        let bounds = distance.bounds(shape, &x, &target, tolerance).unwrap();
        let found = distance.between(shape, &other, &target).unwrap();
        prop_assert!(bounds.contain(found), "{:?} {}", bounds, found);
    }
}

/// Bounds that say nothing would hold, too. Where pictures have nothing in common at a coarse scale, its root is as steep
/// as can be and no bounds are narrow: these have something.
#[test]
fn bounds_of_a_small_tolerance_are_narrow() {
    let shape = InstanceShape::image(24, 23, 1);
    let noise = |seed: u32| (0..24 * 23_u32).map(move |at| (at * 7919 + seed * 104_729) % 1_009);
    for seed in 0..50 {
        let x: Vec<f32> = noise(seed).map(|it| it as f32 / 1_009.0).collect();
        let other = noise(seed + 1).map(|it| it as f32 / 1_009.0);
        let target: Vec<f32> = x
            .iter()
            .zip(other)
            .map(|(x, y)| 0.7 * x + 0.3 * y)
            .collect();
        for scales in [1, 2] {
            let bounds = ssim(1.0, scales).bounds(shape, &x, &target, 1e-4);
            let bounds = bounds.unwrap();
            assert!(bounds.high - bounds.low < 0.02, "{bounds:?}");
        }
    }
}
