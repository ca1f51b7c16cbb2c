//! From wherever a participant is to the completion code.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use domain::event::QuestionRef;

use crate::browser::Browser;
use crate::pages::{Hand, Question, Questionnaire, StageIntro, Tutorial};

/// More screens than any study has.
const SCREENS: usize = 200;

/// What became of a question.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Which question.
    pub at: QuestionRef,
    /// Name of the model.
    pub model: String,
    /// Whether it was solved rather than skipped.
    pub solved: bool,
}

/// Takes the session that is on screen to its end. A question that is not solved
/// within `patience` is skipped where it can be. `look_around` is called on every
/// screen before anything is done there, with a name for it.
///
/// # Errors
/// When it gets stuck anywhere.
pub async fn finish(
    browser: &Browser,
    patience: Duration,
    mut look_around: impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Vec<Answered>> {
    let mut answered = Vec::new();
    for _ in 0..SCREENS {
        let screen = browser.settled_screen().await?;
        match screen.as_str() {
            "tutorial" => {
                Tutorial(browser)
                    .read(async |step| look_around(browser, &format!("tutorial-{step}")).await)
                    .await?;
            }
            "stage-intro" => {
                look_around(browser, "stage-intro").await?;
                StageIntro(browser).begin().await?;
            }
            "question" => answered.push(answer(browser, patience, &mut look_around).await?),
            "questionnaire" => {
                let name = Questionnaire(browser).name().await?;
                look_around(browser, &format!("questionnaire-{name}")).await?;
                Questionnaire(browser).fill_in().await?;
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

async fn answer(
    browser: &Browser,
    patience: Duration,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    // The first question by keyboard, the others mostly by mouse.
    let hand = match browser.look(FIRST, vec![]).await?.as_bool() {
        Some(true) => Hand::Keyboard,
        _ => Hand::Pointer,
    };
    let mut question = Question::on_screen(browser, hand, patience).await?;
    let (at, model) = (question.at, question.model.clone());
    look_around(browser, &format!("question-{model}")).await?;
    let begun = std::time::Instant::now();
    let solved = question
        .solve()
        .await
        .with_context(|| format!("{at:?}, {model}"))?;
    println!(
        "stage {} question {} ({model}, {hand:?}): {} after {:.1} s",
        at.stage,
        at.question,
        if solved { "solved" } else { "given up" },
        begun.elapsed().as_secs_f64()
    );
    if solved {
        look_around(browser, &format!("solved-{model}")).await?;
    }
    question.leave().await?;
    Ok(Answered { at, model, solved })
}

const FIRST: &str = "const q = document.querySelector('[data-screen=question]').dataset;
    return q.stage === '0' && q.question === '0'";
