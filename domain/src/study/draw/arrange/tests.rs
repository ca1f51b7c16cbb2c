use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::*;
use crate::design::Cell;
use crate::session::event::SessionId;

/// The names of one person's parts.
fn order(group: Value, row: u64, condition: Option<&str>) -> Vec<String> {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "parts": [group],
    }))
    .unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(row);
    let arrival = arrival(row, condition);
    let arranged = arrange(&study, &arrival, &mut rng);
    let names = arranged.parts.iter().filter_map(|(part, _)| part.id());
    names.map(str::to_owned).collect()
}

fn arrival(row: u64, condition: Option<&str>) -> DrawRequest {
    let level = condition.map(|level| ("condition".to_owned(), level.to_owned()));
    DrawRequest {
        session: SessionId("s".into()),
        row,
        language: "en".into(),
        cell: Cell {
            name: condition.unwrap_or_default().to_owned(),
            levels: level.into_iter().collect(),
        },
    }
}

fn breaks(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({"kind": "break", "id": name}))
        .collect()
}

fn group(extra: Value) -> Value {
    let mut group = json!({"kind": "group", "parts": breaks(&["a", "b", "c", "d"])});
    for (key, value) in extra.as_object().unwrap() {
        group[key] = value.clone();
    }
    group
}

#[test]
fn a_fixed_group_comes_as_written_and_a_random_one_does_not() {
    assert_eq!(order(group(json!({})), 1, None), ["a", "b", "c", "d"]);
    let orders: BTreeSet<Vec<String>> = (1..=50)
        .map(|row| order(group(json!({"order": "random"})), row, None))
        .collect();
    assert!(orders.len() > 10, "of 24 orders");
}

#[test]
fn a_latin_square_puts_each_part_once_into_each_place() {
    for kind in ["latin_square", "balanced_latin_square"] {
        let rows: Vec<Vec<String>> = (0..4)
            .map(|row| order(group(json!({"order": kind})), row, None))
            .collect();
        for place in 0..4 {
            let there: BTreeSet<&String> = rows.iter().map(|row| &row[place]).collect();
            assert_eq!(there.len(), 4, "{kind} {rows:?}");
        }
    }
}

#[test]
fn a_person_gets_so_many_parts_of_a_group() {
    let some = order(group(json!({"order": "random", "take": 2})), 1, None);
    assert_eq!(some.len(), 2);
}

#[test]
fn the_level_of_a_factor_decides_who_gets_a_group() {
    let only = || group(json!({"only_if": {"condition": ["x", "y"]}}));
    assert_eq!(order(only(), 1, Some("y")).len(), 4);
    assert!(order(only(), 1, Some("z")).is_empty());
    assert!(order(only(), 1, None).is_empty());
}

#[test]
fn interruptions_come_at_their_places_and_never_first() {
    let with = |places: Value| {
        let mut interruptions = places;
        interruptions["parts"] = breaks(&["!"]);
        order(group(json!({"interruptions": [interruptions]})), 3, None)
    };
    assert_eq!(with(json!({"after": 2})), ["a", "b", "!", "c", "d"]);
    let spaced = with(json!({"after": 1, "every": 2}));
    assert_eq!(spaced, ["a", "!", "b", "c", "!", "d"]);
    for _ in 0..20 {
        let random = with(json!({"at_random_places": 2}));
        assert_eq!(random.iter().filter(|name| *name == "!").count(), 2);
        assert_eq!(random[0], "a");
    }
}

#[test]
fn ways_forward_lead_behind_the_group_or_to_a_part_or_to_the_end() {
    let to = |to: Value| {
        let skip = json!({"when": {"wrong_at_least": 2}, "to": to});
        let study: Study = serde_json::from_value(json!({
            "format": 2, "id": "t", "title": "T",
            "parts": [{"kind": "break", "id": "first"}, group(json!({"skips": [skip]})), {"kind": "break", "id": "last"}],
        }))
        .unwrap();
        let arranged = arrange(&study, &arrival(0, None), &mut ChaCha8Rng::seed_from_u64(1));
        let jump = &arranged.jumps[0];
        (jump.from, jump.to, jump.target)
    };
    assert_eq!(to(json!("end_of_group")), (1, 5, 5));
    assert_eq!(to(json!("end_of_study")), (1, 5, 6));
    assert_eq!(to(json!({"part": "last"})), (1, 5, 5));
    assert_eq!(to(json!({"part": "c"})), (1, 5, 3));
    assert_eq!(to(json!({"part": "not-drawn"})), (1, 5, 5));
}

#[test]
fn stages_know_the_levels_that_they_stand_for_and_groups_within_ask_for_them() {
    let level = |level: &str| {
        json!({"kind": "group", "levels": {"model": level}, "parts": [
            {"kind": "break", "id": format!("{level}-all")},
            {"kind": "group", "only_if": {"model": ["ae"]}, "parts": breaks(&[&format!("{level}-some")])},
        ]})
    };
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "parts": [
            {"kind": "group", "order": "latin_square", "parts": [level("ae"), level("vae")]},
            {"kind": "break", "id": "last"},
        ],
    }))
    .unwrap();
    assert_eq!(study.rows(), 2);
    let arrival = arrival(1, None);
    let arranged = arrange(&study, &arrival, &mut ChaCha8Rng::seed_from_u64(1));
    let parts = arranged.parts.iter();
    let found: Vec<(&str, Option<&str>)> = parts
        .map(|(part, levels)| (part.id().unwrap(), levels.get("model").map(String::as_str)))
        .collect();
    assert_eq!(
        found,
        [
            ("vae-all", Some("vae")),
            ("ae-all", Some("ae")),
            ("ae-some", Some("ae")),
            ("last", None)
        ]
    );
}

#[test]
fn a_deck_is_dealt_from_person_to_person() {
    let dealt = || group(json!({"order": "dealt", "take": 2}));
    let hands: Vec<_> = (0..2).map(|row| order(dealt(), row, None)).collect();
    let all: BTreeSet<&String> = hands.iter().flatten().collect();
    assert_eq!((hands[0].len(), all.len()), (2, 4), "{hands:?}");
}
