//! Who takes everything gets little, and does not stand in the way of others.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use api::{ErrorCode, routes};
use axum::extract::ConnectInfo;
use serde_json::json;
use server::limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tower::ServiceExt;

use crate::app::{ATTEMPT, App, STUDY};

/// Limits that a test meets quickly.
fn short() -> Limits {
    Limits {
        connections: 64,
        head: Duration::from_millis(300),
        body: Duration::from_millis(300),
        stalled: Duration::from_millis(300),
        ..Limits::default()
    }
}

/// A server that listens, and its address.
pub async fn listening(limits: Limits) -> (App, SocketAddr) {
    let mut app = App::new().await;
    app.state = app.state.with_limits(limits);
    app.router = server::http::router(app.state.clone());
    let address = app.listen().await;
    (app, address)
}

/// A connection that comes from another address of this machine.
pub async fn from(own: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{own}:0").parse().unwrap()).unwrap();
    socket.connect(to).await.unwrap()
}

/// What the server sends until it closes the connection, and how long that took.
async fn rest(stream: &mut TcpStream) -> (String, Duration) {
    let start = Instant::now();
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    let reading = async {
        // A reset ends a connection as well as a goodbye does.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            text.extend_from_slice(&buffer[..count]);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reading)
        .await
        .expect("the server never closes this connection");
    (String::from_utf8_lossy(&text).into_owned(), start.elapsed())
}

/// One honest request, on a connection of its own.
async fn is_served(own: &str, to: SocketAddr) -> bool {
    let mut stream = from(own, to).await;
    let request = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.is_ok()
        && rest(&mut stream).await.0.starts_with("HTTP/1.1 200")
}

#[tokio::test]
async fn half_sent_heads_shut_nobody_out() {
    let (_app, address) = listening(short()).await;
    let mut attackers = Vec::new();
    for _ in 0..200 {
        let mut stream = from("127.0.0.2", address).await;
        // The server may have closed it by now.
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost:").await;
        attackers.push(stream);
    }
    assert!(is_served("127.0.0.1", address).await);
    // They are told off after a while, and then their address is served again.
    for stream in &mut attackers {
        rest(stream).await;
    }
    assert!(is_served("127.0.0.2", address).await);
}

#[tokio::test]
async fn a_connection_that_waits_too_long_ends() {
    let (_app, address) = listening(short()).await;
    let mut idle = from("127.0.0.1", address).await;
    let (said, _) = rest(&mut idle).await;
    assert_eq!(said, "");
    // Also between two requests.
    let mut kept = from("127.0.0.1", address).await;
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    kept.write_all(request).await.unwrap();
    let (said, time) = rest(&mut kept).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(time >= Duration::from_millis(200), "{time:?}");
}

#[tokio::test]
async fn a_body_that_drips_is_given_up() {
    let (_app, address) = listening(short()).await;
    let mut slow = from("127.0.0.1", address).await;
    let path = routes::study_sessions(STUDY);
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let (said, _) = rest(&mut slow).await;
    assert!(said.contains("came too slowly"), "{said}");
    // What is declared as far too long is not waited for.
    let mut long = from("127.0.0.1", address).await;
    let head = head.replace("length: 50", "length: 50000");
    long.write_all(head.as_bytes()).await.unwrap();
    let (said, _) = rest(&mut long).await;
    assert!(said.contains("at most 4096 bytes"), "{said}");
}

/// Sockets that ask for weights and read nothing end; meanwhile all share one copy.
#[tokio::test]
async fn who_reads_nothing_is_given_up() {
    let (app, address) = listening(short()).await;
    let models = app.state.library.models();
    let model = models.facts_of("mnist-ss5").unwrap();
    let path = routes::bundle_weights(&model.bundle_sha256);
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    // What had been sent before is still there to be read, not the whole file.
    let (said, _) = rest(&mut stream).await;
    let whole = models.get("mnist-ss5").unwrap().weights().unwrap();
    assert!(said.starts_with("HTTP/1.1 200"));
    assert!(
        said.len() < whole.len(),
        "{} of {}",
        said.len(),
        whole.len()
    );
}

#[tokio::test]
async fn one_address_starts_no_thousand_sessions_and_loses_none_it_has() {
    let app = App::new().await;
    let limits = Limits {
        starts_at_once: NonZeroU32::new(5).unwrap(),
        ..Limits::default()
    };
    let state = app.state.clone().with_limits(limits);
    let router = server::http::router(state);
    let start = async |own: &str, attempt: u32| {
        let body = json!({ "attempt": format!("{attempt:010}-abcdef") });
        let mut request = axum::http::Request::post(routes::study_sessions(STUDY))
            .header("content-type", "application/json")
            .body(axum::body::Body::from(body.to_string()))
            .unwrap();
        let peer: SocketAddr = format!("{own}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request).await.unwrap().status()
    };
    for attempt in 0..5 {
        assert_eq!(start("192.0.2.1", attempt).await, 200);
    }
    assert_eq!(start("192.0.2.1", 5).await, 503);
    assert_eq!(start("192.0.2.2", 6).await, 200);
    // Who has a session goes on.
    let started = app.start(ATTEMPT).await;
    assert_eq!(app.acked_len(&started).await, 0);
    let body = json!({ "attempt": "0".repeat(5_000) });
    app.ask_to_start(body).await.refused(ErrorCode::TooLarge);
}
