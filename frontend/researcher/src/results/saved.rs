//! What is shown, as a file.

use leptos::prelude::*;
use serde::Serialize;

/// A link that saves something as JSON, as the server gave it.
#[component]
pub fn Saved<T: Serialize + Clone + Send + Sync + 'static>(
    /// Name of the file.
    file: String,
    /// What is saved.
    of: T,
) -> impl IntoView {
    // Large results are turned into text only when somebody is about to ask for it.
    let address = RwSignal::new(String::new());
    let of = StoredValue::new(of);
    let prepare = move || {
        if address.with_untracked(String::is_empty) {
            let text = of
                .with_value(|of| serde_json::to_string_pretty(of))
                .unwrap_or_default();
            let text = String::from(js_sys::encode_uri_component(&text));
            address.set(format!("data:application/json;charset=utf-8,{text}"));
        }
    };
    view! {
        <a
            class="button quiet"
            href=move || address.with(|it| if it.is_empty() { "#".to_owned() } else { it.clone() })
            download=file
            data-testid="save-json"
            on:pointerenter=move |_| prepare()
            on:focus=move |_| prepare()
        >
            "Save as JSON"
        </a>
    }
}
