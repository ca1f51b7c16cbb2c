//! PgBouncer before a server, as Debian packages it, in the mode in which nothing outlives a transaction.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Cluster, ClusterResult, PATIENCE, as_own_user, done, spawn};

/// Connections to the server, which all clients share.
const CONNECTIONS: usize = 4;

/// A pool of connections. It listens on this machine alone, and ends with the value.
pub struct Bouncer {
    folder: PathBuf,
    process: u32,
    port: u16,
}

impl Cluster {
    /// A pool of connections to this server.
    ///
    /// # Panics
    /// When there is none to be had: it says how to get PgBouncer.
    #[must_use]
    pub fn bouncer(&self) -> Bouncer {
        match Bouncer::start(self) {
            Ok(bouncer) => bouncer,
            #[allow(clippy::panic)] // a test without its program has failed
            Err(error) => panic!("no PgBouncer for this test: {error}"),
        }
    }
}

impl Bouncer {
    fn start(cluster: &Cluster) -> ClusterResult<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
        let program = program
            .map(PathBuf::from)
            .into_iter()
            .find(|it| it.exists());
        let program =
            program.ok_or("it is not installed; get it with: apt-get install pgbouncer")?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = cluster.folder.join(format!("bouncer-{port}"));
        fs::create_dir(&folder)?;
        let settings = format!(
            "[databases]\n* = host={} user=redial\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = {CONNECTIONS}\nmax_client_conn = 300\n",
            cluster.folder.display()
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings)?;
        let mut server = as_own_user(&program);
        server
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("log"))?);
        let process = spawn(server)?;
        let bouncer = Self {
            folder,
            process,
            port,
        };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if began.elapsed() > PATIENCE {
                let log = fs::read_to_string(bouncer.folder.join("log")).unwrap_or_default();
                return Err(format!("it does not start: {log}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(bouncer)
    }

    /// The address of a database of the cluster by way of this pool.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        let name = database.rsplit('/').next().unwrap_or(database);
        let port = self.port;
        format!("postgres://redial@127.0.0.1:{port}/{name}?statement-cache-capacity=0")
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        // It ends with this process at the latest.
        let _ = done(Command::new("kill").arg(self.process.to_string()));
    }
}
