//! Going back to a page, the time that a page may take, and letters that are drawn.

use super::*;
use crate::questionnaire::{Answers, NoAnswer};

fn page(id: &str) -> Value {
    json!({"kind": "questionnaire", "id": id, "title": "", "items": [
        {"id": "pet", "text": "?", "answer": {"kind": "choice", "options": ["cat", "dog"]}},
        {"id": "name", "text": "?", "answer": {"kind": "text"}, "optional": true}]})
}

fn answers(page: &str, pet: &str, name: Option<&str>, time_over: bool) -> Event {
    let mut answers: Answers = [("pet".to_owned(), Answer::Text(pet.into()))].into();
    answers.extend(name.map(|name| ("name".to_owned(), Answer::Text(name.into()))));
    Event::QuestionnaireAnswered {
        questionnaire: page.into(),
        answers,
        time_over,
    }
}

fn answer(page: &str, pet: &str) -> Event {
    answers(page, pet, None, false)
}

/// Three pages in a group, with a way past the second, and one outside.
fn group() -> Value {
    json!([
        page("before"),
        {"kind": "group", "back": true, "parts": [page("a"), page("b"), page("c")],
         "skips": [{"when": {"answer": {"questionnaire": "a", "item": "pet", "is": "dog"}},
                    "to": {"part": "c"}}]},
        page("after")
    ])
}

fn given(run: &Run) -> Vec<(usize, &str)> {
    let pet = |answers: &'_ Answers| match answers.get("pet") {
        Some(Answer::Text(pet)) if pet == "cat" => "cat",
        _ => "dog",
    };
    let answers = run.session.answers().iter();
    answers.map(|a| (a.part, pet(&a.answers))).collect()
}

#[test]
fn the_last_answers_count_and_the_log_keeps_all() {
    let mut run = Run::new(group());
    run.ok(answer("before", "cat"));
    // The first page of the group leads to nothing outside.
    assert_eq!(run.session.way_back(), None);
    run.refused(Event::WentBack { part: 0 });
    run.ok(answer("a", "cat"));
    run.ok(answer("b", "cat"));
    assert_eq!(run.session.way_back(), Some(2));
    run.refused(Event::WentBack { part: 1 });
    run.ok(Event::WentBack { part: 2 });
    run.ok(Event::WentBack { part: 1 });
    let before = run.session.answered_before().unwrap();
    assert_eq!(before.answers["pet"], Answer::Text("cat".into()));

    // A new answer is a change, the same one is none.
    run.ok(answers("a", "cat", Some("Tom"), false));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 2 });
    run.ok(answer("b", "dog"));
    run.ok(answer("c", "dog"));
    assert_eq!(
        given(&run),
        [(0, "cat"), (1, "cat"), (2, "dog"), (3, "dog")]
    );
    let revisions = |part: usize| {
        let mut answers = run.session.answers().iter();
        let of = answers.find(|a| a.part == part).unwrap();
        let of = of
            .revisions
            .iter()
            .map(|(item, times)| (item.as_str(), *times));
        of.collect::<Vec<_>>()
    };
    assert_eq!(revisions(1), [("name", 1)]);
    assert_eq!(revisions(2), [("pet", 1)]);
    assert_eq!(revisions(3), []);
    assert_eq!(run.session.way_back(), None, "outside of the group");
    run.ok(answer("after", "cat"));
    assert_eq!(run.session.phase(), Phase::Complete);
    let answered = |e: &&Envelope| matches!(e.event, Event::QuestionnaireAnswered { .. });
    assert_eq!(run.log.iter().filter(answered).count(), 7);
}

#[test]
fn pages_that_new_answers_lead_past_are_not_answered_any_more() {
    let mut run = Run::new(group());
    for page in ["before", "a", "b"] {
        run.ok(answer(page, "cat"));
    }
    run.ok(Event::WentBack { part: 2 });
    run.ok(Event::WentBack { part: 1 });
    run.ok(answer("a", "dog"));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 3 });
    assert_eq!(given(&run), [(0, "cat"), (1, "dog")]);
    // And back past it.
    assert_eq!(run.session.way_back(), Some(1));
    run.ok(Event::WentBack { part: 1 });
    run.ok(answer("a", "cat"));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 2 });
    assert_eq!(run.session.answered_before(), None);
}

#[test]
fn there_is_no_way_back_to_judged_answers() {
    let mut quiz = page("quiz");
    quiz["attempts"] = json!(1);
    quiz["items"][0]["right"] = json!("cat");
    let mut next = page("next");
    next["back"] = json!(true);
    let mut run = Run::new(json!([quiz, next]));
    run.ok(answer("quiz", "cat"));
    run.ok(Event::CheckReceived {
        part: 0,
        wrong: vec![],
    });
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
    assert_eq!(run.session.way_back(), None);
}

fn timed(then: &str) -> Run {
    let mut page = page("a");
    page["time_limit"] = json!({"after_s": 60, "warn_s": 20, "then": then});
    Run::new(json!([{"kind": "break", "id": "rest"}, page, {"kind": "break", "id": "end"}]))
}

#[test]
fn a_page_whose_time_is_over_is_handed_in_as_it_is() {
    let empty = || Event::QuestionnaireAnswered {
        questionnaire: "a".into(),
        answers: [].into(),
        time_over: true,
    };
    let mut run = timed("go_on");
    run.try_at(5_000, Event::BreakEnded { part: 0 }).unwrap();
    assert_eq!(run.session.time_left_ms(5_000), Some(60_000));
    run.refused(empty());
    run.try_at(60_000, Event::MoreTimeTaken { part: 1 })
        .unwrap();
    assert_eq!(run.session.time_left_ms(70_000), Some(50_000));
    assert!(run.try_at(119_999, empty()).is_err());
    run.try_at(120_000, empty()).unwrap();
    assert_eq!(run.session.phase(), Phase::Break { part: 2 });
    assert!(run.session.answers()[0].time_over);

    let mut run = timed("nothing");
    run.try_at(0, Event::BreakEnded { part: 0 }).unwrap();
    assert!(run.try_at(90_000, empty()).is_err());
    run.try_at(90_000, answer("a", "cat")).unwrap();
    assert!(!run.session.answers()[0].time_over);
}

#[test]
fn letters_are_drawn_and_whoever_cannot_see_them_is_not_wrong() {
    let block = crate::questionnaire::Block::HumanCheck.questionnaire();
    let mut part = serde_json::to_value(block).unwrap();
    part["kind"] = json!("questionnaire");
    let mut run = Run::new(json!([part]));
    run.session = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    let Answer::Text(letters) = run.drawn.keys.of_part(0).unwrap()["letters"].clone() else {
        panic!("letters are text");
    };
    let sent = serde_json::to_string(&run.drawn.plan).unwrap();
    assert!(
        sent.contains("pictures") && !sent.contains(&letters),
        "{letters}"
    );

    let mut hand_in = |letters: Answer, instead: Option<&str>, wrong: &[&str]| {
        let mut answers: Answers = [("letters".to_owned(), letters)].into();
        let instead = instead.map(|words| Answer::Text(words.into()));
        answers.extend(instead.map(|words| ("instead".to_owned(), words)));
        run.ok(Event::QuestionnaireAnswered {
            questionnaire: "human_check".into(),
            answers,
            time_over: false,
        });
        let wrong = wrong.iter().map(|&item| item.to_owned()).collect();
        run.ok(Event::CheckReceived { part: 0, wrong });
        run.session.phase()
    };
    let again = Phase::Questionnaire { part: 0 };
    assert_eq!(
        hand_in(Answer::Text("??".into()), None, &["letters"]),
        again
    );
    let unseen = Answer::NoAnswer {
        no_answer: NoAnswer::CannotSee,
    };
    let words = "I had breakfast and went for a walk.";
    assert_eq!(hand_in(unseen, Some(words), &[]), Phase::Complete);
    assert_eq!(run.session.is_marked(), Some(false));
}
