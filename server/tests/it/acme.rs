//! A server that gets and renews its certificate itself, from an authority made for tests: Debian's `pebble`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use server::tls::Tls;
use server::tls::acme::{Acme, AcmeError, AcmeSettings};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::app::{App, Setup};
use crate::system::TestSystem;

const YEAR_MS: u64 = 365 * 24 * 60 * 60 * 1_000;

/// The authority, until it is dropped.
struct Pebble {
    process: Child,
    folder: TempDir,
    port: u16,
    management_port: u16,
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Pebble {
    /// One that looks for names at this port.
    fn checking(tls_port: u16) -> Self {
        let folder = TempDir::new().unwrap();
        let own = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let own = rcgen::generate_simple_self_signed(own).unwrap();
        std::fs::write(folder.path().join("own.pem"), own.cert.pem()).unwrap();
        let key = own.signing_key.serialize_pem();
        std::fs::write(folder.path().join("key.pem"), key).unwrap();
        let (port, management_port) = (free_port(), free_port());
        let config = json!({ "pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management_port}"),
            "certificate": folder.path().join("own.pem"),
            "privateKey": folder.path().join("key.pem"),
            "httpPort": free_port(),
            "tlsPort": tls_port,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
        } });
        let file = folder.path().join("pebble.json");
        std::fs::write(&file, config.to_string()).unwrap();
        let log = std::fs::File::create(folder.path().join("pebble.log")).unwrap();
        let process = Command::new("pebble")
            .args(["-strict", "-config"])
            .arg(&file)
            .envs([("PEBBLE_VA_NOSLEEP", "1"), ("PEBBLE_AUTHZREUSE", "0")])
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .stdin(Stdio::null())
            .spawn()
            .expect("pebble is missing; on Debian: apt-get install pebble");
        Self {
            process,
            folder,
            port,
            management_port,
        }
    }

    fn settings(&self) -> AcmeSettings {
        let roots = AcmeSettings::roots_of(&self.folder.path().join("own.pem"));
        AcmeSettings {
            names: vec!["localhost".to_owned()],
            contact: Some("somebody@example.org".to_owned()),
            directory: format!("https://127.0.0.1:{}/dir", self.port),
            roots: Some(roots.unwrap()),
        }
    }

    /// What the certificates that it issues are signed with, in a file.
    async fn root(&self) -> PathBuf {
        let file = self.folder.path().join("root.pem");
        let url = format!("https://127.0.0.1:{}/roots/0", self.management_port);
        eventually(async || {
            let fetched = Command::new("curl")
                .args(["--silent", "--fail", "--insecure", "--output"])
                .args([file.as_os_str(), url.as_ref()])
                .status();
            fetched.unwrap().success().then_some(())
        })
        .await;
        file
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("pebble.log"));
            eprintln!("{}", log.unwrap_or_default());
        }
    }
}

async fn eventually<T>(look: impl AsyncFn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(
            began.elapsed() < Duration::from_secs(90),
            "it takes too long"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The serial number of the certificate that a server at this port shows to `curl`, which trusts `root` alone.
async fn serial(port: u16, root: &Path) -> Option<String> {
    let mut command = Command::new("curl");
    command
        .args([
            "--silent",
            "--fail",
            "--max-time",
            "10",
            "--output",
            "/dev/null",
        ])
        .args(["--write-out", "%{certs}", "--cacert"])
        .arg(root)
        .arg("--resolve")
        .arg(format!("localhost:{port}:127.0.0.1"))
        .arg(format!("https://localhost:{port}/healthz"));
    let run = move || command.output();
    let output = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    if !output.status.success() {
        return None;
    }
    let told = String::from_utf8(output.stdout).unwrap();
    let serial = told
        .lines()
        .find_map(|line| line.strip_prefix("Serial Number:"));
    Some(serial.unwrap().trim().to_owned())
}

/// A server that gets its certificate from there, at a port; and what it is run by.
async fn serve(
    mut app: App,
    settings: AcmeSettings,
    listener: TcpListener,
) -> (App, tokio::task::JoinHandle<()>) {
    let acme = Acme::new(settings, app.state.storage.clone());
    app.state.tls = Some(Tls::with_acme(Arc::new(acme)).await.unwrap());
    let serving = server::serve::run(listener, app.state.clone());
    let serving = tokio::spawn(async move { serving.await.unwrap() });
    (app, serving)
}

#[tokio::test]
async fn a_certificate_is_obtained_renewed_and_kept() {
    let now_unix_ms = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_millis() as u64;
    let system = TestSystem::at(now_unix_ms);
    let setup = Setup {
        system: system.system(),
        ..Setup::default()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let pebble = Pebble::checking(port);
    let root = pebble.root().await;
    let (app, serving) = serve(App::with(setup).await, pebble.settings(), listener).await;
    let first = eventually(async || serial(port, &root).await).await;
    assert_eq!(serial(port, &root).await.as_ref(), Some(&first));
    // Pebble's certificates hold for five years.
    system.pass(4 * YEAR_MS);
    let second = eventually(async || {
        let shown = serial(port, &root).await.unwrap();
        (shown != first).then_some(shown)
    })
    .await;
    println!("first {first}, then {second}");
    app.state.stopping.cancel();
    serving.await.unwrap();

    // The next server has it from the database; nobody is asked.
    let settings = pebble.settings();
    drop(pebble);
    let app = app.restart().await;
    let acme = Acme::new(settings, app.state.storage.clone());
    let kept = acme.certificate().await.unwrap().unwrap();
    assert!(kept.until_unix_ms > now_unix_ms + 4 * YEAR_MS);
    assert!(kept.renewed_from_unix_ms() > now_unix_ms + 3 * YEAR_MS);
    let shown = kept.certified.cert[0].as_ref();
    let (_, read) = x509_parser::parse_x509_certificate(shown).unwrap();
    let number = read.tbs_certificate.raw_serial_as_string().replace(':', "");
    assert!(second.ends_with(&number), "{number} is not {second}");
    // Nor is there anybody to be asked: the one that is there stays.
    let failed = acme.obtain().await.unwrap_err();
    assert!(matches!(failed, AcmeError::Authority(_)), "{failed}");
    let said = failed.to_string();
    assert!(said.contains("127.0.0.1 gave no answer"), "{said}");
    assert!(acme.certificate().await.unwrap().is_some());
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_gets_no_certificate() {
    let pebble = Pebble::checking(free_port());
    pebble.root().await;
    let app = App::new().await;
    let acme = Acme::new(pebble.settings(), app.state.storage.clone());
    let failed = acme.obtain().await.unwrap_err();
    let said = failed.to_string();
    assert!(
        said.starts_with("localhost: ") && said.contains("port 443"),
        "{said}"
    );
    assert!(acme.certificate().await.unwrap().is_none());
    // No answer to the authority is left.
    let storage = &app.state.storage;
    assert!(storage.acme("challenge localhost").await.unwrap().is_none());
    // What is no authority is told, too.
    let listener = app.listen().await;
    let nobody = AcmeSettings {
        directory: format!("http://{listener}/healthz"),
        ..pebble.settings()
    };
    let acme = Acme::new(nobody, storage.clone());
    assert!(acme.obtain().await.is_err());
}
