//! What WebDriver has no words for: DevTools commands, through chromedriver.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};

use super::Browser;
use crate::browser_engine::BrowserEngine;
use crate::tools;

/// A command of chromedriver's own: the end of its path, and its body.
#[derive(Debug)]
struct Extension {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

/// What a held mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The button goes down.
    Press,
    /// The mouse moves, the button being down.
    Move,
    /// The button goes up.
    Release,
}

impl Browser {
    /// Runs a script in every page before its own.
    pub async fn before_the_page(&self, script: &str) -> Result<()> {
        let script = json!({ "source": script });
        self.devtools("Page.addScriptToEvaluateOnNewDocument", script)
            .await?;
        Ok(())
    }

    /// Runs a DevTools command on the page.
    pub async fn devtools(&self, command: &str, params: Value) -> Result<Value> {
        let extension = Extension {
            path: "goog/cdp/execute",
            body: json!({ "cmd": command, "params": params }),
        };
        self.client
            .issue_cmd(extension)
            .await
            .with_context(|| command.to_owned())
    }

    /// Moves the mouse with its button down, presses it or lets it go. Unlike with
    /// WebDriver's actions, the button stays down until it is let go.
    pub async fn held_mouse(&self, what: Held, x: f64, y: f64) -> Result<()> {
        let (kind, buttons) = match what {
            Held::Press => ("mousePressed", 1),
            Held::Move => ("mouseMoved", 1),
            Held::Release => ("mouseReleased", 0),
        };
        let event = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1,
        });
        self.devtools("Input.dispatchMouseEvent", event).await?;
        Ok(())
    }

    /// Takes the page's network away, or gives it back.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        self.emulate_network(offline, 0.0, None).await
    }

    /// Makes the page's network slow: milliseconds to the answer, and bytes a second either way.
    pub async fn network(&self, latency_ms: f64, bytes_per_s: Option<f64>) -> Result<()> {
        self.emulate_network(false, latency_ms, bytes_per_s).await
    }

    async fn emulate_network(
        &self,
        offline: bool,
        latency_ms: f64,
        bytes_per_s: Option<f64>,
    ) -> Result<()> {
        self.devtools("Network.enable", json!({})).await?;
        let rate = bytes_per_s.unwrap_or(-1.0);
        let conditions = json!({
            "offline": offline, "latency": latency_ms,
            "downloadThroughput": rate, "uploadThroughput": rate,
        });
        self.devtools("Network.emulateNetworkConditions", conditions)
            .await?;
        Ok(())
    }

    /// Makes the page's processor this many times slower; 1 is its own speed.
    pub async fn slow_down(&self, times: f64) -> Result<()> {
        self.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": times }))
            .await?;
        Ok(())
    }

    /// Shows the page on a screen of this size in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
            .await?;
        Ok(())
    }

    /// Sets what the page is told that the person prefers: dark colours, little motion.
    pub async fn prefer(&self, dark: bool, still: bool) -> Result<()> {
        let scheme = if dark { "dark" } else { "light" };
        let motion = if still { "reduce" } else { "no-preference" };
        let features = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ]});
        self.devtools("Emulation.setEmulatedMedia", features)
            .await?;
        Ok(())
    }

    /// Saves a picture of the whole page, as long as it is; none in CI, where nobody looks at it.
    pub async fn screenshot(&self, path: &Path) -> Result<()> {
        if tools::in_ci() {
            return Ok(());
        }
        let png = if self.engine() == BrowserEngine::Chromium {
            // Chromium moves a page that is written from the right aside if there is nothing beyond.
            let beyond = "return document.documentElement.scrollHeight > innerHeight";
            let beyond = self.look(beyond, vec![]).await?;
            let params = json!({
                "format": "png", "captureBeyondViewport": beyond, "optimizeForSpeed": true,
            });
            let picture = self.devtools("Page.captureScreenshot", params).await?;
            STANDARD.decode(picture["data"].as_str().context("a picture was expected")?)?
        } else {
            // Of the window only.
            self.client.screenshot().await?
        };
        tools::keep_picture(path, &png)
    }

    /// What the page wrote to the console since this was last asked, errors of the browser included.
    pub async fn console(&self) -> Result<Vec<String>> {
        let extension = Extension {
            path: "se/log",
            body: json!({ "type": "browser" }),
        };
        let entries = self.client.issue_cmd(extension).await?;
        Ok(entries
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                format!("{} {}", text("level"), text("message"))
            })
            .collect())
    }
}
