//! What sessions refer to, and what a snapshot shows.

use domain::session::event::Author;
use models::bundle::packed;
use server::storage::{
    Blob, NewSession, StorageError, StoredBundle, StoredInstance, StoredSession, StoredText,
};

use super::scene::Scene;

pub async fn what_is_named_by_its_hash_is_stored_once(scene: Scene) {
    let hash = |what: &str| format!("{}-{what}", scene.study);
    let instance = |what: &str, byte: u8| StoredInstance {
        sha256: hash(what),
        bytes: vec![byte; 9].into(),
    };
    let card = scene.study.as_bytes();
    let bundle = StoredBundle {
        sha256: Blob::of(packed(card, None, Some(&[1; 3])))
            .sha256()
            .to_owned(),
        name: "m".into(),
        card: card.into(),
        weights: None,
        held_out: Some([1; 3].into()),
    };
    let (storage, other) = (&scene.storage, &scene.other);
    storage
        .store_instances(vec![instance("x", 1), instance("y", 2)])
        .await
        .unwrap();
    other.store_instances(vec![instance("x", 3)]).await.unwrap();
    assert_eq!(other.instance(&hash("x")).await.unwrap(), Some(vec![1; 9]));
    assert_eq!(other.instance(&hash("z")).await.unwrap(), None);
    assert_eq!(other.bundle(&bundle.sha256).await.unwrap(), None);
    for (attempt, byte) in [("a", 1), ("b", 2)] {
        let new = NewSession {
            instances: vec![instance("z", byte)],
            bundles: vec![bundle.clone().into()],
            ..scene.assigned(attempt).await
        };
        scene.create(new).await;
    }
    assert_eq!(other.instance(&hash("z")).await.unwrap(), Some(vec![1; 9]));
    let found = other.bundle(&bundle.sha256).await.unwrap();
    assert_eq!(found.as_ref(), Some(&bundle));
    let another = StoredBundle {
        card: [2].into(),
        sha256: hash("bundle"),
        ..bundle
    };
    let new = NewSession {
        bundles: vec![another.into()],
        ..scene.assigned("c").await
    };
    let told = storage.create_session(new).await;
    assert!(matches!(told, Err(StorageError::Rejected(_))), "{told:?}");
}

pub async fn definitions_and_texts_of_a_study_are_kept(scene: Scene) {
    let text = |file: &str, markdown: &str| StoredText {
        file: file.into(),
        sha256: format!("{markdown}'s hash"),
        markdown: markdown.as_bytes().into(),
    };
    for (attempt, version) in [("a", "1"), ("b", "2"), ("c", "2")] {
        let new = scene.assigned(attempt).await;
        let new = NewSession {
            session: StoredSession {
                study_sha256: format!("{}-{version}", scene.study),
                ..new.session
            },
            study_json: version.as_bytes().into(),
            texts: vec![text("consent.md", version), text("i.md", "same")],
            ..new
        };
        scene.create(new).await;
    }
    let mut snapshot = scene.snapshot().await;
    let versions = ["1", "2"].map(|version| format!("{}-{version}", scene.study));
    assert_eq!(snapshot.study_versions().await.unwrap(), versions);
    let json = snapshot.study_version(&versions[1]).await.unwrap();
    assert_eq!(json.as_deref(), Some(b"2".as_slice()));
    assert!(snapshot.study_version("none").await.unwrap().is_none());
    let texts: Vec<(String, String, String)> = snapshot
        .texts()
        .await
        .unwrap()
        .into_iter()
        .map(|(version, text)| {
            let markdown = String::from_utf8_lossy(&text.markdown).into_owned();
            (version, text.file, markdown)
        })
        .collect();
    let expected = |version: usize, file: &str, markdown: &str| {
        (
            versions[version].clone(),
            file.to_owned(),
            markdown.to_owned(),
        )
    };
    assert_eq!(
        texts,
        [
            expected(0, "consent.md", "1"),
            expected(0, "i.md", "same"),
            expected(1, "consent.md", "2"),
            expected(1, "i.md", "same"),
        ]
    );
}

pub async fn a_snapshot_does_not_see_what_is_written_after_it(scene: Scene) {
    let id = scene.started("a").await;
    scene.storage.append(scene.append("a", 0, 3)).await.unwrap();
    let mut snapshot = scene.storage.study_snapshot(&scene.study).await.unwrap();
    scene.storage.append(scene.append("a", 3, 4)).await.unwrap();
    scene.started("b").await;
    assert_eq!(snapshot.sessions().await.unwrap().ordinals, [1]);
    let stored = snapshot.session(&id).await.unwrap().unwrap();
    assert_eq!(stored.log_len, 3);
    let author = Author::Participant;
    let events = snapshot.events(&id, author, 0, 1_000).await.unwrap();
    assert_eq!(events.len(), 3);
    assert_eq!(snapshot.ledger().await.unwrap().lines.len(), 1);
    let mut later = scene.snapshot().await;
    assert_eq!(later.sessions().await.unwrap().ordinals, [1, 2]);
    assert_eq!(later.ledger().await.unwrap().lines.len(), 2);
}
