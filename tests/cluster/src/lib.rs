//! A server of PostgreSQL for tests and benchmarks, and PgBouncer before it.
//!
//! It is made in a temporary folder when it is first asked for, listens on a socket in that folder and
//! nowhere else, and ends with the process, also when that is killed. PostgreSQL's programs are those of
//! Debian's package; they refuse to run as root, so root runs them as the user `postgres`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod bouncer;
mod standby;

pub use bouncer::Bouncer;

/// A value, or the fault in words.
type ClusterResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The user that Debian's package makes.
const USER: &str = "postgres";

/// Folders of clusters are called so, with the number of the process behind it.
const PREFIX: &str = "redial-postgres-";

/// How long the server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of PostgreSQL in a folder of its own.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    databases: AtomicUsize,
}

/// The cluster that the tests of this process share.
///
/// # Panics
/// As [`Cluster::own`].
#[must_use]
pub fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(Cluster::own)
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // What is left is removed by the next process.
        let _ = self.crash();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Cluster {
    /// A cluster of one's own, for tests that break it.
    ///
    /// # Panics
    /// When there is none to be had: it says how to get PostgreSQL.
    #[must_use]
    pub fn own() -> Self {
        match Self::start() {
            Ok(cluster) => cluster,
            #[allow(clippy::panic)] // a test without its database has failed
            Err(error) => panic!("no PostgreSQL for this test: {error}"),
        }
    }

    fn start() -> ClusterResult<Self> {
        let cluster = Self::folder()?;
        let mut initdb = cluster.program("initdb");
        initdb
            .args([
                "--username=redial",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ])
            .arg("--pgdata")
            .arg(cluster.data());
        done(&mut initdb)?;
        cluster.run()?;
        Ok(cluster)
    }

    /// A folder for a cluster.
    fn folder() -> ClusterResult<Self> {
        let programs = programs()
            .ok_or("its programs are not installed; get them with: apt-get install postgresql")?;
        remove_old();
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder); // of a process that had the same number
        fs::create_dir(&folder)?;
        if is_root() {
            done(Command::new("chown").arg(USER).arg(&folder))?;
        }
        Ok(Self {
            folder,
            programs,
            databases: AtomicUsize::new(0),
        })
    }

    /// Starts the server, and waits until it answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn run(&self) -> ClusterResult<()> {
        let mut server = self.program("postgres");
        server
            .arg("-D")
            .arg(self.data())
            .arg("-k")
            .arg(&self.folder)
            .args(["-c", "listen_addresses=", "-c", "max_connections=300"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.folder.join("log"))?);
        spawn(server)?;
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let mut ready = Command::new(self.programs.join("pg_isready"));
            ready.arg("--quiet").arg("--host").arg(&self.folder);
            if ready.status()?.success() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        Err(format!("the server does not start: {log}").into())
    }

    /// Stops the server as if it had broken down: it has no time to finish anything.
    ///
    /// # Errors
    /// When it cannot be stopped.
    pub fn crash(&self) -> ClusterResult<()> {
        let mut stop = self.program("pg_ctl");
        stop.args(["stop", "--mode=immediate", "--wait", "--silent", "--pgdata"])
            .arg(self.data());
        done(&mut stop).map(drop)
    }

    /// Makes an empty database; gives its address.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn database(&self) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test{number}");
        #[allow(clippy::panic)] // a test without its database has failed
        if let Err(error) = self.sql("postgres", &format!("CREATE DATABASE {name}")) {
            panic!("{error}");
        }
        self.address(&name)
    }

    /// The address of a database.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://redial@{socket}/{database}")
    }

    /// What a statement answers, as psql prints it without a frame.
    ///
    /// # Errors
    /// What psql says.
    pub fn sql(&self, database: &str, statement: &str) -> ClusterResult<String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--username=redial", "--host"])
            .arg(&self.folder)
            .args(["--dbname", database, "--command", statement]);
        let output = done(&mut psql)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Where its socket is.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Where its files are.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// One of PostgreSQL's programs.
    fn program(&self, name: &str) -> Command {
        as_own_user(&self.programs.join(name))
    }
}

/// A program that refuses to run as root. It ends when this process does.
fn as_own_user(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if is_root() {
        command.args(["--reuid", USER, "--regid", USER, "--clear-groups"]);
    }
    command.arg(program).current_dir("/");
    command
}

/// Starts a program from a thread that lives as long as it does: Linux ends it with the thread that started it. Gives its
/// process.
fn spawn(mut server: Command) -> ClusterResult<u32> {
    let (tell, told) = std::sync::mpsc::channel::<std::io::Result<u32>>();
    std::thread::spawn(move || {
        let started: std::io::Result<Child> = server.spawn();
        match started {
            Ok(mut child) => {
                let _ = tell.send(Ok(child.id())); // whoever asked waits for it
                let _ = child.wait(); // it has ended, in one way or the other
            }
            Err(error) => {
                let _ = tell.send(Err(error));
            }
        }
    });
    Ok(told.recv()??)
}

/// Runs a program to its end.
fn done(command: &mut Command) -> ClusterResult<Output> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {said}").into())
}

/// The folder with the newest version's programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |folder: fs::DirEntry| {
        let number = folder.file_name().to_str()?.parse::<u32>().ok()?;
        let programs = folder.path().join("bin");
        programs
            .join("initdb")
            .exists()
            .then_some((number, programs))
    };
    let newest = versions.flatten().filter_map(version).max();
    newest.map(|(_, programs)| programs)
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Removes what processes have left that run no longer.
fn remove_old() {
    let Ok(folders) = fs::read_dir(std::env::temp_dir()) else {
        return;
    };
    for folder in folders.flatten() {
        let name = folder.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let process = process.and_then(|rest| rest.split('-').next());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir_all(folder.path()); // somebody else's, perhaps
        }
    }
}
