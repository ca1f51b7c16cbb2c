//! The clock of a question: how long it has run, how long its participant was
//! active, and how long they were away.

use serde::{Deserialize, Serialize};

/// Inactivity after which the active time stands still, unless a study says otherwise (released
/// study).
pub const INACTIVE_AFTER_MS: u64 = 3_000;

/// How gaps between two activities count into the active time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActiveTimeRule {
    /// A gap counts up to the limit of inactivity, a longer one as that limit. The start and the end of the
    /// question count as activities. Redial's own rule.
    #[default]
    Capped,
    /// A gap counts if it is shorter than the limit of inactivity, a longer one not at all. Only
    /// stored snapshots count as activities. The rule of the released study.
    Released,
}

/// How active time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveTimeSetting {
    /// The rule.
    pub rule: ActiveTimeRule,
    /// The limit of inactivity: 3 s, unless the study says otherwise.
    pub inactive_after_ms: u64,
}

impl From<ActiveTimeRule> for ActiveTimeSetting {
    fn from(rule: ActiveTimeRule) -> Self {
        Self {
            rule,
            inactive_after_ms: INACTIVE_AFTER_MS,
        }
    }
}

impl Default for ActiveTimeSetting {
    fn default() -> Self {
        ActiveTimeRule::default().into()
    }
}

/// Counts the time during which a participant was active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ActiveTime {
    setting: ActiveTimeSetting,
    counted_ms: u64,
    last_activity_ms: u64,
}

impl ActiveTime {
    fn activity(&mut self, now_ms: u64) {
        self.counted_ms = self.until(now_ms);
        self.last_activity_ms = self.last_activity_ms.max(now_ms);
    }

    fn until(&self, now_ms: u64) -> u64 {
        let gap_ms = now_ms.saturating_sub(self.last_activity_ms);
        let limit_ms = self.setting.inactive_after_ms;
        let counts_ms = match self.setting.rule {
            ActiveTimeRule::Capped => gap_ms.min(limit_ms),
            ActiveTimeRule::Released if gap_ms < limit_ms => gap_ms,
            ActiveTimeRule::Released => 0,
        };
        self.counted_ms + counts_ms
    }
}

/// A change of a page while a question is on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageChange {
    /// It is hidden: another tab or window is in front.
    Hidden,
    /// It is in sight again.
    Shown,
    /// It was opened, or loaded anew.
    Opened,
    /// Consent was given on it.
    ConsentGiven,
    /// The machine was asleep until now.
    Slept {
        /// For so many milliseconds.
        slept_ms: u64,
    },
    /// The experimenter stopped the session.
    Paused,
    /// The session goes on.
    Resumed,
}

/// A span of time that has ended, in milliseconds since the session's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start_ms: u64,
    end_ms: u64,
    /// How long all spans before it are together.
    before_ms: u64,
}

/// Spans of time, none of which overlap. The sender of a log decides how many there are: each query
/// takes the logarithm of their number in steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Spans {
    /// In order.
    closed: Vec<Span>,
    open_since: Option<u64>,
}

impl Spans {
    fn open(&mut self, at_ms: u64) {
        self.open_since.get_or_insert(at_ms);
    }

    fn close(&mut self, at_ms: u64) {
        if let Some(since) = self.open_since.take() {
            self.add(since, at_ms);
        }
    }

    fn add(&mut self, from_ms: u64, to_ms: u64) {
        let (after_ms, before_ms) = self.closed_until();
        let start_ms = from_ms.max(after_ms);
        if start_ms < to_ms {
            self.closed.push(Span {
                start_ms,
                end_ms: to_ms,
                before_ms,
            });
        }
    }

    /// Covers a stretch of time that ends with the latest of them.
    fn cover(&mut self, from_ms: u64, to_ms: u64) {
        self.open_since = None;
        let kept = self.first(|span| span.start_ms < from_ms);
        self.closed.truncate(kept);
        self.add(from_ms, to_ms);
    }

    /// The first closed one that is not `before`.
    fn first(&self, before: impl Fn(&Span) -> bool) -> usize {
        self.closed.partition_point(|span| {
            #[cfg(test)]
            tests::step();
            before(span)
        })
    }

    /// When the last closed one ended, and how long all closed ones are together.
    fn closed_until(&self) -> (u64, u64) {
        self.closed.last().map_or((0, 0), |last| {
            (last.end_ms, last.before_ms + (last.end_ms - last.start_ms))
        })
    }

    /// When the open one began, if there is one: it has no end yet.
    fn open_from(&self) -> Option<u64> {
        Some(self.open_since?.max(self.closed_until().0))
    }

    /// The parts of them that lie in a stretch of time.
    fn clipped(&self, from_ms: u64, to_ms: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = self.first(|span| span.end_ms <= from_ms);
        let closed = self.closed[first..].iter();
        let closed = closed.map(|span| {
            #[cfg(test)]
            tests::step();
            (span.start_ms, span.end_ms)
        });
        let open = self.open_from().map(|since| (since, u64::MAX));
        closed
            .chain(open)
            .take_while(move |(start, _)| *start < to_ms)
            .map(move |(start, end)| (start.max(from_ms), end.min(to_ms)))
    }

    /// How much of the time up to a moment they cover.
    fn until(&self, at_ms: u64) -> u64 {
        let begun = self.first(|span| span.start_ms < at_ms);
        let closed = self.closed[..begun].last().map_or(0, |last| {
            last.before_ms + (last.end_ms.min(at_ms) - last.start_ms)
        });
        let open = self.open_from();
        closed + open.map_or(0, |since| at_ms.saturating_sub(since))
    }

    /// How much of a stretch of time they cover.
    fn within(&self, from_ms: u64, to_ms: u64) -> u64 {
        self.until(to_ms.max(from_ms)) - self.until(from_ms)
    }
}

/// The clock of one question. All times are in milliseconds since the session's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionClock {
    started_at_ms: u64,
    last_ms: u64,
    ended_at_ms: Option<u64>,
    active: ActiveTime,
    /// Hidden, closed or asleep, or the consent form was on screen in the question's place.
    away: Spans,
    /// When the page was opened last, in the course of the question.
    opened_at_ms: Option<u64>,
    /// Stopped by the experimenter.
    paused: Spans,
    reloads: u64,
}

impl QuestionClock {
    /// A question that starts now. The start counts as an activity.
    #[must_use]
    pub fn start(now_ms: u64, setting: impl Into<ActiveTimeSetting>) -> Self {
        Self {
            started_at_ms: now_ms,
            last_ms: now_ms,
            ended_at_ms: None,
            active: ActiveTime {
                setting: setting.into(),
                counted_ms: 0,
                last_activity_ms: now_ms,
            },
            away: Spans::default(),
            opened_at_ms: None,
            paused: Spans::default(),
            reloads: 0,
        }
    }

    /// Takes in what happened to the page; `None` for anything else that was logged outside of the
    /// task. Everything after the question's end is ignored.
    pub fn on_page_event(&mut self, at_ms: u64, change: Option<PageChange>) {
        if self.ended_at_ms.is_some() {
            return;
        }
        match change {
            Some(PageChange::Hidden) => self.away.open(at_ms),
            Some(PageChange::Shown) => self.away.close(at_ms),
            Some(PageChange::Opened) => {
                // Nobody saw the question from its last sign of life until now.
                self.away.open(self.last_ms);
                self.away.close(at_ms);
                self.opened_at_ms = Some(at_ms);
                self.reloads += 1;
            }
            // Consent is asked for again when the page opens, before it shows the question.
            Some(PageChange::ConsentGiven) => {
                if let Some(opened_at_ms) = self.opened_at_ms {
                    self.away.cover(opened_at_ms, at_ms);
                }
            }
            Some(PageChange::Slept { slept_ms }) => {
                let from_ms = at_ms.saturating_sub(slept_ms).max(self.started_at_ms);
                self.away.add(from_ms, at_ms);
            }
            Some(PageChange::Paused) => self.paused.open(at_ms),
            Some(PageChange::Resumed) => self.paused.close(at_ms),
            None => {}
        }
        self.last_ms = self.last_ms.max(at_ms);
    }

    /// Notes a sign of life, and an activity if the participant did something then.
    /// An activity before the last one is a late report and adds nothing.
    pub fn on_task_event(&mut self, at_ms: u64, activity_at_ms: Option<u64>) {
        if self.ended_at_ms.is_some() {
            return;
        }
        if let Some(activity_at_ms) = activity_at_ms {
            self.active.activity(activity_at_ms);
        }
        self.last_ms = self.last_ms.max(at_ms);
    }

    /// Stops the clock.
    pub fn end(&mut self, at_ms: u64) {
        self.last_ms = self.last_ms.max(at_ms);
        self.ended_at_ms.get_or_insert(self.last_ms);
    }

    /// When the question started.
    #[must_use]
    pub fn started_at_ms(&self) -> u64 {
        self.started_at_ms
    }

    /// The end, or the last thing known if the question has not ended.
    #[must_use]
    pub fn until_ms(&self) -> u64 {
        self.ended_at_ms.unwrap_or(self.last_ms)
    }

    /// Active time up to a moment, in milliseconds.
    #[must_use]
    pub fn active_ms(&self, now_ms: u64) -> u64 {
        self.active.until(now_ms)
    }

    /// The rule that the active time is counted by.
    #[must_use]
    pub fn rule(&self) -> ActiveTimeRule {
        self.active.setting.rule
    }

    /// How long the participant was away in a stretch of time: page hidden, closed or asleep, or
    /// the consent form in the question's place.
    #[must_use]
    pub fn away_ms(&self, from_ms: u64, to_ms: u64) -> u64 {
        self.away.within(from_ms, to_ms)
    }

    /// How long the session was paused in a stretch of time.
    #[must_use]
    pub fn paused_ms(&self, from_ms: u64, to_ms: u64) -> u64 {
        self.paused.within(from_ms, to_ms)
    }

    /// How much of a stretch of time the participant was neither away nor paused.
    #[must_use]
    pub fn present_ms(&self, from_ms: u64, to_ms: u64) -> u64 {
        let paused = self.paused.clipped(from_ms, to_ms);
        let only_paused_ms: u64 = paused
            .map(|(start, end)| end - start - self.away.within(start, end))
            .sum();
        to_ms.saturating_sub(from_ms) - self.away_ms(from_ms, to_ms) - only_paused_ms
    }

    /// How often the page was opened anew during the question.
    #[must_use]
    pub fn reloads(&self) -> u64 {
        self.reloads
    }
}

/// Milliseconds as seconds.
#[must_use]
pub fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

#[cfg(test)]
mod tests;
