//! Page objects: one per screen, in the words of the person in front of it.

use anyhow::{Result, bail};
use serde_json::Value;

use crate::browser::{Browser, PATIENCE};
use crate::wait;

mod complete;
mod naming;
mod picture;
mod question;
mod questionnaire;
mod single;
mod slider;
mod stage_intro;
mod study;
mod tutorial;

pub use crate::browser::Hand;
pub use complete::{Complete, RecordedQuestion};
pub use naming::NamingPage;
pub use picture::Picture;
pub use question::QuestionPage;
pub use questionnaire::QuestionnairePage;
pub use single::SingleDimensionPage;
pub use slider::Slider;
pub use stage_intro::StageIntro;
pub use study::StudyPage;
pub use tutorial::TutorialPage;

/// Screens that pass by themselves.
const PASSING: [&str; 3] = ["", "loading", "awaiting-verdicts"];

impl Browser {
    /// The name of the screen that is shown; empty while there is none.
    pub async fn screen(&self) -> Result<String> {
        let script = "return document.querySelector('[data-screen]')?.dataset.screen ?? ''";
        let screen = self.look(script, vec![]).await?;
        Ok(screen.as_str().unwrap_or_default().to_owned())
    }

    /// Waits for a screen of which something has to be done.
    pub async fn settled_screen(&self) -> Result<String> {
        let screen = wait::until("a screen", PATIENCE, async || {
            let screen = self.screen().await?;
            Ok((!PASSING.contains(&screen.as_str())).then_some(screen))
        })
        .await;
        match screen {
            Ok(screen) if screen != "error" => Ok(screen),
            Ok(_) => bail!("an error is shown: {}", self.words().await?),
            Err(error) => Err(error.context(format!("the page says: {}", self.words().await?))),
        }
    }

    /// Waits for one screen.
    pub async fn await_screen(&self, name: &str) -> Result<()> {
        let what = format!("the screen '{name}'");
        let found = wait::until(&what, PATIENCE, async || {
            Ok((self.screen().await? == name).then_some(()))
        });
        match found.await {
            Ok(()) => Ok(()),
            Err(error) => Err(error.context(format!("the page says: {}", self.words().await?))),
        }
    }

    /// Waits until the page says that everything is `saved`, or what else of saving.
    pub async fn await_save_state(&self, state: &str) -> Result<()> {
        let sign = "return document.querySelector('[data-testid=save-state]')?.dataset.state ?? ''";
        wait::until(&format!("the sign '{state}'"), PATIENCE, async || {
            Ok((self.look(sign, vec![]).await? == state).then_some(()))
        })
        .await
    }

    /// All words on the page.
    pub async fn words(&self) -> Result<String> {
        let words = self
            .look("return document.body?.innerText ?? ''", vec![])
            .await?;
        Ok(words.as_str().unwrap_or_default().to_owned())
    }

    /// Session name and secret that this browser keeps, read from its database.
    ///
    /// # Errors
    /// When it keeps none, or several.
    pub async fn kept_session(&self) -> Result<(String, String)> {
        let sessions = self
            .look_async(
                "const request = indexedDB.open('redial');
                 await new Promise((yes, no) => { request.onsuccess = yes; request.onerror = no; });
                 const store = request.result.transaction('sessions').objectStore('sessions');
                 const all = store.getAll();
                 await new Promise((yes, no) => { all.onsuccess = yes; all.onerror = no; });
                 request.result.close();
                 return all.result.map(text => JSON.parse(text).running)
                   .map(kept => [kept.plan.session, kept.token]);",
                vec![],
            )
            .await?;
        match sessions.as_array().map(Vec::as_slice) {
            Some([session]) => {
                let text = |k: usize| session[k].as_str().unwrap_or_default().to_owned();
                Ok((text(0), text(1)))
            }
            _ => bail!("one session was expected in the browser's database: {sessions}"),
        }
    }
}

/// A number in a script's answer.
fn number(value: &Value) -> Result<f64> {
    match value.as_f64() {
        Some(number) => Ok(number),
        None => bail!("a number was expected, not {value}"),
    }
}
