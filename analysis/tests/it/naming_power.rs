//! How many people tell bundles of concepts apart, against numpy and scipy's bootstrap (`naming_power.py`) and against
//! the closed form of a t-test.

use analysis::power::{NoPower, Settings};
use analysis::{NamingPilot, NamingQuestion, Person};
use domain::study::NamingMeasure;
use serde_json::{Value, json};

fn settings(simulations: u32) -> Settings {
    Settings {
        alpha: 0.05,
        simulations,
        seed: 1,
    }
}

fn question(measure: NamingMeasure, bundles: &[&str]) -> NamingQuestion {
    NamingQuestion {
        measure,
        bundles: bundles.iter().map(|&it| it.to_owned()).collect(),
    }
}

fn made() -> Vec<Person> {
    let all: Value = serde_json::from_str(include_str!("../naming.json")).unwrap();
    serde_json::from_value(all["separate"]["people"].clone()).unwrap()
}

/// People who each name so many of four concepts of the bundles `a` and `b`, all by the same term.
fn who_name(each: &[(usize, usize)]) -> Vec<Person> {
    let stage = |bundle: &str, kind: &str, named: usize| {
        let question = |concept: usize| {
            let chosen = (concept < named).then_some(0);
            json!({ "outcome": "finished", "response_time_s": 20.0, "active_time_s": 18.0, "away_s": 0.0,
                "naming_rate": f64::from(u8::from(chosen.is_some())),
                "naming": { "vocabulary": "v", "bundle": bundle, "kind": kind, "concept": format!("c{concept}"),
                    "groups": [{ "group": "g", "terms": ["x", "y"] }], "combined": false, "chosen": [chosen] } })
        };
        json!({ "stage": "naming", "model": bundle, "weights_sha256": "", "task": "concept_naming",
            "questions": (0..4).map(question).collect::<Vec<_>>() })
    };
    let person = |(a, b): &(usize, usize)| {
        json!({ "study_sha256": "0".repeat(64), "complete": true, "marked": false,
            "stages": [stage("a", "learnt", *a), stage("b", "random", *b)] })
    };
    let people: Value = each.iter().map(person).collect();
    serde_json::from_value(people).unwrap()
}

#[test]
fn power_of_consistency_and_likeness_is_that_of_numpy_and_scipy() {
    let expected: Value = serde_json::from_str(include_str!("../naming_power.json")).unwrap();
    let people = usize::try_from(expected["people"].as_u64().unwrap()).unwrap();
    let studies = expected["studies"].as_f64().unwrap();
    let pilot = NamingPilot::of(made(), None);
    for (measure, word) in [(NamingMeasure::Cc, "cc"), (NamingMeasure::Mic, "mic")] {
        for other in ["marks", "chance"] {
            let question = question(measure, &["found", other]);
            let found = pilot.power(&question, settings(300), people).unwrap();
            let [pair] = &found.pairs[..] else {
                panic!("{found:?}");
            };
            assert_eq!(pair.bundles, ["found", other]);
            let expected = expected[format!("{word} found {other}")].as_f64().unwrap();
            let error = (expected * (1.0 - expected) / studies).sqrt();
            let far = (pair.power - expected).abs() / error.hypot(pair.standard_error);
            assert!(far < 3.0, "{word} {other}: {pair:?}, not {expected}");
        }
    }
}

#[test]
fn power_of_the_discovery_rate_is_near_that_of_a_paired_t_test() {
    let each: Vec<(usize, usize)> = (0..60).map(|n| (2 + n % 3, 1 + n * 7 % 4)).collect();
    let differences: Vec<f64> = each
        .iter()
        .map(|&(a, b)| (a as f64 - b as f64) / 4.0)
        .collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences
        .iter()
        .map(|it| (it - mean).powi(2))
        .sum::<f64>()
        / n;
    let closed = measures::statistics::power::paired(25, mean / variance.sqrt(), 0.05);
    assert!((0.3..0.9).contains(&closed), "{closed}");
    let pilot = NamingPilot::of(who_name(&each), None);
    let question = question(NamingMeasure::Cdr, &[]);
    let found = pilot.power(&question, settings(300), 25).unwrap();
    assert!((found.pairs[0].difference - mean).abs() < 1e-12);
    // A bootstrap interval of 25 people is a little narrower than one of t.
    let over = found.least() - closed;
    assert!((-0.08..0.12).contains(&over), "{found:?}, not {closed}");

    let both_ways: Vec<(usize, usize)> = each.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let pilot = NamingPilot::of(who_name(&both_ways), None);
    let nothing = pilot.power(&question, settings(300), 25).unwrap();
    assert!(nothing.pairs[0].difference.abs() < 1e-12);
    assert!(nothing.least() < 0.13, "{nothing:?}");
}

#[test]
fn the_number_of_people_is_the_smallest_that_is_enough() {
    let pilot = NamingPilot::of(made(), None);
    assert_eq!(pilot.people(), 14);
    let question = question(NamingMeasure::Cdr, &["found", "chance"]);
    let (needed, seen) = pilot
        .people_needed(&question, settings(40), 0.8, 100)
        .unwrap();
    let needed = needed.unwrap();
    let at = |people| seen.iter().find(|it| it.people == people).unwrap().least();
    assert!(at(needed) >= 0.8 && at(needed - 1) < 0.8, "{seen:?}");
    let (none, _) = pilot
        .people_needed(&question, settings(20), 0.999, 2)
        .unwrap();
    assert_eq!(none, None);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let pilot = NamingPilot::of(made(), None);
    let all = question(NamingMeasure::Cc, &[]);
    assert_eq!(pilot.power(&all, settings(1), 5).unwrap().pairs.len(), 3);
    for (settings, people) in [(settings(0), 5), (settings(5), 1)] {
        let found = pilot.power(&all, settings, people);
        assert!(matches!(found, Err(NoPower::Number(_))), "{found:?}");
    }
    let unknown = question(NamingMeasure::Cc, &["found", "lost"]);
    let found = pilot.power(&unknown, settings(5), 5).unwrap_err();
    assert!(found.to_string().contains("among found, lost"), "{found}");
    let nobody = NamingPilot::of(Vec::new(), None);
    assert!(matches!(
        nobody.power(&all, settings(5), 5),
        Err(NoPower::NoNames(_))
    ));
}
