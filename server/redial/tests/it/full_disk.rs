//! The disk is full under the researcher's area: it reads, says so with every answer, and refuses changes.
#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::run;
use crate::faults::Rig;

const STUDY: &str = "quickstart";

/// Somebody who is signed in.
struct Researcher<'r> {
    rig: &'r Rig,
    headers: String,
}

/// A request as our own page sends it: its status, what the header about the storage says, all headers, and the body.
fn ask(
    rig: &Rig,
    (method, path): (&str, &str),
    headers: &str,
    body: Option<Value>,
) -> (u16, Option<String>, String, Value) {
    let mut connection = TcpStream::connect(rig.server.address()).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let body = body.map(|it| it.to_string()).unwrap_or_default();
    write!(
        connection,
        "{method} {path} HTTP/1.0\r\nhost: localhost\r\norigin: http://localhost\r\n{headers}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = serde_json::from_str(body).unwrap_or_default();
    (
        status,
        header(head, "x-redial-storage"),
        head.to_owned(),
        body,
    )
}

fn header(head: &str, name: &str) -> Option<String> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.to_owned())
}

impl<'r> Researcher<'r> {
    fn of(rig: &'r Rig) -> Self {
        let folder = rig.folder.path();
        let said = run(folder, &["user", "add", "ada", "--admin"]).succeeds();
        run(
            folder,
            &["user", "role", "ada", "--study", STUDY, "--as", "owner"],
        )
        .succeeds();
        let (_, key) = said.split_once("#password=").unwrap();
        let key = key.split_whitespace().next().unwrap();
        let password = "correct horse battery";
        let api = |path: &str, body| {
            let path = format!("/research/api/{path}");
            let answer = ask(rig, ("POST", &path), "", Some(body));
            assert_eq!(answer.0, 200, "{}", answer.3);
            answer
        };
        api(
            "password-by-link",
            json!({ "key": key, "password": password }),
        );
        let entered = api("sign-in", json!({ "name": "ada", "password": password }));
        Self::who(rig, &entered)
    }

    /// The researcher who got this answer at sign-in.
    fn who(rig: &'r Rig, (_, _, head, me): &(u16, Option<String>, String, Value)) -> Self {
        let cookie = header(head, "set-cookie").unwrap();
        let cookie = cookie.split(';').next().unwrap();
        let key = me["change_key"].as_str().unwrap();
        let headers = format!("cookie: {cookie}\r\nx-redial-change-key: {key}\r\n");
        Self { rig, headers }
    }

    /// Status, what is said of the storage, and the body.
    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Option<String>, Value) {
        let path = format!("/research/api/{path}");
        let (status, storage, _, body) = ask(self.rig, (method, &path), &self.headers, body);
        (status, storage, body)
    }

    fn pause(&self, paused: bool) -> (u16, Option<String>, Value) {
        let path = format!("studies/{STUDY}/pause");
        self.ask("POST", &path, Some(json!({ "paused": paused })))
    }

    /// The first message of the live stream.
    fn live(&self) -> String {
        let mut connection = TcpStream::connect(self.rig.server.address()).unwrap();
        connection
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        write!(
            connection,
            "GET /research/api/live HTTP/1.1\r\nhost: localhost\r\n{}\r\n",
            self.headers
        )
        .unwrap();
        let (mut heard, mut some) = (String::new(), [0; 4_096]);
        while !heard.contains("\"kind\":\"picture\"") || !heard.ends_with("\n\n\r\n") {
            let length = connection.read(&mut some).unwrap();
            assert_ne!(length, 0, "{heard}");
            heard += &String::from_utf8_lossy(&some[..length]);
        }
        heard
    }
}

#[test]
fn the_area_reads_says_that_the_disk_is_full_and_refuses_changes() {
    let rig = Rig::new();
    rig.append_well(0, 5);
    let ada = Researcher::of(&rig);
    let full = Some("full".to_owned());
    assert_eq!(ada.pause(false).0, 200);
    assert_eq!(ada.ask("GET", "studies", None).1, None);
    assert!(ada.live().contains("\"health\":\"good\""));

    rig.set_fault("full");
    let (status, storage, refused) = ada.pause(true);
    assert_eq!(
        (status, &refused["error"]["code"], &storage),
        (503, &json!("storage_full"), &full)
    );
    let (status, storage, list) = ada.ask("GET", "studies", None);
    assert_eq!((status, &storage), (200, &full));
    let study = &list["studies"][0];
    assert_eq!(study["counts"]["started"], 1);
    assert_eq!(study["cells"][0]["paused"], false, "nothing was changed");
    for path in [
        "me",
        "people",
        "audit-log",
        &format!("studies/{STUDY}/sessions"),
        &format!("studies/{STUDY}/decisions"),
        &format!("studies/{STUDY}/sessions/{}", rig.started.plan.session),
    ] {
        let (status, storage, body) = ada.ask("GET", path, None);
        assert_eq!((status, &storage), (200, &full), "{path}: {body}");
    }
    assert!(ada.live().contains("\"health\":\"full\""));
    // Also to somebody who is not signed in. They can come to see what is wrong, but change nothing.
    let ways = ask(&rig, ("GET", "/research/api/sign-in"), "", None);
    assert_eq!((ways.0, ways.1), (200, full.clone()));
    let body = json!({ "name": "ada", "password": "correct horse battery" });
    let entered = ask(&rig, ("POST", "/research/api/sign-in"), "", Some(body));
    assert_eq!((entered.0, &entered.1), (200, &full), "{}", entered.3);
    let late = Researcher::who(&rig, &entered);
    let (status, _, list) = late.ask("GET", "studies", None);
    assert_eq!(status, 200);
    assert_eq!(list["studies"][0]["study"], STUDY);
    assert_eq!(late.pause(true).0, 503);
    let (_, _, places) = late.ask("GET", "sign-ins", None);
    assert_eq!(places["sign_ins"].as_array().unwrap().len(), 2);
    for (method, path, body) in [
        (
            "POST",
            "tokens",
            Some(json!({ "label": "l", "scopes": ["read"], "studies": [STUDY] })),
        ),
        (
            "POST",
            &*format!("studies/{STUDY}/status"),
            Some(json!({ "status": "closed" })),
        ),
        ("DELETE", "sign-ins", None),
    ] {
        let (status, storage, refused) = ada.ask(method, path, body);
        let found = (status, &refused["error"]["code"], &storage);
        assert_eq!(found, (503, &json!("storage_full"), &full), "{path}");
    }

    // Commands that ask the server are refused, too.
    let folder = rig.folder.path();
    run(folder, &["study", "pause", STUDY]).refuses(&["full"]);

    rig.set_fault("");
    assert_eq!(ada.pause(true), (200, None, json!({})));
    // The researcher who came meanwhile is still there.
    assert_eq!(late.pause(false), (200, None, json!({})));
    assert_eq!(late.ask("DELETE", "sign-ins", None).0, 200);
    assert_eq!(late.ask("GET", "studies", None).0, 401);
    assert_eq!(ada.ask("GET", "studies", None).1, None);
    assert!(ada.live().contains("\"health\":\"good\""));
}
