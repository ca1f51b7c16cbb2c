//! Small stand-ins for tests: a model one can compute in one's head.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::common::language::{Spoken, file_in};
use crate::concepts::ConceptSource;
use crate::model::distance::Distance;
use crate::model::instance::{Instance, InstanceId};
use crate::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use crate::model::{Arrangement, Display, InstanceShape, ModelFacts};
use crate::session::Session;
use crate::session::event::{Author, EVENT_FORMAT, Envelope, Event, SessionId};
use crate::simulate::SimulatedParticipant;
use crate::study::Study;
use crate::study::draw::{DrawRequest, Drawn, ModelSource, StudyTexts, draw};
use crate::verify::Evidence;

pub mod concepts;

/// A model with two dials from 0 to 1 whose instance is z itself.
pub fn two_dials(name: &str) -> ModelFacts {
    let dial = Dimension::continuous(0.0, 1.0, DEFAULT_STEP);
    ModelFacts {
        name: name.into(),
        latent: LatentSpace::new(vec![dial.clone(), dial]).unwrap(),
        shape: InstanceShape::image(1, 2, 1),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            value_range: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.1,
        skip_after_s: 30.0,
        weights_sha256: String::new(),
        bundle_sha256: String::new(),
    }
}

/// The only models there are: all with two dials.
pub struct TestModels(Vec<ModelFacts>, concepts::TestConcepts);

impl TestModels {
    pub fn named(names: &[&str]) -> Self {
        let models = names.iter().map(|name| two_dials(name));
        Self(models.collect(), concepts::TestConcepts::default())
    }
}

impl ModelSource for TestModels {
    fn facts(&self, model: &str) -> Option<&ModelFacts> {
        self.0.iter().find(|facts| facts.name == model)
    }
    fn sample(&self, _: &str, rng: &mut dyn rand::Rng) -> Option<Vec<f64>> {
        Some(vec![rng.random(), rng.random()])
    }
    fn decode(&self, _: &str, z: &[f64]) -> Option<Vec<f32>> {
        Some(z.iter().map(|v| *v as f32).collect())
    }
    fn concepts(&self) -> Option<&dyn ConceptSource> {
        Some(&self.1)
    }
    fn option_ranges(&self, _: &str, _: usize) -> Option<[[f64; 2]; 3]> {
        Some([[0.01, 0.05], [0.48, 0.52], [0.95, 0.99]])
    }
}

/// The material of a session of such a model: z is the instance.
pub struct Materials(pub std::collections::BTreeMap<InstanceId, Instance>);

impl Evidence for Materials {
    fn decode(&self, _: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        Some(z.iter().map(|v| *v as f32).collect())
    }
    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        Some(self.0.get(id)?.0.clone())
    }
}

/// Every text says its own name.
pub struct NamedTexts;

impl StudyTexts for NamedTexts {
    fn html(&self, file: &str, spoken: Spoken<'_>) -> Option<String> {
        Some(format!("<p>{}</p>", file_in(file, spoken)))
    }
}

/// The name of all sessions here.
pub fn id() -> SessionId {
    SessionId("s-1".into())
}

/// The first session of a study.
pub fn arrival() -> DrawRequest {
    DrawRequest {
        session: id(),
        cell: crate::design::Cell::default(),
        row: 0,
        language: "en".into(),
    }
}

/// An event as an author's page would log it.
pub fn envelope(author: Author, seq: u64, at_ms: u64, event: impl Into<Event>) -> Envelope {
    Envelope {
        format: EVENT_FORMAT,
        session: id(),
        author,
        seq,
        at_ms,
        event: event.into(),
    }
}

/// A session at its beginning, and its log: so many questions with so many movements each.
pub fn simulated(questions: usize, movements: usize) -> (Session, Vec<Envelope>) {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "parts": [
            {"kind": "consent", "file": "c.md", "investigator": "i", "contact": "c", "duration_minutes": 1},
            {"kind": "stage", "id": "dials", "task": {
                "kind": "reconstruction", "model": "dials", "questions": questions, "undo": true}},
            {"kind": "difficulty"},
        ]
    }))
    .unwrap();
    let models = TestModels::named(&["dials"]);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let Drawn { plan, .. } = draw(&study, "00", arrival(), &models, &NamedTexts, &mut rng).unwrap();
    let beginning = Session::new(plan);
    let log = SimulatedParticipant::going_on(beginning.clone(), 1, movements).collect();
    (beginning, log)
}
