//! The participant's screen at the moment that is shown of a replayed session.

use std::borrow::Cow;
use std::sync::Arc;

use api::StudyInfo;
use domain::model::ModelFacts;
use domain::movement::Decode;
use domain::session::event::QuestionRef;
use domain::session::plan::PartPlan;
use domain::session::{BegunQuestion, Phase, Session};

use super::moment::shown_session;
use super::shown::OnScreen;
use super::{OpenQuestion, Replay, State};
use crate::runtime::decoders::Unloaded;
use crate::runtime::task::{Displayed, QuestionParts, Scene, driver};
use crate::state::Screen;

impl Replay {
    /// The participant's screen at the moment that is shown.
    pub(super) fn screen(&self) -> OnScreen {
        let (phase, screen) = {
            let session = self.session();
            (session.phase(), Screen::of(&session))
        };
        let words = match screen {
            None => match self.consent_page() {
                Some(page) => return OnScreen::Screen(Screen::Study(page)),
                None => "Reads the consent form",
            },
            Some(Screen::Question(_)) if matches!(phase, Phase::Ready(_)) => {
                "Waits for a question to load"
            }
            Some(Screen::Question(at)) => match self.bring_up(at) {
                Ok(()) => return OnScreen::Screen(Screen::Question(at)),
                Err(words) => return OnScreen::Words(words),
            },
            Some(Screen::Tutorial { part }) => match self.model_of_tutorial(part) {
                Ok(()) => return OnScreen::Screen(Screen::Tutorial { part }),
                Err(words) => return OnScreen::Words(words),
            },
            Some(Screen::StageIntro { stage }) => match self.fetching_model_of(stage) {
                None => return OnScreen::Screen(Screen::StageIntro { stage }),
                Some(words) => return OnScreen::Words(words),
            },
            Some(Screen::Microphone) => "Is asked whether sound may be recorded",
            Some(Screen::DeviceCheck { .. }) => "Waits while the device is checked",
            Some(Screen::Declined) => "Did not agree to take part",
            Some(Screen::Withdrawn { .. }) => "Stopped taking part",
            Some(Screen::DeviceUnfit) => "Has a device that does not fit",
            Some(Screen::ScreenedOut) => "Was screened out",
            Some(Screen::Complete) => "Has finished. The participant's last screen says thank you",
            Some(screen) => return OnScreen::Screen(screen),
        };
        OnScreen::Words(words.into())
    }

    /// The first page, unless its text of consent is another one by now.
    fn consent_page(&self) -> Option<StudyInfo> {
        let state = self.state.borrow();
        let page = state.first_page.as_ref()?;
        let now = page.consent.as_ref().map(|consent| &consent.text_sha256);
        let agreed = state.log.latest().consented();
        let agreed = agreed.and_then(|agreed| agreed.text_sha256.as_ref());
        (agreed.is_none() || agreed == now).then(|| page.clone())
    }

    /// Fails with why the tutorial cannot be shown.
    fn model_of_tutorial(&self, part: usize) -> Result<(), Cow<'static, str>> {
        match self.plan.parts.get(part) {
            Some(PartPlan::Tutorial { model, .. }) => self.decode("A tutorial", model).map(drop),
            _ => Err("A tutorial".into()),
        }
    }

    /// The words while the model is being fetched that the page before a stage has a picture of. Without the model
    /// the page comes without the picture.
    fn fetching_model_of(&self, stage: usize) -> Option<Cow<'static, str>> {
        let model = self.plan.stages.get(stage)?.task.model()?;
        let loads = self.decoders.get(model).is_none() && self.decoders.unloaded(model).is_none();
        loads.then(|| without_model("The page before a stage", &model.name, None).into())
    }

    /// The decoder that a screen needs; fails with why there is none, in sentences.
    fn decode(&self, screen: &str, model: &ModelFacts) -> Result<Decode, Cow<'static, str>> {
        self.decoders.get(model).ok_or_else(|| {
            let why = self.decoders.unloaded(model);
            without_model(screen, &model.name, why).into()
        })
    }

    /// Brings the question on screen to where the log is; fails with what is not there.
    fn bring_up(&self, at: QuestionRef) -> Result<(), Cow<'static, str>> {
        let stage = self.plan.stages.get(at.stage).ok_or("A question")?;
        let needed = stage.task.instances(at.question);
        self.instances.fetch_first(&needed);
        let decode = match stage.task.model() {
            Some(model) => Some(self.decode("A question", model)?),
            None => None,
        };
        let mut instances = Vec::new();
        for id in &needed {
            let instance = self.instances.get(id);
            instances.push(instance.ok_or("A question. Its picture is being fetched.")?);
        }
        let now_ms = self.now_ms();
        let mut state = self.state.borrow_mut();
        let State {
            log, moment, open, ..
        } = &mut *state;
        let session = shown_session(log, moment.as_ref());
        let question = session.running().ok_or("A question")?;
        let parts = QuestionParts {
            question,
            instances,
            decode,
            elapsed_ms: now_ms.saturating_sub(question.clock.started_at_ms()),
        };
        let stage = Arc::new(stage.clone());
        let (there, _) =
            driver(&stage, parts).map_err(|_| "A question whose picture cannot be decoded here")?;
        match open {
            Some(open) if open.at == at => open.driver.catch_up(there),
            _ => *open = Some(OpenQuestion { at, driver: there }),
        }
        if let Some(open) = open {
            open.driver.show(&scene(session, question, now_ms));
        }
        Ok(())
    }
}

/// The words where a model is missing.
fn without_model(screen: &str, model: &str, why: Option<Unloaded>) -> String {
    let rest = "The dials and everything else that the log holds are shown beside it.";
    match why {
        None => format!("{screen}. Its model is being fetched."),
        Some(Unloaded::Gone) => format!(
            "{screen}. Its pictures cannot be shown: this server does not have the model “{model}” in the version that the session was drawn with. {rest}"
        ),
        Some(Unloaded::Damaged) => format!(
            "{screen}. Its pictures cannot be shown: this server's copy of the model “{model}” is damaged, or this browser cannot load it. {rest}"
        ),
    }
}

/// The session's facts about its question.
pub(super) fn scene<'a>(session: &Session, question: &'a BegunQuestion, now_ms: u64) -> Scene<'a> {
    Scene {
        question,
        verdict: session.verdict(question.at),
        can_skip: session.can_skip(now_ms),
        now_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_nobody_has_is_not_waited_for() {
        let gone = without_model("A question", "mnist-ss5", Some(Unloaded::Gone));
        assert!(!gone.contains("being fetched"));
        assert!(gone.contains("does not have the model “mnist-ss5” in the version"));
        let damaged = without_model("A tutorial", "mnist-ss5", Some(Unloaded::Damaged));
        assert!(damaged.starts_with("A tutorial. ") && damaged.contains("is damaged"));
        let awaited = without_model("A question", "mnist-ss5", None);
        assert_eq!(awaited, "A question. Its model is being fetched.");
    }
}
