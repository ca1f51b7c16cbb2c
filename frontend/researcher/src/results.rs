//! Results that the server works out from all logs of a study, shown as soon as they are there.

use std::sync::Arc;

use api::research::{ResultOf, WorkedOut, Working};
use form_urlencoded::Serializer;
use frontend::runtime::client::ClientError;
use frontend::runtime::{page, research_client};
use frontend::ui::parts::Press;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;

use crate::area::Area;
use crate::text::text;
use crate::words::{date_and_time, sentence};

mod answer;
mod shown_table;
mod whose;

pub use answer::Answer;
pub use shown_table::TableOf;
pub use whose::Whose;

/// How long to wait before asking again.
const ASK_AGAIN_MS: u32 = 1_000;

/// How far something is that the server works out.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    asked_at_unix_ms: u64,
    read_at_unix_ms: Option<u64>,
    current: bool,
    working: Option<Working>,
    problem: Option<String>,
}

/// Something that the server works out.
pub struct Awaited<T: Send + Sync + 'static> {
    /// The result, whether it is of now or older.
    pub found: RwSignal<Option<T>>,
    /// How far it is; nothing before the server has said so.
    pub status: RwSignal<Option<Status>>,
    /// Works it out once more.
    pub again: Callback<()>,
}

impl<T: Send + Sync> Clone for Awaited<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync> Copy for Awaited<T> {}

impl<T: DeserializeOwned + PartialEq + Send + Sync + 'static> Awaited<T> {
    /// Asks for what lies at an address, of which the query may say more with each change; nothing is asked for while
    /// there is none. It is asked again until it is there.
    pub fn new(area: Area, path: Signal<Option<String>>) -> Self {
        let found = RwSignal::new(None::<T>);
        let status = RwSignal::new(None::<Status>);
        let take = move |answer: &str| {
            let answer: WorkedOut<T> = research_client::read(answer)?;
            // The same again would make the page anew.
            let is_new = found.with_untracked(|it| *it != answer.found);
            if is_new {
                found.set(answer.found);
            }
            Ok(Status {
                asked_at_unix_ms: answer.asked_at_unix_ms,
                read_at_unix_ms: answer.read_at_unix_ms,
                current: answer.current,
                working: answer.working,
                problem: answer.problem,
            })
        };
        let take: Take = Arc::new(take);
        let again = follow(area, path, status, take);
        area.load(move || {
            path.track();
            // The result that is shown was asked for with another address.
            found.set(None);
            status.set(None);
            again.run(());
        });
        Self {
            found,
            status,
            again,
        }
    }

    /// When the logs were read that what is shown was made of.
    pub fn read_at(self) -> Option<u64> {
        self.status
            .with_untracked(|it| it.as_ref().and_then(|it| it.read_at_unix_ms))
    }
}

/// Takes an answer of the server in.
type Take = Arc<dyn Fn(&str) -> Result<Status, ClientError> + Send + Sync>;

/// Asks, and asks again until it is there. Gives what begins it anew.
fn follow(
    area: Area,
    path: Signal<Option<String>>,
    status: RwSignal<Option<Status>>,
    take: Take,
) -> Callback<()> {
    // Counts the questions: only the last one is followed.
    let question = RwSignal::new(0_u32);
    Callback::new(move |()| {
        let Some(path) = path.try_get_untracked().flatten() else {
            return;
        };
        let number = question.try_update(|it| {
            *it += 1;
            *it
        });
        let is_asked = move || question.try_get_untracked() == number;
        let take = Arc::clone(&take);
        spawn_local(async move {
            let mut since = String::new();
            while is_asked() {
                let answer = research_client::get_text(&format!("{path}{since}")).await;
                // The page may have been left.
                if !is_asked() {
                    return;
                }
                match answer.and_then(|answer| take(&answer)) {
                    Err(error) => {
                        area.tell(&error);
                        return;
                    }
                    Ok(found) => {
                        since = format!("&since_unix_ms={}", found.asked_at_unix_ms);
                        let ended = found.current || found.problem.is_some();
                        let _ = status.try_set(Some(found));
                        if ended {
                            return;
                        }
                    }
                }
                TimeoutFuture::new(ASK_AGAIN_MS).await;
            }
        });
    })
}

/// How old what is shown is, how far a newer one is, and what went wrong.
#[component]
pub fn HowFar(
    /// How far it is.
    of: RwSignal<Option<Status>>,
    /// Works it out once more.
    again: Callback<()>,
    /// The words for the items that are counted on the way.
    #[prop(default = text().results.sessions_read())]
    counts: &'static str,
) -> impl IntoView {
    let words = move || {
        of.with(|status| match status {
            None => text().results.asked_for().to_owned(),
            Some(status) => {
                let as_of = status.read_at_unix_ms.map(date_and_time);
                in_words(as_of.as_deref(), status.current, status.working, counts)
            }
        })
    };
    let bar = move || {
        let working = of.with(|it| it.as_ref().and_then(|it| it.working))?;
        (working.of > 0).then(|| {
            view! { <progress aria-label=text().results.number_of(counts) max=working.of.to_string() value=working.done.to_string()></progress> }
        })
    };
    let problem = move || {
        let problem = of.with(|it| it.as_ref().and_then(|it| it.problem.clone()))?;
        Some(view! {
            <p class="problem" role="alert">{sentence(&problem)}</p>
            <p class="actions"><Press testid="again" class="button" on_press=again>{text().results.again()}</Press></p>
        })
    };
    view! {
        <div class="area-how-far">
            <p class="muted small" role="status" data-testid="how-far">{words}</p>
            {bar}
            {problem}
        </div>
    }
}

/// A link that saves what an address holds, as JSON.
#[component]
pub fn Saved(
    /// Name of the file.
    file: String,
    /// The address.
    path: String,
    /// When the logs were read that what is shown was made of: the file is of the same.
    read_at: Option<u64>,
) -> impl IntoView {
    let since = read_at.map(|it| format!("&since_unix_ms={it}"));
    let address = page::address(&format!("{path}{}", since.unwrap_or_default()));
    view! { <a class="button quiet" href=address download=file data-testid="save-json">{text().results.save_json()}</a> }
}

/// How old something is, and how far a newer one.
fn in_words(as_of: Option<&str>, current: bool, working: Option<Working>, counts: &str) -> String {
    let words = &text().results;
    let newer = match working {
        _ if current => None,
        Some(Working { done, of }) if of > 0 => Some(words.progress(done, of, counts)),
        Some(_) => Some(words.soon().to_owned()),
        None => None,
    };
    match (as_of, newer) {
        (None, None) => words.nothing_yet().to_owned(),
        (Some(as_of), None) => words.as_of(as_of),
        (None, Some(newer)) => words.working(newer),
        (Some(as_of), Some(newer)) => words.working_again(as_of, newer),
    }
}

/// A path with the query that says whose sessions something is about.
pub fn path_of(path: &str, of: ResultOf) -> String {
    format!("{path}?of={}", of.name())
}

/// A path with parameters.
pub fn path_with(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in parameters {
        query.append_pair(name, value);
    }
    format!("{path}?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_how_old_and_how_far_it_is() {
        let working = |done, of| Some(Working { done, of });
        let in_words = |as_of, current, working| in_words(as_of, current, working, "sessions read");
        assert_eq!(in_words(None, false, None), "There is nothing yet.");
        assert_eq!(in_words(Some("noon"), true, working(3, 9)), "As of noon.");
        assert_eq!(
            in_words(None, false, working(3, 9)),
            "Being worked out: 3 of 9 sessions read."
        );
        assert_eq!(
            in_words(Some("noon"), false, working(0, 0)),
            "As of noon. Something was written since; being worked out again: it is worked out soon."
        );
    }

    #[test]
    fn odd_names_stay_one_parameter() {
        assert_eq!(
            path_with("/a", &[("name", "a&b=c"), ("of", "people")]),
            "/a?name=a%26b%3Dc&of=people"
        );
    }
}
