//! The socket.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use super::{ControlReply, Outcome, Request};
use crate::access::Access;
use crate::database::lock::Lock;
use crate::private_files;
use crate::sessions::Sessions;
use crate::storage::with_suffix;

/// Longest request or answer, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(30);

/// The room for an address of a socket in bytes: 104 on macOS, 108 on Linux.
const LONGEST_ADDRESS: usize = 103;

/// The socket of a server that has a lock.
#[derive(Debug)]
pub struct ControlSocket {
    listener: UnixListener,
    /// The folder that it is in, and that only its owner can enter.
    folder: Folder,
}

#[derive(Debug)]
enum Folder {
    Beside(PathBuf),
    /// For databases whose path is too long.
    Temporary(TempDir),
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        if let Folder::Beside(folder) = &self.folder {
            // A folder that is left is taken away by the next server.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Folder {
    fn make(lock: &Lock) -> Result<Self> {
        let folder = with_suffix(lock.database(), "-control");
        if socket_in(&folder).as_os_str().len() > LONGEST_ADDRESS {
            // Made for its owner alone, too.
            return Ok(Self::Temporary(
                tempfile::Builder::new().prefix("redial-").tempdir()?,
            ));
        }
        // Left by a server that was killed: we have the lock, so it runs no longer.
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        private_files::create_folder(&folder)?;
        Ok(Self::Beside(folder))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Beside(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("socket")
}

impl ControlSocket {
    /// Makes the socket, and writes into the lock's file where it is.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(lock: &mut Lock) -> Result<Self> {
        let folder = Folder::make(lock)?;
        let path = socket_in(folder.path());
        let listener = UnixListener::bind(&path)?;
        private_files::narrow(&path);
        let socket = Self { listener, folder };
        lock.say(Some(&path)).map_err(Error::other)?;
        Ok(socket)
    }

    /// Answers requests until the server stops. `address` is where it listens, for the links that it gives.
    pub async fn serve(
        self,
        sessions: Arc<Sessions>,
        access: Arc<Access>,
        address: String,
        stopping: CancellationToken,
    ) {
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = stopping.cancelled() => return,
            };
            match accepted {
                Ok((connection, _)) => {
                    let (sessions, access) = (Arc::clone(&sessions), Arc::clone(&access));
                    let address = address.clone();
                    tokio::spawn(async move {
                        let answered = answer(connection, &sessions, &access, address);
                        if let Ok(Err(error)) = tokio::time::timeout(PATIENCE, answered).await {
                            tracing::warn!(%error, "a command got no answer");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a command cannot be answered");
                    // The system has run out of something; that passes.
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

async fn answer(
    mut connection: UnixStream,
    sessions: &Sessions,
    access: &Access,
    address: String,
) -> Result<()> {
    let line = line_of(&mut connection).await?;
    let answer = match serde_json::from_str::<Request>(&line) {
        Ok(request) => {
            tracing::info!(?request, "asked by a command");
            match request.carry_out(sessions, access, None).await {
                Ok(outcome) => ControlReply::Done(Outcome {
                    address: Some(address),
                    ..outcome
                }),
                Err(error) => ControlReply::Refused {
                    why: error.to_string(),
                },
            }
        }
        Err(error) => ControlReply::Refused {
            why: format!(
                "this request is not known here ({error}); use the redial that the server is of, {}",
                env!("CARGO_PKG_VERSION")
            ),
        },
    };
    write_line(&mut connection, &answer).await
}

/// Asks the server whose socket this is.
///
/// # Errors
/// When it cannot be reached, or does not answer within half a minute.
pub async fn ask(socket: &Path, request: &Request) -> Result<ControlReply> {
    let asked = async {
        let mut connection = UnixStream::connect(socket).await?;
        write_line(&mut connection, request).await?;
        let line = line_of(&mut connection).await?;
        Ok(serde_json::from_str(&line)?)
    };
    tokio::time::timeout(PATIENCE, asked)
        .await
        .map_err(|_| Error::from(ErrorKind::TimedOut))?
}

async fn line_of(connection: &mut UnixStream) -> Result<String> {
    let mut line = String::new();
    BufReader::new(connection.take(LONGEST))
        .read_line(&mut line)
        .await?;
    if line.ends_with('\n') {
        Ok(line)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

async fn write_line(connection: &mut UnixStream, value: &impl serde::Serialize) -> Result<()> {
    let line = serde_json::to_string(value)? + "\n";
    connection.write_all(line.as_bytes()).await?;
    connection.flush().await
}
