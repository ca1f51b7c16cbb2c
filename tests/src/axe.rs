//! axe-core: what a machine can tell about accessibility.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::tools;

/// Rules of axe-core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// All that it knows.
    All,
    /// Those about colours: what else there is does not change with them.
    Colours,
}

impl Rules {
    /// What axe-core is told of them.
    fn option(self) -> Value {
        match self {
            Self::All => json!({}),
            Self::Colours => json!({ "runOnly": ["color-contrast", "link-in-text-block"] }),
        }
    }
}

/// Violations of rules on the page as its next frame shows it, one line each; empty if all is well.
///
/// # Errors
/// When axe-core is not installed or does not run.
pub async fn violations(browser: &Browser, rules: Rules) -> Result<Vec<String>> {
    let run = async || {
        browser
            .look_async(
                "await new Promise(requestAnimationFrame);
                 if (!window.axe) return null;
                 const found = await axe.run(document, { resultTypes: ['violations'], ...args[0] });
                 return found.violations.map(v => ({
                   rule: v.id, help: v.help,
                   places: v.nodes.map(n => n.html.slice(0, 160) + ' — ' + n.failureSummary),
                 }));",
                vec![rules.option()],
            )
            .await
    };
    let mut found = run().await?;
    if found.is_null() {
        let script = std::fs::read_to_string(tools::axe()?)?;
        browser.look(&script, vec![]).await?;
        found = run().await?;
    }
    let found = found.as_array().context("a list was expected")?;
    Ok(found.iter().flat_map(lines).collect())
}

fn lines(violation: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let places = violation["places"].as_array().cloned().unwrap_or_default();
    places
        .iter()
        .map(|place| {
            format!(
                "{} ({}): {}",
                text(&violation["rule"]),
                text(&violation["help"]),
                text(place)
            )
        })
        .collect()
}
