//! The events of each question in a log.

use super::event::{Author, Envelope, Event, QuestionRef};
use crate::task::TaskEvent;

/// The events of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionLog<'a> {
    /// Which question.
    pub at: QuestionRef,
    /// When it came on screen, in milliseconds since the session's start.
    pub from_ms: u64,
    /// The events of its task in order, each with its number in the participant's log.
    pub events: Vec<(u64, &'a TaskEvent)>,
}

/// The questions that began, in order. `events` are those of the participant's log in order; others are passed over.
#[must_use]
pub fn question_logs<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Vec<QuestionLog<'a>> {
    let mut questions: Vec<QuestionLog<'a>> = Vec::new();
    for envelope in events {
        if envelope.author != Author::Participant {
            continue;
        }
        match &envelope.event {
            Event::QuestionStarted { at } => questions.push(QuestionLog {
                at: *at,
                from_ms: envelope.at_ms,
                events: Vec::new(),
            }),
            Event::Task(event) => {
                if let Some(question) = questions.last_mut() {
                    question.events.push((envelope.seq, event));
                }
            }
            _ => {}
        }
    }
    questions
}
