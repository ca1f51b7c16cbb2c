//! The heartbeat of a session on its page: everything that is done for it at regular times.

use super::Host;
use crate::runtime::upload::UploadInput;
use crate::runtime::{clock, page};

/// How often the host looks after a value at rest, the upload and the signs on screen.
pub(super) const HEARTBEAT_MS: u32 = 100;
/// Inputs that come no further apart are one drag.
const DRAG_MS: f64 = 250.0;
/// About how long the heart takes for a beat on a slow phone.
const CHORES_MS: f64 = 8.0;
/// Events are stored together, every so many heartbeats.
const HEARTBEATS_PER_STORE: u32 = 2;

impl Host {
    /// Whether frames come so often that the heart beats after them, by
    /// [`Self::beat_after_frame`].
    pub(super) fn frames_beat(&self) -> bool {
        let now_ms = clock::monotonic_ms();
        now_ms - self.drawn_ms.get() < DRAG_MS && now_ms - self.beat_ms.get() < DRAG_MS
    }

    /// A frame is being drawn. While a dial is dragged, everything else is done when the browser has
    /// time after that: done at any other time, it would keep the next input waiting.
    pub(super) fn beat_after_frame(&self) {
        let now_ms = clock::monotonic_ms();
        self.drawn_ms.set(now_ms);
        if !self.beat_is_due() || self.waits_for_idle.replace(true) {
            return;
        }
        let me = self.this.clone();
        page::when_idle(CHORES_MS, move || {
            if let Some(host) = me.upgrade() {
                host.waits_for_idle.set(false);
                if host.beat_is_due() && !host.is_over() {
                    host.heartbeat();
                }
            }
        });
    }

    fn beat_is_due(&self) -> bool {
        clock::monotonic_ms() - self.beat_ms.get() >= f64::from(HEARTBEAT_MS)
    }

    pub(super) fn heartbeat(&self) {
        self.beat_ms.set(clock::monotonic_ms());
        let mut state = self.state.borrow_mut();
        state.heartbeats = state.heartbeats.wrapping_add(1);
        let store_now = state.heartbeats.is_multiple_of(HEARTBEATS_PER_STORE);
        drop(state);
        self.log_gestures(false);
        self.log_sizes();
        self.tick_question();
        self.watch_the_time();
        if store_now {
            self.store_events();
        }
        self.uplink.on(UploadInput::Tick);
        self.refresh();
        self.ask_for_verdict();
        self.ask_to_leave_if_due();
    }
}
