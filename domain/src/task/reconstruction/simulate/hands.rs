//! A person's hands and eyes at the dials. Their acts go through the very [`QuestionInPlay`] that
//! pages play, so the events are those that a page would have logged.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::super::play::{self, QuestionInPlay};
use super::super::{Event, Plan, SkipRule, State, Stop};
use crate::clock::{QuestionClock, seconds};
use crate::movement::Modality;
use crate::task::Now;
use crate::task::person::timing::{FRAME_MS, least_jerk, normal};
use crate::task::person::{SimulatedPerson, Strategy};

/// Length of a slider on screen, and width of its thumb, in pixels.
const SLIDER_PX: f64 = 300.0;
const THUMB_PX: f64 = 16.0;
/// A hand meets the place it aims at with this SD, as a share of the slider: a pixel.
const HAND_SD: f64 = 1.0 / SLIDER_PX;
/// Without the bar, alignment is judged from the pictures with this SD.
const EYE_SD: f64 = 0.03;
/// In practice, which nobody can skip, whoever has tried for so long goes by what the
/// instructions say, as one who knows the dimensions.
const PRACTICE_MS: u64 = 180_000;
/// A person who can neither solve nor skip a question closes the page after so long.
const LONGEST_MS: u64 = 1_200_000;
/// Where a question can be skipped at any time, patience counts in units of this.
const PATIENCE_UNIT_MS: f64 = 30_000.0;

/// The question, and the person who is asked it.
#[derive(Clone, Copy)]
pub(super) struct QuestionForPerson<'a> {
    pub plan: &'a Plan,
    pub question: usize,
    pub practice: bool,
    pub person: &'a SimulatedPerson,
}

/// A person at the dials of one question.
pub(super) struct Hands<'a> {
    asked: QuestionForPerson<'a>,
    play: QuestionInPlay,
    clock: QuestionClock,
    /// Milliseconds since the question started.
    elapsed_ms: u64,
    /// Events so far, each with its time since the question started.
    events: Vec<(u64, Event)>,
    /// Active seconds and distance, whenever that was smaller than before.
    nearest: Vec<(f64, f64)>,
    /// The dial that the hand is at.
    at_dial: Option<usize>,
    pub rng: &'a mut dyn Rng,
}

impl<'a> Hands<'a> {
    /// The question comes on screen; `None` if its picture is not there, or nothing decodes it.
    pub(super) fn begin(
        asked: QuestionForPerson<'a>,
        now: &Now<'_>,
        rng: &'a mut dyn Rng,
    ) -> Option<Self> {
        let QuestionForPerson {
            plan,
            question,
            person,
            ..
        } = asked;
        let model = Arc::new(plan.model_of(question));
        let question = plan.questions.get(question)?;
        let about = play::QuestionSetup {
            decode: person.decoder(&model),
            target: Arc::new(person.sight.instance(&question.target)?),
            model,
            stop: plan.stop,
            minimum_latency_ms: plan.minimum_latency_ms,
        };
        let (mut play, first) = QuestionInPlay::start(about, question.start.clone()).ok()?;
        play.moved_by(Some(Modality::Mouse));
        let mut hands = Self {
            asked,
            play,
            clock: now.clock.clone(),
            elapsed_ms: 0,
            events: Vec::new(),
            nearest: Vec::new(),
            at_dial: None,
            rng,
        };
        hands.log(first);
        hands.come_near();
        let ms = person.timing.look(2, hands.rng);
        hands.pause(ms);
        Some(hands)
    }

    /// The question, and the person who is asked it.
    pub(super) fn asked(&self) -> QuestionForPerson<'a> {
        self.asked
    }

    /// Milliseconds since the question started.
    pub(super) fn elapsed_ms(&self) -> u64 {
        self.elapsed_ms
    }

    /// How the person goes about it by now.
    pub(super) fn strategy(&self) -> Strategy {
        match self.asked.person.strategy {
            _ if self.asked.practice && self.elapsed_ms >= PRACTICE_MS => Strategy::KnowsDimensions,
            // Practice cannot be given up.
            Strategy::GivesUp if self.asked.practice => Strategy::CoordinateAscent,
            strategy => strategy,
        }
    }

    /// Where a dial stands, as a share of its range.
    pub(super) fn place(&self, dial: usize) -> f64 {
        let value = self.play.z().get(dial).copied().unwrap_or_default();
        self.share(dial, value)
    }

    /// A value of a dial, as a share of its range; 0 where the range is a single value.
    pub(super) fn share(&self, dial: usize, value: f64) -> f64 {
        let (min, max) = self.ends(dial);
        if max > min {
            (value - min) / (max - min)
        } else {
            0.0
        }
    }

    fn ends(&self, dial: usize) -> (f64, f64) {
        let dimension = self.asked.plan.model.latent.dimensions().get(dial);
        match dimension {
            Some(dimension) => (dimension.at_share(0.0), dimension.at_share(1.0)),
            None => (0.0, 0.0),
        }
    }

    /// Number of values of a dial that is a choice; 0 for a slider.
    pub(super) fn choices(&self, dial: usize) -> usize {
        let dimension = self.asked.plan.model.latent.dimensions().get(dial);
        dimension
            .filter(|d| d.is_discrete())
            .map_or(0, |d| d.width())
    }

    /// Whether a dial can be moved at all.
    pub(super) fn moves(&self, dial: usize) -> bool {
        let (min, max) = self.ends(dial);
        max > min
    }

    /// The alignment that the person sees: in whole percent where there is a bar.
    pub(super) fn seen(&mut self) -> f64 {
        let alignment = self.play.alignment().share();
        if self.asked.plan.show_alignment {
            (alignment * 100.0).round() / 100.0
        } else {
            alignment + EYE_SD * normal(self.rng)
        }
    }

    /// Whether the question has ended, or the person has had enough.
    pub(super) fn is_over(&self) -> bool {
        self.play.has_ended() || self.has_had_enough() || self.elapsed_ms >= LONGEST_MS
    }

    fn has_had_enough(&self) -> bool {
        let now_ms = self.clock.started_at_ms() + self.elapsed_ms;
        let patience = self.asked.person.patience;
        if !State::can_skip(self.asked.plan, &self.clock, now_ms) {
            return false;
        }
        #[allow(clippy::cast_precision_loss)] // minutes
        let active_ms = self.clock.active_ms(now_ms) as f64;
        match self.asked.plan.skip {
            SkipRule::Never => false,
            SkipRule::Always => active_ms >= patience * PATIENCE_UNIT_MS,
            SkipRule::AfterActive { seconds } => active_ms >= patience * seconds * 1_000.0,
        }
    }

    /// Time passes without anything being done.
    pub(super) fn pause(&mut self, ms: u64) {
        let until = self.elapsed_ms + ms;
        while self.elapsed_ms < until {
            let step = if self.play.holds_back() {
                FRAME_MS
            } else {
                100
            };
            self.elapsed_ms = until.min(self.elapsed_ms + step);
            self.draw();
            let resting = self.play.tick(self.elapsed_ms);
            self.log(resting);
        }
    }

    /// Thinks about what to do next.
    pub(super) fn think(&mut self) {
        let ms = self.asked.person.timing.prepare(self.rng);
        self.pause(ms);
    }

    /// Sees what a movement has done.
    pub(super) fn look(&mut self) -> f64 {
        let ms = self.asked.person.timing.react(self.rng);
        self.pause(ms);
        self.seen()
    }

    /// The hand goes to a dial, unless it is there.
    pub(super) fn reach(&mut self, dial: usize) {
        if self.at_dial != Some(dial) {
            let away = SLIDER_PX * self.rng.random_range(0.3..1.0);
            let ms = self.asked.person.timing.point(away, THUMB_PX, self.rng);
            self.pause(ms);
            self.at_dial = Some(dial);
        }
    }

    /// Drags a dial to a place that is `exactly` wide, in one motion; of a choice, clicks.
    pub(super) fn drag(&mut self, dial: usize, to: f64, exactly: f64) {
        self.reach(dial);
        let timing = self.asked.person.timing;
        if self.choices(dial) > 0 {
            let ms = timing.point(60.0, THUMB_PX, self.rng);
            self.pause(ms);
            self.turn(dial, to);
            return;
        }
        let from = self.place(dial);
        let to = (to + HAND_SD * normal(self.rng)).clamp(0.0, 1.0);
        let width = exactly.max(HAND_SD);
        let duration = timing.drag(to - from, width, self.rng).max(FRAME_MS);
        let begun = self.elapsed_ms;
        while self.elapsed_ms < begun + duration && !self.is_over() {
            let step = FRAME_MS.min(begun + duration - self.elapsed_ms);
            self.elapsed_ms += step;
            #[allow(clippy::cast_precision_loss)] // seconds
            let share = (self.elapsed_ms - begun) as f64 / duration as f64;
            self.turn(dial, from + (to - from) * least_jerk(share));
        }
    }

    /// One frame of a slow drag: the dial is at this place after it, as far as its steps allow.
    pub(super) fn creep(&mut self, dial: usize, to: f64) {
        self.elapsed_ms += FRAME_MS;
        self.turn(dial, to);
    }

    /// Puts a dial to a share of its range, and draws the frame.
    fn turn(&mut self, dial: usize, share: f64) {
        let Some(dimension) = self.asked.plan.model.latent.dimensions().get(dial) else {
            return;
        };
        let value = dimension.at_share(share);
        self.play.input(dial, value, self.elapsed_ms);
        self.draw();
    }

    fn draw(&mut self) {
        // A vector of dials that does not decode is never shown: nothing is logged for it.
        let frame = self.play.frame(self.elapsed_ms);
        self.log(frame.unwrap_or_default());
        self.come_near();
    }

    fn come_near(&mut self) {
        let distance = self.play.alignment().distance;
        if self
            .nearest
            .last()
            .is_none_or(|(_, before)| distance < *before)
        {
            let now_ms = self.clock.started_at_ms() + self.elapsed_ms;
            self.nearest
                .push((seconds(self.clock.active_ms(now_ms)), distance));
        }
    }

    /// Active seconds and distance, for every time that it was smaller than before.
    pub(super) fn nearest(self) -> Vec<(f64, f64)> {
        self.nearest
    }

    /// The question ends: solved, skipped, declared done, or left where it is.
    pub(super) fn finish(mut self) -> Vec<(u64, Event)> {
        let timing = self.asked.person.timing;
        let ended = self.play.has_ended();
        if !ended && self.asked.plan.stop == Stop::Declared {
            let ms = timing.press(self.rng);
            self.pause(ms);
            let done = self.play.done(self.elapsed_ms);
            self.log(done.unwrap_or_default());
        } else if !ended && self.has_had_enough() {
            let ms = timing.press(self.rng);
            self.pause(ms);
            let skipped = self.play.skip(self.elapsed_ms);
            self.log(skipped.unwrap_or_default());
        }
        if self.play.has_ended() && self.asked.plan.stop == Stop::AtThreshold {
            let solved = |(_, event): &(u64, Event)| *event == Event::Solved;
            if self.events.iter().any(solved) {
                let ms = timing.look(2, self.rng) + timing.press(self.rng);
                self.elapsed_ms += ms;
                self.log([Event::MovedOn]);
            }
        }
        let mut before_ms = 0;
        let since = |(at_ms, event): (u64, Event)| {
            let wait_ms = at_ms - before_ms;
            before_ms = at_ms;
            (wait_ms, event)
        };
        self.events.into_iter().map(since).collect()
    }

    fn log(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            if let Event::Snapshot(snapshot) = &event {
                let at_ms = self.clock.started_at_ms() + snapshot.movement.elapsed_ms;
                self.clock.on_task_event(at_ms, Some(at_ms));
            }
            self.events.push((self.elapsed_ms, event));
        }
    }
}
