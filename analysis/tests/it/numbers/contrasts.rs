//! Contrasts of a plan, and what its models are adjusted for.

use analysis::{Analysis, Person, TestOfPair, analyse};
use measures::statistics::mixed_model::{Predictors, RandomTerm, linear};
use measures::statistics::t_test::{Variances, contrast_test, paired_test};
use serde_json::{Value, json};

use super::made_up::{person, stage};

const PEOPLE: usize = 12;
const CONDITIONS: [&str; 3] = ["one", "two", "three"];

/// Seconds of a person in a condition: a few questions, which no two people share.
fn seconds(person: usize, condition: usize) -> Vec<f64> {
    let of = |question: usize| {
        let noise = (person * 31 + condition * 17 + question * 23) * 7919 % 101;
        10.0 + condition as f64 + (person * person % 7) as f64 + noise as f64 / 25.0
    };
    (0..3).map(of).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn stage_of(person: usize, condition: usize, place: usize) -> Value {
    let questions = seconds(person, condition);
    let questions = questions.into_iter().map(|it| (it, true, None)).collect();
    let mut stage = stage(CONDITIONS[condition], questions, None);
    stage["place"] = json!(place);
    stage
}

/// The place at which a person has a condition: three orders, each as often.
fn place(person: usize, condition: usize) -> usize {
    (condition + person) % 3
}

fn within() -> Vec<Person> {
    let of = |index: usize| {
        let mut conditions = vec![0, 1, 2];
        conditions.sort_by_key(|condition| place(index, *condition));
        let stages = conditions.into_iter();
        let mut one = person(
            stages
                .map(|c| stage_of(index, c, place(index, c)))
                .collect(),
        );
        one.answers.insert("you.age".to_owned(), age(index));
        one
    };
    (0..PEOPLE).map(of).collect()
}

fn between() -> Vec<Person> {
    let of = |index: usize| person(vec![stage_of(index, index % 3, 0)]);
    (0..PEOPLE).map(of).collect()
}

fn age(person: usize) -> f64 {
    (20 + 7 * person % 31) as f64
}

fn analysed(people: Vec<Person>, more: Value) -> Analysis {
    let mut plan = json!({
        "metrics": ["response_time_s"], "conditions_vary": "within", "exclusions": [],
        "comparisons": [{ "name": "all", "conditions": CONDITIONS }, { "name": "two", "conditions": ["one", "two"] }],
        "contrasts": [
            { "name": "last", "weights": { "one": -0.5, "two": -0.5, "three": 1.0 } },
            { "name": "first", "weights": { "one": 1.0, "two": -1.0 } }
        ],
    });
    for (field, value) in more.as_object().unwrap() {
        plan[field] = value.clone();
    }
    analyse(people, "ab", Some(serde_json::from_value(plan).unwrap()))
}

#[test]
fn within_people_a_contrast_is_a_paired_test_of_weighted_sums() {
    let found = analysed(within(), json!({}));
    let all = &found.included.comparisons[0];
    let names: Vec<&str> = all.contrasts.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((all.name.as_str(), names), ("all", vec!["last", "first"]));
    let mean = |person: usize, condition: usize| mean(&seconds(person, condition));
    let third: Vec<f64> = (0..PEOPLE).map(|p| mean(p, 2)).collect();
    let others: Vec<f64> = (0..PEOPLE)
        .map(|p| f64::midpoint(mean(p, 0), mean(p, 1)))
        .collect();
    let expected = paired_test(&third, &others).unwrap();
    let last = &all.contrasts[0];
    let result = last.declared.result.defined().unwrap();
    assert_eq!(
        (last.declared.test, &last.weights[..]),
        (TestOfPair::PairedT, &[-0.5, -0.5, 1.0][..])
    );
    assert!((last.declared.estimate.defined().unwrap() - expected.difference).abs() < 1e-12);
    assert!((result.statistic - expected.t).abs() < 1e-9);
    assert!((result.p - expected.p.two_sided).abs() < 1e-12);
    // Two contrasts, Holm: the smaller p counts twice. The pairs are corrected apart from them.
    let raw: Vec<f64> = all.contrasts.iter().map(|it| it.p().unwrap()).collect();
    let smaller = usize::from(raw[1] < raw[0]);
    let corrected = all.contrasts[smaller].p_corrected.unwrap();
    assert!((corrected - (2.0 * raw[smaller]).min(1.0)).abs() < 1e-12);
    // The one with three conditions has no place in the comparison of two.
    let two = found
        .included
        .comparisons
        .iter()
        .find(|it| it.name == "two")
        .unwrap();
    let names: Vec<&str> = two.contrasts.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["first"]);
    let text = found.to_text();
    assert!(text.contains("−0.5 one − 0.5 two + three"), "{text}");
    assert!(
        found
            .methods()
            .contains("A contrast was planned, last (one −0.5, three 1, two −0.5)."),
        "{}",
        found.methods()
    );
}

#[test]
fn between_people_it_has_the_variance_of_all_conditions() {
    let samples: Vec<Vec<f64>> = (0..3)
        .map(|c| {
            (0..PEOPLE)
                .filter(|p| p % 3 == c)
                .map(|p| mean(&seconds(p, c)))
                .collect()
        })
        .collect();
    let samples: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
    for (test, kind, variances) in [
        ("t", TestOfPair::StudentT, Variances::Pooled),
        ("welch", TestOfPair::WelchT, Variances::Separate),
    ] {
        let found = analysed(
            between(),
            json!({ "conditions_vary": "between", "test": test }),
        );
        let last = &found.included.comparisons[0].contrasts[0];
        let expected = contrast_test(&samples, &[-0.5, -0.5, 1.0], variances).unwrap();
        let result = last.declared.result.defined().unwrap();
        assert_eq!(last.declared.test, kind);
        assert!((result.statistic - expected.t).abs() < 1e-9, "{test}");
        assert!((result.df.unwrap() - expected.df).abs() < 1e-9, "{test}");
    }
}

#[test]
fn a_mixed_model_is_adjusted_for_period_and_age() {
    let plan = json!({ "test": "mixed_model",
        "adjust_for": ["period", { "answer": { "questionnaire": "you", "item": "age" } }] });
    let mut people = within();
    // A person who did not say their age is in no model.
    people.push({
        let mut silent = people[0].clone();
        silent.answers.clear();
        silent
    });
    let found = analysed(people, plan);
    let all = &found.included.comparisons[0];
    assert_eq!(all.n, PEOPLE);
    let model = all.model.as_ref().unwrap().defined().unwrap();

    let rows = (0..PEOPLE).flat_map(|p| {
        let places = (0..3).flat_map(move |c| seconds(p, c).into_iter().map(move |it| (p, c, it)));
        places.collect::<Vec<_>>()
    });
    let rows: Vec<(usize, usize, f64)> = rows.collect();
    let condition: Vec<usize> = rows.iter().map(|row| row.1).collect();
    let term = |name: &str, level: Vec<usize>| RandomTerm {
        name: name.to_owned(),
        level,
    };
    let random = vec![
        term("person", rows.iter().map(|row| row.0).collect()),
        term(
            "person:condition",
            rows.iter().map(|row| row.0 * 3 + row.1).collect(),
        ),
    ];
    let period = |of: usize| {
        rows.iter()
            .map(|row| f64::from(u8::from(place(row.0, row.1) == of)))
            .collect()
    };
    let middle = (0..PEOPLE).map(age).sum::<f64>() / PEOPLE as f64;
    let columns = [
        period(1),
        period(2),
        rows.iter().map(|row| age(row.0) - middle).collect(),
    ];
    let predictors = Predictors::of_condition(&condition, 3, true, random).with_columns(&columns);
    let values: Vec<f64> = rows.iter().map(|row| row.2).collect();
    let expected = linear(&values, &predictors).unwrap();

    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
    let names: Vec<&str> = model
        .tests
        .adjusted
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["period", "you.age"]);
    let effects = model.tests.adjusted.iter().flat_map(|it| &it.effects);
    for (found, expected) in effects.zip(&expected.fixed[3..]) {
        close(found.defined().unwrap().estimate, expected.estimate);
        close(
            found.defined().unwrap().standard_error,
            expected.standard_error,
        );
    }
    let one = |at: usize| {
        (0..6)
            .map(|it| f64::from(u8::from(it == at)))
            .collect::<Vec<f64>>()
    };
    let joint = expected.joint(&[one(3), one(4)]).unwrap();
    let of_period = model.tests.adjusted[0]
        .test
        .f
        .as_ref()
        .unwrap()
        .defined()
        .unwrap();
    close(of_period.f, joint.f);
    // −0.5 of the first, whose mean is in the intercept, −0.5 of the second, 1 of the third.
    let contrast = expected.contrast(&[0.0, -0.5, 1.0, 0.0, 0.0, 0.0]).unwrap();
    let last = &all.contrasts[0].declared;
    assert_eq!(last.test, TestOfPair::LinearMixedModel);
    close(*last.estimate.defined().unwrap(), contrast.estimate);
    close(last.result.defined().unwrap().p, contrast.p);
    let text = found.to_text();
    assert!(text.contains("Adjusted for period: F(2, "), "{text}");
    assert!(
        found
            .methods()
            .contains("They are adjusted for period, you.age.")
    );
}

/// Each period is one condition's: nothing tells them apart, and that is said.
#[test]
fn periods_of_one_order_cannot_be_told_from_conditions() {
    let of = |index: usize| person((0..3).map(|c| stage_of(index, c, c)).collect());
    let people: Vec<Person> = (0..PEOPLE).map(of).collect();
    let found = analysed(
        people,
        json!({ "test": "mixed_model", "adjust_for": ["period"] }),
    );
    let text = found.to_text();
    assert!(text.contains("effects cannot be told apart"), "{text}");
}
