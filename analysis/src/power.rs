//! How many people a study needs: power by simulation over the analysis that it declares.
//!
//! People are drawn from a normal model. Person i has in condition c the value
//! mean(c) + person(i) + residual(i, c), where person has the standard deviation `sd` and residual
//! `within`. The conditions of the first comparison have the same mean but for the last, which lies
//! `difference` higher; all other comparisons and metrics show no difference, are independent, and
//! count in the family. Then the plan's own test, family and correction decide. A found
//! difference is one whose corrected p is below α, between the first and the last condition.

use std::collections::BTreeMap;

use domain::study::{AnalysisPlan, Comparison, ConditionsVary, Family, PairTest};
use measures::statistics::correction::adjust;
use measures::statistics::power as closed;
use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::Serialize;

use crate::compare::p_of_samples;
use crate::corrected::method;
use crate::report;

/// Assumptions about the primary metric: the plan's first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Assumptions {
    /// Mean of the last condition minus mean of the others, in the metric's unit.
    pub difference: f64,
    /// Standard deviation between people: of what a person's values have in common.
    pub sd: f64,
    /// Standard deviation within people: of one person's value in a condition about what their
    /// values have in common.
    pub within: f64,
}

/// How power is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Settings {
    /// A difference is found if its corrected p is below this.
    pub alpha: f64,
    /// Simulated studies for each number of people.
    pub simulations: u32,
    /// The same seed gives the same numbers.
    pub seed: u64,
}

impl Settings {
    /// # Errors
    /// [`NoPower::Number`] for an α that is none, and without a simulated study.
    pub(crate) fn check(self) -> Result<(), NoPower> {
        let says = |what: &str| Err(NoPower::Number(what.to_owned()));
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return says("alpha lies between 0 and 1");
        }
        if self.simulations == 0 {
            return says("at least one study is simulated");
        }
        Ok(())
    }

    /// A share of the simulated studies, with its Monte-Carlo standard error, √(share (1 − share) / simulations).
    pub(crate) fn share(self, count: usize) -> (f64, f64) {
        let simulations = f64::from(self.simulations);
        let share = count as f64 / simulations;
        (share, (share * (1.0 - share) / simulations).sqrt())
    }
}

/// The power of a study with so many people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Power {
    /// People: in each condition, if conditions vary between people; else all.
    pub people: usize,
    /// Share of the simulated studies that find the difference.
    pub power: f64,
    /// Its Monte-Carlo standard error, √(power (1 − power) / simulations).
    pub standard_error: f64,
    /// Share of the simulated studies that find any difference between two conditions of the
    /// first comparison.
    pub any_pair: f64,
    /// The power of the single t-test in closed form, without any correction; absent where the
    /// plan's test is no t-test, and where nothing varies.
    pub closed_form: Option<f64>,
}

/// A design, as far as power goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerDesign {
    /// Whether conditions vary within people or between them.
    pub vary: ConditionsVary,
    /// Number of conditions of each comparison, in the plan's order; the first is the one that
    /// the difference is in.
    pub conditions: Vec<usize>,
    /// Number of declared metrics.
    pub metrics: usize,
    /// The test that counts.
    pub test: PairTest,
    /// The tests that are corrected together.
    pub family: Family,
    #[serde(skip)]
    correction: measures::statistics::correction::Correction,
}

/// Why power cannot be worked out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPower {
    /// The plan's test is one of single questions.
    #[error(
        "the plan's test is a mixed model of single questions, whose power is not worked out here: it turns on how much questions differ, too. A t-test of each person's means is close to it where questions are drawn for each person: declare \"test\": \"t\" in a copy of the study and take its number of people, or fit the model to data that you simulate (such as with simr in R)"
    )]
    MixedModel,
    /// There is nothing to compare.
    #[error(
        "the study has no two conditions to compare: its scored stages are one condition in each task. Conditions are its stages, or with \"conditions_are\": \"model\" its models"
    )]
    NoPair,
    /// Nobody named concepts of two bundles.
    #[error(
        "in these sessions nobody named concepts of two bundles{}. Take part, or let simulated people take part first: redial simulate STUDY", among(.0)
    )]
    NoNames(Vec<String>),
    /// A number makes no sense.
    #[error("{0}")]
    Number(String),
}

fn among(bundles: &[String]) -> String {
    match bundles {
        [] => String::new(),
        bundles => format!(" among {}", bundles.join(", ")),
    }
}

impl PowerDesign {
    /// The design of a plan, and of the comparisons that it makes
    /// ([`Study::comparisons`](domain::study::Study::comparisons)).
    ///
    /// # Errors
    /// [`NoPower::MixedModel`], [`NoPower::NoPair`].
    pub fn of(plan: &AnalysisPlan, comparisons: &[Comparison]) -> Result<Self, NoPower> {
        if plan.test == PairTest::MixedModel {
            return Err(NoPower::MixedModel);
        }
        let conditions: Vec<usize> = comparisons.iter().map(|c| c.conditions.len()).collect();
        if conditions.first().is_none_or(|count| *count < 2) {
            return Err(NoPower::NoPair);
        }
        Ok(Self {
            vary: plan.conditions_vary,
            conditions,
            metrics: plan.metrics.len(),
            test: plan.test,
            family: plan.family,
            correction: method(Some(plan)),
        })
    }

    /// Number of conditions of the first comparison.
    #[must_use]
    pub fn first(&self) -> usize {
        self.conditions.first().copied().unwrap_or_default()
    }
}

/// The power with `people` people, in each condition if conditions vary between people.
///
/// # Errors
/// [`NoPower::Number`] for numbers that make no sense.
pub fn power(
    design: &PowerDesign,
    assumed: Assumptions,
    settings: Settings,
    people: usize,
) -> Result<Power, NoPower> {
    check(assumed, settings)?;
    let last = design.first() - 1;
    // The pair of first and last is the one at this place of (0, 1), (0, 2) … (0, last).
    let wanted = last - 1;
    let (mut found, mut any) = (0, 0);
    for simulation in 0..settings.simulations {
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        // The same people come first whatever the number: powers of two numbers go together.
        rng.set_stream(u64::from(simulation));
        let corrected = one_study(design, assumed, people, &mut rng);
        let below = |p: &Option<f64>| p.is_some_and(|p| p < settings.alpha);
        found += usize::from(corrected.get(wanted).is_some_and(below));
        any += usize::from(corrected.iter().any(below));
    }
    let (power, standard_error) = settings.share(found);
    Ok(Power {
        people,
        power,
        standard_error,
        any_pair: settings.share(any).0,
        closed_form: closed_form(design, assumed, settings.alpha, people),
    })
}

/// The corrected p of each pair of the first comparison, by the primary metric.
fn one_study(
    design: &PowerDesign,
    assumed: Assumptions,
    people: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Option<f64>> {
    let whole = design.family == Family::Study;
    let mut family = Vec::new();
    let mut first = 0;
    for (comparison, &conditions) in design.conditions.iter().enumerate() {
        for metric in 0..design.metrics {
            let is_primary = comparison == 0 && metric == 0;
            if !is_primary && !whole {
                continue;
            }
            let assumed = Assumptions {
                difference: if is_primary { assumed.difference } else { 0.0 },
                ..assumed
            };
            let columns = draw(design.vary, assumed, people, conditions, rng);
            let p = p_of_samples(design.vary, design.test, &columns);
            if is_primary {
                first = p.len();
            }
            family.extend(p);
        }
    }
    let mut corrected = adjust(design.correction, &family);
    corrected.truncate(first);
    corrected
}

/// Values of each condition; within people in the same order.
fn draw(
    vary: ConditionsVary,
    assumed: Assumptions,
    people: usize,
    conditions: usize,
    rng: &mut dyn Rng,
) -> Vec<Vec<f64>> {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let mut columns = vec![Vec::with_capacity(people); conditions];
    for _ in 0..people {
        let shared = assumed.sd * normal();
        for (condition, column) in columns.iter_mut().enumerate() {
            let person = match vary {
                ConditionsVary::Within => shared,
                ConditionsVary::Between => assumed.sd * normal(),
            };
            let mean = if condition + 1 == conditions {
                assumed.difference
            } else {
                0.0
            };
            column.push(mean + person + assumed.within * normal());
        }
    }
    columns
}

fn closed_form(
    design: &PowerDesign,
    assumed: Assumptions,
    alpha: f64,
    people: usize,
) -> Option<f64> {
    let Assumptions {
        difference,
        sd,
        within,
    } = assumed;
    let power = match (design.vary, design.test) {
        (ConditionsVary::Within, PairTest::T) => {
            closed::paired(people, difference / (within * 2_f64.sqrt()), alpha)
        }
        // With equal groups and variances Welch's test is all but Student's.
        (ConditionsVary::Between, PairTest::T | PairTest::Welch) => {
            closed::independent(people, difference / sd.hypot(within), alpha)
        }
        _ => return None,
    };
    power.is_finite().then_some(power)
}

/// The smallest number of people with at least this power, up to `most`, and every number that was
/// looked at, in order; no number if even `most` are too few.
///
/// # Errors
/// [`NoPower::Number`] for numbers that make no sense.
pub fn people_needed(
    design: &PowerDesign,
    assumed: Assumptions,
    settings: Settings,
    wanted: f64,
    most: usize,
) -> Result<(Option<usize>, Vec<Power>), NoPower> {
    let at = |people: usize| power(design, assumed, settings, people);
    smallest(wanted, most, at, |found| found.power)
}

/// The smallest number of people, up to `most`, that `at` gives at least the power wanted, and all that was looked at,
/// by number of people.
pub(crate) fn smallest<P>(
    wanted: f64,
    most: usize,
    mut at: impl FnMut(usize) -> Result<P, NoPower>,
    power_of: impl Fn(&P) -> f64,
) -> Result<(Option<usize>, Vec<P>), NoPower> {
    if !(wanted > 0.0 && wanted < 1.0) {
        return Err(NoPower::Number(format!(
            "a power lies between 0 and 1, not at {wanted}"
        )));
    }
    let mut seen: BTreeMap<usize, P> = BTreeMap::new();
    let mut is_enough = |people: usize| -> Result<bool, NoPower> {
        let found = at(people)?;
        let enough = power_of(&found) >= wanted;
        seen.insert(people, found);
        Ok(enough)
    };
    // Doubled until it is enough, then halved in between: power grows with the people.
    let (mut low, mut high) = (1, 4.min(most));
    let mut needed = None;
    loop {
        if is_enough(high)? {
            needed = Some(high);
            break;
        }
        if high >= most {
            break;
        }
        low = high;
        high = (high * 2).min(most);
    }
    while let Some(enough) = needed.filter(|enough| enough - low > 1) {
        let middle = low.midpoint(enough);
        if is_enough(middle)? {
            needed = Some(middle);
        } else {
            low = middle;
        }
    }
    Ok((needed, seen.into_values().collect()))
}

fn check(assumed: Assumptions, settings: Settings) -> Result<(), NoPower> {
    let says = |what: &str| Err(NoPower::Number(what.to_owned()));
    if !assumed.difference.is_finite() {
        return says("the difference is a number");
    }
    if !(assumed.sd >= 0.0 && assumed.sd.is_finite()) {
        return says("the standard deviation between people is a number from 0");
    }
    if !(assumed.within >= 0.0 && assumed.within.is_finite()) {
        return says("the standard deviation within people is a number from 0");
    }
    settings.check()
}

/// Assumptions from a pilot about the first and the last condition of a comparison: difference, and standard
/// deviations between and within people. Between people, all variance is between them. `None` for
/// fewer than two conditions, or three people.
#[must_use]
pub fn from_pilot(
    comparison: &report::MetricComparison,
    vary: ConditionsVary,
) -> Option<Assumptions> {
    let rows = &comparison.conditions;
    let (first, last) = (rows.first()?, rows.last()?);
    if rows.len() < 2 {
        return None;
    }
    if vary == ConditionsVary::Between {
        let (a, b) = (first.description.defined()?, last.description.defined()?);
        let (n, m) = (a.n as f64, b.n as f64);
        let pooled =
            ((n - 1.0) * a.sd_sample?.powi(2) + (m - 1.0) * b.sd_sample?.powi(2)) / (n + m - 2.0);
        return Some(Assumptions {
            difference: b.mean - a.mean,
            sd: pooled.sqrt(),
            within: 0.0,
        });
    }
    let value = |row: &report::ConditionRow, person: usize| {
        let found = row.values.iter().find(|value| value.person == person);
        found.map(|value| value.value)
    };
    let people: Vec<Vec<f64>> = first
        .values
        .iter()
        .filter_map(|person| rows.iter().map(|row| value(row, person.person)).collect())
        .collect();
    let (n, k) = (people.len(), rows.len() as f64);
    if n < 3 {
        return None;
    }
    // Two-way analysis of variance without replication: what a condition and a person leave over.
    let n = n as f64;
    let mean_of = |values: &mut dyn Iterator<Item = f64>, count: f64| values.sum::<f64>() / count;
    let grand = mean_of(&mut people.iter().flatten().copied(), n * k);
    let of_person: Vec<f64> = people
        .iter()
        .map(|row| mean_of(&mut row.iter().copied(), k))
        .collect();
    let of_condition: Vec<f64> = (0..rows.len())
        .map(|c| mean_of(&mut people.iter().map(|row| row[c]), n))
        .collect();
    let mut residual = 0.0;
    for (row, person) in people.iter().zip(&of_person) {
        for (value, condition) in row.iter().zip(&of_condition) {
            residual += (value - person - condition + grand).powi(2);
        }
    }
    let residual = residual / ((n - 1.0) * (k - 1.0));
    let between = k * of_person
        .iter()
        .map(|mean| (mean - grand).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    Some(Assumptions {
        difference: of_condition.last()? - of_condition.first()?,
        sd: ((between - residual) / k).max(0.0).sqrt(),
        within: residual.sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn design(vary: &str, conditions: &[&str], more: &serde_json::Value) -> PowerDesign {
        let mut plan = json!({
            "metrics": ["response_time_s"], "conditions_vary": vary,
            "comparisons": [{ "name": "c", "conditions": conditions }],
        });
        for (name, value) in more.as_object().unwrap() {
            plan[name] = value.clone();
        }
        let plan: AnalysisPlan = serde_json::from_value(plan).unwrap();
        PowerDesign::of(&plan, &plan.comparisons).unwrap()
    }

    const ASSUMED: Assumptions = Assumptions {
        difference: 10.0,
        sd: 12.0,
        within: 14.142_135_623_730_951,
    };

    fn settings(simulations: u32) -> Settings {
        Settings {
            alpha: 0.05,
            simulations,
            seed: 1,
        }
    }

    /// statsmodels 0.14: `TTestPower().power(0.5, 34, 0.05)`: the differences' SD is √2 × within = 20.
    #[test]
    fn power_of_a_paired_t_test_is_that_of_statsmodels() {
        let design = design("within", &["a", "b"], &json!({}));
        let found = power(&design, ASSUMED, settings(4_000), 34).unwrap();
        let off = (found.power - 0.807_777_501_279_274).abs();
        assert!(off < 3.0 * found.standard_error, "{found:?}");
        assert!((found.closed_form.unwrap() - 0.807_777_501_279_274).abs() < 1e-6);
    }

    /// statsmodels 0.14: `TTestIndPower().power(10 / √(12² + 200), 64, 0.05)`.
    #[test]
    fn power_of_an_independent_t_test_is_that_of_statsmodels() {
        let design = design("between", &["a", "b"], &json!({}));
        let found = power(&design, ASSUMED, settings(4_000), 64).unwrap();
        let off = (found.power - 0.856_942_204_696_897).abs();
        assert!(off < 3.0 * found.standard_error, "{found:?}");
        assert!((found.closed_form.unwrap() - 0.856_942_204_696_897).abs() < 1e-6);
    }

    #[test]
    fn corrections_cost_power_and_nothing_to_find_is_found_as_often_as_alpha_says() {
        let one = design("within", &["a", "b"], &json!({}));
        let three = design(
            "within",
            &["a", "b", "c"],
            &json!({"correction": "bonferroni"}),
        );
        let many = json!({"correction": "bonferroni", "family": "study",
            "metrics": ["response_time_s", "error_auc", "difficulty"]});
        let many = design("within", &["a", "b", "c"], &many);
        let of = |design| power(design, ASSUMED, settings(1_000), 30).unwrap().power;
        assert!(of(&one) > of(&three) && of(&three) > of(&many));
        let nothing = Assumptions {
            difference: 0.0,
            ..ASSUMED
        };
        let found = power(&one, nothing, settings(2_000), 20).unwrap();
        // The SE of 0.05 over 2,000 is 0.0049.
        assert!((found.power - 0.05).abs() < 0.015, "{found:?}");
    }

    #[test]
    fn the_number_of_people_is_the_smallest_that_is_enough() {
        let design = design("within", &["a", "b"], &json!({}));
        let (needed, seen) = people_needed(&design, ASSUMED, settings(1_000), 0.8, 500).unwrap();
        // 34 by the closed form; simulated powers of 1,000 studies are known to 0.013.
        let needed = needed.unwrap();
        assert!((31..=37).contains(&needed), "{needed}");
        let at = |people| seen.iter().find(|power| power.people == people).unwrap();
        assert!(at(needed).power >= 0.8 && at(needed - 1).power < 0.8);
        let (none, _) = people_needed(&design, ASSUMED, settings(200), 0.99, 8).unwrap();
        assert_eq!(none, None);
    }

    #[test]
    fn there_is_no_power_of_comparisons_that_there_are_not() {
        let plan = json!({"metrics": ["response_time_s"], "conditions_vary": "between"});
        let plan: AnalysisPlan = serde_json::from_value(plan).unwrap();
        assert_eq!(PowerDesign::of(&plan, &[]), Err(NoPower::NoPair));
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let design = design("within", &["a", "b"], &json!({}));
        for assumed in [
            Assumptions {
                difference: f64::NAN,
                ..ASSUMED
            },
            Assumptions {
                sd: -1.0,
                ..ASSUMED
            },
            Assumptions {
                within: f64::INFINITY,
                ..ASSUMED
            },
        ] {
            assert!(power(&design, assumed, settings(10), 10).is_err());
        }
        assert!(power(&design, ASSUMED, settings(0), 10).is_err());
    }
}
