//! A network cable between browser and server that can be unplugged.
//!
//! Taking the network away inside the browser spares the service worker and
//! tells the page at once; a cable that is cut does neither: bytes stop, and
//! nobody says why. It can also be slow, hears what is asked for, and can hold it back.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A listening cable; gone with the value.
pub struct Proxy {
    address: SocketAddr,
    cut: watch::Sender<bool>,
    speed: watch::Sender<Option<f64>>,
    held: watch::Sender<Option<&'static str>>,
    asked: Arc<Mutex<Vec<String>>>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port and passes everything on to `host:port`.
    pub async fn to(server: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (cut, is_cut) = watch::channel(false);
        let (speed, bytes_per_s) = watch::channel(None);
        let (held, is_held) = watch::channel(None);
        let server = server.to_owned();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&asked);
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let cable = Cable {
                    is_cut: is_cut.clone(),
                    bytes_per_s: bytes_per_s.clone(),
                    held: is_held.clone(),
                    asked: Arc::clone(&heard),
                };
                let server = server.clone();
                tokio::spawn(async move { cable.connect(near, &server).await });
            }
        });
        Ok(Self {
            address,
            cut,
            speed,
            held,
            asked,
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

    /// Lets at most so many bytes in a second through to the browser, on each connection.
    pub fn set_speed(&self, bytes_per_s: f64) {
        self.speed.send_replace(Some(bytes_per_s));
    }

    /// Keeps back, until this says otherwise, what is asked for at addresses that have this in them.
    pub fn hold(&self, part: Option<&'static str>) {
        self.held.send_replace(part);
    }

    /// The addresses that were asked for.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }

    /// How often something was asked for whose address has this in it.
    #[must_use]
    pub fn asked_for(&self, part: &str) -> usize {
        self.asked()
            .iter()
            .filter(|path| path.contains(part))
            .count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// One connection.
struct Cable {
    is_cut: watch::Receiver<bool>,
    bytes_per_s: watch::Receiver<Option<f64>>,
    held: watch::Receiver<Option<&'static str>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Cable {
    /// Passes bytes on in both directions until one side ends.
    async fn connect(mut self, near: TcpStream, server: &str) {
        if self.is_cut.wait_for(|cut| !cut).await.is_err() {
            return;
        }
        // A server that is away refuses: so does the cable, by closing.
        let Ok(far) = TcpStream::connect(server).await else {
            return;
        };
        let (near_in, near_out) = near.into_split();
        let (far_in, far_out) = far.into_split();
        let back = self.is_cut.clone();
        let unlimited = || None;
        let limit = || *self.bytes_per_s.borrow();
        let held = self.held.clone();
        tokio::select! {
            () = pass(near_in, far_out, self.is_cut, held, unlimited, |bytes| hear(&self.asked, bytes)) => (),
            () = pass(far_in, near_out, back, self.held, limit, |_| None) => (),
        }
    }
}

/// Notes the address that a request asks for, and says it. Browsers send a request's head in one piece.
fn hear(asked: &Mutex<Vec<String>>, bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]);
    let path = head.strip_prefix("GET ")?.split(' ').next()?.to_owned();
    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    asked.push(path.clone());
    Some(path)
}

/// Bytes that a slow cable passes on at once.
const SLOW_PIECE: usize = 8 * 1024;

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut is_cut: watch::Receiver<bool>,
    mut held: watch::Receiver<Option<&'static str>>,
    bytes_per_s: impl Fn() -> Option<f64>,
    heard: impl Fn(&[u8]) -> Option<String>,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // A slow cable passes on a little at a time.
        let most = bytes_per_s().map_or(buffer.len(), |_| SLOW_PIECE);
        let Ok(count @ 1..) = from.read(&mut buffer[..most]).await else {
            return;
        };
        if let Some(path) = heard(&buffer[..count]) {
            let free = |held: &Option<&str>| held.is_none_or(|part| !path.contains(part));
            if held.wait_for(free).await.is_err() {
                return;
            }
        }
        if is_cut.wait_for(|cut| !cut).await.is_err() {
            return;
        }
        if let Some(bytes_per_s) = bytes_per_s() {
            let pause = Duration::from_secs_f64(count as f64 / bytes_per_s);
            tokio::time::sleep(pause).await;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
