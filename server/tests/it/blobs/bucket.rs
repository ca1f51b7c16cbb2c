//! Blobs in a bucket of moto's server, behind a proxy that answers badly.
//!
//! Credentials and address of a bucket come from the environment, so each of these tests runs itself again in a process
//! that has them.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use server::outbound;
use server::storage::{self, Blob, BlobPlace, DatabaseAddress, StorageError};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Clock, contract};
use crate::copy::a_list_outside_reaches_a_dump;

const BUCKET: &str = "lab";

/// How long moto may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the program is that has buckets.
fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("MOTO_SERVER") {
        return named.into();
    }
    // target/debug/deps/it-…
    let here = std::env::current_exe().unwrap();
    let target = here.ancestors().nth(3).unwrap();
    target.join("tools/python/bin/moto_server")
}

/// A server with a bucket, until it is dropped.
struct Moto {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Moto {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let port = free_port();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let program = program();
        let process = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{} cannot be started ({error}): moto is missing, which `cargo xtask test` gets; by hand: \
                     python3 -m venv target/tools/python && target/tools/python/bin/pip install 'moto[server]==5.2.5'",
                    program.display()
                )
            });
        let moto = Self {
            process,
            port,
            _folder: folder,
        };
        let began = Instant::now();
        loop {
            let make = http::Request::put(format!("http://127.0.0.1:{port}/{BUCKET}"));
            let made = outbound::send(make.body(Vec::new()).unwrap(), PATIENCE);
            match made {
                Ok(answer) => {
                    assert_eq!(answer.status, 200, "{answer:?}");
                    return moto;
                }
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Passes requests on to a port. Of each three connections the first is answered with 503, the second is carried out and
/// its answer is lost. Gives its own port.
async fn bad_proxy(to: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = AtomicUsize::new(0);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let kind = count.fetch_add(1, Ordering::Relaxed) % 3;
            tokio::spawn(async move {
                match kind {
                    0 => {
                        let mut some = [0; 4096];
                        let _length = client.read(&mut some).await?;
                        let busy = b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                        client.write_all(busy).await?;
                        client.shutdown().await?;
                    }
                    1 => {
                        let mut server = TcpStream::connect(("127.0.0.1", to)).await?;
                        let (mut from, mut into) = client.split();
                        let (mut answer, mut request) = server.split();
                        tokio::select! {
                            sent = tokio::io::copy(&mut from, &mut request) => drop(sent?),
                            // All of the request has arrived by then.
                            first = answer.read_u8() => drop(first?),
                        }
                        into.shutdown().await?;
                    }
                    _ => {
                        let mut server = TcpStream::connect(("127.0.0.1", to)).await?;
                        tokio::io::copy_bidirectional(&mut client, &mut server).await?;
                    }
                }
                std::io::Result::Ok(())
            });
        }
    });
    port
}

/// Runs one of the tests below in a process whose bucket is behind a port.
async fn run_with_bucket_at(port: u16, test: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("blobs::bucket::{test}"), "--ignored"])
        .env("AWS_ACCESS_KEY_ID", "somebody")
        .env("AWS_SECRET_ACCESS_KEY", "something")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ENDPOINT", format!("http://127.0.0.1:{port}"));
    let ended = tokio::task::spawn_blocking(move || command.output().unwrap());
    let ended = ended.await.unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

fn place_in(bucket: &str) -> BlobPlace {
    format!("s3://{bucket}/a/b").parse().unwrap()
}

async fn storage_in(bucket: &str, folder: &TempDir) -> std::sync::Arc<dyn storage::Storage> {
    let at = DatabaseAddress {
        url: storage::url_of(&folder.path().join("test.db")),
        blobs: place_in(bucket),
    };
    storage::open(at).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_keeps_blobs() {
    let moto = Moto::start();
    run_with_bucket_at(moto.port, "inside_of_a_bucket").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_busy_or_loses_answers_is_asked_again() {
    let moto = Moto::start();
    let port = bad_proxy(moto.port).await;
    run_with_bucket_at(port, "inside_of_a_bucket").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_bucket_nothing_is_acknowledged() {
    run_with_bucket_at(free_port(), "without_a_bucket").await;
}

#[tokio::test]
#[ignore = "it is run by the tests above"]
async fn inside_of_a_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage_in(BUCKET, &folder).await;
    let other = storage_in(BUCKET, &folder).await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let clock = Clock::Its(now.as_millis() as u64);
    contract(&*storage.blobs(), &*other.blobs(), clock, "of a bucket").await;
    // Of what no row names, all is old in two days.
    let in_two_days = now.as_millis() as u64 + 2 * super::DAY_MS;
    assert_eq!(other.delete_unnamed_blobs(in_two_days).await.unwrap(), 2);
    assert_eq!(storage.blobs().list(u64::MAX).await.unwrap(), [""; 0]);
    let urls = ["one.db", "dump.db"].map(|name| storage::url_of(&folder.path().join(name)));
    let urls = urls.each_ref().map(String::as_str);
    a_list_outside_reaches_a_dump(urls, folder.path(), &place_in(BUCKET)).await;
    // No erasure is a blob.
    assert_eq!(storage.blobs().list(u64::MAX).await.unwrap(), [""; 0]);
    let told = storage_in("another", &folder).await.blobs();
    let told = told.put(&Blob::of(*b"x"), 0).await;
    assert!(matches!(told, Err(StorageError::Blobs(_))), "{told:?}");
}

#[tokio::test]
#[ignore = "it is run by the tests above"]
async fn without_a_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage_in(BUCKET, &folder).await;
    let told = storage.blobs().put(&Blob::of(*b"x"), 0).await;
    let Err(StorageError::Blobs(why)) = told else {
        panic!("{told:?}");
    };
    assert!(!why.contains("something"), "no secret is told: {why}");
}
