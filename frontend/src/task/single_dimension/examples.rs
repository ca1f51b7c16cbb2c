//! Examples of what a dial does: rows along which it changes, or groups by how it is set.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::task::single_dimension::{Options, Visualisation};
use leptos::prelude::*;

use super::option_names;
use crate::state::Examples;
use crate::text::text;
use crate::ui::thumbnail::Thumbnail;

/// The examples, and the button for more of them.
#[component]
pub fn ExampleSheet(
    /// The model.
    facts: Arc<ModelFacts>,
    /// How the dial is explained.
    visualisation: Visualisation,
    /// What there is to choose from.
    options: Options,
    /// What the participant calls the dial.
    dial: String,
    /// The pictures.
    examples: Signal<Arc<Examples>>,
    /// Whether there are no more to be had: the answer is given.
    #[prop(optional, into)]
    closed: Signal<bool>,
    /// More are asked for.
    on_more: Callback<()>,
) -> impl IntoView {
    let words = &text().single;
    let continuous = matches!(options, Options::Ranges { .. });
    let (title, note) = match (visualisation, continuous) {
        (Visualisation::Traversals, true) => {
            (words.traversals(&dial), words.traversals_note(&dial))
        }
        (Visualisation::Traversals, false) => (words.values(&dial), words.traversals_note(&dial)),
        (Visualisation::Exemplars, _) => {
            (words.exemplars(&dial), words.exemplars_note().to_owned())
        }
    };
    let names = option_names(&options);
    let sheet = move || {
        let examples = examples.get();
        match visualisation {
            Visualisation::Traversals => rows(&facts, &examples, &dial, &names, continuous),
            Visualisation::Exemplars => groups(&facts, &examples, &names),
        }
    };
    view! {
        <section class="examples" aria-labelledby="examples-title" data-testid="examples">
            <div class="examples-head">
                <h2 id="examples-title">{title}</h2>
                <p class="muted small">{note}</p>
            </div>
            {sheet}
            <button
                type="button"
                class="button quiet more-examples"
                class:hidden=move || closed.get()
                disabled=move || closed.get()
                data-testid="more-examples"
                on:click=move |_| on_more.run(())
            >
                {words.more()}
            </button>
        </section>
    }
}

fn rows(
    facts: &Arc<ModelFacts>,
    examples: &Examples,
    dial: &str,
    names: &[String],
    continuous: bool,
) -> AnyView {
    let words = &text().single;
    let columns = examples.0.first().map_or(1, Vec::len);
    let rows = examples.0.iter().enumerate().map(|(index, row)| {
        let label = if continuous {
            words.row(index + 1, dial)
        } else {
            words.row_values(index + 1, dial)
        };
        let pictures = row
            .iter()
            .map(|values| view! { <Thumbnail facts=facts.clone() values=values.clone()/> });
        view! {
            <div class="traversal" role="img" aria-label=label>{pictures.collect_view()}</div>
        }
    });
    let rows = rows.collect_view();
    // A row goes from low to high; a discrete dial has a column for each value.
    let head = if continuous {
        view! {
            <p class="traversal-ends" aria-hidden="true">
                <span>{words.low()}</span>
                <span class="traversal-arrow"></span>
                <span>{words.high()}</span>
            </p>
        }
        .into_any()
    } else {
        let names = names
            .iter()
            .map(|name| view! { <span>{name.clone()}</span> });
        view! { <p class="traversal-values" aria-hidden="true">{names.collect_view()}</p> }
            .into_any()
    };
    view! {
        <div class="traversals" style:--columns=columns.to_string()>{head}{rows}</div>
    }
    .into_any()
}

fn groups(facts: &Arc<ModelFacts>, examples: &Examples, names: &[String]) -> AnyView {
    let words = &text().single;
    let groups = examples.0.iter().zip(names).map(|(group, name)| {
        let pictures = group
            .iter()
            .map(|values| view! { <Thumbnail facts=facts.clone() values=values.clone()/> });
        view! {
            <div class="exemplars">
                <h3 aria-hidden="true">{name.clone()}</h3>
                <div class="exemplar-pictures" role="img" aria-label=words.group(name)>
                    {pictures.collect_view()}
                </div>
            </div>
        }
    });
    let groups = groups.collect_view();
    view! { <div class="exemplar-groups">{groups}</div> }.into_any()
}
