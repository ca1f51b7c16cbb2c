//! A server on loopback that stands for a platform's API: it checks who asks, and how.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The keys of AWS's published test vectors.
pub const KEY_ID: &str = "AKIDEXAMPLE";
pub const KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
pub const TOKEN: &str = "a-token-of-prolific";

/// A request as it came.
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> &str {
        let header = self.headers.iter().find(|(key, _)| key == name);
        header.map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut hash = Hmac::<Sha256>::new_from_slice(key).unwrap();
    hash.update(text.as_bytes());
    hash.finalize().into_bytes().to_vec()
}

/// The signature of a request by AWS's published rules (Signature Version 4), from its own words:
/// date, scope and names of the headers that are signed.
pub fn signature(asked: &ReceivedRequest, date: &str, scope: &str, signed: &str) -> String {
    let headers: String = signed
        .split(';')
        .map(|name| format!("{name}:{}\n", asked.header(name).trim()))
        .collect();
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    let body = hex(&Sha256::digest(&asked.body));
    let canonical = format!(
        "{}\n{path}\n{query}\n{headers}\n{signed}\n{body}",
        asked.method
    );
    let hash = hex(&Sha256::digest(&canonical));
    let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{hash}");
    let mut key = format!("AWS4{KEY}").into_bytes();
    for part in scope.split('/') {
        key = hmac(&key, part);
    }
    hex(&hmac(&key, &to_sign))
}

/// Whether a request to Mechanical Turk is signed as AWS wants it.
pub fn is_signed(asked: &ReceivedRequest) -> bool {
    let said = asked.header("authorization");
    let field = |name: &str| {
        let rest = said.split_once(&format!("{name}=")).map(|(_, rest)| rest);
        rest.and_then(|rest| rest.split(',').next())
            .unwrap_or("")
            .trim()
            .to_owned()
    };
    let (credential, signed) = (field("Credential"), field("SignedHeaders"));
    let Some((id, scope)) = credential.split_once('/') else {
        return false;
    };
    let names: Vec<&str> = signed.split(';').collect();
    let date = asked.header("x-amz-date");
    said.starts_with("AWS4-HMAC-SHA256 ")
        && id == KEY_ID
        && scope == format!("{}/us-east-1/mturk-requester/aws4_request", &date[..8])
        && ["host", "x-amz-date", "x-amz-target"]
            .iter()
            .all(|name| names.contains(name))
        && field("Signature") == signature(asked, date, scope, &signed)
}

/// The platforms' answer to a request.
fn answer(asked: &ReceivedRequest) -> (u16, Value) {
    if asked.path != "/" {
        if asked.header("authorization") != format!("Token {TOKEN}") {
            return (401, json!({ "error": "No valid token was provided" }));
        }
        return match (asked.method.as_str(), asked.path.as_str()) {
            ("POST", "/api/v1/studies/") => (201, json!({ "id": "60aca280709ee40ec37d4885" })),
            ("GET", "/api/v1/studies/60/submissions/") => (
                200,
                json!({ "results": [
                    { "id": "61", "participant_id": "5f", "status": "AWAITING REVIEW" },
                    { "id": "69", "participant_id": "5e", "status": "TIMED-OUT" },
                ] }),
            ),
            ("POST", "/api/v1/submissions/61/transition/") => (200, json!({ "id": "61" })),
            ("POST", "/api/v1/submissions/bonus-payments/") => (201, json!({ "id": "b1" })),
            ("POST", "/api/v1/bulk-bonus-payments/b1/pay/") => (202, json!("paid soon")),
            _ => (404, json!({ "error": "The resource does not exist" })),
        };
    }
    if !is_signed(asked) {
        return (403, json!({ "__type": "InvalidSignatureException" }));
    }
    let operation = asked.header("x-amz-target").rsplit('.').next().unwrap();
    match operation {
        "CreateHIT" => (200, json!({ "HIT": { "HITId": "H1", "HITTypeId": "T1" } })),
        "ListAssignmentsForHIT" => (
            200,
            json!({ "Assignments": [
                { "AssignmentId": "A1", "WorkerId": "W1", "AssignmentStatus": "Submitted" },
            ] }),
        ),
        "GetAssignment" => (
            200,
            json!({ "Assignment": { "AssignmentStatus": "Submitted" } }),
        ),
        "ApproveAssignment" | "RejectAssignment" | "SendBonus" => (200, json!({})),
        _ => (400, json!({ "__type": "UnknownOperation" })),
    }
}

/// The server; what it was asked.
pub struct Requester {
    pub origin: String,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Requester {
    pub fn start() -> Self {
        Self::answering(answer)
    }

    /// One that answers in its own way.
    pub fn answering(
        mut answer: impl FnMut(&ReceivedRequest) -> (u16, Value) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        // It ends with the test program.
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let request = serve(connection.unwrap(), &mut answer);
                seen.lock().unwrap().push(request);
            }
        });
        Self { origin, asked }
    }

    /// The requests that it received since the last time.
    pub fn asked(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

fn serve(
    mut connection: TcpStream,
    answer: &mut impl FnMut(&ReceivedRequest) -> (u16, Value),
) -> ReceivedRequest {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let first = line();
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = Vec::new();
    loop {
        let header = line();
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut asked = ReceivedRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body: String::new(),
    };
    let length = asked.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    asked.body = String::from_utf8(body).unwrap();
    let (status, body) = answer(&asked);
    let body = body.to_string();
    // The program that asked may have been killed.
    let _ = write!(
        connection,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    asked
}

#[test]
fn the_stand_in_signs_as_the_published_test_vector() {
    // "get-vanilla" of the AWS Signature Version 4 test suite.
    let asked = ReceivedRequest {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        headers: vec![
            ("host".to_owned(), "example.amazonaws.com".to_owned()),
            ("x-amz-date".to_owned(), "20150830T123600Z".to_owned()),
        ],
        body: String::new(),
    };
    let scope = "20150830/us-east-1/service/aws4_request";
    assert_eq!(
        signature(&asked, "20150830T123600Z", scope, "host;x-amz-date"),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    );
}
