//! How controls are moved and texts typed, as the device reports it: summed up here for the host of the
//! session, which logs it. Neither places on the page nor words are kept.

use std::cell::RefCell;

use domain::movement::Modality;
use domain::movement::gesture::{GestureTracer, TextWriting};
use domain::session::event::Event;
use js_sys::{Function, Reflect};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement, InputEvent, PointerEvent};

use super::{clock, modality, page};

/// The controls of a question.
const CONTROLS: &str = ".dials";
/// The attribute of a field in a questionnaire that names its item.
const FIELD: &str = "data-field";
/// Most summaries that wait for a session to log them.
const MOST_WAITING: usize = 200;

thread_local! {
    static SEEN: RefCell<PendingGestures> = RefCell::default();
}

/// Input that was seen and is not logged yet.
#[derive(Default)]
struct PendingGestures {
    pointer: Option<Tracing>,
    field: Option<Writing>,
    scripted: u32,
    done: Vec<Done>,
}

/// A pointer that is down.
struct Tracing {
    id: i32,
    by: Modality,
    since_ms: f64,
    tracer: GestureTracer,
}

/// A text field that has the focus.
struct Writing {
    since_ms: f64,
    length: u32,
    so_far: TextWriting,
}

/// Something that is over, with the monotonic clock's times of its beginning and end.
enum Done {
    Gesture(Tracing, f64),
    Text(TextWriting),
}

/// Input since the last time this was asked, as events to log at `now_ms` of the session.
/// With `all`, a text field that still has the focus is among them: its page is handed in.
#[must_use]
pub fn take(now_ms: u64, all: bool) -> Vec<Event> {
    let monotonic_ms = clock::monotonic_ms();
    SEEN.with_borrow_mut(|seen| {
        if all {
            seen.leave_field(monotonic_ms);
        }
        let mut events = Vec::new();
        if seen.scripted > 0 {
            events.push(Event::ScriptedInput {
                events: std::mem::take(&mut seen.scripted),
            });
        }
        let logged = |done: Done| match done {
            Done::Text(writing) => Event::TextWritten(writing),
            Done::Gesture(tracing, ended_ms) => {
                // saturates
                let ago_ms = (monotonic_ms - tracing.since_ms).max(0.0).ceil() as u64;
                let started_ms = now_ms.saturating_sub(ago_ms);
                let mut gesture = tracing.tracer.up(tracing.by, started_ms, ended_ms);
                // The session's clock never goes back, and may be ahead of the monotonic one.
                gesture.duration_ms = gesture.duration_ms.min(now_ms - started_ms);
                Event::GestureMade(gesture)
            }
        };
        events.extend(seen.done.drain(..).map(logged));
        events
    })
}

/// Listens for as long as the page lives, before any control hears of it.
pub fn listen() {
    let on = |name: &'static str, heard: fn(&mut PendingGestures, &web_sys::Event)| {
        page::capture(name, move |event| {
            SEEN.with_borrow_mut(|seen| heard(seen, event));
        });
    };
    on("pointerdown", PendingGestures::down);
    on("pointermove", PendingGestures::moved);
    on("pointerup", PendingGestures::up);
    on("pointercancel", |seen, _| seen.pointer = None);
    on("input", PendingGestures::input);
    on("change", PendingGestures::changed);
    on("click", PendingGestures::changed);
    on("keydown", PendingGestures::changed);
    on("focusin", PendingGestures::enter_field);
    on("focusout", |seen, _| {
        seen.leave_field(clock::monotonic_ms())
    });
    on("visibilitychange", PendingGestures::hidden);
}

impl PendingGestures {
    fn finish(&mut self, done: Done) {
        if self.done.len() < MOST_WAITING {
            self.done.push(done);
        }
    }

    fn down(&mut self, event: &web_sys::Event) {
        let Some(pointer) = event.dyn_ref::<PointerEvent>() else {
            return;
        };
        if self.pointer.is_some() || !is_on_control(event) {
            return;
        }
        // Input that no pointer made counts as scripted.
        let Some(by) = modality::of_pointer(pointer) else {
            self.changed(event);
            return;
        };
        self.pointer = Some(Tracing {
            id: pointer.pointer_id(),
            by,
            since_ms: clock::monotonic_ms(),
            tracer: GestureTracer::down(place(pointer), event.time_stamp(), event.is_trusted()),
        });
    }

    fn moved(&mut self, event: &web_sys::Event) {
        let (Some(tracing), Some(pointer)) = (&mut self.pointer, event.dyn_ref::<PointerEvent>())
        else {
            return;
        };
        if pointer.pointer_id() != tracing.id {
            return;
        }
        let samples = samples(pointer);
        if samples.is_empty() {
            let at_ms = event.time_stamp();
            tracing
                .tracer
                .sample(place(pointer), at_ms, event.is_trusted());
        }
        for sample in samples {
            // Those that are joined in a trusted event are the device's.
            let at_ms = sample.time_stamp();
            tracing
                .tracer
                .sample(place(&sample), at_ms, event.is_trusted());
        }
    }

    fn up(&mut self, event: &web_sys::Event) {
        let pointer = event.dyn_ref::<PointerEvent>();
        let is_this = |tracing: &mut Tracing| {
            pointer.is_some_and(|pointer| pointer.pointer_id() == tracing.id)
        };
        if let (Some(mut tracing), Some(pointer)) = (self.pointer.take_if(is_this), pointer) {
            let at_ms = event.time_stamp();
            tracing
                .tracer
                .sample(place(pointer), at_ms, event.is_trusted());
            self.finish(Done::Gesture(tracing, at_ms));
        }
    }

    /// A control of a question, or a text, says something new.
    fn input(&mut self, event: &web_sys::Event) {
        self.changed(event);
        let (Some(writing), Some(length)) = (&mut self.field, length(event)) else {
            return;
        };
        let grown = length.saturating_sub(writing.length);
        writing.length = length;
        let text = &mut writing.so_far;
        text.inputs = text.inputs.saturating_add(1);
        text.untrusted = text
            .untrusted
            .saturating_add(u32::from(!event.is_trusted()));
        let how = event.dyn_ref::<InputEvent>().map(InputEvent::input_type);
        if matches!(how.as_deref(), Some("insertFromPaste" | "insertFromDrop")) {
            text.pasted = text.pasted.saturating_add(grown);
        }
    }

    /// A control of a question was used; scripts in the page can do so, too.
    fn changed(&mut self, event: &web_sys::Event) {
        if !event.is_trusted() && is_on_control(event) {
            self.scripted = self.scripted.saturating_add(1);
        }
    }

    fn enter_field(&mut self, event: &web_sys::Event) {
        let item = target(event).and_then(|element| element.get_attribute(FIELD));
        if let (Some(item), Some(length)) = (item, length(event)) {
            self.field = Some(Writing {
                since_ms: clock::monotonic_ms(),
                length,
                so_far: TextWriting {
                    item,
                    ..TextWriting::default()
                },
            });
        }
    }

    fn leave_field(&mut self, now_ms: f64) {
        if let Some(writing) = self.field.take() {
            // saturates
            let focus_ms = (now_ms - writing.since_ms).max(0.0) as u64;
            self.finish(Done::Text(TextWriting {
                characters: writing.length,
                focus_ms,
                ..writing.so_far
            }));
        }
    }

    fn hidden(&mut self, _: &web_sys::Event) {
        if let (Some(writing), true) = (&mut self.field, page::is_hidden()) {
            writing.so_far.left_page = writing.so_far.left_page.saturating_add(1);
        }
    }
}

fn target(event: &web_sys::Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn is_on_control(event: &web_sys::Event) -> bool {
    let closest = target(event).and_then(|element| element.closest(CONTROLS).ok());
    closest.flatten().is_some()
}

/// Number of characters in the text field that an event is about; none for anything else.
fn length(event: &web_sys::Event) -> Option<u32> {
    let element = target(event)?;
    let words = match element.dyn_ref::<HtmlInputElement>() {
        Some(input) if input.type_() == "text" => input.value(),
        Some(_) => return None,
        None => element.dyn_into::<HtmlTextAreaElement>().ok()?.value(),
    };
    u32::try_from(words.chars().count()).ok()
}

/// Where a pointer is on the page.
fn place(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}

/// The samples that the browser has joined in one event; none where it does not tell them.
fn samples(event: &PointerEvent) -> Vec<PointerEvent> {
    let tells = Reflect::get(event, &"getCoalescedEvents".into());
    if !tells.is_ok_and(|tells| tells.is_instance_of::<Function>()) {
        return Vec::new();
    }
    let joined = event.get_coalesced_events().to_vec();
    let joined = joined.into_iter().filter_map(|it| it.dyn_into().ok());
    joined.collect()
}
