//! Tests of two means by Student's distribution, with Cohen's d and Hedges' g.

use serde::{Deserialize, Serialize};

use super::distribution::{t_sf, t_upper_quantile};
use super::effect_size::{EffectSize, hedges_correction, of_t};
use super::{Defined, Interval, Moments, Tails, Undefined, checked, largest};

/// A t-test of a difference of means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// The statistic: difference / standard error.
    pub t: f64,
    /// Degrees of freedom; not whole for Welch's.
    pub df: f64,
    /// p-values.
    pub p: Tails,
    /// Mean of the first sample minus mean of the second.
    pub difference: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// 95 % interval of the difference.
    pub interval: Interval,
}

impl TTest {
    /// The test of `difference` = 0, with a standard error above 0.
    #[must_use]
    pub fn of(difference: f64, standard_error: f64, df: f64) -> Self {
        let t = difference / standard_error;
        let reach = t_upper_quantile(0.025, df) * standard_error;
        Self {
            t,
            df,
            p: Tails {
                two_sided: (2.0 * t_sf(t.abs(), df)).min(1.0),
                less: t_sf(-t, df),
                greater: t_sf(t, df),
            },
            difference,
            standard_error,
            interval: Interval {
                low: difference - reach,
                high: difference + reach,
                level: 0.95,
            },
        }
    }
}

/// A paired t-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedT {
    /// Number of pairs.
    pub n: usize,
    /// The test.
    #[serde(flatten)]
    pub test: TTest,
    /// Mean difference / standard deviation of the differences. Its 95 % interval holds
    /// the noncentralities of t that leave 2.5 % above and below, divided by √n.
    pub d_z: EffectSize,
    /// Hedges' g_z: `d_z` and its interval with [Hedges' correction](hedges_correction) for n − 1 degrees of freedom;
    /// absent for two pairs.
    pub g_z: Option<EffectSize>,
    /// Mean difference / √((s₁² + s₂²) / 2). Its interval is that of `d_z`, rescaled
    /// (Algina and Keselman 2003: approximate).
    pub d_av: EffectSize,
}

/// The paired t-test of two samples in the same order.
///
/// # Errors
/// - [`Undefined::Constant`] if the differences do not vary, whatever their mean is: all
///   the same person for person, or shifted by the same amount.
/// - Fewer than two pairs, unequal lengths, values that are not finite.
pub fn paired(first: &[f64], second: &[f64]) -> Defined<PairedT> {
    let test = paired_test(first, second)?;
    let scale = largest(first.iter().chain(second));
    let root_n = super::real(first.len()).sqrt();
    let sd = test.standard_error * root_n;
    let d_z = of_t(test.t, test.df, 1.0 / root_n);
    let spread = |values| Moments::of(values, scale).variance();
    let rescale = sd / f64::midpoint(spread(first), spread(second)).sqrt();
    Ok(PairedT {
        n: first.len(),
        test,
        d_z,
        g_z: hedges_correction(test.df).map(|correction| d_z.times(correction)),
        d_av: d_z.times(rescale),
    })
}

/// The test alone, without effect sizes: for whoever needs very many.
///
/// # Errors
/// Where [`paired`] has them.
pub fn paired_test(first: &[f64], second: &[f64]) -> Defined<TTest> {
    let differences = differences(first, second)?;
    checked(&differences, 2)?;
    let scale = largest(first.iter().chain(second));
    let moments = Moments::of(&differences, scale);
    // Of two samples that do not vary, differences may still be twice as far apart.
    let varies = |sample| Moments::of(sample, scale).squares > 0.0;
    if moments.squares == 0.0 || !(varies(first) || varies(second)) {
        return Err(Undefined::Constant);
    }
    let standard_error = moments.variance().sqrt() / moments.n.sqrt();
    Ok(TTest::of(moments.mean, standard_error, moments.n - 1.0))
}

/// Mean of the first sample minus mean of the second: it is a number where differences do not
/// vary, too, and of one person. For pairs it is the mean difference.
///
/// # Errors
/// An empty sample, values that are not finite.
pub fn difference_of_means(first: &[f64], second: &[f64]) -> Defined<f64> {
    checked(first, 1)?;
    checked(second, 1)?;
    let scale = largest(first.iter().chain(second));
    Ok(Moments::of(first, scale).mean - Moments::of(second, scale).mean)
}

/// First minus second, person for person.
pub(crate) fn differences(first: &[f64], second: &[f64]) -> Defined<Vec<f64>> {
    checked(first, 0)?;
    checked(second, 0)?;
    if first.len() != second.len() {
        return Err(Undefined::Lengths {
            found: second.len(),
            expected: first.len(),
        });
    }
    Ok(first.iter().zip(second).map(|(a, b)| a - b).collect())
}

/// Which t-test of independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variances {
    /// Student's: the variances are taken to be equal, and pooled.
    Pooled,
    /// Welch's: they may differ.
    Separate,
}

/// A t-test of independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IndependentT {
    /// Sizes of the two samples.
    pub n: [usize; 2],
    /// The test.
    #[serde(flatten)]
    pub test: TTest,
    /// Cohen's d. Beside Student's test it is difference / pooled standard deviation, beside Welch's
    /// difference / √((s₁² + s₂²) / 2) (Bonett 2008). Its 95 % interval is that of the noncentrality of the test's t, with
    /// the test's degrees of freedom, times standard error / standard deviation (as R's `effectsize`, 0.8): it holds 0
    /// exactly if p > 0.05.
    pub d: EffectSize,
    /// Hedges' g: `d` and its interval with [Hedges' correction](hedges_correction); absent with one degree of freedom.
    pub g: Option<EffectSize>,
}

/// Student's or Welch's t-test of two independent samples.
///
/// # Errors
/// - [`Undefined::Constant`] if neither sample varies.
/// - Fewer than two values in a sample, values that are not finite.
pub fn independent(first: &[f64], second: &[f64], variances: Variances) -> Defined<IndependentT> {
    let test = independent_test(first, second, variances)?;
    let scale = largest(first.iter().chain(second));
    let [a, b] = [first, second].map(|sample| Moments::of(sample, scale));
    let variance = match variances {
        Variances::Pooled => (a.squares + b.squares) / test.df,
        Variances::Separate => f64::midpoint(a.variance(), b.variance()),
    };
    let d = of_t(test.t, test.df, test.standard_error / variance.sqrt());
    Ok(IndependentT {
        n: [first.len(), second.len()],
        test,
        d,
        g: hedges_correction(test.df).map(|correction| d.times(correction)),
    })
}

/// The test alone, without effect sizes: for whoever needs very many.
///
/// # Errors
/// Where [`independent`] has them.
pub fn independent_test(first: &[f64], second: &[f64], variances: Variances) -> Defined<TTest> {
    contrast_test(&[first, second], &[1.0, -1.0], variances)
}

/// The t-test of a contrast Σ wᵢ · mean of sample i = 0 of independent samples. With pooled variances all samples say how
/// far values are spread, those of weight 0, too: the residual variance of the one-way analysis of variance, with its
/// degrees of freedom. With separate ones the degrees of freedom are those of Welch and Satterthwaite.
///
/// # Errors
/// - [`Undefined::Constant`] if no sample that counts varies.
/// - As many weights as samples are needed, two values in each sample that has a weight, values that are finite.
pub fn contrast_test(samples: &[&[f64]], weights: &[f64], variances: Variances) -> Defined<TTest> {
    if samples.len() != weights.len() {
        return Err(Undefined::Lengths {
            found: weights.len(),
            expected: samples.len(),
        });
    }
    checked(weights, 0)?;
    for (sample, weight) in samples.iter().zip(weights) {
        checked(sample, if *weight == 0.0 { 0 } else { 2 })?;
    }
    let scale = largest(samples.iter().copied().flatten());
    let counts = |(sample, weight): &(&&[f64], &f64)| {
        **weight != 0.0 || (variances == Variances::Pooled && !sample.is_empty())
    };
    let of_sample = |(sample, weight): (&&[f64], &f64)| (Moments::of(sample, scale), *weight);
    let samples = samples.iter().zip(weights).filter(counts).map(of_sample);
    let samples: Vec<(Moments, f64)> = samples.collect();
    if samples.iter().map(|(it, _)| it.squares).sum::<f64>() == 0.0 {
        return Err(Undefined::Constant);
    }
    let over = |of: fn(&Moments, f64) -> f64| -> f64 {
        samples.iter().map(|(it, weight)| of(it, *weight)).sum()
    };
    let difference = over(|it, weight| weight * it.mean);
    Ok(match variances {
        Variances::Pooled => {
            let df = over(|it, _| it.n - 1.0);
            let sd = (over(|it, _| it.squares) / df).sqrt();
            TTest::of(difference, sd * over(|it, w| w * w / it.n).sqrt(), df)
        }
        Variances::Separate => {
            let variance = over(|it, w| w * w * it.variance() / it.n);
            let of_df = over(|it, w| (w * w * it.variance() / it.n).powi(2) / (it.n - 1.0));
            TTest::of(difference, variance.sqrt(), variance.powi(2) / of_df)
        }
    })
}
