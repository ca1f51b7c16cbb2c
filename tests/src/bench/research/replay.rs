//! The replay of long sessions in Chromium: how soon it shows its first picture, how soon another moment, and how many
//! frames it keeps at sixteen times the speed.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::routes;
use domain::session::event::{Envelope, Event};
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use crate::area;
use crate::bench::machine;
use crate::bench::statistics::quantile;
use crate::browser::Browser;
use crate::export::Export;
use crate::server::{Server, add};
use crate::wait;

/// Sessions that are replayed: the study, its model and its number of stages. A made-up person takes about 360 events
/// for a question with ten dials. Simulating the longest with pictures of digits would take ten minutes.
const SESSIONS: [(&str, &str, usize); 2] =
    [("long", "mnist-ss10", 1), ("longest", "sinelines-vae5", 4)];
/// Questions of a stage: as many as there may be.
const QUESTIONS: usize = 100;
/// Moments that are sought.
const SEEKS: usize = 100;
/// How long it plays, in milliseconds.
const PLAYS_MS: f64 = 5_000.0;
/// How long a page may take to open.
const OPENS: Duration = Duration::from_secs(120);

/// Notes, from the beginning of the page, when the screen of the session has a picture on it.
const WATCH: &str = "
    (() => {
      const look = () => {
        const screen = document.querySelector('.replay-window iframe')?.contentDocument;
        const picture = screen?.querySelector('[data-testid=picture]');
        const pixels = picture?.getContext?.('2d').getImageData(0, 0, picture.width, picture.height);
        const curve = picture?.querySelector('path.curve')?.getAttribute('d') ?? '';
        const drawn = pixels?.data.some(it => it > 0) || curve.length > 20;
        if (drawn) window.redialFirstFrame = performance.now();
        else requestAnimationFrame(look);
      };
      if (window === window.top) requestAnimationFrame(look);
    })();";

/// Presses on the drawing at random places, and waits for the frame after the one that says so.
const SEEK: &str = "
    const [seeks] = args;
    const chart = document.querySelector('[data-testid=chart] canvas');
    const words = () => document.querySelector('[data-testid=event]').innerText;
    const { left, right, top } = chart.getBoundingClientRect();
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const times = [];
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    while (times.length < seeks) {
        const before = words();
        const at = { clientX: left + 80 + (right - left - 100) * random(), clientY: top + 30,
          bubbles: true, button: 0, pointerId: 1 };
        const begun = performance.now();
        chart.dispatchEvent(new PointerEvent('pointerdown', at));
        chart.dispatchEvent(new PointerEvent('pointerup', at));
        while (words() === before && performance.now() - begun < 5000) await frame();
        await frame();
        times.push(performance.now() - begun);
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    return times;";

/// Counts the frames in which the time that is said has changed, and the longest wait for one.
const PLAY: &str = "
    const [plays_ms] = args;
    const words = () => document.querySelector('[data-testid=time]').innerText;
    document.querySelector('[data-testid=play]').click();
    let [frames, longest, before, last] = [0, 0, words(), performance.now()];
    const begun = last;
    while (last - begun < plays_ms) {
      const now = await new Promise(resolve => requestAnimationFrame(() => resolve(performance.now())));
      if (now - begun > plays_ms) break;
      const here = words();
      if (here !== before) {
        frames += 1;
        longest = Math.max(longest, now - last);
        [before, last] = [here, now];
      }
    }
    document.querySelector('[data-testid=play]').click();
    return { frames, longest_ms: longest, lasted_ms: performance.now() - begun };";

#[derive(Deserialize)]
struct Played {
    frames: u32,
    longest_ms: f64,
    lasted_ms: f64,
}

/// Measures and prints.
///
/// # Errors
/// When the server or the browser fails.
pub(super) async fn measure() -> Result<()> {
    let mut server = Server::start_with(|studies| {
        for (study, model, stages) in SESSIONS {
            let stage = |number: usize| {
                json!({
                    "kind": "stage",
                    "id": format!("long-{number}"),
                    "task": { "kind": "reconstruction", "model": model, "questions": QUESTIONS },
                })
            };
            let definition = json!({
                "format": 2, "id": study, "title": "Long", "mode": "lab", "seed": 1,
                "parts": (0..stages).map(stage).collect::<Vec<_>>(),
            });
            add(studies, &definition)?;
        }
        Ok(())
    })
    .await?;
    // One program at a time writes to a database.
    server.stop().await?;
    for (study, ..) in SESSIONS {
        let one = ["--participants", "1", "--strategy", "random_trial=1"];
        area::said(&server, &[&["simulate", study], &one[..]].concat())?;
    }
    server.restart().await?;
    println!("\nreplay in Chromium, load {}", machine::load());
    println!(
        "first picture, in s: at the beginning at a first visit, again; at a moment within at a first visit, again"
    );
    println!(
        "{:<10} {:>9} {:>8} | {:>31} | {:>9} {:>9} | {:>9} {:>12} | {:>9}",
        "",
        "questions",
        "events",
        "first picture s",
        "seek p50",
        "p95 ms",
        "frames/s",
        "longest ms",
        "memory MB"
    );
    for (study, _, stages) in SESSIONS {
        let logs = Export::with(&server, study, &["--simulated"])?.events()?;
        let (session, log) = logs.first_key_value().context("nobody took part")?;
        let area = format!("http://{}{}", server.address(), routes::RESEARCH);
        // Before its first task there is the page that explains it. The other moment is far within, and not between two
        // stages, so that there are pictures at both.
        let first = log.iter().find(|it| matches!(it.event, Event::Task(_)));
        let first = first.context("no task")?;
        let within = &log[log.len() * 3 / 8];
        let address = |moment: &Envelope| {
            let at_s = moment.at_ms as f64 / 1_000.0;
            format!("{area}/studies/{study}/replay/{session}?t={at_s}s")
        };
        let beginning = Visit::begin(&server, study, "ada", &address(first)).await?;
        beginning.browser.close().await?;
        let Visit {
            browser,
            _profile,
            opened_s: within_s,
        } = Visit::begin(&server, study, "bob", &address(within)).await?;
        let opened_s = [beginning.opened_s, within_s].concat();
        // What opening has left to be done is over.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let seeks = browser.look_async(SEEK, vec![SEEKS.into()]).await?;
        let seeks: Vec<f64> = serde_json::from_value(seeks)?;
        let home = char::from(fantoccini::key::Key::Home);
        browser.keys(&[home, '+', '+', '+', '+']).await?;
        let played = browser.look_async(PLAY, vec![PLAYS_MS.into()]).await?;
        let played: Played = serde_json::from_value(played)?;
        ensure!(played.frames > 0, "it does not play");
        let opened_s: Vec<String> = opened_s.iter().map(|it| format!("{it:>7.2}")).collect();
        println!(
            "{study:<10} {:>9} {:>8} | {} | {:>9.0} {:>9.0} | {:>9.0} {:>12.0} | {:>9.0}",
            stages * QUESTIONS,
            log.len(),
            opened_s.join(" "),
            quantile(&seeks, 0.5),
            quantile(&seeks, 0.95),
            f64::from(played.frames) / played.lasted_ms * 1e3,
            played.longest_ms,
            browser.largest_page_mb()?,
        );
        browser.close().await?;
    }
    Ok(())
}

/// A browser of its own, in which nothing is cached, with a replay open.
struct Visit {
    browser: Browser,
    _profile: TempDir,
    /// Seconds to the first picture, at the first visit and again.
    opened_s: [f64; 2],
}

impl Visit {
    async fn begin(server: &Server, study: &str, owner: &str, address: &str) -> Result<Self> {
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        let owner = format!("{owner}-of-{study}");
        area::sign_in_as(server, &browser, &owner, "owner", study).await?;
        browser.before_the_page(WATCH).await?;
        let first_s = open(&browser, address).await?;
        let again_s = open(&browser, address).await?;
        Ok(Self {
            browser,
            _profile: profile,
            opened_s: [first_s, again_s],
        })
    }
}

/// Seconds from asking for the page to its first picture. Waits until everything else is there, too.
async fn open(browser: &Browser, address: &str) -> Result<f64> {
    browser.goto("about:blank").await?;
    browser.goto(address).await?;
    let first = wait::until("the first picture", OPENS, async || {
        let at = browser
            .look("return window.redialFirstFrame", vec![])
            .await?;
        Ok(at.as_f64().map(|ms| ms / 1e3))
    })
    .await?;
    let rests = "return document.querySelector('[data-testid=standing] dd') !== null";
    wait::until("the whole page", OPENS, async || {
        let rests = browser.look(rests, vec![]).await?;
        Ok((rests == true).then_some(()))
    })
    .await?;
    Ok(first)
}
