//! What a participant sees: signals in, callbacks out. What is decided about a
//! session is decided in `domain`; here it is only shown.

mod alignment;
mod announce;
mod answers;
mod clipboard;
mod complete;
mod dial_keys;
mod dials;
mod hold;
mod home;
mod notice;
mod parts;
mod picture;
mod question;
mod questionnaire;
mod records;
mod shell;
mod stage_intro;
mod study;
mod tutorial;
mod tutorial_play;

use std::rc::Rc;
use std::sync::Arc;

use domain::event::QuestionRef;
use domain::model::Arrangement;
use domain::plan::StagePlan;
use leptos::prelude::*;

pub use complete::CompleteScreen;
pub use home::HomeScreen;
pub use notice::{DeclinedScreen, ErrorScreen, LoadingScreen, OtherTabScreen};
pub use parts::Anew;
pub use question::QuestionScreen;
pub use questionnaire::QuestionnaireScreen;
pub use shell::Shell;
pub use stage_intro::StageIntroScreen;
pub use study::StudyScreen;
pub use tutorial::TutorialScreen;

/// g: writes the instance of a latent vector over what the buffer holds; whether the vector
/// fits the model.
pub type Decode = Rc<dyn Fn(&[f64], &mut Vec<f32>) -> bool>;

/// A decoder as components hold it: bound to its thread.
pub type LocalDecode = StoredValue<Decode, LocalStorage>;

/// How far what was done is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveState {
    /// The server holds everything.
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
    /// Here it is.
    Ready(String),
    /// The server refused; why, in a sentence.
    Failed(String),
}

/// Where a question stands in its session. Numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footer {
    /// Number of the stage; practice is not counted.
    pub stage_number: usize,
    /// How many stages there are, practice not counted.
    pub stage_count: usize,
    /// Number of the question in its stage.
    pub question_number: usize,
    /// How many questions the stage has.
    pub question_count: usize,
    /// Whether the stage is practice.
    pub practice: bool,
    /// Share of the session's questions that have ended, in [0, 1].
    pub overall: f64,
}

/// Everything that a question's screen shows, and where it reports to.
#[derive(Clone)]
pub struct QuestionView {
    /// Which question it is.
    pub at: QuestionRef,
    /// The stage it belongs to.
    pub stage: Arc<StagePlan>,
    /// x′, the picture to match.
    pub target: Arc<Vec<f32>>,
    /// Where the dials stand.
    pub z: Signal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: Signal<Arc<Vec<f32>>>,
    /// 1 − d(x, x′).
    pub alignment: Signal<f64>,
    /// Whether the question is solved and its dials stand still.
    pub locked: Signal<bool>,
    /// Whether it may be skipped by now.
    pub can_skip: Signal<bool>,
    /// How picture and target are placed.
    pub arrangement: Signal<Arrangement>,
    /// Names given to the dials; an empty one stands for the usual name.
    pub dial_names: Signal<Vec<String>>,
    /// A dial was moved: which one, and its new value, already snapped.
    pub on_input: Callback<(usize, f64)>,
    /// Picture and target were placed anew.
    pub on_switch: Callback<Arrangement>,
    /// A dial was renamed.
    pub on_rename: Callback<(usize, String)>,
    /// Pointer or key did something, anything.
    pub on_activity: Callback<()>,
    /// The question was given up.
    pub on_skip: Callback<()>,
    /// The participant goes on from a solved question.
    pub on_move_on: Callback<()>,
    /// Where the question stands in its session.
    pub footer: Footer,
}
