//! Pausing a study or one of its cells, and letting people in again.

use api::research::{Done, PauseRequest};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::words::counted;

/// What is paused, or let go on.
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
    /// What the button says.
    pub fn verb(&self) -> &'static str {
        if self.paused { "Go on" } else { "Pause" }
    }

    /// What it means for those under way and for those who come.
    fn means(&self) -> String {
        let under_way = counted(self.under_way, "person").replace("persons", "people");
        match (&self.cell, self.paused) {
            (None, true) => {
                "Whoever opens the link can start again, as long as cells have open slots."
                    .to_owned()
            }
            (None, false) => format!(
                "Whoever comes now reads that the study takes nobody at the moment. {under_way} under way can finish, and will count."
            ),
            (Some((_, name)), true) => {
                format!(
                    "Whoever comes now can be put into {name} again, as long as it has open slots."
                )
            }
            (Some((_, name)), false) => format!(
                "Nobody else is put into {name}: whoever comes now goes into the other cells. {under_way} under way in it can finish, and will count."
            ),
        }
    }

    /// What is said once it is done.
    fn done(&self) -> String {
        match (&self.cell, self.paused) {
            (None, true) => "The study takes people again.".to_owned(),
            (None, false) => "The study is paused: nobody new is let in.".to_owned(),
            (Some((_, name)), true) => format!("People are put into {name} again."),
            (Some((_, name)), false) => format!("{name} is paused: nobody new is put into it."),
        }
    }
}

/// Says what pausing means, or going on, and does it on a press.
#[component]
pub fn PausingNote(
    /// What the pages share.
    area: Area,
    /// What is asked about.
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
                    <Press testid="pause-no" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>"Leave it as it is"</Press>
                </p>
            </div>
        })
    }
}

/// Pauses all cells, or lets people into them again; before that, a sentence says what it means.
#[component]
pub fn Pausing(
    /// What the pages share.
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
