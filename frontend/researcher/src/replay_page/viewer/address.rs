//! The address leads to the moment that is shown.

use domain::common::moment::moment;
use frontend::replay::player::Player;
use frontend::runtime::clock::monotonic_ms;
use leptos::prelude::*;

use super::Viewer;
use crate::route::Route;

/// The address follows so many milliseconds after the last move: browsers refuse many changes of it at once.
const ADDRESS_AFTER_MS: f64 = 300.0;

impl Viewer {
    /// The address will lead to the moment that is shown.
    pub(super) fn address_is_due(self) {
        let due = Some(monotonic_ms() + ADDRESS_AFTER_MS);
        self.address_at.set_value(due);
    }

    /// Says the moment in the address, once that is due.
    pub(super) fn note_address(self) {
        let due = self.address_at.get_value();
        let playing = self.player.with_untracked(Player::is_playing);
        if playing || due.is_none_or(|due| monotonic_ms() < due) {
            return;
        }
        self.address_at.set_value(None);
        let at_ms = self.player.with_untracked(Player::at_ms);
        let at = (!self.following.get_untracked()).then(|| moment(at_ms));
        self.area.replace(Route::Replay {
            study: self.study.get_value(),
            session: self.session.get_value(),
            at,
            list: self.list.get_value(),
        });
    }
}
