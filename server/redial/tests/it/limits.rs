//! The system's limits on the program, and the signals by which it asks it to stop.
#![cfg(unix)]

use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpSocket;

use crate::program::Program;

/// The terminal that it was started from is closed.
#[test]
fn a_hang_up_stops_it_as_sigterm_does() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["HUP", "TERM"] {
        let mut server = Program::start(folder.path(), |_| {});
        server.signal(signal);
        let status = server.ended().unwrap();
        assert!(status.success(), "SIG{signal}: {status}");
    }
}

/// It has no terminal that could be closed: somebody says that the certificate was renewed.
#[test]
fn with_a_certificate_and_no_terminal_a_hang_up_renews() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let renew = || {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
    };
    renew();
    let mut server = Program::start(folder.path(), |command| {
        command.arg("--certificate").arg(path("cert.pem"));
        command.arg("--key").arg(path("key.pem"));
        command.stdin(Stdio::null()).stderr(Stdio::null());
    });
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let trusts = || {
        let asked = Command::new("curl")
            .args(["--silent", "--max-time", "10", "--cacert"])
            .arg(path("cert.pem"))
            .args(["--resolve", &format!("localhost:{port}:127.0.0.1")])
            .arg(format!("https://localhost:{port}/healthz"))
            .output();
        asked.unwrap().status.success()
    };
    assert!(trusts());
    renew();
    assert!(!trusts());
    server.signal("HUP");
    let begun = Instant::now();
    while !trusts() {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(server.has_ended().is_none());
    server.terminate();
    assert!(server.ended().unwrap().success());
}

/// With 64 descriptors no connection was left for anybody; with 256 one address had half of them.
#[tokio::test]
async fn with_few_descriptors_one_address_gets_a_quarter() {
    let folder = tempfile::tempdir().unwrap();
    let server = Program::start(folder.path(), |command| {
        // The program itself, under a shell that sets the limit.
        let program = command.get_program().to_owned();
        let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let mut limited = Command::new("sh");
        limited
            .args(["-c", "ulimit -n 256 && exec \"$0\" \"$@\""])
            .arg(program)
            .args(arguments)
            .stdout(std::process::Stdio::piped());
        *command = limited;
    });
    let address: SocketAddr = server.address().parse().unwrap();
    let mut held = Vec::new();
    for _ in 0..200 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        held.push(socket.connect(address).await.unwrap());
    }
    let (status, _) = server.request("GET", "/healthz", None, None).unwrap();
    assert_eq!(status, 200);
    // Of 128 connections it has 32; the others were closed.
    let mut open = 0;
    for stream in held {
        let mut stream: TcpStream = stream.into_std().unwrap();
        stream.set_nonblocking(true).unwrap();
        let waits = stream
            .read(&mut [0])
            .is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        open += usize::from(waits);
    }
    assert_eq!(open, 32);
}
