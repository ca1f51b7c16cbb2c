//! Notes and marks about the moment that is shown.

use api::lab::{ActLogged, ExperimenterAct};
use api::research::Right;
use api::routes;
use domain::common::moment::moment;
use domain::session::event::SessionId;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::entrance::Field;
use crate::text::text;

/// Writes a note into the session's log, about the moment that is shown, or marks it.
#[component]
pub fn NoteHere(
    /// The page.
    viewer: Viewer,
    /// The marks that a moment can get.
    marks: Vec<String>,
) -> impl IntoView {
    let study = viewer.study.get_value();
    if !viewer.area.may_for_seen(Right::Annotate, &study) {
        return None;
    }
    let typed = RwSignal::new(String::new());
    let write = move |mark: Option<String>| {
        let words = typed.get_untracked().trim().to_owned();
        if words.is_empty() && mark.is_none() {
            return;
        }
        let at_ms = viewer.at_ms_untracked();
        let session = SessionId(viewer.session.get_value());
        let path = routes::lab_acts(&viewer.study.get_value(), &session);
        let act = ExperimenterAct::Note {
            // The note that was typed goes with the mark, as it does where the session is followed.
            text: words,
            mark,
            about_ms: Some(at_ms),
        };
        viewer.area.attempt(async move {
            let key = viewer.area.change_key();
            let _: ActLogged = research_client::post(&path, &act, key.as_deref()).await?;
            // The page may have been left.
            if typed.try_set(String::new()).is_none() {
                if !viewer.following.get_untracked() {
                    viewer.open(Some(at_ms));
                }
                // After that: what is asked for takes away what was said before.
                let words = text().replay.noted(moment(at_ms));
                viewer.area.done.set(Some(words));
            }
            Ok(())
        });
    };
    let save = Callback::new(move |()| write(None));
    let buttons = marks.into_iter().map(|name| {
        let mark = name.clone();
        let press = Callback::new(move |()| write(Some(mark.clone())));
        view! { <Press testid="mark" class="button quiet" on_press=press>{name}</Press> }
    });
    Some(view! {
        <section class="area-note" aria-label=text().replay.notes()>
            <Field label=text().replay.note() testid="note" value=typed on_enter=save/>
            <p class="actions">
                <Press testid="note-save" class="button" on_press=save>{text().replay.note_save()}</Press>
                {buttons.collect_view()}
            </p>
        </section>
    })
}
