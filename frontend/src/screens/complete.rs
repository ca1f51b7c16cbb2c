//! The end: the completion code, and what was recorded.

use domain::recruitment::platform::WayBack;
use domain::session::plan::{AtEnd, Mode};
use leptos::prelude::*;

use super::go_back::GoBack;
use crate::state::ending::Ending;
use crate::state::{CodeState, Persistence};
use crate::text::text;
use crate::ui::clipboard;
use crate::ui::parts::{Heading, Press};
use crate::ui::presses;
use crate::ui::records::{Records, Summary};

/// Thanks, the code, and a look at the record.
#[component]
pub fn CompleteScreen(
    /// The code, as far as it is there.
    code: Signal<CodeState>,
    /// The part of the session that this browser keeps.
    keeping: Signal<Persistence>,
    /// How the participant goes back to their platform, if they came from one.
    way_back: Signal<Option<WayBack>>,
    /// The claim number, which the participant can refer to until the code is there.
    claim: Option<String>,
    /// The content that is shown beside the code.
    ending: Ending,
    /// Asks for the code once more.
    on_retry: Callback<()>,
    /// The next person starts on this device.
    on_next_person: Callback<()>,
) -> impl IntoView {
    let words = &text().complete;
    let Ending {
        at_end,
        mode,
        records,
        ..
    } = ending;
    let shown = match at_end {
        AtEnd::Nothing => None,
        AtEnd::Summary => Some(view! { <Summary records/> }.into_any()),
        AtEnd::Everything => {
            Some(view! { <Summary records=records.clone()/> <Records records/> }.into_any())
        }
    };
    let claim_view = move || {
        claim.clone().map(|claim| {
            view! { <p class="muted" data-testid="claim">{words.claim(&claim)}</p> }
        })
    };
    // A participant at home takes part once.
    let next_person = move || {
        mode == Mode::Lab
            && code.with(|code| matches!(code, CodeState::Ready(_) | CodeState::Trial))
    };
    view! {
        <div class="screen reading" data-screen="complete">
            <Heading words=words.heading()/>
            {(at_end != AtEnd::Nothing).then(|| view! { <p class="lead">{words.learnt()}</p> })}
            <section class="card code-card" aria-live="polite">
                {move || {
                    presses::new_page();
                    match code.get() {
                    CodeState::Waiting => {
                        view! { <p class="waiting">{words.waiting()}</p> }.into_any()
                    }
                    CodeState::Offline => {
                        let kept = keeping.get() == Persistence::Everything;
                        let said = if kept { words.offline() } else { words.offline_keep_open() };
                        view! { <p>{said}</p> {claim_view()} }.into_any()
                    }
                    CodeState::Ready(code) => match way_back.get() {
                        Some(way_back) => view! { <LastStep way_back code/> }.into_any(),
                        None => view! { <Code code/> }.into_any(),
                    },
                    CodeState::Trial => {
                        view! { <p data-testid="trial">{words.trial()}</p> }.into_any()
                    }
                    CodeState::Failed(why) => view! {
                        <p>{words.failed()}</p>
                        <p class="problem">{why}</p>
                        {claim_view()}
                        <button type="button" class="button primary" on:click=move |_| on_retry.run(())>
                            {words.retry()}
                        </button>
                    }.into_any(),
                    }
                }}
            </section>
            {shown}
            {move || next_person().then(|| view! {
                <p class="aside">
                    <Press testid="next-person" class="button quiet" on_press=on_next_person>{words.next_person()}</Press>
                </p>
            })}
        </div>
    }
}

/// The way back to the platform, which is where the participant is paid. Our own code is only
/// what they can refer to.
#[component]
fn LastStep(way_back: WayBack, code: String) -> impl IntoView {
    let words = &text().go_back;
    let lead = words.last_step(&way_back.platform);
    view! {
        <p class="lead">{lead}</p>
        <GoBack way_back/>
        <p class="muted small">
            {words.reference()} " " <code class="notranslate" translate="no" data-testid="completion-code">{code}</code>
        </p>
    }
}

/// How an attempt to copy ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copied {
    NotTried,
    Yes,
    No,
}

#[component]
fn Code(code: String) -> impl IntoView {
    let words = &text().complete;
    let copied = RwSignal::new(Copied::NotTried);
    let to_copy = code.clone();
    let copy = move |_| {
        let code = to_copy.clone();
        leptos::task::spawn_local(async move {
            let worked = clipboard::copy(&code).await;
            copied.set(if worked { Copied::Yes } else { Copied::No });
        });
    };
    view! {
        <p>{words.ready()}</p>
        <p class="code-line">
            <code class="code notranslate" translate="no" data-testid="completion-code">{code}</code>
            <button type="button" class="button primary" data-testid="copy-code" on:click=copy>
                {words.copy()}
            </button>
        </p>
        <p class="copy-note" class:copied=move || copied.get() == Copied::Yes role="status">
            {move || match copied.get() {
                Copied::NotTried => words.close(),
                Copied::Yes => words.copied(),
                Copied::No => words.copy_failed(),
            }}
        </p>
    }
}
