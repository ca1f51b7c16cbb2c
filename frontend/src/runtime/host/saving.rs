//! The host's part in the sign that says whether everything is saved.

use leptos::prelude::{GetUntracked, Set};

use super::Host;
use crate::runtime::uplink;
use crate::state::SaveState;

impl Host {
    pub(super) fn refresh(&self) {
        if self.is_over() {
            return;
        }
        let logged = self.state.borrow().session.next_seq();
        let save = self.uplink.read(|up| {
            let now_ms = uplink::now_ms();
            if up.is_offline(now_ms) {
                SaveState::Offline
            } else if up.acked_len() >= logged {
                SaveState::Saved
            } else if up.is_stalled(now_ms) {
                SaveState::Stalled
            } else if up.is_delayed(now_ms) {
                SaveState::Delayed
            } else {
                SaveState::Saving
            }
        });
        if self.app.save.get_untracked() != Some(save) {
            self.app.save.set(Some(save));
        }
    }
}
