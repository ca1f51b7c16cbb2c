//! A figure of an analysis, drawn by the server.

use api::research::{FigureDrawing, ShownFigure};
use api::routes;
use frontend::runtime::{page, research_client};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::MouseEvent;

use super::Shown;
use crate::results::{TableOf, path_with};
use crate::route::Route;
use crate::text::text;
use crate::words::sentence;

/// The figure, its caption, its files and its data.
#[component]
pub fn FigureOf(
    /// The state that the parts of the page share.
    shown: Shown,
    /// The folder before the names of its files.
    folder: StoredValue<String>,
    /// The version of the study.
    version: String,
    /// The figure.
    figure: ShownFigure,
) -> impl IntoView {
    let drawn = RwSignal::new(None::<Result<FigureDrawing, String>>);
    let path = {
        let read_at = shown.read_at().map(|it| it.to_string());
        let mut parameters = vec![
            ("name", figure.name.as_str()),
            ("version", version.as_str()),
            ("of", shown.of.name()),
        ];
        if let Some(read_at) = &read_at {
            parameters.push(("since_unix_ms", read_at));
        }
        path_with(
            &routes::research_analysis_figure(&shown.study()),
            &parameters,
        )
    };
    spawn_local(async move {
        let found = research_client::get::<FigureDrawing>(&path).await;
        let found = found.map_err(|error| sentence(&error.to_string()));
        // The page may have been left.
        let _ = drawn.try_set(Some(found));
    });
    let follow = move |event: MouseEvent| {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
        let target = event
            .target()
            .and_then(|it| it.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|it| it.closest("a[href]").ok().flatten());
        let Some(address) = link.and_then(|it| it.get_attribute("href")) else {
            return;
        };
        let path = address.strip_prefix(&page::base()).unwrap_or(&address);
        if plain {
            event.prevent_default();
            shown.area.go(Route::parse(path, ""));
        }
    };
    let picture = move || match drawn.get() {
        None => view! { <p class="muted">{text().analysis.being_drawn()}</p> }.into_any(),
        Some(Err(words)) => view! { <p class="problem">{words}</p> }.into_any(),
        Some(Ok(drawing)) => {
            view! { <div class="area-drawing" inner_html=drawing.svg on:click=follow></div> }
                .into_any()
        }
    };
    let study = StoredValue::new(shown.study());
    let short: String = version.chars().take(12).collect();
    let label = StoredValue::new(text().analysis.data_of(&figure.name, short));
    let data = move || {
        let drawing = drawn.get()?.ok()?;
        let more = drawing.rows.saturating_sub(drawing.data.rows.len() as u64);
        let more = (more > 0).then(|| {
            let words = text().analysis.more_rows(more);
            view! { <p class="muted small">{words}</p> }
        });
        // Made when it is opened: of a large study there are many rows.
        let open = RwSignal::new(false);
        let table = move || {
            let table = drawing.data.clone();
            let label = label.get_value();
            open.get()
                .then(|| view! { <TableOf area=shown.area study=study.get_value() label table/> })
        };
        Some(view! {
            <details on:toggle=move |_| open.set(true)>
                <summary>{text().analysis.its_data()}</summary>
                {table}
                {more}
            </details>
        })
    };
    let files = ["svg", "png", "pdf", "csv"].map(|ending| {
        let name = format!("{}figures/{}.{ending}", folder.get_value(), figure.name);
        let address = shown.file(&name);
        view! { <a class="button quiet" href=address download="" data-testid=format!("figure-{ending}")>{ending.to_uppercase()}</a> }
    });
    view! {
        <figure class="area-figure" data-figure=figure.name.clone()>
            {picture}
            <figcaption class="small">{figure.caption}</figcaption>
            <p class="actions">{files.into_iter().collect_view()}</p>
            {data}
        </figure>
    }
}
