//! The real server, as a process that can be killed and started again.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::{tools, wait};

mod deploy;
mod faults;

/// How long the server may take to start; debug builds on a busy machine are slow.
const START: Duration = Duration::from_secs(60);
/// What the server says when it can be reached, before its address.
const LISTENING: &str = "listening on http://";

/// Folder of a server's own models, beside that of its studies.
pub const MODELS: &str = "models";

/// File with credentials of platforms, beside that of its studies; it is used where it is there.
pub const CREDENTIALS: &str = "credentials";

/// A server with a database and studies of its own, gone with the value.
pub struct Server {
    folder: TempDir,
    child: Option<Child>,
    address: String,
    /// Folder of the app that it serves.
    dist: PathBuf,
    /// Origin that stands for recruitment platforms.
    stand_in: Option<String>,
    /// Whether its disk fails on demand.
    failing_disk: bool,
    /// Whether it runs for looking at studies.
    preview: bool,
    /// The path that everything lies below, such as `/redial`; empty at the top of the address.
    base: String,
    /// Address of its database, where that is no file of its own.
    shared: Option<String>,
    /// How many files it may have open; absent: as many as this process.
    descriptors: Option<u64>,
    /// Where it shows its figures, if it does.
    figures: Option<String>,
    log: Log,
}

impl Server {
    /// Starts a server on a free port with an empty database and the shipped studies.
    pub async fn start() -> Result<Self> {
        Self::start_with(|_| Ok(())).await
    }

    /// The same, after `prepare` has changed a copy of the studies. Beside their folder
    /// lies [`MODELS`], for models of one's own.
    pub async fn start_with(prepare: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        Self::start_for(None, prepare).await
    }

    /// The same, with an origin that stands for recruitment platforms.
    pub async fn start_for(
        stand_in: Option<&str>,
        prepare: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let mut server = Self::prepared(stand_in, prepare)?;
        server.restart().await?;
        Ok(server)
    }

    /// A server for looking at studies, whose database is a temporary one.
    pub async fn start_preview(prepare: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let mut server = Self::prepared(None, prepare)?;
        server.preview = true;
        server.restart().await?;
        Ok(server)
    }

    /// A server whose everything lies below a path, such as `/redial`.
    pub async fn start_below(
        base: &str,
        prepare: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let mut server = Self::prepared(None, prepare)?;
        base.clone_into(&mut server.base);
        server.restart().await?;
        Ok(server)
    }

    /// As [`start`](Self::start), for a server that may have only so many files open.
    pub async fn start_with_descriptors(descriptors: u64) -> Result<Self> {
        let mut server = Self::prepared(None, |_| Ok(()))?;
        server.descriptors = Some(descriptors);
        server.restart().await?;
        Ok(server)
    }

    /// A server on a database that others may use at the same time.
    pub async fn start_on(database: &str) -> Result<Self> {
        let mut server = Self::prepared(None, |_| Ok(()))?;
        server.shared = Some(database.to_owned());
        server.restart().await?;
        Ok(server)
    }

    /// A server that shows its figures at an address, on its own file or a database that others may use.
    pub async fn start_with_figures(figures: &str, database: Option<&str>) -> Result<Self> {
        let mut server = Self::prepared(None, |_| Ok(()))?;
        server.figures = Some(figures.to_owned());
        server.shared = database.map(str::to_owned);
        server.restart().await?;
        Ok(server)
    }

    /// A server with its folder, not started.
    fn prepared(stand_in: Option<&str>, prepare: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let folder = TempDir::with_prefix("redial-test-")?;
        let studies = folder.path().join("studies");
        // The studies of `studies/` are inside the program.
        std::fs::create_dir(&studies)?;
        std::fs::create_dir(folder.path().join(MODELS))?;
        prepare(&studies)?;
        Ok(Self {
            folder,
            child: None,
            address: "127.0.0.1:0".to_owned(),
            dist: tools::dist()?,
            stand_in: stand_in.map(str::to_owned),
            failing_disk: false,
            preview: false,
            base: String::new(),
            shared: None,
            descriptors: None,
            figures: None,
            log: Log::default(),
        })
    }

    /// Starts the server again, on the port it had.
    ///
    /// # Errors
    /// When it runs already, or cannot be started.
    pub async fn restart(&mut self) -> Result<()> {
        if self.child.is_some() {
            bail!("the server is running");
        }
        let seen = self.log.len();
        let stand_in = self.stand_in.iter().flat_map(|it| ["--stand-in", it]);
        let base = Some(&self.base).filter(|base| !base.is_empty());
        let base = base.into_iter().flat_map(|base| ["--base-path", base]);
        let credentials = Some(self.folder.path().join(CREDENTIALS)).filter(|it| it.is_file());
        let mut child = self
            .command(&["serve", "--bind", &self.address])?
            .args(stand_in)
            .args(self.preview.then_some("--preview"))
            .args(base)
            .args(self.figures.iter().flat_map(|at| ["--metrics", at]))
            .args(credentials.is_some().then_some("--platform-credentials"))
            .args(credentials)
            .envs(self.disk())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        self.log.follow(child.stdout.take());
        self.log.follow(child.stderr.take());
        let child = self.child.insert(child);
        let log = &self.log;
        let address = wait::until("the server to listen", START, async || {
            if let Some(address) = log.after(seen, LISTENING) {
                return Ok(Some(address));
            }
            match child.try_wait()? {
                Some(status) => bail!("the server ended with {status}:\n{log}"),
                None => Ok(None),
            }
        })
        .await
        .with_context(|| format!("the server said:\n{}", self.log))?;
        self.address = address;
        Ok(())
    }

    /// Ends the server as a power cut would: SIGKILL, nothing is said good-bye to.
    ///
    /// # Errors
    /// When it does not run.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().context("the server does not run")?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Asks the server to end (SIGTERM) and waits until it has.
    ///
    /// # Errors
    /// When it does not run, or does not end within 20 seconds.
    pub async fn stop(&mut self) -> Result<ExitStatus> {
        let mut child = self.child.take().context("the server does not run")?;
        signal("TERM", child.id())?;
        let limit = Duration::from_secs(20);
        let ended = wait::until("the server to end", limit, async || Ok(child.try_wait()?)).await;
        if ended.is_err() {
            child.kill()?;
            child.wait()?;
        }
        ended
    }

    /// Stops the server in the middle of what it does: it is there, and answers nobody.
    ///
    /// # Errors
    /// When it does not run.
    pub fn stall(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// Lets a server that was stalled go on.
    ///
    /// # Errors
    /// When it does not run.
    pub fn go_on(&self) -> Result<()> {
        self.signal("CONT")
    }

    fn signal(&self, name: &str) -> Result<()> {
        let child = self.child.as_ref().context("the server does not run")?;
        signal(name, child.id())
    }

    /// A `redial` command on this server's database.
    pub fn command(&self, arguments: &[&str]) -> Result<Command> {
        let program = tools::server()?;
        let mut command = match self.descriptors {
            None => Command::new(program),
            Some(descriptors) => {
                let mut shell = Command::new("sh");
                shell.args([
                    "-c",
                    "ulimit -n \"$0\" && exec \"$@\"",
                    &descriptors.to_string(),
                ]);
                shell.arg(program);
                shell
            }
        };
        // Settings of the person who runs the tests are not the tests' own.
        for name in [
            "CONFIG",
            "BIND",
            "DATABASE",
            "STUDIES",
            "MODELS",
            "LOG",
            "LOG_FORMAT",
        ] {
            command.env_remove(format!("REDIAL_{name}"));
        }
        command
            .args(arguments)
            .env("REDIAL_DIST", &self.dist)
            .current_dir(self.folder.path());
        if let Some(shared) = &self.shared {
            command.arg("--database").arg(shared);
        } else {
            command
                .arg("--studies")
                .arg(self.folder.path().join("studies"))
                .arg("--database")
                .arg(format!("sqlite://{}", self.database().display()))
                .env("REDIAL_MODELS", self.folder.path().join(MODELS));
        }
        Ok(command)
    }

    /// The database's file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("redial.db")
    }

    /// The folder that goes when the server goes.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The most memory that the server has had since it was started, in MB (10⁶ bytes): the kernel's
    /// high-water mark of its resident set.
    ///
    /// # Errors
    /// When it does not run, or the kernel does not tell.
    pub fn most_memory_mb(&self) -> Result<f64> {
        self.memory_mb("VmHWM")
    }

    /// The memory that the server has now, in MB: its resident set.
    ///
    /// # Errors
    /// As [`most_memory_mb`](Self::most_memory_mb).
    pub fn memory_now_mb(&self) -> Result<f64> {
        self.memory_mb("VmRSS")
    }

    fn memory_mb(&self, what: &str) -> Result<f64> {
        let child = self.child.as_ref().context("the server does not run")?;
        status_mb(child.id(), what)
    }

    /// How long the server's threads have kept a core busy since it was started, in seconds.
    ///
    /// # Errors
    /// When it does not run, or the kernel does not tell.
    pub fn busy_s(&self) -> Result<f64> {
        let child = self.child.as_ref().context("the server does not run")?;
        busy_s(child.id())
    }

    /// What the server has printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Best effort: the test has its result, and the process may have gone already.
        if self.child.is_some() {
            let _ = self.kill();
        }
    }
}

/// How long the threads of a process have kept a core busy, those of its children that have ended among them, in seconds.
///
/// # Errors
/// When the kernel does not tell.
pub fn busy_s(pid: u32) -> Result<f64> {
    let path = format!("/proc/{pid}/stat");
    let stat = std::fs::read_to_string(&path).context(path)?;
    // Behind the name in brackets, which may hold anything: `man 5 proc` counts from 1, and it is the second.
    let fields = stat.rsplit_once(')').context("no name in stat")?.1;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let mut all = 0.0;
    for number in 14..=17 {
        let ticks = fields.get(number - 3).context("no time")?;
        all += ticks.parse::<f64>().context("no time")?;
    }
    // A hundred a second on every Linux that we know of (`getconf CLK_TCK`).
    Ok(all / 100.0)
}

/// A size that the kernel tells of a process, in MB (10⁶ bytes): `VmHWM`, `VmRSS`, `RssAnon`.
///
/// # Errors
/// When the process does not run, or the kernel does not tell.
pub fn status_mb(pid: u32, what: &str) -> Result<f64> {
    let path = format!("/proc/{pid}/status");
    let status = std::fs::read_to_string(&path).context(path)?;
    let lines = status.lines().filter_map(|line| line.split_once(':'));
    let value = lines
        .filter(|(name, _)| *name == what)
        .map(|(_, value)| value)
        .next();
    let kib = value.and_then(|value| value.split_whitespace().next());
    let kib: f64 = kib
        .with_context(|| format!("the kernel tells no {what}"))?
        .parse()?;
    Ok(kib * 1_024.0 / 1e6)
}

/// Sends a signal to a process.
pub fn signal(name: &str, pid: u32) -> Result<()> {
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {pid} 2>/dev/null")])
        .status()?;
    if !status.success() {
        bail!("SIG{name} could not be sent to process {pid}");
    }
    Ok(())
}

/// Gives the study `quickstart` a seed, so that every run draws the same questions; for [`Server::start_with`]. Of the
/// seeds from 1 to 79 it is the one with which the search of [`crate::solver`] looks at the fewest pictures, 508.
pub fn seed_quickstart(studies: &Path) -> Result<()> {
    change(studies, "quickstart", |definition| {
        definition["seed"] = 27.into();
    })
}

/// Takes tutorial and practice out of a study's definition; for [`change`].
pub fn without_practice(study: &mut serde_json::Value) {
    if let Some(parts) = study["parts"].as_array_mut() {
        parts.retain(|part| part["kind"] != "tutorial" && part["practice"] != true);
    }
}

/// Imports a decoder into the models beside a folder of studies ([`MODELS`]); what the command printed.
pub fn import<S: AsRef<OsStr>>(
    studies: &Path,
    decoder: &Path,
    flags: impl IntoIterator<Item = S>,
) -> Result<String> {
    let output = Command::new(tools::server()?)
        .args(["models", "import"])
        .arg(decoder)
        .args(flags)
        .env("REDIAL_MODELS", studies.with_file_name(MODELS))
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {complaint}", decoder.display());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Adds a study, in a folder named after it; for [`Server::start_with`].
///
/// # Errors
/// When it cannot be written, or there is one already.
pub fn add(studies: &Path, definition: &serde_json::Value) -> Result<()> {
    let id = definition["id"].as_str().context("a study has an id")?;
    let folder = studies.join(id);
    std::fs::create_dir(&folder)?;
    Ok(std::fs::write(
        folder.join("study.json"),
        serde_json::to_vec_pretty(definition)?,
    )?)
}

/// Changes the definition of a study in the folder, or of one that ships, which is copied there; for
/// [`Server::start_with`].
pub fn change(
    studies: &Path,
    study: &str,
    edit: impl FnOnce(&mut serde_json::Value),
) -> Result<()> {
    let folder = studies.join(study);
    if !folder.exists() {
        let shipped = tools::studies().join(study);
        tools::copy(&shipped, &folder).with_context(|| shipped.display().to_string())?;
    }
    let path = folder.join("study.json");
    let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
    let mut definition: serde_json::Value = serde_json::from_slice(&text)?;
    edit(&mut definition);
    Ok(std::fs::write(
        &path,
        serde_json::to_vec_pretty(&definition)?,
    )?)
}

/// Lines a process prints, gathered in the background.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn follow(&self, stream: Option<impl Read + Send + 'static>) {
        let Some(stream) = stream else { return };
        let log = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                log.lines().push(line);
            }
        });
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn len(&self) -> usize {
        self.lines().len()
    }

    /// What follows `mark` in a line that came after the first `skip`, up to white space.
    fn after(&self, skip: usize, mark: &str) -> Option<String> {
        self.lines().iter().skip(skip).find_map(|line| {
            let (_, rest) = line.split_once(mark)?;
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".:[]-".contains(c)));
            Some(rest[..end.unwrap_or(rest.len())].to_owned())
        })
    }
}

impl std::fmt::Display for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lines()
            .iter()
            .try_for_each(|line| writeln!(f, "  {line}"))
    }
}
