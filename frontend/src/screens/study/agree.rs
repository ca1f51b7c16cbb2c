//! How a participant agrees: by the button alone, a box to tick, or a typed signature.

use domain::session::event::MAX_SIGNATURE;
use domain::study::Agreement;
use leptos::html;
use leptos::prelude::*;

use crate::text::text;
use crate::ui::typed::passing_id;

/// The participant's input, ticked or typed.
#[derive(Clone, Copy, Default)]
pub(super) struct AgreementInput {
    ticked: RwSignal<bool>,
    name: RwSignal<String>,
    missing: RwSignal<bool>,
    control: NodeRef<html::Input>,
}

impl AgreementInput {
    /// The signature, if one is asked for; `None`, and a message, if the agreement is not there.
    pub(super) fn given(self, kind: Agreement) -> Option<Option<String>> {
        let name = self.name.with_untracked(|name| name.trim().to_owned());
        let given = match kind {
            Agreement::Button => Some(None),
            Agreement::Checkbox => self.ticked.get_untracked().then_some(None),
            Agreement::Signature => (!name.is_empty()).then_some(Some(name)),
        };
        self.missing.set(given.is_none());
        if given.is_none()
            && let Some(control) = self.control.get_untracked()
        {
            // The message is on the page whether or not the focus follows.
            let _ = control.focus();
        }
        given
    }
}

/// The box or the line for the signature.
pub(super) fn field(kind: Agreement, agreeing: AgreementInput) -> Option<AnyView> {
    let words = &text().study;
    let missing = agreeing.missing;
    let invalid = move || missing.get().then_some("true");
    let problem = |message: &'static str| {
        view! {
            <p class="item-problem" id="agree-problem">
                {move || missing.get().then_some(message)}
            </p>
        }
    };
    match kind {
        Agreement::Button => None,
        Agreement::Checkbox => Some(
            view! {
                <div class="card item agree" class:wrong=move || missing.get()>
                    <label class="tick">
                        <input
                            type="checkbox"
                            node_ref=agreeing.control
                            data-testid="agree"
                            aria-describedby="agree-problem"
                            aria-invalid=invalid
                            on:change:target=move |event| {
                                agreeing.ticked.set(event.target().checked());
                                missing.set(false);
                            }
                        />
                        <span>{words.agree_box()}</span>
                    </label>
                    {problem(words.agree_box_missing())}
                </div>
            }
            .into_any(),
        ),
        Agreement::Signature => Some({
            let id = passing_id();
            view! {
                <div class="card item agree" class:wrong=move || missing.get()>
                    <label for=id.clone()>{words.signature()}</label>
                    <input
                        type="text"
                        id=id
                        autocomplete="off"
                        maxlength=MAX_SIGNATURE
                        node_ref=agreeing.control
                        data-testid="signature"
                        aria-describedby="agree-problem"
                        aria-invalid=invalid
                        on:input:target=move |event| {
                            agreeing.name.set(event.target().value());
                            missing.set(false);
                        }
                    />
                    {problem(words.signature_missing())}
                </div>
            }
            .into_any()
        }),
    }
}
