//! Happenings of a session, as the experimenter reads them.

use domain::session::event::{Envelope, Event, QuestionRef};
use domain::session::{Phase, Session};

/// The kind of an entry: notes stand out, and what is wrong as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimelineKind {
    /// Where the participant is.
    Place,
    /// How a question ended.
    Outcome,
    /// The experimenter's note or mark.
    Note,
    /// Whether an answer was right.
    Verdict,
    /// Something that the experimenter asked for, or a researcher decided.
    Asked,
    /// The page was left, or the network.
    Absence,
    /// A report of a page does not agree with what is decoded again.
    Finding,
}

domain::json::named!(TimelineKind: Place, Outcome, Note, Verdict, Asked, Absence, Finding);

/// One thing that has happened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TimelineEntry {
    /// When, on the session's clock in milliseconds.
    pub at_ms: u64,
    /// Its kind.
    pub kind: TimelineKind,
    /// The mark that was given to the moment.
    pub mark: Option<String>,
    /// In words.
    pub text: String,
}

/// Finds in a log what is worth reading.
#[derive(Debug, Default)]
pub struct Watcher {
    away: bool,
    /// The question whose outcome has been told.
    told: Option<QuestionRef>,
}

impl Watcher {
    /// Whether the participant's page is in the background, or closed.
    #[must_use]
    pub fn is_away(&self) -> bool {
        self.away
    }

    /// The entries that an event adds. The session has taken it in.
    pub fn entries(&mut self, logged: &Envelope, session: &Session) -> Vec<TimelineEntry> {
        let at_ms = logged.at_ms;
        let mut found = Vec::new();
        if let Some((kind, text)) = self.described(&logged.event, session) {
            found.push(TimelineEntry {
                at_ms,
                kind,
                mark: None,
                text,
            });
        }
        if let Event::NoteWritten {
            text,
            mark,
            about_ms,
        } = &logged.event
        {
            found.push(TimelineEntry {
                at_ms: about_ms.unwrap_or(at_ms),
                kind: TimelineKind::Note,
                mark: mark.clone(),
                text: text.clone(),
            });
        }
        let last = session.questions().last();
        if let Some((at, outcome)) = last.and_then(|it| Some((it.at, it.outcome?)))
            && self.told != Some(at)
        {
            self.told = Some(at);
            found.push(TimelineEntry {
                at_ms,
                kind: TimelineKind::Outcome,
                mark: None,
                text: format!("Question {}: {}", session.number_of(at), outcome.name()),
            });
        }
        found
    }

    fn described(&mut self, event: &Event, session: &Session) -> Option<(TimelineKind, String)> {
        let place = |text: String| Some((TimelineKind::Place, text));
        let words = |kind, text: &str| Some((kind, text.to_owned()));
        match event {
            Event::PageOpened { .. } => {
                let back = std::mem::take(&mut self.away);
                words(
                    TimelineKind::Absence,
                    if back {
                        "Opened the page again"
                    } else {
                        "Opened the page"
                    },
                )
            }
            Event::PageHidden => {
                self.away = true;
                words(TimelineKind::Absence, "Left the page")
            }
            Event::PageShown => {
                self.away = false;
                words(TimelineKind::Absence, "Came back to the page")
            }
            Event::PageSlept { slept_ms } => Some((
                TimelineKind::Absence,
                format!("The device slept for {} s", slept_ms / 1_000),
            )),
            Event::ConnectionLost => words(TimelineKind::Absence, "Lost the network"),
            Event::ConnectionRestored => words(TimelineKind::Absence, "Has the network again"),
            Event::Paused => words(TimelineKind::Asked, "Paused"),
            Event::Resumed => words(TimelineKind::Asked, "Went on"),
            Event::ExperimenterNamed { name } => {
                Some((TimelineKind::Asked, format!("{name} runs the session")))
            }
            Event::PauseAsked => words(TimelineKind::Asked, "A pause was asked for"),
            Event::ResumeAsked => words(TimelineKind::Asked, "It was asked to go on"),
            Event::StageEndAsked { stage } => Some((
                TimelineKind::Asked,
                format!("The end of stage {} was asked for", stage + 1),
            )),
            Event::StageEnded { stage } => {
                Some((TimelineKind::Asked, format!("Stage {} ended", stage + 1)))
            }
            Event::TimeUp { stage } => place(format!("The time of stage {} was up", stage + 1)),
            Event::RecordingAnswered { agreed: true } => {
                words(TimelineKind::Place, "Agreed to be recorded")
            }
            Event::RecordingAnswered { agreed: false } => {
                words(TimelineKind::Place, "Did not agree to be recorded")
            }
            Event::RecordingStarted { .. } => words(TimelineKind::Place, "Sound is recorded"),
            Event::RecordingStopped { .. } => words(TimelineKind::Place, "The recording ended"),
            Event::RecordingFailed { why } => Some((
                TimelineKind::Absence,
                format!("Nothing can be recorded: {why}"),
            )),
            Event::MicrophoneSilent => words(TimelineKind::Absence, "The microphone is silent"),
            Event::MicrophoneHeard => words(TimelineKind::Absence, "The microphone is heard again"),
            Event::ConsentGiven(_) => words(TimelineKind::Place, "Agreed to take part"),
            Event::ConsentDeclined => words(TimelineKind::Place, "Did not agree"),
            Event::Withdrew { .. } => words(TimelineKind::Place, "Stopped taking part"),
            Event::TutorialFinished => words(TimelineKind::Place, "Finished the tutorial"),
            Event::StageStarted { stage } => {
                let is_practice = session
                    .plan()
                    .stages
                    .get(*stage)
                    .is_some_and(|it| it.practice);
                match session.place_of(*stage).filter(|_| !is_practice) {
                    Some(at) => place(format!("Stage {} of {}", at.number, at.count)),
                    None => place("Practice".to_owned()),
                }
            }
            Event::QuestionStarted { at } => {
                place(format!("Question {} began", session.number_of(*at)))
            }
            Event::VerdictReceived { at, verdict } => Some((
                TimelineKind::Verdict,
                format!(
                    "Question {}: {}",
                    session.number_of(*at),
                    if verdict.right { "right" } else { "wrong" }
                ),
            )),
            Event::Verified {
                contradictions,
                first: Some(first),
                ..
            } => Some((
                TimelineKind::Finding,
                format!("Decoded again: {contradictions} contradictions. The first: {first}"),
            )),
            Event::Excluded { why } => {
                Some((TimelineKind::Asked, format!("Excluded by hand: {why}")))
            }
            Event::Readmitted { why } => {
                Some((TimelineKind::Asked, format!("Counts again: {why}")))
            }
            Event::QuestionnaireAnswered { questionnaire, .. } => {
                place(format!("Filled in “{questionnaire}”"))
            }
            _ if session.phase() == Phase::Complete && !event_is_by_others(event) => {
                words(TimelineKind::Place, "Finished")
            }
            _ => None,
        }
    }
}

/// Whether an event can come after the end.
fn event_is_by_others(event: &Event) -> bool {
    matches!(
        event,
        Event::NoteWritten { .. }
            | Event::ExperimenterNamed { .. }
            | Event::Verified { .. }
            | Event::WayBackGiven { .. }
            | Event::Excluded { .. }
            | Event::Readmitted { .. }
            | Event::CheckGiven { .. }
            | Event::VerdictGiven { .. }
    )
}
