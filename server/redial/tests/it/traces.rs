//! Spans of requests reach a collector of OpenTelemetry, where somebody has said where it is. The program has to be built
//! with the feature: `cargo test -p redial --features traces --test it traces`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::people::{STUDY, study};
use crate::program::Program;

/// A batch of spans is sent every five seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// The bodies of requests to a collector, which answers each.
fn collector() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (tell, requests) = channel();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let (mut request, mut some) = (String::new(), [0; 64 * 1024]);
            loop {
                let read = connection.read(&mut some).unwrap();
                request += &String::from_utf8_lossy(&some[..read]);
                let whole = request.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                    let head = head.to_ascii_lowercase();
                    let length = head.split("content-length: ").nth(1);
                    let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
                    length.is_none_or(|length: usize| body.len() >= length)
                });
                if whole || read == 0 {
                    break;
                }
            }
            let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
                          connection: close\r\n\r\n{}";
            connection.write_all(answer.as_bytes()).unwrap();
            if tell.send(request).is_err() {
                return;
            }
        }
    });
    (address, requests)
}

#[test]
fn a_request_is_a_span_without_what_is_secret() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("studies").join(STUDY);
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("study.json"), study().to_string()).unwrap();
    std::fs::write(at.join("consent.md"), "# Consent\n").unwrap();
    let (address, requests) = collector();
    let server = Program::start(folder.path(), |command| {
        command
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &address)
            .arg("--studies")
            .arg(folder.path().join("studies"))
            .stderr(Stdio::null());
    });
    let started =
        server.start_session(STUDY, &serde_json::json!({ "attempt": "0000000000000007" }));
    let session = api::routes::session(&started.plan.session);
    let (status, _) = server
        .request("GET", &session, Some(&started.token), None)
        .unwrap();
    assert_eq!(status, 200);
    let until = Instant::now() + PATIENCE;
    let mut all = String::new();
    while !all.contains("/api/sessions/{session}") {
        let left = until.saturating_duration_since(Instant::now());
        let request = requests.recv_timeout(left);
        let request = request.unwrap_or_else(|_| panic!("no span of the request came: {all}"));
        assert!(request.starts_with("POST /v1/traces "), "{request}");
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert!(body["resourceSpans"].is_array(), "{body}");
        all += &body.to_string();
    }
    assert!(all.contains("redial") && all.contains("\"GET\""), "{all}");
    for secret in [&started.token, "0000000000000007"] {
        assert!(!all.contains(secret), "{secret} is in {all}");
    }
}
