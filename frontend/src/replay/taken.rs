//! New events of a log: taken in, and shown once there are enough of them.

use api::replay::{LogDamage, NewEvents};
use domain::session::Refusal;
use domain::session::event::{Author, Envelope};
use leptos::prelude::{GetUntracked, Set, Update, WithUntracked};

use super::timeline::TimelineKind;
use super::{Replay, State, set};
use crate::runtime::clock::monotonic_ms;

impl Replay {
    /// Takes in what is new in the log, up to the first event that it cannot go on with. [`Replay::tell`] shows it.
    pub fn take(&self, new: NewEvents) {
        if self.shown.broken.with_untracked(Option::is_some) {
            return;
        }
        self.shown.time.set((new.now_ms, monotonic_ms()));
        for event in new.events {
            let (author, seq) = (event.author, event.seq);
            if let Err(refusal) = self.apply(event) {
                let why = damaged(author, seq, &refusal.to_string());
                self.shown.broken.set(Some(why));
                return;
            }
        }
        if let Some(LogDamage { author, seq, why }) = new.damage {
            self.shown.broken.set(Some(damaged(author, seq, &why)));
        }
    }

    /// Whether so much is taken in since [`Replay::tell`] that it is to be shown. Drawing all that is here again takes
    /// longer the more there is.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        let taken = self.state.borrow().log.events().len();
        taken >= self.shown.taken.get_untracked() * 3 / 2
    }

    /// Shows all that is taken in.
    pub fn tell(&self) {
        let mut state = self.state.borrow_mut();
        let entries = std::mem::take(&mut state.untold);
        let taken = state.log.events().len();
        drop(state);
        if !entries.is_empty() {
            self.shown.timeline.update(|all| all.extend(entries));
        }
        set(self.shown.taken, taken);
        self.show();
    }

    fn apply(&self, event: Envelope) -> Result<(), Refusal> {
        let mut state = self.state.borrow_mut();
        let State {
            log,
            lanes,
            ends,
            watcher,
            untold,
            ..
        } = &mut *state;
        let author = event.author;
        ends.pass(&event);
        log.push(event)?;
        lanes.take_newest(log);
        if let Some(event) = log.events().last() {
            let mut found = watcher.entries(event, log.latest());
            // A finding of the server stands where the contradiction happened.
            let finding = lanes.findings().last().filter(|_| author == Author::Server);
            for entry in &mut found {
                if let (TimelineKind::Finding, Some(finding)) = (entry.kind, finding) {
                    entry.at_ms = finding.at_ms;
                }
            }
            untold.extend(found);
        }
        Ok(())
    }
}

/// That a log cannot be read on, as researchers read it. Events are numbered as `redial database check` does.
fn damaged(author: Author, seq: u64, why: &str) -> String {
    format!(
        "The log of this session is damaged at event {seq} of the {} (numbered from 0): {why}. What happened before is shown. Later events cannot be read.",
        author.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damage_has_its_place_and_its_reason() {
        let words = damaged(Author::Participant, 7, "it is missing");
        assert!(words.contains("event 7 of the participant (numbered from 0): it is missing."));
    }
}
