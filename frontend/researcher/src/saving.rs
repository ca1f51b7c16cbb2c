//! Saves what is on screen for a talk: the moment as a picture, or the question as a file of frames with their times.

use domain::common::moment::moment;
use frontend::replay::slide::{Card, Slide};
use frontend::runtime::saving::{png, save};
use frontend::ui::parts::Press;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlCanvasElement;

use crate::area::Area;
use crate::text::text;

mod archive;
mod frames;

use archive::Archive;
use frames::{HEAD, MOST_FRAMES, file_name, rows, thinned};

/// The slides that can be saved of a page. Moments are those of the page's own clock, in milliseconds.
#[derive(Clone, Copy)]
pub struct Shown {
    /// The moment that is shown.
    pub at_ms: Signal<u64>,
    /// The slide of a moment.
    pub slide: Callback<u64, Slide>,
    /// When something moves in what is shown.
    pub moments: Callback<(), Vec<u64>>,
    /// The beginning of the names of files.
    pub stem: StoredValue<String>,
}

/// Saves a picture; says so where the browser has made none.
pub fn save_picture(area: Area, name: String, drawn: Option<HtmlCanvasElement>) {
    spawn_local(async move {
        let made = match drawn {
            Some(canvas) => png(&canvas).await,
            None => None,
        };
        if !made.is_some_and(|bytes| save(&name, "image/png", &bytes)) {
            let _ = area
                .problem
                .try_set(Some(text().saving.no_picture().to_owned()));
        }
    });
}

/// Buttons that save, how far it is, and a way to stop it.
#[component]
pub fn SaveAs(area: Area, shown: Shown) -> impl IntoView {
    let progress = RwSignal::new(None::<(usize, usize)>);
    let stopped = RwSignal::new(false);
    let busy = Signal::derive(move || progress.get().is_some());
    let tell = move |words: &str| {
        let _ = area.problem.try_set(Some(words.to_owned()));
    };
    let picture = Callback::new(move |()| {
        area.problem.set(None);
        let at_ms = shown.at_ms.get_untracked();
        let slide = shown.slide.run(at_ms);
        if let Some(words) = nothing_to_see(&slide) {
            tell(&words);
            return;
        }
        let name = format!("{}-{}.png", shown.stem.get_value(), moment(at_ms));
        save_picture(area, name, slide.draw());
    });
    let frames = Callback::new(move |()| {
        area.problem.set(None);
        let moments = shown.moments.run(());
        if let Some(words) = nothing_to_see(&shown.slide.run(shown.at_ms.get_untracked())) {
            tell(&words);
            return;
        }
        let name = format!("{}-frames.zip", shown.stem.get_value());
        let all = moments.len();
        let moments = thinned(&moments, MOST_FRAMES);
        stopped.set(false);
        progress.set(Some((0, moments.len())));
        spawn_local(async move {
            let made = made(shown, &moments, progress, stopped).await;
            let _ = progress.try_set(None);
            match made {
                FramesOutcome::All(bytes) if save(&name, "application/zip", &bytes) => {
                    let words = saved(moments.len(), all);
                    let _ = area.done.try_set(Some(words));
                }
                FramesOutcome::All(_) | FramesOutcome::Nothing => tell(text().saving.no_picture()),
                FramesOutcome::Stopped => {}
            }
        });
    });
    let stop = Callback::new(move |()| stopped.set(true));
    let how_far = move || {
        let (done, all) = progress.get()?;
        Some(view! {
            <p class="actions" data-testid="save-progress">
                <progress aria-label=text().saving.frames_made() max=all.to_string() value=done.to_string()></progress>
                <span class="tabular small">{text().saving.progress(done, all)}</span>
                <Press testid="save-stop" class="button quiet" on_press=stop>{text().saving.stop()}</Press>
            </p>
        })
    };
    view! {
        <details class="small" data-testid="save-as">
            <summary>{text().saving.save_as()}</summary>
            <p class="actions">
                <Press testid="save-picture" class="button" disabled=busy on_press=picture>{text().saving.picture()}</Press>
                <Press testid="save-frames" class="button" disabled=busy on_press=frames>{text().saving.frames()}</Press>
            </p>
            {how_far}
            <p class="muted">
                {text().saving.what()}
            </p>
        </details>
    }
}

/// The result of making frames.
enum FramesOutcome {
    /// The file.
    All(Vec<u8>),
    /// Somebody stopped it, or has left the page.
    Stopped,
    /// The browser made no picture, or the file would be too large.
    Nothing,
}

async fn made(
    shown: Shown,
    moments: &[u64],
    progress: RwSignal<Option<(usize, usize)>>,
    stopped: RwSignal<bool>,
) -> FramesOutcome {
    let mut archive = Archive::default();
    let mut table = HEAD.to_owned();
    for (place, at_ms) in moments.iter().enumerate() {
        // The page stays quick: what is pressed meanwhile is done first.
        TimeoutFuture::new(0).await;
        if stopped.try_get_untracked() != Some(false) {
            return FramesOutcome::Stopped;
        }
        let slide = shown.slide.run(*at_ms);
        let picture = match slide.draw() {
            Some(canvas) => png(&canvas).await,
            None => None,
        };
        let added = picture.and_then(|bytes| archive.add(&file_name(place + 1), &bytes));
        if added.is_none() {
            return FramesOutcome::Nothing;
        }
        table += &rows(place + 1, *at_ms, &slide);
        let _ = progress.try_set(Some((place + 1, moments.len())));
    }
    match archive.add("frames.csv", table.as_bytes()) {
        Some(()) => FramesOutcome::All(archive.finish()),
        None => FramesOutcome::Nothing,
    }
}

/// Why nothing is to be seen of any session, if that is so.
fn nothing_to_see(slide: &Slide) -> Option<String> {
    let why = |card: &Card| card.still.as_ref().err().copied();
    let first = slide.cards.first().map(why);
    match first {
        None => Some(text().saving.nothing().to_owned()),
        Some(first) if slide.cards.iter().all(|card| card.still.is_err()) => {
            Some(format!("{}.", first?.words()))
        }
        Some(_) => None,
    }
}

fn saved(frames: usize, all: usize) -> String {
    if frames == all {
        text().saving.saved(frames)
    } else {
        text().saving.saved_some(frames, all)
    }
}
