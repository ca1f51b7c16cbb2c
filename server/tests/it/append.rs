use api::{ErrorCode, MAX_BATCH_EVENTS, MAX_BODY_BYTES, routes};
use axum::body::Body;
use axum::http::Request;
use domain::session::event::{Author, Event, SessionId};
use serde_json::json;

use crate::app::{ATTEMPT, App, Setup, ack, log_of, state_on};

#[tokio::test]
async fn batches_add_up_and_may_overlap_if_they_say_the_same() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    assert_eq!(ack(&app.append(&started, &log[..3]).await), 3);
    assert_eq!(ack(&app.append(&started, &log[..3]).await), 3, "again");
    assert_eq!(
        ack(&app.append(&started, &log[1..5]).await),
        5,
        "overlapping"
    );
    assert_eq!(ack(&app.append(&started, &log[2..4]).await), 5, "all known");

    let beacon = json!({ "token": started.token, "batch": { "events": log[4..8] } });
    let path = routes::beacon(&started.plan.session);
    assert_eq!(ack(&app.post(&path, None, beacon.clone()).await), 8);
    assert_eq!(ack(&app.post(&path, None, beacon).await), 8);

    let state = app.state_of(&started).await;
    assert_eq!(state.events, log[..8]);
    assert_eq!(state.plan, started.plan);
    assert_eq!(state.completion_code, None);
    assert!(state.since_last_event_ms.is_some_and(|ms| ms < 60_000));
}

#[tokio::test]
async fn a_session_without_events_has_no_time_since_the_last() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let state = app.state_of(&started).await;
    assert_eq!(state.since_last_event_ms, None);
}

#[tokio::test]
async fn the_same_batch_from_many_places_at_once_is_logged_once() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    let answers =
        futures_util::future::join_all((0..20).map(|_| app.append(&started, &log[..10]))).await;
    assert!(answers.iter().all(|answer| ack(answer) == 10));
    assert_eq!(
        app.events(&started.plan.session, Author::Participant)
            .await
            .len(),
        10
    );
}

#[tokio::test]
async fn each_bad_batch_has_its_own_error_and_leaves_the_session_unharmed() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let other = app.start("another-attempt-1").await;
    let log = log_of(&started);
    let path = routes::events(&started.plan.session);
    let token = Some(started.token.as_str());
    assert_eq!(ack(&app.append(&started, &log[..3]).await), 3);

    let refused = app.refuses(&started, &log[4..6], ErrorCode::Gap).await;
    assert_eq!(refused.acked_len, Some(3));

    let mut changed = log[1..4].to_vec();
    changed[0].at_ms += 1;
    let refused = app.refuses(&started, &changed, ErrorCode::Conflict).await;
    assert_eq!(refused.acked_len, Some(3));

    let hole = [log[3].clone(), log[5].clone()];
    app.refuses(&started, &hole, ErrorCode::Refused).await;

    let mut not_now = log[3..6].to_vec();
    not_now[2].event = Event::BreakEnded { part: 0 };
    let refused = app.refuses(&started, &not_now, ErrorCode::Refused).await;
    assert_eq!(refused.acked_len, Some(3));
    assert!(refused.message.contains("event 5"), "{}", refused.message);

    let mut foreign = log[3..4].to_vec();
    foreign[0].session = SessionId(other.plan.session.0.clone());
    app.refuses(&started, &foreign, ErrorCode::Refused).await;

    let mut later = log[3..4].to_vec();
    later[0].format = 3;
    let refused = app.refuses(&started, &later, ErrorCode::Malformed).await;
    assert!(refused.message.contains("format 3"), "{}", refused.message);
    let mut posing = log[3..4].to_vec();
    posing[0].author = Author::Server;
    app.refuses(&started, &posing, ErrorCode::Malformed).await;
    later[0].format = log[3].format;
    later[0].at_ms = u64::MAX;
    app.refuses(&started, &later, ErrorCode::Malformed).await;

    app.refuses(&started, &[], ErrorCode::Malformed).await;
    let many = vec![log[3].clone(); MAX_BATCH_EVENTS + 1];
    app.refuses(&started, &many, ErrorCode::TooLarge).await;

    let body = json!({ "events": log[3..4] });
    app.post(&path, None, body.clone())
        .await
        .refused(ErrorCode::Unauthorised);
    app.post(&path, Some("nonsense"), body.clone())
        .await
        .refused(ErrorCode::Unauthorised);
    app.post(&path, Some(&other.token), body.clone())
        .await
        .refused(ErrorCode::Unauthorised);
    let beacon = json!({ "token": other.token, "batch": body });
    app.post(&routes::beacon(&started.plan.session), None, beacon)
        .await
        .refused(ErrorCode::Unauthorised);
    let nobody = SessionId("0".repeat(32));
    app.post(&routes::events(&nobody), token, body.clone())
        .await
        .refused(ErrorCode::NotFound);
    let nonsense = SessionId("Robert'); DROP".replace(' ', "%20"));
    app.post(&routes::events(&nonsense), token, body.clone())
        .await
        .refused(ErrorCode::NotFound);

    let raw = |media_type: &str, body: Vec<u8>| {
        Request::post(&path)
            .header("authorization", format!("Bearer {}", started.token))
            .header("content-type", media_type)
            .body(Body::from(body))
            .unwrap()
    };
    let text = body.to_string().into_bytes();
    app.send(raw("text/plain", text.clone()))
        .await
        .refused(ErrorCode::UnsupportedMediaType);
    app.send(raw("application/json", b"{\"events\":[".to_vec()))
        .await
        .refused(ErrorCode::Malformed);
    app.send(raw("application/json", vec![0xff; 10]))
        .await
        .refused(ErrorCode::Malformed);
    app.send(raw("application/json", vec![b' '; MAX_BODY_BYTES + 1]))
        .await
        .refused(ErrorCode::TooLarge);
    app.post(&path, token, json!({ "events": [{ "format": 1 }] }))
        .await
        .refused(ErrorCode::Malformed);
    app.post(&path, token, json!({ "events": log[3..4], "more": 1 }))
        .await
        .refused(ErrorCode::Malformed);

    assert_eq!(
        app.events(&started.plan.session, Author::Participant)
            .await
            .len(),
        3
    );
    assert_eq!(app.acked_len(&other).await, 0);
    let rest = app.append(&started, &log[3..]).await;
    assert_eq!(ack(&rest), log.len() as u64, "the session goes on");
    assert_eq!(
        ack(&app.send(raw("application/json; charset=utf-8", text)).await),
        log.len() as u64
    );
}

#[tokio::test]
async fn a_session_goes_on_after_a_restart_at_any_point() {
    let mut app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    let mut logged = 0;
    for end in [1, 7, 20, 21, log.len()] {
        assert_eq!(
            ack(&app.append(&started, &log[logged..end]).await),
            end as u64
        );
        app = app.restart().await;
        assert_eq!(app.acked_len(&started).await, end as u64);
        logged = end;
    }
}

#[tokio::test]
async fn two_servers_on_one_database_do_not_part_a_log() {
    let app = App::new().await;
    let started = app.start_as(ATTEMPT, "P1").await;
    let log = log_of(&started);
    let second = App {
        state: state_on(&app.folder, &app.setup).await,
        router: server::http::router(state_on(&app.folder, &app.setup).await),
        folder: tempfile::tempdir().unwrap(),
        setup: Setup::default(),
    };
    assert_eq!(ack(&app.append(&started, &log[..3]).await), 3);
    assert_eq!(ack(&second.append(&started, &log[..6]).await), 6);
    assert_eq!(
        ack(&app.append(&started, &log[3..9]).await),
        9,
        "the first has fallen behind"
    );
    assert_eq!(ack(&second.append(&started, &log[6..9]).await), 9);
    // Neither answers from what it knew, nor refuses by it.
    assert_eq!(ack(&app.append(&started, &log[9..12]).await), 12);
    assert_eq!(second.acked_len(&started).await, 12);
    assert_eq!(ack(&app.append(&started, &log[12..15]).await), 15);
    assert_eq!(ack(&second.append(&started, &log[15..18]).await), 18);
    assert_eq!(ack(&app.append(&started, &log[18..20]).await), 20, "no gap");
    assert_eq!(
        app.events(&started.plan.session, Author::Participant)
            .await
            .len(),
        20
    );

    let again = second.start_as("another-attempt-0", "P1").await;
    assert_eq!(
        ack(&app.append(&again, &log[20..22]).await),
        22,
        "a token the first has not seen"
    );
}
