//! HTTPS, as a client sees it that has nothing to do with ours: `curl`.

use std::path::PathBuf;
use std::process::{Command, Output};

use server::tls::{TlsError, acceptor};
use tempfile::TempDir;
use tokio::net::TcpListener;

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

#[tokio::test]
async fn curl_trusts_the_certificate_and_plain_http_gets_no_answer() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate(&folder);
    let mut app = App::new().await;
    app.state.tls = Some(acceptor(&certificate, &key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(server::serve::run(listener, app.state.clone()));
    let curl = async |arguments: Vec<String>| -> Output {
        let run = move || Command::new("curl").args(arguments).output();
        tokio::task::spawn_blocking(run).await.unwrap().unwrap()
    };
    let common = |scheme: &str, version: &str| {
        let resolve = format!("localhost:{port}:127.0.0.1");
        let url = format!("{scheme}://localhost:{port}/healthz");
        ["--silent", "--max-time", "10", version, "--cacert"]
            .map(str::to_owned)
            .into_iter()
            .chain([
                certificate.display().to_string(),
                "--resolve".into(),
                resolve,
                url,
            ])
            .collect::<Vec<_>>()
    };
    for version in ["--tlsv1.2", "--tlsv1.3"] {
        let answer = curl(common("https", version)).await;
        let body = String::from_utf8_lossy(&answer.stdout);
        assert!(answer.status.success() && body.contains("ok"), "{answer:?}");
    }
    let plain = curl(common("http", "--tlsv1.2")).await;
    assert!(
        !plain.status.success() && plain.stdout.is_empty(),
        "{plain:?}"
    );
    app.state.stopping.cancel();
    server.await.unwrap().unwrap();
}

#[test]
fn files_that_are_of_no_use_are_named() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate(&folder);
    let error = |certificate: &PathBuf, key: &PathBuf| {
        acceptor(certificate, key)
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
    assert!(matches!(acceptor(&key, &certificate), Err(TlsError::Empty(path)) if path == key));
    let other = TempDir::new().unwrap();
    let (_, other) = self::certificate(&other);
    let said = error(&certificate, &other);
    assert!(said.contains("cannot be used"), "{said}");
}
