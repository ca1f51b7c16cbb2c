//! What requests and messages may hold until they are answered, before and after it is known whose they are.

use std::net::SocketAddr;
use std::time::Duration;

use api::{ClientMessage, ErrorCode, routes};
use axum::body::Body;
use axum::http::Request;
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use server::limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::app::{ATTEMPT, App, STUDY, ack, log_of};
use crate::limits::{from, listening};

/// 64 KB, of which one address gets 16.
fn few_bytes() -> Limits {
    Limits {
        bytes: 64 * 1024,
        ..Limits::default()
    }
}

async fn socket(own: &str, to: SocketAddr) -> WebSocketStream<TcpStream> {
    let stream = from(own, to).await;
    let url = format!("ws://{to}{}", routes::STREAM);
    client_async(url, stream).await.unwrap().0
}

/// The beginning of a message of a megabyte, in one frame, and no more of it than `bytes`.
async fn half_a_message(socket: &mut WebSocketStream<TcpStream>, bytes: usize) {
    // FIN and text; a mask, and a length in 8 bytes (RFC 6455, section 5.2).
    let mut frame = vec![0x81, 0xff];
    frame.extend((1_000_000_u64).to_be_bytes());
    frame.extend([0; 4]);
    frame.resize(frame.len() + bytes, b' ');
    // The server may have closed it before all of it is sent.
    let _ = socket.get_mut().write_all(&frame).await;
}

/// Waits until requests hold so many bytes.
async fn holds(app: &App, wanted: std::ops::Range<usize>) {
    let until = async {
        while !wanted.contains(&app.state.bytes.taken()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), until)
        .await
        .unwrap_or_else(|_| panic!("{} bytes are held", app.state.bytes.taken()));
}

async fn is_answered(socket: &mut WebSocketStream<TcpStream>) {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(_))) => return,
            Some(Ok(Message::Ping(_))) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn is_ended(socket: &mut WebSocketStream<TcpStream>) -> bool {
    let ended = async {
        while let Some(Ok(message)) = socket.next().await {
            if message.is_close() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(5), ended)
        .await
        .is_ok()
}

/// 150 of them sent 4 MB each, and the server had 1.4 GB.
#[tokio::test]
async fn a_socket_that_has_not_said_hello_may_hold_64_kb() {
    let (app, address) = listening(Limits::default()).await;
    let mut strangers = Vec::new();
    for _ in 0..3 {
        let mut stranger = socket("127.0.0.1", address).await;
        half_a_message(&mut stranger, 60_000).await;
        strangers.push(stranger);
    }
    holds(&app, 180_000..181_000).await;
    for stranger in &mut strangers {
        let _ = stranger.get_mut().write_all(&[b' '; 6_000]).await;
        assert!(is_ended(stranger).await);
    }
    holds(&app, 0..1).await;
}

#[tokio::test]
async fn a_socket_with_a_session_gets_its_bytes_back_with_the_answer() {
    let (app, address) = listening(Limits::default()).await;
    let started = app.start(ATTEMPT).await;
    let mut own = socket("127.0.0.1", address).await;
    let hello = ClientMessage::Hello {
        session: started.plan.session.clone(),
        token: started.token.clone(),
    };
    let hello = serde_json::to_string(&hello).unwrap();
    own.send(Message::text(hello)).await.unwrap();
    is_answered(&mut own).await;
    holds(&app, 0..1).await;
    // More than a stranger may send.
    let text = " ".repeat(200_000);
    own.send(Message::text(text)).await.unwrap();
    is_answered(&mut own).await;
    holds(&app, 0..1).await;
}

/// Nothing answers a sign of life, so its bytes are not held until something does.
#[tokio::test]
async fn signs_of_life_hold_nothing() {
    let (app, address) = listening(Limits::default()).await;
    let mut own = socket("127.0.0.1", address).await;
    for _ in 0..3 {
        own.send(Message::Ping(vec![0; 100].into())).await.unwrap();
        own.send(Message::Pong(Vec::new().into())).await.unwrap();
    }
    holds(&app, 0..1).await;
    // One between the parts of a message leaves what came of the message.
    let mut part = vec![0x01, 0xfe];
    part.extend(9_000_u16.to_be_bytes());
    part.resize(part.len() + 4 + 9_000, 0);
    own.get_mut().write_all(&part).await.unwrap();
    own.send(Message::Ping(vec![0; 100].into())).await.unwrap();
    for _ in 0..4 {
        assert!(own.next().await.unwrap().unwrap().is_pong());
    }
    holds(&app, part.len()..part.len() + 1).await;
}

#[tokio::test]
async fn one_address_holds_a_quarter_and_others_are_served() {
    let (app, address) = listening(few_bytes()).await;
    let started = app.start(ATTEMPT).await;
    let mut greedy = socket("127.0.0.2", address).await;
    half_a_message(&mut greedy, 15_000).await;
    holds(&app, 15_000..15_100).await;
    let mut second = socket("127.0.0.2", address).await;
    half_a_message(&mut second, 15_000).await;
    assert!(is_ended(&mut second).await);
    // Its requests are told when to come back.
    let mut refused = from("127.0.0.2", address).await;
    let body = json!({ "attempt": "x".repeat(3_000) }).to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        routes::study_sessions(STUDY),
        body.len()
    );
    refused.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    refused.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("retry-after: 5"), "{answer}");
    // Somebody else goes on.
    let log = log_of(&started);
    assert_eq!(ack(&app.append(&started, &log[..9]).await), 9);
    drop(greedy);
    holds(&app, 0..1).await;
}

/// 400 bodies of 2 MB trickled, and the server had 1.5 GB for as long as they liked.
#[tokio::test]
async fn a_long_body_is_read_once_it_is_known_whose_it_is() {
    let (app, address) = listening(Limits::default()).await;
    let started = app.start(ATTEMPT).await;
    let send = async |token: &str, sent: usize| {
        let mut stream = from("127.0.0.1", address).await;
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
            routes::events(&started.plan.session)
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; sent]).await.unwrap();
        stream
    };
    let known = send(&started.token, 500_000).await;
    holds(&app, 500_000..500_001).await;
    let mut stranger = send("nobody's", 1_000_000).await;
    let mut answer = [0; 12];
    stranger.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 401");
    holds(&app, 500_000..500_001).await;
    drop(known);
    holds(&app, 0..1).await;
}

/// A beacon names its token in its body, and browsers send no more than this.
#[tokio::test]
async fn nothing_without_a_token_in_its_head_may_be_longer_than_64_kb() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    for endpoint in server::http::endpoints() {
        let path = endpoint
            .path
            .replace("{study}", STUDY)
            .replace("{session}", &started.plan.session.0)
            .replace("{recording}", "0")
            .replace("{piece}", "0")
            .replace("{sha256}", &"0".repeat(64));
        let request = Request::builder()
            .method(endpoint.method.clone())
            .uri(&path)
            .header("content-type", "application/json")
            .body(Body::from(vec![b' '; 70_000]))
            .unwrap();
        let answer = app.send(request).await;
        let code = answer.error().code;
        let named = matches!(code, ErrorCode::TooLarge | ErrorCode::Unauthorised);
        assert!(named, "{} {path}: {code:?}", endpoint.method);
    }
    assert_eq!(app.state.bytes.taken(), 0);
}
