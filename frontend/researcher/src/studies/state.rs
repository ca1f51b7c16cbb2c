//! Whether sessions of a study can be started, in words.

use api::research::StudyState;
use leptos::prelude::*;

use crate::text::text;

/// Whether sessions can be started: a shape, a colour and words.
#[component]
pub fn StateOf(state: StudyState) -> impl IntoView {
    let texts = &text().studies;
    let (shape, words) = match state {
        StudyState::Draft => ("✎", texts.state_draft()),
        StudyState::Pilot => ("◐", texts.state_pilot()),
        StudyState::Running => ("●", texts.state_running()),
        StudyState::Paused => ("❚❚", texts.state_paused()),
        StudyState::Full => ("■", texts.state_full()),
        StudyState::NotOpen => ("○", texts.state_not_open()),
        StudyState::Closed => ("⊘", texts.state_closed()),
        StudyState::Refused => ("▲", texts.state_file_refused()),
        StudyState::NoFile => ("△", texts.state_no_file()),
    };
    view! {
        <span class="area-state" data-state=state.name()>
            <span class="area-shape" aria-hidden="true">{shape}</span>
            {words}
        </span>
    }
}
