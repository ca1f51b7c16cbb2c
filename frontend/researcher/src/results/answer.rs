//! The answer to a request that was made with a form.

use leptos::prelude::*;
use serde::de::DeserializeOwned;

use super::{Awaited, HowFar, Saved};

use crate::text::text;

/// How far what was asked for is, what was found, and the way to save it; nothing before somebody has asked.
#[component]
pub fn Answer<T, F>(
    /// The address that was asked for.
    path: RwSignal<Option<String>>,
    /// The answer from there.
    awaited: Awaited<T>,
    /// The study.
    study: StoredValue<String>,
    /// The name of the answer for tests, and in the name of its file.
    name: &'static str,
    /// The words for the items that are counted on the way.
    #[prop(default = text().results.sessions_read())]
    counts: &'static str,
    /// The answer, as it is shown.
    found: F,
) -> impl IntoView
where
    T: DeserializeOwned + PartialEq + Clone + Send + Sync + 'static,
    F: Fn(T) -> AnyView + Copy + Send + 'static,
{
    move || {
        path.with(Option::is_some).then(|| {
            let answer = awaited.found.get().map(|answer| {
                let file = format!("{}-{name}.json", study.get_value());
                let (path, read_at) = (path.get_untracked().unwrap_or_default(), awaited.read_at());
                view! {
                    {found(answer)}
                    <p class="actions"><Saved file path read_at/></p>
                }
            });
            view! {
                <div data-testid=format!("{name}-result")>
                    <HowFar of=awaited.status again=awaited.again counts/>
                    {answer}
                </div>
            }
        })
    }
}
