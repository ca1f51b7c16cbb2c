//! The live stream and WebSockets behind nginx and Caddy, with the settings of docs/proxies.md: what the server says comes
//! at once.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::run;
use crate::people::{STUDY, study};
use crate::program::Program;

mod proxy;

use proxy::Proxy;

/// A change is on its way for so long at most: the server makes a picture each second.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A pulse comes after ten seconds without a change.
const PULSE: Duration = Duration::from_secs(20);

/// Sends a request to the server as its own page does, over HTTPS as a proxy says; gives the connection.
fn ask(address: &str, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut connection = TcpStream::connect(address).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    write!(
        connection,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\norigin: https://{address}\r\n\
         x-forwarded-proto: https\r\n{headers}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    connection
}

/// Head of an answer, and what has come of its body with it.
fn answered(address: &str, method: &str, path: &str, body: &Value) -> String {
    let connection = ask(
        address,
        method,
        path,
        "connection: close\r\n",
        &body.to_string(),
    );
    let mut answer = String::new();
    BufReader::new(connection)
        .read_to_string(&mut answer)
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer
}

/// Signs somebody in who may look on; gives the cookie.
fn sign_in(folder: &Path, server: &Program) -> String {
    let said = run(folder, &["user", "add", "ada"]).succeeds();
    let (_, key) = said.split_once("/research#password=").unwrap();
    let key = key.split_whitespace().next().unwrap();
    run(
        folder,
        &["user", "role", "ada", "--study", STUDY, "--as", "viewer"],
    )
    .succeeds();
    let password = "correct horse battery";
    let body = json!({ "key": key, "password": password });
    answered(
        server.address(),
        "POST",
        api::routes::PASSWORD_BY_LINK,
        &body,
    );
    let body = json!({ "name": "ada", "password": password });
    let answer = answered(server.address(), "POST", api::routes::SIGN_IN, &body);
    let mut lines = answer.lines();
    let cookie = lines
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// The live stream, as it comes piece by piece.
struct Stream {
    pieces: Receiver<Vec<u8>>,
    all: String,
}

impl Stream {
    fn open(address: &str, cookie: &str, more: &str) -> Self {
        let (tell, pieces) = channel();
        let headers = format!("cookie: {cookie}\r\n{more}");
        let mut connection = ask(address, "GET", api::routes::LIVE, &headers, "");
        std::thread::spawn(move || {
            let mut piece = [0; 64 * 1024];
            while let Ok(read @ 1..) = connection.read(&mut piece) {
                if tell.send(piece[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            pieces,
            all: String::new(),
        }
    }

    /// Whether a message of a kind comes in time.
    fn hears(&mut self, kind: &str, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let wanted = format!("data: {{\"kind\":\"{kind}\"");
        while !self.all.contains(&wanted) {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(piece) = self.pieces.recv_timeout(left) else {
                return false;
            };
            self.all += &String::from_utf8_lossy(&piece);
        }
        self.all.clear();
        true
    }
}

/// A server behind a proxy on this machine, with the study that is taken.
fn server(folder: &Path) -> Program {
    let at = folder.join("studies").join(STUDY);
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("study.json"), study().to_string()).unwrap();
    std::fs::write(at.join("consent.md"), "# Consent\n").unwrap();
    Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .args(["--trusted-proxy", "127.0.0.1"])
            .stderr(Stdio::null());
    })
}

/// The traffic that a proxy has to let through: a live stream at once, WebSockets, and large requests.
fn lets_everything_through(server: &Program, proxy: &Proxy, cookie: &str) {
    let mut stream = Stream::open(&proxy.address, cookie, "");
    assert!(stream.hears("picture", AT_ONCE));
    for attempt in 0..3 {
        let attempt = format!("{attempt:0>8}{:0>12}", proxy.process());
        server.start_session(STUDY, &json!({ "attempt": attempt }));
        assert!(stream.hears("change", AT_ONCE), "start {attempt}");
    }
    assert!(stream.hears("pulse", PULSE));

    let attempt = format!("last{:0>12}", proxy.process());
    let started = server.start_session(STUDY, &json!({ "attempt": attempt }));
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let mut socket = ask(&proxy.address, "GET", api::routes::STREAM, upgrade, "");
    let mut head = [0; 12];
    socket.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");

    // The largest that the server takes is refused by it, and not by the proxy on the way.
    let token = format!(
        "authorization: Bearer {}\r\nconnection: close\r\n",
        started.token
    );
    let batch = format!("{{\"events\":[],\"padding\":\"{}\"}}", "x".repeat(3 << 20));
    let path = api::routes::events(&started.plan.session);
    let mut answer = String::new();
    ask(&proxy.address, "POST", &path, &token, &batch)
        .read_to_string(&mut answer)
        .unwrap();
    assert!(answer.contains("\"code\":"), "not the server's: {answer}");
}

#[test]
#[ignore = "needs Caddy: apt-get install caddy, or its path in CADDY_PROGRAM"]
fn everything_comes_through_caddy() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let cookie = sign_in(folder.path(), &server);
    let caddy = Proxy::caddy(server.address(), folder.path());
    lets_everything_through(&server, &caddy, &cookie);
    // Where the page asks for it, nothing is kept back by compressing.
    let stream = Stream::open(&caddy.address, &cookie, "accept-encoding: gzip\r\n");
    for patience in [AT_ONCE, PULSE] {
        assert!(stream.pieces.recv_timeout(patience).is_ok(), "kept back");
    }
}

#[test]
#[ignore = "needs nginx: apt-get install nginx-light, or its path in NGINX_PROGRAM"]
fn everything_comes_through_nginx() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = server(folder);
    let cookie = sign_in(folder, &server);
    let nginx = Proxy::nginx(server.address(), folder, "");
    lets_everything_through(&server, &nginx, &cookie);
    drop(nginx);

    // Where nginx compresses events, it would keep them until there are some kilobytes: the head of the answer says that
    // it must not. Without it nothing comes.
    let compressing = "gzip on; gzip_types text/event-stream; gzip_proxied any; gzip_min_length 0;";
    let asks = "accept-encoding: gzip\r\n";
    let nginx = Proxy::nginx(server.address(), folder, compressing);
    let stream = Stream::open(&nginx.address, &cookie, asks);
    for patience in [AT_ONCE, PULSE, PULSE] {
        assert!(stream.pieces.recv_timeout(patience).is_ok(), "kept back");
    }
    drop(nginx);
    let deaf = format!("{compressing} proxy_ignore_headers X-Accel-Buffering;");
    let nginx = Proxy::nginx(server.address(), folder, &deaf);
    let stream = Stream::open(&nginx.address, &cookie, asks);
    assert!(
        stream.pieces.recv_timeout(AT_ONCE).is_err(),
        "nothing is kept back"
    );
}
