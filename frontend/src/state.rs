//! What an app shows, as signals: the runtime sets them, screens read them.

use std::sync::Arc;

use api::StudyInfo;
use domain::event::QuestionRef;
use domain::task::reconstruction::play::{Decode, Undecodable};
use domain::task::{QuestionRecord, Verdict};
use leptos::prelude::{GetUntracked, LocalStorage, RwSignal, Set, StoredValue};

/// A decoder as components hold it: bound to its thread.
pub type LocalDecode = StoredValue<Decode, LocalStorage>;

/// Decoded examples of the single-dimension task: rows of a traversal, or one group an option.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Examples(pub Vec<Vec<Arc<Vec<f32>>>>);

impl Examples {
    /// Decodes groups of latent vectors.
    ///
    /// # Errors
    /// When one of them cannot be decoded.
    pub fn decode(groups: &[Vec<Vec<f64>>], decode: &Decode) -> Result<Self, Undecodable> {
        let picture = |z: &Vec<f64>| {
            let mut values = Vec::new();
            let decoded = decode(z, &mut values);
            decoded.then(|| Arc::new(values)).ok_or(Undecodable)
        };
        let group = |vectors: &Vec<Vec<f64>>| vectors.iter().map(picture).collect();
        groups.iter().map(group).collect::<Result<_, _>>().map(Self)
    }
}

/// The participant's answer, and what is known of the right one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Feedback {
    /// There is no answer yet.
    #[default]
    NotAnswered,
    /// The server is asked.
    Waiting {
        /// The option that was chosen, from 0.
        chosen: usize,
    },
    /// The server takes long; the participant can go on without.
    Late {
        /// The option that was chosen, from 0.
        chosen: usize,
    },
    /// The right answer.
    Given {
        /// The option that was chosen, from 0.
        chosen: usize,
        /// What the server said.
        verdict: Verdict,
    },
}

/// What a screen waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A model, by the hash of its bundle.
    Model(String),
    /// An instance.
    Instance,
}

/// Whether the server has what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveState {
    /// The server has everything.
    Saved,
    /// Some of it is on its way.
    Saving,
    /// The server has taken nothing for a while; the browser keeps it.
    Stalled,
    /// The server is out of reach; the browser keeps it.
    Offline,
}

/// What a browser keeps of a session, so that it can be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// All of it, whatever happens to page and network.
    Everything,
    /// The way back, as long as the tab is open; everything else is on the server.
    InTab,
    /// Nothing: the way back is in the page's address.
    InAddress,
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
    /// Something is needed that is not there yet.
    Loading(Missing),
    /// Something to read.
    Instructions {
        /// 0-based index of the part.
        part: usize,
    },
    /// A tutorial.
    Tutorial {
        /// 0-based index of the part.
        part: usize,
    },
    /// Before a stage.
    StageIntro {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// A question.
    Question(QuestionRef),
    /// A questionnaire.
    Questionnaire {
        /// 0-based index of the part.
        part: usize,
    },
    /// A rest.
    Break {
        /// 0-based index of the part.
        part: usize,
    },
    /// What comes next depends on right answers that the server has not told yet.
    AwaitingVerdicts,
    /// Wrong answers ended the session early.
    ScreenedOut,
    /// The end.
    Complete,
}

/// The app's signals. One for the whole life of the page, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct AppState {
    /// The screen.
    pub screen: RwSignal<Screen>,
    /// Title of the study; empty where there is none.
    pub title: RwSignal<String>,
    /// Where the participant can turn to; absent where nobody is named.
    pub contact: RwSignal<Option<String>>,
    /// Whether the participant's work is saved; absent outside a session.
    pub save: RwSignal<Option<SaveState>>,
    /// What this browser keeps.
    pub keeping: RwSignal<Keeping>,
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
            contact: RwSignal::new(None),
            save: RwSignal::new(None),
            keeping: RwSignal::new(Keeping::Everything),
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
