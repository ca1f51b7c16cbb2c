//! Sound of lab sessions that is kept outside of the database, or not there any more.

use std::path::{Path, PathBuf};

use api::ErrorCode;
use api::lab::PieceStored;
use domain::session::event::Event;
use serde_json::Value;
use server::database;
use server::storage::{BlobPlace, DatabaseAddress};

use crate::app::{STUDY, Setup, ack, identifying, of_page};
use crate::lab::{Lab, hand_in, recorded_with};

/// A session with three pieces of sound, whose blobs are in this folder.
async fn with_sound(folder: &Path) -> (Lab, api::SessionStarted, [String; 3]) {
    let (lab, started) = recorded_with(
        true,
        Setup {
            blobs: BlobPlace::Folder(folder.to_owned()),
            ..crate::lab::setup()
        },
    )
    .await;
    let begun = Event::RecordingStarted {
        recording: 0,
        media_type: "audio/webm".into(),
    };
    let mut events = vec![of_page(&started, 1, 10, begun)];
    let mut names = Vec::new();
    for piece in 0..3u32 {
        let sound = format!("{} {piece}", started.plan.session);
        let stored: PieceStored = hand_in(&lab, &started, piece, sound.as_bytes())
            .await
            .json();
        names.push(stored.sha256.clone());
        let recorded = Event::PieceRecorded {
            recording: 0,
            piece,
            sha256: stored.sha256,
            bytes: sound.len() as u64,
            ended_ms: 4_000 * (u64::from(piece) + 1),
        };
        let ended_ms = 4_000 * (u64::from(piece) + 1);
        events.push(of_page(
            &started,
            2 + u64::from(piece),
            ended_ms + 100,
            recorded,
        ));
    }
    ack(&lab.app.append(&started, &events).await);
    (lab, started, names.try_into().unwrap())
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(&name[..2]).join(name)
}

#[tokio::test]
async fn a_piece_that_cannot_be_stored_is_not_acknowledged_and_is_later() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("blobs");
    let (lab, started, names) = with_sound(&blobs).await;
    assert!(file(&blobs, &names[0]).exists());
    let aside = folder.path().join("aside");
    std::fs::rename(&blobs, &aside).unwrap();
    std::fs::write(&blobs, b"in the way").unwrap();
    let refused = hand_in(&lab, &started, 3, b"more").await;
    assert_eq!(refused.status, 503);
    refused.refused(ErrorCode::Unavailable);
    let recorded = async || {
        let recorded = lab.app.state.storage.recorded(&started.plan.session);
        recorded.await.unwrap().pieces
    };
    assert_eq!(recorded().await, 3, "no row without its blob");
    std::fs::remove_file(&blobs).unwrap();
    std::fs::rename(&aside, &blobs).unwrap();
    let stored: PieceStored = hand_in(&lab, &started, 3, b"more").await.json();
    assert!(file(&blobs, &stored.sha256).exists());
    assert_eq!(recorded().await, 4);
}

#[tokio::test]
async fn missing_and_damaged_sound_is_named_and_in_nobody_s_way() {
    let folder = tempfile::tempdir().unwrap();
    let (lab, started, names) = with_sound(folder.path()).await;
    let check = async || {
        let at = DatabaseAddress {
            url: lab.app.url(),
            blobs: BlobPlace::Folder(folder.path().to_owned()),
        };
        let report = database::check(at).await.unwrap();
        assert_eq!(report.pieces, 3);
        let texts = report.problems.iter().map(ToString::to_string);
        texts.collect::<Vec<_>>()
    };
    assert_eq!(check().await, [""; 0]);
    std::fs::write(file(folder.path(), &names[1]), b"noise").unwrap();
    std::fs::remove_file(file(folder.path(), &names[2])).unwrap();
    let told = check().await;
    let session = &started.plan.session;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with(&format!("session {session}, recording 0, piece 1: ")));
    assert!(told[0].contains("its content has changed"), "{told:?}");
    let missing = format!("session {session}, recording 0, piece 2: its sound is missing");
    assert_eq!(told[1], missing);

    let out = lab.app.export_of(STUDY, identifying()).await;
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["sessions"], 1);
    let problems = manifest["problems"].as_array().unwrap();
    assert_eq!(
        problems.len(),
        1,
        "what comes after it is not read: {problems:?}"
    );
    assert_eq!(problems[0]["record"], "recording 0, piece 1");
    let sound = out.join(format!("recordings/{session}-0.webm"));
    let first = format!("{session} 0");
    assert_eq!(std::fs::read_to_string(sound).unwrap(), first);
}

#[tokio::test]
async fn sound_of_an_erased_session_is_gone_from_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (lab, started, names) = with_sound(folder.path()).await;
    assert!(names.iter().all(|name| file(folder.path(), name).exists()));
    let sessions = &lab.app.state.sessions;
    assert!(sessions.erase(&started.plan.session).await.unwrap());
    assert!(names.iter().all(|name| !file(folder.path(), name).exists()));
}
