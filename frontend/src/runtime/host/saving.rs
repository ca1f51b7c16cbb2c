//! The host's part in the sign that says whether everything is saved.

use leptos::prelude::{GetUntracked, Set};

use super::Host;
use crate::runtime::{clock, uplink};
use crate::state::SaveState;

/// How long everything has been saved before the page says so.
const SETTLED_MS: f64 = 600.0;

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
            } else {
                SaveState::Saving
            }
        });
        let shown = self.app.save.get_untracked();
        let now_ms = clock::monotonic_ms();
        let since_ms = self
            .saved_since_ms
            .get()
            .filter(|_| save == SaveState::Saved);
        self.saved_since_ms
            .set((save == SaveState::Saved).then(|| since_ms.unwrap_or(now_ms)));
        // While dials move there is a batch under way every other moment: the sign does not flicker.
        let settled = since_ms.is_some_and(|since_ms| now_ms - since_ms >= SETTLED_MS);
        let too_soon = shown == Some(SaveState::Saving) && save == SaveState::Saved && !settled;
        if shown != Some(save) && !too_soon {
            self.app.save.set(Some(save));
        }
    }
}
