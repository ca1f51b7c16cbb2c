//! A real browser, driven as a person would: by pointer and keyboard.
//!
//! Scripts are run in the page only to look, never to act.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::Value;
use tokio::sync::{Mutex, MutexGuard};

use crate::browser_engine::{BrowserEngine, BrowserSetup};
use crate::driver::WebDriver;
use crate::{tools, wait};

mod devtools;
mod elements;
mod finger;

pub use devtools::Held;

/// How long anything on a page may take to appear. The machine may be busy, and
/// the app is compiled when it is first opened.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Two browsers at once would only measure how the machine divides itself.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// What a person acts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The mouse, with a few arrow keys to be exact.
    Pointer,
    /// The keyboard alone.
    Keyboard,
    /// A finger on a touch screen, and the keyboard that the phone shows for text.
    Finger,
}

/// One browser with one window.
pub struct Browser {
    client: Client,
    driver: WebDriver,
    engine: BrowserEngine,
    only: Option<Hand>,
    /// None for the browser of a second person in the same test.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Browser {
    /// Starts Chromium, which keeps its data in `profile`; waits until no other browser is running.
    pub async fn open(profile: &Path) -> Result<Self> {
        Self::open_engine(BrowserEngine::Chromium, profile, BrowserSetup::default()).await
    }

    /// Starts a browser of any engine, set up as a person might have it.
    pub async fn open_engine(
        engine: BrowserEngine,
        profile: &Path,
        setup: BrowserSetup,
    ) -> Result<Self> {
        let turn = ONE_AT_A_TIME.lock().await;
        Ok(Self {
            _turn: Some(turn),
            ..Self::launch(engine, profile, setup).await?
        })
    }

    /// Starts Chromium for a second person, beside the browser of the first.
    pub async fn open_beside(_: &Self, profile: &Path) -> Result<Self> {
        Self::launch(BrowserEngine::Chromium, profile, BrowserSetup::default()).await
    }

    async fn launch(engine: BrowserEngine, profile: &Path, setup: BrowserSetup) -> Result<Self> {
        let driver = WebDriver::start(engine).await?;
        let Value::Object(capabilities) = engine.capabilities(profile, setup)? else {
            bail!("capabilities are an object");
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&driver.url())
            .await
            .with_context(|| format!("{engine:?} does not start"))?;
        Ok(Self {
            client,
            driver,
            engine,
            only: None,
            _turn: None,
        })
    }

    /// The browser in the hands of somebody who acts in one way alone.
    #[must_use]
    pub fn acted_on_by(mut self, hand: Hand) -> Self {
        self.only = Some(hand);
        self
    }

    /// The one way in which everything is done, if there is only one.
    #[must_use]
    pub fn only(&self) -> Option<Hand> {
        self.only
    }

    /// Its engine.
    #[must_use]
    pub fn engine(&self) -> BrowserEngine {
        self.engine
    }

    /// Goes back to the page before, as the browser's own button does.
    pub async fn back(&self) -> Result<()> {
        Ok(self.client.back().await?)
    }

    /// Goes forward again.
    pub async fn forward(&self) -> Result<()> {
        Ok(self.client.forward().await?)
    }

    /// Opens an address.
    pub async fn goto(&self, url: &str) -> Result<()> {
        self.client.goto(url).await.with_context(|| url.to_owned())
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Result<()> {
        Ok(self.client.refresh().await?)
    }

    /// Goes on in a new tab; the other one stays open.
    pub async fn new_tab(&self) -> Result<()> {
        let tab = self.client.new_window(true).await?;
        Ok(self.client.switch_to_window(tab.handle).await?)
    }

    /// Goes back to the tab that was opened first.
    pub async fn first_tab(&self) -> Result<()> {
        let tabs = self.client.windows().await?;
        let first = tabs.into_iter().next().context("no tab is open")?;
        Ok(self.client.switch_to_window(first).await?)
    }

    /// Goes to a tab by its place in the order in which they were opened, from 0.
    pub async fn tab(&self, place: usize) -> Result<()> {
        let tabs = self.client.windows().await?;
        let tab = tabs.into_iter().nth(place).context("no such tab")?;
        Ok(self.client.switch_to_window(tab).await?)
    }

    /// Closes the tab that is gone on in, and goes on in the one that was opened first of those left.
    pub async fn close_tab(&self) -> Result<()> {
        self.client.close_window().await?;
        self.first_tab().await
    }

    /// Goes on in the page's first frame.
    pub async fn enter_frame(&self) -> Result<()> {
        Ok(self.client.enter_frame(0).await?)
    }

    /// Goes on in the page around the frame, or stays where there is none.
    pub async fn leave_frame(&self) -> Result<()> {
        Ok(self.client.enter_parent_frame().await?)
    }

    /// The page's address, without what stands behind its `#`, and that.
    pub async fn address(&self) -> Result<(String, String)> {
        let href = self.look("return location.href", vec![]).await?;
        let href = href.as_str().unwrap_or_default();
        let (page, hash) = href.split_once('#').unwrap_or((href, ""));
        Ok((page.to_owned(), hash.to_owned()))
    }

    /// Closes the browser as a person would.
    pub async fn close(self) -> Result<()> {
        Ok(self.client.close().await?)
    }

    /// Closes the browser after a test, whose result this is. Of one that failed it tells what
    /// the page and its console say, and leaves a screenshot, `failure-NAME.png`.
    ///
    /// # Errors
    /// The result's, or when the browser does not react.
    pub async fn finish(self, name: &str, result: Result<()>) -> Result<()> {
        if result.is_err() {
            let failure = tools::screenshots().join(format!("failure-{name}.png"));
            self.screenshot(&failure).await.ok();
            println!("the page says: {:?}", self.words().await);
            println!("the browser's console: {:#?}", self.console().await);
        }
        result?;
        self.close().await
    }

    /// Ends the browser at once, without a good-bye (SIGKILL).
    pub fn kill(mut self) {
        self.driver.kill();
    }

    /// The memory that the largest page has to itself, in MB.
    ///
    /// # Errors
    /// When no page is open.
    pub fn largest_page_mb(&self) -> Result<f64> {
        self.driver.largest_page_mb().context("no page is open")
    }

    /// Kills the process that shows the page; the browser stays, and can open it again.
    pub fn kill_tab(&self) -> Result<()> {
        if self.driver.kill_pages()? == 0 {
            bail!("no process that shows a page was found");
        }
        Ok(())
    }

    /// Looks at the page with a script; `return` gives the answer.
    pub async fn look(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }

    /// The same with an asynchronous function's body.
    ///
    /// # Errors
    /// When the promise is rejected, or not settled within a minute.
    pub async fn look_async(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        let wrapped = format!(
            "const done = arguments[arguments.length - 1];
             (async (...args) => {{ {script} }})(...[...arguments].slice(0, -1))
               .then(value => done({{ value }}), error => done({{ error: String(error) }}));"
        );
        let mut answer = self.client.execute_async(&wrapped, arguments).await?;
        if let Some(error) = answer.get("error").and_then(Value::as_str) {
            bail!("in the page: {error}");
        }
        Ok(answer.get_mut("value").map(Value::take).unwrap_or_default())
    }

    /// Runs a script that clicks, once the page can have been seen: what is clicked sooner does not count.
    pub async fn click_by(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        self.seen().await?;
        self.look(script, arguments).await
    }

    /// Clicks the element that a CSS selector finds.
    pub async fn click_css(&self, css: &str) -> Result<()> {
        self.seen().await?;
        let element = self.client.find(Locator::Css(css)).await?;
        element
            .click()
            .await
            .with_context(|| format!("clicking {css}"))
    }

    /// Clicks the label around a radio button: what a person sees and aims at.
    pub async fn click_label(&self, test_id: &str) -> Result<()> {
        self.click_css(&format!("label:has([data-testid=\"{test_id}\"])"))
            .await
    }

    /// Waits until another screen than this one is shown.
    pub async fn await_change(&self, from: &str) -> Result<()> {
        wait::until(&format!("'{from}' to go"), PATIENCE, async || {
            Ok((self.screen().await? != from).then_some(()))
        })
        .await
    }

    /// Ticks a box, or chooses among radio buttons the one that Tab leads to.
    pub async fn tick(&self, hand: Hand, test_id: &str) -> Result<()> {
        match hand {
            Hand::Pointer => self.click_label(test_id).await,
            Hand::Finger => self.tap_label(test_id).await,
            Hand::Keyboard => {
                self.tab_to(test_id).await?;
                self.keys(&[' ']).await
            }
        }
    }

    /// Writes into a text field.
    pub async fn write(&self, hand: Hand, test_id: &str, words: &str) -> Result<()> {
        if hand == Hand::Finger {
            self.tap(test_id).await?;
            return self.type_on_glass(words).await;
        }
        self.tab_to(test_id).await?;
        self.keys(&words.chars().collect::<Vec<_>>()).await
    }

    /// Types keys, one after the other, once the page can have been seen.
    pub async fn keys(&self, keys: &[char]) -> Result<()> {
        self.seen().await?;
        let actions = pressed(KeyActions::new("keyboard".to_owned()), keys);
        Ok(self.client.perform_actions(actions).await?)
    }

    /// Types keys in groups, and rests after each group.
    pub async fn keys_with_rests(&self, groups: &[Vec<char>], rest: Duration) -> Result<()> {
        self.seen().await?;
        let mut actions = KeyActions::new("keyboard".to_owned());
        for group in groups {
            actions = pressed(actions, group).then(KeyAction::Pause { duration: rest });
        }
        Ok(self.client.perform_actions(actions).await?)
    }

    /// Types one key while Shift is held.
    pub async fn shifted(&self, key: char, times: usize) -> Result<()> {
        let shift = char::from(Key::Shift);
        let held = KeyActions::new("keyboard".to_owned()).then(KeyAction::Down { value: shift });
        let actions = pressed(held, &vec![key; times]).then(KeyAction::Up { value: shift });
        Ok(self.client.perform_actions(actions).await?)
    }

    /// Clicks a place of the window with the mouse, once the page can have been seen.
    pub async fn click_at(&self, x: f64, y: f64) -> Result<()> {
        self.seen().await?;
        let button = MOUSE_BUTTON_LEFT;
        let to = PointerAction::MoveTo {
            duration: None,
            x: x.round(),
            y: y.round(),
        };
        self.mouse([
            to,
            PointerAction::Down { button },
            PointerAction::Up { button },
        ])
        .await
    }

    /// Does something with the mouse, which has to let go of what it presses.
    ///
    /// # Errors
    /// When a position lies outside the window.
    pub async fn mouse(&self, actions: impl IntoIterator<Item = PointerAction>) -> Result<()> {
        let start = MouseActions::new("mouse".to_owned());
        let actions = actions.into_iter().fold(start, MouseActions::then);
        Ok(self.client.perform_actions(actions).await?)
    }
}

/// Presses keys, one after the other, after what is done already.
fn pressed(actions: KeyActions, keys: &[char]) -> KeyActions {
    keys.iter().fold(actions, |actions, &value| {
        actions
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value })
    })
}
