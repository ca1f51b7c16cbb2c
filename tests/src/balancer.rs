//! A balancer before several servers, without memory: each connection goes to any of them, and none lasts long, so that
//! a page talks to one server and then to another.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How long a connection lasts, in milliseconds.
const LASTS_MS: std::ops::Range<u64> = 500..4_000;

/// A listening balancer; gone with the value.
pub struct Balancer {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Balancer {
    /// Listens on a free port, and passes each connection on to one of these `host:port`, chosen by chance; to another
    /// one where that does not answer.
    pub async fn before(servers: Vec<String>, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let accepting = tokio::spawn(async move {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            while let Ok((near, _)) = listener.accept().await {
                let mut order = servers.clone();
                order.shuffle(&mut rng);
                let lasts = Duration::from_millis(rng.random_range(LASTS_MS));
                tokio::spawn(carry(near, order, lasts));
            }
        });
        Ok(Self { address, accepting })
    }

    /// `host:port` of the balancer.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn carry(mut near: TcpStream, order: Vec<String>, lasts: Duration) {
    for server in order {
        if let Ok(mut far) = TcpStream::connect(server).await {
            let copied = tokio::io::copy_bidirectional(&mut near, &mut far);
            // Cut, or ended by one side: both ends are closed.
            let _ = tokio::time::timeout(lasts, copied).await;
            return;
        }
    }
}
