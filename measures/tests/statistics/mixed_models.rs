//! Mixed models against R: lme4 with lmerTest and emmeans, ordinal, glm.
//!
//! Agreement as pinned: fixed effects within 0.05 standard errors, log-likelihoods within 0.01
//! of the better of two of lme4's optimisers.

use measures::statistics::effect_size::{EffectSize, of_mixed_model};
use measures::statistics::mixed_model::{
    FixedEffect, Predictors, RandomEffect, RandomTerm, linear, logistic, ordinal,
};
use measures::statistics::{Confounded, Undefined};
use serde_json::Value;

use super::{data, number, numbers, r::r, same, within};

fn whole(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Models 0 to 2, with the terms that are named.
fn predictors(data: &Value, intercept: bool, terms: &[&str]) -> Predictors {
    let (person, model) = (whole(&data["person"]), whole(&data["model"]));
    let random = terms.iter().map(|&name| RandomTerm {
        name: name.to_owned(),
        level: match name {
            "person:model" => person.iter().zip(&model).map(|(p, m)| 3 * p + m).collect(),
            name => whole(&data[name]),
        },
    });
    Predictors::of_condition(&model, 3, intercept, random.collect())
}

#[track_caller]
fn effects_agree(found: &[FixedEffect], expected: &Value) {
    let errors = numbers(&expected["errors"]);
    assert_eq!(found.len(), errors.len());
    for (index, (effect, error)) in found.iter().zip(errors).enumerate() {
        within(
            effect.estimate,
            &expected["estimates"][index],
            0.0,
            0.05 * error,
        );
        within(effect.standard_error, &expected["errors"][index], 0.01, 0.0);
    }
}

#[track_caller]
fn spreads_agree(found: &[RandomEffect], expected: &Value) {
    for term in found {
        within(term.sd, &expected["sd"][&term.name], 0.01, 1e-3);
    }
}

#[test]
fn linear_mixed_models_agree_with_lme4_and_lmertest() {
    let (r, data) = (r(), data());
    for (key, of, terms) in [
        ("linear", "linear", &["person", "person:model", "item"][..]),
        ("linear_two", "linear", &["person", "person:model"]),
        ("singular", "singular", &["person"]),
    ] {
        let (data, expected) = (&data[of], &r[key]);
        let found = linear(&numbers(&data["y"]), &predictors(data, true, terms)).unwrap();
        let singular = if key == "singular" {
            vec!["person".to_owned()]
        } else {
            vec![]
        };
        assert_eq!(found.singular, singular);
        within(found.log_likelihood, &expected["log_likelihood"], 0.0, 0.01);
        effects_agree(&found.fixed, expected);
        spreads_agree(&found.random, expected);
        within(found.residual_sd, &expected["sd"]["Residual"], 1e-3, 0.0);
        for (index, effect) in found.fixed.iter().enumerate() {
            within(effect.df.unwrap(), &expected["df"][index], 0.01, 0.0);
        }
        let f = found
            .joint(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]])
            .unwrap();
        within(f.f, &expected["f"], 0.01, 0.0);
        within(f.df2, &expected["df2"], 0.01, 0.0);
        within(
            f.p.ln(),
            &Value::from(number(&expected["f_p"]).ln()),
            0.01,
            0.0,
        );
        // emmeans: 0 − 1, 0 − 2, 1 − 2.
        for (index, weights) in [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, -1.0]]
            .iter()
            .enumerate()
        {
            let pair = found.contrast(weights).unwrap();
            let error = number(&expected["pairs"]["se"][index]);
            within(
                pair.estimate,
                &expected["pairs"]["estimate"][index],
                0.0,
                0.05 * error,
            );
            within(
                pair.standard_error,
                &expected["pairs"]["se"][index],
                0.01,
                0.0,
            );
            within(pair.df.unwrap(), &expected["pairs"]["df"][index], 0.01, 0.0);
            // The estimate and its interval to 0.05 standard errors, in units of all spread.
            let sds: Vec<f64> = found.random.iter().map(|term| term.sd).collect();
            let sds = [sds, vec![found.residual_sd]].concat();
            let (value, interval) = (pair.estimate, pair.interval);
            let d = of_mixed_model(EffectSize { value, interval }, &sds).unwrap();
            let off = 0.05 * error * d.value / pair.estimate;
            within(d.value, &expected["d"]["value"][index], 0.0, off);
            within(d.interval.low, &expected["d"]["low"][index], 0.0, off);
            within(d.interval.high, &expected["d"]["high"][index], 0.0, off);
        }
    }
}

/// Periods and a covariate as further fixed effects, worked out from the rows as reference.R does.
#[test]
fn further_fixed_effects_agree_with_lmertest() {
    let (r, data) = (r(), data());
    let (data, expected) = (&data["linear"], &r["linear_adjusted"]);
    let (person, model) = (whole(&data["person"]), whole(&data["model"]));
    let period: Vec<usize> = person
        .iter()
        .zip(&model)
        .map(|(p, m)| (p + 1 + 2 * (m + 1)) % 3)
        .collect();
    let is = |of: usize| {
        period
            .iter()
            .map(|it| f64::from(u8::from(*it == of)))
            .collect()
    };
    let age: Vec<f64> = person
        .iter()
        .map(|p| (20 + 7 * (p + 1) % 31) as f64)
        .collect();
    let mean = age.iter().sum::<f64>() / age.len() as f64;
    let age = age.iter().map(|it| it - mean).collect();
    let predictors = predictors(data, true, &["person", "person:model"]);
    let predictors = predictors.with_columns(&[is(1), is(2), age]);
    let found = linear(&numbers(&data["y"]), &predictors).unwrap();
    effects_agree(&found.fixed, expected);
    for (index, effect) in found.fixed.iter().enumerate() {
        within(effect.df.unwrap(), &expected["df"][index], 0.01, 0.0);
    }
    let one = |at: usize| {
        (0..6)
            .map(|it| f64::from(u8::from(it == at)))
            .collect::<Vec<f64>>()
    };
    for (joint, expected) in [
        (vec![one(1), one(2)], expected),
        (vec![one(3), one(4)], &expected["period"]),
        (vec![one(5)], &expected["age"]),
    ] {
        let found = found.joint(&joint).unwrap();
        within(found.f, &expected["f"], 0.01, 0.0);
        within(found.df2, &expected["df2"], 0.01, 0.0);
    }
    // emmeans' contrast of the first model with the mean of the two others.
    let contrast = found.contrast(&[0.0, -0.5, -0.5, 0.0, 0.0, 0.0]).unwrap();
    let expected = &expected["contrast"];
    within(contrast.estimate, &expected["estimate"], 0.01, 0.0);
    within(contrast.standard_error, &expected["se"], 0.01, 0.0);
    within(contrast.df.unwrap(), &expected["df"], 0.01, 0.0);
}

/// With a balanced design the F-test of the model is that of the repeated-measures analysis
/// of the means per person, and its degrees of freedom are whole.
#[test]
fn a_balanced_design_gives_the_analysis_of_variance() {
    let (mut y, mut model, mut person) = (Vec::new(), Vec::new(), Vec::new());
    let mut means = Vec::new();
    for p in 0..9_u32 {
        let mut row = Vec::new();
        for m in 0..3_u32 {
            let mut sum = 0.0;
            for q in 0..4_u32 {
                let noise = f64::from((p * 31 + m * 17 + q * 23) * 7919 % 101) / 101.0;
                let shared = f64::from((p * 13 + m * 7) * 104_729 % 97) / 97.0;
                let value = f64::from(m) * 0.3 + f64::from(p * p % 7) + shared * 2.0 + noise;
                y.push(value);
                model.push(m as usize);
                person.push(p as usize);
                sum += value;
            }
            row.push(sum / 4.0);
        }
        means.push(row);
    }
    let term = |name: &str, level| RandomTerm {
        name: name.to_owned(),
        level,
    };
    let both = person.iter().zip(&model).map(|(p, m)| 3 * p + m).collect();
    let random = vec![term("person", person.clone()), term("person:model", both)];
    let predictors = Predictors::of_condition(&model, 3, true, random);
    let found = linear(&y, &predictors).unwrap();
    let f = found
        .joint(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]])
        .unwrap();
    let expected = measures::statistics::anova::repeated(&means).unwrap().test;
    assert!(found.singular.is_empty());
    within(f.f, &Value::from(expected.f), 1e-3, 0.0);
    within(f.df2, &Value::from(expected.df2), 1e-2, 0.0);
}

#[test]
fn logistic_models_agree_with_lme4_and_glm() {
    let (r, data) = (r(), data());
    let data = &data["logistic"];
    let y: Vec<bool> = numbers(&data["y"]).iter().map(|v| *v == 1.0).collect();
    for (key, terms) in [
        ("logistic", &["person", "person:model", "item"][..]),
        ("logistic_one", &["person"]),
        ("logistic_fixed", &[]),
    ] {
        let found = logistic(&y, &predictors(data, true, terms)).unwrap();
        within(found.log_likelihood, &r[key]["log_likelihood"], 0.0, 0.01);
        effects_agree(&found.fixed, &r[key]);
        spreads_agree(&found.random, &r[key]);
    }
}

#[test]
fn ordinal_models_agree_with_clm_and_clmm() {
    let (r, data) = (r(), data());
    let data = &data["ordinal"];
    let y = numbers(&data["y"]);
    for (key, terms) in [
        ("ordinal", &["person"][..]),
        ("ordinal_two", &["person", "item"]),
        ("ordinal_fixed", &[]),
    ] {
        let found = ordinal(&y, &predictors(data, false, terms)).unwrap();
        within(found.log_likelihood, &r[key]["log_likelihood"], 0.0, 0.01);
        let all: Vec<FixedEffect> = found
            .thresholds
            .iter()
            .chain(&found.fixed)
            .copied()
            .collect();
        effects_agree(&all, &r[key]);
        if key == "ordinal" {
            spreads_agree(&found.random, &r[key]);
        }
    }
}

/// Of two categories the ordinal model is the logistic one, its threshold minus the intercept.
#[test]
fn two_categories_are_yes_and_no() {
    let data = &data()["logistic"];
    let y = numbers(&data["y"]);
    let yes: Vec<bool> = y.iter().map(|v| *v == 1.0).collect();
    let a = logistic(&yes, &predictors(data, true, &["person"])).unwrap();
    let b = ordinal(&y, &predictors(data, false, &["person"])).unwrap();
    within(a.log_likelihood, &Value::from(b.log_likelihood), 0.0, 1e-6);
    within(
        -a.fixed[0].estimate,
        &Value::from(b.thresholds[0].estimate),
        0.0,
        1e-3,
    );
    within(
        a.fixed[1].estimate,
        &Value::from(b.fixed[0].estimate),
        0.0,
        1e-3,
    );
    let (one, two) = (vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]);
    let (x, y) = (
        a.joint(&[one, two]).unwrap(),
        b.joint(&[vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap(),
    );
    within(x.chi_squared, &Value::from(y.chi_squared), 1e-3, 0.0);
    assert_eq!((x.df, y.df), (2.0, 2.0));
}

/// A condition where everybody succeeds has no odds.
#[test]
fn separation_is_said() {
    let condition: Vec<usize> = (0..60).map(|i| i % 2).collect();
    let yes: Vec<bool> = (0..60).map(|i| i % 2 == 0 || i % 3 == 0).collect();
    let found = logistic(&yes, &Predictors::of_condition(&condition, 2, true, vec![]));
    assert_eq!(found.err(), Some(Undefined::Separated));
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let condition = [0, 0, 1, 1, 0, 1];
    let with = |random| Predictors::of_condition(&condition, 2, true, random);
    let plain = with(vec![]);
    assert_eq!(linear(&[1.0; 6], &plain).err(), Some(Undefined::Constant));
    assert_eq!(
        logistic(&[true; 6], &plain).err(),
        Some(Undefined::Constant)
    );
    let y = [1.0, 2.0, 3.0, 4.0, 1.0, 5.0];
    // A condition that nobody had.
    let aliased = Predictors::of_condition(&condition, 3, true, vec![]);
    assert_eq!(linear(&y, &aliased).err(), Some(Undefined::Aliased));
    // Thresholds take the intercept's place.
    assert_eq!(ordinal(&y, &plain).err(), Some(Undefined::Aliased));
    let each = RandomTerm {
        name: "row".to_owned(),
        level: (0..6).collect(),
    };
    let residuals = Some(Undefined::Unidentified {
        from: Confounded::Residuals,
    });
    assert_eq!(linear(&y, &with(vec![each])).err(), residuals);
    let one = RandomTerm {
        name: "all".to_owned(),
        level: vec![7; 6],
    };
    assert!(matches!(
        linear(&y, &with(vec![one])),
        Err(Undefined::TooFew { .. })
    ));
}

/// Without random terms: least squares, with n − p degrees of freedom.
#[test]
fn without_random_terms_it_is_least_squares() {
    let y = [3.1, 2.7, 4.4, 5.9, 4.8, 6.3];
    let found = linear(
        &y,
        &Predictors::of_condition(&[0, 0, 0, 1, 1, 1], 2, true, vec![]),
    )
    .unwrap();
    let t = measures::statistics::t_test::independent(
        &y[3..],
        &y[..3],
        measures::statistics::t_test::Variances::Pooled,
    )
    .unwrap();
    same(found.fixed[1].estimate, &Value::from(t.test.difference));
    same(
        found.fixed[1].standard_error,
        &Value::from(t.test.standard_error),
    );
    within(found.fixed[1].df.unwrap(), &Value::from(4.0), 1e-5, 0.0);
}

fn term(name: &str, level: Vec<usize>) -> RandomTerm {
    RandomTerm {
        name: name.to_owned(),
        level,
    }
}

/// The three models of the same rows, or why there are none.
fn refusals(y: &[f64], condition: &[usize], random: &[RandomTerm]) -> [Option<Undefined>; 3] {
    let conditions = condition.iter().max().unwrap() + 1;
    let with =
        |intercept| Predictors::of_condition(condition, conditions, intercept, random.to_vec());
    let yes: Vec<bool> = y.iter().map(|v| *v > 3.0).collect();
    let ratings: Vec<f64> = y.iter().map(|v| v.floor().clamp(1.0, 5.0)).collect();
    [
        linear(y, &with(true)).err(),
        logistic(&yes, &with(true)).err(),
        ordinal(&ratings, &with(false)).err(),
    ]
}

/// One person in each of three conditions, three questions each. R fits it, and p of the conditions
/// is wherever the search began: with `d <- data.frame(c=gl(3,3), p=gl(3,3), y=y)`,
/// `anova(lmer(y ~ c + (1|p), d, start=s))` of lmerTest 3.1 gives p = 0.85, 0.34 and 0.98 for s = 1,
/// 0.3 and 3.
#[test]
fn what_the_design_cannot_tell_apart_is_refused_by_every_model() {
    let unidentified = |from| [Some(Undefined::Unidentified { from }); 3];
    let condition = [0, 0, 0, 1, 1, 1, 2, 2, 2];
    let y = [1.2, 3.4, 2.2, 4.1, 5.3, 2.9, 3.3, 1.8, 4.6];
    let person = term("person", condition.to_vec());
    assert_eq!(
        refusals(&y, &condition, std::slice::from_ref(&person)),
        unidentified(Confounded::Conditions)
    );
    // Two people in each condition: of the same rows there is a model.
    let condition = [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1];
    let y = [1.2, 3.4, 4.2, 2.1, 4.1, 5.3, 2.9, 3.3, 3.2, 1.6, 2.3, 5.1];
    let person = term("person", vec![0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(
        refusals(&y, &condition, std::slice::from_ref(&person)),
        [None; 3]
    );
    // Each has met one condition: person × condition is the person under another name.
    let again = term(
        "person:condition",
        vec![0, 0, 3, 3, 5, 5, 7, 7, 8, 8, 11, 11],
    );
    let both = [person.clone(), again];
    assert_eq!(
        refusals(&y, &condition, &both),
        unidentified(Confounded::Terms)
    );
    // One row for each level.
    let rows = term("row", (0..12).collect());
    assert_eq!(
        refusals(&y, &condition, &[rows]),
        unidentified(Confounded::Residuals)
    );
    // The same question for everybody in a condition.
    let item = term("item", condition.to_vec());
    assert_eq!(
        refusals(&y, &condition, &[person, item]),
        unidentified(Confounded::Conditions)
    );
}

/// Each person and each condition add a constant: nothing is left over, and the likelihood has no
/// end.
#[test]
fn rows_without_a_rest_have_no_model() {
    let (mut y, mut person, mut condition) = (Vec::new(), Vec::new(), Vec::new());
    for p in 0..6_usize {
        for c in 0..2_usize {
            for _ in 0..3 {
                y.push([0.3, 1.7, 0.4, 2.2, 1.1, 0.9][p] + 0.1 * c as f64);
                person.push(p);
                condition.push(c);
            }
        }
    }
    let predictors = Predictors::of_condition(&condition, 2, true, vec![term("person", person)]);
    assert_eq!(linear(&y, &predictors).err(), Some(Undefined::Constant));
}

/// Who solves everything and who solves nothing: the person's odds have no end.
#[test]
fn one_outcome_a_person_is_said() {
    let person: Vec<usize> = (0..80).map(|i| i / 8).collect();
    let condition: Vec<usize> = (0..80).map(|i| i % 2).collect();
    let yes: Vec<bool> = person.iter().map(|p| p % 2 == 0).collect();
    let predictors = Predictors::of_condition(&condition, 2, true, vec![term("person", person)]);
    assert_eq!(
        logistic(&yes, &predictors).err(),
        Some(Undefined::Separated)
    );
}
