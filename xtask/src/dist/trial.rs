//! A try of an archive: unpacked as whoever downloads it does, its program answers from an empty folder.

use crate::process::{BackgroundProgram, note, output, run};
use anyhow::{Context, Result, ensure};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long the program may take to say where it listens, and to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the program says before its address.
const LISTENING: &str = "listening on http://";

/// Addresses, and what their answers hold: the process runs; the app, the documentation and the studies are inside.
const ANSWERS: [(&str, &str); 4] = [
    ("/healthz", "\"status\""),
    ("/", "/assets/"),
    ("/docs/", "Redial"),
    ("/api/studies", "\"quickstart\""),
];

/// Unpacks an archive, and runs the program at a path in it: its version, then a server that stores nothing.
///
/// # Errors
/// When something does not answer as it should.
pub fn try_out(archive: &Path, program: &str, version: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    run(Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(folder.path()))
    .context("the archive cannot be unpacked")?;
    let elsewhere = tempfile::tempdir()?;
    let program = || {
        let mut command = Command::new(folder.path().join(program));
        command.current_dir(elsewhere.path());
        // Settings of whoever builds would be the program's, too.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("REDIAL_") {
                command.env_remove(name);
            }
        }
        command
    };
    let said = output(program().arg("--version"))?;
    ensure!(
        said.starts_with(&format!("redial {version}")),
        "the program says that it is {said}"
    );
    note(&said);
    let mut server = program();
    server.args(["serve", "--preview", "--bind", "127.0.0.1:0"]);
    let server = BackgroundProgram::start(&mut server)?;
    let line = server.line_that_begins_with(LISTENING, PATIENCE)?;
    let address = line[LISTENING.len()..].trim_end_matches('/');
    for (path, held) in ANSWERS {
        let answer = get(address, path).with_context(|| format!("GET {path}"))?;
        let status = answer.lines().next().unwrap_or_default();
        ensure!(
            status.contains(" 200 ") && answer.contains(held),
            "GET {path}: {status}; the answer has no {held}"
        );
        note(&format!("GET {path}: {status}"));
    }
    Ok(())
}

/// The whole answer to a request, its head first.
fn get(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
