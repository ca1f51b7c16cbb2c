//! Right answers: nobody learns one before the answer, and nobody can make one up.

use super::*;

fn single_dimension(extra: Value) -> Value {
    let mut stage = json!({"kind": "stage", "id": "s", "task": {
        "kind": "single_dimension", "model": "dials", "visualisation": "traversals"}});
    for (key, value) in extra.as_object().unwrap() {
        stage[key] = value.clone();
    }
    json!([stage])
}

/// A run on the server's side, which has the keys, at its first question.
fn started(parts: Value) -> Run {
    let mut run = Run::new(parts);
    let keys = run.drawn.keys.clone();
    run.session = Session::with_keys(run.drawn.plan.clone(), keys);
    run.ok(Event::StageStarted { stage: 0 });
    start(&mut run, 0);
    run
}

fn at(question: usize) -> QuestionRef {
    QuestionRef { stage: 0, question }
}

fn start(run: &mut Run, question: usize) {
    run.ok(Event::QuestionStarted { at: at(question) });
}

fn right_option(run: &Run, question: usize) -> usize {
    match &run.drawn.keys.questions[0][question] {
        AnswerKey::SingleDimension(key) => key.option,
        _ => panic!("the stage is one of single dimension"),
    }
}

fn answer(run: &mut Run, option: usize) {
    run.ok(S::Chosen { option });
    run.ok(S::Answered {
        option,
        confidence: 4,
        understanding: 2,
    });
}

#[test]
fn an_answer_is_measured_and_its_verdict_known_only_with_the_key() {
    let mut run = started(single_dimension(json!({})));
    assert_eq!(run.session.true_verdict(at(0)), None, "before the answer");
    let option = right_option(&run, 0);
    run.ok(S::MoreExamplesShown { set: 1 });
    answer(&mut run, option);
    let verdict = Verdict {
        option,
        right: true,
    };
    assert_eq!(run.session.true_verdict(at(0)), Some(verdict));
    let record = run.session.records().remove(0);
    let TaskMeasures::SingleDimension(measures) = record.measures else {
        panic!("the question is one of single dimension");
    };
    assert_eq!(measures.right, Some(true));
    assert_eq!(
        (measures.confidence, measures.understanding),
        (Some(4), Some(2))
    );
    assert_eq!((measures.more_examples, measures.options), (1, 3));
    // From the start: the examples after 0.5 s, the choice after 1 s, Continue after 1.5 s.
    assert_eq!(
        (measures.choice_time_s, record.response_time_s),
        (Some(1.0), 1.5)
    );
    // The browser has no key.
    let browser = Session::new(run.drawn.plan.clone())
        .replayed(&run.log)
        .unwrap();
    assert_eq!(browser.true_verdict(at(0)), None);
    assert_eq!(browser.records()[0].is_right(), None);
    assert_eq!(browser.without_verdict(), [at(0)]);
}

#[test]
fn a_verdict_that_is_early_or_false_is_refused() {
    let mut run = started(single_dimension(json!({})));
    let option = right_option(&run, 0);
    let received = |option, right| Event::VerdictReceived {
        at: at(0),
        verdict: Verdict { option, right },
    };
    assert_eq!(
        run.refused(received(option, true)),
        Refusal::VerdictTooEarly
    );
    let wrong = (option + 1) % 3;
    answer(&mut run, wrong);
    assert_eq!(run.refused(received(wrong, true)), Refusal::FalseVerdict);
    assert_eq!(run.refused(received(option, true)), Refusal::FalseVerdict);
    let shown = S::MovedOn {
        with_feedback: true,
    };
    assert!(
        matches!(run.refused(shown.clone()), Refusal::Task(_)),
        "nothing was received"
    );
    run.ok(received(option, false));
    run.ok(shown);
    assert_eq!(run.session.phase(), Phase::Ready(at(1)));
}

#[test]
fn without_the_server_the_participant_goes_on_and_the_log_says_so() {
    let mut run = started(single_dimension(json!({})));
    answer(&mut run, 0);
    run.ok(S::MovedOn {
        with_feedback: false,
    });
    assert_eq!(run.session.phase(), Phase::Ready(at(1)));
    // The verdict may still come later.
    let option = right_option(&run, 0);
    let verdict = run.session.true_verdict(at(0)).unwrap();
    run.ok(Event::VerdictReceived { at: at(0), verdict });
    assert_eq!(run.session.verdict(at(0)).map(|v| v.option), Some(option));
}

fn practice(wrong_answer: &str) -> Value {
    let items = json!([
        {"dimension": 0, "z": [0.0, 0.0], "answer": 0},
        {"dimension": 0, "z": [1.0, 1.0], "answer": 2},
        {"dimension": 0, "z": [0.4, 0.75], "answer": 1}]);
    let mut parts = single_dimension(json!({"practice": true, "wrong_answer": wrong_answer}));
    parts[0]["task"]["items"] = items;
    parts[0]["task"]["feedback"] = json!(false);
    parts
        .as_array_mut()
        .unwrap()
        .push(json!({"kind": "break", "id": "after"}));
    parts
}

/// Answers the three practice questions; `wrong` of them wrongly.
fn practised(wrong_answer: &str, wrong: usize) -> Run {
    let mut run = started(practice(wrong_answer));
    for question in 0..3 {
        if question > 0 {
            start(&mut run, question);
        }
        let right = right_option(&run, question);
        let option = if question < wrong {
            (right + 1) % 3
        } else {
            right
        };
        answer(&mut run, option);
        run.ok(S::MovedOn {
            with_feedback: false,
        });
    }
    run
}

#[test]
fn screening_out_waits_for_the_verdicts() {
    for (wrong, expected) in [(0, Phase::Break { part: 1 }), (1, Phase::ScreenedOut)] {
        let mut run = practised("screen_out", wrong);
        assert_eq!(run.session.phase(), Phase::AwaitingVerdicts { part: 0 });
        for question in run.session.without_verdict() {
            let verdict = run.session.true_verdict(question).unwrap();
            run.ok(Event::VerdictReceived {
                at: question,
                verdict,
            });
            if run.session.phase().is_end() {
                break;
            }
        }
        assert_eq!(run.session.phase(), expected);
    }
}

#[test]
fn a_mark_needs_no_verdict_and_stops_nobody() {
    for wrong in [0, 2] {
        let run = practised("mark", wrong);
        assert_eq!(run.session.phase(), Phase::Break { part: 1 });
        assert_eq!(run.session.is_marked(), Some(wrong > 0));
        let browser = Session::new(run.drawn.plan.clone())
            .replayed(&run.log)
            .unwrap();
        assert_eq!(browser.is_marked(), None, "the browser does not know");
    }
}
