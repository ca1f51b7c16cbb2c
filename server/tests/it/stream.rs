use std::time::Duration;

use api::{
    Ack, Batch, ClientMessage, ErrorCode, MAX_BODY_BYTES, ServerMessage, SessionStarted, routes,
};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::app::{ATTEMPT, App, ack, log_of};

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connects to the app, which listens from now on.
    async fn open(app: &App) -> Self {
        let url = format!("ws://{}{}", app.listen().await, routes::STREAM);
        Self(connect_async(url).await.unwrap().0)
    }

    async fn say(&mut self, message: &ClientMessage) -> ServerMessage {
        self.say_text(&serde_json::to_string(message).unwrap())
            .await
    }

    async fn say_text(&mut self, text: &str) -> ServerMessage {
        self.0.send(Message::text(text)).await.unwrap();
        self.hear().await
    }

    async fn hear(&mut self) -> ServerMessage {
        loop {
            match self.0.next().await.unwrap().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn closed(&mut self) -> CloseCode {
        loop {
            match tokio::time::timeout(Duration::from_secs(5), self.0.next())
                .await
                .unwrap()
            {
                Some(Ok(Message::Close(frame))) => return frame.unwrap().code,
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn hello(&mut self, started: &SessionStarted) -> ServerMessage {
        self.say(&ClientMessage::Hello {
            session: started.plan.session.clone(),
            token: started.token.clone(),
        })
        .await
    }
}

fn batch(events: &[domain::session::event::Envelope]) -> ClientMessage {
    ClientMessage::Batch(Batch {
        events: events.to_vec(),
    })
}

fn acked(acked_len: u64) -> ServerMessage {
    ServerMessage::Ack(Ack { acked_len })
}

fn refused(message: ServerMessage, code: ErrorCode) {
    match message {
        ServerMessage::Refused(error) => assert_eq!(error.code, code, "{}", error.message),
        ServerMessage::Ack(ack) => panic!("{ack:?}"),
    }
}

#[tokio::test]
async fn events_stream_in_beside_post_and_refusals_do_not_end_the_connection() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&app.append(&started, &log[..2]).await);
    let mut socket = Socket::open(&app).await;
    assert_eq!(socket.hello(&started).await, acked(2));
    assert_eq!(socket.say(&batch(&log[..5])).await, acked(5));
    assert_eq!(socket.say(&batch(&log[..5])).await, acked(5));
    refused(socket.say(&batch(&log[7..9])).await, ErrorCode::Gap);
    refused(socket.say_text("{}").await, ErrorCode::Malformed);
    refused(socket.say_text("[[[").await, ErrorCode::Malformed);
    refused(socket.hello(&started).await, ErrorCode::Malformed);
    socket.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    refused(socket.hear().await, ErrorCode::Malformed);
    ack(&app.append(&started, &log[5..8]).await);
    assert_eq!(socket.say(&batch(&log[5..])).await, acked(log.len() as u64));

    let mut second = Socket::open(&app).await;
    assert_eq!(second.hello(&started).await, acked(log.len() as u64));
}

#[tokio::test]
async fn batches_sent_without_waiting_are_answered_in_order() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    let mut socket = Socket::open(&app).await;
    socket.hello(&started).await;
    for chunk in log.chunks(4) {
        let text = serde_json::to_string(&batch(chunk)).unwrap();
        socket.0.send(Message::text(text)).await.unwrap();
    }
    for end in (0..log.len()).step_by(4) {
        assert_eq!(socket.hear().await, acked((end + 4).min(log.len()) as u64));
    }
}

#[tokio::test]
async fn a_connection_that_names_no_session_of_its_own_is_closed() {
    let app = App::new().await;
    let (started, other) = (
        app.start(ATTEMPT).await,
        app.start("another-attempt-1").await,
    );
    let log = log_of(&started);
    let mixed = SessionStarted {
        token: other.token,
        ..started.clone()
    };
    let mut nobody = started.clone();
    nobody.plan.session.0 = "x".into();

    let mut socket = Socket::open(&app).await;
    refused(socket.hello(&mixed).await, ErrorCode::Unauthorised);
    assert_eq!(socket.closed().await, CloseCode::Policy);
    let mut socket = Socket::open(&app).await;
    refused(socket.hello(&nobody).await, ErrorCode::NotFound);
    assert_eq!(socket.closed().await, CloseCode::Policy);
    let mut socket = Socket::open(&app).await;
    refused(socket.say(&batch(&log[..1])).await, ErrorCode::Malformed);
    assert_eq!(socket.closed().await, CloseCode::Policy);
    assert_eq!(app.acked_len(&started).await, 0);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_an_endless_one_ends_the_connection() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let mut socket = Socket::open(&app).await;
    socket.hello(&started).await;
    refused(
        socket.say_text(&" ".repeat(MAX_BODY_BYTES + 1)).await,
        ErrorCode::TooLarge,
    );
    assert_eq!(
        socket.say(&batch(&log_of(&started)[..1])).await,
        acked(1),
        "the session is unharmed"
    );

    // The server may be gone before all of it is sent.
    let _ = socket
        .0
        .send(Message::text(" ".repeat(5 * MAX_BODY_BYTES)))
        .await;
    let end = tokio::time::timeout(Duration::from_secs(5), socket.0.next())
        .await
        .unwrap();
    assert!(!matches!(end, Some(Ok(Message::Text(_)))), "{end:?}");
    assert_eq!(app.acked_len(&started).await, 1);
}

#[tokio::test]
async fn a_plain_request_is_told_what_the_address_is_for() {
    let app = App::new().await;
    app.get(routes::STREAM).await.refused(ErrorCode::Malformed);
}
