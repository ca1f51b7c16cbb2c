//! A question as far as it has gone.

use std::collections::BTreeMap;

use super::measures::Measures;
use super::turns::Turns;
use super::{Event, Key, Plan, SkipRule, Snapshot, Stop};
use crate::clock::{ActiveTimeRule, QuestionClock, seconds};
use crate::model::Arrangement;
use crate::model::distance::reaches;
use crate::model::latent::LatentSpace;
use crate::movement::history::History;
use crate::movement::{Jump, MovementMeasures};
use crate::task::{Now, Outcome, Step, TaskRefusal};

/// Everything that the question's screen shows, and what is measured so far.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    space: LatentSpace,
    z: Vec<f64>,
    arrangement: Arrangement,
    dial_names: BTreeMap<usize, String>,
    /// The dimensions that are not shown.
    hidden: Vec<usize>,
    /// ε.
    threshold: f64,
    last: Option<Snapshot>,
    /// Kept where there is an undo button.
    history: History,
    turns: Turns,
    so_far: Measures,
}

impl State {
    pub(super) fn start(plan: &Plan, question: usize, before: Option<&Self>) -> Self {
        let space = plan.model.latent.clone();
        let kept = before.filter(|_| plan.keep_arrangement);
        let shown = plan.shown();
        let hidden: Vec<usize> = (0..space.len()).filter(|it| !shown.contains(it)).collect();
        Self {
            z: plan
                .questions
                .get(question)
                .map(|question| question.start.clone())
                .unwrap_or_default(),
            arrangement: kept.map_or(plan.model.display.arrangement, |state| state.arrangement),
            dial_names: before
                .map(|state| state.dial_names.clone())
                .unwrap_or_default(),
            so_far: Measures::new(MovementMeasures::new(&space).without(&hidden)),
            hidden,
            threshold: plan.threshold(question),
            last: None,
            history: History::default(),
            turns: Turns::default(),
            space,
        }
    }

    /// Where the dials stand, as far as that is logged.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The last snapshot; absent before the first.
    #[must_use]
    pub fn last_snapshot(&self) -> Option<&Snapshot> {
        self.last.as_ref()
    }

    /// The history that the undo button goes back to; empty where there is none.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How picture and target are placed.
    #[must_use]
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// The name that the participant gave to a dial, in this question or an earlier one.
    #[must_use]
    pub fn dial_name(&self, dimension: usize) -> Option<&str> {
        self.dial_names.get(&dimension).map(String::as_str)
    }

    /// Whether anything has been logged of the question.
    pub(super) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    pub(super) fn can_skip(plan: &Plan, clock: &QuestionClock, now_ms: u64) -> bool {
        match plan.skip {
            SkipRule::Never => false,
            SkipRule::Always => true,
            SkipRule::AfterActive { seconds: t } => seconds(clock.active_ms(now_ms)) >= t,
        }
    }

    pub(super) fn apply(
        &mut self,
        plan: &Plan,
        now: &Now<'_>,
        event: &Event,
    ) -> Result<Step, TaskRefusal> {
        let name = event.name();
        let not_now = Err(TaskRefusal::NotNow { event: name });
        let impossible = |why: &str| {
            let why = why.to_owned();
            Err(TaskRefusal::Impossible { event: name, why })
        };
        match (now.outcome, event) {
            (None, Event::Snapshot(snapshot)) => match self.problem(plan, now, snapshot) {
                Some(why) => impossible(&why),
                None => Ok(self.take(plan, now.clock, snapshot)),
            },
            (None, Event::Activity) => Ok(Step::activity(now.at_ms)),
            (outcome, Event::DisplaySwitched { arrangement }) => {
                // A picture can still be looked at, and a dial named, once the question is solved.
                self.arrangement = *arrangement;
                self.so_far.display_switches += u64::from(outcome.is_none());
                Ok(did_something(now))
            }
            (_, Event::DialRenamed { dimension, name }) => {
                if !plan.rename_dials {
                    return impossible("dials keep their names in this stage");
                }
                if *dimension >= self.space.len() {
                    return impossible("there is no such dial");
                }
                self.dial_names.insert(*dimension, name.clone());
                self.so_far.renamings += 1;
                Ok(did_something(now))
            }
            (None, Event::Done) if plan.stop == Stop::Declared => {
                let outcome = if self.is_within() {
                    Outcome::Solved
                } else {
                    Outcome::Missed
                };
                Ok(Step {
                    left: true,
                    ..Step::ended(outcome)
                })
            }
            (None, Event::Solved) if plan.stop == Stop::AtThreshold => {
                if self.is_within() {
                    Ok(Step::ended(Outcome::Solved))
                } else {
                    impossible("the threshold has not been reached")
                }
            }
            (None, Event::Skipped) => {
                if Self::can_skip(plan, now.clock, now.at_ms) {
                    Ok(Step {
                        left: true,
                        ..Step::ended(Outcome::Skipped)
                    })
                } else {
                    impossible("the question cannot be skipped yet")
                }
            }
            (Some(Outcome::Solved), Event::MovedOn) => Ok(Step::left()),
            _ => not_now,
        }
    }

    /// Whether the last snapshot lies within the threshold.
    fn is_within(&self) -> bool {
        let reached = |last: &Snapshot| reaches(last.distance, self.threshold);
        self.last.as_ref().is_some_and(reached)
    }

    fn problem(&self, plan: &Plan, now: &Now<'_>, new: &Snapshot) -> Option<String> {
        let before = self.last.as_ref().map(|last| &last.movement);
        if let Some(why) = new.movement.problem(&self.space, before, now.elapsed_ms()) {
            return Some(why);
        }
        let differs = |dial: &&usize| self.z.get(**dial) != new.movement.z.get(**dial);
        if let Some(dial) = self.hidden.iter().find(differs) {
            return Some(format!("dimension {dial} moved, which is not shown"));
        }
        match new.movement.jump {
            Some(Jump::Undo) if !plan.undo => return Some("there is no such button".into()),
            Some(Jump::Randomise) if !plan.randomise => {
                return Some("there is no such button".into());
            }
            Some(Jump::Undo) if self.history.undone() != Some(&new.movement.z[..]) => {
                return Some("the undo button leads elsewhere".into());
            }
            _ => {}
        }
        if !(0.0..=1.0).contains(&new.distance) {
            return Some(format!("a distance of {}", new.distance));
        }
        if !(new.squared_error >= 0.0 && new.squared_error.is_finite()) {
            return Some(format!("a squared error of {}", new.squared_error));
        }
        None
    }

    fn take(&mut self, plan: &Plan, clock: &QuestionClock, new: &Snapshot) -> Step {
        let started_at_ms = clock.started_at_ms();
        let at_ms = started_at_ms + new.movement.elapsed_ms;
        if let Some(old) = self.last.take() {
            let movement = &mut self.so_far.movement;
            movement.push(&self.space, &old.movement, &new.movement);
            self.turns.push(&old.movement, &new.movement);
            let since_ms = started_at_ms + old.movement.elapsed_ms;
            self.so_far
                .add_error(clock, old.squared_error, since_ms, at_ms);
        }
        if plan.undo {
            self.history.push(&new.movement);
        }
        self.so_far.snapshot(new.distance, new.movement.elapsed_ms);
        self.z.clone_from(&new.movement.z);
        self.last = Some(new.clone());
        Step::activity(at_ms)
    }

    /// The measures up to the end, or up to the last thing known.
    pub(super) fn measures(&self, key: Option<&Key>, clock: &QuestionClock) -> Measures {
        let mut measures = self.so_far.clone();
        if let Some(last) = &self.last {
            let since_ms = clock.started_at_ms() + last.movement.elapsed_ms;
            measures.add_error(clock, last.squared_error, since_ms, clock.until_ms());
        }
        if let Some(key) = key {
            measures.overshoots = Some(self.turns.overshoots(&key.target));
            measures.zero_crossings = Some(self.turns.zero_crossings(&key.target));
        }
        measures
    }
}

/// An activity that moved no dial: to the released study's rule it is none.
fn did_something(now: &Now<'_>) -> Step {
    match now.clock.rule() {
        ActiveTimeRule::Capped => Step::activity(now.at_ms),
        ActiveTimeRule::Released => Step::default(),
    }
}
