use super::*;

const SIZE: Size = Size {
    height: 28,
    width: 28,
};

fn picture(of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    (0..28 * 28)
        .map(|place| of(f64::from(place / 28), f64::from(place % 28)))
        .collect()
}

/// A leaning bar with soft edges.
fn bar(lean: f64) -> Vec<f64> {
    picture(|y, x| {
        let away = ((x - 14.0) + lean * (y - 14.0)).abs();
        if y > 4.0 && y < 23.0 {
            (2.6 - away).clamp(0.0, 1.0)
        } else {
            0.0
        }
    })
}

// import numpy as np, scipy.ndimage as nd   # numpy 2.4.6, scipy 1.17.1
// def up(p, s=4):
//     h, w = p.shape
//     def taps(n):
//         m = np.clip((np.arange(n*s)+.5)/s-.5, 0, n-1); a = m.astype(int); return a, np.minimum(a+1, n-1), m-a
//     a, b, t = taps(h); q = p[a]*(1-t)[:, None] + p[b]*t[:, None]
//     a, b, t = taps(w); return q[:, a]*(1-t) + q[:, b]*t
// def thin(B):
//     B = B.copy()
//     while True:
//         changed = False
//         for first in (True, False):
//             P = np.pad(B, 1).astype(int)
//             n = [P[:-2, 1:-1], P[:-2, 2:], P[1:-1, 2:], P[2:, 2:], P[2:, 1:-1], P[2:, :-2], P[1:-1, :-2], P[:-2, :-2]]
//             c = sum(n); begins = sum((n[i] == 0) & (n[(i+1) % 8] == 1) for i in range(8)); u, r, d, l = n[::2]
//             e = (u*r*d == 0) & (r*d*l == 0) if first else (u*r*l == 0) & (u*d*l == 0)
//             go = B & (c >= 2) & (c <= 6) & (begins == 1) & e; changed |= go.any(); B[go] = False
//         if not changed: return B
// def factors(p):
//     g = up(p) - p.min(); B = g > (p.max()-p.min())/2; D, S = nd.distance_transform_edt(B), thin(B)
//     y, x = np.mgrid[:g.shape[0], :g.shape[1]]; m = g.sum(); cy, cx = (g*y).sum()/m, (g*x).sum()/m
//     shear = (g*(y-cy)*(x-cx)).sum()/(g*(y-cy)**2).sum()
//     def span(v):
//         v, w = v[g > 0], g[g > 0]; o = np.argsort(v, kind='stable'); v, w = v[o], w[o]; b = .02*w.sum()
//         return (v[::-1][np.argmax(np.cumsum(w[::-1]) > b)] - v[np.argmax(np.cumsum(w) > b)] + 1)/4
//     return 2*D[S].mean()/4, np.arctan(-shear), span(x-shear*(y-cy)), span(1.*y), B.sum()/16
// y, x = np.mgrid[:28, :28]
// print(factors(np.clip(2.6-np.abs((x-14)+.4*(y-14)), 0, 1)*((y > 4) & (y < 23))))
// print(factors(np.clip(2-np.abs(np.hypot(x-12, 1.2*(y-15))-7), 0, 1)))
#[test]
fn factors_agree_with_scipy() {
    let ring =
        picture(|y, x| (2.0 - ((x - 12.0).hypot(1.2 * (y - 15.0)) - 7.0).abs()).clamp(0.0, 1.0));
    for (picture, expected) in [
        (
            bar(0.4),
            [
                3.782_632_334_017_377_8,
                0.378_333_423_472_794_1,
                5.124_554_801_732_268,
                17.5,
                75.0625,
            ],
        ),
        (ring, [2.664_286_103_279_960_3, 0.0, 16.5, 13.5, 110.0]),
    ] {
        let found = DigitFactors::of(&picture, SIZE).unwrap().values();
        for ((found, expected), name) in found.iter().zip(expected).zip(DigitFactors::NAMES) {
            assert!(
                (found - expected).abs() < 1e-9,
                "{name}: {found}, not {expected}"
            );
        }
    }
}

// m = ["0000000000", "0111110000", "0111111100", "0111111110", "0011111110", "0011111110", "0000111100", "0000000000"]
// m = np.array([[int(v) for v in r] for r in m], bool)
// print((nd.distance_transform_edt(m)**2).round().astype(int).tolist())
#[test]
fn distances_agree_with_scipy() {
    let rows = [
        ("0000000000", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("0111110000", [0, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
        ("0111111100", [0, 1, 4, 4, 4, 2, 1, 1, 0, 0]),
        ("0111111110", [0, 1, 2, 5, 8, 5, 4, 2, 1, 0]),
        ("0011111110", [0, 0, 1, 4, 5, 8, 8, 4, 1, 0]),
        ("0011111110", [0, 0, 1, 1, 2, 4, 4, 2, 1, 0]),
        ("0000111100", [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]),
        ("0000000000", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ];
    let ink: Vec<bool> = rows
        .iter()
        .flat_map(|(row, _)| row.bytes().map(|b| b == b'1'))
        .collect();
    let size = Size {
        height: 8,
        width: 10,
    };
    let expected: Vec<f64> = rows.iter().flat_map(|(_, d)| d.map(f64::from)).collect();
    assert_eq!(distance::squared(&ink, size), expected);
    let all = distance::squared(&[true; 80], size);
    assert!(all.iter().all(|d| d.is_infinite()));
}

#[test]
fn a_skeleton_is_thin_and_keeps_what_hangs_together() {
    let size = Size {
        height: 9,
        width: 20,
    };
    let ink: Vec<bool> = (0..180)
        .map(|place| (2..7).contains(&(place / 20)) && (2..18).contains(&(place % 20)))
        .collect();
    let skeleton = skeleton::thinned(&ink, size);
    let on: Vec<usize> = (0..180).filter(|&place| skeleton[place]).collect();
    assert!(on.len() >= 10 && on.iter().all(|&place| ink[place]));
    // One pixel in each column where it is, and no gap.
    let columns: Vec<usize> = on.iter().map(|place| place % 20).collect();
    let mut sorted = columns.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), columns.len());
    assert_eq!(sorted[sorted.len() - 1] - sorted[0] + 1, sorted.len());
}

#[test]
fn factors_follow_what_is_drawn() {
    let of = |picture: &[f64]| DigitFactors::of(picture, SIZE).unwrap();
    let (upright, leaning) = (of(&bar(0.0)), of(&bar(0.3)));
    assert!(upright.slant.abs() < 1e-9 && leaning.slant > 0.2);
    assert!((of(&bar(-0.3)).slant + leaning.slant).abs() < 1e-9);
    // Leaning moves rows and makes nothing wider or higher.
    assert!((leaning.width - upright.width).abs() < 0.5);
    assert!((leaning.height - upright.height).abs() < 1e-9);
    // Half as bright is the same digit.
    let pale: Vec<f64> = bar(0.3).iter().map(|v| v / 2.0).collect();
    for (a, b) in of(&pale).values().into_iter().zip(leaning.values()) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn without_ink_there_is_nothing_to_measure() {
    assert_eq!(DigitFactors::of(&[0.0; 784], SIZE), None);
    assert_eq!(DigitFactors::of(&[0.7; 784], SIZE), None);
    let mut broken = bar(0.0);
    broken[3] = f64::NAN;
    assert_eq!(DigitFactors::of(&broken, SIZE), None);
}
