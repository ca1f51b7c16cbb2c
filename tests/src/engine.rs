//! The browsers that take studies in the tests, and how each is started.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use crate::tools;

/// A browser engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Chromium: what most participants have. Only it speaks DevTools.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK, the nearest to Safari that runs here.
    WebKit,
}

impl Engine {
    /// The command that runs its driver on a port.
    ///
    /// # Errors
    /// When the driver is not installed.
    pub fn driver(self, port: u16) -> Result<Command> {
        let port_argument = format!("--port={port}");
        Ok(match self {
            Self::Chromium => {
                let mut command = Command::new(tools::chromedriver()?);
                command.args([port_argument.as_str(), "--log-level=WARNING"]);
                command
            }
            Self::Firefox => {
                let mut command = Command::new(tools::geckodriver()?);
                command.args([port_argument.as_str(), "--log=fatal"]);
                // A second Firefox on this machine may have the usual port.
                command.arg("--websocket-port=0");
                command
            }
            Self::WebKit => {
                let mut command = Command::new(tools::webkit_driver()?);
                command.arg(port_argument);
                command
            }
        })
    }

    /// Whether it needs a screen.
    #[must_use]
    pub fn needs_screen(self) -> bool {
        self == Self::WebKit
    }

    /// What its driver is asked for. `preferences` are Chromium's; `profile` is where it keeps its
    /// data, where that can be said.
    ///
    /// # Errors
    /// When the browser is not installed.
    pub fn capabilities(self, profile: &Path, preferences: Value) -> Result<Value> {
        let timeouts = json!({ "script": 60_000, "pageLoad": 60_000 });
        Ok(match self {
            Self::Chromium => {
                let profile = format!("--user-data-dir={}", profile.display());
                let arguments = [
                    profile.as_str(),
                    "--window-size=1280,800",
                    "--headless",
                    // As on a phone, scroll bars take no room.
                    "--hide-scrollbars",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    "--disable-dev-shm-usage",
                ];
                json!({
                    "goog:chromeOptions": {
                        "binary": tools::chrome()?, "args": arguments, "prefs": preferences,
                    },
                    "goog:loggingPrefs": { "browser": "ALL" },
                    "timeouts": timeouts,
                })
            }
            Self::Firefox => json!({
                "moz:firefoxOptions": {
                    "binary": tools::firefox()?,
                    "args": ["-headless", "-width", "1280", "-height", "900"],
                },
                "timeouts": timeouts,
            }),
            Self::WebKit => json!({
                "webkitgtk:browserOptions": { "args": ["--automation"] },
                "timeouts": timeouts,
            }),
        })
    }
}
