//! The names that people gave to concepts, against numpy, scipy, scikit-learn and krippendorff: `naming.py` made the
//! answers and the expected numbers.

use analysis::{Analysis, NamingResults, NamingRow, Person, analyse};
use domain::study::{Metric, NamingMeasure};
use serde_json::{Value, json};

/// The people and the expected numbers of `separate` or `combined` groups.
fn made(groups: &str) -> (Vec<Person>, Value) {
    let all: Value = serde_json::from_str(include_str!("../naming.json")).unwrap();
    let people = serde_json::from_value(all[groups]["people"].clone()).unwrap();
    (people, all[groups]["expected"].clone())
}

fn analysed(people: Vec<Person>) -> Analysis {
    analyse(people, &"0".repeat(64), None)
}

#[track_caller]
fn same(what: &str, found: Option<f64>, expected: &Value) {
    let (found, expected) = (found.unwrap(), expected.as_f64().unwrap());
    assert!(
        (found - expected).abs() < 1e-9,
        "{what}: {found}, not {expected}"
    );
}

fn check_row(row: &NamingRow, expected: &Value) {
    assert_eq!(json!(row.people), expected["people"]);
    for score in &row.scores {
        let name = score.measure.label().to_lowercase();
        same(&name, score.mean, &expected[&name][0]);
        same(&name, score.sd, &expected[&name][1]);
        let mean = score.mean.unwrap();
        let Some(interval) = score.interval.as_ref().unwrap().defined() else {
            // Everybody did the same with each concept: no sample of people is another.
            assert_eq!(score.sd, Some(0.0), "{score:?}");
            continue;
        };
        assert!(
            interval.low <= mean && mean <= interval.high && interval.low < interval.high,
            "{name}: {interval:?} about {mean}"
        );
    }
    same("literal", row.cc_literal, &expected["cc_literal"]);
    same("both none", row.cc_both_none, &expected["cc_both_none"]);
    let wanted = &expected["mic_concept_and_term"];
    same("concept and term", row.mic_concept_and_term, wanted);
    same("counts", row.mic_counts, &expected["mic_counts"]);
    for (agreement, expected) in row
        .agreement
        .iter()
        .zip(expected["alpha"].as_array().unwrap())
    {
        same("alpha", agreement.alpha.defined().copied(), expected);
    }
    for (index, concept) in row.concepts.iter().enumerate() {
        let groups = concept.groups.iter().flat_map(|group| &group.terms);
        let counts: Vec<usize> = groups.map(|(_, count)| *count).collect();
        assert_eq!(json!(counts), expected["counts"][index]);
        assert_eq!(json!(concept.named_nothing), expected["nothing"][index]);
    }
}

fn check(groups: &str) -> NamingResults {
    let (people, expected) = made(groups);
    let mut analysis = analysed(people);
    assert_eq!(analysis.included.naming.len(), 1);
    let found = analysis.included.naming.remove(0);
    let kinds: Vec<&str> = found.bundles.iter().map(|row| row.kind.name()).collect();
    assert_eq!(kinds, ["learnt", "manual", "random"]);
    for row in &found.bundles {
        check_row(row, &expected[&row.bundle]);
    }
    for test in &found.omnibus {
        let ranks = test.ranks.defined().unwrap();
        let expected = &expected[format!("kruskal_{}", test.measure.label().to_lowercase())];
        same("H", Some(ranks.chi_squared), &expected[0]);
        same("p", Some(ranks.p), &expected[1]);
    }
    let difference = found.differences.iter().find(|it| {
        it.measure == NamingMeasure::Cc && it.bundles == ["found".to_owned(), "chance".to_owned()]
    });
    let difference = difference.unwrap();
    let wanted = &expected["found_minus_chance_cc"];
    same("difference", difference.difference, wanted);
    let ranks = difference.ranks.as_ref().unwrap().defined().unwrap();
    same("U", Some(ranks.u), &expected["found_chance_u"]);
    found
}

#[test]
fn separate_groups_give_the_numbers_of_other_tools() {
    let found = check("separate");
    assert!(!found.combined);
    assert_eq!(found.differences.len(), 9);
}

#[test]
fn combined_groups_are_one_of_all_combinations() {
    let found = check("combined");
    let group = &found.bundles[0].concepts[0].groups[0];
    assert_eq!(group.group, "position + shape");
    assert_eq!(group.terms[3].0, "middle + line");
}

#[test]
fn naming_rates_are_compared_between_bundles_as_any_metric() {
    let (people, _) = made("separate");
    let plan = serde_json::from_value(json!({
        "metrics": ["naming_rate"], "conditions_are": "model", "conditions_vary": "within"
    }));
    let analysis = analyse(people, &"0".repeat(64), Some(plan.unwrap()));
    let named = &analysis.included.comparisons[0];
    assert_eq!(named.metric, Metric::NamingRate);
    assert!(named.planned && named.omnibus.is_some());
    let conditions = named.conditions.iter();
    let means = conditions.map(|row| (row.condition.as_str(), row.description.defined()));
    let means: Vec<_> = means.map(|(name, it)| (name, it.unwrap().mean)).collect();
    let [("chance", low), ("found", middle), ("marks", high)] = means[..] else {
        panic!("{means:?}");
    };
    assert!(low < middle && middle < high, "{means:?}");
}

/// Mann and Whitney's tests of the difference of a measure, by bundles: p, corrected, declared.
fn tests(analysis: &Analysis, measure: NamingMeasure) -> Vec<(Option<f64>, Option<f64>, bool)> {
    let differences = analysis.included.naming[0].differences.iter();
    let p = |it: &analysis::NamingDifference| Some(it.ranks.as_ref()?.defined()?.p);
    let of_measure = differences.filter(|it| it.measure == measure);
    let tests = of_measure.map(|it| (p(it), it.p_corrected, it.planned));
    tests.collect()
}

#[test]
fn declared_differences_are_corrected_together_and_all_else_is_exploratory() {
    let declared = |naming: Value, family: &str| {
        let plan = json!({
            "metrics": ["naming_rate"], "conditions_are": "model", "conditions_vary": "within",
            "correction": "bonferroni", "family": family, "naming": naming
        });
        let plan = serde_json::from_value(plan).unwrap();
        analyse(made("separate").0, &"0".repeat(64), Some(plan))
    };
    let times = |p: Option<f64>, number: f64| p.map(|p| (p * number).min(1.0));
    let all = declared(json!({ "measures": ["cc", "mic"] }), "metric");
    for (p, corrected, planned) in tests(&all, NamingMeasure::Cc) {
        assert!(planned && p.is_some());
        assert_eq!(corrected, times(p, 3.0));
    }
    // MIC has no test, but its intervals are declared.
    let mic = tests(&all, NamingMeasure::Mic);
    assert_eq!(mic, [(None, None, true); 3]);
    let cdr = tests(&all, NamingMeasure::Cdr);
    assert!(
        cdr.iter()
            .all(|(_, corrected, planned)| corrected.is_none() && !planned)
    );

    let both = declared(json!({ "measures": ["cdr", "cc"] }), "study");
    for (p, corrected, _) in tests(&both, NamingMeasure::Cdr) {
        assert_eq!(corrected, times(p, 6.0));
    }
    let two = json!({ "measures": ["cc"], "bundles": ["found", "chance"] });
    let two = declared(two, "metric");
    let found = tests(&two, NamingMeasure::Cc);
    let planned: Vec<_> = found.iter().filter(|(.., planned)| *planned).collect();
    assert_eq!(planned.len(), 1);
    assert_eq!(planned[0].0, planned[0].1);
    let text = two.to_text();
    assert!(text.contains("CC, found minus chance: "), "{text}");
    assert!(
        text.contains("CDR, found minus chance (exploratory): "),
        "{text}"
    );
    assert!(
        text.contains("Kruskal and Wallis's test over concepts (exploratory)"),
        "{text}"
    );
    let methods = two.methods();
    assert!(
        methods.contains("which are corrected after Bonferroni, apart from those of metrics."),
        "{methods}"
    );
    let undeclared = analysed(made("separate").0).to_text();
    let names = undeclared.split("## Names of concepts").nth(1).unwrap();
    assert_eq!(names.matches("(exploratory)").count(), 1, "{names}");
}

#[test]
fn one_person_or_nobody_who_names_anything_is_said_to_be_undefined() {
    let (people, _) = made("separate");
    let alone = analysed(people.into_iter().take(1).collect());
    let row = &alone.included.naming[0].bundles[0];
    let score = |measure| row.scores.iter().find(|it| it.measure == measure).unwrap();
    assert_eq!(score(NamingMeasure::Cc).mean, None);
    assert!(score(NamingMeasure::Cdr).mean.is_some());
    assert!(row.agreement[0].alpha.defined().is_none());

    let (mut people, _) = made("separate");
    let stages = people.iter_mut().flat_map(|person| &mut person.stages);
    for question in stages.flat_map(|stage| &mut stage.questions) {
        question.naming.as_mut().unwrap().chosen = vec![None, None];
    }
    let silent = analysed(people);
    let row = &silent.included.naming[0].bundles[0];
    for score in &row.scores {
        match score.measure {
            NamingMeasure::Mic => assert_eq!(score.mean, None),
            _ => assert_eq!(score.mean, Some(0.0)),
        }
        assert!(score.interval.as_ref().unwrap().defined().is_none());
    }
}

#[test]
fn the_same_people_give_the_same_intervals() {
    let ends = || {
        let (people, _) = made("separate");
        let analysis = analysed(people);
        let rows = analysis.included.naming[0].bundles.iter();
        let scores = rows.flat_map(|row| row.scores.clone());
        let interval = scores.map(|it| it.interval.unwrap().defined().copied());
        interval
            .map(|it| it.map(|it| [it.low, it.high]))
            .collect::<Vec<_>>()
    };
    assert_eq!(ends(), ends());
}
