//! What an app shows, as signals: the runtime sets them, screens read them.

use std::rc::Rc;
use std::sync::Arc;

use api::StudyInfo;
use domain::event::QuestionRef;
use domain::metrics::QuestionRecord;
use domain::model::Arrangement;
use leptos::prelude::{ArcRwSignal, GetUntracked, LocalStorage, RwSignal, Set, StoredValue};

/// g: writes the instance of a latent vector over what the buffer holds; whether the vector
/// fits the model.
pub type Decode = Rc<dyn Fn(&[f64], &mut Vec<f32>) -> bool>;

/// A decoder as components hold it: bound to its thread.
pub type LocalDecode = StoredValue<Decode, LocalStorage>;

/// Whether the server has what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveState {
    /// The server has everything.
    Saved,
    /// Some of it is on its way.
    Saving,
    /// The server is out of reach; the browser keeps it.
    Offline,
}

/// The completion code, as far as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeState {
    /// The last events are being saved.
    Waiting,
    /// The server is out of reach.
    Offline,
    /// The code.
    Ready(String),
    /// The server refused; why, in a sentence.
    Failed(String),
}

/// The screen on display.
#[derive(Debug, Clone, PartialEq)]
pub enum Screen {
    /// The app is opening; nothing is known yet.
    Opening,
    /// It goes no further; why.
    Problem(String),
    /// The list of studies.
    Home(Vec<StudyInfo>),
    /// A study's first page.
    Study(StudyInfo),
    /// The participant did not agree.
    Declined,
    /// The session is open in another tab.
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

/// What the screen of a question shows.
#[derive(Clone)]
pub struct QuestionSignals {
    /// Where the dials stand.
    pub z: ArcRwSignal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: ArcRwSignal<Arc<Vec<f32>>>,
    /// 1 − d(x, x′).
    pub alignment: ArcRwSignal<f64>,
    /// Whether the dials are locked.
    pub locked: ArcRwSignal<bool>,
    /// Whether the question can be skipped by now.
    pub can_skip: ArcRwSignal<bool>,
    /// How picture and target are placed.
    pub arrangement: ArcRwSignal<Arrangement>,
    /// Names the participant gave to the dials; empty where there is none.
    pub dial_names: ArcRwSignal<Vec<String>>,
}

/// The app's signals. One for the whole life of the page, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct AppState {
    /// The screen.
    pub screen: RwSignal<Screen>,
    /// Title of the study; empty where there is none.
    pub title: RwSignal<String>,
    /// Whether the participant's work is saved; absent outside a session.
    pub save: RwSignal<Option<SaveState>>,
    /// The completion code.
    pub code: RwSignal<CodeState>,
    /// Records for the last screen.
    pub records: RwSignal<Vec<QuestionRecord>>,
    /// Whether a session is being started.
    pub starting: RwSignal<bool>,
    /// Why the first page or the opening of the app goes no further for now.
    pub error: RwSignal<Option<String>>,
}

impl Default for AppState {
    /// The signals of an app that is just opening.
    fn default() -> Self {
        Self {
            screen: RwSignal::new(Screen::Opening),
            title: RwSignal::new(String::new()),
            save: RwSignal::new(None),
            code: RwSignal::new(CodeState::Waiting),
            records: RwSignal::new(Vec::new()),
            starting: RwSignal::new(false),
            error: RwSignal::new(None),
        }
    }
}

impl AppState {
    /// Shows a screen, unless it is on display already.
    pub fn show(&self, screen: Screen) {
        if self.screen.get_untracked() != screen {
            self.screen.set(screen);
        }
    }
}
