//! Tails and quantiles.
//!
//! Central distributions are those of `statrs`; upper tails are survival functions, never
//! one minus a cumulative one, so that they keep their digits far out. The noncentral
//! distributions, which `statrs` does not have, are sums and integrals over the central ones.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;
use statrs::function::gamma::ln_gamma;

/// P(Z > z) of the standard normal distribution.
#[must_use]
pub fn normal_sf(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// P(Z ≤ z) of the standard normal distribution.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().sf(-z)
}

/// Density of the standard normal distribution.
#[must_use]
pub fn normal_density(z: f64) -> f64 {
    Normal::standard().pdf(z)
}

/// The z with P(Z ≤ z) = `probability`; infinite for 0 and 1.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    match probability {
        p if p <= 0.0 => f64::NEG_INFINITY,
        p if p >= 1.0 => f64::INFINITY,
        p => {
            let start = Normal::standard().inverse_cdf(p);
            // One step of Newton's, from the nearer tail.
            let off = if p < 0.5 {
                normal_cdf(start) - p
            } else {
                (1.0 - p) - normal_sf(start)
            };
            start - off / normal_density(start)
        }
    }
}

/// P(T > t) of Student's distribution; `df` > 0.
#[must_use]
pub fn t_sf(t: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |d| d.sf(t))
}

/// The t with P(T > t) = `tail`, for a tail in (0, 0.5].
#[must_use]
pub fn t_upper_quantile(tail: f64, df: f64) -> f64 {
    let Ok(distribution) = StudentsT::new(0.0, 1.0, df) else {
        return f64::NAN;
    };
    let mut t = distribution.inverse_cdf(1.0 - tail);
    // The start loses digits by 1 − tail; Newton's steps on the tail itself bring them back.
    for _ in 0..4 {
        let density = distribution.pdf(t);
        if density > 0.0 && density.is_finite() {
            t += (distribution.sf(t) - tail) / density;
        }
    }
    t
}

/// P(F > f) of Fisher's distribution: the regularised incomplete beta function at
/// df2 / (df2 + df1 f), without the subtraction from 1 that `statrs` starts with.
#[must_use]
pub fn f_sf(f: f64, df1: f64, df2: f64) -> f64 {
    if f <= 0.0 {
        return 1.0;
    }
    beta_reg(df2 / 2.0, df1 / 2.0, df2 / (df2 + df1 * f))
}

/// P(X > x) of the chi-squared distribution.
#[must_use]
pub fn chi_squared_sf(x: f64, df: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    ChiSquared::new(df).map_or(f64::NAN, |d| d.sf(x))
}

/// P(T ≤ t) of the noncentral t distribution with noncentrality `delta`:
/// E[Φ(t s − δ)] over s = χ(df) / √df.
#[must_use]
pub fn noncentral_t_cdf(t: f64, df: f64, delta: f64) -> f64 {
    // Where Φ goes from 0 to 1, the integral needs a finer grid.
    let cuts = if t == 0.0 {
        [0.0, 0.0]
    } else {
        [(delta - 9.0) / t, (delta + 9.0) / t]
    };
    over_scale(df, &cuts, |s| normal_cdf(t * s - delta))
}

/// E[f(s)] over s = χ(df) / √df, the ratio of an estimated standard deviation to the
/// true one: Gauss–Legendre, piecewise between `cuts` and the ends of where s can be.
pub(crate) fn over_scale(df: f64, cuts: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    /// Mass of χ beyond so many of its standard deviations is below 1e-18.
    const FAR: f64 = 9.0;
    const PANELS: usize = 24;
    let (low, high) = ((1.0 - FAR / df.sqrt()).max(0.0), 1.0 + FAR / df.sqrt());
    let constant = (2.0_f64).ln() + df / 2.0 * (df / 2.0).ln() - ln_gamma(df / 2.0);
    let density = |s: f64| (constant + (df - 1.0) * s.ln() - df * s * s / 2.0).exp();
    let mut ends: Vec<f64> = [low, high]
        .into_iter()
        .chain(cuts.iter().map(|cut| cut.clamp(low, high)))
        .collect();
    ends.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    for pair in ends.windows(2) {
        let width = (pair[1] - pair[0]) / super::real(PANELS);
        if width <= 0.0 {
            continue;
        }
        for panel in 0..PANELS {
            let middle = pair[0] + (super::real(panel) + 0.5) * width;
            for (node, weight) in LEGENDRE_8 {
                for s in [middle - node * width / 2.0, middle + node * width / 2.0] {
                    sum += weight * width / 2.0 * f(s) * density(s);
                }
            }
        }
    }
    sum
}

/// Positive nodes and their weights of the Gauss–Legendre rule with 8 points
/// (`numpy.polynomial.legendre.leggauss(8)`).
const LEGENDRE_8: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_26),
];

/// P(F ≤ f) of the noncentral F distribution: a mixture of incomplete beta functions with
/// Poisson weights of mean λ / 2, summed from the largest weight outwards.
#[must_use]
pub fn noncentral_f_cdf(f: f64, df1: f64, df2: f64, lambda: f64) -> f64 {
    if f <= 0.0 {
        return 0.0;
    }
    let x = df1 * f / (df1 * f + df2);
    let half = lambda / 2.0;
    let weight = |j: f64| {
        if half == 0.0 {
            return if j == 0.0 { 1.0 } else { 0.0 };
        }
        (j * half.ln() - half - ln_gamma(j + 1.0)).exp()
    };
    let term = |j: f64| weight(j) * beta_reg(df1 / 2.0 + j, df2 / 2.0, x);
    let start = half.floor();
    let mut sum = 0.0;
    let mut j = start;
    loop {
        sum += term(j);
        if weight(j) < 1e-17 {
            break;
        }
        j += 1.0;
    }
    let mut j = start - 1.0;
    while j >= 0.0 && weight(j) >= 1e-17 {
        sum += term(j);
        j -= 1.0;
    }
    sum.min(1.0)
}

/// The noncentrality δ of t with P(T ≤ `t` | δ) = `probability`.
#[must_use]
pub fn noncentrality_of_t(t: f64, df: f64, probability: f64) -> f64 {
    // The probability falls as δ grows.
    let mut reach = 10.0 + t.abs();
    while noncentral_t_cdf(t, df, t - reach) < probability && reach < 1e6 {
        reach *= 2.0;
    }
    while noncentral_t_cdf(t, df, t + reach) > probability && reach < 1e6 {
        reach *= 2.0;
    }
    bisect(t - reach, t + reach, |delta| {
        noncentral_t_cdf(t, df, delta) > probability
    })
}

/// The noncentrality λ of F with P(F ≤ `f` | λ) = `probability`; 0 where even the central
/// distribution is below it.
#[must_use]
pub fn noncentrality_of_f(f: f64, df1: f64, df2: f64, probability: f64) -> f64 {
    let above = |lambda: f64| noncentral_f_cdf(f, df1, df2, lambda) > probability;
    if !above(0.0) {
        return 0.0;
    }
    let mut high = (df1 * f).max(1.0);
    while above(high) && high < 1e7 {
        high *= 2.0;
    }
    bisect(0.0, high, above)
}

/// Where `left` stops being true, between two ends, to the last bits.
fn bisect(mut low: f64, mut high: f64, left: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = low.midpoint(high);
        if left(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.midpoint(high)
}
