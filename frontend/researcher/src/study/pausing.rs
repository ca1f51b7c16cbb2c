//! Pausing a study or one of its cells, and letting people in again.

use api::research::{Done, PauseRequest};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::text::text;

/// The study or cell that is paused, or let go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paused {
    /// The study.
    pub study: String,
    /// The cell, and its name as people read it; nothing: all cells.
    pub cell: Option<(String, String)>,
    /// Whether it is paused now.
    pub paused: bool,
    /// People under way in it.
    pub under_way: u64,
}

impl Paused {
    /// The words on the button.
    pub fn verb(&self) -> &'static str {
        let words = &text().pausing;
        if self.paused {
            words.go_on()
        } else {
            words.pause()
        }
    }

    /// The meaning for those under way and for those who come.
    fn means(&self) -> String {
        let words = &text().pausing;
        let under_way = text().counted.people(self.under_way);
        match (&self.cell, self.paused) {
            (None, true) => words.means_go_on().to_owned(),
            (None, false) => words.means_pause(under_way),
            (Some((_, name)), true) => words.means_go_on_cell(name),
            (Some((_, name)), false) => words.means_pause_cell(name, under_way),
        }
    }

    /// The message once it is done.
    fn done(&self) -> String {
        let words = &text().pausing;
        match (&self.cell, self.paused) {
            (None, true) => words.goes_on().to_owned(),
            (None, false) => words.is_paused().to_owned(),
            (Some((_, name)), true) => words.cell_goes_on(name),
            (Some((_, name)), false) => words.cell_is_paused(name),
        }
    }
}

/// Says what pausing means, or going on, and does it on a press.
#[component]
pub fn PausingNote(
    /// The state that the pages share.
    area: Area,
    /// The study or cell that is asked about.
    asked: RwSignal<Option<Paused>>,
    /// Called with what has happened.
    on_changed: Callback<String>,
) -> impl IntoView {
    move || {
        let paused = asked.get()?;
        let (verb, means) = (paused.verb(), paused.means());
        let change = Callback::new(move |()| {
            let paused = paused.clone();
            area.attempt(async move {
                let request = PauseRequest {
                    cells: paused.cell.iter().map(|(cell, _)| cell.clone()).collect(),
                    paused: !paused.paused,
                };
                let path = routes::research_pause(&paused.study);
                let key = area.change_key();
                let _: Done = research_client::post(&path, &request, key.as_deref()).await?;
                // The page may have been left.
                if on_changed.try_run(paused.done()).is_some() {
                    asked.set(None);
                }
                Ok(())
            });
        });
        Some(view! {
            <div class="note" data-testid="means">
                <p>{means}</p>
                <p class="actions">
                    <Press testid="pause-yes" on_press=change>{verb}</Press>
                    <Press testid="pause-no" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>{text().pausing.leave()}</Press>
                </p>
            </div>
        })
    }
}

/// Pauses all cells, or lets people into them again; before that, a sentence says what it means.
#[component]
pub fn Pausing(
    /// The state that the pages share.
    area: Area,
    /// The study as it is now.
    paused: Paused,
    /// Called with what has happened.
    on_changed: Callback<String>,
) -> impl IntoView {
    let asked = RwSignal::new(None::<Paused>);
    let verb = paused.verb();
    let ask = Callback::new(move |()| asked.set(Some(paused.clone())));
    let button = move || {
        asked.with(Option::is_none).then(|| {
            view! {
                <p class="actions"><Press testid="pause" class="button" on_press=ask>{verb}"…"</Press></p>
            }
        })
    };
    view! {
        {button}
        <PausingNote area asked on_changed/>
    }
}
