//! Whether the participant's device fits the study.

use domain::device::{DeviceFault, Pointer};
use frontend::text::text;
use frontend::ui::parts::Heading;
use frontend::ui::presses;
use leptos::prelude::*;

/// While the device is looked at, and what it lacks. Nothing has been asked yet.
#[component]
pub fn DeviceScreen(
    /// What it lacks; absent while it is looked at.
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
                <button type="button" class="button primary" data-testid="device-again" on:click=move |_| on_again.run(())>
                    {words.again()}
                </button>
                <button type="button" class="button" data-testid="device-stop" on:click=move |_| on_stop.run(())>
                    {words.stop()}
                </button>
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

fn reason(fault: DeviceFault) -> String {
    let words = &text().device;
    match fault {
        DeviceFault::Pointer(Pointer::Fine) => words.fine_pointer().to_owned(),
        DeviceFault::Pointer(Pointer::Touch) => words.touch().to_owned(),
        DeviceFault::Width(pixels) => words.width(pixels),
        DeviceFault::Slow => words.slow().to_owned(),
    }
}
