//! The host's part in the sound of a lab session.

use std::rc::Rc;

use domain::session::Session;
use domain::session::event::Event;
use leptos::prelude::Set;
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::clock;
use crate::runtime::sound_recorder::{RecorderEvent, SoundRecorder};
use crate::state::SoundState;

/// How long the end of a session waits for the last pieces, in milliseconds: nobody goes without
/// their code because of a recording.
const LAST_PIECES_MS: f64 = 10_000.0;

impl Host {
    /// Goes on recording after a reload, if the participant agreed before.
    pub(super) fn record_again(&self) {
        if !self.read(Session::may_record) {
            return;
        }
        let me = self.this.clone();
        spawn_local(async move {
            if let Some(host) = me.upgrade() {
                let opened = host.ask_for_microphone().await;
                if !host.read(|session| session.phase().is_end()) {
                    match opened {
                        Ok(()) => host.start_recording(),
                        Err(why) => host.cannot_record(why),
                    }
                }
            }
        });
    }

    /// Asks the browser for the microphone, so that the participant can try it.
    ///
    /// # Errors
    /// The browser's words, when it does not give it.
    pub(super) async fn ask_for_microphone(&self) -> Result<(), String> {
        if self.recorder.borrow().is_none() {
            let me = self.this.clone();
            let on_report = move |report| {
                if let Some(host) = me.upgrade() {
                    host.on_report(report);
                }
            };
            let opened = SoundRecorder::open(&self.id, &self.token, on_report).await;
            let opened = opened.ok_or_else(|| "the recorder cannot be loaded".to_owned())?;
            self.recorder.replace(Some(Rc::new(opened)));
        }
        let recorder = self.recorder.borrow().clone();
        match recorder {
            Some(recorder) if !self.read(|session| session.phase().is_end()) => {
                recorder.microphone().await
            }
            // Sound that earlier pages kept is handed in; nothing new is recorded.
            _ => Ok(()),
        }
    }

    pub(super) fn start_recording(&self) {
        let Some(recorder) = self.recorder.borrow().clone() else {
            return;
        };
        let press = self
            .read(Session::recording)
            .is_some_and(|it| it.press_to_talk);
        recorder.hear(!press && !self.read(Session::is_paused));
        let next = self.read(|session| session.recorded().len());
        match recorder.start(u32::try_from(next).unwrap_or(u32::MAX)) {
            Ok(()) => self.app.sound.set(if press {
                SoundState::Muted
            } else {
                SoundState::On
            }),
            Err(why) => self.cannot_record(why),
        }
    }

    fn cannot_record(&self, why: String) {
        self.app.sound.set(SoundState::Failed);
        self.log(Event::RecordingFailed { why });
    }

    /// The button that is held while speaking was pressed, or let go.
    pub fn talk(&self, on: bool) {
        let recorder = self.recorder.borrow().clone();
        if let Some(recorder) = recorder.filter(|_| !self.read(Session::is_paused)) {
            recorder.hear(on);
            self.app.sound.set(if on {
                SoundState::On
            } else {
                SoundState::Muted
            });
            self.log(if on {
                Event::TalkStarted
            } else {
                Event::TalkEnded
            });
        }
    }

    /// The page pauses, or goes on: meanwhile there is silence in the recording.
    pub(super) fn mute(&self, muted: bool) {
        let press = self
            .read(Session::recording)
            .is_some_and(|it| it.press_to_talk);
        if let Some(recorder) = &*self.recorder.borrow() {
            recorder.hear(!muted && !press);
        }
    }

    /// The page may be left.
    pub(super) fn flush_recording(&self) {
        if let Some(recorder) = &*self.recorder.borrow() {
            recorder.flush();
        }
    }

    /// Nothing more is recorded on this page. Pieces that are kept are still handed in.
    pub(super) fn let_go_of_microphone(&self) {
        if let Some(recorder) = &*self.recorder.borrow() {
            recorder.stop();
        }
        self.app.sound.set(SoundState::None);
    }

    fn on_report(&self, report: RecorderEvent) {
        let RecorderEvent { mut event, ago_ms } = report;
        if let Event::PieceRecorded { ended_ms, .. } = &mut event {
            let mut state = self.state.borrow_mut();
            let now_ms = state.clock.now_ms(clock::monotonic_ms());
            let last = state.session.recorded().last();
            let before_ms = last.map_or(0, |recorded| recorded.ended_at_ms);
            *ended_ms = now_ms.saturating_sub(ago_ms).max(before_ms);
        }
        match &event {
            Event::MicrophoneSilent => self.app.sound.set(SoundState::Silent),
            Event::MicrophoneHeard => self.app.sound.set(SoundState::On),
            Event::RecordingFailed { .. } => self.app.sound.set(SoundState::Failed),
            Event::RecordingStopped { .. } => self.app.sound.set(SoundState::None),
            _ => {}
        }
        self.log(event);
    }

    /// Whether the end of the session waits for sound: the recording is ended first, and its last
    /// pieces are handed in.
    pub(super) fn waits_for_sound(&self) -> bool {
        let recorder = self.recorder.borrow().clone();
        let Some(recorder) = recorder else {
            return false;
        };
        let now_ms = clock::monotonic_ms();
        let since_ms = match self.sound_ends_ms.get() {
            Some(since_ms) => since_ms,
            None => {
                self.sound_ends_ms.set(Some(now_ms));
                recorder.stop();
                now_ms
            }
        };
        let all_stopped = self.read(|session| session.recorded().iter().all(|it| it.stopped));
        let waits = recorder.waiting() > 0 || (!all_stopped && now_ms - since_ms < 1_000.0);
        waits && now_ms - since_ms < LAST_PIECES_MS
    }
}
