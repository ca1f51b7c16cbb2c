//! The host's part in what is on screen: each phase of the session has its screen.

use domain::session::Phase;
use leptos::prelude::Set;

use super::Host;
use crate::runtime::decoders::TUTORIAL_MODEL;
use crate::state::Screen;

impl Host {
    /// Shows the screen of the session's phase, as far as its model is there.
    pub fn show_phase(&self) {
        if self.state.borrow().closed {
            return;
        }
        let phase = self.state.borrow().session.phase();
        let screen = match phase {
            // The study's first page, which is on display.
            Phase::Consent => return,
            Phase::Declined => Screen::Declined,
            Phase::Tutorial => match self.decoders.get(TUTORIAL_MODEL) {
                Some(_) => Screen::Tutorial,
                None => Screen::Loading {
                    model: TUTORIAL_MODEL.to_owned(),
                },
            },
            Phase::StageIntro { stage } => Screen::StageIntro { stage },
            Phase::Ready(at) | Phase::Solving(at) | Phase::Solved(at) => {
                match self.open_question(at) {
                    Ok(()) => Screen::Question(at),
                    Err(Some(model)) => Screen::Loading { model },
                    // It is broken, and says so already.
                    Err(None) => return,
                }
            }
            Phase::Questionnaire { stage, index } => Screen::Questionnaire { stage, index },
            Phase::Complete => {
                self.app
                    .records
                    .set(self.state.borrow().session.ended().to_vec());
                Screen::Complete
            }
        };
        if !matches!(screen, Screen::Question(_)) {
            self.state.borrow_mut().shown = None;
        }
        self.refresh();
        self.app.show(screen);
    }
}
