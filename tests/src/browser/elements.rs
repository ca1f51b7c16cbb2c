//! Elements of the page: found once they can be seen, clicked, and reached by keyboard. Each is looked for with one
//! script: what a driver is asked costs more than what it does.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::actions::KeyActions;
use fantoccini::elements::{Element, ElementRef};
use fantoccini::key::Key;
use serde_json::Value;

use super::{Browser, Hand, PATIENCE, pressed};
use crate::browser_engine::BrowserEngine;
use crate::wait;

/// The name of an element's reference in what scripts answer, as WebDriver has it.
const REFERENCE: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How often a page that is being made is asked again whether it is there.
const ASKED_AGAIN: Duration = Duration::from_millis(20);

/// `seen(test_id)`: the first element of this name that can be seen. One without a size of its own can be seen by what
/// it has in it. `countsIn()`: in how many milliseconds a press counts, at the latest 0; none while nobody knows.
const LOOKS: &str = "
    const hasSize = it => [...it.getClientRects()].some(box => box.width > 0 && box.height > 0);
    const canBeSeen = it => it.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && (hasSize(it) || [...it.querySelectorAll('*')].some(hasSize));
    const seen = name => [...document.querySelectorAll(`[data-testid=\"${name}\"]`)].find(canBeSeen) ?? null;
    const countsIn = () => {
        const left = Number(document.documentElement.dataset.pressesFrom ?? 0) - performance.now();
        return left === Infinity ? null : Math.max(0, left);
    };";

/// `stops()`: what Tab leads to, at least, in its order. Of the radio buttons of one group that is one.
const STOPS: &str = "
    const stops = () => {
        const within = document.querySelector('dialog:modal') ?? document;
        const all = [...within.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
            .filter(it => it.tabIndex >= 0 && !it.matches(':disabled') && !it.closest('[inert]')
                && it.checkVisibility({ visibilityProperty: true }));
        const group = it => it.type === 'radio' && it.name ? all.filter(other => other.type === 'radio'
            && other.name === it.name && other.form === it.form) : [it];
        return all.filter(it => {
            const of = group(it);
            return it === (of.find(other => other.checked) ?? of[0]);
        });
    };";

impl Browser {
    /// What [`LOOKS`] finds with the rest of a script.
    async fn find(&self, script: &str, test_id: &str) -> Result<Value> {
        let script = format!("{LOOKS}{script}");
        self.look(&script, vec![test_id.into()]).await
    }

    fn referred_to(&self, answer: &Value) -> Option<Element> {
        let reference = answer.get(REFERENCE)?.as_str()?.to_owned();
        let reference = ElementRef::from(reference);
        Some(Element::from_element_id(self.client.clone(), reference))
    }

    /// The element with this `data-testid`, if it can be seen now.
    pub async fn visible(&self, test_id: &str) -> Result<Option<Element>> {
        let found = self.find("return seen(arguments[0])", test_id).await?;
        Ok(self.referred_to(&found))
    }

    /// The element with this `data-testid`, once it can be seen.
    pub async fn element(&self, test_id: &str) -> Result<Element> {
        wait::until(
            &format!("'{test_id}' to be visible"),
            PATIENCE,
            async || self.visible(test_id).await,
        )
        .await
        .with_context(|| test_id.to_owned())
    }

    /// Clicks an element once it can be seen, in the middle of the window: where a person would
    /// scroll it to, away from what stays at its edges.
    pub async fn click(&self, test_id: &str) -> Result<()> {
        let script = "
            const found = seen(arguments[0]);
            found?.scrollIntoView({ block: 'center', behavior: 'instant' });
            return [found, countsIn()]";
        let found = wait::until(
            &format!("'{test_id}' to be visible"),
            PATIENCE,
            async || {
                let answer = self.find(script, test_id).await?;
                let Some(found) = self.referred_to(&answer[0]) else {
                    return Ok(None);
                };
                Ok(waited(&answer[1]).await.then_some(found))
            },
        )
        .await?;
        found
            .click()
            .await
            .with_context(|| format!("clicking '{test_id}'"))
    }

    /// Presses an element, once it can be pressed: with the hand that does everything, else by
    /// keyboard.
    pub async fn press(&self, test_id: &str) -> Result<()> {
        let hand = self.only.unwrap_or(Hand::Keyboard);
        self.press_with(hand, test_id).await
    }

    /// Presses an element with a hand, once it can be pressed. By keyboard that is Tab until it has
    /// the focus, and then Enter; in browsers other than Chromium a click, since whether all can be
    /// reached by keyboard is tested once.
    pub async fn press_with(&self, hand: Hand, test_id: &str) -> Result<()> {
        let ready =
            "const found = seen(arguments[0]); return !!found && !found.matches(':disabled')";
        wait::until(&format!("'{test_id}' to be ready"), PATIENCE, async || {
            let ready = self.find(ready, test_id).await?;
            Ok((ready == true).then_some(()))
        })
        .await?;
        match hand {
            Hand::Pointer => self.click(test_id).await,
            Hand::Finger => self.tap(test_id).await,
            Hand::Keyboard if self.engine != BrowserEngine::Chromium => self.click(test_id).await,
            Hand::Keyboard => {
                self.tab_to(test_id).await?;
                self.keys(&[Key::Enter.into()]).await
            }
        }
    }

    /// Moves the focus to an element with the Tab key. It is pressed in series, as often as there are elements
    /// between, and then once more at a time. Where the focus comes back to where it left the page, and not to
    /// the page's other end, as in some versions of Firefox, it goes the other way, with Shift held.
    ///
    /// # Errors
    /// When it does not get there within 100 presses.
    pub async fn tab_to(&self, test_id: &str) -> Result<()> {
        let script = format!(
            "{STOPS}
            const at = document.activeElement;
            const within = at !== null && at !== document.body;
            const turned = within && window.focusLeft === true && at === window.focusBefore;
            if (within) window.focusBefore = at;
            window.focusLeft = !within;
            const after = within
                ? stops().filter(it => at.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_FOLLOWING) : [];
            const place = after.findIndex(it => it.dataset.testid === arguments[0]);
            return [within ? at.dataset.testid ?? '' : '', turned, place < 0 ? after.length : place + 1, countsIn()]"
        );
        // In others Tab may pass over what it stops at in Chromium.
        let in_series = self.engine == BrowserEngine::Chromium;
        let mut back = false;
        let mut left = 100;
        while left > 0 {
            let at = self.find(&script, test_id).await?;
            if at[0] == test_id {
                return Ok(());
            }
            if at[3].as_f64() != Some(0.0) {
                self.seen().await?;
                continue;
            }
            if at[1] == true {
                back = !back;
            }
            let tab = Key::Tab.into();
            if back {
                self.shifted(tab, 1).await?;
                left -= 1;
                continue;
            }
            let between = at[2].as_u64().filter(|_| in_series).unwrap_or(1);
            let times = usize::try_from(between)?.clamp(1, left);
            let tabs = pressed(KeyActions::new("keyboard".to_owned()), &vec![tab; times]);
            self.client.perform_actions(tabs).await?;
            left -= times;
        }
        bail!("'{test_id}' cannot be reached with the Tab key")
    }

    /// Waits until a press is for the page on screen: as long as a person needs to see it, and as the
    /// series of presses lasts that led to it (`frontend/src/ui/presses.rs`).
    ///
    /// # Errors
    /// When that takes more than a minute.
    pub async fn seen(&self) -> Result<()> {
        wait::until("a press to count", PATIENCE, async || {
            let counts_in = self.find("return countsIn()", "").await?;
            Ok(waited(&counts_in).await.then_some(()))
        })
        .await
    }
}

/// Whether a press counts now; if not, waits as long as the page says before it has to be asked again.
async fn waited(counts_in: &Value) -> bool {
    let left = match counts_in.as_f64() {
        Some(left) if left <= 0.0 => return true,
        Some(left) => Duration::from_secs_f64(left / 1_000.0),
        None => ASKED_AGAIN,
    };
    tokio::time::sleep(left).await;
    false
}
