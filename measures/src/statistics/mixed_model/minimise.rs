//! Minimising a smooth function of a few numbers, without its derivatives.

use nalgebra::{DMatrix, DVector};

/// Where the search ended.
pub(super) struct Minimum {
    pub at: DVector<f64>,
    /// Whether it came to rest there, and something depends on each number: where nothing does,
    /// it rests wherever it begins.
    pub converged: bool,
}

/// Deviances are known to about this much: what a further step is expected to gain has to
/// be below it. A parameter is then within 0.001 of its standard error.
const GAIN: f64 = 1e-7;

/// BFGS with central differences and backtracking. `f` may be infinite outside its domain,
/// not at `start`.
pub(super) fn minimise(f: impl Fn(&DVector<f64>) -> f64, start: DVector<f64>) -> Minimum {
    // Outside the domain, as far as comparisons go.
    let f = |x: &DVector<f64>| match f(x) {
        value if value.is_nan() => f64::INFINITY,
        value => value,
    };
    let mut x = start;
    let mut value = f(&x);
    let mut slope = gradient(&f, &x);
    let mut inverse = first_guess(&f, &x);
    let mut fresh = true;
    for _ in 0..300 {
        let mut step = -(&inverse * &slope);
        let mut gain = -slope.dot(&step);
        if !gain.is_finite() || gain < 0.0 {
            inverse = first_guess(&f, &x);
            step = -(&inverse * &slope);
            gain = -slope.dot(&step);
        }
        if gain < GAIN {
            if fresh {
                let converged = !is_flat(&f, &x, value);
                return Minimum { at: x, converged };
            }
            // The built-up curvature may be wrong: ask once more with a fresh one.
            inverse = first_guess(&f, &x);
            fresh = true;
            continue;
        }
        let mut length = (4.0 / step.amax()).min(1.0);
        let mut next = &x + &step * length;
        let mut next_value = f(&next);
        while next_value > value - 1e-4 * length * gain && length > 1e-10 {
            length *= 0.5;
            next = &x + &step * length;
            next_value = f(&next);
        }
        if next_value >= value {
            if fresh {
                // No descent even along the slope: as far as rounding lets us go.
                let converged = gain < 1e-4 && !is_flat(&f, &x, value);
                return Minimum { at: x, converged };
            }
            inverse = first_guess(&f, &x);
            fresh = true;
            continue;
        }
        let next_slope = gradient(&f, &next);
        let (s, y) = (&next - &x, &next_slope - &slope);
        let sy = s.dot(&y);
        if sy > 1e-12 {
            let identity = DMatrix::<f64>::identity(s.len(), s.len());
            let left = &identity - &s * y.transpose() / sy;
            inverse = &left * &inverse * left.transpose() + &s * s.transpose() / sy;
        }
        fresh = false;
        (x, value, slope) = (next, next_value, next_slope);
    }
    Minimum {
        at: x,
        converged: false,
    }
}

/// Whether some number can go half its size (at least 0.5) either way without a change.
fn is_flat(f: &impl Fn(&DVector<f64>) -> f64, x: &DVector<f64>, value: f64) -> bool {
    (0..x.len()).any(|index| {
        let far = 0.5 * x[index].abs().max(1.0);
        [far, -far]
            .into_iter()
            .all(|by| (f(&moved(x, &[(index, by)])) - value).abs() < GAIN)
    })
}

fn moved(x: &DVector<f64>, by: &[(usize, f64)]) -> DVector<f64> {
    let mut x = x.clone();
    for &(index, step) in by {
        x[index] += step;
    }
    x
}

fn gradient(f: &impl Fn(&DVector<f64>) -> f64, x: &DVector<f64>) -> DVector<f64> {
    DVector::from_fn(x.len(), |i, _| {
        let h = 1e-4 * x[i].abs().max(0.1);
        let (up, down) = (f(&moved(x, &[(i, h)])), f(&moved(x, &[(i, -h)])));
        // At the edge of the domain: the side that there is.
        match (up.is_finite(), down.is_finite()) {
            (true, true) => (up - down) / (2.0 * h),
            (true, false) => (up - f(x)) / h,
            (false, true) => (f(x) - down) / h,
            (false, false) => 0.0,
        }
    })
}

/// The inverse of the diagonal of the Hessian.
fn first_guess(f: &impl Fn(&DVector<f64>) -> f64, x: &DVector<f64>) -> DMatrix<f64> {
    let value = f(x);
    DMatrix::from_diagonal(&DVector::from_fn(x.len(), |i, _| {
        let h = 1e-2 * x[i].abs().max(0.1);
        let curvature =
            (f(&moved(x, &[(i, h)])) - 2.0 * value + f(&moved(x, &[(i, -h)]))) / (h * h);
        if curvature.is_finite() && curvature > 1e-6 {
            1.0 / curvature
        } else {
            1.0
        }
    }))
}

/// The Hessian by central differences, improved once by Richardson's extrapolation.
pub(super) fn hessian(f: impl Fn(&DVector<f64>) -> f64, x: &DVector<f64>) -> DMatrix<f64> {
    let n = x.len();
    let value = f(x);
    let with = |scale: f64| {
        let h: Vec<f64> = x.iter().map(|v| scale * v.abs().max(0.1)).collect();
        let mut found = DMatrix::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                let at = |a: f64, b: f64| f(&moved(x, &[(i, a * h[i]), (j, b * h[j])]));
                let second = if i == j {
                    let sides = f(&moved(x, &[(i, h[i])])) + f(&moved(x, &[(i, -h[i])]));
                    (sides - 2.0 * value) / (h[i] * h[i])
                } else {
                    let cross = at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0);
                    cross / (4.0 * h[i] * h[j])
                };
                found[(i, j)] = second;
                found[(j, i)] = second;
            }
        }
        found
    };
    let (coarse, fine) = (with(2e-2), with(1e-2));
    (fine * 4.0 - coarse) / 3.0
}
