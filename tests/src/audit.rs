//! Looking at screens with the eyes that a machine has.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use models::Zoo;

use crate::axe::{self, Rules};
use crate::browser::Browser;
use crate::tools;

/// The narrowest phone we promise to serve, a laptop at 200 % zoom, a tablet, and a laptop; in CSS
/// pixels. The laptop is last: what follows goes on there.
const SIZES: [(u32, u32); 4] = [(360, 740), (640, 400), (768, 1024), (1280, 800)];

/// Looks at every kind of screen once: on a phone and a laptop, and there in the dark, too. The long run looks
/// in all sizes, and at what has been filled in, too.
#[derive(Default)]
pub struct Audit {
    seen: BTreeSet<String>,
    violations: Vec<String>,
}

impl Audit {
    /// Looks at the screen that is shown, unless one of this name has been looked at, with [`violations`]; nor may it name
    /// a model, which would tell people what is compared.
    ///
    /// # Errors
    /// When it cannot be looked at; what is wrong with it is for [`Self::verdict`].
    pub async fn look(&mut self, browser: &Browser, screen: &str) -> Result<()> {
        let long = tools::long();
        if (screen.contains("filled-") && !long) || !self.seen.insert(screen.to_owned()) {
            return Ok(());
        }
        for field in kept_by_browsers(browser).await? {
            self.violations.push(format!(
                "{screen}: browsers keep what is typed into {field}"
            ));
        }
        for model in models_named(browser).await? {
            self.violations.push(format!("{screen} names {model}"));
        }
        let mut sizes = SIZES.to_vec();
        sizes.retain(|(width, _)| long || !(640..=768).contains(width));
        let found = violations(browser, screen, &sizes).await?;
        self.violations.extend(found);
        Ok(())
    }

    /// What was found, in all.
    ///
    /// # Errors
    /// When anything was wrong anywhere.
    pub fn verdict(self) -> Result<()> {
        println!(
            "screens looked at: {}",
            self.seen.into_iter().collect::<Vec<_>>().join(", ")
        );
        ensure!(self.violations.is_empty(), "{}", self.violations.join("\n"));
        Ok(())
    }
}

/// Looks at the screen that is shown in windows of these sizes, light, and in the last one dark as well, in the long run
/// in all; and gives what is wrong: nothing may be too wide or violate a rule of axe-core. Pictures of it go to
/// `target/screenshots/`.
///
/// # Errors
/// When it cannot be looked at.
pub async fn violations(
    browser: &Browser,
    screen: &str,
    sizes: &[(u32, u32)],
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (place, &(width, height)) in sizes.iter().enumerate() {
        browser.resize(width, height).await?;
        let scroll = "return document.documentElement.scrollWidth - innerWidth";
        let beyond = browser.look(scroll, vec![]).await?;
        let beyond = beyond.as_f64().unwrap_or_default();
        if beyond > 0.0 {
            found.push(format!("{screen} at {width} px: {beyond} px too wide"));
        }
        let both = tools::long() || place + 1 == sizes.len();
        for (theme, dark, rules) in [("light", false, Rules::All), ("dark", true, Rules::Colours)] {
            if dark && !both {
                continue;
            }
            // Without motion: colours on their way to another theme are nobody's choice.
            browser.prefer(dark, true).await?;
            let violated = axe::violations(browser, rules).await?;
            let violated = violated.into_iter();
            found.extend(violated.map(|it| format!("{screen} at {width} px, {theme}: {it}")));
            let name = format!("{screen}-{width}-{theme}.png");
            browser.screenshot(&tools::screenshots().join(name)).await?;
        }
    }
    browser.prefer(false, false).await?;
    Ok(found)
}

/// Fields that are typed into and whose words a browser would offer to the next person: those with a name,
/// with an id that comes again, in a form, or without `autocomplete="off"`.
async fn kept_by_browsers(browser: &Browser) -> Result<Vec<String>> {
    let script = "
        const untyped = ['checkbox', 'radio', 'range', 'hidden', 'button', 'submit'];
        return [...document.querySelectorAll('input, textarea, select')]
          .filter(it => !untyped.includes(it.type))
          .filter(it => it.name || it.form || it.autocomplete !== 'off'
            || (it.id && !/^typed-[0-9a-f]{16}(-|$)/.test(it.id)))
          .map(it => it.outerHTML);";
    Ok(serde_json::from_value(browser.look(script, vec![]).await?)?)
}

/// The shipped models whose names stand anywhere in the page: in its text or in an attribute. Names
/// that are ordinary words ("circles") may.
async fn models_named(browser: &Browser) -> Result<Vec<String>> {
    let html = "return document.documentElement.outerHTML";
    let html = browser.look(html, vec![]).await?;
    let html = html.as_str().context("a page is text")?;
    let zoo = Zoo::shipped()?;
    let names = zoo.names().filter(|name| name.contains('-'));
    Ok(names
        .filter(|name| html.contains(name))
        .map(str::to_owned)
        .collect())
}
