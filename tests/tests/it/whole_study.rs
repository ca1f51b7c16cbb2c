//! A study with every task and every instrument, from consent to the code: with a finger on a
//! phone, by keyboard alone, and interrupted at every single screen.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::browser_engine::{BrowserEngine, BrowserSetup};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, Hand, StudyPage};
use tests::scene::in_engine;
use tests::server::Server;
use tests::{tools, wait, whole_study};

const STUDY: &str = whole_study::NAME;

#[tokio::test]
async fn with_a_finger_alone() -> Result<()> {
    with_one_hand(Hand::Finger).await
}

#[tokio::test]
async fn by_keyboard_alone() -> Result<()> {
    with_one_hand(Hand::Keyboard).await
}

#[tokio::test]
async fn interrupted_at_every_screen() -> Result<()> {
    let chromium = (BrowserEngine::Chromium, BrowserSetup::with_tabs());
    let interrupt = async |server: &mut Server, browser: &Browser| interrupt(server, browser).await;
    in_engine("interrupted", 1800, chromium, server(), interrupt).await
}

async fn server() -> Result<Server> {
    Server::start_with(whole_study::add_to).await
}

async fn with_one_hand(hand: Hand) -> Result<()> {
    let server = server().await?;
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?.acted_on_by(hand);
    let result = take(&server, &browser, hand).await;
    if result.is_err() {
        println!("the server said:\n{}", server.log());
    }
    browser.finish(&format!("{STUDY}-{hand:?}"), result).await
}

async fn take(server: &Server, browser: &Browser, hand: Hand) -> Result<()> {
    let (noted, modality) = match hand {
        Hand::Finger => ("touch", "touch"),
        _ => ("keyboard", "keyboard"),
    };
    if hand == Hand::Finger {
        browser.become_phone(360, 740).await?;
    }
    browser.note_hands().await?;
    StudyPage::begin(browser, server.address(), STUDY).await?;
    let look = async |browser: &Browser, screen: &str| {
        let beyond =
            // Beside a gutter that is kept for a scroll bar, the page is narrower than the window.
            "const page = document.documentElement;
             return page.scrollWidth - Math.round(page.getBoundingClientRect().width)";
        let beyond = browser.look(beyond, vec![]).await?;
        ensure!(beyond == json!(0), "{screen} is {beyond} px too wide");
        Ok(())
    };
    journey::finish(browser, PATIENCE, look).await?;
    let expected: BTreeSet<String> = [noted.to_owned()].into();
    let hands = browser.noted_hands().await?;
    ensure!(hands == expected, "the page was acted on by {hands:?}");
    let code = Complete(browser).code().await?;
    let export = complete(server, &code)?;
    for table in ["reconstruction_questions", "exploration_questions"] {
        for row in export.table(table)? {
            ensure!(row["input_modality"] == modality, "{table}: {row}");
        }
    }
    Ok(())
}

/// One session with this code, in which everything was asked and answered once.
fn complete(server: &Server, code: &str) -> Result<Export> {
    let export = Export::of(server, STUDY)?;
    let sessions = export.table("sessions")?;
    ensure!(sessions.len() == 1, "{} sessions", sessions.len());
    ensure!(sessions[0]["completion_code"] == code, "{}", sessions[0]);
    // Numbered without a gap, or the server would have refused it.
    export.only_log()?;
    for (table, expected) in [
        ("reconstruction_questions", 2),
        ("single_dimension_questions", 2),
        ("exploration_questions", 1),
        ("concept_naming_questions", 2),
    ] {
        let rows = export.table(table)?;
        ensure!(rows.len() == expected, "{table}: {} rows", rows.len());
        let ended = rows.iter().all(|row| !row["outcome"].is_null());
        ensure!(ended, "{table}: {rows:?}");
    }
    let names = export.table("concept_naming_questions")?;
    let helped = &names[0];
    let opened = helped["example_opened"].as_i64() >= Some(1)
        && helped["definitions_opened"]["shape"].as_i64() >= Some(1);
    ensure!(opened && helped["second_terms"].is_null(), "{helped}");
    // *None of them* and two terms at least: the last answer counts.
    let changed = helped["changes"].as_i64() >= Some(3) && helped["none_of_them"] == false;
    ensure!(changed && helped["named"] == true, "{helped}");
    let second = &names[1]["second_terms"];
    ensure!(
        second["position"].is_string() && second["shape"].is_string(),
        "{}",
        names[1]
    );
    let mut given = BTreeMap::new();
    for row in export.table("answers")? {
        let key = ["part", "attempt", "item", "row"].map(|column| row[column].to_string());
        *given.entry(key).or_insert(0) += 1;
    }
    let twice: Vec<_> = given.iter().filter(|(_, times)| **times > 1).collect();
    ensure!(twice.is_empty(), "answered twice: {twice:?}");
    let pages: BTreeSet<&String> = given.keys().map(|[part, ..]| part).collect();
    ensure!(pages.len() == PAGES, "{} pages were answered", pages.len());
    Ok(export)
}

/// Number of pages of items.
const PAGES: usize = 10;

/// What can happen to a page.
#[derive(Debug, Clone, Copy)]
enum Interruption {
    Reload,
    BackAndForward,
    SecondTab,
}

impl Interruption {
    const ALL: [Self; 3] = [Self::Reload, Self::BackAndForward, Self::SecondTab];

    async fn happen(self, browser: &Browser, server: &Server) -> Result<()> {
        let here = browser.address().await?;
        match self {
            Self::Reload => browser.reload().await,
            Self::BackAndForward => {
                browser.back().await?;
                ensure!(browser.address().await? != here, "there is no way back");
                browser.forward().await
            }
            Self::SecondTab => {
                browser.new_tab().await?;
                // A page to go back to.
                browser
                    .goto(&format!("http://{}/", server.address()))
                    .await?;
                browser.goto(&here.0).await?;
                if browser.settled_screen().await? == "complete" {
                    // There is nothing to take over.
                    browser.first_tab().await?;
                    return browser.close_tab().await;
                }
                browser.await_screen("other-tab").await?;
                browser.press("take-over").await?;
                browser.await_change("other-tab").await?;
                browser.first_tab().await?;
                browser.await_screen("other-tab").await?;
                browser.close_tab().await
            }
        }
    }
}

/// Where the participant is, and all that stands in the screen's fields. What a tutorial's dials
/// show is not kept.
const SCENE: &str = "
    const root = document.querySelector('[data-screen]');
    const { screen, stage, question } = root?.dataset ?? {};
    if (!screen || screen === 'loading') return null;
    const fields = screen === 'tutorial' ? [] : [...root.querySelectorAll('input, textarea, select')];
    const value = f => f.type === 'checkbox' || f.type === 'radio' ? f.checked : f.value;
    const find = id => root.querySelector(`[data-testid='${id}']`);
    return { screen, stage, question, step: root.querySelector('.eyebrow')?.textContent,
             heading: root.querySelector('h1')?.textContent,
             fields: fields.map(f => [f.dataset.testid, value(f)]),
             solved: !!find('move-on'), right: find('verdict')?.dataset.right,
             code: find('completion-code')?.textContent };";

async fn interrupt(server: &Server, browser: &Browser) -> Result<()> {
    browser
        .goto(&format!("http://{}/", server.address()))
        .await?;
    let study = StudyPage::open(browser, server.address(), STUDY).await?;
    for interruption in Interruption::ALL {
        if !matches!(interruption, Interruption::SecondTab) {
            interruption.happen(browser, server).await?;
            browser.await_screen("study").await?;
        }
    }
    study.start().await?;
    let long = tools::long();
    let mut turn = 0;
    let mut done = Vec::new();
    let look = async |browser: &Browser, screen: &str| {
        let all = Interruption::ALL.into_iter().enumerate();
        turn += 1;
        for (_, interruption) in all.filter(|(index, _)| long || *index == turn % 3) {
            let what = format!("{interruption:?} at {screen}");
            again_as_before(browser, server, interruption)
                .await
                .context(what.clone())?;
            done.push(what);
        }
        Ok(())
    };
    journey::finish(browser, PATIENCE, look).await?;
    println!("{}", done.join(", "));
    let code = Complete(browser).code().await?;
    complete(server, &code)?;
    Ok(())
}

/// After an interruption everything is as it was.
async fn again_as_before(
    browser: &Browser,
    server: &Server,
    interruption: Interruption,
) -> Result<()> {
    let scene = async || browser.look(SCENE, vec![]).await;
    let before = settled(&scene).await?;
    interruption.happen(browser, server).await?;
    let mut last = Value::Null;
    let found = wait::until("the same screen", Duration::from_secs(30), async || {
        last = scene().await?;
        Ok((last == before).then_some(()))
    })
    .await;
    found.with_context(|| format!("{before}\nbecame {last}"))
}

/// The scene once it stands still: a verdict comes a moment after its answer.
async fn settled(scene: &impl AsyncFn() -> Result<Value>) -> Result<Value> {
    let mut last = scene().await?;
    wait::until("a scene that stands still", PATIENCE, async || {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = scene().await?;
        let stands = now == last && !now.is_null();
        last = now.clone();
        Ok(stands.then_some(now))
    })
    .await
}
