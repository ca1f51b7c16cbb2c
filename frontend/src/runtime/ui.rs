//! What the app shows, as signals that runtime and views share.

use std::rc::Rc;

use api::StudyInfo;
use domain::event::QuestionRef;
use domain::metrics::QuestionRecord;
use leptos::prelude::{
    GetUntracked, LocalStorage, RwSignal, Set, SetValue, StoredValue, WithValue,
};

use super::decoders::Decoders;
use super::engine::Engine;
use super::host::Host;
use crate::view::{CodeState, SaveState};

/// The screen on display.
#[derive(Debug, Clone, PartialEq)]
pub enum Screen {
    /// Nothing is known yet.
    Opening,
    /// It goes no further; why.
    Problem(String),
    /// The list of studies.
    Home(Vec<StudyInfo>),
    /// A study's first page.
    Study(StudyInfo),
    /// The participant did not agree.
    Declined,
    /// The session is live in another tab.
    OtherTab,
    /// A model is needed that is not there yet.
    Loading {
        /// Its name.
        model: String,
    },
    /// The tutorial.
    Tutorial,
    /// Before a stage.
    StageIntro {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// A question.
    Question(QuestionRef),
    /// A questionnaire.
    Questionnaire {
        /// The stage it follows; absent at the end.
        stage: Option<usize>,
        /// 0-based index among those.
        index: usize,
    },
    /// The end.
    Complete,
}

/// The app's signals. One for the whole life of the page, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct Ui {
    /// The screen.
    pub screen: RwSignal<Screen>,
    /// Title of the study; empty where there is none.
    pub title: RwSignal<String>,
    /// How safe the participant's work is; absent outside a session.
    pub save: RwSignal<Option<SaveState>>,
    /// The completion code.
    pub code: RwSignal<CodeState>,
    /// Records for the last screen.
    pub records: RwSignal<Vec<QuestionRecord>>,
    /// Whether a session is being started.
    pub starting: RwSignal<bool>,
    /// Why the first page or the opening of the app goes no further for now.
    pub error: RwSignal<Option<String>>,
    host: StoredValue<Option<Rc<Host>>, LocalStorage>,
    decoders: StoredValue<Rc<Decoders>, LocalStorage>,
}

impl Ui {
    /// The signals of an app that is just opening.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            screen: RwSignal::new(Screen::Opening),
            title: RwSignal::new(String::new()),
            save: RwSignal::new(None),
            code: RwSignal::new(CodeState::Waiting),
            records: RwSignal::new(Vec::new()),
            starting: RwSignal::new(false),
            error: RwSignal::new(None),
            host: StoredValue::new_local(None),
            decoders: StoredValue::new_local(Decoders::new(engine)),
        }
    }

    /// The page's models.
    #[must_use]
    pub fn decoders(&self) -> Rc<Decoders> {
        self.decoders.with_value(Rc::clone)
    }

    /// Shows a screen, unless it is on display already.
    pub fn show(&self, screen: Screen) {
        if self.screen.get_untracked() != screen {
            self.screen.set(screen);
        }
    }

    /// The session under way, if there is one.
    #[must_use]
    pub fn host(&self) -> Option<Rc<Host>> {
        self.host.with_value(Clone::clone)
    }

    /// Makes a session, or none, the one under way.
    pub fn set_host(&self, host: Option<Rc<Host>>) {
        if host.is_none() {
            self.save.set(None);
        }
        self.host.set_value(host);
    }
}
