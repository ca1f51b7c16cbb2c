//! Studies as they go on: one stream of events for the whole app, and how old it is.

use std::time::Duration;

use api::research::live::{LiveCounts, LiveMessage, LivePicture, LiveStorage, LiveStudy, PULSE_S};
use api::research::{CellCounts, StudyState, StudySummary};
use api::routes;
use domain::recruitment::StudyStatus;
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::{page, research_client};
use js_sys::{Array, Function};
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::text::text;

mod picture;

/// A stream that has said nothing for so long is not live, in milliseconds.
const SILENT_MS: f64 = 3_000.0 * PULSE_S as f64;

/// How often ages on the page are set.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The stream, and what it has said.
#[derive(Clone, Copy)]
pub struct Live {
    picture: RwSignal<Option<LivePicture>>,
    /// When something was heard last, on this page's clock; nothing before.
    heard_ms: RwSignal<Option<f64>>,
    /// Now, on the same clock.
    now_ms: RwSignal<f64>,
    /// `follow` of `static/research/live.js`.
    follow: StoredValue<Function, LocalStorage>,
    /// The function that ends the stream.
    end: StoredValue<Option<Function>, LocalStorage>,
}

/// How a study stands, without those who are under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stands {
    pub counts: LiveCounts,
    pub cells: Vec<CellCounts>,
    pub status: StudyStatus,
    /// Nothing where the server has no file of it.
    pub state: Option<StudyState>,
}

impl Stands {
    /// Puts it into what was loaded of the study before.
    pub fn put_into(self, summary: &mut StudySummary) {
        summary.counts = self.counts;
        summary.cells = self.cells;
        summary.status = self.status;
        summary.state = self.state.unwrap_or(summary.state);
    }
}

/// How old what the stream has said is, and whether it goes on.
#[component]
pub fn Age(live: Live) -> impl IntoView {
    let words = move || match live.age_ms() {
        None => text().now.waiting().to_owned(),
        Some(age) if live.is_live() => text().now.live((age / 1_000.0) as u64),
        Some(age) => text().now.not_live((age / 1_000.0) as u64),
    };
    view! {
        <p class="small area-age" class:stale=move || live.heard_ms().is_some() && !live.is_live() data-testid="age">{words}</p>
    }
}

impl Live {
    /// Nothing is heard yet.
    pub fn new(follow: Function) -> Self {
        Self {
            picture: RwSignal::new(None),
            heard_ms: RwSignal::new(None),
            now_ms: RwSignal::new(monotonic_ms()),
            follow: StoredValue::new_local(follow),
            end: StoredValue::new_local(None),
        }
    }

    /// Listens for whom `wanted` names, as long as it names somebody. Tabs of one browser share a stream, if the same
    /// person is signed in.
    pub fn follow(self, wanted: Signal<Option<String>>) {
        let wanted = Memo::new(move |_| wanted.get());
        let heard: Function = Closure::<dyn Fn(String)>::new(move |data: String| {
            if let Ok(message) = domain::json::from_text::<LiveMessage>(&data) {
                self.heard_ms.set(Some(monotonic_ms()));
                let storage = match &message {
                    LiveMessage::Picture(LivePicture { storage, .. })
                    | LiveMessage::Pulse { storage, .. } => Some(storage),
                    LiveMessage::Change(change) => change.storage.as_ref(),
                };
                if let Some(storage) = storage {
                    research_client::note_storage(storage.trouble().map(str::to_owned));
                }
                self.picture
                    .update(|picture| picture::take(picture, message));
            }
        })
        .into_js_value()
        .unchecked_into();
        let whole: Function = Closure::<dyn Fn() -> Option<String>>::new(move || {
            let picture = self.picture.get_untracked()?;
            serde_json::to_string(&LiveMessage::Picture(picture)).ok()
        })
        .into_js_value()
        .unchecked_into();
        Effect::new(move |_| {
            self.end();
            let Some(name) = wanted.get() else { return };
            let arguments = Array::of4(
                &page::address(routes::LIVE).into(),
                &name.into(),
                &heard,
                &whole,
            );
            let end = self
                .follow
                .with_value(|follow| follow.apply(&JsValue::NULL, &arguments));
            // Without it the page says that it is not live.
            self.end
                .set_value(end.ok().and_then(|end| end.dyn_into().ok()));
        });
        let look = move || self.now_ms.set(monotonic_ms());
        // The app lives as long as the page.
        let _ = set_interval_with_handle(look, LOOK_EVERY);
    }

    fn end(self) {
        self.picture.set(None);
        self.heard_ms.set(None);
        if let Some(end) = self.end.try_update_value(Option::take).flatten() {
            // It throws nothing.
            let _ = end.call0(&JsValue::NULL);
        }
    }

    /// A study as it stands now; nothing before it is known.
    pub fn study(&self, name: &str) -> Option<LiveStudy> {
        self.picture.with(|picture| {
            let studies = picture.as_ref()?.studies.iter();
            studies.into_iter().find(|it| it.study == name).cloned()
        })
    }

    /// How many are where in a study, and whether sessions can be started; nothing before it is known.
    pub fn stands(&self, name: &str) -> Option<Stands> {
        self.picture.with(|picture| {
            let studies = picture.as_ref()?.studies.iter();
            let study = studies.into_iter().find(|it| it.study == name)?;
            Some(Stands {
                counts: study.counts,
                cells: study.cells.clone(),
                status: study.status,
                state: study.state,
            })
        })
    }

    /// How much the server has to write; nothing before it is known.
    pub fn storage(&self) -> Option<LiveStorage> {
        let picture = self.picture.read();
        picture.as_ref().map(|picture| picture.storage.clone())
    }

    /// When something was heard last, on this page's clock; nothing if never.
    pub fn heard_ms(&self) -> Option<f64> {
        self.heard_ms.get()
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
