//! A session that is open on the page: its log as it comes, and the moment that is shown.

use std::rc::Rc;

use api::replay::{Overshoots, ReplayState};
use api::research::SessionsQuery;
use api::routes;
use domain::lanes::Lanes;
use domain::session::event::SessionId;
use frontend::replay::Replay;
use frontend::replay::chart::view::ChartSettings;
use frontend::replay::player::{Player, end_of_rest, nearest};
use frontend::replay::timeline::TimelineKind;
use frontend::runtime::research_client;
use leptos::prelude::*;

use crate::area::Area;
use crate::decoding::Decoding;

mod address;
mod reading;

/// A session that is open.
#[derive(Clone)]
pub struct Opened {
    /// As the server says.
    pub state: ReplayState,
    /// Its replay.
    pub replay: Rc<Replay>,
}

/// The state that the parts of the page share.
#[derive(Clone, Copy)]
pub struct Viewer {
    /// The state that the pages share.
    pub area: Area,
    /// The decoders and the language with which the session is opened.
    decoding: Decoding,
    /// The study.
    pub study: StoredValue<String>,
    /// The table of sessions from which somebody came.
    list: StoredValue<Option<SessionsQuery>>,
    /// The session.
    pub session: StoredValue<String>,
    /// The session that is open.
    pub opened: StoredValue<Option<Opened>, LocalStorage>,
    /// Counts up with each log that is opened.
    pub serial: RwSignal<u64>,
    /// The moment that is shown.
    pub player: RwSignal<Player>,
    /// Where the session's clock ends, in milliseconds since its start.
    pub end_ms: RwSignal<u64>,
    /// Whether all of the log is here.
    pub whole: RwSignal<bool>,
    /// Whether the rest of the log cannot be read; why is told.
    pub unread: RwSignal<bool>,
    /// Whether the study has such a session, for whoever looks; nothing before that is known.
    pub is_there: RwSignal<Option<bool>>,
    /// Whether the log is here, or cannot be read. Data that are not needed to show it are loaded then.
    pub settled: RwSignal<bool>,
    /// Whether typed words are shown.
    pub identifying: RwSignal<bool>,
    /// Whether the page follows a session that is under way.
    pub following: RwSignal<bool>,
    /// Whether keys count.
    pub keys: RwSignal<bool>,
    /// The parts of the timeline that are shown.
    pub chart: ChartSettings,
    /// When the address is to say the moment, by this page's clock.
    address_at: StoredValue<Option<f64>>,
}

/// A place to which the page jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The beginning of a question.
    Question,
    /// A note or mark.
    Mark,
    /// The moment when a dial had passed the target's value.
    Overshoot,
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
            unread: RwSignal::new(false),
            is_there: RwSignal::new(None),
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
            if self.settled.get() && self.is_there.get() != Some(false) {
                work();
            }
        });
    }

    /// Asks where dials passed the target's values, which the server alone can say.
    pub fn load_overshoots(self) {
        self.load(move || {
            let id = self.session.with_value(|id| SessionId(id.clone()));
            let path = routes::research_overshoots(&self.study.get_value(), &id);
            self.area.attempt(async move {
                let found: Overshoots = research_client::get(&path).await?;
                // The page may have been left.
                let _ = self.chart.overshoots.try_set(found.overshoots);
                Ok(())
            });
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
        let Some(replay) = self.replay() else { return };
        // Events that were written after the end are shown, too.
        let at_ms = at_ms.min(replay.with_lanes(Lanes::latest_ms));
        self.show(&replay, replay.count_at(at_ms), at_ms);
    }

    fn show(self, replay: &Replay, count: usize, at_ms: u64) {
        self.following.set(false);
        self.player.update(|player| player.seek(at_ms, at_ms));
        replay.show_after(count, at_ms);
    }

    /// Shows the end of the session.
    pub fn seek_end(self) {
        self.seek(self.end_ms.get_untracked());
    }

    /// Plays or stops.
    pub fn toggle(self) {
        let end_ms = self.end_ms.get_untracked();
        if self.following.get_untracked() {
            self.seek_end();
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
            self.show(&replay, to, at_ms);
            self.address_is_due();
        }
    }

    /// To the question, mark or overshoot before or after.
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
            Stop::Overshoot => self
                .chart
                .overshoots
                .with_untracked(|all| nearest(all.iter().map(|it| it.at_ms), at_ms, forward)),
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

    /// Shows the session's present, as it comes.
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
