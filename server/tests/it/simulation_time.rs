//! How many simulated people a minute sit at the dials of real models: what `cargo xtask bench simulate` prints.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::common::identifiers::SessionId;
use domain::common::language::Spoken;
use domain::design::Cell;
use domain::model::ModelFacts;
use domain::model::evidence::Evidence;
use domain::model::instance::InstanceId;
use domain::session::event::Envelope;
use domain::simulate::{Mixture, SimulatedParticipant, SimulatedPerson};
use domain::study::Study;
use domain::study::draw::{DrawRequest, ModelSource, StudyTexts, draw};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;
use server::zoo::Models;

/// People on each model, of all strategies.
const PEOPLE: u64 = 20;
/// Models that are measured: of each kind of data the one of its kind that is decoded by a network.
const MODELS: [&str; 3] = ["sinelines-vae5", "dsprites-vae5", "mnist-ss5"];

/// No study here has texts.
struct NoTexts;

impl StudyTexts for NoTexts {
    fn html(&self, _: &str, _: Spoken<'_>) -> Option<String> {
        None
    }
}

/// What somebody sees, and where the dials stood each time that they saw it.
struct RecordedEvidence {
    models: Arc<Models>,
    instances: BTreeMap<InstanceId, Vec<f32>>,
    decoded: Mutex<Vec<Vec<f64>>>,
}

impl Evidence for RecordedEvidence {
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        self.decoded.lock().unwrap().push(z.to_vec());
        ModelSource::decode(&*self.models, &model.name, z)
    }
    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        self.instances.get(id).cloned()
    }
}

/// What it took to make the log of somebody who is asked four questions, and to decode the same pictures alone.
struct Took {
    log: Duration,
    decodes: Duration,
    pictures: usize,
}

fn person(models: &Arc<Models>, model: &str, person: u64) -> Took {
    let study: Study = serde_json::from_value(serde_json::json!({
        "format": 2, "id": "s", "title": "S", "seed": 7, "parts": [{ "kind": "stage", "id": "dials", "task": {
            "kind": "reconstruction", "model": model, "questions": 4 } }],
    }))
    .unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(person);
    let request = DrawRequest {
        session: SessionId("s-1".into()),
        cell: Cell::default(),
        row: 0,
        language: "en".into(),
    };
    let drawn = draw(&study, "", request, &**models, &NoTexts, &mut rng).unwrap();
    let strategy = Mixture::default().draw(&mut rng);
    let instances = drawn.instances.into_iter();
    let sight = Arc::new(RecordedEvidence {
        models: models.clone(),
        instances: instances.map(|(id, instance)| (id, instance.0)).collect(),
        decoded: Mutex::default(),
    });
    let who = SimulatedPerson::draw(strategy, sight.clone(), Vec::new(), &mut rng);
    let begun = Instant::now();
    let log: Vec<Envelope> =
        SimulatedParticipant::person(drawn.plan, drawn.keys, who, rng.random()).collect();
    let took = begun.elapsed();
    assert!(log.len() > 10, "{model} {person}: nothing happened");
    let decoded = sight.decoded.lock().unwrap();
    let begun = Instant::now();
    for z in decoded.iter() {
        std::hint::black_box(ModelSource::decode(&**models, model, z));
    }
    Took {
        log: took,
        decodes: begun.elapsed(),
        pictures: decoded.len(),
    }
}

#[test]
#[ignore = "a measurement: 20 people on each of three models"]
fn simulation_time_of_three_models() {
    let models = Arc::new(Models::load(None).unwrap());
    println!("simulated people on one core, four questions each ({PEOPLE} people a model)");
    println!(
        "{:<20} {:>16} {:>20} {:>8}",
        "model", "people a minute", "pictures a person", "ratio"
    );
    for model in MODELS {
        let all: Vec<Took> = (0..PEOPLE).map(|it| person(&models, model, it)).collect();
        let seconds =
            |of: fn(&Took) -> Duration| -> f64 { all.iter().map(|it| of(it).as_secs_f64()).sum() };
        let (logs, decodes) = (seconds(|it| it.log), seconds(|it| it.decodes));
        let pictures: usize = all.iter().map(|it| it.pictures).sum();
        println!(
            "{model:<20} {:>16.0} {:>20} {:>8.2}",
            PEOPLE as f64 * 60.0 / logs,
            pictures / all.len(),
            logs / decodes
        );
    }
    println!("ratio: time for the logs to time for decoding the same pictures and nothing else");
}
