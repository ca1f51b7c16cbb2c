//! Whether the participant's device fits the study.

use domain::session::device::{DeviceFault, DeviceReport, Pointer};
use domain::session::event::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::runtime::current::CurrentSession;
use crate::runtime::device;
use crate::task::screens;
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use crate::ui::presses;

/// While the device is looked at, and what it lacks. Nothing has been asked yet.
#[component]
pub fn DeviceScreen(
    /// The faults of the device; absent while it is looked at.
    faults: Signal<Option<Vec<DeviceFault>>>,
    /// Looks again.
    on_again: Callback<()>,
    /// The participant stops here.
    on_stop: Callback<()>,
) -> impl IntoView {
    let words = &text().device;
    let heading = Signal::derive(move || {
        let looking = faults.with(Option::is_none);
        (if looking {
            words.checking()
        } else {
            words.heading()
        })
        .to_owned()
    });
    let lacks = move || {
        let Some(faults) = faults.get() else {
            return view! { <p role="status">{words.moment()}</p> }.into_any();
        };
        presses::new_page();
        let reasons: Vec<_> = faults
            .into_iter()
            .map(|fault| view! { <p class="lead">{reason(fault)}</p> })
            .collect();
        view! {
            <div role="alert">{reasons}</div>
            <div class="actions">
                <Press testid="device-again" on_press=on_again>{words.again()}</Press>
                <Press testid="device-stop" class="button" on_press=on_stop>{words.stop()}</Press>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="screen notice" data-screen="device-check">
            <div class="card">
                <Heading words=heading/>
                {lacks}
            </div>
        </div>
    }
}

/// The screen of a session at this part: it looks at the device as soon as it is there. One that fits goes on by itself; of one that
/// does not, nothing is logged before the participant has had the chance to look again.
#[must_use]
pub fn device_check(session: CurrentSession, part: usize) -> Option<AnyView> {
    let taken = session.get()?;
    let needs = taken.session().device_needs(part)?;
    let model = device::checked_model(&taken.session(), part);
    let decoder = match &model {
        Some(facts) => Some(taken.decoders().get(facts)?),
        None => None,
    };
    let stages = taken.session().shared_plan();
    let questions = stages.stages.iter();
    let questions: Vec<String> = questions
        .filter_map(|stage| screens(stage.task.task()).size_probe(&stage.task))
        .collect();
    let parts = StoredValue::new_local((model, decoder, questions));
    let found = RwSignal::new(None::<DeviceReport>);
    let look = move || {
        found.set(None);
        spawn_local(async move {
            let (model, decoder, questions) = parts.get_value();
            let decoder = model.as_ref().zip(decoder.as_ref());
            let device = device::look(&questions, decoder).await;
            // The screen may be gone by now.
            if found.try_set(Some(device)).is_none() && needs.faults(&device).is_empty() {
                done(session, part, device);
            }
        });
    };
    look();
    let faults = Signal::derive(move || {
        let faults = found.get().map(|device| needs.faults(&device));
        faults.filter(|faults| !faults.is_empty())
    });
    let on_again = Callback::new(move |()| look());
    let on_stop = Callback::new(move |()| {
        if let Some(device) = found.get_untracked() {
            done(session, part, device);
        }
    });
    Some(view! { <DeviceScreen faults on_again on_stop/> }.into_any())
}

fn done(session: CurrentSession, part: usize, device: DeviceReport) {
    if let Some(taken) = session.get() {
        taken.act(Event::DeviceChecked { part, device });
    }
}

fn reason(fault: DeviceFault) -> String {
    let words = &text().device;
    match fault {
        DeviceFault::Pointer(Pointer::Fine) => words.fine_pointer().to_owned(),
        DeviceFault::Pointer(Pointer::Touch) => words.touch().to_owned(),
        DeviceFault::Width(pixels) => words.width(pixels),
        DeviceFault::Pictures => words.pictures().to_owned(),
        DeviceFault::Slow => words.slow().to_owned(),
    }
}
