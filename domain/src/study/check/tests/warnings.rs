//! Studies that can be used as they are, and what their authors most likely did not mean.

use super::*;

/// The warnings about a study, which has no mistakes.
fn warnings_of(study: &Value) -> Vec<String> {
    let checked = check(&study.to_string(), &around()).unwrap();
    checked.warnings.iter().map(ToString::to_string).collect()
}

/// A study with two stages, about which there is nothing to say.
pub(super) fn calm() -> Value {
    let stage = |id: &str| {
        json!({"kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": "sinelines-ae5", "questions": 4}})
    };
    json!({
        "format": 2, "id": "my-study", "title": "A study",
        "parts": [
            {"kind": "consent", "file": "consent.md", "investigator": "A. B.", "contact": "a@b.example",
             "duration_minutes": 30, "pay": "You get £3.75."},
            {"kind": "tutorial", "task": "reconstruction"},
            {"kind": "stage", "id": "practice", "practice": true, "task": {
                "kind": "reconstruction", "model": "circles", "questions": 1}},
            stage("a"),
            {"kind": "difficulty"},
            stage("b"),
            {"kind": "difficulty"}],
        "pay": {"currency": "GBP", "amount": "3.75"}
    })
}

/// Each change of a table alone, and the beginning of each warning that it brings.
#[track_caller]
fn check_warnings(table: &str) {
    for (changes, expected) in cases(table) {
        let mut study = calm();
        change(&mut study, changes);
        let found = warnings_of(&study);
        let fits = found.len() == expected.len()
            && found
                .iter()
                .zip(&expected)
                .all(|(found, expected)| found.starts_with(expected));
        assert!(fits, "{changes}\nexpected {expected:#?}\nfound {found:#?}");
    }
}

#[test]
fn a_usual_study_has_no_warnings() {
    assert!(warnings_of(&calm()).is_empty());
}

#[test]
fn time_and_pay_are_what_the_consent_form_says() {
    check_warnings(
        r#"
        /pay/amount = "4.00"
            pay.amount: 4.00 GBP are paid, and the consent form says 'You get £3.75.'
        /parts/0/pay = "Course credit"
        /parts/0/pay = null
            pay: 3.75 GBP are paid, and the consent form says nothing of pay
        /pay/withdrawn = "1.00" and /pay/excluded = "3.75"
            pay.withdrawn: 1.00 GBP are paid to people who stop before the end, and 'pay' of the consent form does not say so ('You get £3.75.'): people agree to what they read
        /pay/attention_checks_failed = "0.00" and /parts/0/pay = "You get £3.75; £0.00 if you miss two attention checks."
        /time_limit = {"minutes": 20}
            time_limit.minutes: people have 20 minutes, and the consent form says that it takes 30
        /design = {"assignment": {"lease_minutes": 25}}
            design.assignment.lease_minutes: a slot is given to somebody else after 25 minutes, and the consent form says that the study takes 30: cells would be filled twice. Make it longer, say 60
        /design = {"assignment": {"cap": 10}} and /parts/0/duration_minutes = 180
            design.assignment.lease_minutes: a slot is given to somebody else after 120 minutes
        /design = {"assignment": {"lease_minutes": 30, "cap": 4}}"#,
    );
}

#[test]
fn platforms_fit_the_study() {
    check_warnings(
        r#"
        /mode = "lab" and /recruitment = [{"platform": "prolific", "codes": {"COMPLETED": "C1"}}]
            recruitment[0]: people of Prolific are at home, and the study is one for a lab
        /recruitment = [{"platform": "prolific", "codes": {"COMPLETED": "C1", "NO_CONSENT": "C1", "FIXED_SCREENOUT": "C2"}}]
            recruitment[0].codes: COMPLETED and NO_CONSENT have the same code 'C1'
        /not_after = ["my-pilto"]
            not_after[0]: no study named 'my-pilto' lies beside this one; did you mean 'my-pilot'?
        /not_after = ["my-pilot"]"#,
    );
}

#[test]
fn people_are_taught_and_asked_about_each_stage() {
    check_warnings(
        r#"
        /parts/0 = {"kind": "break", "id": "rest"} and /pay = null
            parts: nobody agrees to anything: the study has no consent form.
        /parts/0 = {"kind": "break", "id": "rest"} and /mode = "lab" and /pay = null
        /parts/1 = {"kind": "break", "id": "rest"}
            parts[3]: nobody has been shown what to do: there is no tutorial of 'reconstruction' before this stage.
        /parts/2 = {"kind": "break", "id": "rest"}
            parts[3]: people learn how 'reconstruction' goes in questions that count: there is no practice
        /parts/5 = {"kind": "group", "order": "random", "take": 1, "parts": [{"kind": "stage", "id": "b", "task": {"kind": "reconstruction", "model": "sinelines-ae5", "questions": 4}}, {"kind": "stage", "id": "c", "task": {"kind": "reconstruction", "model": "sinelines-ae5", "questions": 4}}]}
        /parts/5 = {"kind": "group", "order": "random", "parts": [{"kind": "stage", "id": "b", "task": {"kind": "reconstruction", "model": "sinelines-ae5", "questions": 4}}, {"kind": "stage", "id": "c", "task": {"kind": "reconstruction", "model": "sinelines-ae5", "questions": 4}}]}
            parts[5].parts[0]: 'difficulty' is asked after other stages
        /parts/4 = {"kind": "break", "id": "rest"}
            parts[3]: 'difficulty' is asked after other stages of 'reconstruction' and not after this one
        /parts/4 = {"block": "nasa-tlx", "about_last_stage": false} and /parts/6 = {"kind": "break", "id": "rest"}
            parts[4]: it stands between two stages, and the data will not say which of them it is about.
        /parts/4 = {"kind": "break", "id": "rest"} and /parts/6 = {"block": "nasa-tlx", "about_last_stage": false}
        /parts/4 = {"block": "nasa-tlx"} and /parts/6 = {"kind": "break", "id": "rest"}
            parts[5]: 'nasa-tlx' is asked after other stages
        /parts/3/task/show_alignment = false
        /parts/3/task/show_alignment = false and /parts/3/task/skip = "never"
            parts[3].task.show_alignment: people do not see how near they are, and cannot go on
        /parts/3/task/show_alignment = false and /parts/3/task/skip = "never" and /parts/3/task/stop = "declared""#,
    );
}

#[test]
fn designs_and_caps_fit_together() {
    check_warnings(
        r#"
        /design = {"factors": [{"name": "light", "levels": ["dim", "bright"]}]}
            design.factors[0]: nothing depends on 'light', and there are 2 times as many cells for it: no part has {light} in its texts
        /design = {"factors": [{"name": "light", "levels": ["dim", "bright"], "varies": "within"}]}
            design.factors[0]: nothing depends on 'light': no part
        /design = {"factors": [{"name": "light", "levels": ["dim", "bright"], "varies": "link"}]}
        /design = {"factors": [{"name": "light", "levels": ["dim", "bright"]}]} and /parts/4 = {"kind": "break", "id": "rest-{light}"} and /parts/6 = {"kind": "break", "id": "rest"}
        /design = {"assignment": {"cap": 4}} and /parts/4 = {"kind": "group", "order": "latin_square", "parts": [{"kind": "break", "id": "x"}, {"kind": "break", "id": "y"}, {"kind": "break", "id": "z"}]} and /parts/6 = {"kind": "break", "id": "rest"}
            parts[4].order: its orders are even over 3 people of a cell, and a cell takes 4: some orders come more often than others. Take 6 people
        /design = {"assignment": {"cap": 6}} and /parts/4 = {"kind": "group", "order": "latin_square", "parts": [{"kind": "break", "id": "x"}, {"kind": "break", "id": "y"}, {"kind": "break", "id": "z"}]} and /parts/6 = {"kind": "break", "id": "rest"}
        /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within", "people": 30} and /design = {"assignment": {"cap": 20}}
            analysis.people: the plan waits for 30 people, and 'design.assignment.cap' lets in 20
        /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within", "people": 30} and /design = {"assignment": {"most_sessions": 20}}
            analysis.people: the plan waits for 30 people, and 'design.assignment.most_sessions' lets in 20
        /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within", "people": 30} and /design = {"assignment": {"cap": 40}}
        /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within", "people": 30} and /design = {"assignment": {"cap": 40, "counts": "included"}}
            analysis.people: the plan waits for 30 people, and the caps let 40 in who count"#,
    );
}

/// From the second step on each reversal takes two right answers or a wrong one.
#[test]
fn staircases_that_cannot_settle_are_warned_of() {
    let mut study = calm();
    let stage = study["parts"][5].clone();
    let mut easier = stage.clone();
    easier["id"] = json!("easier");
    study["parts"][5] = json!({"kind": "group", "parts": [easier, stage], "next": {
        "rule": "staircase", "up_after": 2, "down_after": 1, "questions": 8, "reversals": 4}});
    let staircase = |field: &str, value: u32| {
        let mut study = study.clone();
        study["parts"][5]["next"][field] = json!(value);
        let found = warnings_of(&study).into_iter();
        found
            .filter(|it| it.contains("reversals"))
            .collect::<Vec<_>>()
    };
    assert_eq!(staircase("reversals", 4), [""; 0]);
    let never = staircase("questions", 6);
    assert!(
        never[0].starts_with("parts[5].next.reversals: 4 reversals take at least 7 questions"),
        "{never:?}"
    );
    let none = staircase("reversals", 2);
    assert!(
        none[0].starts_with("parts[5].next.reversals: with 2 reversals there is no threshold"),
        "{none:?}"
    );
}

/// With four questions for everybody, df are those of four questions, with 10 people or 1,000.
#[test]
fn a_mixed_model_of_fixed_questions_is_warned_of() {
    check_warnings(
        r#"
        /parts/5/task/same_for_all = {"seed": 1} and /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within"}
        /parts/5/task/same_for_all = {"seed": 1} and /analysis = {"metrics": ["completion_rate"], "conditions_vary": "within", "test": "mixed_model"}
            analysis.test: everybody gets the same 4 questions of stage 'b'.
        /analysis = {"metrics": ["error_auc_change"], "conditions_vary": "within", "test": "mixed_model"}
            analysis.metrics[0]: 'error_auc_change' is one number of a person and condition"#,
    );
}

/// The warnings of a part that stands once for each level are said once.
#[test]
fn places_are_those_of_the_authors_file() {
    let mut study = calm();
    study["design"] = json!({"factors": [{"name": "light", "levels": ["dim", "bright"]}]});
    study["parts"][3] = json!({"kind": "stage", "id": "a-{light}", "task": {
        "kind": "reconstruction", "model": "sinelines-ae5", "questions": 4,
        "show_alignment": false, "skip": "never"}});
    let found = warnings_of(&study);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].starts_with("parts[3].task.show_alignment: "),
        "{found:#?}"
    );
}

/// Format 1 had no tutorials to leave out.
#[test]
fn first_format_is_warned_of_at_its_own_places() {
    let found = warnings_of(&good_of_format_1());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_field_that_stands_there_twice_is_a_mistake() {
    let text = calm().to_string().replacen(
        r#""title":"A study""#,
        r#""title":"A","title":"A study""#,
        1,
    );
    let problems = check(&text, &around()).unwrap_err();
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["title: found this field a second time; each field once: the first one would not count"]
    );
}

#[test]
fn bounds_that_no_answer_reaches_are_mistakes() {
    let page = |rule: Value| {
        let mut study = calm();
        study["parts"][6] = json!({"kind": "questionnaire", "id": "care", "title": "T", "items": [
            {"id": "seven", "text": "?", "answer": {
                "kind": "scale", "min": 1, "max": 7, "min_label": "", "max_label": ""}}]});
        study["parts"][4] = json!({"kind": "break", "id": "rest"});
        study["inclusion"] = json!([{"rule": "attention_check", "answer": rule}]);
        problems_of(&study)
    };
    let about = |more: Value| {
        let mut rule = json!({"questionnaire": "care", "item": "seven"});
        rule.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        rule
    };
    assert_eq!(
        page(about(json!({"at_least": 9}))),
        [
            "inclusion[0].answer.at_least: found 9, which no answer to 'seven' reaches; at most 7, the end of its answers"
        ]
    );
    assert_eq!(
        page(about(json!({"at_most": 0}))),
        [
            "inclusion[0].answer.at_most: found 0, which no answer to 'seven' reaches; at least 1, the end of its answers"
        ]
    );
    assert_eq!(page(about(json!({"at_least": 7}))), [""; 0]);
    let mut several = calm();
    several["inclusion"] = json!([{"rule": "attention_checks", "failed_at_most": 1,
        "answers": [about(json!({"at_least": 7}))]}]);
    let said = problems_of(&several);
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].starts_with("inclusion[0].answers[0]"), "{said:#?}");
    assert!(
        said[1].starts_with("inclusion[0].failed_at_most: found 1; less than 1"),
        "{said:#?}"
    );
}

/// Each mistake is said once, in words, with nothing that follows from it.
#[test]
fn mistakes_of_form_are_said_in_words() {
    check_changes(
        &calm(),
        r#"
        /title = 5
            title: found 5; a text is needed
        /parts/3/task/questions = 2.5
            parts[3].task.questions: found 2.5; a whole number is needed
        /parts/3/task/shown_dials = 2
            parts[3].task.shown_dials: found 2; an object, { … }, is needed
        /parts = {}
            parts: found {}; a list, [ … ], is needed
        /inclusion = [{"rule": "solved_atleast", "questions": 1}]
            inclusion[0].rule: found 'solved_atleast'; did you mean 'solved_at_least'?
        /inclusion = [{"rule": "practice_right", "questions": 1}]
            inclusion[0].questions: found a field that is not known; one of: rule
        /recruitment = [{"platform": "prolifik"}]
            recruitment[0].platform: found 'prolifik'; did you mean 'prolific'?
        /recruitment = [{"platform": "prolific", "codes": {"COMPLETE": "X"}}]
            recruitment[0].codes.COMPLETE: found a field that is not known; did you mean 'COMPLETED'?
        /parts/6 = {"kind": "group", "parts": [{"kind": "break", "id": "x"}], "skips": [{"when": {"wrong_at_least": 3}, "to": "end_of_grup"}]}
            parts[6].skips[0].to: found "end_of_grup"; did you mean 'end_of_group'?
        /parts/6 = {"kind": "group", "parts": [{"kind": "break", "id": "x"}], "skips": [{"when": {"wrong": 3}, "to": "end_of_group"}]}
            parts[6].skips[0].when.wrong: found a field that is not known; did you mean 'wrong_at_least'?
        /parts/6 = {"template": "t"}
            parts[6].template: found 't'; there is no such template; there is nothing to choose from
        /parts/5/task = {"kind": "reconstruction", "model": "circles", "items": [{"start": [9, 0], "target": [0.5, 0.5]}]}
            parts[5].task.items[0].start: found [9.0, 0.0]; dimension 0 is 9, and takes numbers from 0 to 1
        /parts/5/task = {"kind": "reconstruction", "model": "circles", "items": [{"start": [0], "target": [0.5, 0.5]}]}
            parts[5].task.items[0].start: found [0.0]; 2 numbers are needed, one for each dimension; there are 1"#,
    );
}
