use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

use super::*;
use crate::simulate::SimulatedParticipant;
use crate::study::draw::{DrawRequest, draw};
use crate::testing::{NamedTexts, TestModels, id};

fn models() -> TestModels {
    TestModels::named(&["dials"])
}

fn study(factors: &Value, parts: &Value) -> Study {
    serde_json::from_value(json!({
        "format": 2, "id": "s", "title": "S", "parts": parts, "design": {"factors": factors}
    }))
    .unwrap()
}

fn stage(id: &str, questions: u32) -> Value {
    json!({"kind": "stage", "id": id, "task": {
        "kind": "reconstruction", "model": "dials", "questions": questions}})
}

fn said(parts: &Value) -> String {
    Length::of(&study(&json!([]), parts), &models()).to_string()
}

fn staircase(levels: u32, each: u32, questions: u32) -> Value {
    let levels: Vec<Value> = (0..levels)
        .map(|level| stage(&format!("level-{level}"), each))
        .collect();
    json!({"kind": "group", "parts": levels,
        "next": {"rule": "staircase", "up_after": 2, "down_after": 1, "questions": questions}})
}

/// 4 levels of 12 questions each are 48, of which 12 are asked.
#[test]
fn a_staircase_is_one_stage_and_asks_its_own_number_of_questions() {
    let parts = json!([
        {"kind": "stage", "id": "practice", "practice": true, "task": {
            "kind": "reconstruction", "model": "dials", "questions": 3}},
        stage("before", 10), staircase(4, 12, 12), {"kind": "difficulty"}]);
    assert_eq!(said(&parts), "2 stages, 22 questions");
    // From level 0: two wrong ones, the first two of level 0, and there is no third.
    assert_eq!(
        said(&json!([staircase(3, 2, 12)])),
        "1 stage, 2 to 6 questions"
    );
    // Wrong answers stay on level 0; to stay on level 1 one has to answer right and wrong in turn
    // but falls: 1 -> 0. The soonest end is level 0's.
    assert_eq!(
        said(&json!([staircase(3, 5, 100)])),
        "1 stage, 5 to 15 questions"
    );
}

#[test]
fn samples_interruptions_limits_and_factors_are_looked_at() {
    let parts = json!([
        {"kind": "group", "order": "random", "take": 2,
         "parts": [stage("a", 5), stage("b", 3), stage("c", 4)],
         "interruptions": [{"parts": [stage("between", 1)], "after": 1}]},
        {"kind": "stage", "id": "short", "limit": {"minutes": 2}, "task": {
            "kind": "reconstruction", "model": "dials", "questions": 6}},
        {"kind": "stage", "id": "single", "task": {
            "kind": "single_dimension", "model": "dials", "visualisation": "exemplars"}}]);
    // 3 + 4 to 5 + 4, and one between them; 1 to 6; twice for each of two dimensions.
    assert_eq!(said(&parts), "5 stages, 13 to 20 questions");
    let factors =
        json!([{"name": "size", "levels": ["small", "large", "huge"], "varies": "between"}]);
    let for_level = |level: &str, questions| {
        json!({"kind": "group", "only_if": {"size": [level]},
        "parts": [stage(level, questions)]})
    };
    let by_cell = study(
        &factors,
        &json!([
            for_level("small", 2),
            for_level("large", 9),
            for_level("huge", 30),
            stage("all", 1)
        ]),
    );
    assert_eq!(
        Length::of(&by_cell, &models()).to_string(),
        "2 stages, 3 to 31 questions"
    );
    let cells = by_cell.design.cells();
    let of_cells: Vec<String> = cells
        .iter()
        .map(|cell| Length::of_cell(&by_cell, cell, &models()).to_string())
        .collect();
    assert_eq!(
        of_cells,
        [
            "2 stages, 3 questions",
            "2 stages, 10 questions",
            "2 stages, 31 questions"
        ]
    );
}

fn group(parts: &Value, when: &Value, to: &Value) -> Value {
    json!({"kind": "group", "parts": parts, "skips": [{"when": when, "to": to}]})
}

#[test]
fn ways_forward_leave_questions_out_and_screening_out_is_said() {
    let wrong = json!({"wrong_at_least": 2});
    let two = json!([stage("a", 5), stage("b", 5)]);
    let end = json!("end_of_group");
    let out = json!("screened_out");
    assert_eq!(
        said(&json!([group(&two, &wrong, &end), stage("c", 1)])),
        "2 to 3 stages, 3 to 11 questions"
    );
    let to_d = json!({"part": "d"});
    assert_eq!(
        said(&json!([
            group(&two, &wrong, &to_d),
            stage("c", 20),
            stage("d", 1)
        ])),
        "2 to 4 stages, 3 to 31 questions"
    );
    let answer = json!({"answer": {"questionnaire": "q", "item": "i", "is": "yes"}});
    let page = json!({"kind": "questionnaire", "id": "q", "title": "", "items": [
        {"id": "i", "text": "?", "answer": {"kind": "choice", "options": ["yes", "no"]}}]});
    let asked = json!([stage("a", 5), page, stage("b", 7)]);
    let end_of_study = json!("end_of_study");
    assert_eq!(
        said(&json!([
            group(&asked, &answer, &end_of_study),
            stage("c", 1)
        ])),
        "1 to 3 stages, 5 to 13 questions"
    );
    let screening = study(&json!([]), &json!([group(&two, &wrong, &out)]));
    let length = Length::of(&screening, &models());
    assert!(length.screens_out && length.to_string() == "2 stages, 10 questions");
}

/// The stated lengths are those that people come to: over many orders both ends are reached, and nothing beyond.
#[test]
fn simulated_people_get_what_is_said() {
    let right = json!({"right_at_least": 4});
    let end = json!("end_of_group");
    let parts = json!([
        group(&json!([stage("a", 3), stage("b", 3)]), &right, &end),
        {"kind": "group", "order": "dealt", "take": 1, "parts": [stage("c", 1), stage("d", 4)],
         "interruptions": [{"parts": [stage("never", 9)], "after": 1}]},
        staircase(2, 4, 4),
        {"kind": "group", "order": "random", "parts": [stage("e", 1), stage("f", 2)],
         "interruptions": [{"parts": [{"kind": "break", "id": "rest"}], "at_random_places": 1}]}]);
    let study = study(&json!([]), &parts);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let arrival = DrawRequest {
            session: id(),
            cell: Cell::default(),
            row: seed,
            language: "en".into(),
        };
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let drawn = draw(&study, "", arrival, &models(), &NamedTexts, &mut rng).unwrap();
        let mut participant = SimulatedParticipant::new(drawn.plan, seed, 1);
        while participant.next().is_some() {}
        assert_eq!(
            participant.session().phase(),
            crate::session::Phase::Complete
        );
        seen.insert(participant.session().ended().len());
    }
    let said = Length::of(&study, &models()).questions;
    assert_eq!(
        said,
        Span {
            least: 4 + 1 + 4 + 3,
            most: 6 + 4 + 4 + 3
        }
    );
    let (first, last) = (*seen.first().unwrap(), *seen.last().unwrap());
    assert!(said.least <= first && last <= said.most, "{seen:?}");
    assert!(seen.len() > 1, "{seen:?}");
}
