//! Help that a participant can open: definitions of terms, and a worked example.

use std::sync::Arc;

use domain::concepts::VocabularyGroup;
use domain::task::concept_naming::{ExamplePlan, Plan};
use leptos::html;
use leptos::prelude::*;

use super::samples::{Sample, described};
use crate::text::text;

/// Pixels that a sample of the example is painted with on its longer side, at least.
const SIDE: usize = 112;

/// The definitions of a group's terms.
#[component]
pub fn Definitions(
    /// The group.
    group: VocabularyGroup,
    /// They are opened.
    on_open: Callback<()>,
) -> impl IntoView {
    let defined = group.terms.into_iter().filter_map(|term| {
        let definition = term.definition?;
        Some(view! {
            <dt>{term.text}</dt>
            <dd>{definition}</dd>
        })
    });
    let defined = defined.collect_view();
    view! {
        <Opened testid="definitions" summary=text().naming.definitions().to_owned() on_open>
            <dl class="definitions">{defined}</dl>
        </Opened>
    }
}

/// A concept with its answer.
#[component]
pub fn WorkedExample(
    /// The stage.
    plan: Arc<Plan>,
    /// The example's answer.
    example: ExamplePlan,
    /// The example's samples.
    sheet: Arc<Vec<f32>>,
    /// It is opened.
    on_open: Callback<()>,
) -> impl IntoView {
    let items = (0..plan.samples).map(|sample| {
        view! {
            <li role="img" aria-label=described(&plan, &sheet, sample)>
                <Sample plan=plan.clone() sheet=sheet.clone() sample side=SIDE/>
            </li>
        }
    });
    let items = items.collect_view();
    let groups = plan.vocabulary.groups.iter().zip(&example.terms);
    let terms = groups.filter_map(|(group, term)| {
        let term = group.terms.get((*term)?)?;
        Some(view! {
            <dt>{group.text.clone()}</dt>
            <dd>{term.text.clone()}</dd>
        })
    });
    let terms = terms.collect_view();
    view! {
        <Opened testid="example" summary=text().naming.example().to_owned() on_open>
            <ol class="sample-list">{items}</ol>
            <dl class="definitions">
                {terms}
                <dt>{text().naming.explanation()}</dt>
                <dd>{example.explanation}</dd>
            </dl>
        </Opened>
    }
}

/// Something that is opened and closed; each opening is told.
#[component]
fn Opened(
    testid: &'static str,
    summary: String,
    on_open: Callback<()>,
    children: Children,
) -> impl IntoView {
    let panel = NodeRef::<html::Details>::new();
    let toggled = move |_| {
        let is_open = panel
            .get_untracked()
            .is_some_and(|panel| panel.has_attribute("open"));
        if is_open {
            on_open.run(());
        }
    };
    view! {
        <details class="opened" node_ref=panel on:toggle=toggled>
            <summary data-testid=testid>{summary}</summary>
            {children()}
        </details>
    }
}
