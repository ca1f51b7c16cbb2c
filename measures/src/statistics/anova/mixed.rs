//! Analysis of variance with one factor between people and one within.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::super::distribution::f_sf;
use super::super::{Defined, SampleUnit, Undefined, at_least, is_constant, largest, real};
use super::FTest;
use super::repeated::{checked_rows, column_means, error_products, greenhouse_geisser};

/// A mixed analysis of variance, with sums of squares of type III.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixedAnova {
    /// Number of people in each group.
    pub n: Vec<usize>,
    /// Number of conditions.
    pub conditions: usize,
    /// The effect of the group.
    pub between: FTest,
    /// The effect of the condition, each group weighing the same, without correction.
    pub within: FTest,
    /// Whether the conditions differ in another way in each group, without correction.
    pub interaction: FTest,
    /// Greenhouse and Geisser's ε of the products pooled over groups; absent for two
    /// conditions.
    pub epsilon: Option<f64>,
    /// p of `within` with both degrees of freedom times ε; absent for two conditions.
    pub p_within_greenhouse_geisser: Option<f64>,
    /// The same for `interaction`.
    pub p_interaction_greenhouse_geisser: Option<f64>,
}

/// Mixed analysis of variance: for each group the rows of its people, one column for each
/// condition. Groups may differ in size.
///
/// # Errors
/// - [`Undefined::Constant`] if people of one group do not differ in their means, or nothing
///   varies once groups, people and conditions are taken out.
/// - Fewer than two groups, conditions, or people in a group; rows of unequal length;
///   values that are not finite.
pub fn mixed(groups: &[Vec<Vec<f64>>]) -> Defined<MixedAnova> {
    at_least(SampleUnit::Groups, groups.len(), 2)?;
    let all: Vec<Vec<f64>> = groups.iter().flatten().cloned().collect();
    let k = checked_rows(&all)?;
    for group in groups {
        at_least(SampleUnit::People, group.len(), 2)?;
    }
    let (g, n) = (real(groups.len()), real(all.len()));
    let scale = largest(all.iter().flatten());
    let nothing = |squares: f64| is_constant(squares, n * real(k), scale);

    // Between people: one-way analysis of their means, times k.
    let means: Vec<Vec<f64>> = groups.iter().map(|rows| column_means(rows, k)).collect();
    let person = |row: &Vec<f64>| row.iter().sum::<f64>() / real(k);
    let grand = all.iter().map(person).sum::<f64>() / n;
    let of_group: Vec<f64> = means.iter().map(person).collect();
    let sizes = groups.iter().map(|rows| real(rows.len()));
    let squares_between: f64 = sizes
        .clone()
        .zip(&of_group)
        .map(|(size, mean)| real(k) * size * (mean - grand).powi(2))
        .sum();
    let squares_people: f64 = groups
        .iter()
        .zip(&of_group)
        .flat_map(|(rows, mean)| {
            rows.iter()
                .map(move |r| real(k) * (person(r) - mean).powi(2))
        })
        .sum();

    // Within people: products pooled over groups; their part across conditions is the error.
    let pooled = groups.iter().fold(DMatrix::zeros(k, k), |sum, rows| {
        sum + error_products(rows, k)
    });
    let squares_error = pooled.trace() - pooled.sum() / real(k);
    if nothing(squares_people) || nothing(squares_error) {
        return Err(Undefined::Constant);
    }
    let across = |profile: &[f64]| {
        let mean = profile.iter().sum::<f64>() / real(k);
        profile.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    // Type III: the mean of the groups' profiles, whose variance has the factor Σ 1/nᵢ / g².
    let unweighted: Vec<f64> = (0..k)
        .map(|c| means.iter().map(|m| m[c]).sum::<f64>() / g)
        .collect();
    let factor = sizes.clone().map(|size| 1.0 / size).sum::<f64>() / (g * g);
    let squares_within = across(&unweighted) / factor;
    let overall = column_means(&all, k);
    let squares_interaction: f64 = sizes
        .zip(&means)
        .map(|(size, mean)| {
            let off: Vec<f64> = mean.iter().zip(&overall).map(|(m, o)| m - o).collect();
            size * across(&off)
        })
        .sum();

    let (df_between, df_people) = (g - 1.0, n - g);
    let (df_within, df_error) = (real(k - 1), (n - g) * real(k - 1));
    let df_interaction = (g - 1.0) * real(k - 1);
    let error = squares_error / df_error;
    let test = |squares: f64, df| FTest::of(squares / df / error, df, df_error);
    let (within, interaction) = (
        test(squares_within, df_within),
        test(squares_interaction, df_interaction),
    );
    let epsilon = (k > 2).then(|| greenhouse_geisser(&pooled));
    let corrected = |t: &FTest| epsilon.map(|e| f_sf(t.f, t.df1 * e, t.df2 * e));
    Ok(MixedAnova {
        n: groups.iter().map(Vec::len).collect(),
        conditions: k,
        between: FTest::of(
            squares_between / df_between / (squares_people / df_people),
            df_between,
            df_people,
        ),
        within,
        interaction,
        epsilon,
        p_within_greenhouse_geisser: corrected(&within),
        p_interaction_greenhouse_geisser: corrected(&interaction),
    })
}
