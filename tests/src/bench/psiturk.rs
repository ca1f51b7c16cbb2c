//! psiTurk, the peer that the server's ingestion is compared with: from PyPI, in a virtual environment of
//! its own, with its own example experiment, its own web server and SQLite, as its documentation has it.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hyper::Method;
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::statistics::ServerMeasurement;
use crate::client::Client;
use crate::{tools, wait};

/// What is installed. psiTurk 3.3.1 wants a pyOpenSSL that newer releases of cryptography do not run.
const PACKAGES: [&str; 2] = ["psiturk==3.3.1", "cryptography<39"];

/// A psiTurk server with a database of its own; ends with the value.
pub struct PsiTurk {
    _folder: TempDir,
    child: Child,
    address: String,
}

impl PsiTurk {
    /// Installs psiTurk if it is not there, and starts its server.
    ///
    /// # Errors
    /// When there is no Python 3 with pip, or psiTurk cannot be installed or started.
    pub async fn start() -> Result<Self> {
        let python = installed()?;
        let folder = TempDir::with_prefix("psiturk-")?;
        let example = python.with_file_name("psiturk-setup-example");
        run(Command::new(example).current_dir(folder.path()))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = File::create(folder.path().join("log"))?;
        let child = Command::new(python)
            .args([
                "-c",
                "import psiturk.experiment_server as server; server.launch()",
            ])
            .current_dir(folder.path().join("psiturk-example"))
            .env("PSITURK_GLOBAL_CONFIG_LOCATION", folder.path())
            .env("PSITURK_HOST", "127.0.0.1")
            .env("PSITURK_PORT", port.to_string())
            // Warnings and worse.
            .env("PSITURK_LOGLEVEL", "2")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let server = Self {
            _folder: folder,
            child,
            address: format!("127.0.0.1:{port}"),
        };
        let client = Client::new(&server.address);
        wait::until("psiTurk to listen", Duration::from_secs(60), async || {
            let answer = client.send(Method::GET, "/", None, None).await;
            Ok(answer.is_ok().then_some(()))
        })
        .await?;
        Ok(server)
    }

    /// So many participants save `batch` snapshots, again and again, each save as soon as the one
    /// before is acknowledged. psiTurk's page sends everything so far with each save; with
    /// `newest_only` it would send the newest batch alone, which is kinder to psiTurk than its users
    /// can be.
    ///
    /// # Errors
    /// When a participant cannot begin, or nothing is saved at all.
    pub async fn push(
        &self,
        participants: usize,
        snapshot: &Value,
        batch: usize,
        newest_only: bool,
        lasts: Duration,
    ) -> Result<ServerMeasurement> {
        let client = Client::new(&self.address);
        // psiTurk refuses a worker who comes a second time.
        let run = if newest_only { "newest" } else { "all" };
        let name = |n: usize| format!("{run}{n}:a{n}");
        for n in 0..participants {
            let path = format!("/exp?hitId=bench&assignmentId=a{n}&workerId={run}{n}&mode=lab");
            client.get(&path).await?;
        }
        let snapshot = serde_json::to_string(snapshot)?;
        let begun = Instant::now();
        let mut saving = JoinSet::new();
        for n in 0..participants {
            let (client, path, snapshot) = (
                client.clone(),
                format!("/sync/{}", name(n)),
                snapshot.clone(),
            );
            saving.spawn(async move {
                // Written as text, so that the bench itself costs little.
                let (mut data, mut trials) = (String::new(), 0);
                let (mut acks_s, mut refused) = (Vec::new(), None);
                while begun.elapsed() < lasts {
                    if newest_only {
                        data.clear();
                        trials = 0;
                    }
                    for _ in 0..batch {
                        data.push_str(if data.is_empty() { "" } else { "," });
                        data.push_str(&snapshot);
                    }
                    trials += batch;
                    let body = format!(r#"{{"currenttrial":{trials},"data":[{data}]}}"#);
                    let at = Instant::now();
                    let body = body.into_bytes();
                    let answer = client.send(Method::PUT, &path, None, Some(body)).await?;
                    // "database is locked": its page would try again.
                    if answer.status.is_success() {
                        acks_s.push(at.elapsed().as_secs_f64());
                    } else {
                        let why = String::from_utf8_lossy(&answer.body).into_owned();
                        refused = Some(format!("{}: {why}", answer.status));
                    }
                }
                anyhow::Ok((acks_s, refused))
            });
        }
        let (mut acks_s, mut refused) = (Vec::new(), None);
        while let Some(one) = saving.join_next().await {
            let (saved, why) = one??;
            acks_s.extend(saved);
            refused = why.or(refused);
        }
        ensure!(!acks_s.is_empty(), "psiTurk saved nothing: {refused:?}");
        let per_s = (acks_s.len() * batch) as f64 / begun.elapsed().as_secs_f64();
        Ok(ServerMeasurement { per_s, acks_s })
    }
}

impl Drop for PsiTurk {
    fn drop(&mut self) {
        // Its workers end with it where it is asked to end.
        let _ = crate::server::signal("TERM", self.child.id());
        let _ = self.child.wait();
    }
}

/// The Python of a virtual environment that has psiTurk.
fn installed() -> Result<PathBuf> {
    let folder = tools::target().join("psiturk");
    let python = folder.join("bin/python");
    if !folder.join("bin/psiturk-setup-example").is_file() {
        println!("installing psiTurk into {}", folder.display());
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet"])
            .args(PACKAGES))?;
    }
    Ok(python)
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_owned();
    let name = Path::new(&name).display().to_string();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    let why = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{name} ended with {}: {why}",
        output.status
    );
    Ok(())
}
