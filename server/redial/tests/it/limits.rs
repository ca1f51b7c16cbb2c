//! What the system allows the program, and how it asks it to stop.
#![cfg(unix)]

use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

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
