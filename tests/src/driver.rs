//! The browser's driver, as a process of its own for every browser.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use crate::browser_engine::BrowserEngine;
use crate::server::{signal, status_mb};
use crate::{tools, wait};

const START: Duration = Duration::from_secs(30);

/// A running driver; ended, and its browser with it, when the value goes.
pub struct WebDriver {
    child: Child,
    port: u16,
    screen: Option<Child>,
}

impl WebDriver {
    /// Starts a driver on a free port.
    pub async fn start(engine: BrowserEngine) -> Result<Self> {
        // Drivers do not say which port they took when they are asked for any.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = engine.driver(port)?;
        let screen = if engine.needs_screen() {
            let (child, name) = start_screen()?;
            // Without a graphics card, and without a service that reads the screen aloud.
            command.env("DISPLAY", name);
            command.env("LIBGL_ALWAYS_SOFTWARE", "1");
            command.env("NO_AT_BRIDGE", "1");
            // Its processes may not make the namespaces that a sandbox needs, as in a container.
            command.env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1");
            Some(child)
        } else {
            None
        };
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut driver = Self {
            child,
            port,
            screen,
        };
        wait::until("the driver to listen", START, async || {
            if let Some(status) = driver.child.try_wait()? {
                bail!("the driver of {engine:?} ended with {status}");
            }
            let connection = tokio::net::TcpStream::connect(("127.0.0.1", port)).await;
            Ok(connection.is_ok().then_some(()))
        })
        .await?;
        Ok(driver)
    }

    /// Where the driver listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Ends driver and browser at once, as if the power went (SIGKILL).
    pub fn kill(&mut self) {
        // The browser's processes first: without the driver they would not be found any more.
        for pid in descendants(self.child.id()) {
            // It may have gone by itself in the meantime.
            let _ = signal("KILL", pid);
        }
        for child in std::iter::once(&mut self.child).chain(&mut self.screen) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Kills the processes that show pages, as an out-of-memory killer would; the
    /// browser itself stays. Returns how many there were.
    pub fn kill_pages(&self) -> Result<usize> {
        let pages = self.pages();
        for pid in &pages {
            signal("KILL", *pid)?;
        }
        Ok(pages.len())
    }

    /// The memory that the largest page has to itself, in MB: without what programs share, such as the browser's own
    /// code. None when no page is open.
    #[must_use]
    pub fn largest_page_mb(&self) -> Option<f64> {
        // One that has just ended tells nothing.
        let sizes = self
            .pages()
            .into_iter()
            .filter_map(|pid| status_mb(pid, "RssAnon").ok());
        sizes.max_by(f64::total_cmp)
    }

    /// The processes that show pages.
    fn pages(&self) -> Vec<u32> {
        let mut all = descendants(self.child.id());
        all.retain(|pid| command_line(*pid).contains("--type=renderer"));
        all
    }
}

/// A screen that nobody sees, and its name.
fn start_screen() -> Result<(Child, String)> {
    let mut child = Command::new(tools::xvfb()?)
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x900x24",
            "-nolisten",
            "tcp",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // It says its number once it can be used.
    let mut number = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut number)?;
    }
    ensure!(!number.trim().is_empty(), "Xvfb did not start");
    Ok((child, format!(":{}", number.trim())))
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        self.kill();
    }
}

/// All processes below one, children before grandchildren.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&above) = found.get(next) {
        let below = parents.iter().filter(|(_, parent)| *parent == above);
        found.extend(below.map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may itself hold brackets and spaces; state and parent follow it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn command_line(pid: u32) -> String {
    let path = PathBuf::from(format!("/proc/{pid}/cmdline"));
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}
