//! A session along its time: its questions, and when its participant was away.

use domain::session::Session;
use domain::session::event::{Envelope, Event};

/// A stretch of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// What it is.
    pub kind: StretchKind,
    /// Its beginning, in milliseconds since the session's start.
    pub from_ms: u64,
    /// Its end.
    pub to_ms: u64,
    /// In words.
    pub words: String,
}

/// What a stretch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StretchKind {
    /// A question that was solved, answered or finished.
    Reached,
    /// A question that was given up, declared before it was solved, or cut off.
    Missed,
    /// A question that is under way.
    Open,
    /// The page was in the background, or closed.
    Away,
    /// A note or mark; it has no length.
    Note,
}

domain::json::named!(StretchKind: Reached, Missed, Open, Away, Note);

/// The stretches of a log and the state that it leads to, by their beginning.
#[must_use]
pub fn stretches(events: &[Envelope], session: &Session) -> Vec<Stretch> {
    use domain::task::Outcome;
    let question = |it: &domain::session::BegunQuestion| Stretch {
        kind: match it.outcome {
            None => StretchKind::Open,
            Some(Outcome::Solved | Outcome::Answered | Outcome::Finished) => StretchKind::Reached,
            Some(Outcome::Skipped | Outcome::Missed | Outcome::Cut) => StretchKind::Missed,
        },
        from_ms: it.clock.started_at_ms(),
        to_ms: it.clock.until_ms(),
        words: format!(
            "Question {}: {}",
            session.number_of(it.at),
            it.outcome.map_or("under way", Outcome::name)
        ),
    };
    let mut found: Vec<Stretch> = session.questions().map(question).collect();
    let mut hidden = None;
    for event in events {
        match &event.event {
            Event::PageHidden => hidden = Some(event.at_ms),
            Event::PageShown | Event::PageOpened { .. } => {
                if let Some(from_ms) = hidden.take() {
                    found.push(Stretch {
                        kind: StretchKind::Away,
                        from_ms,
                        to_ms: event.at_ms,
                        words: format!("Away for {} s", (event.at_ms - from_ms) / 1_000),
                    });
                }
            }
            Event::NoteWritten {
                text,
                mark,
                about_ms,
            } => {
                let at_ms = about_ms.unwrap_or(event.at_ms);
                let words = [mark.as_deref(), Some(text.as_str())];
                let words: Vec<&str> = words.into_iter().flatten().collect();
                found.push(Stretch {
                    kind: StretchKind::Note,
                    from_ms: at_ms,
                    to_ms: at_ms,
                    words: words.join(" "),
                });
            }
            _ => {}
        }
    }
    found.sort_by_key(|it| (it.from_ms, it.to_ms));
    found
}
