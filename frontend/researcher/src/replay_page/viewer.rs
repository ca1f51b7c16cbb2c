//! A session that is open on the page: its log as it comes, and the moment that is shown.

use std::rc::Rc;

use api::replay::ReplayState;
use api::research::SessionsQuery;
use domain::common::moment::moment;
use frontend::replay::Replay;
use frontend::replay::chart::view::ChartSettings;
use frontend::replay::player::{Player, end_of_rest, nearest};
use frontend::replay::timeline::TimelineKind;
use frontend::runtime::clock::monotonic_ms;
use leptos::prelude::*;

use crate::area::Area;
use crate::decoding::Decoding;
use crate::route::Route;

mod reading;

/// The address follows so many milliseconds after the last move: browsers refuse many changes of it at once.
const ADDRESS_AFTER_MS: f64 = 300.0;

/// A session that is open.
#[derive(Clone)]
pub struct Opened {
    /// As the server says.
    pub state: ReplayState,
    /// Its replay.
    pub replay: Rc<Replay>,
}

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub struct Viewer {
    /// What pages share.
    pub area: Area,
    /// What the session is opened with.
    decoding: Decoding,
    /// The study.
    pub study: StoredValue<String>,
    /// The table of sessions from which somebody came.
    list: StoredValue<Option<SessionsQuery>>,
    /// The session.
    pub session: StoredValue<String>,
    /// What is open.
    pub opened: StoredValue<Option<Opened>, LocalStorage>,
    /// Counts up with each log that is opened.
    pub serial: RwSignal<u64>,
    /// The moment that is shown.
    pub player: RwSignal<Player>,
    /// The time of the last event, in milliseconds since the session's start.
    pub end_ms: RwSignal<u64>,
    /// Whether all of the log is here.
    pub whole: RwSignal<bool>,
    /// Whether the log is here, or cannot be read. What is not needed to show it is loaded then.
    pub settled: RwSignal<bool>,
    /// Whether typed words are shown.
    pub identifying: RwSignal<bool>,
    /// Whether the page follows a session that is under way.
    pub following: RwSignal<bool>,
    /// Whether keys count.
    pub keys: RwSignal<bool>,
    /// What is shown of the timeline.
    pub chart: ChartSettings,
    /// When the address is to say the moment, by this page's clock.
    address_at: StoredValue<Option<f64>>,
}

/// What the page jumps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The beginning of a question.
    Question,
    /// A note or mark.
    Mark,
}

impl Viewer {
    /// Nothing is open yet.
    pub fn new(
        area: Area,
        decoding: Decoding,
        study: String,
        session: String,
        list: Option<SessionsQuery>,
    ) -> Self {
        Self {
            area,
            decoding,
            study: StoredValue::new(study),
            list: StoredValue::new(list),
            session: StoredValue::new(session),
            opened: StoredValue::new_local(None),
            serial: RwSignal::new(0),
            player: RwSignal::new(Player::default()),
            end_ms: RwSignal::new(0),
            whole: RwSignal::new(false),
            settled: RwSignal::new(false),
            identifying: RwSignal::new(false),
            following: RwSignal::new(false),
            keys: RwSignal::new(true),
            chart: ChartSettings::new(),
            address_at: StoredValue::new(None),
        }
    }

    /// Loads, as [`Area::load`], what may come after the log. For a row of the table the server takes in all of a log, and
    /// has less time for those who read it.
    pub fn load(self, work: impl Fn() + 'static) {
        self.area.load(move || {
            if self.settled.get() {
                work();
            }
        });
    }

    /// The replay, once it is open.
    pub fn replay(&self) -> Option<Rc<Replay>> {
        self.opened
            .with_value(|opened| opened.as_ref().map(|it| Rc::clone(&it.replay)))
    }

    /// Shows a moment that somebody chose: all that had happened by then.
    pub fn seek(self, at_ms: u64) {
        self.show_moment(at_ms);
        self.address_is_due();
    }

    fn show_moment(self, at_ms: u64) {
        let end_ms = self.end_ms.get_untracked();
        let Some(replay) = self.replay() else { return };
        let count = replay.count_at(at_ms.min(end_ms));
        self.show(count, at_ms.min(end_ms));
    }

    fn show(self, count: usize, at_ms: u64) {
        let end_ms = self.end_ms.get_untracked();
        self.following.set(false);
        self.player.update(|player| player.seek(at_ms, end_ms));
        if let Some(replay) = self.replay() {
            replay.show_after(count, at_ms);
        }
    }

    /// The address will lead to the moment that is shown.
    fn address_is_due(self) {
        let due = Some(monotonic_ms() + ADDRESS_AFTER_MS);
        self.address_at.set_value(due);
    }

    fn note_address(self) {
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

    /// Plays or stops.
    pub fn toggle(self) {
        let end_ms = self.end_ms.get_untracked();
        if self.following.get_untracked() {
            self.seek(end_ms);
            return;
        }
        self.player.update(|player| player.toggle(end_ms));
        self.address_is_due();
    }

    /// One event forward or back.
    pub fn step(self, forward: bool) {
        self.player.update(Player::stop);
        let Some(replay) = self.replay() else { return };
        let count = replay.count();
        let to = if forward {
            count + 1
        } else {
            count.saturating_sub(1)
        };
        let found = replay.with_events(|events, _| {
            (to <= events.len()).then(|| match to.checked_sub(1) {
                Some(last) => events[last].at_ms,
                None => 0,
            })
        });
        if let Some(at_ms) = found {
            self.show(to, at_ms);
            self.address_is_due();
        }
    }

    /// To the question or mark before or after.
    pub fn jump(self, stop: Stop, forward: bool) {
        let at_ms = self.player.with_untracked(Player::at_ms);
        let Some(replay) = self.replay() else { return };
        let to = match stop {
            Stop::Question => replay.with_lanes(|lanes| {
                let begun = lanes.questions().iter().map(|it| it.from_ms);
                nearest(begun, at_ms, forward)
            }),
            Stop::Mark => replay.shown.timeline.with_untracked(|entries| {
                let marks = entries.iter().filter(|it| it.kind == TimelineKind::Note);
                nearest(marks.map(|it| it.at_ms), at_ms, forward)
            }),
        };
        if let Some(to) = to {
            self.seek(to);
        }
    }

    /// The end of a long rest that the moment lies in.
    pub fn skip(self) {
        let at_ms = self.player.with_untracked(Player::at_ms);
        let Some(replay) = self.replay() else { return };
        if let Some(end) = replay.with_lanes(|lanes| end_of_rest(lanes.rests(), at_ms)) {
            self.seek(end);
        }
    }

    /// What is now, as it comes.
    pub fn follow(self) {
        self.player.update(Player::stop);
        self.following.set(true);
        if let Some(replay) = self.replay() {
            replay.seek(None);
        }
        self.address_is_due();
    }

    /// The moment that is shown, in milliseconds since the session's start.
    pub fn at_ms(self) -> u64 {
        if self.following.get() {
            self.end_ms.get()
        } else {
            self.player.with(Player::at_ms)
        }
    }

    /// The same, where nothing is to follow it.
    pub fn at_ms_untracked(self) -> u64 {
        if self.following.get_untracked() {
            self.end_ms.get_untracked()
        } else {
            self.player.with_untracked(Player::at_ms)
        }
    }

    /// Some time has gone by.
    pub fn pass(self, elapsed_ms: f64) {
        let Some(replay) = self.replay() else { return };
        replay.tick();
        self.note_address();
        if !self.player.with_untracked(Player::is_playing) {
            // While the log is being read, that comes first.
            if self.whole.get_untracked() {
                replay.compare_some();
            }
            return;
        }
        let end_ms = self.end_ms.get_untracked();
        replay.with_lanes(|lanes| {
            self.player
                .update(|player| player.pass(elapsed_ms, end_ms, lanes.rests()));
        });
        let at_ms = self.player.with_untracked(Player::at_ms);
        replay.show_after(replay.count_at(at_ms), at_ms);
        self.address_is_due();
    }
}
