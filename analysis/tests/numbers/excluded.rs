//! Who is left out, by whom, and why.

use analysis::{ExcludedBy, LeftOutReason, Person};
use domain::study::ExclusionCriterion;

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
    // What was excluded by hand stays out, complete or not.
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
