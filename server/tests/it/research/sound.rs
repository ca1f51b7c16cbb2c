//! The sound of a session and its transcript: for those who may hear them, noted each time.

use api::lab::PieceStored;
use api::research::{Act, Role, SessionSound};
use api::{ErrorCode, SessionStarted, routes};
use domain::session::event::Event;
use serde_json::json;
use server::storage::Transcript;

use super::Area;
use crate::app::{ATTEMPT, STUDY, ack, of_page};

async fn hand_in(area: &Area, started: &SessionStarted, piece: u32, bytes: &[u8]) -> String {
    let path = routes::piece(&started.plan.session, "0", &piece.to_string());
    let request = axum::http::Request::post(path)
        .header("authorization", format!("Bearer {}", started.token))
        .body(axum::body::Body::from(bytes.to_vec()))
        .unwrap();
    area.app.send(request).await.json::<PieceStored>().sha256
}

/// A session with two pieces of sound, of which the second can be lost on its way.
async fn recorded(area: &Area, second_arrives: bool) -> SessionStarted {
    let started = area.app.start(ATTEMPT).await;
    let agreed = Event::RecordingAnswered { agreed: true };
    ack(&area
        .app
        .append(&started, &[of_page(&started, 0, 5, agreed)])
        .await);
    let first = hand_in(area, &started, 0, b"one").await;
    let second = if second_arrives {
        hand_in(area, &started, 1, b"two").await
    } else {
        "ab".repeat(32)
    };
    let piece = |piece, sha256, ended_ms| Event::PieceRecorded {
        recording: 0,
        piece,
        sha256,
        bytes: 3,
        ended_ms,
    };
    let begun = Event::RecordingStarted {
        recording: 0,
        media_type: "audio/webm;codecs=opus".into(),
    };
    let log = [
        of_page(&started, 1, 2_000, begun),
        of_page(&started, 2, 6_000, piece(0, first, 6_000)),
        of_page(&started, 3, 10_000, piece(1, second, 10_000)),
    ];
    ack(&area.app.append(&started, &log).await);
    started
}

async fn area() -> Area {
    let area = Area::of(json!({
        "format": 2, "id": STUDY, "title": "Aloud", "mode": "lab", "seed": 1,
        "lab": { "recording": { "delete_after_days": 2 } },
        "parts": [{ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1 } }],
    }))
    .await;
    for (name, role, granted) in [
        ("ada", Role::Owner, false),
        ("ann", Role::Analyst, false),
        ("amy", Role::Analyst, true),
        ("vic", Role::Viewer, false),
    ] {
        area.add(name, false, &[(STUDY, role, granted)]).await;
    }
    area
}

#[tokio::test]
async fn sound_and_words_are_for_those_who_may_identify_and_noted() {
    let area = area().await;
    let started = recorded(&area, true).await;
    let session = &started.plan.session;
    let said = "WEBVTT\n\n00:01.500 --> 00:03.000\n<v Ada>I see it now\n";
    let transcript = Transcript {
        recording: 0,
        webvtt: said.to_owned(),
    };
    let sessions = &area.app.state.sessions;
    sessions.add_transcript(session, transcript).await.unwrap();
    let sound = routes::research_sound(STUDY, session);
    let file = routes::research_sound_file(STUDY, session);
    for name in ["ann", "vic"] {
        let shows = area.sign_in(name).await;
        for path in [&sound, &file] {
            let refused = area.get(path, &shows).await;
            assert!(!refused.text().contains("I see it"));
            refused.refused(ErrorCode::Forbidden);
        }
    }
    let noted = async || {
        let acts = area.acts().await.into_iter();
        acts.filter(|(_, act)| *act == Act::Identified).count()
    };
    assert_eq!(noted().await, 0);
    for name in ["ada", "amy"] {
        let shows = area.sign_in(name).await;
        let found: SessionSound = area.get(&sound, &shows).await.json();
        let [recording] = &found.recordings[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (
                recording.started_at_ms,
                recording.ended_at_ms,
                recording.playable_until_ms
            ),
            (2_000, 10_000, 10_000)
        );
        assert_eq!(
            (
                recording.pieces,
                recording.playable_pieces,
                recording.missing_pieces
            ),
            (2, 2, 0)
        );
        let cues = recording.transcript.as_ref().unwrap();
        // On the session's clock.
        assert_eq!((cues[0].starts_at_ms, cues[0].ends_at_ms), (3_500, 5_000));
        assert_eq!(cues[0].speaker.as_deref(), Some("Ada"));
        assert_eq!(cues[0].text, "I see it now");
        let bytes = area.get(&file, &shows).await;
        assert_eq!(bytes.headers["content-type"], "audio/webm");
        assert_eq!(bytes.headers["cache-control"], "no-store");
        assert_eq!(&bytes.bytes[..], b"onetwo");
    }
    assert_eq!(noted().await, 4);
    let shows = area.sign_in("ada").await;
    area.get(&format!("{file}?recording=1"), &shows)
        .await
        .refused(ErrorCode::NotFound);
    area.get(&format!("{file}?recording=x"), &shows)
        .await
        .refused(ErrorCode::Malformed);
}

#[tokio::test]
async fn a_piece_that_is_missing_is_said_and_ends_the_file() {
    let area = area().await;
    let started = recorded(&area, false).await;
    let session = &started.plan.session;
    let shows = area.sign_in("ada").await;
    let path = routes::research_sound(STUDY, session);
    let found: SessionSound = area.get(&path, &shows).await.json();
    let recording = &found.recordings[0];
    assert_eq!(
        (
            recording.pieces,
            recording.playable_pieces,
            recording.missing_pieces
        ),
        (2, 1, 1)
    );
    assert_eq!(recording.playable_until_ms, 6_000);
    assert_eq!(recording.transcript, None);
    let path = routes::research_sound_file(STUDY, session);
    assert_eq!(&area.get(&path, &shows).await.bytes[..], b"one");
}

#[tokio::test]
async fn a_session_without_sound_says_so_and_nothing_is_noted() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let started = area.app.start(ATTEMPT).await;
    let session = &started.plan.session;
    let shows = area.sign_in("ada").await;
    let path = routes::research_sound(STUDY, session);
    let found: SessionSound = area.get(&path, &shows).await.json();
    assert!(found.recordings.is_empty());
    let acts = area.acts().await;
    assert!(acts.iter().all(|(_, act)| *act != Act::Identified));
}
