//! A server whose log nobody reads any more goes on serving, and stops when told to.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const START: &str = r#"{"attempt":"0123456789abcdef0123"}"#;

fn post_start(address: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    write!(
        connection,
        "POST /api/studies/sinelines-demo/sessions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{START}",
        START.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn ends_within(child: &mut Child, time: Duration) -> bool {
    let until = Instant::now() + time;
    while Instant::now() < until {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn it_starts_sessions_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_redial"))
        .args(["serve", "--bind", "127.0.0.1:0", "--database"])
        .arg(format!("sqlite://{}/test.db", folder.path().display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever read the log is gone: from now on every line of it fails.
    drop(server.stderr.take());
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.trim().rsplit("http://").next().unwrap().to_owned();

    let status = post_start(&address);
    let signalled = Command::new("kill")
        .arg(server.id().to_string())
        .status()
        .unwrap();
    let ended = ends_within(&mut server, Duration::from_secs(30));
    if !ended {
        server.kill().unwrap();
        server.wait().unwrap();
    }
    assert!(
        status.contains(" 200 ") || status.contains(" 201 "),
        "{status}"
    );
    assert!(signalled.success());
    assert!(ended, "SIGTERM was lost");
}
