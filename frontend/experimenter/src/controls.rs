//! The experimenter's controls, and the list of what has happened.

use api::lab::ExperimenterAct;
use frontend::replay::view::Happenings;
use frontend::runtime::task::Displayed as _;
use frontend::task::StageFacts;
use frontend::ui::presses;
use frontend::ui::typed::passing_id;
use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::context::{Current, LabContext};

/// Pause, the end of a stage, marks, notes and the timeline.
#[component]
pub fn Controls(
    /// The context that the parts of the page share.
    context: LabContext,
    /// The session that is followed.
    current: StoredValue<Current, LocalStorage>,
) -> impl IntoView {
    let replay = current.with_value(|current| StoredValue::new_local(current.replay.clone()));
    view! {
        <aside class="lab-controls">
            <Steering context current/>
            <Notes context current/>
            <Happenings replay/>
        </aside>
    }
}

#[component]
fn Steering(context: LabContext, current: StoredValue<Current, LocalStorage>) -> impl IntoView {
    let shown = current.with_value(|current| current.replay.shown);
    let ending = RwSignal::new(false);
    let pause = move |_| {
        let act = if shown.pause_asked.get_untracked() {
            ExperimenterAct::Resume
        } else {
            ExperimenterAct::Pause
        };
        context.act(act, || {});
    };
    let pause_words = move || match (shown.pause_asked.get(), shown.paused.get()) {
        (true, true) => "Continue",
        (true, false) => "Pausing… (take back)",
        (false, true) => "Continuing…",
        (false, false) => "Pause",
    };
    let end = move || {
        let stage = shown.stage.get()?;
        // The button that confirms stands where the button that asks for it was.
        presses::new_page();
        Some(if ending.get() {
            let act = ExperimenterAct::EndStage { stage };
            view! {
                <span class="lab-confirm">
                    {format!("End {} now?", stage_words(current, stage))}
                    <button
                        type="button"
                        class="button primary"
                        data-testid="end-stage-yes"
                        on:click=move |_| {
                            ending.set(false);
                            context.act(act.clone(), || {});
                        }
                    >
                        "End it"
                    </button>
                    <button type="button" class="button quiet" on:click=move |_| ending.set(false)>
                        "No"
                    </button>
                </span>
            }
            .into_any()
        } else {
            view! {
                <button
                    type="button"
                    class="button"
                    data-testid="end-stage"
                    on:click=move |_| ending.set(true)
                >
                    "End this stage"
                </button>
            }
            .into_any()
        })
    };
    view! {
        <div class="lab-steering">
            <button
                type="button"
                class="button"
                data-testid="pause"
                disabled=move || shown.ended.get()
                on:click=pause
            >
                {pause_words}
            </button>
            {end}
        </div>
    }
}

/// A stage as its participant counts, who is not told a number of practice.
fn stage_words(current: StoredValue<Current, LocalStorage>, stage: usize) -> String {
    let facts = current.with_value(|it| StageFacts::of(&it.replay.session(), stage));
    match facts {
        Some(facts) if !facts.practice => format!("stage {} of {}", facts.number, facts.count),
        _ => "practice".to_owned(),
    }
}

#[component]
fn Notes(context: LabContext, current: StoredValue<Current, LocalStorage>) -> impl IntoView {
    let (shown, marks) = current.with_value(|it| (it.replay.shown, it.marks.clone()));
    let text = RwSignal::new(String::new());
    let id = passing_id();
    // The note is about the moment when it was begun.
    let begun_ms = StoredValue::new(None::<u64>);
    let mark = move |name: String| {
        let act = ExperimenterAct::Note {
            text: String::new(),
            mark: Some(name),
            about_ms: None,
        };
        context.act(act, || {});
    };
    let save = move || {
        let written = text.get_untracked();
        if written.trim().is_empty() {
            return;
        }
        let act = ExperimenterAct::Note {
            text: written.trim().to_owned(),
            mark: None,
            about_ms: begun_ms.get_value(),
        };
        context.act(act, move || {
            text.set(String::new());
            begun_ms.set_value(None);
        });
    };
    let by_key = marks.clone();
    let keys = window_event_listener(keydown, move |event: KeyboardEvent| {
        let typing = event.target().is_some_and(|target| {
            let name = target
                .dyn_ref::<web_sys::Element>()
                .map(web_sys::Element::tag_name);
            matches!(name.as_deref(), Some("INPUT" | "TEXTAREA"))
        });
        if typing || event.ctrl_key() || event.meta_key() || event.alt_key() || event.repeat() {
            return;
        }
        let number = event.key().parse::<usize>().ok();
        let name = number.and_then(|number| by_key.get(number.checked_sub(1)?));
        if let Some(name) = name {
            mark(name.clone());
        }
    });
    on_cleanup(move || keys.remove());
    let buttons = marks.into_iter().enumerate().map(|(index, name)| {
        let given = name.clone();
        view! {
            <button
                type="button"
                class="lab-mark"
                data-testid="mark"
                on:click=move |_| mark(given.clone())
            >
                <kbd>{index + 1}</kbd>
                {name}
            </button>
        }
    });
    view! {
        <div class="lab-notes">
            <div class="lab-marks" role="group" aria-label="Marks">{buttons.collect_view()}</div>
            <label for=id.clone()>"Note"</label>
            <textarea
                id=id
                autocomplete="off"
                rows="3"
                maxlength="5000"
                data-testid="note"
                prop:value=move || text.get()
                on:input=move |event| {
                    let written = event_target_value(&event);
                    if written.is_empty() {
                        begun_ms.set_value(None);
                    } else if begun_ms.get_value().is_none() {
                        begun_ms.set_value(Some(shown.now_ms()));
                    }
                    text.set(written);
                }
                on:keydown=move |event: KeyboardEvent| {
                    if event.key() == "Enter" && !event.shift_key() {
                        event.prevent_default();
                        save();
                    }
                }
            ></textarea>
            <p class="lab-hint muted">"Enter saves it. Its time is that of its first letter."</p>
        </div>
    }
}
