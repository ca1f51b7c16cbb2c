//! Lab sessions: who may follow one, what is seen of it, and what the participant's page is asked.

use std::time::{Duration, Instant};

use api::lab::{ActLogged, LabRequests, LabStudies, PieceStored};
use api::replay::{NewEvents, ReplayState};
use api::research::Studies;
use api::{ErrorCode, SessionStarted, routes};
use axum::http::Method;
use domain::session::Session;
use domain::session::event::{Author, Event};
use serde_json::{Value, json};
use server::secrets::TokenHash;
use server::sessions::SessionError;
use server::storage::{Recorded, Transcript};

use crate::app::{ATTEMPT, App, AppResponse, STUDY, Setup, ack, log_of, of_page, study_json};

pub fn setup() -> Setup {
    let lab = json!({
        "format": 2, "id": STUDY, "title": "Beside somebody", "mode": "lab",
        "parts": [{ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } }],
        "seed": 3
    });
    let mut online = study_json();
    online["id"] = json!("alone");
    Setup {
        study: lab,
        others: vec![online],
        ..Setup::default()
    }
}

pub struct Lab {
    pub app: App,
    key: String,
}

impl Lab {
    async fn new() -> Self {
        Self::with(setup()).await
    }

    async fn with(setup: Setup) -> Self {
        let mut app = App::with(setup).await;
        let key = app.state.sessions.lab_key().await.unwrap();
        app.state.lab_key = Some(TokenHash::of(&key));
        app.router = server::http::router(app.state.clone());
        Self { app, key }
    }

    async fn get(&self, path: &str) -> AppResponse {
        let key = Some(&*self.key);
        self.app.call(Method::GET, path, key, None).await
    }

    async fn act(&self, started: &SessionStarted, act: Value) -> AppResponse {
        let path = routes::lab_acts(STUDY, &started.plan.session);
        self.app.post(&path, Some(&self.key), act).await
    }

    async fn events(&self, started: &SessionStarted, ends: &str) -> NewEvents {
        let path = routes::research_events(STUDY, &started.plan.session);
        self.get(&format!("{path}?identifying=true&{ends}"))
            .await
            .json()
    }

    async fn asked(&self, started: &SessionStarted, from: u64) -> LabRequests {
        let path = format!("{}?from={from}", routes::asked(&started.plan.session));
        let token = Some(&*started.token);
        self.app.call(Method::GET, &path, token, None).await.json()
    }
}

#[tokio::test]
async fn the_key_opens_lab_sessions_and_nothing_else() {
    let lab = Lab::new().await;
    let started = lab.app.start_as(ATTEMPT, "P07").await;
    let online: SessionStarted = lab
        .app
        .post(
            &routes::study_sessions("alone"),
            None,
            json!({ "attempt": "another-attempt-0" }),
        )
        .await
        .json();
    for path in [
        routes::LAB_STUDIES.to_owned(),
        routes::research_session(STUDY, &started.plan.session),
        routes::research_events(STUDY, &started.plan.session),
    ] {
        for wrong in [None, Some("wrong"), Some(&*started.token)] {
            let answer = lab.app.call(Method::GET, &path, wrong, None).await;
            answer.refused(ErrorCode::Unauthorised);
        }
    }
    let listed: LabStudies = lab.get(routes::LAB_STUDIES).await.json();
    assert_eq!(listed.studies.len(), 1);
    let sessions = &listed.studies[0].sessions;
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0].session, started.plan.session);
    assert_eq!(sessions[0].participant_code.as_deref(), Some("P07"));
    assert!(!sessions[0].ended);
    let shown: ReplayState = lab
        .get(&routes::research_session(STUDY, &started.plan.session))
        .await
        .json();
    assert_eq!(shown.plan, started.plan);
    assert_eq!(shown.title, "Beside somebody");
    // A session in which nobody sits beside the participant is followed by nobody.
    for study in ["alone", STUDY] {
        lab.get(&routes::research_session(study, &online.plan.session))
            .await
            .refused(ErrorCode::Forbidden);
    }
    // Nor does the key open the rest of the area.
    for path in [
        routes::research_study(STUDY),
        routes::research_exports(STUDY),
    ] {
        lab.get(&path).await.refused(ErrorCode::Forbidden);
    }
    let own: Studies = lab.get(routes::RESEARCH_STUDIES).await.json();
    assert!(own.studies.is_empty());
    // The key is no token: nothing of the participant's can be written with it.
    let append = routes::events(&started.plan.session);
    let batch = json!({ "events": log_of(&started)[..1] });
    lab.app
        .post(&append, Some(&lab.key), batch)
        .await
        .refused(ErrorCode::Unauthorised);
    // The key outlives a restart.
    let key = lab.key.clone();
    let again = lab.app.restart().await;
    assert_eq!(again.state.sessions.lab_key().await.unwrap(), key);
}

#[tokio::test]
async fn who_follows_sees_each_event_as_soon_as_it_is_on_disk() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&lab.app.append(&started, &log[..3]).await);
    let first = lab.events(&started, "").await;
    assert_eq!(first.events, log[..3]);
    // Nothing is there yet: the answer waits for it.
    let begun = Instant::now();
    let (new, acked) = tokio::join!(lab.events(&started, "participant=3"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        ack(&lab.app.append(&started, &log[3..5]).await)
    });
    assert_eq!(acked, 5);
    assert_eq!(new.events, log[3..5]);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(begun.elapsed() < Duration::from_secs(10));
    // What was read leads to the same state as the log.
    let replayed = Session::new(started.plan.clone())
        .replayed(&log[..5])
        .unwrap();
    let mut followed = Session::new(started.plan.clone());
    for event in first.events.iter().chain(&new.events) {
        followed.apply(event).unwrap();
    }
    assert_eq!(followed.phase(), replayed.phase());
    let path = routes::research_events(STUDY, &started.plan.session);
    lab.get(&format!("{path}?participant=x"))
        .await
        .refused(ErrorCode::Malformed);
}

#[tokio::test]
async fn what_the_experimenter_does_is_logged_and_the_page_hears_what_it_is_asked() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&lab.app.append(&started, &log[..3]).await);
    let noted: ActLogged = lab
        .act(
            &started,
            json!({ "act": "note", "text": "moves one dial at a time", "mark": "strategy" }),
        )
        .await
        .json();
    let (asked, acted) = tokio::join!(lab.asked(&started, 0), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        lab.act(&started, json!({ "act": "pause" }))
            .await
            .json::<ActLogged>()
    });
    assert!(acted.at_ms >= noted.at_ms);
    // The note is none of the participant's business.
    assert_eq!(asked.events.len(), 1);
    assert_eq!(asked.events[0].event, Event::PauseAsked);
    assert_eq!(asked.read_to, 2);
    lab.act(&started, json!({ "act": "end_stage", "stage": 0 }))
        .await
        .json::<ActLogged>();
    let next = lab.asked(&started, asked.read_to).await;
    assert_eq!(next.events[0].event, Event::StageEndAsked { stage: 0 });

    for (act, code) in [
        (
            json!({ "act": "end_stage", "stage": 1 }),
            ErrorCode::Refused,
        ),
        (json!({ "act": "note", "text": " " }), ErrorCode::Malformed),
        (
            json!({ "act": "note", "text": "x".repeat(5_001) }),
            ErrorCode::Refused,
        ),
        (
            json!({ "act": "note", "text": "later", "about_ms": 1_000_000_000_000_u64 }),
            ErrorCode::Refused,
        ),
        (json!({ "act": "erase" }), ErrorCode::Malformed),
    ] {
        lab.act(&started, act).await.refused(code);
    }
    let out = lab.app.export().await;
    let events = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
    assert!(events.contains("strategy") && !events.contains("one dial at a time"));
    let storage = &lab.app.state.storage;
    let own = storage
        .events(&started.plan.session, Author::Experimenter, 0, 10)
        .await
        .unwrap();
    assert_eq!(own.len(), 3);
    // Another server on the same log allows what follows.
    let app = lab.app.restart().await;
    ack(&app.append(&started, &log[3..]).await);
}

#[tokio::test]
async fn a_server_that_stops_keeps_nobody_waiting() {
    let lab = Lab::new().await;
    let started = lab.app.start(ATTEMPT).await;
    let path = routes::research_events(STUDY, &started.plan.session);
    let begun = Instant::now();
    let (answer, ()) = tokio::join!(lab.get(&path), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        lab.app.state.stopping.cancel();
    });
    answer.refused(ErrorCode::Unavailable);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

/// A study that records, and whether its participant agreed.
async fn recorded(agreed: bool) -> (Lab, SessionStarted) {
    recorded_with(agreed, setup()).await
}

/// As [`recorded`], with a server that is set up so.
pub async fn recorded_with(agreed: bool, setup: Setup) -> (Lab, SessionStarted) {
    let mut with_sound = setup;
    with_sound.study["lab"] = json!({ "recording": { "delete_after_days": 2 } });
    let lab = Lab::with(with_sound).await;
    let started = lab.app.start(ATTEMPT).await;
    let answer = of_page(&started, 0, 5, Event::RecordingAnswered { agreed });
    ack(&lab.app.append(&started, &[answer]).await);
    (lab, started)
}

pub async fn hand_in(lab: &Lab, started: &SessionStarted, piece: u32, bytes: &[u8]) -> AppResponse {
    let path = routes::piece(&started.plan.session, "0", &piece.to_string());
    let request = axum::http::Request::post(path)
        .header("authorization", format!("Bearer {}", started.token))
        .body(axum::body::Body::from(bytes.to_vec()))
        .unwrap();
    lab.app.send(request).await
}

#[tokio::test]
async fn a_piece_is_stored_once_and_goes_with_the_session() {
    let (lab, started) = recorded(true).await;
    let stored: PieceStored = hand_in(&lab, &started, 0, b"abc").await.json();
    // printf abc | sha256sum
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(stored.sha256, abc);
    // The answer was lost.
    assert_eq!(
        hand_in(&lab, &started, 0, b"abc")
            .await
            .json::<PieceStored>(),
        stored
    );
    let refused = hand_in(&lab, &started, 0, b"other").await;
    refused.refused(ErrorCode::Refused);
    let refused = hand_in(&lab, &started, 1, b"").await;
    refused.refused(ErrorCode::Malformed);
    let long = vec![0; domain::session::lab::MAX_PIECE_BYTES + 1];
    let refused = hand_in(&lab, &started, 1, &long).await;
    refused.refused(ErrorCode::TooLarge);
    let id = &started.plan.session;
    let recorded = || lab.app.state.storage.recorded(id);
    assert_eq!(recorded().await.unwrap().pieces, 1);
    assert!(lab.app.state.sessions.erase(id).await.unwrap());
    assert_eq!(recorded().await.unwrap(), Recorded::default());
    let refused = hand_in(&lab, &started, 1, b"late").await;
    refused.refused(ErrorCode::Erased);
}

#[tokio::test]
async fn nothing_is_recorded_of_who_said_no() {
    let (lab, started) = recorded(false).await;
    let refused = hand_in(&lab, &started, 0, b"abc").await;
    refused.refused(ErrorCode::Refused);
    // Nor where the study does not record.
    let plain = Lab::new().await;
    let started = plain.app.start(ATTEMPT).await;
    let refused = hand_in(&plain, &started, 0, b"abc").await;
    refused.refused(ErrorCode::Refused);
}

#[tokio::test]
async fn a_transcript_lies_beside_its_recording_and_goes_with_it() {
    let (lab, started) = recorded(true).await;
    let id = &started.plan.session;
    let sha256 = hand_in(&lab, &started, 0, b"sound")
        .await
        .json::<PieceStored>()
        .sha256;
    let begun = Event::RecordingStarted {
        recording: 0,
        media_type: "audio/webm".into(),
    };
    let recorded = Event::PieceRecorded {
        recording: 0,
        piece: 0,
        sha256,
        bytes: 5,
        ended_ms: 5_900,
    };
    let log = [
        of_page(&started, 1, 2_000, begun),
        of_page(&started, 2, 6_000, recorded),
    ];
    ack(&lab.app.append(&started, &log).await);
    let sessions = &lab.app.state.sessions;
    let with = |recording, webvtt: &str| Transcript {
        recording,
        webvtt: webvtt.to_owned(),
    };
    let said = "WEBVTT\n\n00:01.500 --> 00:03.000\n<v Ada>I see it now\n";
    let refused = sessions
        .add_transcript(id, with(1, said))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("no recording 1"), "{refused}");
    let refused = sessions
        .add_transcript(id, with(0, "words"))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("line 1"), "{refused}");
    assert_eq!(sessions.add_transcript(id, with(0, said)).await.unwrap(), 1);

    let export = async |identifying: bool| {
        let out = lab.app.folder.path().join(format!("out-{identifying}"));
        let mut options = server::export::ExportOptions::new("");
        options.identifying = identifying;
        server::export::export(&*lab.app.state.storage, STUDY, &out, &options)
            .await
            .unwrap();
        out
    };
    let out = export(true).await;
    let table = crate::typed_text::tables(&out, "transcripts");
    // The recording began at 2,000 ms on the session's clock.
    assert!(table.contains(",0,0,3500,5000,Ada,I see it now"), "{table}");
    let file = out.join(format!("recordings/{id}-0.vtt"));
    assert_eq!(std::fs::read_to_string(file).unwrap(), said);
    let out = export(false).await;
    let table = crate::typed_text::tables(&out, "transcripts");
    assert!(
        !table.contains("I see it now") && !table.contains("Ada"),
        "{table}"
    );
    assert!(!out.join("recordings").exists());

    assert!(sessions.erase(id).await.unwrap());
    assert!(matches!(
        sessions.add_transcript(id, with(0, said)).await,
        Err(SessionError::NotFound)
    ));
}

#[tokio::test]
async fn recordings_are_deleted_on_their_day() {
    let (lab, started) = recorded(true).await;
    hand_in(&lab, &started, 0, b"the participant's voice")
        .await
        .json::<PieceStored>();
    let (storage, id) = (lab.app.state.storage.clone(), &started.plan.session);
    let now_unix_ms = storage
        .session(id)
        .await
        .unwrap()
        .unwrap()
        .created_at_unix_ms;
    let day_ms = 24 * 60 * 60 * 1_000;
    assert_eq!(
        storage
            .delete_due_pieces(now_unix_ms + day_ms)
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        storage
            .delete_due_pieces(now_unix_ms + 3 * day_ms)
            .await
            .unwrap(),
        1
    );
    storage.close().await;
    for file in std::fs::read_dir(lab.app.folder.path().join("data")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(17).any(|it| it == b"participant's voi");
            assert!(!found, "{}", path.display());
        }
    }
}
