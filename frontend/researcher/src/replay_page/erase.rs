//! Erasing the session that is on the page.

use api::research::{ErasureRequest, ExportWithSession, ExportsWithSession, Right};
use api::routes;
use domain::session::event::SessionId;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::entrance::Field;
use crate::route::Route;

/// Erases the session once its name is typed. Before that it says what is erased, and which exports still hold it.
#[component]
pub fn Erase(
    /// The page.
    viewer: Viewer,
    /// Where one goes when the session is gone.
    back: Route,
) -> impl IntoView {
    let area = viewer.area;
    if !area.may(Right::Manage, &viewer.study.get_value()) {
        return None;
    }
    let asked = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    let exports = RwSignal::new(None::<Vec<ExportWithSession>>);
    let path = move || {
        let session = SessionId(viewer.session.get_value());
        routes::research_erasure(&viewer.study.get_value(), &session)
    };
    let ask = Callback::new(move |()| {
        asked.set(true);
        area.attempt(async move {
            let found: ExportsWithSession = research_client::get(&path()).await?;
            // The page may have been left.
            let _ = exports.try_set(Some(found.exports));
            Ok(())
        });
    });
    let not_the_name = Signal::derive(move || {
        viewer
            .session
            .with_value(|session| typed.with(|typed| typed.trim() != session))
    });
    let erase = Callback::new(move |()| {
        if not_the_name.get_untracked() {
            return;
        }
        let back = back.clone();
        area.attempt(async move {
            let key = area.change_key();
            let request = ErasureRequest {
                session: SessionId(viewer.session.get_value()),
            };
            let left: ExportsWithSession =
                research_client::post(&path(), &request, key.as_deref()).await?;
            area.go_and_say(back, erased(&left.exports));
            Ok(())
        });
    });
    let form = move || {
        if !asked.get() {
            return view! {
                <p class="actions">
                    <Press testid="erase" class="button quiet" on_press=ask>"Erase this session…"</Press>
                </p>
            }
            .into_any();
        }
        let listed =
            exports.get().map(|exports| {
                let lines = exports.into_iter().map(|export| {
                let gone = if export.there { "" } else { " (no longer there)" };
                view! { <li>{format!("{} {}{gone}", export.exported_at_utc, export.folder)}</li> }
            });
                let lines = lines.collect_view();
                if lines.is_empty() {
                    view! { <p>"The list of exports names none that holds it."</p> }.into_any()
                } else {
                    view! {
                        <p>"These exports hold it. Erase it there and in all copies of them:"</p>
                        <ul class="small" data-testid="erase-exports">{lines}</ul>
                    }
                    .into_any()
                }
            });
        view! {
            <div class="note" data-testid="erase-means">
                <p>
                    "Everything that the participant gave is erased: answers, log, sound, codes. What is needed to pay them stays. This cannot be taken back. A backup that is restored with "
                    <code>"redial database restore"</code>
                    " is cleaned of it."
                </p>
                {listed}
                <p>"Type the name of the session to go on: " <code>{viewer.session.get_value()}</code></p>
                <Field label="Name of the session" testid="erase-name" value=typed on_enter=erase/>
                <p class="actions">
                    <Press testid="erase-yes" disabled=not_the_name on_press=erase>"Erase"</Press>
                    <Press testid="erase-no" class="button quiet" on_press=Callback::new(move |()| asked.set(false))>"Leave it as it is"</Press>
                </p>
            </div>
        }
        .into_any()
    };
    Some(view! { <section class="area-erase" aria-label="Erasing">{form}</section> })
}

/// What is to be said once it is done.
fn erased(exports: &[ExportWithSession]) -> String {
    match exports.len() {
        0 => "The session is erased.".to_owned(),
        1 => format!(
            "The session is erased. An export still holds it: {}.",
            exports[0].folder
        ),
        many => {
            let folders: Vec<&str> = exports.iter().map(|it| it.folder.as_str()).collect();
            format!(
                "The session is erased. {many} exports still hold it: {}.",
                folders.join(", ")
            )
        }
    }
}
