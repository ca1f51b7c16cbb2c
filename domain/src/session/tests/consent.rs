//! Consent: what was agreed to is kept, and it can be asked for again.

use super::*;

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
    assert!(matches!(run.refused(long), Refusal::NotNow { .. }));
    // As earlier versions wrote it.
    let earlier: Event = serde_json::from_str(r#"{"kind":"consent_given"}"#).unwrap();
    assert_eq!(earlier, Event::ConsentGiven(Consented::default()));
    run.ok(earlier);
    assert_eq!(run.drawn.plan.contact.as_deref(), Some("c"));
}
