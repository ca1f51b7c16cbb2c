//! The host's part in what is on screen: each phase of the session has its screen.

use domain::model::ModelFacts;
use domain::session::plan::PartPlan;
use domain::session::{Phase, Session};
use leptos::prelude::Set;

use super::Host;
use crate::runtime::{device, renewal};
use crate::state::ending::Ending;
use crate::state::{Missing, Screen, Whereabouts};

impl Host {
    /// Shows the screen of the session's phase, as far as its model is there.
    pub fn show_phase(&self) {
        if self.state.borrow().closed || self.state.borrow().asking {
            return;
        }
        let phase = self.state.borrow().session.phase();
        if self.renewal_due.get() && self.may_renew(phase) && renewal::renew() {
            return;
        }
        // Before consent, the study's first page is on display.
        let Some(screen) = self.read(Screen::of) else {
            return;
        };
        let missing = match screen {
            Screen::Tutorial { part } => self.missing_model(self.tutorial(part)),
            Screen::DeviceCheck { part } => {
                self.missing_model(self.read(|it| device::checked_model(it, part)))
            }
            Screen::Question(at) => match self.open_question(at) {
                Ok(()) => None,
                Err(Some(missing)) => Some(missing),
                // It is broken, and says so already.
                Err(None) => return,
            },
            _ => None,
        };
        let screen = missing.map_or(screen, Screen::Loading);
        if screen == Screen::Complete {
            self.app.ending.set(self.read(Ending::of));
        }
        // A question that is paused goes on where it was.
        if !matches!(screen, Screen::Question(_) | Screen::Paused) {
            self.leave_question();
        }
        self.refresh();
        self.app.progress.set(Some(self.read(Session::progress)));
        self.app.whereabouts.set(self.read(Whereabouts::of));
        self.app.show(screen);
    }

    /// Whether loading the page again now disturbs nobody and loses nothing: no question is under
    /// way, no answer of the server is awaited, and what is logged is kept or on the server.
    fn may_renew(&self, phase: Phase) -> bool {
        let between = matches!(
            phase,
            Phase::Instructions { .. }
                | Phase::Tutorial { .. }
                | Phase::StageIntro { .. }
                | Phase::Ready(_)
                | Phase::TimeUp { .. }
                | Phase::Questionnaire { .. }
                | Phase::Break { .. }
        );
        let is_on_server = || self.uplink.read(|up| up.unacknowledged().next().is_none());
        between && (self.store.is_lasting() || is_on_server())
    }

    /// The model of a tutorial.
    #[must_use]
    pub fn tutorial(&self, part: usize) -> Option<ModelFacts> {
        self.read(|session| match session.plan().parts.get(part) {
            Some(PartPlan::Tutorial { model, .. }) => Some(model.clone()),
            _ => None,
        })
    }

    fn missing_model(&self, model: Option<ModelFacts>) -> Option<Missing> {
        let model = model.filter(|model| self.decoders.get(model).is_none())?;
        Some(Missing::Model(model.bundle_sha256))
    }
}
