//! The event log: the only truth about a session.
//!
//! Each author of a session (the participant's page, the server, the
//! experimenter) writes a log of [`Envelope`]s numbered from 0 without a gap, all
//! on one clock. Logs of every past [`EVENT_FORMAT`] stay readable: [`v1`] turns
//! older records into today's when they are read, and samples of each format are
//! kept in `domain/tests/logs/`.

use crate::clock::PageChange;
use crate::common::sizes::Sizes;
use crate::model::evidence::Contradiction;
use crate::movement::decode_times::DecodeTimes;
use crate::movement::gesture::{Gesture, TextWriting};
use crate::questionnaire::Answers;
use crate::session::device::DeviceReport;
use crate::session::ended::Ended;
use crate::task::{OfTask, TaskEvent, Verdict};

pub use crate::common::identifiers::{QuestionRef, SessionId};
pub use envelope::{Author, Envelope, merged};
pub use page_info::{Consented, MAX_PAGE_TEXT, MAX_SIGNATURE, PageInfo};

mod envelope;
mod page_info;
mod texts;
mod v1;

/// Format version written into every envelope today.
pub const EVENT_FORMAT: u16 = 2;

/// Most events of a participant's page in one session. Ten snapshots a second are logged while a
/// dial moves: this is nearly seven hours of nothing else.
pub const MAX_EVENTS: u64 = 250_000;

/// Most bytes of one session's logs, as JSON: [`MAX_EVENTS`] snapshots of a model with a few dials.
pub const MAX_LOG_BYTES: u64 = 100 * 1024 * 1024;

/// Most events of one session that are taken within a minute. A page that was without a network for
/// an hour of steady moving has 36,000 to hand in.
pub const MAX_EVENTS_PER_MINUTE: u64 = 60_000;

/// Longest name that a record takes over from elsewhere, such as a version, in characters.
pub const MAX_NAME: usize = 200;

/// Longest name of a mark, in characters.
pub const MAX_MARK: usize = 40;

/// Longest name of somebody who signs in, in characters.
pub const MAX_ACCOUNT_NAME: usize = 100;

crate::json::tagged! {
    "kind";
    /// Everything that can happen in a session. What happens in a question belongs to
    /// its task.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Event {
        /// A page showing this session was opened: at the start and after every reload.
        PageOpened {
            /// What the browser says of itself.
            page: PageInfo,
        },
        /// The page went into the background or was left.
        PageHidden,
        /// The page came back to the foreground.
        PageShown,
        /// The page found that it had stood still although it was visible: the machine slept.
        PageSlept {
            /// For how long, up to this event.
            slept_ms: u64,
        },
        /// The experimenter's pause reached the page: the participant is not solving now.
        Paused,
        /// The end of the pause reached the page.
        Resumed,
        /// The browser noticed that the server is out of reach.
        ConnectionLost,
        /// The server is in reach again.
        ConnectionRestored,
        /// The participant agreed to take part; again, if the text has changed since.
        ConsentGiven(Consented),
        /// The participant did not agree; the session is over.
        ConsentDeclined,
        /// The participant stopped taking part, or, at the end, took back what they gave.
        Withdrew {
            /// Whether everything that they gave is to be erased. A server that gets this erases the
            /// session, this event included.
            #[serde(default)]
            erase: bool,
        },
        /// Instructions were read.
        InstructionsRead {
            /// 0-based index of the part.
            part: usize,
        },
        /// A tutorial was read to its end.
        TutorialFinished,
        /// The page found out whether the device fits. What does not fit ends the session.
        DeviceChecked {
            /// 0-based index of the part.
            part: usize,
            /// What it found.
            device: DeviceReport,
        },
        /// A break is over.
        BreakEnded {
            /// 0-based index of the part.
            part: usize,
        },
        /// The participant went past a stage's introduction.
        StageStarted {
            /// 0-based index of the stage.
            stage: usize,
        },
        /// A question came on screen with its controls live.
        QuestionStarted {
            /// Which one.
            #[serde(flatten)]
            at: QuestionRef,
        },
        /// The time of a stage was up, and the question on screen was cut off.
        TimeUp {
            /// 0-based index of the stage.
            stage: usize,
        },
        /// The experimenter ended the stage, and their wish reached the page: a question on screen that
        /// is not answered is cut off.
        StageEnded {
            /// 0-based index of the stage.
            stage: usize,
        },
        /// The participant said whether their voice may be recorded. The study goes on in either case.
        RecordingAnswered {
            /// Whether it may.
            agreed: bool,
        },
        /// Sound is recorded from this moment on: what is at the beginning of the file.
        RecordingStarted {
            /// Which recording of the session, from 0: each load of the page begins another one.
            recording: u32,
            /// The media type, such as `audio/webm;codecs=opus`.
            media_type: String,
        },
        /// A piece of a recording is complete, and kept by the browser until the server has it. Its sound
        /// goes on where the piece before ended.
        PieceRecorded {
            /// Which recording.
            recording: u32,
            /// Which piece of it, from 0.
            piece: u32,
            /// Number of bytes.
            bytes: u64,
            /// SHA-256 of the bytes in hex.
            sha256: String,
            /// When its sound ended, on the session's clock in milliseconds: a little before it was kept.
            ended_ms: u64,
        },
        /// A recording was ended: what was said is in its pieces. Missing where the page was closed or crashed.
        RecordingStopped {
            /// Which recording.
            recording: u32,
        },
        /// No sound can be recorded in this browser, or not any more.
        RecordingFailed {
            /// Why, in the browser's words, at most [`MAX_PAGE_TEXT`] characters.
            why: String,
        },
        /// The microphone has given no sound for a while, and the participant is told.
        MicrophoneSilent,
        /// It gives sound again.
        MicrophoneHeard,
        /// The button that has to be held while speaking was pressed.
        TalkStarted,
        /// It was let go: what follows is silence in the recording.
        TalkEnded,
        /// A pointer was on a control of a question from down to up.
        GestureMade(Gesture),
        /// A text field was left.
        TextWritten(TextWriting),
        /// A script in the page changed controls: the browser does not vouch for these events. Browser
        /// extensions do it, too.
        ScriptedInput {
            /// How many events, since the last time this was logged.
            events: u32,
        },
        /// The browser translated the page: the participant read other words than those of the study.
        /// Logged once for each load of the page.
        PageTranslated {
            /// The language that the translator says of the page, at most [`MAX_PAGE_TEXT`] characters;
            /// absent where it says none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            language: Option<String>,
        },
        /// How long pictures took to be decoded while a question was on screen, logged when it left it.
        DecodesTimed {
            /// The question.
            #[serde(flatten)]
            at: QuestionRef,
            /// The times.
            times: DecodeTimes,
        },
        /// How large a question's picture and sliders are on the participant's screen: logged soon after it
        /// came there, so that a question that is never left has them, too, and again whenever they have
        /// changed, as when a device was turned.
        QuestionSized {
            /// The question.
            #[serde(flatten)]
            at: QuestionRef,
            /// The sizes.
            sizes: Sizes,
        },
        /// The participant went on from a stage whose time was up, or that the experimenter ended.
        StageLeft {
            /// 0-based index of the stage.
            stage: usize,
        },
        /// A questionnaire was filled in.
        QuestionnaireAnswered {
            /// Its name in the study.
            questionnaire: String,
            /// One answer for each item that was shown, by its name; optional items may be missing.
            /// After going back they take the place of those given before.
            answers: Answers,
            /// Whether the page's time was over, and it was handed in as it was: items may be missing.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            time_over: bool,
        },
        /// The participant went back to an earlier questionnaire, to change answers.
        WentBack {
            /// 0-based index of the part that they went to.
            part: usize,
        },
        /// The participant asked for more time on the page on screen: its time begins anew.
        MoreTimeTaken {
            /// 0-based index of the part.
            part: usize,
        },
        /// The server told the page which of the answers handed in last are wrong. It does so
        /// only once it holds them.
        CheckReceived {
            /// 0-based index of the part.
            part: usize,
            /// Names of the items, in the order of the page.
            wrong: Vec<String>,
        },
        /// The server's own record of a check it gave out.
        CheckGiven {
            /// 0-based index of the part.
            part: usize,
            /// Number of the attempt, from 1.
            attempt: u32,
            /// Names of the items that are wrong, in the order of the page.
            wrong: Vec<String>,
        },
        /// The server told the page whether an answer was right. It does so only once
        /// it holds the answer.
        VerdictReceived {
            /// The question.
            #[serde(flatten)]
            at: QuestionRef,
            /// What it said.
            verdict: Verdict,
        },
        /// The server's own record of a verdict it gave out.
        VerdictGiven {
            /// The question.
            #[serde(flatten)]
            at: QuestionRef,
            /// What it said.
            verdict: Verdict,
        },
        /// The server had lost the session, as after a backup was put back, and made it again as it
        /// had been drawn; its page hands in its log anew.
        Restored,
        /// The server decoded again what the page had reported, or a sample of it; see
        /// [`crate::verify`].
        Verified {
            /// The version of Redial that did.
            redial: String,
            /// Number of latent vectors that were decoded.
            decoded: u64,
            /// Number of contradictions.
            contradictions: u64,
            /// The first of them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            first: Option<Contradiction>,
        },
        /// The server told the page how the participant goes back to their platform.
        WayBackGiven {
            /// How the session ended, as the platform is told.
            ended: Ended,
            /// Name of the platform.
            platform: String,
            /// The platform's code for it, where it has one.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            code: Option<String>,
        },
        /// The researcher excluded the session by hand; see [`crate::study::inclusion`].
        Excluded {
            /// Why, at most [`MAX_NOTE`] characters.
            why: String,
        },
        /// The exclusion by hand was taken back: the study's rules alone count again.
        Readmitted {
            /// Why, at most [`MAX_NOTE`] characters.
            why: String,
        },
        /// The experimenter's note on the session.
        NoteWritten {
            /// The note, at most [`MAX_NOTE`] characters; empty for a mark alone.
            text: String,
            /// What the moment was marked as, at most [`MAX_MARK`] characters; absent for a note alone.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mark: Option<String>,
            /// The moment that it is about, on the session's clock in milliseconds, where the note was
            /// written later; never later than the event itself.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            about_ms: Option<u64>,
        },
        /// Who runs the session beside the participant, from now on.
        ExperimenterNamed {
            /// The name with which they sign in, at most [`MAX_ACCOUNT_NAME`] characters.
            name: String,
        },
        /// The experimenter asks the page to pause. It counts once the page has logged
        /// [`Paused`](Self::Paused).
        PauseAsked,
        /// The experimenter asks the page to go on.
        ResumeAsked,
        /// The experimenter asks the page to end a stage.
        StageEndAsked {
            /// 0-based index of the stage.
            stage: usize,
        },
    }
    else
    /// Something happened in the question on screen; the kind is the task's name.
    Task(TaskEvent)
}

impl<E: OfTask> From<E> for Event {
    fn from(event: E) -> Self {
        Self::Task(event.into())
    }
}

crate::json::named!(Event::variant:
    PageOpened, PageHidden, PageShown, PageSlept, Paused, Resumed, ConnectionLost,
    ConnectionRestored, ConsentGiven, ConsentDeclined, Withdrew, InstructionsRead, TutorialFinished,
    DeviceChecked, BreakEnded, StageStarted, QuestionStarted, TimeUp, StageEnded, StageLeft,
    GestureMade, TextWritten, ScriptedInput, PageTranslated, DecodesTimed, QuestionSized, RecordingAnswered,
    RecordingStarted, PieceRecorded, RecordingStopped, RecordingFailed, MicrophoneSilent,
    MicrophoneHeard, TalkStarted, TalkEnded, QuestionnaireAnswered, WentBack, MoreTimeTaken,
    CheckReceived, CheckGiven, VerdictReceived, VerdictGiven, Restored, Verified, WayBackGiven,
    Excluded, Readmitted, NoteWritten, ExperimenterNamed, PauseAsked, ResumeAsked, StageEndAsked, Task
);

impl Event {
    /// Whether the experimenter asks the participant's page for something.
    #[must_use]
    pub fn asks_the_page(&self) -> bool {
        matches!(
            self,
            Self::PauseAsked | Self::ResumeAsked | Self::StageEndAsked { .. }
        )
    }

    /// The event as a change for a question's clock, if it is one.
    #[must_use]
    pub fn page_change(&self) -> Option<PageChange> {
        Some(match self {
            Self::PageHidden => PageChange::Hidden,
            Self::PageShown => PageChange::Shown,
            Self::PageOpened { .. } => PageChange::Opened,
            Self::ConsentGiven(_) => PageChange::ConsentGiven,
            Self::PageSlept { slept_ms } => PageChange::Slept {
                slept_ms: *slept_ms,
            },
            Self::Paused => PageChange::Paused,
            Self::Resumed => PageChange::Resumed,
            _ => return None,
        })
    }

    /// The name in records; of what happens in a question, that of its task.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Task(event) => event.task().name(),
            _ => self.variant(),
        }
    }
}

impl From<TaskEvent> for Event {
    fn from(event: TaskEvent) -> Self {
        Self::Task(event)
    }
}
