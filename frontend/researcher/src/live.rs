//! Studies as they go on: one stream of events for the whole app, and how old it is.

use std::time::Duration;

use api::research::live::{LiveMessage, LivePicture, LiveStudy, PULSE_S};
use api::routes;
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::page;
use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{EventSource, MessageEvent};

mod picture;

/// A stream that has said nothing for so long is not live, in milliseconds.
const SILENT_MS: f64 = 3_000.0 * PULSE_S as f64;

/// How often ages on the page are set, and a stream that was given up is opened again.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// So long after a stream was given up another one is opened, in milliseconds.
const AGAIN_AFTER_MS: f64 = 5_000.0;

/// The stream, and what it has said.
#[derive(Clone, Copy)]
pub struct Live {
    picture: RwSignal<Option<LivePicture>>,
    /// When something was heard last, on this page's clock; nothing before.
    heard_ms: RwSignal<Option<f64>>,
    /// Now, on the same clock.
    now_ms: RwSignal<f64>,
    /// The stream, and when it was opened.
    source: StoredValue<Option<(EventSource, f64)>, LocalStorage>,
}

impl Live {
    /// Nothing is heard yet.
    pub fn new() -> Self {
        Self {
            picture: RwSignal::new(None),
            heard_ms: RwSignal::new(None),
            now_ms: RwSignal::new(monotonic_ms()),
            source: StoredValue::new_local(None),
        }
    }

    /// Listens for as long as `wanted` says so.
    pub fn follow(self, wanted: Signal<bool>) {
        Effect::new(move |_| {
            if wanted.get() {
                self.open();
            } else {
                self.close();
                self.picture.set(None);
                self.heard_ms.set(None);
            }
        });
        let look = move || {
            let now = monotonic_ms();
            self.now_ms.set(now);
            // The browser reconnects by itself, unless it was refused.
            let given_up = self.source.with_value(|source| match source {
                Some((source, at)) => {
                    source.ready_state() == EventSource::CLOSED && now - at > AGAIN_AFTER_MS
                }
                None => true,
            });
            if wanted.get_untracked() && given_up {
                self.open();
            }
        };
        // The app lives as long as the page.
        let _ = set_interval_with_handle(look, LOOK_EVERY);
    }

    fn open(self) {
        self.close();
        let Ok(source) = EventSource::new(&page::address(routes::LIVE)) else {
            return;
        };
        EventListener::new(&source, "message", move |event| {
            let message = event.dyn_ref::<MessageEvent>();
            let data = message.and_then(|event| event.data().as_string());
            let message = data.and_then(|data| domain::json::from_text::<LiveMessage>(&data).ok());
            if let Some(message) = message {
                self.heard_ms.set(Some(monotonic_ms()));
                self.picture
                    .update(|picture| picture::take(picture, message));
            }
        })
        .forget();
        self.source.set_value(Some((source, monotonic_ms())));
    }

    fn close(self) {
        self.source.update_value(|source| {
            if let Some((source, _)) = source.take() {
                source.close();
            }
        });
    }

    /// A study as it stands now; nothing before it is known.
    pub fn study(&self, name: &str) -> Option<LiveStudy> {
        self.picture.with(|picture| {
            let studies = picture.as_ref()?.studies.iter();
            studies.into_iter().find(|it| it.study == name).cloned()
        })
    }

    /// How long ago something was heard, in milliseconds; nothing if never.
    pub fn age_ms(&self) -> Option<f64> {
        let heard = self.heard_ms.get()?;
        Some((self.now_ms.get() - heard).max(0.0))
    }

    /// Whether what is shown is that of now.
    pub fn is_live(&self) -> bool {
        self.age_ms().is_some_and(|age| age < SILENT_MS)
    }

    /// The server's time now, in milliseconds since 1970, by what it said last.
    pub fn server_ms(&self) -> Option<u64> {
        let said = self
            .picture
            .with(|picture| Some(picture.as_ref()?.at_unix_ms))?;
        Some(said + self.age_ms()? as u64)
    }
}
