//! The sound of a lab session: `static/recorder.js` records, keeps and hands in; what it reports goes
//! into the log.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use std::cell::RefCell;

use domain::session::event::{Event, MAX_PAGE_TEXT, SessionId};
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::clock::monotonic_ms;

#[wasm_bindgen]
extern "C" {
    /// The module `static/recorder.js`.
    type Module;
    #[wasm_bindgen(method, catch)]
    async fn open(
        this: &Module,
        session: &str,
        token: &str,
        report: &Function,
    ) -> Result<JsValue, JsValue>;

    /// Its `Sound`.
    type Sound;
    #[wasm_bindgen(method, catch)]
    async fn microphone(this: &Sound) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn start(this: &Sound, recording: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    fn hear(this: &Sound, on: bool);
    #[wasm_bindgen(method)]
    fn flush(this: &Sound);
    #[wasm_bindgen(method)]
    fn stop(this: &Sound);
    #[wasm_bindgen(method)]
    fn waiting(this: &Sound) -> u32;
    #[wasm_bindgen(method, getter)]
    fn level(this: &Sound) -> f64;
}

thread_local! {
    /// Fetches the module.
    static FETCH: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Says how the module is fetched: a function that gives a promise of it.
pub fn begin(fetch: Function) {
    FETCH.set(Some(fetch));
}

/// An event in the recorder, and how long ago it was, in milliseconds.
pub struct RecorderEvent {
    /// The event to be logged; for a piece with `ended_ms` still 0.
    pub event: Event,
    /// How long ago it was.
    pub ago_ms: u64,
}

/// The sound of one session on this page.
pub struct SoundRecorder {
    sound: Sound,
    _report: Closure<dyn FnMut(JsValue)>,
}

impl SoundRecorder {
    /// Opens the recorder: what earlier pages of the session kept is handed in from now on. `None`
    /// if the module cannot be fetched.
    pub async fn open(
        session: &SessionId,
        token: &str,
        on_report: impl Fn(RecorderEvent) + 'static,
    ) -> Option<Self> {
        let fetch = FETCH.with_borrow(Clone::clone)?;
        let promise: Promise = fetch.call0(&JsValue::NULL).ok()?.unchecked_into();
        let module: Module = JsFuture::from(promise).await.ok()?.unchecked_into();
        let report = Closure::<dyn FnMut(JsValue)>::new(move |told: JsValue| {
            if let Some(report) = read(&told) {
                on_report(report);
            }
        });
        let function: &Function = report.as_ref().unchecked_ref();
        let sound = module.open(&session.0, token, function).await.ok()?;
        Some(Self {
            sound: sound.unchecked_into(),
            _report: report,
        })
    }

    /// Asks for the microphone.
    ///
    /// # Errors
    /// The browser's words, when it does not give it.
    pub async fn microphone(&self) -> Result<(), String> {
        self.sound
            .microphone()
            .await
            .map(drop)
            .map_err(|e| words(&e))
    }

    /// Begins a recording.
    ///
    /// # Errors
    /// The browser's words, when it cannot record.
    pub fn start(&self, recording: u32) -> Result<(), String> {
        self.sound.start(recording).map_err(|error| words(&error))
    }

    /// Lets sound into the recording, or silence.
    pub fn hear(&self, on: bool) {
        self.sound.hear(on);
    }

    /// Hands over what was recorded so far: the page may be left.
    pub fn flush(&self) {
        self.sound.flush();
    }

    /// Ends the recording.
    pub fn stop(&self) {
        self.sound.stop();
    }

    /// Number of pieces that the server does not have yet.
    pub fn waiting(&self) -> u32 {
        self.sound.waiting()
    }

    /// How loud it is, as a root mean square of a full scale of 1.
    pub fn level(&self) -> f64 {
        self.sound.level()
    }
}

/// The browser's words for a failure, as they fit into the log.
fn words(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok();
    let message = message.and_then(|message| message.as_string());
    let text = message.unwrap_or_else(|| format!("{error:?}"));
    text.chars().take(MAX_PAGE_TEXT).collect()
}

fn read(told: &JsValue) -> Option<RecorderEvent> {
    let get = |name: &str| Reflect::get(told, &name.into()).ok();
    let number = |name: &str| get(name)?.as_f64();
    let text = |name: &str| get(name)?.as_string();
    let recording = || number("recording").map(|recording| recording as u32);
    let event = match text("kind")?.as_str() {
        "started" => Event::RecordingStarted {
            recording: recording()?,
            media_type: text("mediaType")?.chars().take(MAX_PAGE_TEXT).collect(),
        },
        "piece" => Event::PieceRecorded {
            recording: recording()?,
            piece: number("piece")? as u32,
            bytes: number("bytes")? as u64,
            sha256: text("sha256")?,
            ended_ms: 0,
        },
        "stopped" => Event::RecordingStopped {
            recording: recording()?,
        },
        "failed" => Event::RecordingFailed {
            why: text("why")?.chars().take(MAX_PAGE_TEXT).collect(),
        },
        "silent" => Event::MicrophoneSilent,
        "heard" => Event::MicrophoneHeard,
        _ => return None,
    };
    let ago_ms = (monotonic_ms() - number("at")?).max(0.0) as u64;
    Some(RecorderEvent { event, ago_ms })
}
