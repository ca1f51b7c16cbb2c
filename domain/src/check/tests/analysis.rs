//! What is said about analysis plans.

use super::*;
use crate::study::{ConditionsAre, ConditionsVary, Correction, Exclusion, Family, PairTest};

fn with(plan: Value) -> Value {
    let mut study = good();
    study["analysis"] = plan;
    study
}

fn plan() -> Value {
    json!({
        "metrics": ["completion_rate", "difficulty"],
        "conditions_vary": "within",
        "comparisons": [{"name": "sines", "conditions": ["first", "second"]}],
        "equivalence": [{"metric": "difficulty", "low": -1, "high": 1}],
        "people": 90
    })
}

#[test]
fn a_plan_has_defaults() {
    let study = check(&with(plan()).to_string(), &around()).unwrap();
    let plan = study.analysis.unwrap();
    assert_eq!(
        (plan.conditions_are, plan.conditions_vary, plan.test),
        (ConditionsAre::Stage, ConditionsVary::Within, PairTest::T)
    );
    assert_eq!(
        (plan.family, plan.correction),
        (Family::Metric, Correction::Holm)
    );
    assert_eq!(plan.exclusions, [Exclusion::Incomplete]);
    assert!(
        check(&good().to_string(), &around())
            .unwrap()
            .analysis
            .is_none()
    );
}

#[test]
fn what_does_not_fit_is_said() {
    let change = |pointer: &str, change: Value, expected: &[&str]| {
        check_change_of(with(plan()), pointer, change, expected);
    };
    change(
        "/analysis/metrics/1",
        json!("completion_rate"),
        &[
            "analysis.equivalence[0].metric: found 'difficulty'; one of the plan's metrics",
            "analysis.metrics[1]: found 'completion_rate' again; each metric once",
        ],
    );
    change(
        "/analysis/comparisons/0/conditions/1",
        json!("secnd"),
        &[
            "analysis.comparisons[0].conditions[1]: found 'secnd'; the study has no stage that is scored of that name; did you mean 'second'?",
        ],
    );
    change(
        "/analysis/comparisons/0/conditions/1",
        json!("first"),
        &["analysis.comparisons[0].conditions[1]: found 'first' again; each condition once"],
    );
    change(
        "/analysis/test",
        json!("welch"),
        &[
            "analysis.test: found 'welch' for a design within people; 't', 'rank' or 'mixed_model'; Welch's test is one of independent samples",
        ],
    );
    change(
        "/analysis/equivalence/0/low",
        json!(1),
        &["analysis.equivalence[0].low: found 1; a number below 'high', 1"],
    );
    change(
        "/analysis/across",
        json!([["sines"], ["sines", "sins"]]),
        &[
            "analysis.across[0]: found 'sines'; two comparisons or more, each with as many conditions",
            "analysis.across[1][1]: found 'sins'; the plan has no comparison of that name; did you mean 'sines'?",
        ],
    );
    change(
        "/analysis/people",
        json!(0),
        &["analysis.people: found 0; how many people are to be included"],
    );
    change(
        "/analysis/correction",
        json!("holmes"),
        &["analysis.correction: found \"holmes\"; did you mean 'holm'?"],
    );
}

/// Practice is not scored, so no plan can compare it.
#[test]
fn models_can_be_the_factor() {
    let mut study = with(plan());
    study["analysis"]["conditions_are"] = json!("model");
    study["analysis"]["comparisons"] =
        json!([{"name": "models", "conditions": ["sinelines-ae5", "circles"]}]);
    check(&study.to_string(), &around()).unwrap();
    check_change_of(
        with(plan()),
        "/analysis/comparisons/0/conditions/0",
        json!("practice"),
        &[
            "analysis.comparisons[0].conditions[0]: found 'practice'; the study has no stage that is scored of that name; one of: first, second, single",
        ],
    );
}

#[test]
fn amendments_are_dated_and_in_order() {
    let mut study = with(plan());
    let of = |date: &str, change: &str| json!({"date": date, "change": change});
    study["analysis"]["amendments"] = json!([
        of(
            "2026-11-22",
            "Difficulty was added, since the pilot showed a ceiling."
        ),
        of("2026-11-22", "90 people, not 60."),
    ]);
    let found = check(&study.to_string(), &around()).unwrap();
    let amendments = found.analysis.unwrap().amendments;
    assert_eq!(amendments.len(), 2);
    check_change_of(
        study,
        "/analysis/amendments",
        json!([
            of("2026-11-22", "One."),
            of("2026-02-30", "Two."),
            of("2026-11-21", " ")
        ]),
        &[
            "analysis.amendments[1].date: found '2026-02-30'; the day of the change, such as 2026-11-22",
            "analysis.amendments[2].change: found no words; what was changed, and why",
            "analysis.amendments[2].date: found '2026-11-21', which is earlier than the one before; amendments in the order in which they were made",
        ],
    );
}
