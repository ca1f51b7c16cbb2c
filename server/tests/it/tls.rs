//! HTTPS, as a client sees it that has nothing to do with ours: `curl`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use server::serve::ServeError;
use server::tls::{Tls, TlsError};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::app::App;

/// A certificate for `localhost`, and its key.
fn certificate(folder: &TempDir) -> (PathBuf, PathBuf) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (certificate, key)
}

/// A server with a certificate, asked by `curl`.
struct Secured {
    app: App,
    tls: Tls,
    port: u16,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Secured {
    async fn start(certificate: &Path, key: &Path) -> Self {
        let mut app = App::new().await;
        let tls = Tls::open(certificate, key).unwrap();
        app.state.tls = Some(tls.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(server::serve::run(listener, app.state.clone()));
        Self {
            app,
            tls,
            port,
            server,
        }
    }

    /// What a client gets that trusts this certificate alone.
    async fn curl(&self, scheme: &str, version: &str, trusted: &Path) -> Output {
        let mut command = Command::new("curl");
        command
            .args(["--silent", "--max-time", "10", version, "--cacert"])
            .arg(trusted)
            .arg("--resolve")
            .arg(format!("localhost:{}:127.0.0.1", self.port))
            .arg(format!("{scheme}://localhost:{}/healthz", self.port));
        let run = move || command.output();
        tokio::task::spawn_blocking(run).await.unwrap().unwrap()
    }

    async fn stop(self) {
        self.app.state.stopping.cancel();
        self.server.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn curl_trusts_the_certificate_and_plain_http_gets_no_answer() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate(&folder);
    let secured = Secured::start(&certificate, &key).await;
    for version in ["--tlsv1.2", "--tlsv1.3"] {
        let answer = secured.curl("https", version, &certificate).await;
        let body = String::from_utf8_lossy(&answer.stdout);
        assert!(answer.status.success() && body.contains("ok"), "{answer:?}");
    }
    let plain = secured.curl("http", "--tlsv1.2", &certificate).await;
    assert!(
        !plain.status.success() && plain.stdout.is_empty(),
        "{plain:?}"
    );
    secured.stop().await;
}

#[tokio::test]
async fn a_renewed_certificate_counts_without_a_restart() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (certificate, key) = certificate(&folder);
    let (new_certificate, new_key) = self::certificate(&other);
    let secured = Secured::start(&certificate, &key).await;
    let old = folder.path().join("old.pem");
    std::fs::copy(&certificate, &old).unwrap();
    let trusts = async |trusted: &Path| {
        let answer = secured.curl("https", "--tlsv1.3", trusted).await;
        answer.status.success()
    };
    assert!(!secured.tls.renew().await.unwrap());
    // Written one after the other, they do not fit for a moment: the old pair is served.
    std::fs::copy(&new_certificate, &certificate).unwrap();
    assert!(secured.tls.renew().await.is_err());
    assert!(trusts(&old).await && !trusts(&new_certificate).await);
    std::fs::copy(&new_key, &key).unwrap();
    secured.tls.look_now();
    let renewed = async {
        while !trusts(&new_certificate).await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), renewed)
        .await
        .unwrap();
    assert!(!trusts(&old).await);
    // Files that are gone for a moment change nothing.
    std::fs::remove_file(&certificate).unwrap();
    assert!(secured.tls.renew().await.is_err());
    assert!(trusts(&new_certificate).await);
    secured.stop().await;
}

#[test]
fn files_that_are_of_no_use_are_named() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate(&folder);
    let error = |certificate: &PathBuf, key: &PathBuf| {
        Tls::open(certificate, key)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let missing = folder.path().join("missing.pem");
    let said = error(&missing, &key);
    assert!(
        said.contains("missing.pem") && said.contains("certificate"),
        "{said}"
    );
    let said = error(&certificate, &missing);
    assert!(
        said.contains("missing.pem") && said.contains("private key"),
        "{said}"
    );
    // The two taken for each other.
    assert!(matches!(Tls::open(&key, &certificate), Err(TlsError::Empty(path)) if path == key));
    let other = TempDir::new().unwrap();
    let (_, other) = self::certificate(&other);
    let said = error(&certificate, &other);
    assert!(said.contains("cannot be used"), "{said}");
}
