//! Concept naming: one session, event by event, and what its browser is not told.

use std::collections::BTreeMap;

use super::*;
use crate::concepts::ConceptKind;
use crate::simulate::{SimulatedParticipant, SimulatedPerson, Strategy};
use crate::task::Outcome;
use crate::task::concept_naming::{Choice, Event as N, Measures};
use crate::testing::Materials;

fn naming(task: Value) -> Value {
    let mut whole = json!({"kind": "concept_naming", "concepts": ["marks"]});
    whole
        .as_object_mut()
        .unwrap()
        .extend(task.as_object().unwrap().clone());
    json!([{"kind": "stage", "id": "concepts", "task": whole}])
}

fn term(set: usize, group: usize, term: usize) -> N {
    let term = Some(term);
    N::Changed(Choice::Term { set, group, term })
}

fn started(task: Value) -> Run {
    let mut run = Run::new(naming(task));
    run.ok(Event::PageOpened {
        page: PageInfo::default(),
    });
    run.ok(Event::StageStarted { stage: 0 });
    run.ok(Event::QuestionStarted {
        at: QuestionRef {
            stage: 0,
            question: 0,
        },
    });
    run
}

fn measures(session: &Session) -> Measures {
    match session.records().remove(0).measures {
        TaskMeasures::ConceptNaming(measures) => measures,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_concept_is_named_and_everything_on_the_way_is_measured() {
    let mut run = started(json!({"question_order": "as_given"}));
    run.ok(N::DefinitionsOpened { group: 0 });
    run.ok(N::ExampleOpened);
    run.ok(N::SampleEnlarged { sample: 2 });
    run.ok(N::SampleEnlarged { sample: 0 });
    run.ok(N::SampleClosed);
    run.ok(term(0, 0, 1));
    run.ok(N::Changed(Choice::NoneOfThem));
    run.ok(term(0, 0, 0));
    run.ok(term(0, 1, 1));
    run.ok(N::Changed(Choice::SecondSetBegun));
    run.ok(term(1, 0, 1));
    run.ok(N::ExplanationWritten {
        text: "it is on the left".into(),
    });
    run.refused(N::Finished);
    run.ok(term(1, 1, 0));
    run.ok(N::Finished);
    assert_eq!(run.session.phase(), Phase::Ready(at(1)));

    let whole = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    let replayed = whole.replayed(&run.log).unwrap();
    let record = replayed.records().remove(0);
    assert_eq!(record.outcome, Some(Outcome::Finished));
    assert_eq!(record.model, "marks");
    let found = measures(&replayed);
    // The events are 0.5 s apart; the question starts with the first.
    let expected = json!({
        "named": true, "none_of_them": false, "groups": ["position", "shape"],
        "terms": ["left", "line"], "second_terms": ["right", "dot"],
        "explanation": "it is on the left", "first_choice_s": 3.0, "last_choice_s": 6.5,
        "changes": 7, "enlargements": 2, "samples_enlarged": 2, "enlarged_s": 1.0,
        "definitions_opened": [1, 0], "example_opened": 1,
        "bundle": "marks", "concept_kind": "manual", "concept": "c1", "expected_terms": ["left", "dot"]
    });
    assert_eq!(serde_json::to_value(&found).unwrap(), expected);

    let without_keys = measures(&run.session);
    assert_eq!(without_keys.terms, found.terms);
    assert_eq!(
        (without_keys.concept_kind, without_keys.bundle),
        (None, None)
    );
    assert_eq!(run.session.records()[0].model, "pixels");
    for envelope in &run.log {
        let json = serde_json::to_string(envelope).unwrap();
        assert_eq!(&serde_json::from_str::<Envelope>(&json).unwrap(), envelope);
        let read: Envelope = crate::json::from_text(&json).unwrap();
        assert_eq!(&read, envelope);
    }
}

fn at(question: usize) -> QuestionRef {
    QuestionRef { stage: 0, question }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut run = started(json!({"explanation": "absent"}));
    run.refused(N::Finished);
    run.refused(term(0, 2, 0));
    run.refused(term(0, 0, 2));
    run.refused(term(1, 0, 0));
    run.refused(N::SampleEnlarged { sample: 3 });
    run.refused(N::SampleClosed);
    run.refused(N::DefinitionsOpened { group: 2 });
    run.refused(N::ExplanationWritten { text: "no".into() });
    run.ok(N::Changed(Choice::NoneOfThem));
    run.ok(N::Finished);
    assert_eq!(measures(&run.session).named, Some(false));
    run.refused(N::Finished);
}

#[test]
fn nobody_goes_on_without_an_explanation_that_is_required() {
    let mut run = started(json!({}));
    run.ok(N::Changed(Choice::NoneOfThem));
    run.refused(N::Finished);
    run.ok(N::ExplanationWritten { text: " ".into() });
    run.refused(N::Finished);
    run.ok(N::ExplanationWritten {
        text: "all differ".into(),
    });
    run.ok(N::Finished);
}

#[test]
fn the_plan_does_not_say_where_a_concept_comes_from() {
    let drawn = drawn(naming(
        json!({"concepts": ["marks", "found", "chance"], "questions_per_bundle": 2}),
    ));
    let mut kinds: BTreeMap<ConceptKind, usize> = BTreeMap::new();
    for key in drawn.keys.questions.iter().flatten() {
        let AnswerKey::ConceptNaming(key) = key else {
            panic!("another task's key");
        };
        *kinds.entry(key.concept_kind).or_default() += 1;
    }
    assert_eq!(kinds.into_values().collect::<Vec<_>>(), [2, 2, 2]);
    let sent = serde_json::to_string(&drawn.plan).unwrap();
    for word in [
        "marks", "found", "chance", "manual", "learnt", "random", "c1", "c2", "c3",
    ] {
        assert!(
            !sent.contains(&format!("\"{word}\"")),
            "{word} is in the plan"
        );
    }
    // Six questions and the example.
    assert_eq!(drawn.plan.instances().len(), 7);
    assert_eq!(drawn.instances.len(), 7);
    let read: SessionPlan = serde_json::from_str(&sent).unwrap();
    assert_eq!(read, drawn.plan);
    let keys = serde_json::to_string(&drawn.keys).unwrap();
    assert_eq!(
        serde_json::from_str::<AnswerKeys>(&keys).unwrap(),
        drawn.keys
    );
}

#[test]
fn a_participant_reads_the_vocabulary_in_their_language() {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "languages": ["en", "de"],
        "parts": naming(json!({}))
    }))
    .unwrap();
    let german = crate::study::draw::DrawRequest {
        language: "de".into(),
        ..arrival()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let models = TestModels::named(&[]);
    let drawn = draw(&study, "00", german, &models, &NamedTexts, &mut rng).unwrap();
    let sent = serde_json::to_string(&drawn.plan).unwrap();
    assert!(sent.contains("\"links\"") && !sent.contains("\"left\",\"text\":\"left\""));
}

/// Shares of concepts named, by kind, of so many people of a strategy.
fn named_by(strategy: Strategy, people: u64) -> BTreeMap<ConceptKind, f64> {
    let drawn = drawn(naming(json!({"concepts": ["marks", "found", "chance"]})));
    let sight: crate::simulate::Sight = std::sync::Arc::new(Materials(drawn.instances.clone()));
    let mut named: BTreeMap<ConceptKind, (f64, f64)> = BTreeMap::new();
    for seed in 0..people {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let person = SimulatedPerson::draw(strategy, sight.clone(), vec![], &mut rng);
        let plan = drawn.plan.clone();
        let mut somebody = SimulatedParticipant::person(plan, drawn.keys.clone(), person, seed);
        let log: Vec<Envelope> = somebody.by_ref().collect();
        assert_eq!(somebody.session().phase(), Phase::Complete, "{log:?}");
        for record in somebody.session().records() {
            let TaskMeasures::ConceptNaming(found) = record.measures else {
                panic!("another task");
            };
            let (sum, count) = named.entry(found.concept_kind.unwrap()).or_default();
            *sum += f64::from(u8::from(found.named.unwrap()));
            *count += 1.0;
        }
        let keys: AnswerKeys = drawn.keys.clone();
        let report = crate::verify::verify(
            &drawn.plan,
            &keys,
            &log,
            &Materials(drawn.instances.clone()),
            crate::verify::Depth::All,
        );
        assert_eq!(report.contradictions, []);
        assert!(report.missing.is_empty(), "{:?}", report.missing);
    }
    named
        .into_iter()
        .map(|(kind, (sum, count))| (kind, sum / count))
        .collect()
}

#[test]
fn simulated_people_name_marked_concepts_most_and_random_ones_least() {
    let knows = named_by(Strategy::KnowsDimensions, 30);
    assert!(knows[&ConceptKind::Manual] > 0.9, "{knows:?}");
    assert!(knows[&ConceptKind::Random] < 0.3, "{knows:?}");
    let between = knows[&ConceptKind::Random]..knows[&ConceptKind::Manual];
    assert!(between.contains(&knows[&ConceptKind::Learnt]), "{knows:?}");
    // Simulated people who click anything do so whatever there is.
    let clicks = named_by(Strategy::GivesUp, 60);
    for share in clicks.values() {
        assert!((0.65..0.95).contains(share), "{clicks:?}");
    }
}
