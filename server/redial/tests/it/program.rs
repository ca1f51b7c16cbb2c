//! `redial serve` as a process, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use api::SessionStarted;
use serde_json::{Value, json};

/// How long a server may take to answer or to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; ends with the value.
pub struct Program {
    pub child: Child,
    address: String,
}

impl Program {
    /// Starts a server on the database `test.db` in `folder`, with further settings.
    pub fn start(folder: &Path, settings: impl FnOnce(&mut Command)) -> Self {
        Self::start_by(|program| Command::new(program), folder, settings)
    }

    /// As [`start`](Self::start), by a command that ends with the program.
    pub fn start_by(
        command: impl FnOnce(&str) -> Command,
        folder: &Path,
        settings: impl FnOnce(&mut Command),
    ) -> Self {
        let mut command = command(env!("CARGO_BIN_EXE_redial"));
        command
            .args(["serve", "--bind", "127.0.0.1:0", "--database"])
            .arg(format!("sqlite://{}/test.db", folder.display()))
            .stdout(Stdio::piped());
        settings(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().rsplit("http://").next().unwrap().to_owned();
        Self { child, address }
    }

    /// Status and body of an answer.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> std::io::Result<(u16, Value)> {
        let token = token.map_or_else(String::new, |t| format!("authorization: Bearer {t}\r\n"));
        self.request_with(method, path, &format!("host: x\r\n{token}"), body)
    }

    /// The same as a page of the server asks, which no token is shown for.
    pub fn request_as_page(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> std::io::Result<(u16, Value)> {
        let headers = "host: localhost\r\norigin: http://localhost\r\n";
        self.request_with(method, path, headers, body)
    }

    fn request_with(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&Value>,
    ) -> std::io::Result<(u16, Value)> {
        let mut connection = TcpStream::connect(&self.address)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        let body = body.map(ToString::to_string).unwrap_or_default();
        // By version 1.0 the answer comes in one piece, until the connection ends.
        write!(
            connection,
            "{method} {path} HTTP/1.0\r\nconnection: close\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or(std::io::ErrorKind::UnexpectedEof)?;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Ok((status, serde_json::from_str(body).unwrap_or_default()))
    }

    /// Asks for a session of a study.
    pub fn ask_to_start(&self, study: &str, body: &Value) -> std::io::Result<(u16, Value)> {
        let path = api::routes::study_sessions(study);
        self.request("POST", &path, None, Some(body))
    }

    /// The same in the name of one attempt.
    pub fn ask_for(&self, study: &str, attempt: usize) -> std::io::Result<(u16, Value)> {
        let body = json!({ "attempt": format!("attempt-{attempt:012}") });
        self.ask_to_start(study, &body)
    }

    /// A session of a study.
    pub fn start_session(&self, study: &str, body: &Value) -> SessionStarted {
        let (status, started) = self.ask_to_start(study, body).unwrap();
        assert_eq!(status, 200, "{started}");
        serde_json::from_value(started).unwrap()
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let done = Command::new("kill")
            .args(["-s", name])
            .arg(self.child.id().to_string())
            .status();
        assert!(done.unwrap().success());
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How it ended, if it has.
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// How it ended, if it did in time.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.has_ended() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
