//! Assignment over HTTP: full and paused studies, what exports say of it, and studies that are shipped.

use std::collections::{BTreeMap, BTreeSet};

use api::ErrorCode;
use domain::recruitment::assignment::Purpose;
use domain::session::event::SessionId;
use serde_json::{Value, json};
use server::export::layout::{ExportHalf, csv as csv_of};

use crate::app::{ATTEMPT, App, STUDY, Setup};

/// Two arms that each take one person, of whom too much is asked.
fn two_arms(solved_at_least: u32) -> Setup {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Two arms",
        "design": {
            "factors": [{"name": "arm", "levels": ["a", "b"]}],
            "assignment": {"cap": 1, "counts": "included"}},
        "inclusion": [{"rule": "solved_at_least", "questions": solved_at_least}],
        "parts": [{"kind": "stage", "id": "{arm}", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1}}]
    });
    Setup::of(study)
}

async fn try_to_start(app: &App, attempt: &str) -> crate::app::AppResponse {
    let body: Value = json!({ "attempt": attempt });
    app.ask_to_start(body).await
}

#[tokio::test]
async fn a_full_study_says_so_kindly_and_makes_no_session() {
    let app = App::with(two_arms(1)).await;
    let first = app.start(ATTEMPT).await;
    let second = app.start("another-attempt-1").await;
    assert_ne!(first.plan.cell, second.plan.cell);
    assert_eq!(first.plan.stages[0].id, first.plan.cell["arm"]);
    let refused = try_to_start(&app, "another-attempt-2").await;
    let error = refused.refused(ErrorCode::StudyFull);
    assert!(error.message.contains("Thank you"), "{}", error.message);
    assert_eq!(app.sessions().await, 2);
    // Who has a session gets it again; who only looks is not counted.
    assert_eq!(app.start(ATTEMPT).await.plan, first.plan);
    let as_it_is = app.setup.clone();
    let pilots = Setup {
        purpose: Purpose::Pilot,
        ..as_it_is.clone()
    };
    let app = app.restart_with(pilots).await;
    app.start("another-attempt-3").await;
    assert_eq!(app.sessions().await, 3);
    let app = app.restart_with(as_it_is).await;
    let refused = try_to_start(&app, "another-attempt-2").await;
    refused.refused(ErrorCode::StudyFull);
}

#[tokio::test]
async fn an_excluded_session_gives_its_slot_back_and_an_included_one_keeps_it() {
    for (solved_at_least, open) in [(1, false), (2, true)] {
        let app = App::with(two_arms(solved_at_least)).await;
        for attempt in [ATTEMPT, "another-attempt-1"] {
            let started = app.start(attempt).await;
            app.append_all(&started).await;
        }
        let third = try_to_start(&app, "another-attempt-2").await;
        if open {
            third.json::<api::SessionStarted>();
        } else {
            third.refused(ErrorCode::StudyFull);
        }
        let found = server::analysis::study_analysis(
            &*app.state.storage,
            STUDY,
            server::export::SessionSelection::People,
        );
        let found = found.await.unwrap();
        assert_eq!(found.complete, 2);
        let version = &found.versions[0];
        let by_rules = version
            .excluded
            .iter()
            .find(|excluded| excluded.reason == analysis::LeftOutReason::InclusionRules)
            .unwrap();
        assert_eq!(by_rules.people, if open { 2 } else { 0 });
        assert_eq!(version.included.comparisons.is_empty(), open);
        // The third has started, where it could.
        assert_eq!(version.started, if open { 3 } else { 2 });

        let out = app.export().await;
        let mut table =
            csv::Reader::from_path(out.join(csv_of(STUDY, ExportHalf::Raw, "sessions"))).unwrap();
        let row: BTreeMap<String, String> = table.deserialize().next().unwrap().unwrap();
        let cells = ["included", "standing", "exclusion_reasons", "purpose"].map(|c| &*row[c]);
        let expected = if open {
            [
                "false",
                "excluded",
                "[\"solved_at_least: 1 solved, below 2\"]",
                "participant",
            ]
        } else {
            ["true", "counted", "[]", "participant"]
        };
        assert_eq!(cells, expected);
        assert!(["a", "b"].contains(&&*row["cell"]));
    }
}

/// The paper: two of six conditions for each person, and in each two of three models.
#[test]
fn three_people_of_the_pilot_cover_all_conditions_and_models() {
    use domain::study::draw::{DrawRequest, draw};
    use rand::SeedableRng as _;
    let models = server::zoo::Models::load(None).unwrap();
    let catalogue = server::catalogue::Catalogue::load(None, &models).unwrap();
    let entry = catalogue.get("chi21-pilot").unwrap();
    assert_eq!(entry.study.rows(), 3);
    let (mut conditions, mut of_dataset) = (Vec::new(), BTreeMap::<_, BTreeSet<_>>::new());
    for row in 0..3 {
        let arrival = DrawRequest {
            session: SessionId("s".into()),
            cell: entry.study.design.cells().remove(0),
            row,
            language: "en".into(),
        };
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(row);
        let drawn = draw(&entry.study, "", arrival, &models, &entry.texts, &mut rng).unwrap();
        let stages = drawn.plan.stages.iter().filter(|stage| !stage.practice);
        let mut own = BTreeMap::<_, usize>::new();
        for stage in stages {
            let level = |factor: &str| stage.levels[factor].clone();
            let condition = (level("task"), level("dataset"));
            let wanted = if condition.0 == "interactive" { 5 } else { 10 };
            assert_eq!(stage.task.question_count(), wanted, "{}", stage.id);
            of_dataset
                .entry(condition.1.clone())
                .or_default()
                .insert(level("model"));
            *own.entry(condition).or_default() += 1;
        }
        assert_eq!(own.values().copied().collect::<Vec<_>>(), [2, 2]);
        conditions.extend(own.into_keys());
    }
    conditions.sort();
    conditions.dedup();
    assert_eq!(conditions.len(), 6);
    assert!(
        of_dataset.values().all(|models| models.len() == 3),
        "{of_dataset:?}"
    );
}
