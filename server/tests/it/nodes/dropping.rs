//! A way to a database on which answers to COMMIT get lost.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// A proxy before a database. It listens on this machine alone.
pub struct Dropping {
    pub address: SocketAddr,
    counts: Arc<Counts>,
}

/// Number of the COMMIT at which a connection falls silent, as when a cable is cut.
const SILENT: usize = 20;

#[derive(Default)]
struct Counts {
    commits: AtomicUsize,
    reached: AtomicUsize,
    lost: AtomicUsize,
}

impl Dropping {
    /// A way to the server behind a socket that breaks at every n-th COMMIT: in turn after the server has done it, and
    /// before the server has heard of it. Once it falls silent without breaking.
    pub async fn start(socket: PathBuf, every: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts::default());
        let counted = counts.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&socket).await.unwrap();
                tokio::spawn(carry(client, server, every, counted.clone()));
            }
        });
        Self { address, counts }
    }

    /// How many COMMITs had no answer though the server did them, and how many did not reach it.
    pub fn dropped(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (count(&self.counts.reached), count(&self.counts.lost))
    }
}

/// Carries bytes to and fro until one side has gone, or a COMMIT is to get lost.
async fn carry(mut client: TcpStream, mut server: UnixStream, every: usize, counts: Arc<Counts>) {
    let (mut asked, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let sent = &asked[..length];
                let is_executed = sent.windows(7).any(|text| text == b"COMMIT\0");
                let number = match is_executed {
                    true => counts.commits.fetch_add(1, Ordering::Relaxed) + 1,
                    false => 1,
                };
                let breaks = is_executed && number.is_multiple_of(every);
                if is_executed && number == SILENT {
                    // Nobody is told: both ends stay open.
                    std::future::pending::<()>().await;
                }
                if breaks && number.is_multiple_of(2) {
                    counts.lost.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                if server.write_all(sent).await.is_err() {
                    return;
                }
                if breaks {
                    let _ = server.read(&mut answered).await; // it has done it, and nobody hears of it
                    counts.reached.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
