//! Letters that can be seen only while they move.

use std::time::Duration;

use domain::questionnaire::Film;
use leptos::html;
use leptos::prelude::*;

use crate::text::text;
use crate::ui::form::filling::FormField;
use crate::ui::paint;

/// Between two pictures.
const PICTURE_MS: u64 = 80;
/// How many are shown at one press: about seven seconds.
const SHOWN: usize = 90;
/// Two greys that differ enough to be seen, and too little to dazzle.
const LIT: u8 = 190;
const DARK: u8 = 60;

/// The film with a button that shows it, and a line for the letters. Nothing moves by itself.
pub(super) fn letters(field: FormField, film: Option<Film>) -> impl IntoView {
    let words = &text().questionnaire;
    let film = film.unwrap_or(Film {
        width: 0,
        height: 0,
        pictures: Vec::new(),
    });
    let (width, height) = (film.width, film.height);
    let film = StoredValue::new(film);
    let canvas = NodeRef::<html::Canvas>::new();
    let left = RwSignal::new(0_usize);
    let paint = move |picture: usize| {
        if let Some(canvas) = canvas.get_untracked() {
            let cells = film.with_value(|film| film.cells(picture));
            let grey = |lit: bool| if lit { LIT } else { DARK };
            let pixels = cells.into_iter().map(grey);
            let pixels: Vec<u8> = pixels.flat_map(|grey| [grey, grey, grey, 255]).collect();
            paint::put(&canvas, &pixels, height, width);
        }
    };
    // A picture that stands still shows nothing.
    Effect::new(move |_| {
        if canvas.get().is_some() {
            paint(0);
        }
    });
    let ticks = StoredValue::new(None::<IntervalHandle>);
    let stop = move || {
        if let Some(ticks) = ticks.try_update_value(Option::take).flatten() {
            ticks.clear();
        }
    };
    on_cleanup(stop);
    let play = move || {
        stop();
        left.set(SHOWN);
        let next = move || {
            left.update(|left| *left = left.saturating_sub(1));
            paint(SHOWN - left.get_untracked());
            if left.get_untracked() == 0 {
                stop();
            }
        };
        let every = Duration::from_millis(PICTURE_MS);
        ticks.set_value(set_interval_with_handle(next, every).ok());
    };
    view! {
        <div class="film">
            <canvas
                node_ref=canvas
                width=width
                height=height
                role="img"
                aria-label=words.film()
                data-testid=format!("{}-film", field.test_id())
            ></canvas>
            <button
                type="button"
                class="button"
                data-testid=format!("{}-play", field.test_id())
                on:click=move |_| play()
            >
                {words.film_play()}
            </button>
        </div>
        <input
            type="text"
            class="letters"
            maxlength="12"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            id=field.control_id()
            data-field=field.id()
            data-testid=field.test_id()
            aria-describedby=field.described_by()
            aria-invalid=move || field.invalid()
            prop:value=move || field.draft.with(|draft| draft.words.clone())
            on:input:target=move |event| {
                let words = event.target().value();
                field.answer(|draft| draft.words = words);
            }
        />
    }
}
