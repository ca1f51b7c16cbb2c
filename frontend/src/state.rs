//! The state that an app shows, as signals: the runtime sets them, screens read them.

use std::sync::Arc;

use api::StudyInfo;
use domain::movement::filmstrip::Strip;
use domain::movement::{Decode, Undecodable};
use domain::recruitment::platform::WayBack;
use domain::session::event::QuestionRef;
use domain::session::{Phase, Session};
use domain::task::Verdict;
use leptos::prelude::{ArcRwSignal, GetUntracked, LocalStorage, RwSignal, Set, StoredValue};

pub mod ending;

use self::ending::Ending;

/// A decoder as components hold it: bound to its thread.
pub type LocalDecode = StoredValue<Decode, LocalStorage>;

/// The previews along one dial, as they come.
#[derive(Clone)]
pub struct StripSignals {
    /// The pictures, from low to high; empty before they are decoded.
    pub strip: ArcRwSignal<Strip>,
    /// Whether they belong to where the other dials stand now.
    pub current: ArcRwSignal<bool>,
}

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
            let decoded = decode.at(z, &mut values);
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
        /// The server's verdict.
        verdict: Verdict,
    },
}

/// The model or instance that a screen waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A model, by the hash of its bundle.
    Model(String),
    /// An instance.
    Instance,
}

/// How far something is that is being fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FetchProgress {
    /// Share that is here, in [0, 1]; absent while that is unknown.
    pub share: Option<f64>,
    /// How long the rest takes at the rate so far, in seconds; absent while that is unknown.
    pub left_s: Option<f64>,
}

impl FetchProgress {
    /// The arrival of something of which `share` is here, `first` was here at the first look, and
    /// `elapsed_s` seconds have passed since. The first two seconds say little of the rate.
    #[must_use]
    pub fn estimated(first: f64, share: f64, elapsed_s: f64) -> Self {
        let arrived = share - first;
        let known = elapsed_s >= 2.0 && arrived > 0.0 && share < 1.0;
        Self {
            share: Some(share),
            left_s: known.then(|| elapsed_s * (1.0 - share) / arrived),
        }
    }
}

/// Whether the server has what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveState {
    /// The server has everything.
    Saved,
    /// Some of it is on its way, as it is at any time while somebody does something.
    Saving,
    /// Nothing of it has arrived for some seconds.
    Delayed,
    /// The server has taken nothing for a while; the browser keeps it.
    Stalled,
    /// The server is out of reach; the browser keeps it.
    Offline,
}

/// The part of a session that a browser keeps, so that it can be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    /// All of it, whatever happens to page and network.
    Everything,
    /// The way back, as long as the tab is open; everything else is on the server.
    InTab,
    /// Nothing: the way back is in the page's address.
    InAddress,
}

/// The sound of a lab session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SoundState {
    /// Nothing is recorded.
    #[default]
    None,
    /// It is recorded.
    On,
    /// It will be while the button is held.
    Muted,
    /// It is recorded, but the microphone gives no sound.
    Silent,
    /// It was to be recorded, and cannot be.
    Failed,
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
    /// The session was a trial, which has none.
    Trial,
    /// The server refused; why, in a sentence.
    Failed(String),
}

/// The screen on display.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // one at a time
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
    /// The participant may stop here, and says what becomes of what they gave.
    Withdraw,
    /// The participant has stopped.
    Withdrawn {
        /// Whether they wanted everything erased.
        erase: bool,
    },
    /// The server has lost the session and cannot make it again; this browser has what was answered.
    Lost {
        /// Name of the study.
        study: String,
        /// That, as a file for the researchers.
        file: String,
    },
    /// The session is open in another tab, or on another device.
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
    /// A stage is over: its time is up, or the experimenter ended it.
    TimeUp {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// Whether the participant's voice may be recorded, and whether the microphone hears them.
    Microphone,
    /// The experimenter has paused the session.
    Paused,
    /// A questionnaire.
    Questionnaire {
        /// 0-based index of the part.
        part: usize,
    },
    /// A look at whether the device fits.
    DeviceCheck {
        /// 0-based index of the part.
        part: usize,
    },
    /// A rest.
    Break {
        /// 0-based index of the part.
        part: usize,
    },
    /// The next screen depends on right answers that the server has not told yet.
    AwaitingVerdicts,
    /// The device does not fit.
    DeviceUnfit,
    /// Wrong answers ended the session early.
    ScreenedOut,
    /// The end.
    Complete,
}

impl Screen {
    /// The screen of where a session is, once everything is here that it needs; none before consent,
    /// when the study's first page is on display.
    #[must_use]
    pub fn of(session: &Session) -> Option<Self> {
        Some(match session.phase() {
            Phase::Consent => return None,
            _ if session.has_withdrawn() => Self::Withdrawn {
                erase: session.wants_erasure(),
            },
            Phase::Declined => Self::Declined,
            _ if session.recording_is_to_be_asked() => Self::Microphone,
            phase if !phase.is_end() && session.is_paused() => Self::Paused,
            Phase::Instructions { part } => Self::Instructions { part },
            Phase::Tutorial { part } => Self::Tutorial { part },
            Phase::StageIntro { stage } => Self::StageIntro { stage },
            Phase::Ready(at) | Phase::Question(at) => Self::Question(at),
            Phase::TimeUp { stage } => Self::TimeUp { stage },
            Phase::Questionnaire { part } => Self::Questionnaire { part },
            Phase::DeviceCheck { part } => Self::DeviceCheck { part },
            Phase::Break { part } => Self::Break { part },
            Phase::AwaitingVerdicts { .. } => Self::AwaitingVerdicts,
            Phase::Withdrawn => Self::Withdrawn { erase: false },
            Phase::DeviceUnfit => Self::DeviceUnfit,
            Phase::ScreenedOut => Self::ScreenedOut,
            Phase::Complete => Self::Complete,
        })
    }
}

/// Where a participant is in their session, as far as it is said on every screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The number of the question on screen from 1, and of how many; absent where there is but one.
    pub question: Option<(usize, usize)>,
    /// About how many minutes are left; absent where nobody was told how long the study takes.
    pub minutes_left: Option<usize>,
}

impl Whereabouts {
    /// Of a session as it stands.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let at = match session.phase() {
            Phase::Ready(at) | Phase::Question(at) => Some(at),
            _ => None,
        };
        let question = at.and_then(|at| {
            let count = session.place_of(at.stage)?.questions;
            (count > 1).then(|| (session.number_of(at), count))
        });
        Self {
            question,
            minutes_left: session.minutes_left(),
        }
    }
}

/// The app's signals. One for the whole life of the page, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct AppState {
    /// The screen.
    pub screen: RwSignal<Screen>,
    /// The language of the page (BCP 47).
    pub language: RwSignal<String>,
    /// Title of the study; empty where there is none.
    pub title: RwSignal<String>,
    /// Where the participant can turn to; absent where nobody is named.
    pub contact: RwSignal<Option<String>>,
    /// Whether the participant's work is saved; absent outside a session.
    pub save: RwSignal<Option<SaveState>>,
    /// The part of the session that this browser keeps.
    pub keeping: RwSignal<Persistence>,
    /// The sound of a lab session.
    pub sound: RwSignal<SoundState>,
    /// The completion code.
    pub code: RwSignal<CodeState>,
    /// The content of the last screen beside the code.
    pub ending: RwSignal<Ending>,
    /// How the participant goes back to their platform from here, if they can.
    pub way_back: RwSignal<Option<WayBack>>,
    /// Share of the session that is behind the participant, in [0, 1]; absent outside a session.
    pub progress: RwSignal<Option<f64>>,
    /// Which question is on screen, and how long the study still takes.
    pub whereabouts: RwSignal<Whereabouts>,
    /// Minutes that are left to the participant at their platform, rounded up; absent where nothing is
    /// said of it.
    pub time_left: RwSignal<Option<u64>>,
    /// Minutes that are left to the stage, rounded up; absent where no clock is shown.
    pub minutes_left: RwSignal<Option<u64>>,
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
            language: RwSignal::new(crate::text::text().language().to_owned()),
            title: RwSignal::new(String::new()),
            contact: RwSignal::new(None),
            save: RwSignal::new(None),
            keeping: RwSignal::new(Persistence::Everything),
            sound: RwSignal::new(SoundState::None),
            code: RwSignal::new(CodeState::Waiting),
            ending: RwSignal::new(Ending::default()),
            way_back: RwSignal::new(None),
            progress: RwSignal::new(None),
            whereabouts: RwSignal::default(),
            time_left: RwSignal::new(None),
            minutes_left: RwSignal::new(None),
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

#[cfg(test)]
mod tests {
    use super::FetchProgress;

    #[test]
    fn what_is_left_follows_from_the_rate_so_far() {
        let left =
            |first, share, elapsed_s| FetchProgress::estimated(first, share, elapsed_s).left_s;
        assert_eq!(left(0.0, 0.25, 10.0), Some(30.0));
        assert_eq!(left(0.5, 0.75, 10.0), Some(10.0));
        assert_eq!(left(0.0, 0.25, 1.0), None, "too early to say");
        assert_eq!(left(0.25, 0.25, 10.0), None, "nothing has come since");
        assert_eq!(left(0.0, 1.0, 10.0), None, "all is here");
    }
}
