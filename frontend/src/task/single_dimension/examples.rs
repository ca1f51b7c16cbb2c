//! Examples of what a dial does: rows along which it changes, or groups by how it is set. The picture
//! that is asked about stands above them, in the same size: how large something is may be what the dial does.

use std::sync::Arc;

use domain::model::{Arrangement as Placed, InstanceShape, ModelFacts};
use domain::task::single_dimension::{
    EXEMPLARS_PER_BIN, Options, TRAVERSAL_ROWS, TRAVERSAL_STEPS, Visualisation,
};
use leptos::prelude::*;

use super::enlarged::{Enlarged, Shown};
use super::{are_numbered, option_names};
use crate::state::Examples;
use crate::text::text;
use crate::ui::paint;
use crate::ui::picture::PictureArea;
use crate::ui::thumbnail::Thumbnail;

/// Pictures beside each other in a group that stands beside others.
const IN_GROUP: usize = 2;

/// How pictures stand, for the style sheet.
struct Arrangement {
    /// Its class.
    class: &'static str,
    /// Pictures beside each other, all groups together.
    columns: usize,
    /// Groups beside each other.
    groups: usize,
    /// Pictures below each other.
    rows: usize,
}

impl Arrangement {
    fn of(visualisation: Visualisation, options: &Options) -> Self {
        let values = options.len();
        match visualisation {
            Visualisation::Traversals => Self {
                class: if are_numbered(options) {
                    "looking in-rows numbered"
                } else {
                    "looking in-rows"
                },
                columns: match options {
                    Options::Ranges { .. } => TRAVERSAL_STEPS,
                    Options::Values { .. } => values,
                },
                groups: 1,
                rows: TRAVERSAL_ROWS,
            },
            // Each group is a row, with its number beside it.
            Visualisation::Exemplars if are_numbered(options) => Self {
                class: "looking by-row numbered",
                columns: EXEMPLARS_PER_BIN,
                groups: 1,
                rows: values,
            },
            Visualisation::Exemplars => Self {
                class: "looking",
                columns: values * IN_GROUP,
                groups: values,
                rows: EXEMPLARS_PER_BIN.div_ceil(IN_GROUP),
            },
        }
    }

    fn style(&self, shape: InstanceShape) -> String {
        let Self {
            columns,
            groups,
            rows,
            ..
        } = self;
        let aspect = paint::aspect(shape);
        format!("--columns:{columns};--groups:{groups};--rows:{rows};--aspect:{aspect}")
    }
}

/// The frame of the picture asked about, to be measured ([`crate::task::TaskScreens::size_probe`]).
pub(super) fn size_probe(
    shape: InstanceShape,
    visualisation: Visualisation,
    options: &Options,
) -> String {
    let arrangement = Arrangement::of(visualisation, options);
    let (class, style) = (arrangement.class, arrangement.style(shape));
    format!(
        "<div class='screen question single'><div class='comparison'><div class='{class}' style='{style}'>
         <div class='looking-head'><div class='asked'><div class='pictures' style='--aspect:{aspect}'>
         <div class='frames'><div class='frame alone'></div></div></div></div></div></div></div></div>",
        aspect = paint::aspect(shape),
    )
}

/// The picture asked about, where there is one, the examples, and the button for more of them. Any of them is
/// enlarged by a tap.
#[component]
pub fn ExampleSheet(
    /// The model.
    facts: Arc<ModelFacts>,
    /// How the dial is explained.
    visualisation: Visualisation,
    /// The options to choose from.
    options: Options,
    /// The participant's name for the dial.
    dial: String,
    /// The pictures.
    examples: Signal<Arc<Examples>>,
    /// Whether there are no more to be had: the answer is given.
    #[prop(optional, into)]
    closed: Signal<bool>,
    /// The picture that is asked about.
    #[prop(optional_no_strip)]
    asked: Option<Arc<Vec<f32>>>,
    /// More are asked for.
    on_more: Callback<()>,
) -> impl IntoView {
    let words = &text().single;
    let arrangement = Arrangement::of(visualisation, &options);
    let style = arrangement.style(facts.shape);
    let enlarged = RwSignal::new(None::<Shown>);
    let large = {
        let (facts, asked) = (facts.clone(), asked.clone());
        view! { <Enlarged facts asked examples shown=enlarged/> }
    };
    let asked = asked.map(|asked| {
        view! {
            <section class="asked" aria-label=words.asked_picture()>
                <PictureArea
                    facts=facts.clone()
                    picture=Signal::stored(asked)
                    arrangement=Signal::stored(Placed::Apart)
                />
                <button
                    type="button"
                    class="enlarge"
                    data-testid="enlarge"
                    aria-label=words.enlarge()
                    on:click=move |_| enlarged.set(Some(Shown::Asked))
                ></button>
            </section>
        }
    });
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
    let numbered = are_numbered(&options);
    let sheet = move || {
        let examples = examples.get();
        match visualisation {
            Visualisation::Traversals => rows(&facts, &examples, &dial, continuous, enlarged),
            Visualisation::Exemplars => groups(&facts, &examples, &names, numbered, enlarged),
        }
    };
    view! {
        <div class=arrangement.class style=style data-testid="examples">
            <div class="looking-head">
                {asked}
                <div class="examples-head">
                    <h2 id="examples-title">{title}</h2>
                    <p class="muted small">{note}</p>
                </div>
            </div>
            <section class="examples" aria-labelledby="examples-title">{sheet}</section>
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
            {large}
        </div>
    }
}

/// One of the examples, as many as `before` it.
fn example(
    facts: &Arc<ModelFacts>,
    values: &Arc<Vec<f32>>,
    before: usize,
    enlarged: RwSignal<Option<Shown>>,
) -> impl IntoView + use<> {
    view! {
        <span class="example" on:click=move |_| enlarged.set(Some(Shown::Example(before)))>
            <Thumbnail facts=facts.clone() values=values.clone()/>
        </span>
    }
}

fn rows(
    facts: &Arc<ModelFacts>,
    examples: &Examples,
    dial: &str,
    continuous: bool,
    enlarged: RwSignal<Option<Shown>>,
) -> AnyView {
    let words = &text().single;
    let columns = examples.0.first().map_or(1, Vec::len);
    let rows = examples.0.iter().enumerate().map(|(index, row)| {
        let label = if continuous {
            words.row(index + 1, dial)
        } else {
            words.row_values(index + 1, dial)
        };
        let pictures = row.iter().enumerate();
        let pictures =
            pictures.map(|(step, values)| example(facts, values, index * columns + step, enlarged));
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
        let numbers = (1..=columns).map(|number| view! { <span>{number}</span> });
        view! { <p class="traversal-values" aria-hidden="true">{numbers.collect_view()}</p> }
            .into_any()
    };
    view! {
        <div class="traversals">{head}{rows}</div>
    }
    .into_any()
}

fn groups(
    facts: &Arc<ModelFacts>,
    examples: &Examples,
    names: &[String],
    numbered: bool,
    enlarged: RwSignal<Option<Shown>>,
) -> AnyView {
    let words = &text().single;
    let groups = examples.0.iter().zip(names).enumerate();
    let groups = groups.map(|(index, (group, name))| {
        let before = index * group.len();
        let pictures = group.iter().enumerate();
        let pictures =
            pictures.map(|(number, values)| example(facts, values, before + number, enlarged));
        let head = if numbered {
            (index + 1).to_string()
        } else {
            name.clone()
        };
        view! {
            <div class="exemplars">
                <h3 aria-hidden="true">{head}</h3>
                <div class="exemplar-pictures" role="img" aria-label=words.group(name)>
                    {pictures.collect_view()}
                </div>
            </div>
        }
    });
    let groups = groups.collect_view();
    view! { <div class="exemplar-groups">{groups}</div> }.into_any()
}
