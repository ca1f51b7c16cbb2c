//! A platform's own list of submissions, pasted or uploaded, beside the sessions that are here.

use api::ErrorCode;
use api::research::{PlatformMatch, Right};
use api::routes;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, HtmlInputElement};

use crate::area::Area;
use crate::deciding::{Deciding, PlatformDecisions};
use crate::links::Link;
use crate::route::Route;
use crate::text::text;
use crate::words::{date_and_time, sentence};

mod found;

use found::{Counts, Lines, Shows};

/// How soon it is asked again while logs are read.
const AGAIN_MS: u32 = 1_500;

/// How often it is asked again before the page gives up: for a quarter of an hour.
const MOST_ASKED: u32 = 600;

/// The state that the parts of the page share.
#[derive(Clone, Copy)]
struct Matching {
    area: Area,
    study: StoredValue<String>,
    /// The list that was handed in last, to be handed in again. It is nowhere else.
    list: StoredValue<Option<JsValue>, LocalStorage>,
    /// How often a list was handed in: an answer to an earlier one is of no use.
    asked: StoredValue<u32>,
    found: RwSignal<Option<PlatformMatch>>,
    /// The server's message while it reads logs.
    waits: RwSignal<Option<String>>,
}

impl Matching {
    /// Hands a list in; shows what is found.
    fn hand_in(self, list: JsValue) {
        self.list.set_value(Some(list));
        self.again();
    }

    /// Hands the same list in again.
    fn again(self) {
        let Some(list) = self.list.try_with_value(Clone::clone).flatten() else {
            return;
        };
        let number = self.asked.try_update_value(|it| {
            *it += 1;
            *it
        });
        let area = self.area;
        area.attempt(async move {
            let outcome = self.ask(&list, number).await;
            // The page may have been left, or another list was handed in.
            if self.asked.try_get_value() == number {
                self.waits.set(None);
                if let Some(found) = outcome? {
                    self.found.set(Some(found));
                }
            }
            Ok(())
        });
    }

    async fn ask(
        self,
        list: &JsValue,
        number: Option<u32>,
    ) -> Result<Option<PlatformMatch>, ClientError> {
        let Some(study) = self.study.try_get_value() else {
            return Ok(None);
        };
        let path = routes::research_match(&study);
        self.waits.set(Some(text().matching.comparing().to_owned()));
        for _ in 0..MOST_ASKED {
            let key = self.area.change_key();
            match research_client::post_file(&path, list, key.as_deref()).await {
                Err(ClientError::Refused(info)) if info.code == ErrorCode::Unavailable => {
                    if self.asked.try_get_value() != number {
                        return Ok(None);
                    }
                    self.waits.set(Some(sentence(&info.message)));
                    TimeoutFuture::new(AGAIN_MS).await;
                }
                answer => return answer.map(Some),
            }
        }
        let words = text().matching.gave_up();
        Err(ClientError::Unintelligible(words.to_owned()))
    }
}

/// The page.
#[component]
pub fn MatchPage(area: Area, study: String) -> impl IntoView {
    let matching = Matching {
        area,
        study: StoredValue::new(study.clone()),
        list: StoredValue::new_local(None),
        asked: StoredValue::new(0),
        found: RwSignal::new(None),
        waits: RwSignal::new(None),
    };
    let pasted = RwSignal::new(String::new());
    let deciding = Deciding {
        area,
        study: matching.study,
        chosen: RwSignal::new(Vec::new()),
        choosing: true,
        reload: Callback::new(move |()| matching.again()),
    };
    let shows = RwSignal::new(Shows::default());
    let upload = move |event: Event| {
        let input = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let file = input.and_then(|input| input.files()?.get(0));
        if let Some(file) = file {
            matching.hand_in(file.into());
        }
    };
    let paste = Callback::new(move |()| matching.hand_in(pasted.get_untracked().into()));
    let nothing = Signal::derive(move || pasted.with(|text| text.trim().is_empty()));
    let may_decide = area.may(Right::Manage, &study);
    let decisions = move || {
        (may_decide && matching.found.with(Option::is_some))
            .then(|| view! { <PlatformDecisions deciding/> })
    };
    let summary = move || matching.found.with(|found| found.as_ref().map(in_words));
    let problems = move || {
        let problems = matching
            .found
            .with(|it| it.as_ref().map(|it| it.problems.clone()))?;
        let items = problems.into_iter().map(|it| view! { <li>{it}</li> });
        let items = items.collect_view();
        (!items.is_empty()).then(|| view! { <ul class="problem">{items}</ul> })
    };
    let found = move || {
        let found = matching.found.get()?;
        Some(view! {
            <Counts found=found.clone() shows/>
            <Lines deciding found shows choosing=may_decide/>
        })
    };
    view! {
        <div data-screen="match" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{study.clone()}</Link></p>
            <Heading words=text().matching.heading()/>
            <p>
                {text().matching.about()}
            </p>
            <label class="area-field">
                {text().matching.file()}
                <input type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" data-testid="list-file" on:change=upload/>
            </label>
            <label class="area-field">
                {text().matching.paste()}
                <textarea
                    rows="4"
                    spellcheck="false"
                    data-testid="list-text"
                    prop:value=move || pasted.get()
                    on:input=move |event| pasted.set(event_target_value(&event))
                ></textarea>
            </label>
            <p class="actions">
                <Press testid="match" disabled=nothing on_press=paste>{text().matching.compare()}</Press>
            </p>
            <p role="status" class="muted" data-testid="waits">{move || matching.waits.get()}</p>
            {problems}
            <p data-testid="summary">{summary}</p>
            {decisions}
            {found}
        </div>
    }
}

/// The submissions and sessions that were compared, in sentences.
fn in_words(found: &PlatformMatch) -> String {
    let (texts, counts) = (&text().matching, &text().counted);
    let mut words = texts.compared(
        &found.title,
        counts.submissions(found.listed),
        counts.sessions(found.known),
        date_and_time(found.at_unix_ms),
    );
    if found.repeated > 0 {
        words += &texts.repeated(found.repeated);
    }
    if found.nameless > 0 {
        words += &texts.nameless(found.nameless);
    }
    words
}
