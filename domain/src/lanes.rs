//! A session along its time, for a timeline: its questions with alignment and dials, times away, pauses, and long
//! stretches in which nothing was logged. A fold over its log, made further with each event.

use crate::session::event::{Author, Envelope, Event, QuestionRef};
use crate::session::{SeekableLog, Session};
use crate::verify::Contradiction;

mod overshoots;
mod question;

pub use overshoots::{PassedTarget, overshoots};
pub use question::{DialLane, ErrorLane, LaneQuestion, Point, Turn};

/// A stretch without an event of the participant's page that is longer than this is a long rest, in milliseconds.
pub const LONG_REST_MS: u64 = 10_000;

/// A stretch of time, in milliseconds since the session's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its beginning.
    pub from_ms: u64,
    /// Its end, not before its beginning.
    pub to_ms: u64,
}

impl Span {
    /// How long it is.
    #[must_use]
    pub fn length_ms(&self) -> u64 {
        self.to_ms.saturating_sub(self.from_ms)
    }
}

/// Why nobody worked on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbsenceKind {
    /// The page was in the background, closed or asleep.
    Away,
    /// The experimenter had paused the session.
    Paused,
    /// The server was out of the page's reach: the participant may have worked on.
    Offline,
}

crate::json::named!(AbsenceKind: Away, Paused, Offline);

/// A time in which nobody worked on the page, or the server was out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// Why.
    pub kind: AbsenceKind,
    /// When.
    pub span: Span,
}

/// A finding of the server when it decoded the session again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The time of the event that does not agree; that of the finding where it is no event's fault.
    pub at_ms: u64,
    /// The first contradiction.
    pub first: Contradiction,
    /// How many there are.
    pub count: u64,
}

/// A session along its time. All times are in milliseconds since its start.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    questions: Vec<LaneQuestion>,
    absences: Vec<Absence>,
    rests: Vec<Span>,
    reloads: Vec<u64>,
    findings: Vec<Finding>,
    /// Since when there is an absence of each kind, if there is.
    open: [Option<u64>; 3],
    opened: bool,
    /// The participant's last event.
    end_ms: u64,
    /// Anybody's last event.
    latest_ms: u64,
}

impl Lanes {
    /// Takes in the newest event of a log, once the log has.
    pub fn take_newest(&mut self, log: &SeekableLog) {
        let Some(logged) = log.events().last() else {
            return;
        };
        self.latest_ms = self.latest_ms.max(logged.at_ms);
        match logged.author {
            Author::Participant => self.take(logged, log.latest()),
            Author::Server => self.find(logged, log.events()),
            Author::Experimenter => {}
        }
    }

    fn take(&mut self, logged: &Envelope, session: &Session) {
        let at_ms = logged.at_ms;
        if at_ms.saturating_sub(self.end_ms) > LONG_REST_MS {
            self.rests.push(Span {
                from_ms: self.end_ms,
                to_ms: at_ms,
            });
        }
        match &logged.event {
            Event::PageOpened { .. } => {
                if std::mem::replace(&mut self.opened, true) {
                    self.reloads.push(at_ms);
                    // Nobody saw the page from its last sign of life until now.
                    self.begin(AbsenceKind::Away, self.end_ms);
                }
                self.end(AbsenceKind::Away, at_ms);
                self.end(AbsenceKind::Offline, at_ms);
            }
            Event::PageHidden => self.begin(AbsenceKind::Away, at_ms),
            Event::PageShown => self.end(AbsenceKind::Away, at_ms),
            Event::PageSlept { slept_ms } => {
                self.begin(AbsenceKind::Away, at_ms.saturating_sub(*slept_ms));
                self.end(AbsenceKind::Away, at_ms);
            }
            Event::Paused => self.begin(AbsenceKind::Paused, at_ms),
            Event::Resumed => self.end(AbsenceKind::Paused, at_ms),
            Event::ConnectionLost => self.begin(AbsenceKind::Offline, at_ms),
            Event::ConnectionRestored => self.end(AbsenceKind::Offline, at_ms),
            Event::QuestionStarted { at } => {
                self.questions.extend(LaneQuestion::begun(*at, session));
            }
            Event::VerdictReceived { at, verdict } => {
                if let Some(question) = self.question_mut(*at) {
                    question.verdict = Some((at_ms, verdict.right));
                }
            }
            _ => {}
        }
        if let Some(question) = self.questions.last_mut().filter(|it| it.left_ms.is_none()) {
            question.take(logged, session);
        }
        self.end_ms = self.end_ms.max(at_ms);
    }

    fn begin(&mut self, kind: AbsenceKind, at_ms: u64) {
        self.open[kind as usize].get_or_insert(at_ms);
    }

    fn end(&mut self, kind: AbsenceKind, at_ms: u64) {
        if let Some(from_ms) = self.open[kind as usize].take() {
            let to_ms = at_ms.max(from_ms);
            let span = Span { from_ms, to_ms };
            self.absences.push(Absence { kind, span });
        }
    }

    fn find(&mut self, logged: &Envelope, log: &[Envelope]) {
        if let Event::Verified {
            contradictions,
            first: Some(first),
            ..
        } = &logged.event
        {
            let event = first.seq.and_then(|seq| {
                log.iter()
                    .find(|it| it.author == Author::Participant && it.seq == seq)
            });
            self.findings.push(Finding {
                at_ms: event.map_or(logged.at_ms, |event| event.at_ms),
                first: first.clone(),
                count: *contradictions,
            });
        }
    }

    fn question_mut(&mut self, at: QuestionRef) -> Option<&mut LaneQuestion> {
        self.questions.iter_mut().rev().find(|it| it.at == at)
    }

    /// Where the session's clock ends: the time of the participant's last event; 0 before the first. Later events of
    /// others, decisions or notes, are no part of the session ([`Lanes::afterwards`]).
    #[must_use]
    pub fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// The time from the end of the clock to the last event that somebody else wrote, if that came later.
    #[must_use]
    pub fn afterwards(&self) -> Option<Span> {
        (self.latest_ms > self.end_ms).then_some(Span {
            from_ms: self.end_ms,
            to_ms: self.latest_ms,
        })
    }

    /// The latest moment that can be shown: that of anybody's last event.
    #[must_use]
    pub fn latest_ms(&self) -> u64 {
        self.latest_ms
    }

    /// The questions that began, in order.
    #[must_use]
    pub fn questions(&self) -> &[LaneQuestion] {
        &self.questions
    }

    /// The question that was on screen at a moment.
    #[must_use]
    pub fn question_at(&self, at_ms: u64) -> Option<&LaneQuestion> {
        let begun = self.questions.partition_point(|it| it.from_ms <= at_ms);
        let last = self.questions[..begun].last()?;
        last.left_ms
            .is_none_or(|left_ms| at_ms < left_ms)
            .then_some(last)
    }

    /// Times away, pauses and times without the server, those that go on included: these end with the clock.
    pub fn absences(&self) -> impl Iterator<Item = Absence> + '_ {
        let open = AbsenceKind::ALL.into_iter().filter_map(|kind| {
            let from_ms = self.open[kind as usize]?;
            let to_ms = self.end_ms.max(from_ms);
            let span = Span { from_ms, to_ms };
            Some(Absence { kind, span })
        });
        self.absences.iter().copied().chain(open)
    }

    /// Long stretches without an event of the participant's page, in order, each apart from the next.
    #[must_use]
    pub fn rests(&self) -> &[Span] {
        &self.rests
    }

    /// When the page was opened again.
    #[must_use]
    pub fn reloads(&self) -> &[u64] {
        &self.reloads
    }

    /// The findings of the server when it decoded the session again.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

#[cfg(test)]
mod tests;
