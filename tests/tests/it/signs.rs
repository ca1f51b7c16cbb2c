//! What the page shows of where the participant stands: the colours that its words promise, a bar
//! that is green at the target alone, progress on every screen, and steps that grow while a button
//! is held.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::browser::{Browser, Held, PATIENCE};
use tests::journey;
use tests::pages::{Hand, Picture, QuestionPage, StageIntro, StudyPage, TutorialPage};
use tests::scene::in_browser;
use tests::server::{Server, seed_quickstart};
use tests::wait;

const STUDY: &str = "quickstart";
/// How long the participant tries each question after practice: what is shown does not depend on it.
const TRY: Duration = Duration::from_secs(10);

#[tokio::test]
async fn signs_say_what_they_promise() -> Result<()> {
    in_browser("signs", 400, Server::start_with(seed_quickstart), look).await
}

async fn look(server: &Server, browser: &Browser) -> Result<()> {
    StudyPage::begin(browser, server.address(), STUDY).await?;
    browser.await_screen("tutorial").await?;
    let mut seen = false;
    TutorialPage(browser)
        .read(async |_| {
            if browser.visible("arrange").await?.is_some() {
                seen = true;
                promised_colours(browser).await?;
            }
            Ok(())
        })
        .await?;
    ensure!(
        seen,
        "the tutorial has not laid the pictures over each other"
    );
    StageIntro(browser).begin().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    steps_grow(browser).await?;
    watch_the_bar(browser).await?;
    ensure!(question.solve().await?, "practice was not solved");
    bar_was_honest(browser).await?;
    question.leave().await?;

    // To the end, looking at progress on each screen.
    let mut shown: Vec<(String, f64)> = Vec::new();
    journey::finish(browser, TRY, async |browser, screen| {
        let script = "const bar = document.querySelector('[data-testid=progress]');
            return bar && bar.offsetParent ? +bar.getAttribute('aria-valuenow') : null";
        let percent = browser.look(script, vec![]).await?;
        let percent = percent.as_f64();
        let percent = percent.with_context(|| format!("no progress is shown on '{screen}'"))?;
        shown.push((screen.to_owned(), percent));
        Ok(())
    })
    .await?;
    ensure!(
        shown.is_sorted_by(|(_, before), (_, after)| before <= after),
        "progress goes back: {shown:?}"
    );
    let largest = shown.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let largest = largest.fold(0.0, f64::max);
    ensure!(
        largest <= 34.0,
        "progress jumps by {largest} points: {shown:?}"
    );
    Ok(())
}

/// Blue is the participant's picture, orange the target, white where both are: each can be seen.
async fn promised_colours(browser: &Browser) -> Result<()> {
    let laid = "return document.querySelector('.pictures').classList.contains('overlaid')";
    if browser.look(laid, vec![]).await? != json!(true) {
        browser.press("arrange").await?;
    }
    let blend = "const frames = document.querySelectorAll('.pictures .frames canvas');
        return [...frames].map(canvas => [canvas, canvas.parentElement]
            .map(part => getComputedStyle(part).mixBlendMode).join())";
    let blend = browser.look(blend, vec![]).await?.to_string();
    ensure!(
        blend.contains("plus-lighter"),
        "the pictures are not added up: {blend}"
    );
    // Its circles have one middle: a larger one covers the target, and a smaller one lies within it.
    let larger = colours(browser).await?;
    browser.tab_to("dial-0").await?;
    browser.keys(&[fantoccini::key::Key::Home.into()]).await?;
    let smaller = wait::until("a smaller circle", PATIENCE, async || {
        let seen = colours(browser).await?;
        Ok((seen[0] < larger[0]).then_some(seen))
    })
    .await?;
    let blue_and_white = larger[0] > 0 && larger[2] > 0;
    ensure!(
        blue_and_white && smaller[1] > 0,
        "pixels that are blue, orange and white: {larger:?}, then {smaller:?}"
    );
    Ok(())
}

/// How many pixels of the pictures, laid over each other, are blue, orange and white.
async fn colours(browser: &Browser) -> Result<[usize; 3]> {
    // A picture is drawn a frame after its canvas came.
    wait::until("the pictures", PATIENCE, async || {
        let yours = Picture::on_screen(browser, "picture").await?;
        let target = Picture::on_screen(browser, "target").await?;
        let drawn = yours.pixels.iter().any(|pixel| *pixel != [0; 3]);
        Ok(drawn.then(|| {
            let count = |is: fn(i16, i16, i16) -> bool| {
                let pairs = yours.pixels.iter().zip(&target.pixels);
                let added = pairs
                    .map(|(a, b)| std::array::from_fn(|i| i16::from(a[i].saturating_add(b[i]))));
                added.filter(|&[r, g, b]| is(r, g, b)).count()
            };
            [
                count(|r, _, b| b > r + 60),
                count(|r, g, b| r > g + 20 && g > b + 20),
                count(|r, g, b| r.min(g).min(b) > 180),
            ]
        }))
    })
    .await
}

/// A press of + moves a dial by what can be seen; held, by more and more.
async fn steps_grow(browser: &Browser) -> Result<()> {
    let dial = "const dial = document.querySelector('[data-testid=dial-0]');";
    // From the left, so that there is room.
    browser.tab_to("dial-0").await?;
    browser.keys(&[fantoccini::key::Key::Home.into()]).await?;
    let place = format!(
        "const box = document.querySelector('[data-testid=dial-0-plus]').getBoundingClientRect();
         {dial}
         window.places = [];
         const note = () => {{
            const share = (dial.value - dial.min) / (dial.max - dial.min);
            if (window.places.at(-1) !== share) window.places.push(share);
            requestAnimationFrame(note);
         }};
         note();
         return [box.left + box.width / 2, box.top + box.height / 2];"
    );
    let at = browser.look(&place, vec![]).await?;
    let coordinate = |k: usize| at[k].as_f64().context("a number was expected");
    let (x, y) = (coordinate(0)?, coordinate(1)?);
    browser.held_mouse(Held::Press, x, y).await?;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    browser.held_mouse(Held::Release, x, y).await?;
    let places = browser.look("return window.places", vec![]).await?;
    let places: Vec<f64> = serde_json::from_value(places)?;
    let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let first = *steps.first().context("the dial has not moved")?;
    ensure!(first >= 0.009, "a step is {first} of the dial's way");
    let largest = steps.iter().copied().fold(0.0, f64::max);
    ensure!(
        steps.len() >= 6 && largest >= 1.9 * first,
        "the steps do not grow while the button is held: {steps:?}"
    );
    Ok(())
}

/// Notes the bar's colour with the alignment beside it whenever either changes.
async fn watch_the_bar(browser: &Browser) -> Result<()> {
    let script = "
        const bar = document.querySelector('[data-testid=alignment]');
        const fill = bar.querySelector('.bar-fill');
        window.bars = [];
        const note = () => {
            const colour = getComputedStyle(fill).backgroundColor.match(/[0-9]+/g).map(Number);
            window.bars.push([+bar.dataset.alignment, +bar.dataset.target, ...colour.slice(0, 3)]);
        };
        note();
        new MutationObserver(note).observe(bar, { attributes: true, subtree: true });
        return null;";
    browser.look(script, vec![]).await?;
    Ok(())
}

/// Green stands for the target and for nothing else; before it the bar is between red and amber, and
/// never of the blue that stands for the participant's picture.
async fn bar_was_honest(browser: &Browser) -> Result<()> {
    let bars: Vec<Value> =
        serde_json::from_value(browser.look("return window.bars", vec![]).await?)?;
    let (mut below, mut at_target) = (0, 0);
    for bar in &bars {
        let [alignment, target, r, g, b] = serde_json::from_value::<[f64; 5]>(bar.clone())?;
        let green = g > r && g > b;
        if alignment >= target {
            at_target += usize::from(green);
        } else if alignment < target - 0.01 {
            below += 1;
            ensure!(r > g && r > b, "not red or amber at {alignment}: {bar}");
        }
    }
    ensure!(below > 3, "the bar was seen {below} times below the target");
    ensure!(
        at_target > 0,
        "the bar was not green at the target: {bars:?}"
    );
    Ok(())
}
