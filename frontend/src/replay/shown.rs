//! The signals of a page that replays a session.

use std::borrow::Cow;

use domain::verify::FoundAt;
use leptos::prelude::{GetUntracked, RwSignal};

use super::timeline::TimelineEntry;
use crate::runtime::clock::monotonic_ms;
use crate::state::Screen;

/// The content of the participant's screen.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // one at a time
pub enum OnScreen {
    /// Something that is not shown here; what, in words.
    Words(Cow<'static, str>),
    /// The same screen as there.
    Screen(Screen),
}

/// The session as the page shows it, as signals: of the moment that is shown, unless they are said
/// to be of now.
#[derive(Clone, Copy)]
pub struct ReplaySignals {
    /// The participant's screen.
    pub screen: RwSignal<OnScreen>,
    /// The moment that is shown, in milliseconds since the session's start; absent: now.
    pub moment_ms: RwSignal<Option<u64>>,
    /// How many events had happened by then.
    pub count: RwSignal<usize>,
    /// How many events there are now.
    pub taken: RwSignal<usize>,
    /// The timeline's entries of what has happened until now, oldest first.
    pub timeline: RwSignal<Vec<TimelineEntry>>,
    /// Whether the page has paused now.
    pub paused: RwSignal<bool>,
    /// Whether it is asked to now.
    pub pause_asked: RwSignal<bool>,
    /// The stage that can be ended now.
    pub stage: RwSignal<Option<usize>>,
    /// Whether the participant's page is in the background, or closed, now.
    pub away: RwSignal<bool>,
    /// Whether nothing more will happen after now.
    pub ended: RwSignal<bool>,
    /// Share of the session that is done, in [0, 1].
    pub progress: RwSignal<f64>,
    /// Minutes that are left to the stage, rounded up, where it has a limit.
    pub stage_left: RwSignal<Option<u64>>,
    /// About how many minutes the study still takes, as the participant reads it.
    pub study_left: RwSignal<Option<usize>>,
    /// The session's time at the server, and when it was that here, both in milliseconds.
    pub(super) time: RwSignal<(u64, f64)>,
    /// The session's time now, in whole seconds; it stands still once the session has ended.
    pub seconds: RwSignal<u64>,
    /// Where the log is damaged and why, in sentences: it cannot be followed any further.
    pub broken: RwSignal<Option<String>>,
    /// Number of pictures that were decoded again and compared with what was recorded of them.
    pub compared: RwSignal<u64>,
    /// The disagreements, in the order in which they were found.
    pub disagreements: RwSignal<Vec<FoundAt>>,
}

impl ReplaySignals {
    pub(super) fn new() -> Self {
        Self {
            screen: RwSignal::new(OnScreen::Words("".into())),
            moment_ms: RwSignal::new(None),
            count: RwSignal::new(0),
            taken: RwSignal::new(0),
            timeline: RwSignal::new(Vec::new()),
            paused: RwSignal::new(false),
            pause_asked: RwSignal::new(false),
            stage: RwSignal::new(None),
            away: RwSignal::new(false),
            ended: RwSignal::new(false),
            progress: RwSignal::new(0.0),
            stage_left: RwSignal::new(None),
            study_left: RwSignal::new(None),
            time: RwSignal::new((0, monotonic_ms())),
            seconds: RwSignal::new(0),
            broken: RwSignal::new(None),
            compared: RwSignal::new(0),
            disagreements: RwSignal::new(Vec::new()),
        }
    }

    /// The session's time now, in milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        let (at_ms, here_ms) = self.time.get_untracked();
        at_ms + (monotonic_ms() - here_ms).max(0.0) as u64
    }
}
