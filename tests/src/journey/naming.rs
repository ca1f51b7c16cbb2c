//! A question in which a concept is named, on the way through a study.

use anyhow::Result;

use super::{Answered, gone};
use crate::browser::Browser;
use crate::pages::{Hand, NamingPage};

/// Names a concept: any terms, and a few words. At the first question all help is read, and two other answers are tried
/// before: none, and *None of them*. The second one gets a second set of terms.
pub(super) async fn name_concept(
    browser: &Browser,
    only: Option<Hand>,
    look_around: &mut impl AsyncFnMut(&Browser, &str) -> Result<()>,
) -> Result<Answered> {
    let question = NamingPage::on_screen(browser, only.unwrap_or(Hand::Keyboard)).await?;
    let at = question.at;
    look_around(browser, &format!("naming-{}", at.stage)).await?;
    question.enlarge(1).await?;
    if at.question == 0 {
        question.is_not_complete().await?;
        look_around(browser, "incomplete-naming").await?;
        question.read_help().await?;
        question.choose_none().await?;
    }
    question.choose(0, 0, at.question % 3).await?;
    question.choose(0, 1, 1).await?;
    if at.question == 1 {
        question.begin_second_set().await?;
        question.choose(1, 0, 2).await?;
        question.choose(1, 1, 0).await?;
    }
    question.explain("they are alike").await?;
    look_around(browser, &format!("filled-naming-{}", at.stage)).await?;
    question.hand_in().await?;
    gone(browser, at).await?;
    Ok(Answered { at, solved: true })
}
