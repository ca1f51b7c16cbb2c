use super::*;
use UploadInput as Input;
use api::ClientMessage;

fn event(seq: usize) -> Rc<str> {
    format!(r#"{{"format":1,"session":"s","seq":{seq},"at_ms":{seq},"kind":"activity"}}"#).into()
}

fn events(range: std::ops::Range<usize>) -> Vec<Rc<str>> {
    range.map(event).collect()
}

fn ack(acked_len: u64) -> Input {
    Input::SocketSaid(ServerMessage::Ack(Ack { acked_len }))
}

fn error(code: ErrorCode, acked_len: Option<u64>) -> ErrorInfo {
    ErrorInfo {
        code,
        message: String::new(),
        acked_len,
    }
}

/// Sequence numbers in the batches among `actions`.
fn sent(actions: &[Action]) -> Vec<Vec<u64>> {
    actions
        .iter()
        .filter_map(|action| {
            let events = match action {
                Action::Send(text) => match serde_json::from_str(text).unwrap() {
                    ClientMessage::Batch(batch) => batch.events,
                    ClientMessage::Hello { .. } => panic!("the driver says hello"),
                },
                Action::Post(text) => serde_json::from_str::<api::Batch>(text).unwrap().events,
                _ => return None,
            };
            Some(events.iter().map(|e| e.seq).collect())
        })
        .collect()
}

/// A machine whose socket is open at time 0, the server holding nothing.
fn connected() -> Uploader {
    let mut up = Uploader::new(vec![], 0, 7, 0);
    assert_eq!(up.on(Input::Tick, 0), [Action::OpenSocket]);
    assert_eq!(up.on(Input::SocketOpened, 0), [Action::Greet]);
    assert_eq!(up.on(ack(0), 0), []);
    up
}

/// Lets time pass in ticks of 100 ms, failing every socket and POST; all actions with their times.
fn without_server(up: &mut Uploader, from_ms: u64, to_ms: u64) -> Vec<(u64, Action)> {
    let mut all = Vec::new();
    for now_ms in (from_ms..to_ms).step_by(100) {
        let mut pending = up.on(Input::Tick, now_ms);
        while !pending.is_empty() {
            let action = pending.remove(0);
            match &action {
                Action::OpenSocket => pending.extend(up.on(Input::SocketClosed, now_ms)),
                Action::Post(_) => pending
                    .extend(up.on(Input::PostAnswered(Err(PostFailure::Unreachable)), now_ms)),
                _ => {}
            }
            all.push((now_ms, action));
        }
    }
    all
}

#[test]
fn one_batch_is_in_flight_and_the_next_takes_all_that_came_meanwhile() {
    let mut up = connected();
    assert_eq!(sent(&up.on(Input::Stored(events(0..2)), 10)), [[0, 1]]);
    assert_eq!(up.on(Input::Stored(events(2..3)), 20), []);
    assert_eq!(up.on(Input::Stored(events(3..5)), 30), []);
    assert_eq!(sent(&up.on(ack(2), 40)), [[2, 3, 4]]);
    assert_eq!(up.acked_len(), 2);
    assert_eq!(up.on(ack(5), 50), []);
    assert_eq!(up.unacknowledged().count(), 0);
}

#[test]
fn the_answer_to_the_greeting_says_where_to_go_on() {
    let mut up = Uploader::new(events(0..6), 5, 7, 0);
    up.on(Input::Tick, 0);
    up.on(Input::SocketOpened, 0);
    assert_eq!(sent(&up.on(ack(2), 0)), [[2, 3, 4, 5]]);
    // A server that got more through a beacon than was counted here.
    assert_eq!(up.on(ack(9), 10), []);
    assert_eq!(up.acked_len(), 6);
}

#[test]
fn batches_stay_within_both_limits() {
    let mut up = connected();
    let batches = sent(&up.on(Input::Stored(events(0..2_500)), 0));
    assert_eq!(batches[0].len(), MAX_BATCH_EVENTS);
    assert_eq!(sent(&up.on(ack(1_000), 1))[0].len(), MAX_BATCH_EVENTS);
    assert_eq!(sent(&up.on(ack(2_000), 2))[0].len(), 500);

    let mut up = connected();
    let long: Rc<str> = "x".repeat(MAX_BATCH_BYTES / 2 - 10).into();
    let actions = up.on(Input::Stored(vec![long; 5]), 0);
    let [Action::Send(text)] = &actions[..] else {
        panic!("{}", actions.len())
    };
    assert!(text.len() < MAX_BATCH_BYTES + 100, "{}", text.len());
    // One event that is too long for any batch goes alone: the server has the last word.
    let mut up = connected();
    assert_eq!(
        up.on(
            Input::Stored(vec!["y".repeat(MAX_BATCH_BYTES * 2).into()]),
            0
        )
        .len(),
        1
    );
}

#[test]
fn an_answer_that_does_not_come_means_a_new_connection_and_the_same_batch() {
    let mut up = connected();
    up.on(Input::Stored(events(0..2)), 0);
    assert_eq!(up.on(Input::Tick, ACK_TIMEOUT_MS - 1), []);
    assert_eq!(up.on(Input::Tick, ACK_TIMEOUT_MS), [Action::CloseSocket]);
    assert_eq!(
        up.on(Input::Tick, ACK_TIMEOUT_MS + 500),
        [Action::OpenSocket]
    );
    up.on(Input::SocketOpened, ACK_TIMEOUT_MS + 510);
    assert_eq!(sent(&up.on(ack(0), ACK_TIMEOUT_MS + 520)), [[0, 1]]);
}

#[test]
fn after_two_failed_sockets_post_carries_on_until_a_socket_works() {
    let mut up = Uploader::new(events(0..2), 0, 7, 0);
    assert_eq!(up.on(Input::Tick, 0), [Action::OpenSocket]);
    assert_eq!(up.on(Input::SocketClosed, 0), []);
    assert_eq!(up.on(Input::Tick, 1_000), [Action::OpenSocket]);
    assert_eq!(sent(&up.on(Input::SocketClosed, 1_000)), [[0, 1]]);
    assert_eq!(
        up.on(Input::PostAnswered(Ok(Ack { acked_len: 2 })), 1_100),
        []
    );
    // Sockets go on failing in the background; the participant need not hear of it.
    assert_eq!(up.on(Input::Tick, 3_000), [Action::OpenSocket]);
    assert_eq!(up.on(Input::SocketClosed, 3_000), []);
    assert!(!up.is_offline(60_000));
    let actions = up.on(Input::Stored(events(2..3)), 3_100);
    assert!(matches!(actions[..], [Action::Post(_)]));
    up.on(Input::PostAnswered(Ok(Ack { acked_len: 3 })), 3_200);
    up.on(Input::Tick, 20_000);
    up.on(Input::SocketOpened, 20_010);
    up.on(ack(3), 20_020);
    let actions = up.on(Input::Stored(events(3..4)), 20_030);
    assert!(matches!(actions[..], [Action::Send(_)]));
}

#[test]
fn attempts_get_rarer_but_never_rarer_than_the_longest_delay() {
    let mut up = Uploader::new(events(0..1), 0, 7, 0);
    let actions = without_server(&mut up, 0, 120_000);
    for wanted in [
        |a: &Action| *a == Action::OpenSocket,
        |a: &Action| matches!(a, Action::Post(_)),
    ] {
        let times: Vec<u64> = actions
            .iter()
            .filter(|(_, a)| wanted(a))
            .map(|(t, _)| *t)
            .collect();
        let gaps: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(times.len() >= 10 && times.len() <= 30, "{times:?}");
        assert!(
            gaps.iter()
                .all(|gap| (250..=LONGEST_DELAY_MS + 200).contains(gap)),
            "{gaps:?}"
        );
        assert!(gaps[gaps.len() - 1] >= LONGEST_DELAY_MS / 2, "{gaps:?}");
    }
    assert_eq!(
        actions.iter().filter(|(_, a)| *a == Action::Lost).count(),
        1
    );
    // The network is back: at once, whatever the delay.
    let actions = up.on(Input::NetworkUp, 120_000);
    assert!(
        actions.contains(&Action::OpenSocket) || matches!(actions[..], [Action::Post(_)]),
        "{actions:?}"
    );
}

#[test]
fn a_short_break_is_not_reported_and_a_long_one_is_once() {
    let mut up = connected();
    assert_eq!(up.on(Input::SocketClosed, 1_000), []);
    assert!(!up.is_offline(2_900));
    up.on(Input::Tick, 1_600);
    up.on(Input::SocketOpened, 1_700);
    assert_eq!(up.on(ack(0), 1_800), []);

    assert_eq!(up.on(Input::NetworkDown, 5_000), [Action::CloseSocket]);
    let actions = without_server(&mut up, 5_100, 30_000);
    assert_eq!(
        actions.iter().filter(|(_, a)| *a == Action::Lost).count(),
        1
    );
    assert!(up.is_offline(30_000));
    up.on(Input::NetworkUp, 30_000);
    up.on(Input::SocketOpened, 30_010);
    assert_eq!(up.on(ack(0), 30_020), [Action::Restored]);
    assert!(!up.is_offline(90_000));
}

#[test]
fn a_gap_rewinds_but_not_in_a_hot_loop() {
    let mut up = connected();
    up.on(Input::Stored(events(0..4)), 0);
    up.on(ack(4), 1);
    up.on(Input::Stored(events(4..5)), 2);
    let gap = Input::SocketSaid(ServerMessage::Refused(error(ErrorCode::Gap, Some(1))));
    assert_eq!(up.on(gap.clone(), 3), []);
    assert_eq!(up.acked_len(), 1);
    assert_eq!(sent(&up.on(Input::Tick, 600)), [[1, 2, 3, 4]]);
    up.on(gap, 610);
    assert_eq!(up.on(Input::Tick, 700), []);
}

#[test]
fn trouble_on_the_server_is_waited_out() {
    for code in [ErrorCode::Internal, ErrorCode::Unavailable] {
        let mut up = connected();
        up.on(Input::Stored(events(0..1)), 0);
        assert_eq!(
            up.on(
                Input::SocketSaid(ServerMessage::Refused(error(code, None))),
                1
            ),
            []
        );
        assert_eq!(sent(&up.on(Input::Tick, 600)), [[0]]);
    }
}

#[test]
fn saving_has_stalled_when_nothing_was_acknowledged_for_20_seconds() {
    let mut up = connected();
    let full = || Input::SocketSaid(ServerMessage::Refused(error(ErrorCode::StorageFull, None)));
    assert!(!up.is_stalled(100_000), "nothing waits");
    assert_eq!(sent(&up.on(Input::Stored(events(0..2)), 1_000)), [[0, 1]]);
    up.on(full(), 1_000);
    for now_ms in (1_100..30_000).step_by(100) {
        if !sent(&up.on(Input::Tick, now_ms)).is_empty() {
            up.on(full(), now_ms);
        }
        // More is done meanwhile; that is no progress.
        if now_ms == 15_000 {
            up.on(Input::Stored(events(2..3)), now_ms);
        }
        assert_eq!(up.is_delayed(now_ms), now_ms >= 4_000, "{now_ms}");
        assert_eq!(up.is_stalled(now_ms), now_ms >= 21_000, "{now_ms}");
        assert!(!up.is_offline(now_ms), "the server is in reach");
    }
    up.on(ack(1), 30_000);
    assert!(!up.is_stalled(49_900), "one event was acknowledged");
    assert!(up.is_stalled(50_000));
    up.on(ack(3), 50_100);
    assert!(!up.is_stalled(100_000));
}

#[test]
fn a_refusal_stops_the_upload_and_keeps_the_log() {
    for code in [
        ErrorCode::Conflict,
        ErrorCode::Refused,
        ErrorCode::Unauthorised,
        ErrorCode::NotFound,
    ] {
        let mut up = connected();
        up.on(Input::Stored(events(0..1)), 0);
        let refused = error(code, Some(0));
        let actions = up.on(
            Input::SocketSaid(ServerMessage::Refused(refused.clone())),
            1,
        );
        assert_eq!(
            actions,
            [Action::CloseSocket, Action::Stopped(refused.clone())]
        );
        assert_eq!(up.on(Input::Stored(events(1..3)), 2), []);
        assert_eq!(up.on(Input::RetryNow, 60_000), []);
        assert_eq!(up.unacknowledged().count(), 3);
        assert_eq!(up.stopped(), Some(&refused));
    }
}
