//! A network cable between browser and server that can be unplugged.
//!
//! Taking the network away inside the browser spares the service worker and
//! tells the page at once; a cable that is cut does neither: bytes stop, and
//! nobody says why.

use std::net::SocketAddr;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A listening cable; gone with the value.
pub struct Proxy {
    address: SocketAddr,
    cut: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port and passes everything on to `host:port`.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn to(server: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (cut, is_cut) = watch::channel(false);
        let server = server.to_owned();
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (server, is_cut) = (server.clone(), is_cut.clone());
                tokio::spawn(async move { connect(near, &server, is_cut).await });
            }
        });
        Ok(Self {
            address,
            cut,
            accepting,
        })
    }

    /// `host:port` of this end of the cable.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Cuts the cable or mends it. While it is cut, connections stay open and silent.
    pub fn set_cut(&self, cut: bool) {
        self.cut.send_replace(cut);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Passes bytes on in both directions until one side ends.
async fn connect(near: TcpStream, server: &str, mut is_cut: watch::Receiver<bool>) {
    if is_cut.wait_for(|cut| !cut).await.is_err() {
        return;
    }
    // A server that is away refuses: so does the cable, by closing.
    let Ok(far) = TcpStream::connect(server).await else {
        return;
    };
    let (near_in, near_out) = near.into_split();
    let (far_in, far_out) = far.into_split();
    tokio::select! {
        () = pass(near_in, far_out, is_cut.clone()) => (),
        () = pass(far_in, near_out, is_cut) => (),
    }
}

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut is_cut: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if is_cut.wait_for(|cut| !cut).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
