//! The people who are left out, by whom, and why.

use analysis::{ExcludedBy, LeftOutReason, Person, analyse};
use domain::study::ExclusionCriterion;
use serde_json::json;

use super::made_up::{analysed, person, stage};

fn people(count: usize) -> Vec<Person> {
    let of = |index: usize| {
        let seconds = |c: usize| vec![((10 + (index * 7 + c * 5) % 6) as f64, true, None)];
        person(vec![
            stage("one", seconds(0), None),
            stage("two", seconds(1), None),
        ])
    };
    (0..count).map(of).collect()
}

#[test]
fn exclusions_by_hand_are_no_rules() {
    let mut people = people(8);
    let by_hand = |why: &str| {
        Some(ExcludedBy::Hand {
            why: why.to_owned(),
        })
    };
    people[0].excluded = by_hand("a child took\n part");
    people[1].excluded = by_hand("a child took part");
    // A person who was excluded by hand stays out, complete or not.
    people[2].excluded = by_hand("a test of ours");
    people[2].complete = false;
    let unmet = |rules: &[&str]| ExcludedBy::Rules {
        unmet: rules.iter().map(|rule| (*rule).to_owned()).collect(),
    };
    people[3].excluded = Some(unmet(&["solved_at_least", "practice_right"]));
    people[4].excluded = Some(ExcludedBy::Participant);
    let found = analysed(people, "within", "t", "response_time_s");
    assert_eq!((found.started, found.included.people), (8, 3));
    let counts: Vec<(LeftOutReason, usize)> = found
        .excluded
        .iter()
        .map(|e| (e.reason, e.people))
        .collect();
    let expected = [
        (LeftOutReason::Withdrawn, 1),
        (LeftOutReason::ByHand, 3),
        (LeftOutReason::InclusionRules, 1),
        (LeftOutReason::OverQuota, 0),
    ];
    assert_eq!(counts, expected);
    let text = found.to_text();
    for line in [
        "Left out: 1 (the participant withdrew).",
        "Left out: 3 (excluded by hand: “a child took part” (2), “a test of ours” (1)).",
        "Left out: 1 (the study's inclusion rules: solved_at_least (1), practice_right (1)).",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    let methods = found.methods();
    let sentence =
        "3 were left out: excluded by hand: “a child took part” (2), “a test of ours” (1).";
    assert!(methods.contains(sentence), "{methods}");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["excluded"][1]["reason"]["by"], "by_hand");
    assert_eq!(
        json["excluded"][1]["because"][0]["reason"],
        "a child took part"
    );
    assert_eq!(json["excluded"][1]["because"][0]["people"], 2);
}

/// The plan's own exclusions come after what was decided about the session.
#[test]
fn the_first_reason_counts() {
    let mut one = people(1).remove(0);
    one.complete = false;
    let rules = [ExclusionCriterion::Incomplete];
    assert_eq!(
        one.left_out(&rules),
        Some(LeftOutReason::Plan {
            rule: ExclusionCriterion::Incomplete
        })
    );
    one.excluded = Some(ExcludedBy::Hand {
        why: "a child".to_owned(),
    });
    assert_eq!(one.left_out(&rules), Some(LeftOutReason::ByHand));
}

/// Of 10, 11, …, 21 and 45 the last one's z is 3.0664 (scipy.stats.zscore with ddof = 1); the other condition, where that
/// person is like all others, does not bring them back.
#[test]
fn who_lies_far_from_the_others_of_a_condition_is_left_out_by_the_plan() {
    let seconds: Vec<f64> = (10..22).map(f64::from).chain([45.0]).collect();
    let mut everybody: Vec<Person> = seconds
        .iter()
        .map(|&it| {
            person(vec![
                stage("one", vec![(it, true, None)], None),
                stage("two", vec![(10.0 + it / 100.0, true, None)], None),
            ])
        })
        .collect();
    // Somebody who is left out anyway moves neither mean nor SD.
    let mut gone = person(vec![stage("one", vec![(9_000.0, true, None)], None)]);
    gone.complete = false;
    everybody.push(gone);
    let by = |beyond_sd: f64| {
        let plan = json!({
            "metrics": ["response_time_s"], "conditions_vary": "within",
            "comparisons": [{ "name": "both", "conditions": ["one", "two"] }],
            "exclusions": [{ "kind": "incomplete" },
                { "kind": "outlying", "metric": "response_time_s", "beyond_sd": beyond_sd }],
        });
        analyse(
            everybody.clone(),
            "ab",
            Some(serde_json::from_value(plan).unwrap()),
        )
    };
    let found = by(3.06);
    assert_eq!((found.started, found.included.people), (14, 12));
    let last = found.excluded.last().unwrap();
    assert_eq!((last.people, &last.numbers[..]), (1, &[13][..]));
    let text = found.to_text();
    let line = "Left out: 1 (response_time_s beyond 3.06 SD of the mean).";
    assert!(text.lines().any(|found| found == line), "{text}");
    // They are in what is said of all who started.
    assert_eq!(found.everyone.people, 14);
    assert_eq!(by(3.07).included.people, 13);
}
