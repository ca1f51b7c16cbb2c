//! The live stream behind nginx, with the settings of docs/proxies.md: what the server says comes at once.

use std::io::{BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::run;
use crate::people::{STUDY, study};
use crate::program::Program;

/// A change is on its way for so long at most: the server makes a picture each second.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A pulse comes after ten seconds without a change.
const PULSE: Duration = Duration::from_secs(20);

/// nginx; ends with the value.
struct Nginx {
    child: Child,
    address: String,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The blocks of code for nginx in docs/proxies.md, in order.
fn documented() -> Vec<String> {
    let text = include_str!("../../../../docs/proxies.md");
    let blocks = text.split("```nginx\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

impl Nginx {
    /// Before a server, as the documentation says; `more` is added to its `location`.
    fn before(server: &str, folder: &Path, more: &str) -> Self {
        let blocks = documented();
        let (location, map) = (&blocks[0], &blocks[1]);
        assert!(location.starts_with("location / {") && map.starts_with("map "));
        let location = location
            .replace("127.0.0.1:8080", server)
            .replace("location / {", &format!("location / {{ {more}"));
        // Free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap().to_string();
        drop(port);
        let at = folder.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|of| format!("{of}_temp_path {at}/{of};\n"))
            .concat();
        let settings = format!(
            "daemon off;\nmaster_process off;\npid {at}/nginx.pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{temporary}{map}\nserver {{\nlisten {address};\n{location}\n}}\n}}\n"
        );
        let file = folder.join("nginx.conf");
        std::fs::write(&file, settings).unwrap();
        let program = std::env::var("NGINX_PROGRAM").unwrap_or_else(|_| "nginx".to_owned());
        let mut command = Command::new(program);
        command.arg("-p").arg(folder).arg("-c").arg(&file);
        let child = command
            .args(["-e", "stderr"])
            .stdout(Stdio::null())
            .spawn()
            .expect(
                "nginx is not there: apt-get install nginx-light, or name it with NGINX_PROGRAM",
            );
        let until = Instant::now() + AT_ONCE;
        while TcpStream::connect(&address).is_err() {
            assert!(Instant::now() < until, "nginx does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self { child, address }
    }
}

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

/// What comes of the live stream, piece by piece.
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

#[test]
#[ignore = "needs nginx: apt-get install nginx-light, or its path in NGINX_PROGRAM"]
fn the_live_stream_comes_at_once_through_nginx() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let at = folder.join("studies").join(STUDY);
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("study.json"), study().to_string()).unwrap();
    std::fs::write(at.join("consent.md"), "# Consent\n").unwrap();
    let server = Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .args(["--trusted-proxy", "127.0.0.1"])
            .stderr(Stdio::null());
    });
    let cookie = sign_in(folder, &server);
    let nginx = Nginx::before(server.address(), folder, "");
    let mut stream = Stream::open(&nginx.address, &cookie, "");
    assert!(stream.hears("picture", AT_ONCE));
    for attempt in 0..3 {
        let body = json!({ "attempt": format!("{attempt:0>16}") });
        server.start_session(STUDY, &body);
        assert!(stream.hears("change", AT_ONCE), "start {attempt}");
    }
    assert!(stream.hears("pulse", PULSE));
    drop(nginx);

    // Where nginx compresses events, it would keep them until there are some kilobytes: the head of the answer says that
    // it must not. Without it nothing comes.
    let compressing = "gzip on; gzip_types text/event-stream; gzip_proxied any; gzip_min_length 0;";
    let asks = "accept-encoding: gzip\r\n";
    let nginx = Nginx::before(server.address(), folder, compressing);
    let stream = Stream::open(&nginx.address, &cookie, asks);
    for patience in [AT_ONCE, PULSE, PULSE] {
        assert!(stream.pieces.recv_timeout(patience).is_ok(), "kept back");
    }
    drop(nginx);
    let deaf = format!("{compressing} proxy_ignore_headers X-Accel-Buffering;");
    let nginx = Nginx::before(server.address(), folder, &deaf);
    let stream = Stream::open(&nginx.address, &cookie, asks);
    assert!(
        stream.pieces.recv_timeout(AT_ONCE).is_err(),
        "nothing is kept back"
    );
}
