//! Messages about analysis plans.

use super::*;
use crate::study::{ConditionsAre, ConditionsVary, Correction, Family, PairTest};

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
    let study = check(&with(plan()).to_string(), &around()).unwrap().study;
    let plan = study.analysis.unwrap();
    assert_eq!(
        (plan.conditions_are, plan.conditions_vary, plan.test),
        (ConditionsAre::Stage, ConditionsVary::Within, PairTest::T)
    );
    assert_eq!(
        (plan.family, plan.correction),
        (Family::Metric, Correction::Holm)
    );
    assert_eq!(
        plan.exclusions,
        [crate::study::ExclusionCriterion::Incomplete]
    );
    assert!(
        check(&good().to_string(), &around())
            .unwrap()
            .study
            .analysis
            .is_none()
    );
}

#[test]
fn what_does_not_fit_is_said() {
    check_changes(
        &with(plan()),
        r#"
        /analysis/metrics/1 = "completion_rate"
            analysis.equivalence[0].metric: found 'difficulty'; one of the plan's metrics
            analysis.metrics[1]: found 'completion_rate' again; each metric once
        /analysis/comparisons/0/conditions/1 = "secnd"
            analysis.comparisons[0].conditions[1]: found 'secnd'; the study has no stage that is scored of that name; did you mean 'second'?
        /analysis/comparisons/0/conditions/1 = "first"
            analysis.comparisons[0].conditions[1]: found 'first' again; each condition once
        /analysis/test = "welch"
            analysis.test: found 'welch' for a design within people; 't', 'rank' or 'mixed_model'; Welch's test is one of independent samples
        /analysis/equivalence/0/low = 1
            analysis.equivalence[0].low: found 1; a number below 'high', 1
        /analysis/across = [["sines"], ["sines", "sins"]]
            analysis.across[0]: found 'sines'; two comparisons or more, each with as many conditions
            analysis.across[1][1]: found 'sins'; the plan has no comparison of that name; did you mean 'sines'?
        /analysis/people = 0
            analysis.people: found 0; how many people are to be included
        /analysis/correction = "holmes"
            analysis.correction: found "holmes"; did you mean 'holm'?"#,
    );
}

#[test]
fn contrasts_and_adjustments_fit_their_plan() {
    check_changes(
        &with(plan()),
        r#"
        /analysis/contrasts = [{"name": "one", "weights": {"first": 1, "second": -1}}]
        /analysis/contrasts = [{"name": "One", "weights": {"first": 1, "second": -0.5}}]
            analysis.contrasts[0].name: found 'One'; a name of its own: lower-case letters, digits and '-', 1 to 64 characters
            analysis.contrasts[0].weights: found weights with the sum 0.5; weights above and below 0 with the sum 0, such as 1, -0.5 and -0.5
        /analysis/contrasts = [{"name": "one", "weights": {"first": 1, "secnd": -1}}]
            analysis.contrasts[0].weights.secnd: found 'secnd'; no comparison has a condition of that name; did you mean 'second'?
        /analysis/contrasts = [{"name": "one", "weights": {"first": 0, "second": 0}}]
            analysis.contrasts[0].weights: found weights with the sum 0; weights above and below 0 with the sum 0, such as 1, -0.5 and -0.5
        /analysis/condition_labels = {"first": "First", "secnd": "Second", "second": " "}
            analysis.condition_labels.secnd: found 'secnd'; no comparison has a condition of that name; did you mean 'second'?
            analysis.condition_labels.second: found ' '; 1 to 40 characters
        /analysis/adjust_for = ["period"]
            analysis.adjust_for: found another test than a mixed model; "test": "mixed_model": the other tests have no further effects"#,
    );
    let mut modelled = plan();
    modelled["test"] = json!("mixed_model");
    check_changes(
        &with(modelled),
        r#"
        /analysis/adjust_for = ["period", "period"]
            analysis.adjust_for[1]: found 'period' again; each of them once
        /analysis/adjust_for = [{"answer": {"questionnaire": "nowhere", "item": "age"}}]
            analysis.adjust_for[0]: found 'nowhere.age'; an item that is answered with a number, or a score, of a questionnaire about no stage"#,
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
    let found = check(&study.to_string(), &around()).unwrap().study;
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

/// A study with these parts, factors between people, and what people are to be compared in.
fn designed(parts: Value, levels: &[&str], vary: &str, comparisons: &[&[&str]]) -> Value {
    let named = comparisons
        .iter()
        .enumerate()
        .map(|(index, conditions)| json!({"name": format!("c{index}"), "conditions": conditions}));
    let mut study = good();
    study["design"] = match levels {
        [] => json!({}),
        levels => json!({"factors": [{"name": "group", "levels": levels, "varies": "between"}]}),
    };
    study["parts"] = parts;
    study["analysis"] = json!({"metrics": ["completion_rate"], "conditions_vary": vary,
        "comparisons": named.collect::<Vec<_>>()});
    study
}

fn stages(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({"template": "sines", "id": name}))
        .collect()
}

#[test]
fn a_plan_between_people_of_a_design_within_them_is_refused() {
    let both = designed(stages(&["a", "b"]), &[], "between", &[&["a", "b"]]);
    let refused = "found 'a', 'b', which one person gets, in a design 'between' people; conditions of which each person gets one: tests between people take all values as independent. Say \"conditions_vary\": \"within\", or give each person one of them";
    assert_eq!(
        problems_of(&both),
        [format!("analysis.comparisons[0].conditions: {refused}")]
    );
    // The comparison that is made where none is declared is refused, too.
    let tacit = designed(stages(&["a", "b"]), &[], "between", &[]);
    assert_eq!(
        problems_of(&tacit),
        [format!("analysis.conditions_vary: {refused}")]
    );
    let one_each =
        json!([{"kind": "group", "order": "dealt", "take": 1, "parts": stages(&["a", "b"])}]);
    assert!(problems_of(&designed(one_each, &[], "between", &[&["a", "b"]])).is_empty());
}

#[test]
fn a_plan_within_people_who_cannot_meet_all_conditions_is_refused() {
    let by_cell = json!([
        {"kind": "group", "only_if": {"group": ["x"]}, "parts": stages(&["a", "b"])},
        {"kind": "group", "only_if": {"group": ["y"]}, "parts": stages(&["c"])}]);
    let apart = designed(
        by_cell.clone(),
        &["x", "y"],
        "within",
        &[&["a", "b"], &["a", "c"]],
    );
    assert_eq!(
        problems_of(&apart),
        [
            "analysis.comparisons[1].conditions: found 'a', 'c', in a design 'within' people; conditions that one person gets: nobody gets two of these, so that no comparison would have anybody in it. Say \"conditions_vary\": \"between\", or give each person all of them"
        ]
    );
    assert!(
        problems_of(&designed(
            by_cell.clone(),
            &["x", "y"],
            "between",
            &[&["a", "c"]]
        ))
        .is_empty()
    );
    let two_of_four = json!([{"kind": "group", "order": "random", "take": 2,
        "parts": stages(&["a", "b", "c", "d"])}]);
    assert_eq!(
        problems_of(&designed(
            two_of_four.clone(),
            &[],
            "within",
            &[&["a", "b", "c", "d"]]
        )),
        [
            "analysis.comparisons[0].conditions: found 'a', 'b', 'c', 'd', in a design 'within' people; conditions that one person gets: nobody gets more than 2 of these 4, so that the comparison would have nobody in it. Give each person all of them ('take'), or declare comparisons of 2"
        ]
    );
    let pairs: [&[&str]; 2] = [&["a", "b"], &["c", "d"]];
    assert!(problems_of(&designed(two_of_four, &[], "within", &pairs)).is_empty());
    let first_two = json!([{"kind": "group", "take": 2, "parts": stages(&["a", "b", "c"])}]);
    assert_eq!(
        problems_of(&designed(first_two, &[], "within", &[&["a", "c"]])),
        [
            "analysis.comparisons[0].conditions: found 'c', which nobody gets; conditions that people get: look at 'take', 'only_if' and the design's cells"
        ]
    );
}

#[test]
fn metrics_that_the_study_cannot_give_are_refused() {
    let mut study = designed(stages(&["a", "b"]), &[], "within", &[&["a", "b"]]);
    study["analysis"]["metrics"] =
        json!(["completion_rate", "correct_rate", "difficulty", "raw_tlx"]);
    assert_eq!(
        problems_of(&study),
        [
            "analysis.metrics[1]: found 'correct_rate'; a metric that these stages give: this one is of the task 'single_dimension', which is not compared here",
            "analysis.metrics[2]: found 'difficulty'; a metric that the study asks for: add a part of kind 'difficulty' after each stage, or leave it out",
            "analysis.metrics[3]: found 'raw_tlx'; a metric that the study asks for: add a part { \"block\": \"nasa-tlx\" } after each stage, or leave it out",
        ]
    );
}

/// A factor between people makes no comparison: its levels are no conditions unless they have stages
/// of their own.
#[test]
fn comparisons_that_are_made_are_those_of_tasks_or_those_declared() {
    let conditions_of = |study: &Value| -> Vec<Vec<String>> {
        let study = check(&study.to_string(), &around()).unwrap().study;
        study
            .comparisons()
            .into_iter()
            .map(|it| it.conditions)
            .collect()
    };
    let one = designed(stages(&["a"]), &["x", "y"], "between", &[]);
    assert!(conditions_of(&one).is_empty());
    let tacit = designed(stages(&["a", "b"]), &[], "within", &[]);
    assert_eq!(conditions_of(&tacit), [["a", "b"]]);
    let declared = designed(stages(&["a", "b", "c"]), &[], "within", &[&["c", "a"]]);
    assert_eq!(conditions_of(&declared), [["c", "a"]]);
}
