//! A finger on a touch screen, through DevTools: Chromium only.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Browser, PATIENCE};
use crate::wait;

/// About one picture: how long a finger rests between two places.
const PICTURE: Duration = Duration::from_millis(16);

/// Where the middle of an element is, once it is in sight and nothing lies over it. Who scrolls is
/// not looked at here: `touch.rs` tests swipes.
const MIDDLE: &str = "
    const element = document.querySelector(arguments[0]);
    if (!element || element.disabled) return null;
    const middle = () => {
      const box = element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2, box.width, box.height];
    };
    const free = ([x, y]) => {
      const top = document.elementFromPoint(x, y);
      return !!top && (element.contains(top) || !!top.closest('label')?.contains(element));
    };
    if (!free(middle())) element.scrollIntoView({ block: 'center', behavior: 'instant' });
    return free(middle()) ? middle() : null;";

/// Notes what people act with, before any script of the page.
const NOTE: &str = "
    window.redialHands = new Set();
    addEventListener('pointerdown', e => redialHands.add(e.pointerType), true);
    addEventListener('keydown', () => redialHands.add('keyboard'), true);";

impl Browser {
    /// Makes the window that of a phone: this size in CSS pixels, and a screen to touch.
    pub async fn become_phone(&self, width: u32, height: u32) -> Result<()> {
        let touch = json!({ "enabled": true, "maxTouchPoints": 1 });
        self.devtools("Emulation.setTouchEmulationEnabled", touch)
            .await?;
        let phone =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": true });
        self.devtools("Emulation.setDeviceMetricsOverride", phone)
            .await?;
        Ok(())
    }

    /// A finger goes down, moves through places, rests at each, and goes up.
    pub async fn touch(&self, through: &[(f64, f64)], rest: Duration) -> Result<()> {
        let event = async |kind: &str, points: Value| {
            let event = json!({ "type": kind, "touchPoints": points });
            self.devtools("Input.dispatchTouchEvent", event).await
        };
        let (first, others) = through.split_first().context("a finger is somewhere")?;
        event("touchStart", json!([{ "x": first.0, "y": first.1 }])).await?;
        tokio::time::sleep(rest).await;
        for (x, y) in others {
            event("touchMove", json!([{ "x": x, "y": y }])).await?;
            tokio::time::sleep(rest).await;
        }
        event("touchEnd", json!([])).await?;
        Ok(())
    }

    /// Taps on an element.
    pub async fn tap(&self, test_id: &str) -> Result<()> {
        self.tap_css(&format!("[data-testid=\"{test_id}\"]")).await
    }

    /// Taps on the label around a box or a radio button.
    pub async fn tap_label(&self, test_id: &str) -> Result<()> {
        self.tap_css(&format!("label:has([data-testid=\"{test_id}\"])"))
            .await
    }

    async fn tap_css(&self, css: &str) -> Result<()> {
        self.seen().await?;
        let [x, y, ..] = self.middle(css).await?;
        self.touch(&[(x, y)], PICTURE).await
    }

    /// Middle and size of an element that a finger can reach.
    async fn middle(&self, css: &str) -> Result<[f64; 4]> {
        let what = format!("{css} under the finger");
        let place = wait::until(&what, PATIENCE, async || {
            let place = self.look(MIDDLE, vec![json!(css)]).await?;
            Ok((!place.is_null()).then_some(place))
        });
        Ok(serde_json::from_value(place.await?)?)
    }

    /// What the phone's own keyboard writes into the field that has the focus.
    pub async fn type_on_glass(&self, words: &str) -> Result<()> {
        self.devtools("Input.insertText", json!({ "text": words }))
            .await?;
        Ok(())
    }

    /// Sets a menu or a date as the phone's own list or wheel does, which no test can touch: a
    /// finger has to be able to open it, and then the page hears of the value.
    ///
    /// # Errors
    /// When a finger cannot reach the field, or it is lower than a finger needs.
    pub async fn pick(&self, test_id: &str, value: &str) -> Result<()> {
        let css = format!("[data-testid=\"{test_id}\"]");
        let [.., height] = self.middle(&css).await?;
        ensure!(height >= 44.0, "'{test_id}' is {height} px high");
        let script = "
            const [css, value] = arguments;
            const field = document.querySelector(css);
            field.value = value || field.options[1].value;
            for (const kind of ['input', 'change'])
              field.dispatchEvent(new Event(kind, { bubbles: true }));";
        self.look(script, vec![json!(css), json!(value)]).await?;
        Ok(())
    }

    /// Notes from the next page on what people act with.
    pub async fn note_hands(&self) -> Result<()> {
        self.devtools("Page.enable", json!({})).await?;
        self.before_the_page(NOTE).await
    }

    /// What people have acted with on this page: `touch`, `mouse`, `keyboard`.
    pub async fn noted_hands(&self) -> Result<BTreeSet<String>> {
        let noted = self.look("return [...window.redialHands]", vec![]).await?;
        Ok(serde_json::from_value(noted)?)
    }
}
