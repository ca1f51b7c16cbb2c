//! Events of format 1, when reconstruction was the only task.

use std::collections::BTreeMap;

use super::{PageInfo, QuestionRef};
use crate::model::Arrangement;
use crate::questionnaire::Answer;
use crate::task::reconstruction::{self, Snapshot};

crate::json::tagged! {
    "kind";
    /// Everything that format 1 could say.
    pub(super) enum Event {
        PageOpened {
            page: PageInfo,
        },
        PageHidden,
        PageShown,
        ConnectionLost,
        ConnectionRestored,
        ConsentGiven,
        ConsentDeclined,
        TutorialFinished,
        StageStarted {
            stage: usize,
        },
        QuestionStarted {
            #[serde(flatten)]
            at: QuestionRef,
        },
        Snapshot(Snapshot),
        Activity,
        DisplaySwitched {
            arrangement: Arrangement,
        },
        DialRenamed {
            dimension: usize,
            name: String,
        },
        QuestionSolved,
        QuestionSkipped,
        MovedOn,
        QuestionnaireAnswered {
            questionnaire: String,
            answers: BTreeMap<String, Answer>,
        },
    }
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        use reconstruction::Event as R;
        let in_question = |event: R| Self::Task(event.into());
        match event {
            Event::PageOpened { page } => Self::PageOpened { page },
            Event::PageHidden => Self::PageHidden,
            Event::PageShown => Self::PageShown,
            Event::ConnectionLost => Self::ConnectionLost,
            Event::ConnectionRestored => Self::ConnectionRestored,
            Event::ConsentGiven => Self::ConsentGiven(super::Consented::default()),
            Event::ConsentDeclined => Self::ConsentDeclined,
            Event::TutorialFinished => Self::TutorialFinished,
            Event::StageStarted { stage } => Self::StageStarted { stage },
            Event::QuestionStarted { at } => Self::QuestionStarted { at },
            Event::QuestionnaireAnswered {
                questionnaire,
                answers,
            } => Self::QuestionnaireAnswered {
                questionnaire,
                answers,
                time_over: false,
            },
            Event::Snapshot(snapshot) => in_question(R::Snapshot(snapshot)),
            Event::Activity => in_question(R::Activity),
            Event::DisplaySwitched { arrangement } => {
                in_question(R::DisplaySwitched { arrangement })
            }
            Event::DialRenamed { dimension, name } => {
                in_question(R::DialRenamed { dimension, name })
            }
            Event::QuestionSolved => in_question(R::Solved),
            Event::QuestionSkipped => in_question(R::Skipped),
            Event::MovedOn => in_question(R::MovedOn),
        }
    }
}
