//! `redial database`: checks, backups and what becomes of them.

use domain::recruitment::outbox::{Course, DecisionState, Deed};
use domain::recruitment::pay::Amount;
use domain::session::event::SessionId;
use server::database::{DatabaseError, backup, check, restore, vacuum};
use server::storage::{self, DecisionStep, NewDecision};

use crate::app::STUDY;
use crate::files::{database, names, run, url};

#[tokio::test]
async fn a_check_counts_what_is_sound_and_names_what_is_not() {
    let (_folder, file) = database().await;
    let report = check(&url(&file)).await.unwrap();
    assert_eq!(report.problems, []);
    assert_eq!((report.studies, report.sessions), (1, 1));
    assert!(report.events > 50 && report.instances > 0 && report.bundles > 0);

    let said = async |statement: &str, expected: &str| {
        let (_folder, file) = database().await;
        run(&file, statement).await;
        let report = check(&url(&file)).await.unwrap();
        let texts: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        assert!(
            texts.iter().any(|text| text.contains(expected)),
            "{statement}: {texts:?}"
        );
    };
    said(
        "UPDATE instances SET bytes = zeroblob(length(bytes)) WHERE rowid = 1",
        "its content has changed since it was stored",
    )
    .await;
    said("DELETE FROM instances WHERE rowid = 1", "and it is missing").await;
    said(
        "DELETE FROM bundles",
        "was drawn with it, and it is missing",
    )
    .await;
    let changed = "UPDATE blobs SET bytes = X'7b' WHERE sha256 IN (SELECT sha256 FROM bundles)";
    said(changed, "model ").await;
    said("DELETE FROM blobs", "was drawn with it, and it is missing").await;
    said("UPDATE study_versions SET json = X'7b7d'", "study file ").await;
    said(
        "DELETE FROM study_versions",
        "table 'sessions': 1 of its rows belong to a row of 'study_versions' that is missing",
    )
    .await;
}

#[tokio::test]
async fn a_backup_is_a_sound_copy_under_a_name_that_was_free() {
    let (folder, file) = database().await;
    let copy = folder.path().join("copy.db");
    let report = backup(&url(&file), &copy).await.unwrap();
    assert_eq!((report.sessions, report.problems.len()), (1, 0));
    let bytes = std::fs::read(&copy).unwrap();
    let error = backup(&url(&file), &copy).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Exists { .. }), "{error}");
    assert!(std::fs::read(&copy).unwrap() == bytes);
    assert_eq!(names(folder.path()), ["copy.db", "data"]);
    assert_eq!(names(file.parent().unwrap()), ["test.db"]);

    // A damaged record is copied and told; of a damaged page there is no copy.
    run(&file, "UPDATE plans SET keys = '['").await;
    let other = folder.path().join("other.db");
    let report = backup(&url(&file), &other).await.unwrap();
    assert_eq!(report.problems.len(), 1);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[3 * 4096..].fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let third = folder.path().join("third.db");
    let error = backup(&url(&file), &third).await.unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
    assert_eq!(names(folder.path()), ["copy.db", "data", "other.db"]);
}

#[tokio::test]
async fn a_backup_comes_back_and_what_it_replaces_is_kept() {
    let (folder, file) = database().await;
    let copy = folder.path().join("copy.db");
    backup(&url(&file), &copy).await.unwrap();
    run(&file, "UPDATE plans SET plan = '{}'").await;
    let before = std::fs::read(&file).unwrap();

    let error = restore(&url(&file), &copy, false).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Exists { .. }), "{error}");
    let error = restore(&url(&copy), &file, true).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Unsound { .. }), "{error}");
    assert!(std::fs::read(&file).unwrap() == before);
    assert_eq!(names(file.parent().unwrap()), ["test.db"]);

    let restored = restore(&url(&file), &copy, true).await.unwrap();
    let kept = restored.kept.unwrap();
    assert_eq!(kept, file.with_file_name("test.db.replaced-1"));
    assert!(check(&url(&kept)).await.unwrap().problems.len() == 1);
    assert_eq!(check(&url(&file)).await.unwrap().problems, []);
    // And where there is nothing.
    let new = folder.path().join("new/data.db");
    assert!(
        restore(&url(&new), &copy, false)
            .await
            .unwrap()
            .kept
            .is_none()
    );
    assert_eq!(check(&url(&new)).await.unwrap().sessions, 1);
    assert_eq!(names(new.parent().unwrap()), ["data.db", "data.db.lock"]);
}

#[tokio::test]
async fn changes_beside_a_file_that_goes_are_not_taken_into_the_new_one() {
    let (folder, file) = database().await;
    let copy = folder.path().join("copy.db");
    backup(&url(&file), &copy).await.unwrap();
    std::fs::write(&file, [0xa5; 9_000]).unwrap();
    std::fs::write(file.with_file_name("test.db-wal"), "changes").unwrap();
    // Nobody has it open, so SQLite looks at the changes, and finds none.
    let restored = restore(&url(&file), &copy, true).await.unwrap();
    assert!(restored.kept.is_some());
    let kept = std::fs::read(file.with_file_name("test.db.replaced-1")).unwrap();
    assert!(kept == [0xa5; 9_000]);
    assert_eq!(
        names(file.parent().unwrap()),
        ["test.db", "test.db.lock", "test.db.replaced-1"]
    );
    assert_eq!(check(&url(&file)).await.unwrap().sessions, 1);

    // Without a database, changes must not be taken for those of the new file.
    std::fs::remove_file(&file).unwrap();
    std::fs::write(file.with_file_name("test.db-wal"), "changes").unwrap();
    restore(&url(&file), &copy, false).await.unwrap();
    let kept = file.with_file_name("test.db.replaced-2-wal");
    assert_eq!(std::fs::read(kept).unwrap(), b"changes");
    assert_eq!(check(&url(&file)).await.unwrap().sessions, 1);
}

#[tokio::test]
async fn vacuum_gives_room_back() {
    let (_folder, file) = database().await;
    run(
        &file,
        "CREATE TABLE t (b BLOB); INSERT INTO t VALUES (zeroblob(5000000)); DROP TABLE t",
    )
    .await;
    let sizes = vacuum(&url(&file)).await.unwrap();
    assert!(
        sizes.before > 5_000_000 && sizes.after + 4_000_000 < sizes.before,
        "{sizes:?}"
    );
    assert_eq!(check(&url(&file)).await.unwrap().problems, []);
    // The study goes on.
    let storage = storage::open(&url(&file)).await.unwrap();
    let mut snapshot = storage.study_snapshot(STUDY).await.unwrap();
    assert_eq!(snapshot.sessions().await.unwrap().ordinals.len(), 1);
}

#[tokio::test]
async fn what_a_backup_would_send_again_waits_for_somebody_to_look() {
    let (folder, file) = database().await;
    let copy = folder.path().join("copy.db");
    let opened = async || storage::open(&url(&file)).await.unwrap();
    let approve = |session: &str| NewDecision {
        study: STUDY.into(),
        session: SessionId(session.into()),
        platform: "prolific".into(),
        deed: Deed::Approve {
            amount: Amount::of_hundredths(300),
            currency: "GBP".into(),
        },
        decided_by: None,
        decided_at_unix_ms: 1,
        course: Course::waiting(1, 0),
    };
    let there = opened().await;
    for session in ["a", "b"] {
        there.decide(approve(session)).await.unwrap();
    }
    let second = there.decision(2).await.unwrap().unwrap();
    let back = DecisionStep {
        number: 2,
        to: second.course.taken_back(None, 2).unwrap(),
        from: second.course,
        entries: Vec::new(),
    };
    assert!(there.step_decision(back).await.unwrap());
    there.close().await;
    backup(&url(&file), &copy).await.unwrap();

    let restored = restore(&url(&file), &copy, true).await.unwrap();
    assert_eq!(restored.doubted, 1);
    let there = opened().await;
    let state = async |number| there.decision(number).await.unwrap().unwrap().course.state;
    assert_eq!(state(1).await, DecisionState::Uncertain);
    assert_eq!(state(2).await, DecisionState::TakenBack);
    assert!(there.decisions_due(u64::MAX / 4).await.unwrap().is_empty());
}
