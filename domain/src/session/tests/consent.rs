//! Consent: what was agreed to is kept, and it can be asked for again.

use super::*;
use crate::session::event::{MAX_NAME, MAX_SIGNATURE};

fn agreed(text: &str, signature: Option<String>) -> Event {
    Event::ConsentGiven(Consented {
        version: Some("2".into()),
        text_sha256: Some(text.into()),
        language: None,
        signature,
    })
}

#[test]
fn a_changed_text_is_agreed_to_again_and_nothing_else_changes() {
    let mut run = Run::new(reconstruction_study());
    assert!(!run.session.can_agree_again());
    run.ok(agreed("old", Some("Ada Example".into())));
    let phase = run.session.phase();
    assert_eq!(phase, Phase::Tutorial { part: 1 });
    run.ok(agreed("new", None));
    assert_eq!(run.session.phase(), phase);
    let last = run.session.consented().unwrap();
    assert_eq!(last.text_sha256.as_deref(), Some("new"));

    run.ok(Event::ConsentDeclined);
    assert_eq!(run.session.phase(), Phase::Declined);
    assert!(matches!(
        run.refused(agreed("new", None)),
        Refusal::NotNow { .. }
    ));
}

#[test]
fn a_signature_is_no_novel_and_consent_without_details_is_read() {
    let mut run = Run::new(reconstruction_study());
    let long = agreed("text", Some("x".repeat(MAX_SIGNATURE + 1)));
    let refusal = run.refused(long).to_string();
    let expected = "'consent_given': signature has 201 characters; at most 200 are kept";
    assert_eq!(refusal, expected);
    // As earlier versions wrote it.
    let earlier: Event = serde_json::from_str(r#"{"kind":"consent_given"}"#).unwrap();
    assert_eq!(earlier, Event::ConsentGiven(Consented::default()));
    run.ok(earlier);
    assert_eq!(run.drawn.plan.contact.as_deref(), Some("c"));
}

/// A page chose its own version, of 1 MB, hundreds of times.
#[test]
fn a_text_that_is_too_long_is_refused_and_one_that_is_stored_is_read() {
    let mut run = Run::new(reconstruction_study());
    let of_version = |letters: usize| {
        Event::ConsentGiven(Consented {
            version: Some("ü".repeat(letters)),
            ..Consented::default()
        })
    };
    let refusal = run.refused(of_version(MAX_NAME + 1));
    let too_long = Refusal::TooLong {
        event: "consent_given",
        field: "version",
        found: MAX_NAME + 1,
        most: MAX_NAME,
    };
    assert_eq!(refusal, too_long);
    let envelope = Envelope {
        format: crate::session::event::EVENT_FORMAT,
        session: run.drawn.plan.session.clone(),
        author: Author::Participant,
        seq: 0,
        at_ms: 0,
        event: of_version(1_000_000),
    };
    let fresh = Session::new(run.drawn.plan.clone());
    assert!(fresh.clone().apply(&envelope).is_err());
    let replayed = fresh.replayed([&envelope]).unwrap();
    assert_eq!(replayed.phase(), Phase::Tutorial { part: 1 });
    run.ok(of_version(MAX_NAME));
}
