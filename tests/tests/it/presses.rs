//! A click is for the page that it was begun on: three quick clicks, at the place where a page's way on
//! is, lead past that page and no other, on every kind of page. The log says what was read, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::Event;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::browser::{Browser, Hand, Held, PATIENCE};
use tests::client::KeptSession;
use tests::pages::{QuestionnairePage, SingleDimensionPage};
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::wait;

const STUDY: &str = "many-pages";
/// Time from one click to the next: a quick double click, and a slow one.
const GAPS_MS: [u64; 2] = [120, 400];
/// A press that begins so long after the one before begins a series of its own, and may lead past a page. A slow machine
/// presses later than it is told to.
const SERIES_MS: f64 = 500.0;
/// Nobody presses because of a page sooner.
const REACTION_MS: f64 = 200.0;
/// The ways on of all pages.
const WAYS_ON: [&str; 10] = [
    "start",
    "instructions-read",
    "tutorial-next",
    "tutorial-finish",
    "stage-begin",
    "skip",
    "answer",
    "move-on",
    "questionnaire-submit",
    "break-end",
];

/// Pages of each kind, several of a kind behind each other.
fn many_pages() -> Value {
    let text = |id: &str| {
        json!({ "kind": "questionnaire", "id": id, "title": "Comments", "items": [
            { "id": "comments", "text": "Comments?", "answer": { "kind": "text" }, "optional": true }] })
    };
    let read = |id: &str| json!({ "kind": "instructions", "id": id, "file": "read.md" });
    json!({
        "format": 2, "id": STUDY, "title": "Many pages",
        "parts": [
            { "kind": "consent", "file": "read.md", "investigator": "I", "contact": "c@example.org",
              "duration_minutes": 5 },
            read("one"), read("two"), read("three"),
            { "kind": "tutorial", "task": "reconstruction" },
            { "kind": "stage", "id": "curves",
              "task": { "kind": "reconstruction", "model": "sinelines-gt5", "questions": 3,
                        "skip": "always" } },
            { "kind": "break", "id": "rest" },
            { "kind": "stage", "id": "rows",
              "task": { "kind": "single_dimension", "model": "sinelines-gt5",
                        "visualisation": "traversals", "dimensions": [1],
                        "questions_per_dimension": 2 } },
            text("first"), text("second"), text("third"),
        ]
    })
}

#[tokio::test]
async fn quick_clicks_lead_past_one_page() -> Result<()> {
    wait::at_most(Duration::from_secs(600), run()).await
}

async fn run() -> Result<()> {
    let prepare = |studies: &Path| {
        add(studies, &many_pages())?;
        Ok(std::fs::write(
            studies.join(STUDY).join("read.md"),
            "Read this.\n",
        )?)
    };
    let server = Server::start_with(prepare).await?;
    for gap_ms in GAPS_MS {
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        let result = click_through(&server, &browser, gap_ms).await;
        browser.finish(&format!("presses-{gap_ms}"), result).await?;
    }
    Ok(())
}

async fn click_through(server: &Server, browser: &Browser, gap_ms: u64) -> Result<()> {
    let address = format!("http://{}/study/{STUDY}", server.address());
    browser.goto(&address).await?;
    let mut pressed = BTreeSet::new();
    let mut pages = 0;
    let mut late_ms: f64 = 0.0;
    // The page forgets it at the end.
    let mut session = None;
    loop {
        let screen = browser.settled_screen().await?;
        if screen == "complete" {
            break;
        }
        pages += 1;
        ensure!(pages < 100, "no end");
        if browser.visible("answer").await?.is_some() {
            SingleDimensionPage::on_screen(browser, Hand::Pointer)
                .await?
                .fill(0)
                .await?;
        }
        let way_on = wait::until("a way on", PATIENCE, async || {
            for name in WAYS_ON {
                if let Some(found) = browser.visible(name).await? {
                    return Ok(found.is_enabled().await?.then_some(name));
                }
            }
            Ok(None)
        })
        .await?;
        pressed.insert(way_on);
        browser.seen().await?;
        let passed = pages_made(browser).await?.count;
        let [x, y] = middle(browser, way_on).await?;
        for click in 0..3 {
            if click > 0 {
                tokio::time::sleep(Duration::from_millis(gap_ms)).await;
            }
            browser.held_mouse(Held::Press, x, y).await?;
            browser.held_mouse(Held::Release, x, y).await?;
        }
        browser.settled_screen().await?;
        browser.seen().await?;
        let PagesMade { count, presses } = pages_made(browser).await?;
        let made = count - passed;
        let last = presses.len().checked_sub(3).context("three presses")?;
        let presses = &presses[last..];
        let gaps = presses
            .windows(2)
            .map(|two| two[1].begun_ms - two[0].begun_ms);
        let series = 1 + gaps.filter(|gap| *gap >= SERIES_MS).count();
        for press in presses {
            late_ms = late_ms.max(press.handled_ms - press.begun_ms);
        }
        // A model that is loaded shows a page by itself.
        ensure!(
            (1..=1 + series).contains(&made),
            "three clicks {gap_ms} ms apart, {series} series: {presses:?}, on '{way_on}' of '{screen}' led to {made} pages"
        );
        if session.is_none() {
            session = Some(KeptSession::of(browser, server.address()).await?);
        }
    }
    ensure!(pressed.len() >= 9, "only {pressed:?} were pressed");
    read_one_by_one(&session.context("a session")?, gap_ms, late_ms).await
}

/// Every page that the log says was read was on screen until a series of presses was over. The log has the times at which
/// presses were handled, which was at most `late_ms` after they were begun.
async fn read_one_by_one(kept: &KeptSession, gap_ms: u64, late_ms: f64) -> Result<()> {
    let log = kept.log().await?;
    let past = log.iter().filter(|it| {
        matches!(
            it.event,
            Event::ConsentGiven(_)
                | Event::InstructionsRead { .. }
                | Event::TutorialFinished
                | Event::StageStarted { .. }
                | Event::QuestionnaireAnswered { .. }
                | Event::BreakEnded { .. }
        )
    });
    let times: Vec<u64> = past.map(|it| it.at_ms).collect();
    ensure!(times.len() >= 11, "{times:?}");
    for (place, two) in times.windows(2).enumerate() {
        let [one, next] = [two[0], two[1]];
        // Consent is in the log from when the server has answered, which may be long after the clicks: the page behind
        // it is there for as long as somebody needs to react.
        let least_ms = if place == 0 { REACTION_MS } else { SERIES_MS };
        ensure!(
            (next - one) as f64 + late_ms >= least_ms,
            "clicks {gap_ms} ms apart: pages were passed {one} and {next} ms after the start"
        );
    }
    Ok(())
}

/// What the page has counted.
#[derive(Deserialize)]
struct PagesMade {
    /// Pages that have been shown: screens, steps, and ways on that came to one.
    count: usize,
    presses: Vec<Press>,
}

/// When a press was begun, and when its click had been handled, by the page's clock.
#[derive(Debug, Deserialize)]
struct Press {
    begun_ms: f64,
    handled_ms: f64,
}

async fn pages_made(browser: &Browser) -> Result<PagesMade> {
    let script = "
        if (!window.redialPages) {
          window.redialPages = { count: 0, presses: [] };
          const presses = window.redialPages.presses;
          document.addEventListener('pointerdown', ({ timeStamp }) =>
            presses.push({ begun_ms: timeStamp, handled_ms: timeStamp }), true);
          // A task of its own: after all that hear of the click.
          document.addEventListener('click', () => {
            const press = presses.at(-1);
            if (press) setTimeout(() => { press.handled_ms = performance.now(); });
          }, true);
          const marks = '[data-screen], [data-testid=move-on], .tutorial > .card';
          new MutationObserver(records => {
            const made = records.flatMap(record => [...record.addedNodes])
              .filter(node => node.matches?.(marks) || node.querySelector?.(marks));
            if (made.length) window.redialPages.count += 1;
          }).observe(document.body, { subtree: true, childList: true });
        }
        return window.redialPages";
    Ok(serde_json::from_value(browser.look(script, vec![]).await?)?)
}

async fn middle(browser: &Browser, test_id: &str) -> Result<[f64; 2]> {
    let script = "
        const it = document.querySelector(`[data-testid='${arguments[0]}']`);
        it.scrollIntoView({ block: 'center', behavior: 'instant' });
        const box = it.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2]";
    let place = browser.look(script, vec![json!(test_id)]).await?;
    Ok(serde_json::from_value(place)?)
}

/// A key that is held, and one that is hit again and again, lead past one page, too.
#[tokio::test]
async fn keys_lead_past_one_page() -> Result<()> {
    let pages = json!({
        "format": 2, "id": STUDY, "title": "Lines", "parts": [
            { "kind": "questionnaire", "id": "a", "title": "A", "items": [
                { "id": "line", "text": "Line?", "answer": { "kind": "text", "one_line": true },
                  "optional": true }] },
            { "kind": "questionnaire", "id": "b", "title": "B", "items": [
                { "id": "other", "text": "Line?", "answer": { "kind": "text", "one_line": true },
                  "optional": true }] },
            { "kind": "stage", "id": "play",
              "task": { "kind": "exploration", "model": "sinelines-gt5" } }
        ]
    });
    let server = Server::start_with(|studies| add(studies, &pages));
    in_browser("presses-keys", 300, server, async |server, browser| {
        let address = format!("http://{}/study/{STUDY}", server.address());
        browser.goto(&address).await?;
        browser.press_with(Hand::Keyboard, "start").await?;
        browser.await_screen("questionnaire").await?;
        browser.tab_to("item-line").await?;
        // Enter in a line hands in, as in a form; held, it hands in one page.
        browser.seen().await?;
        for repeat in 0..20 {
            let down = json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r",
                               "windowsVirtualKeyCode": 13, "autoRepeat": repeat > 0 });
            browser.devtools("Input.dispatchKeyEvent", down).await?;
        }
        let up = json!({ "type": "keyUp", "key": "Enter", "code": "Enter" });
        browser.devtools("Input.dispatchKeyEvent", up).await?;
        wait::until("the second page", PATIENCE, async || {
            Ok((QuestionnairePage(browser).name().await? == "other").then_some(()))
        })
        .await?;
        // Assistive technology clicks without pointer and key, and is heard. A click within 100 ms of the key
        // is the key's, however late the browser got to it.
        tokio::time::sleep(Duration::from_millis(300)).await;
        browser.seen().await?;
        let click = "document.querySelector('[data-testid=questionnaire-submit]').click()";
        browser.look(click, vec![]).await?;
        browser.await_screen("stage-intro").await
    })
    .await
}
