//! Comprehension questions and attention checks: right answers stay on the server.

use super::*;

fn parts(attempts: Value, wrong_answer: &str) -> Value {
    json!([
        {"kind": "questionnaire", "id": "quiz", "title": "Quiz", "attempts": attempts, "wrong_answer": wrong_answer, "items": [
            {"id": "goal", "text": "?", "right": "match", "answer": {"kind": "choice", "options": ["match", "draw"]}},
            {"id": "dials", "text": "?", "right": 5, "answer": {"kind": "number"}}]},
        {"kind": "questionnaire", "id": "end", "title": "End", "items": [
            {"id": "words", "text": "?", "answer": {"kind": "text"}, "optional": true}]}
    ])
}

fn quiz(goal: &str, dials: i64) -> Event {
    Event::QuestionnaireAnswered {
        questionnaire: "quiz".into(),
        answers: [
            ("goal".to_owned(), Answer::Text(goal.into())),
            ("dials".to_owned(), Answer::Number(dials)),
        ]
        .into(),
        time_over: false,
    }
}

fn told(wrong: &[&str]) -> Event {
    Event::CheckReceived {
        part: 0,
        wrong: wrong.iter().map(|&item| item.to_owned()).collect(),
    }
}

/// A run on the server's side.
fn run(wrong_answer: &str) -> Run {
    let mut run = Run::new(parts(json!(2), wrong_answer));
    run.session = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    run
}

#[test]
fn right_answers_do_not_reach_the_browser() {
    let drawn = drawn(parts(json!(2), "nothing"));
    let sent = serde_json::to_string(&drawn.plan).unwrap();
    assert!(!sent.contains("right"), "{sent}");
    let kept = drawn.keys.of_part(0).unwrap();
    assert_eq!(kept["dials"], Answer::Number(5));
    assert_eq!(drawn.keys.of_part(1), None);
}

#[test]
fn a_wrong_answer_is_told_and_the_page_asked_again() {
    let mut run = run("nothing");
    run.ok(quiz("draw", 5));
    assert_eq!(run.session.phase(), Phase::AwaitingVerdicts { part: 0 });
    assert_eq!(run.session.without_check(), Some(0));
    assert_eq!(run.refused(told(&[])), Refusal::FalseCheck);
    run.ok(told(&["goal"]));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 0 });
    assert_eq!(run.session.wrong_before(), ["goal"]);
    run.ok(quiz("match", 5));
    run.ok(told(&[]));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
    assert_eq!(run.session.attempts_of(0), 2);
    // A reader of the log without the keys comes to the same place.
    let replayed = Session::new(run.drawn.plan.clone())
        .replayed(&run.log)
        .unwrap();
    assert_eq!(replayed.phase(), run.session.phase());
    assert_eq!(replayed.wrong_before(), [""; 0]);
}

#[test]
fn after_the_last_attempt_the_study_goes_on_or_ends_as_it_says() {
    for (rule, phase) in [
        ("nothing", Phase::Questionnaire { part: 1 }),
        ("mark", Phase::Questionnaire { part: 1 }),
        ("screen_out", Phase::ScreenedOut),
    ] {
        let mut run = run(rule);
        for _ in 0..2 {
            run.ok(quiz("draw", 4));
            run.ok(told(&["goal", "dials"]));
        }
        assert_eq!(run.session.phase(), phase, "{rule}");
        assert_eq!(run.session.is_marked(), Some(rule != "nothing"), "{rule}");
    }
}

#[test]
fn a_check_is_told_once_and_only_of_answers_handed_in() {
    let mut run = run("nothing");
    assert!(matches!(run.refused(told(&[])), Refusal::NotNow { .. }));
    let given = |attempt| {
        let event = Event::CheckGiven {
            part: 0,
            attempt,
            wrong: vec!["dials".into()],
        };
        envelope(Author::Server, 0, 0, event)
    };
    assert!(run.session.clone().apply(&given(1)).is_err());
    run.ok(quiz("match", 4));
    assert!(run.session.clone().apply(&given(1)).is_ok());
    assert!(run.session.clone().apply(&given(2)).is_err());
    run.ok(told(&["dials"]));
    assert!(matches!(
        run.refused(told(&["dials"])),
        Refusal::NotNow { .. }
    ));
}

#[test]
fn an_attention_check_tells_nothing_and_stops_nobody() {
    let mut run = Run::new(parts(Value::Null, "nothing"));
    run.session = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    run.ok(quiz("draw", 5));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
    let answered = &run.session.answers()[0];
    assert_eq!(run.session.true_check(answered), ["goal"]);
    let right = Answer::Number(5);
    assert_eq!(run.session.right_answer(0, "dials"), Some(&right));
    assert_eq!(run.session.right_answer(1, "words"), None);
}

#[test]
fn a_simulated_participant_tries_other_answers_until_the_page_is_done() {
    let parts = json!([
        {"kind": "questionnaire", "id": "quiz", "title": "Quiz", "attempts": 5, "items": [
            {"id": "goal", "text": "?", "right": "c", "answer": {"kind": "choice", "options": ["a", "b", "c"]}}]},
        {"kind": "stage", "id": "play", "task": {"kind": "exploration", "model": "dials"}}
    ]);
    let drawn = drawn(parts);
    let key = drawn.keys.of_part(0).unwrap();
    let mut participant = crate::simulate::SimulatedParticipant::new(drawn.plan.clone(), 1, 2);
    let mut attempts = 0;
    loop {
        while participant.next().is_some() {}
        let Some(part) = participant.session().without_check() else {
            break;
        };
        attempts += 1;
        let answers = &participant.session().answers().last().unwrap().answers;
        let wrong = if answers["goal"] == key["goal"] {
            vec![]
        } else {
            vec!["goal".to_owned()]
        };
        participant.receive_check(part, wrong);
    }
    assert_eq!(
        (attempts, participant.session().phase()),
        (3, Phase::Complete)
    );
}
