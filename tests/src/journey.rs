//! From wherever a participant is to the completion code.

mod exploration;
mod naming;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use domain::session::event::QuestionRef;

use crate::browser::{Browser, PATIENCE};
use crate::browser_engine::BrowserEngine;
use crate::client::KeptSession;
use crate::pages::{
    Hand, QuestionPage, QuestionnairePage, SingleDimensionPage, StageIntro, StudyPage, TutorialPage,
};
use crate::wait;
use exploration::explore;
use naming::name_concept;

/// More screens than any study has.
const SCREENS: usize = 200;

/// What became of a question.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Which question.
    pub at: QuestionRef,
    /// Whether it was solved rather than skipped.
    pub solved: bool,
}

/// Takes the session that is on screen to its end, in the one way in which the browser is acted on
/// ([`Browser::acted_on_by`]), else in several. A question that is not solved within `patience` is
/// skipped where it can be. `look_around` is called on every screen before anything is done there,
/// with a name for it, and once more where something has been filled in or solved; its name then
/// begins with `filled-` or `solved-`. It may load the page again, or go on in another tab.
pub async fn finish(
    browser: &Browser,
    patience: Duration,
    mut look_around: impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Vec<Answered>> {
    let only = browser.only();
    let mut answered = Vec::new();
    for _ in 0..SCREENS {
        let screen = browser.settled_screen().await?;
        match screen.as_str() {
            "tutorial" => {
                TutorialPage(browser)
                    .read(async |step| look_around(browser, &format!("tutorial-{step}")).await)
                    .await?;
            }
            "stage-intro" => {
                look_around(browser, "stage-intro").await?;
                StageIntro(browser).begin().await?;
            }
            "instructions" => {
                look_around(browser, "instructions").await?;
                browser.press("instructions-read").await?;
                browser.await_change("instructions").await?;
            }
            "break" => {
                look_around(browser, "break").await?;
                browser.press("break-end").await?;
                browser.await_change("break").await?;
            }
            "question" => answered.push(match task(browser).await?.as_str() {
                "single-dimension" => choose(browser, only, &mut look_around).await?,
                "exploration" => explore(browser, only, &mut look_around).await?,
                "concept-naming" => name_concept(browser, only, &mut look_around).await?,
                "declared" => declare(browser, &mut look_around).await?,
                _ => answer(browser, only, patience, &mut look_around).await?,
            }),
            "questionnaire" => {
                let name = QuestionnairePage(browser).name().await?;
                look_around(browser, &format!("questionnaire-{name}")).await?;
                let page = QuestionnairePage(browser);
                page.fill(only.unwrap_or(Hand::Pointer)).await?;
                look_around(browser, &format!("filled-{name}")).await?;
                page.hand_in().await?;
            }
            "complete" => {
                browser.element("completion-code").await?;
                look_around(browser, "complete").await?;
                return Ok(answered);
            }
            other => bail!(
                "'{other}' was not expected; the page says: {}",
                browser.words().await?
            ),
        }
    }
    bail!("no end after {SCREENS} screens")
}

/// Opens a study that begins with consent and a tutorial, and goes on to its first stage.
pub async fn to_first_stage(browser: &Browser, address: &str, study: &str) -> Result<()> {
    StudyPage::begin(browser, address, study).await?;
    browser.await_screen("tutorial").await?;
    TutorialPage(browser).read(async |_| Ok(())).await?;
    StageIntro(browser).begin().await
}

async fn answer(
    browser: &Browser,
    only: Option<Hand>,
    patience: Duration,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    // The first question by keyboard, the others mostly by mouse, which only Chromium can hold down.
    let first = browser.look(FIRST, vec![]).await?.as_bool() == Some(true);
    let several = if first || browser.engine() != BrowserEngine::Chromium {
        Hand::Keyboard
    } else {
        Hand::Pointer
    };
    let hand = only.unwrap_or(several);
    let mut question = QuestionPage::on_screen(browser, hand, patience).await?;
    let at = question.at;
    look_around(browser, &format!("question-{}", at.stage)).await?;
    let begun = std::time::Instant::now();
    let solved = question.solve().await.with_context(|| format!("{at:?}"))?;
    println!(
        "stage {} question {} ({hand:?}): {} after {:.1} s",
        at.stage,
        at.question,
        if solved { "solved" } else { "given up" },
        begun.elapsed().as_secs_f64()
    );
    if solved {
        look_around(browser, &format!("solved-{}", at.stage)).await?;
    }
    question.leave().await?;
    Ok(Answered { at, solved })
}

async fn task(browser: &Browser) -> Result<String> {
    let script =
        "const task = document.querySelector('[data-screen=question]')?.dataset.task ?? '';
        const done = document.querySelector('[data-testid=done]');
        return task === 'reconstruction' && done ? 'declared' : task;";
    let task = browser.look(script, vec![]).await?;
    Ok(task.as_str().unwrap_or_default().to_owned())
}

async fn choose(
    browser: &Browser,
    only: Option<Hand>,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    // Every other stage by keyboard.
    let stage = browser.look(STAGE, vec![]).await?;
    let odd = stage
        .as_str()
        .is_some_and(|stage| stage.ends_with(['1', '3', '5']));
    let several = if odd { Hand::Pointer } else { Hand::Keyboard };
    let hand = only.unwrap_or(several);
    let question = SingleDimensionPage::on_screen(browser, hand).await?;
    let at = question.at;
    look_around(browser, &format!("single-{}", at.stage)).await?;
    if at.question == 0 {
        question.more_examples().await?;
    }
    // Practice asks for low, high and medium; the rest is a guess.
    let option = [0, 2, 1][at.question % 3];
    question.fill(option).await?;
    look_around(browser, &format!("filled-single-{}", at.stage)).await?;
    question.hand_in().await?;
    let right = question.verdict().await?;
    println!(
        "stage {} question {} ({hand:?}): {right:?}",
        at.stage, at.question
    );
    if let Some(right) = right {
        look_around(
            browser,
            if right {
                "single-right"
            } else {
                "single-wrong"
            },
        )
        .await?;
        question.move_on().await?;
    }
    let solved = right.unwrap_or(true);
    gone(browser, at).await?;
    Ok(Answered { at, solved })
}

/// A question of reconstruction that its participant ends: by keyboard, with a tap on a preview
/// where there are some, and with the buttons at the dials. Every third one is given up.
async fn declare(
    browser: &Browser,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    let at = on_screen(browser).await?;
    browser.element("dial-0").await?;
    current_previews(browser).await?;
    look_around(browser, &format!("declared-{}", at.stage)).await?;
    browser.tab_to("dial-0").await?;
    let page_up = fantoccini::key::Key::PageUp.into();
    browser.keys(&[page_up, page_up]).await?;
    if current_previews(browser).await? {
        // The last preview stands at the far end of its dial.
        let tap = "const dial = document.querySelector('[data-testid=dial-1]');
            document.querySelector('[data-testid=dial-1-previews]').lastElementChild.click();
            await new Promise(requestAnimationFrame);
            return +dial.value === +dial.max;";
        let moved = browser.look_async(tap, vec![]).await?;
        anyhow::ensure!(moved == true, "a tap on a preview moves its dial");
        current_previews(browser).await?;
    }
    for button in ["randomise", "undo"] {
        if browser.visible(button).await?.is_some() {
            browser.click(button).await?;
        }
    }
    let gives_up = at.stage % 3 == 2;
    browser
        .click(if gives_up { "skip" } else { "done" })
        .await?;
    println!("stage {} question {}: declared", at.stage, at.question);
    gone(browser, at).await?;
    Ok(Answered { at, solved: false })
}

/// Waits until the previews on screen belong to where the dials stand; whether there are any.
async fn current_previews(browser: &Browser) -> Result<bool> {
    let script = "const strips = [...document.querySelectorAll('.filmstrip')];
        return strips.some(s => s.classList.contains('stale')) ? null : strips.length > 0;";
    wait::until("previews", PATIENCE, async || {
        Ok(browser.look(script, vec![]).await?.as_bool())
    })
    .await
}

/// Which question is on the screen.
async fn on_screen(browser: &Browser) -> Result<QuestionRef> {
    let place = browser.look(PLACE, vec![]).await?;
    let number = |name: &str| place[name].as_str().unwrap_or_default().parse();
    Ok(QuestionRef::new(number("stage")?, number("question")?))
}

/// Waits until a question is off the screen.
async fn gone(browser: &Browser, at: QuestionRef) -> Result<()> {
    wait::until("the next screen", PATIENCE, async || {
        let place = browser.look(PLACE, vec![]).await?;
        let (stage, question) = (at.stage.to_string(), at.question.to_string());
        let here = place["stage"] == stage.as_str() && place["question"] == question.as_str();
        Ok((!here).then_some(()))
    })
    .await
}

const STAGE: &str = "return document.querySelector('[data-screen=question]').dataset.stage";

const PLACE: &str = "return {...(document.querySelector('[data-screen=question]')?.dataset ?? {})}";

const FIRST: &str = "const q = document.querySelector('[data-screen=question]').dataset;
    return q.stage === '0' && q.question === '0'";

/// The name of the model at work in a stage of the session on screen. The page does not say it, so
/// the server is asked.
///
/// # Errors
/// When there is no such session or stage.
pub async fn model_of_stage(browser: &Browser, address: &str, stage: usize) -> Result<String> {
    let state = KeptSession::of(browser, address).await?.state().await?;
    let stage = state.plan.stages.get(stage).context("no such stage")?;
    Ok(stage.task.subject(None).to_owned())
}
