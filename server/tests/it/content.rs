//! What is named by its hash: bundles and instances.

use std::path::Path;

use api::{ErrorCode, routes};
use axum::http::StatusCode;
use domain::model::instance::Instance;
use serde_json::Value;
use server::secrets::hex;
use sha2::{Digest, Sha256};

use crate::app::{ATTEMPT, App, Setup, ack, log_of, study_json};

/// Name of a model that is not among the shipped ones.
const MINE: &str = "mine";

/// Puts a copy of a shipped model into a folder, under the name [`MINE`].
fn install(models: &Path, shipped: &str) {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/zoo");
    let folder = models.join(MINE);
    std::fs::create_dir_all(&folder).unwrap();
    for file in std::fs::read_dir(zoo.join(shipped)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    let card = folder.join("card.json");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&card).unwrap()).unwrap();
    json["name"] = MINE.into();
    std::fs::write(card, serde_json::to_vec_pretty(&json).unwrap()).unwrap();
}

fn setup(models: &Path) -> Setup {
    let mut study = study_json();
    for stage in study["stages"].as_array_mut().unwrap() {
        stage["model"] = MINE.into();
    }
    Setup {
        models: Some(models.to_owned()),
        study,
        ..Setup::default()
    }
}

/// Hash of the bundle that the study's only session has for [`MINE`].
async fn pinned(app: &App) -> String {
    let session = app.stored().await.remove(0);
    let models = session.plan.models();
    let mine = models.iter().find(|model| model.name == MINE);
    mine.unwrap().bundle_sha256.clone()
}

#[tokio::test]
async fn a_model_is_replaced_while_a_session_on_it_runs() {
    let models = tempfile::tempdir().unwrap();
    install(models.path(), "sinelines-ae5");
    let app = App::with(setup(models.path())).await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&app.append(&started, &log[..20]).await);
    let sha256 = pinned(&app).await;
    let before = app.get(&routes::bundle_weights(&sha256)).await;
    assert_eq!(before.status, StatusCode::OK);
    assert_eq!(
        before.bytes,
        std::fs::read(models.path().join(MINE).join("weights.safetensors")).unwrap()
    );

    // Another model of that name, with another decoder.
    install(models.path(), "sinelines-vae5");
    let app = app.restart_with(setup(models.path())).await;
    let models = app.state.library.models();
    let bundle = models.get(MINE).unwrap();
    assert_ne!(bundle.fingerprint(), sha256);
    let new = app.get(&routes::bundle_weights(bundle.fingerprint())).await;
    assert_ne!(new.bytes, before.bytes);

    // The session still gets what it was drawn with, and ends with it.
    let card: Value = app.get(&routes::bundle_card(&sha256)).await.json();
    assert_eq!(card["name"], MINE);
    let after = app.get(&routes::bundle_weights(&sha256)).await;
    assert_eq!(after.bytes, before.bytes);
    assert_eq!(after.headers["content-type"], "application/octet-stream");
    assert!(
        after.headers["cache-control"]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    assert_eq!(
        ack(&app.append(&started, &log[20..]).await),
        log.len() as u64
    );
    assert_eq!(pinned(&app).await, sha256);

    // Its export says so, beside a session that has the new model.
    app.start("another-attempt-1").await;
    let out = app.export().await;
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let models = manifest["models"].as_array().unwrap();
    let of_old = models.iter().find(|model| model["bundle_sha256"] == sha256);
    assert_eq!(of_old.unwrap()["sessions"], 1);
    assert_eq!(models.iter().filter(|m| m["name"] == MINE).count(), 2);
}

#[tokio::test]
async fn targets_lie_beside_the_plan_each_once() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let instances = started.plan.instances();
    assert_eq!(instances.len(), 6);
    for id in instances {
        let found = app.get(&routes::instance(&id.0)).await;
        assert_eq!(found.status, StatusCode::OK);
        assert_eq!(hex(&Sha256::digest(&found.bytes)), id.0);
        assert!(Instance::from_bytes(&found.bytes).is_ok_and(|x| !x.0.is_empty()));
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let app = App::new().await;
    let nothing = "0".repeat(64);
    for path in [
        routes::instance(&nothing),
        routes::instance("none"),
        routes::bundle_card(&nothing),
        routes::bundle_weights(&nothing),
        routes::bundle_card(&"A".repeat(64)),
        routes::bundle_weights("..%2f.."),
    ] {
        app.get(&path).await.refused(ErrorCode::NotFound);
    }
    // A closed form has a card and no weights.
    let models = app.state.library.models();
    let formula = models.get("sinelines-gt5").unwrap();
    let card = app.get(&routes::bundle_card(formula.fingerprint())).await;
    assert_eq!(card.json::<Value>()["name"], "sinelines-gt5");
    app.get(&routes::bundle_weights(formula.fingerprint()))
        .await
        .refused(ErrorCode::NotFound);
}
