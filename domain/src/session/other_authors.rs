//! Events of the server and of the experimenter. They change nothing for the participant.

use super::ended::Ended;
use super::event::{Author, Event};
use super::plan::Mode;
use super::{Effect, Refusal, Session};

impl Session {
    /// Takes in an event of the server or the experimenter.
    pub(super) fn note(
        &mut self,
        author: Author,
        at_ms: u64,
        event: &Event,
    ) -> Result<Vec<Effect>, Refusal> {
        match (author, event) {
            (Author::Server, Event::VerdictGiven { at, verdict }) => {
                self.check_verdict(*at, *verdict)?;
                Ok(vec![])
            }
            (
                Author::Server,
                Event::CheckGiven {
                    part,
                    attempt,
                    wrong,
                },
            ) => {
                self.check_check(*part, *attempt, wrong)?;
                Ok(vec![])
            }
            (Author::Server, Event::Restored | Event::Verified { .. }) => Ok(vec![]),
            (Author::Server, Event::WayBackGiven { ended, .. })
                if Ended::of(self) == Some(*ended) =>
            {
                Ok(vec![])
            }
            (Author::Experimenter, Event::Excluded { why }) => {
                self.excluded = Some(why.clone());
                Ok(vec![])
            }
            (Author::Experimenter, Event::Readmitted { .. }) if self.excluded.is_some() => {
                self.excluded = None;
                Ok(vec![])
            }
            (Author::Experimenter, Event::NoteWritten { about_ms, .. })
                if about_ms.is_none_or(|about_ms| about_ms <= at_ms) =>
            {
                Ok(vec![])
            }
            (Author::Experimenter, Event::ExperimenterNamed { name })
                if self.plan.mode == Mode::Lab =>
            {
                self.experimenter = Some(name.clone());
                Ok(vec![])
            }
            (Author::Experimenter, Event::PauseAsked | Event::ResumeAsked)
                if self.plan.mode == Mode::Lab =>
            {
                self.pause_asked = *event == Event::PauseAsked;
                Ok(vec![])
            }
            (Author::Experimenter, Event::StageEndAsked { stage })
                if self.plan.mode == Mode::Lab && *stage < self.plan.stages.len() =>
            {
                Ok(vec![])
            }
            _ => Err(self.not_now(event)),
        }
    }
}
