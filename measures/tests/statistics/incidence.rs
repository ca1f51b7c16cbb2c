//! Cumulative incidence against R's `survival`.

use measures::statistics::Undefined;
use measures::statistics::incidence::{Spell, incidence};
use serde_json::Value;

use super::{data, numbers, r::r, same};

fn spells(condition: Option<u64>) -> Vec<Spell> {
    let data = &data()["incidence"];
    let list = |key: &str| numbers(&data[key]);
    let (times, causes) = (list("time"), list("cause"));
    let whole = |key: &str| -> Vec<usize> { serde_json::from_value(data[key].clone()).unwrap() };
    let (people, conditions) = (whole("person"), whole("condition"));
    (0..times.len())
        .filter(|&i| condition.is_none_or(|c| c == conditions[i] as u64))
        .map(|i| Spell {
            time: times[i],
            end: match causes[i] {
                1.0 => Some(0),
                2.0 => Some(1),
                _ => None,
            },
            person: people[i],
        })
        .collect()
}

fn agrees(spells: &[Spell], until: f64, expected: &Value) {
    let found = incidence(spells, 2, until).unwrap();
    assert_eq!(found.points.len(), numbers(&expected["time"]).len());
    for (i, point) in found.points.iter().enumerate() {
        same(point.time, &expected["time"][i]);
        same(point.at_risk as f64, &expected["at_risk"][i]);
        same(point.open, &expected["open"][i]);
        same(point.incidence[0], &expected["solved"][i]);
        same(point.incidence[1], &expected["skipped"][i]);
        let errors = point.standard_error.as_ref().unwrap();
        same(errors[0], &expected["error_solved"][i]);
        same(errors[1], &expected["error_skipped"][i]);
    }
    let means = found.restricted.unwrap();
    same(means.open, &expected["restricted"][0]);
    same(means.since_end[0], &expected["restricted"][1]);
    same(means.since_end[1], &expected["restricted"][2]);
    let errors = &expected["restricted_error"];
    same(means.open_standard_error.unwrap(), &errors[0]);
    let since_end = means.since_end_standard_error.unwrap();
    same(since_end[0], &errors[1]);
    same(since_end[1], &errors[2]);
}

#[test]
fn curves_errors_by_person_and_restricted_means() {
    agrees(&spells(None), 60.0, &r()["incidence"]);
    agrees(&spells(Some(0)), 100.0, &r()["incidence_first"]);
}

/// If each question were a person of its own, errors would be other ones.
#[test]
fn people_matter() {
    let mut alone = spells(None);
    for (index, spell) in alone.iter_mut().enumerate() {
        spell.person = index;
    }
    let found = incidence(&alone, 2, 60.0).unwrap();
    for (point, expected) in found
        .points
        .iter()
        .zip(r()["incidence"]["error_solved_alone"].as_array().unwrap())
    {
        same(point.standard_error.as_ref().unwrap()[0], expected);
    }
}

/// By hand: of four, one solves at 1, one is cut at 2, one skips at 3, one solves at 4.
#[test]
fn a_small_case_by_hand() {
    let spell = |time, end, person| Spell { time, end, person };
    let all = [
        spell(1.0, Some(0), 1),
        spell(2.0, None, 2),
        spell(3.0, Some(1), 3),
        spell(4.0, Some(0), 4),
    ];
    let found = incidence(&all, 2, 5.0).unwrap();
    assert!(found.at(0.5).is_none());
    assert_eq!(found.at(2.9).unwrap().incidence, [0.25, 0.0]);
    assert_eq!(found.at(3.0).unwrap().incidence, [0.25, 0.375]);
    assert_eq!(found.at(9.0).unwrap().incidence, [0.625, 0.375]);
    // 1 + 0.75 · 2 + 0.375
    assert_eq!(found.restricted.unwrap().open, 2.875);
    // Whoever is last is cut: what comes after is not known.
    let cut = incidence(&all[..2], 2, 5.0).unwrap();
    assert_eq!(cut.restricted, None);
    assert!(incidence(&all[..2], 2, 2.0).unwrap().restricted.is_some());
    assert!(matches!(
        incidence(&all, 1, 5.0),
        Err(Undefined::OutOfRange { .. })
    ));
    assert!(incidence(&[], 2, 5.0).is_err());
    // One person's curves are known, how they vary between people is not.
    let one = incidence(&[spell(1.0, Some(0), 1), spell(2.0, Some(1), 1)], 2, 2.0).unwrap();
    assert_eq!(
        (one.points[0].open, &one.points[0].standard_error),
        (0.5, &None)
    );
    let means = one.restricted.unwrap();
    assert_eq!((means.open, means.open_standard_error), (1.5, None));
}
