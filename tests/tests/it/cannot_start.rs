//! Browsers in which the app cannot start: each page says what is missing, what to use instead and whom to
//! ask, in the reader's language, and not that something is starting.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::server::{Server, change};
use tests::{tools, wait};

const STUDY: &str = "quickstart";
const CONTACT: &str = "Dr. Ada <Lovelace>, lab@example.org";

/// What is missing, a script that takes it away, and words that say so in English and German.
const CASES: [(&str, &str, &str, &str); 3] = [
    (
        "no-webassembly",
        "delete globalThis.WebAssembly;",
        "has it switched off",
        "ausgeschaltet",
    ),
    (
        "no-vectors",
        "WebAssembly.validate = () => false;",
        "too old",
        "zu alt",
    ),
    (
        "no-modules",
        "delete HTMLScriptElement.prototype.noModule;",
        "too old",
        "zu alt",
    ),
];

#[tokio::test]
async fn the_page_says_what_is_missing() -> Result<()> {
    wait::at_most(Duration::from_secs(300), run()).await
}

async fn run() -> Result<()> {
    let server = Server::start_with(|studies| {
        change(studies, STUDY, |study| {
            study["parts"][0]["contact"] = json!(CONTACT)
        })
    })
    .await?;
    for (name, script, english, german) in CASES {
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        let result = async {
            browser.devtools("Page.enable", json!({})).await?;
            browser.before_the_page(script).await?;
            for (language, words) in [("en", english), ("de", german)] {
                let said = open(&server, &browser, language, &format!("{name}-{language}")).await?;
                ensure!(said.contains(words), "{name}, {language}: {said}");
            }
            Ok(())
        }
        .await;
        browser.finish(name, result).await?;
    }
    without_scripts(&server).await
}

/// What the page says once it is clear that it cannot start.
async fn open(server: &Server, browser: &Browser, language: &str, name: &str) -> Result<String> {
    let address = server.address();
    browser
        .goto(&format!("http://{address}/study/{STUDY}?lang={language}"))
        .await?;
    let said = wait::until("the page to say why", PATIENCE, async || {
        let said = "return document.querySelector('#boot.stopped')?.innerText ?? null";
        Ok(browser
            .look(said, vec![])
            .await?
            .as_str()
            .map(str::to_owned))
    })
    .await?;
    for (width, height) in [(1280, 720), (360, 740)] {
        browser.resize(width, height).await?;
        let file = format!("cannot-start-{name}-{width}.png");
        browser.screenshot(&tools::screenshots().join(file)).await?;
    }
    for starting in ["Starting", "Wird gestartet", "longer than usual"] {
        ensure!(!said.contains(starting), "{name} says '{starting}': {said}");
    }
    ask(&said).context(name.to_owned())?;
    Ok(said)
}

/// Whom to ask stands there, as in the study's consent form.
fn ask(said: &str) -> Result<()> {
    ensure!(said.contains(CONTACT), "no '{CONTACT}' in: {said}");
    Ok(())
}

async fn without_scripts(server: &Server) -> Result<()> {
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    let result = async {
        let off = json!({ "value": true });
        browser
            .devtools("Emulation.setScriptExecutionDisabled", off)
            .await?;
        let address = format!("http://{}/study/{STUDY}", server.address());
        browser.goto(&address).await?;
        // Chromium makes the tree a while after the page.
        let tree = wait::until("the page's words", PATIENCE, async || {
            let tree = browser.devtools("Accessibility.getFullAXTree", json!({}));
            let tree = tree.await?.to_string();
            Ok(tree.contains("needs JavaScript").then_some(tree))
        })
        .await?;
        for said in ["braucht JavaScript", "necesita JavaScript"] {
            ensure!(tree.contains(said), "no '{said}'");
        }
        ensure!(!tree.contains("Starting"), "it says that it is starting");
        ask(&tree)
    }
    .await;
    browser.finish("no-scripts", result).await
}
