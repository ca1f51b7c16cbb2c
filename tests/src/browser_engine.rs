//! The browsers that take studies in the tests, and how each is started.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use crate::tools;

/// A browser engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserEngine {
    /// Chromium: what most participants have. Only it speaks DevTools.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK, the nearest to Safari that runs here.
    WebKit,
}

/// How a browser is set up.
#[derive(Debug, Clone)]
pub struct BrowserSetup {
    /// Preferences, as the engine's own settings pages write them: an object. WebKitGTK's small
    /// browser has none.
    pub preferences: Value,
    /// Whether every window is a private one, whose data go with it.
    pub private: bool,
    /// Whether there is a microphone, which beeps once a second, and every page gets it. Chromium alone.
    pub microphone: bool,
    /// Whether a page counts as opened once it can be read, whatever it still fetches. Chromium alone.
    pub eager: bool,
    /// Whether several tabs are open, of which one is seen at a time.
    pub tabs: bool,
}

impl Default for BrowserSetup {
    fn default() -> Self {
        Self {
            preferences: json!({}),
            private: false,
            microphone: false,
            eager: false,
            tabs: false,
        }
    }
}

impl BrowserSetup {
    /// A browser with a microphone that every page gets.
    #[must_use]
    pub fn with_microphone() -> Self {
        Self {
            microphone: true,
            ..Self::default()
        }
    }

    /// A browser with several tabs.
    #[must_use]
    pub fn with_tabs() -> Self {
        Self {
            tabs: true,
            ..Self::default()
        }
    }

    /// A browser whose pages count as opened once they can be read.
    #[must_use]
    pub fn eager() -> Self {
        Self {
            eager: true,
            ..Self::default()
        }
    }

    /// A browser that lets pages keep nothing ("block all cookies"): no IndexedDB, no
    /// `localStorage`, no `sessionStorage`, no locks.
    #[must_use]
    pub fn keeping_nothing(engine: BrowserEngine) -> Self {
        let preferences = if engine == BrowserEngine::Firefox {
            json!({ "network.cookie.cookieBehavior": 2 })
        } else {
            json!({ "profile": { "default_content_setting_values": { "cookies": 2 } } })
        };
        Self {
            preferences,
            ..Self::default()
        }
    }

    /// A browser with private windows alone.
    #[must_use]
    pub fn private() -> Self {
        Self {
            private: true,
            ..Self::default()
        }
    }

    /// Whether it needs the window around pages that Chromium's headless shell lacks: its settings, its private windows
    /// and its tabs.
    fn needs_window(&self) -> bool {
        self.tabs || self.private || self.preferences != json!({})
    }
}

impl BrowserEngine {
    /// Whether this run is to use it: Chromium always, the others where `REDIAL_BROWSERS` names
    /// them, which `cargo xtask test --browsers` sets. Its summary names those that were not asked for.
    #[must_use]
    pub fn is_asked_for(self) -> bool {
        let name = match self {
            Self::Chromium => return true,
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        };
        let browsers = std::env::var("REDIAL_BROWSERS").unwrap_or_default();
        let asked = browsers.split(',').any(|browser| browser == name);
        if !asked {
            println!("{name} was not asked for: cargo xtask test --browsers {name}");
        }
        asked
    }

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

    /// What its driver is asked for. `profile` is where it keeps its data, where that can be said.
    ///
    /// # Errors
    /// When the browser is not installed.
    pub fn capabilities(self, profile: &Path, setup: BrowserSetup) -> Result<Value> {
        let timeouts = json!({ "script": 60_000, "pageLoad": 60_000 });
        Ok(match self {
            Self::Chromium => {
                let profile = format!("--user-data-dir={}", profile.display());
                let mut arguments = vec![
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
                if setup.microphone {
                    arguments.extend([
                        "--use-fake-device-for-media-stream",
                        "--use-fake-ui-for-media-stream",
                    ]);
                }
                if setup.private {
                    arguments.push("--incognito");
                }
                let binary = match tools::headless_shell()? {
                    Some(shell) if !setup.needs_window() => shell,
                    _ => tools::chrome()?,
                };
                json!({
                    "goog:chromeOptions": {
                        "binary": binary, "args": arguments,
                        "prefs": setup.preferences,
                    },
                    "goog:loggingPrefs": { "browser": "ALL" },
                    "pageLoadStrategy": if setup.eager { "eager" } else { "normal" },
                    "timeouts": timeouts,
                })
            }
            Self::Firefox => {
                let mut arguments = vec!["-headless", "-width", "1280", "-height", "900"];
                if setup.private {
                    arguments.push("-private");
                }
                json!({
                    "moz:firefoxOptions": {
                        "binary": tools::firefox()?,
                        "args": arguments,
                        "prefs": setup.preferences,
                    },
                    "timeouts": timeouts,
                })
            }
            Self::WebKit => json!({
                "webkitgtk:browserOptions": { "args": ["--automation"] },
                "timeouts": timeouts,
            }),
        })
    }
}
