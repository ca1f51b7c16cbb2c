//! Options of stages and of reconstruction that do not go together.

use super::*;

/// The settings of the stage of sinelines, changed, and what is said about them. The model has
/// two dials.
fn check_all_settings(table: &str) {
    for (settings, expected) in cases(table) {
        let mut study = good();
        let settings: Value = serde_json::from_str(settings).unwrap();
        for (name, value) in settings.as_object().unwrap() {
            study["templates"]["sines"]["task"][name] = value.clone();
        }
        // The template is used twice; its first use is looked at.
        let found = problems_of(&study);
        let of_first = found
            .iter()
            .filter_map(|text| text.strip_prefix("parts[3].parts[0].task."));
        assert_eq!(of_first.collect::<Vec<_>>(), expected, "{settings}");
    }
}

#[test]
fn options_that_contradict_each_other_are_found() {
    let together = json!({"stop": "declared", "feedforward": "filmstrip", "shown_dials": {"drawn": 1},
        "dial_order": "shuffled", "start": "centre", "undo": true, "randomise": true,
        "distinct_targets": true, "hidden_dials_at": "mean", "inactive_after_s": 5,
        "minimum_latency_ms": 1000});
    check_all_settings(&format!("\n{together}"));
    check_all_settings(
        r#"
        {"minimum_latency_ms": 1001}
            minimum_latency_ms: found 1001; at most 1000 is allowed
        {"shown_dials": {"first": 3}}
            shown_dials.first: found 3; 1 to 2, as many as the model has
        {"shown_dials": {"these": [0, 0]}}
            shown_dials.these: found [0, 0]; different dimensions of the model, from 0 to 1
        {"shown_dials": {"drawn": 1}, "same_for_all": {"seed": 1}}
            shown_dials.drawn: found dials drawn for each person, beside questions that are the same for all; 'these' or 'first': the questions depend on which dials are not shown
        {"question_order": "shuffled"}
            question_order: found an order of questions that are drawn for each person; 'items' or 'same_for_all', or no order
        {"same_for_all": {"seed": 1, "strata": 6}}
            same_for_all.strata: found 6; at most the number of questions, 5
        {"skip": "always", "skip_after_s": 3}
            skip_after_s: found a time after which questions can be skipped, beside 'skip'; only one of the two, or 'skip': 'after_active'
        {"feedforward": "film"}
            feedforward: found "film"; did you mean 'filmstrip'?"#,
    );
}

#[test]
fn items_must_fit_the_dials_that_are_shown() {
    let with = |field: &str, value: Value| {
        let mut study = good();
        study["parts"][2]["task"][field] = value;
        check(&study.to_string(), &around()).unwrap_err()[0].to_string()
    };
    assert_eq!(
        with("shown_dials", json!({"first": 1})),
        "parts[2].task.items[0].start[1]: found 0; 0.3, as in the target: this dial is not shown, so it cannot be moved there"
    );
    assert_eq!(
        with("start", json!("centre")),
        "parts[2].task.start: found a rule for questions that are drawn, beside 'items'; leave it out: the items say it"
    );
    assert_eq!(
        with("same_for_all", json!({"seed": 1})),
        "parts[2].task.same_for_all: found a draw that is the same for all, beside 'items'; only one of the two"
    );
}

#[test]
fn limits_are_times_and_staircases_have_none() {
    check_change(
        "/parts/2/limit",
        json!({"minutes": 0}),
        &["parts[2].limit.minutes: found 0; at least 0.05 is needed"],
    );
    let mut study = good();
    study["parts"][3] = json!({"kind": "group", "next": {
        "rule": "staircase", "up_after": 1, "down_after": 1, "questions": 5}, "parts": [
        {"kind": "stage", "id": "end-1", "limit": {"minutes": 1}, "task": {
            "kind": "single_dimension", "model": "circles", "visualisation": "exemplars"}}]});
    let problems = check(&study.to_string(), &around()).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "parts[3].parts[0].limit: found a limit on a stage; leave it out: a rule for what comes next ends with its number of questions"
    );
}

#[test]
fn a_level_can_stand_for_a_number() {
    let mut study = json!({
        "format": 2, "id": "numbers", "title": "Numbers",
        "design": {"factors": [{"name": "dials", "levels": ["1", "2"], "varies": "within"}]},
        "parts": [{"kind": "group", "for_each": ["dials"], "parts": [
            {"kind": "stage", "id": "with-{dials}", "task": {"kind": "reconstruction",
                "model": "circles", "questions": 1, "shown_dials": {"first": "{dials:number}"}}}]}]
    });
    let read = check(&study.to_string(), &around()).unwrap().study;
    let shown: Vec<String> = read
        .leaves()
        .iter()
        .map(|part| serde_json::to_value(part).unwrap()["task"]["shown_dials"].to_string())
        .collect();
    assert_eq!(shown, [r#"{"first":1}"#, r#"{"first":2}"#]);
    study["design"]["factors"][0]["levels"] = json!(["one", "2"]);
    assert!(check(&study.to_string(), &around()).is_err());
}

#[test]
fn a_look_at_the_device_needs_something_and_its_model_goes_with_its_limit() {
    let mut study = good();
    let parts = study["parts"].as_array_mut().unwrap();
    let fine = json!({"kind": "device_check", "id": "device", "model": "sinelines-ae5",
        "needs": {"pointer": "fine", "min_width_px": 1000, "max_decode_ms": 33}});
    parts.insert(1, fine);
    check(&study.to_string(), &around()).unwrap();
    check_changes(
        &study,
        r#"
        /parts/1/model = "sinelines-ae6"
            parts[1].model: found 'sinelines-ae6'; there is no such model; did you mean 'sinelines-ae5'?
        /parts/1/model = null
            parts[1].model: found no model, and 'max_decode_ms'; the model that is decoded to see how fast: the slowest of the study
        /parts/1/needs = {}
            parts[1].model: found 'sinelines-ae5', and no 'max_decode_ms'; both or none
            parts[1].needs: found nothing; one at least of 'pointer', 'min_width_px', 'min_picture_px' and 'max_decode_ms'"#,
    );
}

/// An attention check among the lines of the NASA-TLX: the page has it, and the score is that of the six subscales.
#[test]
fn a_block_takes_items_of_ones_own() {
    let mut study = good();
    let own = json!({"id": "attention", "text": "Mark the far right.", "right": 20,
        "answer": {"kind": "gradations", "min_label": "low", "max_label": "high"}});
    let parts = study["parts"].as_array_mut().unwrap();
    parts.push(json!({"block": "nasa-tlx", "also": [own]}));
    let checked = check(&study.to_string(), &around()).unwrap().study;
    let leaves = checked.leaves();
    let Some(crate::study::Part::Questionnaire(page)) = leaves.last() else {
        panic!("no page");
    };
    let page = &page.questionnaire;
    assert_eq!(
        (page.items.len(), page.items[6].id.as_str()),
        (7, "attention")
    );
    let answers = |of_attention: i64| {
        let answer = |id: &str| if id == "attention" { of_attention } else { 12 };
        let answers = page.items.iter();
        let answers = answers.map(|it| {
            (
                it.id.clone(),
                crate::questionnaire::Answer::Number(answer(&it.id)),
            )
        });
        answers.collect()
    };
    let score = crate::questionnaire::Score::RawTlx;
    assert_eq!(
        (score.of(&answers(20)), score.of(&answers(3))),
        (Some(60.0), Some(60.0))
    );
    let place = format!(
        "/parts/{}/also",
        study["parts"].as_array().unwrap().len() - 1
    );
    let at = place
        .trim_start_matches("/parts/")
        .trim_end_matches("/also");
    let not_a_list = format!("parts[{at}].also: found a field that is not known; one of:");
    *study.pointer_mut(&place).unwrap() = json!("attention");
    let problems = check(&study.to_string(), &around()).unwrap_err();
    assert!(
        problems[0].to_string().starts_with(&not_a_list),
        "{problems:?}"
    );
}
