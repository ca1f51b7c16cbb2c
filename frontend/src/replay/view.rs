//! The parts of a page that replays a session: the participant's screen, and what has happened.

use std::rc::Rc;

use leptos::context::Provider;
use leptos::prelude::*;

use super::Replay;
use super::clock::clock;
use super::shown::OnScreen;
use super::timeline::TimelineEntry;
use crate::runtime::current::CurrentSession;
use crate::screens::study::StudyScreen;
use crate::screens::under_way::under_way;
use crate::state::{Persistence, Screen};
use crate::ui::parts::Remount;
use crate::ui::presses::Mirrored;

/// A session that is replayed, within reach of components.
pub type SharedReplay = StoredValue<Rc<Replay>, LocalStorage>;

/// The participant's screen, as far as it is known. Nothing in it can be pressed or focused: it is the participant's.
#[component]
pub fn ReplayFrame(
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let screen = move |screen: OnScreen| {
        replay
            .with_value(|replay| on_screen(replay, &screen))
            .unwrap_or_else(|| {
                let words = match screen {
                    OnScreen::Words(words) => words,
                    OnScreen::Screen(_) => "A screen that cannot be shown here".into(),
                };
                view! { <p class="replay-words" data-testid="words">{words}</p> }.into_any()
            })
    };
    view! {
        <div class="replay-frame" inert>
            <Provider value=Mirrored>
                <Remount of=shown.screen.into() children=screen/>
            </Provider>
        </div>
    }
}

/// Where the log is damaged, if it is.
#[component]
pub fn Damaged(
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    move || {
        let why = shown.broken.get()?;
        Some(view! { <p class="problem" role="alert" data-testid="damaged">{why}</p> })
    }
}

fn on_screen(replay: &Replay, screen: &OnScreen) -> Option<AnyView> {
    match screen {
        OnScreen::Words(_) => None,
        OnScreen::Screen(Screen::Study(info)) => {
            let on_start = Callback::new(|_| {});
            let on_decline = Callback::new(|()| {});
            let view = view! {
                <StudyScreen
                    info=info.clone()
                    again=false
                    keeping=Signal::stored(Persistence::Everything)
                    starting=Signal::stored(false)
                    error=Signal::stored(None)
                    on_start
                    on_decline
                />
            };
            Some(view.into_any())
        }
        OnScreen::Screen(screen) => under_way(replay, CurrentSession::default(), screen),
    }
}

/// The list of what has happened until now, the newest first.
#[component]
pub fn Happenings(
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let rows = move || {
        let mut entries = shown.timeline.get();
        entries.sort_by_key(|entry| entry.at_ms);
        // Entries of the same moment keep their order, too.
        entries.reverse();
        let row = |entry: TimelineEntry| {
            let mark = entry
                .mark
                .map(|mark| view! { <b class="replay-mark">{mark}</b> });
            view! {
                <li class="replay-entry" data-kind=entry.kind.name()>
                    <time>{clock(entry.at_ms)}</time> <span>{mark} {entry.text}</span>
                </li>
            }
        };
        entries.into_iter().map(row).collect_view()
    };
    view! {
        <ol
            class="replay-happenings"
            tabindex="0"
            aria-label="What has happened, the newest first"
            data-testid="timeline"
        >
            {rows}
        </ol>
    }
}

/// How many pictures agree with what was recorded of them, as far as they were compared.
#[component]
pub fn Compared(
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let words = move || match (shown.compared.get(), shown.disagreements.with(Vec::len)) {
        (0, _) => None,
        (compared, found) => Some(comparison_words(compared, found)),
    };
    view! { <p class="small" data-testid="compared">{words}</p> }
}

fn comparison_words(compared: u64, found: usize) -> String {
    let pictures = if compared == 1 { "picture" } else { "pictures" };
    let compared = format!("{compared} {pictures} decoded again.");
    match found {
        0 => format!("{compared} Distances and errors are as recorded."),
        1 => format!("{compared} One recorded number does not agree; the list shows where."),
        more => format!("{compared} {more} recorded numbers do not agree; the list shows where."),
    }
}

#[cfg(test)]
mod tests {
    use super::comparison_words;

    #[test]
    fn what_was_compared_is_said_in_words() {
        assert_eq!(
            comparison_words(1, 0),
            "1 picture decoded again. Distances and errors are as recorded."
        );
        assert!(comparison_words(20, 1).contains("One recorded number does not agree"));
        assert!(comparison_words(20, 2).contains("2 recorded numbers do not agree"));
    }
}
