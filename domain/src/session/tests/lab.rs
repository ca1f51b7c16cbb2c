//! Requests of an experimenter to a page.

use super::*;
use crate::task::Outcome;

fn two_stages(mode: &str) -> Run {
    let stage = |id: &str| {
        json!({"kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": "dials", "questions": 3}})
    };
    let parts = json!([stage("first"), stage("second")]);
    Run::in_mode(mode, parts)
}

fn at(stage: usize, question: usize) -> QuestionRef {
    QuestionRef { stage, question }
}

fn by_experimenter(run: &mut Run, at_ms: u64, event: Event) -> Result<(), Refusal> {
    let seq = run.session.next_seq_of(Author::Experimenter);
    let asked = envelope(Author::Experimenter, seq, at_ms, event);
    run.session.apply(&asked).map(drop)
}

#[test]
fn what_the_experimenter_asks_counts_once_the_page_has_logged_it() {
    let mut run = two_stages("lab");
    run.ok(Event::StageStarted { stage: 0 });
    run.start_question(0, 0);
    let now_ms = run.now_ms;
    by_experimenter(&mut run, now_ms, Event::PauseAsked).unwrap();
    assert!(run.session.pause_is_asked() && !run.session.is_paused());
    run.try_at(now_ms + 500, Event::Paused).unwrap();
    assert!(run.session.is_paused());
    by_experimenter(&mut run, now_ms + 20_000, Event::ResumeAsked).unwrap();
    assert!(!run.session.pause_is_asked() && run.session.is_paused());
    run.try_at(now_ms + 20_500, Event::Resumed).unwrap();
    assert!(!run.session.is_paused());
    let question = run.session.running().unwrap();
    assert_eq!(question.clock.paused_ms(0, now_ms + 30_000), 20_000);

    by_experimenter(&mut run, now_ms + 21_000, Event::StageEndAsked { stage: 0 }).unwrap();
    assert_eq!(run.session.phase(), Phase::Question(at(0, 0)));
    run.try_at(now_ms + 21_100, Event::StageEnded { stage: 0 })
        .unwrap();
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    assert_eq!(run.session.records()[0].outcome, Some(Outcome::Cut));
    run.try_at(now_ms + 22_000, Event::StageLeft { stage: 0 })
        .unwrap();
    assert_eq!(run.session.phase(), Phase::StageIntro { stage: 1 });
    // A stage can be left out before its first question.
    run.try_at(now_ms + 23_000, Event::StageEnded { stage: 1 })
        .unwrap();
    run.try_at(now_ms + 24_000, Event::StageLeft { stage: 1 })
        .unwrap();
    assert_eq!(run.session.phase(), Phase::Complete);
}

#[test]
fn a_question_that_was_solved_stays_solved_when_its_stage_is_ended() {
    let mut run = two_stages("lab");
    run.ok(Event::StageStarted { stage: 0 });
    run.start_question(0, 0);
    run.solve();
    run.ok(Event::StageEnded { stage: 0 });
    assert_eq!(run.session.records()[0].outcome, Some(Outcome::Solved));
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
}

#[test]
fn without_an_experimenter_no_page_can_end_a_stage_and_nobody_can_pause_it() {
    let mut run = two_stages("online");
    run.ok(Event::StageStarted { stage: 0 });
    run.refused(Event::StageEnded { stage: 0 });
    assert!(by_experimenter(&mut run, 0, Event::PauseAsked).is_err());
    assert!(by_experimenter(&mut run, 0, Event::StageEndAsked { stage: 0 }).is_err());
    let mut lab = two_stages("lab");
    lab.ok(Event::StageStarted { stage: 0 });
    lab.refused(Event::StageEnded { stage: 1 });
    assert!(by_experimenter(&mut lab, 0, Event::StageEndAsked { stage: 2 }).is_err());
}

#[test]
fn a_mark_is_about_a_moment_that_has_passed() {
    let mut run = two_stages("lab");
    let note = |about_ms, mark: &str| Event::NoteWritten {
        text: "says that the first dial turns it".to_owned(),
        mark: Some(mark.to_owned()),
        about_ms: Some(about_ms),
    };
    by_experimenter(&mut run, 5_000, note(4_000, "insight")).unwrap();
    assert!(by_experimenter(&mut run, 6_000, note(6_001, "insight")).is_err());
    let long = "x".repeat(crate::session::event::MAX_MARK + 1);
    assert!(by_experimenter(&mut run, 6_000, note(1, &long)).is_err());
}

#[test]
fn a_pause_does_not_count_in_the_time_of_a_page() {
    let page = json!([{"kind": "questionnaire", "id": "q", "title": "Q",
        "time_limit": {"after_s": 60, "warn_s": 20, "then": "go_on"},
        "items": [{"id": "a", "text": "?", "answer": {"kind": "text"}}]}]);
    let mut run = Run::in_mode("lab", page);
    assert_eq!(run.session.time_left_ms(10_000), Some(50_000));
    run.try_at(10_000, Event::Paused).unwrap();
    run.try_at(40_000, Event::Resumed).unwrap();
    assert_eq!(run.session.time_left_ms(40_000), Some(50_000));
}

#[test]
fn a_recording_is_asked_for_once_and_has_its_pieces_in_order() {
    let stage = json!([{"kind": "stage", "id": "s", "task": {
        "kind": "reconstruction", "model": "dials", "questions": 1}}]);
    let study = json!({"format": 2, "id": "t", "title": "T", "mode": "lab",
        "lab": {"recording": {}}, "parts": stage});
    let mut run = Run::of(drawn_from(study));
    let started = |recording| Event::RecordingStarted {
        recording,
        media_type: "audio/webm;codecs=opus".to_owned(),
    };
    let piece = |recording, piece, ended_ms| Event::PieceRecorded {
        recording,
        piece,
        bytes: 40_000,
        sha256: "0".repeat(64),
        ended_ms,
    };
    assert!(run.session.recording_is_to_be_asked());
    run.refused(started(0));
    run.ok(Event::RecordingAnswered { agreed: true });
    assert!(!run.session.recording_is_to_be_asked() && run.session.may_record());
    run.refused(Event::RecordingAnswered { agreed: false });
    run.refused(started(1));
    run.try_at(1_000, started(0)).unwrap();
    run.try_at(5_100, piece(0, 0, 5_000)).unwrap();
    run.refused(piece(0, 0, 5_000));
    run.refused(piece(0, 1, 4_999));
    run.refused(piece(0, 1, 99_999));
    run.refused(piece(1, 0, 5_000));
    // A reload: another recording, whose predecessor was never stopped.
    run.try_at(8_000, started(1)).unwrap();
    run.try_at(12_050, piece(1, 0, 12_000)).unwrap();
    run.try_at(12_060, Event::RecordingStopped { recording: 1 })
        .unwrap();
    run.refused(Event::RecordingStopped { recording: 1 });
    let recorded = run.session.recorded();
    let of = |index: usize| {
        let it: &crate::session::RecordedSound = &recorded[index];
        (
            it.started_at_ms,
            it.ended_at_ms,
            it.stopped,
            it.pieces.len(),
        )
    };
    assert_eq!(of(0), (1_000, 5_000, false, 1));
    assert_eq!(of(1), (8_000, 12_000, true, 1));
}

#[test]
fn without_consent_to_it_nothing_is_recorded() {
    let mut run = two_stages("lab");
    assert!(!run.session.recording_is_to_be_asked());
    run.refused(Event::RecordingAnswered { agreed: true });
    run.refused(Event::MicrophoneSilent);
}

#[test]
fn whoever_was_named_last_runs_a_lab_session() {
    let mut run = two_stages("lab");
    assert_eq!(run.session.experimenter(), None);
    for name in ["ada", "bob"] {
        let named = Event::ExperimenterNamed {
            name: name.to_owned(),
        };
        let now_ms = run.now_ms;
        by_experimenter(&mut run, now_ms, named).unwrap();
        assert_eq!(run.session.experimenter(), Some(name));
    }
    let mut alone = two_stages("online");
    let named = Event::ExperimenterNamed { name: "ada".into() };
    by_experimenter(&mut alone, 0, named).unwrap_err();
}
