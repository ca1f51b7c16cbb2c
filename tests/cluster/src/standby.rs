//! A replica that receives every transaction before it counts, and can take its place.

use std::time::Instant;

use super::{Cluster, ClusterResult, PATIENCE, done};

impl Cluster {
    /// A replica of all databases there are. From now on no transaction counts that it has not on disk.
    ///
    /// # Errors
    /// When it cannot be made, or does not receive anything.
    pub fn standby(&self) -> ClusterResult<Self> {
        let standby = Self::folder()?;
        let mut copy = standby.program("pg_basebackup");
        copy.args([
            "--username=redial",
            "--checkpoint=fast",
            "--write-recovery-conf",
        ])
        .arg("--host")
        .arg(&self.folder)
        .arg("--pgdata")
        .arg(standby.data());
        done(&mut copy)?;
        standby.run()?;
        // Not before: once it is promoted, it must not wait for another.
        for statement in [
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
            "SELECT pg_reload_conf()",
        ] {
            self.sql("postgres", statement)?;
        }
        let began = Instant::now();
        while self.sql("postgres", "SELECT sync_state FROM pg_stat_replication")? != "sync" {
            if began.elapsed() > PATIENCE {
                return Err("the replica receives nothing".into());
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Ok(standby)
    }

    /// Makes a replica take writes.
    ///
    /// # Errors
    /// When it is none.
    pub fn promote(&self) -> ClusterResult<()> {
        let mut promote = self.program("pg_ctl");
        promote
            .args(["promote", "--wait", "--silent", "--pgdata"])
            .arg(self.data());
        done(&mut promote).map(drop)
    }
}
