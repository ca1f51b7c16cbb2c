//! Simulated people fill quotas of their own.

use std::sync::Arc;

use domain::design::Counts;
use domain::recruitment::assignment::Purpose;
use domain::simulate::Mixture;
use serde_json::json;
use server::processor::Processor;
use server::simulation::{Attendance, Simulation, simulate};
use server::storage;
use server::zoo::Models;

use crate::app::entry;

const CAP: u64 = 2;

#[tokio::test]
async fn they_come_until_every_cell_is_full_and_nobody_else_is_kept_out() {
    let study = json!({
        "format": 2, "id": "cells", "title": "Cells", "seed": 7,
        "design": {
            "factors": [{ "name": "model", "levels": ["gt5", "ae5"] }],
            "assignment": { "cap": CAP, "counts": "included", "lease_minutes": 60 },
        },
        "inclusion": [{ "rule": "solved_at_least", "questions": 1 }],
        "parts": [
            { "kind": "stage", "id": "{model}", "task": {
                "kind": "reconstruction", "model": "sinelines-{model}", "questions": 1 } },
        ],
    });
    let folder = tempfile::tempdir().unwrap();
    let models = Arc::new(Models::load(None).unwrap());
    let entry = entry(&study, &models);
    let database = format!("sqlite://{}", folder.path().join("test.db").display());
    let storage = storage::open(&database).await.unwrap();
    let mixture: Mixture = "knows_dimensions=0.6,gives_up=0.4".parse().unwrap();
    let simulation = |people, seed| Simulation {
        people,
        mixture: mixture.clone(),
        seed,
        first_unix_ms: 1_790_000_000_000,
        processor: Processor::default(),
    };
    let first = simulation(Attendance::FillEveryCell, 1);
    let found = simulate(storage.clone(), models.clone(), &entry, &first, &|| {})
        .await
        .unwrap();
    assert!(found.full);
    assert_eq!(found.included as u64, 2 * CAP);
    assert!(found.started >= found.included);

    let mut snapshot = storage.study_snapshot("cells").await.unwrap();
    let ledger = snapshot.ledger().await.unwrap();
    let end = 2_000_000_000_000;
    let mut simulated = ledger.of(Purpose::Simulated);
    simulated.pass_time_to(end);
    for cell in ["gt5", "ae5"] {
        assert_eq!(simulated.taken(cell, Counts::Included), CAP, "{cell}");
    }
    assert_eq!(ledger.of(Purpose::Participant).sessions(), 0);
    drop(snapshot);

    let more = simulation(Attendance::Arrive(3), 2);
    let found = simulate(storage, models, &entry, &more, &|| {})
        .await
        .unwrap();
    assert_eq!((found.started, found.full), (0, true));
}
