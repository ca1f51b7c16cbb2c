//! Sessions that are shown together, and the moment that is shown of all of them.

use std::rc::Rc;

use api::replay::ReplayState;
use domain::common::moment::moment;
use domain::lanes::Span;
use frontend::replay::Replay;
use frontend::replay::player::{Player, nearest};
use frontend::replay::view::SharedReplay;
use frontend::runtime::clock::monotonic_ms;
use leptos::prelude::*;

use super::common::{Begun, options, span};
use crate::area::Area;
use crate::decoding::Decoding;
use crate::route::{Beside, Common, Route};
use crate::text::text;

/// The address follows so many milliseconds after the last move: browsers refuse many changes of it at once.
const ADDRESS_AFTER_MS: f64 = 300.0;

/// One of the sessions.
#[derive(Clone)]
pub struct Seat {
    /// As the server says.
    pub state: Rc<ReplayState>,
    /// Its replay.
    pub replay: Rc<Replay>,
    /// The questions that it has begun.
    pub begun: Rc<[Begun]>,
}

/// The replay of a seat, within reach of components.
pub fn shared_seat(seat: &Seat) -> SharedReplay {
    StoredValue::new_local(Rc::clone(&seat.replay))
}

/// The state that the parts of the page share.
#[derive(Clone, Copy)]
pub struct Together {
    /// The state that the pages share.
    pub area: Area,
    /// The decoders and the language with which sessions are opened.
    pub decoding: Decoding,
    /// The study.
    pub study: StoredValue<String>,
    /// The request in the address.
    pub asked: StoredValue<Beside>,
    seats: StoredValue<Vec<Seat>, LocalStorage>,
    /// Whether all logs are read.
    pub ready: RwSignal<bool>,
    /// Whom nobody can read, in sentences.
    pub unread: RwSignal<Vec<String>>,
    /// The question or model that is shown of them.
    pub common: RwSignal<Option<Common>>,
    /// From when to when of each session; none of whoever has nothing of it.
    pub spans: RwSignal<Vec<Option<Span>>>,
    /// The moment that is shown, from the beginning of what they have in common.
    pub player: RwSignal<Player>,
    /// When the address is to say the moment, by this page's clock.
    address_at: StoredValue<Option<f64>>,
}

impl Together {
    /// Nothing is read yet.
    pub fn new(area: Area, decoding: Decoding, study: String, asked: Beside) -> Self {
        let mut player = Player::default();
        // A rest of one session is no rest of another.
        player.set_skips(false);
        Self {
            area,
            decoding,
            study: StoredValue::new(study),
            common: RwSignal::new(asked.common.clone()),
            asked: StoredValue::new(asked),
            seats: StoredValue::new_local(Vec::new()),
            ready: RwSignal::new(false),
            unread: RwSignal::new(Vec::new()),
            spans: RwSignal::new(Vec::new()),
            player: RwSignal::new(player),
            address_at: StoredValue::new(None),
        }
    }

    /// All logs are read.
    pub fn seated(self, seats: Vec<Seat>, at_ms: u64) {
        if self.ready.try_get_untracked().is_none() {
            return;
        }
        self.seats.set_value(seats);
        if self.common.get_untracked().is_none() {
            let first = self.options().into_iter().next();
            self.common.set(first.map(|(common, _)| common));
        }
        self.measure();
        self.ready.set(true);
        self.show_moment(at_ms);
    }

    /// The questions and models that the sessions have in common, each as it is called.
    pub fn options(self) -> Vec<(Common, String)> {
        let begun = self.seats.with_value(|seats| {
            let all = seats.iter().map(|seat| seat.begun.to_vec());
            all.collect::<Vec<_>>()
        });
        options(&begun)
    }

    fn measure(self) {
        let common = self.common.get_untracked();
        let spans = self.seats.with_value(|seats| {
            let of = |seat: &Seat| span(&seat.begun, common.as_ref()?);
            seats.iter().map(of).collect::<Vec<_>>()
        });
        self.spans.set(spans);
    }

    /// Shows something else that they have in common, from its beginning.
    pub fn choose(self, common: Common) {
        self.player.update(Player::stop);
        self.common.set(Some(common));
        self.measure();
        self.seek(0);
    }

    /// One of the sessions, by its place.
    pub fn seat(self, place: usize) -> Option<Seat> {
        self.seats.with_value(|seats| seats.get(place).cloned())
    }

    /// The sessions that are shown, with what is shown of each.
    pub fn shown(self) -> Vec<(Seat, Span)> {
        let spans = self.spans.get_untracked();
        self.seats.with_value(|seats| {
            let all = seats.iter().zip(spans);
            all.filter_map(|(seat, span)| Some((seat.clone(), span?)))
                .collect()
        })
    }

    /// The sessions that are not shown, and why, in sentences.
    pub fn left_out(self) -> Vec<String> {
        let spans = self.spans.get();
        let mut words = self.unread.get();
        let texts = &text().beside;
        let is_question = match self.common.get() {
            Some(Common::Question(_)) => true,
            Some(Common::Model(_)) => false,
            None => return words,
        };
        self.seats.with_value(|seats| {
            let without = seats.iter().zip(spans).filter(|(_, span)| span.is_none());
            words.extend(without.map(|(seat, _)| {
                let ordinal = seat.state.session.ordinal;
                if is_question {
                    texts.without_question(ordinal)
                } else {
                    texts.without_model(ordinal)
                }
            }));
        });
        words
    }

    /// How long the longest is shown, in milliseconds.
    pub fn end_ms(self) -> u64 {
        let spans = self.spans.get();
        spans
            .iter()
            .flatten()
            .map(Span::length_ms)
            .max()
            .unwrap_or(0)
    }

    /// The moment that is shown, in milliseconds from the beginning.
    pub fn at_ms(self) -> u64 {
        self.player.with(Player::at_ms)
    }

    /// Shows a moment that somebody chose: all that had happened by then.
    pub fn seek(self, at_ms: u64) {
        self.show_moment(at_ms);
        self.address_is_due();
    }

    fn show_moment(self, at_ms: u64) {
        let end_ms = untrack(|| self.end_ms());
        self.player.update(|player| player.seek(at_ms, end_ms));
        self.show();
    }

    fn show(self) {
        let at_ms = self.player.with_untracked(Player::at_ms);
        for (seat, span) in self.shown() {
            let here = moment_of(span, at_ms);
            let before = seat.replay.shown.moment_ms.get_untracked();
            // A session that has come to its end is not decoded again and again.
            if before != Some(here) {
                seat.replay.show_after(seat.replay.count_at(here), here);
            }
        }
    }

    /// Plays or stops.
    pub fn toggle(self) {
        let end_ms = untrack(|| self.end_ms());
        self.player.update(|player| player.toggle(end_ms));
        self.address_is_due();
    }

    /// To the next event of any of them, or to the one before.
    pub fn step(self, forward: bool) {
        self.player.update(Player::stop);
        let at_ms = self.player.with_untracked(Player::at_ms);
        let found = self.shown().into_iter().filter_map(|(seat, span)| {
            seat.replay.with_events(|events, _| {
                let within = events.iter().map(|it| it.at_ms);
                let within = within.filter(|ms| (span.from_ms..=span.to_ms).contains(ms));
                nearest(within.map(|ms| ms - span.from_ms), at_ms, forward)
            })
        });
        let found = if forward { found.min() } else { found.max() };
        if let Some(found) = found {
            self.seek(found);
        }
    }

    /// Some time has gone by.
    pub fn pass(self, elapsed_ms: f64) {
        if !self.ready.get_untracked() {
            return;
        }
        for (seat, _) in self.shown() {
            seat.replay.tick();
        }
        self.note_address();
        if !self.player.with_untracked(Player::is_playing) {
            return;
        }
        let end_ms = untrack(|| self.end_ms());
        self.player
            .update(|player| player.pass(elapsed_ms, end_ms, &[]));
        self.show();
        self.address_is_due();
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
        self.area.replace(Route::Beside {
            study: self.study.get_value(),
            beside: Beside {
                sessions: self.asked.with_value(|asked| asked.sessions.clone()),
                common: self.common.get_untracked(),
                at: Some(moment(self.player.with_untracked(Player::at_ms))),
            },
        });
    }
}

/// The moment of a session, in milliseconds since its start, that belongs to one of the common clock: its last one once it
/// has come to its end.
pub fn moment_of(span: Span, at_ms: u64) -> u64 {
    span.from_ms.saturating_add(at_ms).min(span.to_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_come_to_an_end_stays_there() {
        let span = Span {
            from_ms: 7_000,
            to_ms: 9_000,
        };
        let moments = [0, 1_500, 2_000, u64::MAX].map(|at_ms| moment_of(span, at_ms));
        assert_eq!(moments, [7_000, 8_500, 9_000, 9_000]);
    }
}
