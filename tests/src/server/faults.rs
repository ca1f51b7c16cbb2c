//! A disk that fails on demand, under a server.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Server;
use crate::{tools, wait};

/// What is loaded before the server's own libraries, in its folder.
const LIBRARY: &str = "faults.so";
/// The file that says what is to fail, in its folder.
const WORD: &str = "fault";

impl Server {
    /// Starts a server with an empty database on a disk that can be told to fail (see
    /// `server/redial/tests/faults.c`), after `prepare` has changed a copy of the studies.
    ///
    /// # Errors
    /// When there is no C compiler, or the server cannot be started.
    pub async fn start_on_failing_disk(prepare: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let mut server = Self::prepared(None, prepare)?;
        let source = tools::studies().join("../server/redial/tests/faults.c");
        let done = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(server.folder.path().join(LIBRARY))
            .arg(source)
            .status()
            .context("cc, the C compiler, cannot be started")?;
        ensure!(done.success(), "faults.c does not compile");
        server.failing_disk = true;
        server.restart().await?;
        Ok(server)
    }

    /// What the process has to know about its disk.
    pub(super) fn disk(&self) -> Vec<(&'static str, PathBuf)> {
        if !self.failing_disk {
            return Vec::new();
        }
        let folder = self.folder.path();
        vec![
            ("LD_PRELOAD", folder.join(LIBRARY)),
            ("REDIAL_FAULT", folder.join(WORD)),
        ]
    }

    /// Makes the disk fail as a word says that `faults.c` knows; an empty one makes it well again.
    ///
    /// # Errors
    /// When the word cannot be written.
    pub fn set_fault(&self, word: &str) -> Result<()> {
        let folder = self.folder.path();
        // Under its name at once: a file that is being written is no word.
        std::fs::write(folder.join("new-fault"), word)?;
        Ok(std::fs::rename(
            folder.join("new-fault"),
            folder.join(WORD),
        )?)
    }

    /// Waits until the server has ended by itself.
    ///
    /// # Errors
    /// When it does not run, or goes on for 20 seconds.
    pub async fn ends(&mut self) -> Result<ExitStatus> {
        let child = self.child.as_mut().context("the server does not run")?;
        let limit = Duration::from_secs(20);
        let ended = wait::until("the server to end", limit, async || Ok(child.try_wait()?)).await;
        if ended.is_ok() {
            self.child = None;
        }
        ended
    }
}
