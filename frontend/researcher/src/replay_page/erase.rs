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
use crate::text::text;

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
                    <Press testid="erase" class="button quiet" on_press=ask>{text().erasing.erase_this()}</Press>
                </p>
            }
            .into_any();
        }
        let listed = exports.get().map(|exports| {
            let lines = exports.into_iter().map(|export| {
                let gone = (!export.there).then(|| text().erasing.gone());
                view! { <li>{format!("{} {}", export.exported_at_utc, export.folder)}{gone}</li> }
            });
            let lines = lines.collect_view();
            if lines.is_empty() {
                view! { <p>{text().erasing.no_exports()}</p> }.into_any()
            } else {
                view! {
                    <p>{text().erasing.exports()}</p>
                    <ul class="small" data-testid="erase-exports">{lines}</ul>
                }
                .into_any()
            }
        });
        view! {
            <div class="note" data-testid="erase-means">
                <p>
                    {text().erasing.means_before()}
                    <code>"redial database restore"</code>
                    {text().erasing.means_after()}
                </p>
                {listed}
                <p>{text().erasing.type_name()} <code>{viewer.session.get_value()}</code></p>
                <Field label=text().erasing.name() testid="erase-name" value=typed on_enter=erase/>
                <p class="actions">
                    <Press testid="erase-yes" disabled=not_the_name on_press=erase>{text().erasing.erase()}</Press>
                    <Press testid="erase-no" class="button quiet" on_press=Callback::new(move |()| asked.set(false))>{text().erasing.leave()}</Press>
                </p>
            </div>
        }
        .into_any()
    };
    Some(view! { <section class="area-erase" aria-label=text().erasing.label()>{form}</section> })
}

/// The message once the session is erased.
fn erased(exports: &[ExportWithSession]) -> String {
    let words = &text().erasing;
    match exports {
        [] => words.erased().to_owned(),
        [one] => words.erased_but_in_one(&one.folder),
        many => {
            let folders: Vec<&str> = many.iter().map(|it| it.folder.as_str()).collect();
            words.erased_but_in(many.len(), folders.join(", "))
        }
    }
}
