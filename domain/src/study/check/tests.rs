use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::model::{ModelFacts, ModelSource};
use crate::testing::TestModels;

mod analysis;
mod concepts;
mod lab;
mod limits;
mod mistakes;
mod options;
mod warnings;

const MODELS: [&str; 2] = ["circles", "sinelines-ae5"];

struct Around(TestModels);

impl CheckContext for Around {
    fn models(&self) -> &dyn ModelSource {
        &self.0
    }
    fn model_names(&self) -> Vec<String> {
        MODELS.map(str::to_owned).to_vec()
    }
    fn file(&self, name: &str) -> Result<(), String> {
        match name {
            "consent.md" => Ok(()),
            _ => Err("there is no such file beside the study".into()),
        }
    }
    fn studies(&self) -> Option<Vec<String>> {
        Some(vec!["my-pilot".into(), "my-study".into()])
    }
}

fn around() -> Around {
    Around(TestModels::named(&MODELS))
}

fn good() -> Value {
    json!({
        "format": 2, "id": "my-study", "title": "A study",
        "design": {"factors": [{"name": "condition", "levels": ["x"], "varies": "link"}]},
        "templates": {"sines": {"kind": "stage", "task": {
            "kind": "reconstruction", "model": "sinelines-ae5", "questions": 5}}},
        "parts": [
            {"kind": "consent", "file": "consent.md", "investigator": "A. B.", "contact": "a@b.example", "duration_minutes": 5},
            {"kind": "tutorial", "task": "reconstruction"},
            {"kind": "stage", "id": "practice", "practice": true, "task": {
                "kind": "reconstruction", "model": "circles", "items": [{"start": [0.0, 0.0], "target": [0.6, 0.3]}]}},
            {"kind": "group", "order": "random", "take": 2, "only_if": {"condition": ["x"]}, "parts": [
                {"template": "sines", "id": "first"},
                {"template": "sines", "id": "second", "task": {"questions": 3}},
                {"kind": "stage", "id": "single", "task": {
                    "kind": "single_dimension", "model": "circles", "visualisation": "exemplars"}}],
             "interruptions": [{"parts": [{"kind": "break", "id": "rest"}], "after": 1}],
             "skips": [{"when": {"wrong_at_least": 3}, "to": {"part": "end"}}]},
            {"kind": "difficulty"},
            {"kind": "questionnaire", "id": "end", "title": "Last", "items": [
                {"id": "fun", "text": "Was it fun?", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "no", "max_label": "yes"}},
                {"id": "words", "text": "Anything else?", "answer": {"kind": "text"}, "optional": true}]}]
    })
}

fn good_of_format_1() -> Value {
    json!({
        "format": 1, "id": "my-study", "title": "A study",
        "consent": {"file": "consent.md", "investigator": "A. B.", "contact": "a@b.example", "duration_minutes": 5},
        "practice": {},
        "stages": [{"model": "sinelines-ae5", "questions": 5}],
        "closing": [{"id": "end", "title": "Last", "items": [
            {"id": "fun", "text": "Was it fun?", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "no", "max_label": "yes"}},
            {"id": "words", "text": "Anything else?", "answer": {"kind": "text"}, "optional": true}]}]
    })
}

/// Changes one place of a study and checks what is said about it.
fn check_change_of(mut study: Value, pointer: &str, change: Value, expected: &[&str]) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = study.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = change,
        other => other[key] = change,
    }
    assert_eq!(problems_of(&study), expected, "{pointer}");
}

/// The problems of a study, in words.
fn problems_of(study: &Value) -> Vec<String> {
    let problems = check(&study.to_string(), &around());
    let problems = problems.err().unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

/// The cases of a table: a line for what is changed, and below it, farther in, one for each problem.
fn cases(table: &str) -> Vec<(&str, Vec<&str>)> {
    let mut cases: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in table.lines().skip(1) {
        match (line.strip_prefix("            "), cases.last_mut()) {
            (Some(problem), Some((_, problems))) => problems.push(problem),
            _ => cases.push((line.trim_start(), Vec::new())),
        }
    }
    cases
}

/// Changes places of a study, each alone (`/pointer = JSON`), and checks what is said about it.
#[track_caller]
fn check_changes(study: &Value, table: &str) {
    for (change, problems) in cases(table) {
        let (pointer, value) = change.split_once(" = ").unwrap();
        let value = serde_json::from_str(value).unwrap();
        check_change_of(study.clone(), pointer, value, &problems);
    }
}

/// Changes places of a study (`/pointer = JSON and /pointer = JSON`); `null` takes a field away.
fn change(study: &mut Value, changes: &str) {
    for change in changes.split(" and /") {
        let (pointer, value) = change.split_once(" = ").unwrap();
        let value: Value = serde_json::from_str(value).unwrap();
        let pointer = format!("/{}", pointer.trim_start_matches('/'));
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match study.pointer_mut(parent).unwrap() {
            Value::Array(parts) => parts[key.parse::<usize>().unwrap()] = value,
            parent if value.is_null() => {
                parent.as_object_mut().unwrap().remove(key);
            }
            parent => parent[key] = value,
        }
    }
}

fn check_change(pointer: &str, change: Value, expected: &[&str]) {
    check_change_of(good(), pointer, change, expected);
}

#[test]
fn a_good_study_has_its_defaults_and_templates_are_filled_in() {
    let study = check(&good().to_string(), &around()).unwrap().study;
    assert_eq!(study.models(), ["circles", "sinelines-ae5"]);
    let questions: BTreeMap<&str, Value> = study
        .leaves()
        .into_iter()
        .filter_map(|part| match part {
            crate::study::Part::Stage(stage) => {
                let task = serde_json::to_value(&stage.task).unwrap();
                Some((stage.id.as_str(), task["questions"].clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(questions["first"], json!(5));
    assert_eq!(questions["second"], json!(3));
}

#[test]
fn each_problem_says_where_what_and_what_would_be_right() {
    check_changes(
        &good(),
        r#"
        /parts/2/task/model = "circle"
            parts[2].task.model: found 'circle'; there is no such model; did you mean 'circles'?
        /parts/2/task/question = 3
            parts[2].task.question: found a field that is not known; did you mean 'questions'?
        /parts/3/order = "randon"
            parts[3].order: found "randon"; did you mean 'random'?
        /parts/2/kind = "stag"
            parts[2].kind: found 'stag'; did you mean 'stage'?
        /id = "My Study"
            id: found 'My Study'; lower-case letters, digits and '-', 1 to 64 characters
        /format = 7
            format: found 7; this version of Redial reads formats 1 to 2
        /parts/0/file = "../etc/passwd"
            parts[0].file: found '../etc/passwd'; the name of a file beside the study, without a folder
        /parts/3/parts/0/template = "sins"
            parts[3].parts[0].template: found 'sins'; there is no such template; did you mean 'sines'?
        /parts/3/parts/1/id = "first"
            parts[3].parts[1].id: found 'first' a second time; a name of its own for each part
        /parts/3/take = 4
            parts[3].take: found 4; at most 3, the number of parts
        /parts/3/only_if/condition/0 = "y"
            parts[3].only_if.condition[0]: found 'y'; it is not among the levels of 'condition'; one of: x
        /parts/3/skips/0/to = {"part": "practice"}
            parts[3].skips[0].to.part: found 'practice', which comes before; a part that comes later: ways lead forward only
        /parts/5/items/0/answer/max = 1
            parts[5].items[0].answer: found a scale from 1 to 1; min below max
        /parts/3/parts/2/wrong_answer = "explode"
            parts[3].parts[2].wrong_answer: found "explode"; one of: nothing, mark, screen_out"#,
    );
}

/// Found by fuzzing: a template with a part that is made from the same template has no end.
#[test]
fn templates_that_hold_themselves_end() {
    let mut study = good();
    study["templates"] = json!({
        "sines": {"kind": "group", "parts": [{"template": "sines", "id": "inner"}]}
    });
    let found = problems_of(&study);
    assert!(
        found.iter().any(|it| it
            == "parts[3].parts[0].parts[0].template: found 'sines', which is made from itself; templates that do not lead back to themselves"),
        "{found:#?}"
    );
}

/// Each of these holds the next twice, which makes 2³⁰ parts of 31 lines.
#[test]
fn templates_do_not_make_more_parts_than_anybody_sits_through() {
    let mut study = good();
    for n in 0..30 {
        let next = json!({"template": format!("t{}", n + 1)});
        study["templates"][format!("t{n}")] = json!({"kind": "group", "parts": [next, next]});
    }
    study["templates"]["t30"] = json!({"kind": "break", "id": "rest"});
    study["parts"][3]["parts"][0] = json!({"template": "t0"});
    let problems = check(&study.to_string(), &around()).unwrap_err();
    assert!(
        problems.iter().any(|it| it
            .to_string()
            .contains("after 1000 parts made from templates")),
        "{:?}",
        &problems[..5]
    );
}

#[test]
fn practice_that_is_solved_at_its_start_is_found() {
    check_change(
        "/parts/2/task/items/0/start",
        json!([0.61, 0.3]),
        &[
            "parts[2].task.items[0]: found a start that already matches its target; a start farther from the target",
        ],
    );
}

#[test]
fn a_threshold_that_rounding_puts_out_of_reach_is_found() {
    struct Strict(crate::model::ModelFacts);
    impl ModelSource for Strict {
        fn facts(&self, _: &str) -> Option<&ModelFacts> {
            Some(&self.0)
        }
        fn sample(&self, _: &str, _: &mut dyn rand::Rng) -> Option<Vec<f64>> {
            None
        }
        fn decode(&self, _: &str, _: &[f64]) -> Option<Vec<f32>> {
            None
        }
        fn option_ranges(&self, _: &str, _: usize) -> Option<[[f64; 2]; 3]> {
            None
        }
    }
    impl CheckContext for Strict {
        fn models(&self) -> &dyn ModelSource {
            self
        }
        fn model_names(&self) -> Vec<String> {
            vec![]
        }
        fn file(&self, _: &str) -> Result<(), String> {
            Ok(())
        }
    }
    let mut digits = crate::testing::two_dials("digits");
    digits.shape = crate::model::InstanceShape::image(28, 28, 1);
    digits.distance = crate::model::distance::Distance::Iou { binarise_at: 0.5 };
    let study = |percent: f64| {
        json!({"format": 2, "id": "s", "title": "S", "parts": [{"kind": "stage", "id": "a", "task": {
            "kind": "reconstruction", "model": "digits", "questions": 1, "target_alignment_percent": percent}}]})
        .to_string()
    };
    let strict = Strict(digits);
    let problems = check(&study(100.0), &strict).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "parts[0].task.target_alignment_percent");
    assert!(
        problems[0].expected.starts_with("at most 99:"),
        "{}",
        problems[0]
    );
    assert!(check(&study(99.0), &strict).is_ok());
}

#[test]
fn a_distance_needs_a_threshold_and_thresholds_exclude_each_other() {
    let problems = |settings: serde_json::Value| {
        let mut task = json!({"kind": "reconstruction", "model": "circles", "questions": 2});
        for (name, value) in settings.as_object().unwrap() {
            task[name] = value.clone();
        }
        let study = json!({"format": 2, "id": "s", "title": "S", "parts": [{"kind": "stage", "id": "a", "task": task}]});
        problems_of(&study)
    };
    let absolute = json!({"kind": "mean_absolute", "range": 1});
    assert_eq!(
        problems(json!({"distance": absolute, "target_alignment_percent": 90})),
        [""; 0]
    );
    let alone = problems(json!({"distance": absolute}));
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert!(alone[0].contains("threshold that suits it"), "{alone:?}");
    let both = problems(
        json!({"target_alignment_percent": 90, "threshold_by_target": {"share_of_nearest": 0.5}}),
    );
    assert!(
        both.len() == 1 && both[0].contains("only one of the two"),
        "{both:?}"
    );
    let curves = problems(json!({"distance": {"kind": "ssim"}, "target_alignment_percent": 90}));
    assert!(
        curves.len() == 1 && curves[0].contains("at least 11 × 11 pixels"),
        "{curves:?}"
    );
    let share = problems(json!({"threshold_by_target": {"share_of_nearest": 0}}));
    assert!(!share.is_empty());
}

#[test]
fn a_study_of_format_1_is_read_and_its_problems_have_its_own_places() {
    let study = check(&good_of_format_1().to_string(), &around())
        .unwrap()
        .study;
    assert_eq!(study.format, 2);
    assert_eq!(study.models(), ["circles", "sinelines-ae5"]);
    check_changes(
        &good_of_format_1(),
        r#"
        /stages/0/model = "sinelines-ea5"
            stages[0].model: found 'sinelines-ea5'; there is no such model; did you mean 'sinelines-ae5'?
        /stages/0/questions = "5"
            stages[0].questions: found "5"; a whole number is needed
        /stages/0/questions = 0
            stages[0].questions: found 0; at least 1 is needed
        /stages = []
            parts: found no stage; at least one part of kind 'stage'
            stages: found an empty list; at least one part
        /practice = {"questions": [{"start": [0.0, 0.0], "target": [0.5, 2.0]}]}
            practice.questions[0].target: found [0.5, 2.0]; dimension 1 is 2, and takes numbers from 0 to 1
        /closing/0/items/1/id = "fun"
            closing[0].items[1].id: found 'fun' a second time; a name that is not taken
        /consent/file = "other.md"
            consent.file: found 'other.md'; there is no such file beside the study"#,
    );
}

#[test]
fn all_problems_come_at_once_and_form_hides_no_meaning() {
    let stage = |task: Value| json!({"kind": "stage", "id": "a", "task": task});
    let study = json!({
        "format": 2, "id": "x", "titel": "A study", "parts": [
            stage(json!({"kind": "reconstruction", "model": "nope", "questions": 5})),
            stage(json!({"kind": "reconstruction", "model": "circles", "questions": "many"}))]
    });
    let places: Vec<String> = check(&study.to_string(), &around())
        .unwrap_err()
        .into_iter()
        .map(|p| p.path)
        .collect();
    assert_eq!(
        places,
        [
            "parts[0].task.model",
            "parts[1].task.questions",
            "titel",
            "title"
        ]
    );
}

#[test]
fn broken_json_is_placed_by_line_and_column() {
    let problems = check("{\n  \"format\": 1,\n}", &around()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "line 3, column 1");
}

#[test]
fn every_field_of_the_schema_is_described() {
    fn undescribed(schema: &Value, path: &str, out: &mut Vec<String>) {
        for (name, field) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let path = format!("{path}.{name}");
            // The tag of a choice, or the one field that is it, is explained by the choice itself.
            let is_tag = field.get("const").is_some()
                || (schema.get("description").is_some() && schema["required"] == json!([name]));
            if field.get("description").is_none() && !is_tag {
                out.push(path.clone());
            }
            undescribed(field, &path, out);
        }
        for key in ["$defs"] {
            for (name, inner) in schema
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                undescribed(inner, name, out);
            }
        }
        for inner in schema
            .get("oneOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            undescribed(inner, path, out);
        }
    }
    let mut out = Vec::new();
    undescribed(&schema(), "study", &mut out);
    assert_eq!(out, Vec::<String>::new());
}

/// A study whose stages come from its factors.
fn crossed() -> Value {
    json!({
        "format": 2, "id": "crossed", "title": "Crossed",
        "design": {
            "factors": [
                {"name": "task", "levels": ["interactive", "exemplars"]},
                {"name": "model", "levels": ["circles", "sinelines-ae5"], "varies": "within"}],
            "assignment": {"cap": 2, "caps": {"exemplars": 3}}},
        "inclusion": [{"rule": "attention_check", "answer": {"questionnaire": "end", "item": "fun", "is": 3}}],
        "parts": [
            {"kind": "group", "order": "random", "for_each": ["model"], "parts": [
                {"kind": "group", "only_if": {"task": ["interactive"]}, "parts": [
                    {"kind": "stage", "id": "{task}-{model}", "task": {
                        "kind": "reconstruction", "model": "{model}", "questions": 5}}]},
                {"kind": "group", "only_if": {"task": ["exemplars"]}, "parts": [
                    {"kind": "stage", "id": "{task}-{model}", "task": {
                        "kind": "single_dimension", "model": "{model}", "visualisation": "{task}"}}]},
                {"kind": "difficulty"}]},
            {"kind": "questionnaire", "id": "end", "title": "Last {words}", "items": [
                {"id": "fun", "text": "Choose 3.", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "no", "max_label": "yes"}}]}]
    })
}

#[test]
fn levels_are_filled_in_and_people_get_the_parts_of_their_cell() {
    let study = check(&crossed().to_string(), &around()).unwrap().study;
    let ids: Vec<&str> = study.leaves().iter().filter_map(|part| part.id()).collect();
    assert_eq!(
        ids,
        [
            "interactive-circles",
            "exemplars-circles",
            "interactive-sinelines-ae5",
            "exemplars-sinelines-ae5",
            "end"
        ]
    );
    let mut rng = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(1);
    let [_, cell] = study.design.cells().try_into().unwrap();
    assert_eq!(cell.name, "exemplars");
    let arrival = crate::study::draw::DrawRequest {
        cell,
        ..crate::testing::arrival()
    };
    let (models, texts) = (around().0, crate::testing::NamedTexts);
    let drawn = crate::study::draw::draw(&study, "00", arrival, &models, &texts, &mut rng).unwrap();
    let mut stages: Vec<(&str, &str)> = drawn
        .plan
        .stages
        .iter()
        .map(|stage| (stage.id.as_str(), stage.levels["model"].as_str()))
        .collect();
    stages.sort_unstable();
    assert_eq!(
        stages,
        [
            ("exemplars-circles", "circles"),
            ("exemplars-sinelines-ae5", "sinelines-ae5")
        ]
    );
    assert_eq!(drawn.plan.cell["task"], "exemplars");
    let last = drawn.plan.parts.last().unwrap();
    let crate::session::plan::PartPlan::Questionnaire { questionnaire, .. } = last else {
        panic!("{last:?}");
    };
    assert_eq!(questionnaire.title, "Last {words}");
}

#[test]
fn problems_with_a_design_are_told_at_their_place_in_the_authors_file() {
    check_changes(
        &crossed(),
        r#"
        /parts/0/for_each/0 = "modle"
            parts[0].for_each[0]: found 'modle'; the name of a factor that varies within people; did you mean 'model'?
            parts[0].parts[0].parts[0].id: found 'interactive-{model}'; lower-case letters, digits and '-', 1 to 64 characters
            parts[0].parts[0].parts[0].task.model: found '{model}'; there is no such model; one of: circles, sinelines-ae5
            parts[0].parts[1].parts[0].id: found 'exemplars-{model}'; lower-case letters, digits and '-', 1 to 64 characters
            parts[0].parts[1].parts[0].task.model: found '{model}'; there is no such model; one of: circles, sinelines-ae5
        /parts/0/parts/1/parts/0/task/model = "{model}x"
            parts[0].parts[1].parts[0].task.model: found 'circlesx'; there is no such model; did you mean 'circles'?
            parts[0].parts[1].parts[0].task.model: found 'sinelines-ae5x'; there is no such model; did you mean 'sinelines-ae5'?
        /parts/0/parts/0/only_if = {"tsk": ["interactive"]}
            parts[0].parts[0].only_if: found 'tsk'; it is not among the factors of the study's 'design'; did you mean 'task'?
            parts[0].parts[1].parts[0].id: found 'exemplars-circles' a second time; a name of its own for each part
            parts[0].parts[1].parts[0].id: found 'exemplars-sinelines-ae5' a second time; a name of its own for each part
        /design/assignment/caps = {"exemplar": 3, "interactive": 0}
            design.assignment.caps.exemplar: found 'exemplar'; there is no such cell; did you mean 'exemplars'?
            design.assignment.caps.interactive: found 0; at least 1; a cell can be paused
        /design/factors/1/levels/1 = "circles"
            design.factors[1].levels[1]: found 'circles' a second time; each name once
            parts[0].parts[0].parts[0].id: found 'interactive-circles' a second time; a name of its own for each part
            parts[0].parts[1].parts[0].id: found 'exemplars-circles' a second time; a name of its own for each part
        /inclusion/0/answer/item = "fan"
            inclusion[0].answer.item: found 'fan'; there is no such item; one of: fun"#,
    );
}

/// The problems with the items of a questionnaire that has one more.
#[track_caller]
fn check_item(item: Value, expected: &[&str]) {
    let mut study = good();
    let items = study.pointer_mut("/parts/5/items").unwrap();
    items.as_array_mut().unwrap().push(item);
    assert_eq!(problems_of(&study), expected);
}

/// The same of each case of a table, whose JSON makes the item.
#[track_caller]
fn check_items(item: &dyn Fn(Value) -> Value, table: &str) {
    for (json, problems) in cases(table) {
        check_item(item(serde_json::from_str(json).unwrap()), &problems);
    }
}

#[test]
fn items_that_nobody_could_answer_are_found() {
    let item = |answer: Value| json!({"id": "x", "text": "?", "answer": answer});
    check_items(
        &item,
        r#"
        {"kind": "slider", "min": 5, "max": 5, "min_label": "", "max_label": ""}
            parts[5].items[2].answer: found a slider from 5 to 5 in steps of 1; min below max
        {"kind": "text", "max_length": 9000}
            parts[5].items[2].answer.max_length: found 9000; 1 to 5000
        {"kind": "date", "min": "2026-02-30"}
            parts[5].items[2].answer.min: found '2026-02-30'; a day such as 2026-11-22
        {"kind": "matrix", "points": ["a"], "rows": []}
            parts[5].items[2].answer.points: found 1 of them; 2 to 11 points
            parts[5].items[2].answer.rows: found an empty list; at least one row
        {"kind": "choice", "options": ["a", "b"], "at_most": 1}
            parts[5].items[2].answer: found a number of options where one is chosen; 'several': true beside it
        {"kind": "ranking", "options": ["a", "b"], "top": 3}
            parts[5].items[2].answer.top: found 3; 1 to 2, the number of options
        {"kind": "dropdown", "options": ["a", {"id": "o", "text": "Other", "describe": "required"}]}
            parts[5].items[2].answer.options: found a text field beside an option of a menu; 'choice', whose options are all in sight
        {"kind": "slidr"}
            parts[3].skips[0].to.part: found 'end'; there is no such part; one of: practice, first, second, single, rest
            parts[5].items[2].answer.kind: found 'slidr'; did you mean 'slider'?"#,
    );
}

#[test]
fn conditions_on_items_refer_to_answers_that_can_be_given() {
    let item =
        |rule: Value| json!({"id": "x", "text": "?", "answer": {"kind": "text"}, "show_if": rule});
    check_items(
        &item,
        r#"
        {"item": "fun", "at_least": 4}
        {"item": "fan", "is": 4}
            parts[5].items[2].show_if.item: found 'fan'; the name of an item that comes before on this page; one of: fun, words
        {"item": "fun", "is": 9}
            parts[5].items[2].show_if.is: found 9; 9 is not between 1 and 5
        {"item": "words", "at_least": 9}
            parts[5].items[2].show_if: found a bound on 'words', whose answer is no number; 'is' or 'is_not'
        {"item": "fun"}
            parts[5].items[2].show_if: found nothing to compare with; 'is', 'is_not', 'at_least' or 'at_most'"#,
    );
}

#[test]
fn right_answers_and_attempts_belong_together() {
    let mut right = json!({"id": "x", "text": "?", "answer": {"kind": "number"}, "right": 3});
    check_item(right.clone(), &[]);
    right["right"] = json!("three");
    check_item(
        right,
        &["parts[5].items[2].right: found \"three\"; a number was expected"],
    );
    check_changes(
        &good(),
        r#"
        /parts/5/attempts = 2
            parts[5].attempts: found attempts at a page without right answers; at least one item with 'right', or no 'attempts'
        /parts/5/wrong_answer = "screen_out"
            parts[5].wrong_answer: found a rule for wrong answers; 'attempts' beside it: without, nothing is told and nothing comes of them"#,
    );
}

#[test]
fn a_time_limit_leaves_time_to_ask_for_more() {
    let limit = |after_s: u32, warn_s: u32, problems: &[&str]| {
        let limit = json!({"after_s": after_s, "warn_s": warn_s, "then": "go_on"});
        check_change("/parts/5/time_limit", limit, problems);
    };
    limit(60, 20, &[]);
    limit(
        60,
        5,
        &["parts[5].time_limit.warn_s: found 5; at least 20 is needed"],
    );
    limit(
        10,
        20,
        &[
            "parts[5].time_limit.after_s: found 10; at least 30 is needed",
            "parts[5].time_limit.warn_s: found 20; less than after_s",
        ],
    );
}

#[test]
fn a_block_is_a_questionnaire_with_words_that_may_be_others() {
    let with = |block: Value| {
        let mut study = good();
        study["parts"].as_array_mut().unwrap().push(block);
        check(&study.to_string(), &around())
    };
    let said = |block: Value| -> Vec<String> {
        let problems = with(block).unwrap_err();
        problems.iter().map(ToString::to_string).collect()
    };
    let study =
        with(json!({"block": "nasa-tlx", "id": "tlx_2", "title": "Wie anstrengend war das?"}))
            .unwrap();
    let crate::study::Part::Questionnaire(part) = &study.study.parts[6] else {
        panic!("a block is a questionnaire");
    };
    let page = &part.questionnaire;
    assert!(part.about_last_stage);
    assert_eq!((page.id.as_str(), page.items.len()), ("tlx_2", 6));
    assert_eq!(page.title, "Wie anstrengend war das?".into());
    for block in crate::questionnaire::Block::ALL {
        assert!(
            with(json!({"block": block.name()})).is_ok(),
            "{}",
            block.name()
        );
    }
    assert_eq!(
        said(json!({"block": "nasatlx"})),
        ["parts[6].block: found \"nasatlx\"; there is no such block; did you mean 'nasa-tlx'?"]
    );
    let other = json!([{"id": "seq", "text": "?", "answer": {"kind": "text"}}]);
    assert_eq!(
        said(json!({"block": "seq", "items": other})),
        [
            "parts[6].items: found items that differ from the block's in name, kind, or points; the items of 'seq' (seq), whose words alone may be others"
        ]
    );
}

#[test]
fn texts_that_are_missing_in_a_language_are_named_with_their_place() {
    let mut study = good();
    study["languages"] = json!(["en", "de"]);
    study["title"] = json!({"en": "A study", "de": "Eine Studie"});
    study["parts"] = json!([
        {"kind": "consent", "file": "consent.md", "investigator": {"*": "A. B."}, "contact": {"en": "a"}, "duration_minutes": 5},
        {"kind": "stage", "id": "one", "task": {"kind": "reconstruction", "model": "circles", "questions": 1}},
        {"kind": "questionnaire", "id": "end", "title": {"en": "Last", "dee": "Ende"}, "items": [
            {"id": "fun", "text": "Was it fun?", "answer": {"kind": "choice", "options": ["1", "2–3", "many"]}}]},
        {"block": "demographics"}]);
    let advice = "words in each of the study's languages, { \"en\": …, \"de\": … }; under \"*\" what is the same in every other";
    let found = problems_of(&study);
    assert_eq!(
        found,
        [
            format!(
                "parts[0].contact: found no text in: de, and neither at 3 other places: parts[2].title, parts[2].items[0].text, parts[2].items[0].answer.options[2].text; {advice}"
            ),
            "parts[0].file: found 'consent.md' in 'de': 'consent.de.md'; there is no such file beside the study".into(),
            "parts[2].title: found a text in 'dee'; the study's languages are: en, de".into(),
        ]
    );
    check_change(
        "/languages",
        json!(["en", "fr", "en"]),
        &[
            "languages[1]: found 'fr'; the app's own texts come in: en, de, es",
            "languages[2]: found 'en' a second time; each once",
        ],
    );
}
