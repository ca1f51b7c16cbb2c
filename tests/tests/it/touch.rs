//! A finger on a phone: a swipe that begins on a dial scrolls the page and turns nothing; a move
//! sideways and a tap turn the dial.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::movement::Modality;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::events::snapshot;
use tests::journey;
use tests::pages::{Hand, QuestionPage};
use tests::scene::in_browser;
use tests::server::Server;
use tests::wait;

const STUDY: &str = "quickstart";

#[tokio::test]
async fn a_swipe_that_begins_on_a_dial_turns_nothing() -> Result<()> {
    in_browser("touch", 300, Server::start(), fingers).await
}

async fn fingers(server: &Server, browser: &Browser) -> Result<()> {
    // Low, so that there is something to scroll.
    browser.become_phone(360, 480).await?;
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;

    let kept = KeptSession::of(browser, server.address()).await?;
    let snapshots = async || {
        let events = kept.log().await?;
        anyhow::Ok(
            events
                .iter()
                .filter(|e| snapshot(&e.event).is_some())
                .count(),
        )
    };
    let before = wait::until("the first snapshot", PATIENCE, async || {
        Ok(Some(snapshots().await?).filter(|count| *count > 0))
    })
    .await?;
    let slider = Slider::of(browser).await?;
    // Well away from the thumb.
    let far = if slider.share < 0.5 { 0.85 } else { 0.15 };
    let (x, y) = slider.at(far);

    touch_move(browser, (x, y), (x + 4.0, y - 150.0)).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    ensure!(
        browser.look("return scrollY", vec![]).await?.as_f64() > Some(50.0),
        "the page has not scrolled"
    );
    let after = Slider::of(browser).await?;
    ensure!(
        after.share == slider.share,
        "the dial was turned: {after:?}"
    );
    ensure!(
        snapshots().await? == before,
        "a swipe has left events in the log"
    );

    let (x, y) = after.at(far);
    touch_move(browser, (x, y), (x - 30.0, y + 2.0)).await?;
    let turned = Slider::of(browser).await?;
    let there = after.share_at(x - 30.0);
    ensure!(
        (turned.share - there).abs() < 0.06,
        "a move sideways has not turned the dial: {turned:?}"
    );

    let (x, y) = turned.at(0.5);
    touch_move(browser, (x, y), (x, y)).await?;
    let tapped = Slider::of(browser).await?;
    ensure!(
        (tapped.share - 0.5).abs() < 0.03,
        "a tap has not turned the dial: {tapped:?}"
    );
    wait::until("the snapshots of both", PATIENCE, async || {
        Ok((snapshots().await? > before).then_some(()))
    })
    .await?;
    let events = kept.log().await?;
    let made_by: Vec<_> = events
        .iter()
        .filter_map(|event| snapshot(&event.event))
        .map(|snapshot| snapshot.movement.by)
        .skip(before)
        .collect();
    ensure!(
        made_by.iter().all(|by| *by == Some(Modality::Touch)),
        "a finger turned the dial, the log says {made_by:?}"
    );
    Ok(())
}

/// The first dial, as it is on the page.
#[derive(Debug)]
struct Slider {
    left: f64,
    middle: f64,
    width: f64,
    share: f64,
}

impl Slider {
    async fn of(browser: &Browser) -> Result<Self> {
        let script = "const dial = document.querySelector('[data-testid=dial-0]');
            const box = dial.getBoundingClientRect();
            return [box.left, box.top + box.height / 2, box.width,
                    (dial.value - dial.min) / (dial.max - dial.min)];";
        let found = browser.look(script, vec![]).await?;
        let number = |k: usize| found[k].as_f64().context("a number was expected");
        Ok(Self {
            left: number(0)?,
            middle: number(1)?,
            width: number(2)?,
            share: number(3)?,
        })
    }

    /// Which share of its way a place on the page is.
    fn share_at(&self, x: f64) -> f64 {
        ((x - self.left - 13.0) / (self.width - 26.0)).clamp(0.0, 1.0)
    }

    /// Where on the page a share of its way is.
    fn at(&self, share: f64) -> (f64, f64) {
        (self.left + 13.0 + (self.width - 26.0) * share, self.middle)
    }
}

/// A finger goes down, moves in a straight line, and goes up.
async fn touch_move(browser: &Browser, from: (f64, f64), to: (f64, f64)) -> Result<()> {
    const STEPS: u32 = 12;
    let place = |step: u32| {
        let share = f64::from(step) / f64::from(STEPS);
        let (across, along) = (to.0 - from.0, to.1 - from.1);
        (from.0 + across * share, from.1 + along * share)
    };
    let last = if from == to { 0 } else { STEPS };
    let through: Vec<_> = (0..=last).map(place).collect();
    browser.touch(&through, Duration::from_millis(16)).await
}
