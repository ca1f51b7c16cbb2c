//! The tutorial of the single-dimension task, played with the model's first dial.

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::model::instance::InstanceId;
use domain::model::latent::Dimension;
use domain::task::TaskPlan;
use domain::task::single_dimension::{
    ExampleSet, Options, Plan, QuestionPlan, Visualisation, examples,
};
use leptos::prelude::*;

use super::examples::ExampleSheet;
use super::option_names;
use crate::state::{Examples, LocalDecode, Persistence};
use crate::task::tutorial::{Steps, TutorialParts, a_break, endings};
use crate::text::text;
use crate::ui::parts::Heading;

/// Number of steps.
const STEPS: usize = 3;

/// Ends of low, medium and high as shares of the dial's range.
const SHARES: [[f64; 2]; 3] = [[0.01, 0.05], [0.48, 0.52], [0.95, 0.99]];
/// Shares of the range from which the other dials of an example are drawn.
const OTHERS: [f64; 8] = [0.05, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.95];
/// Where the dials of the picture that is asked about stand: the first is high.
const ASKED: [f64; 2] = [0.97, 0.3];
/// The right answer.
const HIGH: usize = 2;

/// The tutorial.
pub fn tutorial(parts: TutorialParts) -> AnyView {
    let TutorialParts {
        facts,
        decode,
        stage,
        keeping,
        first,
        on_step,
        on_done,
    } = parts;
    // As in the questions that follow.
    let visualisation = match stage {
        Some(TaskPlan::SingleDimension(plan)) => plan.visualisation,
        _ => Visualisation::Traversals,
    };
    let step = move |step| self::step(step, &facts, decode, visualisation, keeping);
    view! { <Steps count=STEPS first on_step step on_done/> }.into_any()
}

fn step(
    step: usize,
    facts: &Arc<ModelFacts>,
    decode: LocalDecode,
    visualisation: Visualisation,
    keeping: Persistence,
) -> AnyView {
    let words = &text().tutorial_single;
    match step {
        0 => {
            let body = match visualisation {
                Visualisation::Traversals => words.dial_body(),
                Visualisation::Exemplars => words.groups_body(),
            };
            view! {
                <Heading words=words.dial_heading()/>
                <p>{body}" "{words.dial_more()}</p>
                <Sheet facts=facts.clone() decode visualisation/>
            }
            .into_any()
        }
        1 => view! {
            <Heading words=words.guess_heading()/>
            <p>{words.guess_body()}</p>
            <Guess facts=facts.clone() decode visualisation/>
        }
        .into_any(),
        _ => view! {
            <Heading words=words.end_heading()/>
            {endings([
                (words.end_sure_title(), words.end_sure()),
                (words.end_answer_title(), words.end_answer()),
                a_break(keeping),
            ])}
        }
        .into_any(),
    }
}

/// A stage with one question about the first dial.
fn plan(facts: &ModelFacts, visualisation: Visualisation) -> Plan {
    let dimensions = facts.latent.dimensions();
    let options = match dimensions.first() {
        Some(Dimension::Discrete { values }) => Options::Values { values: *values },
        Some(dial) => Options::Ranges {
            ranges: SHARES.map(|ends| ends.map(|share| dial.at_share(share))),
        },
        None => Options::Values { values: 0 },
    };
    let pool = OTHERS.map(|share| dimensions.iter().map(|dial| dial.at_share(share)).collect());
    Plan {
        model: facts.clone(),
        visualisation,
        feedback: true,
        pool: pool.to_vec(),
        questions: vec![QuestionPlan {
            dimension: 0,
            dial: 1,
            options,
            instance: InstanceId(String::new()),
            seed: 1,
        }],
    }
}

/// The examples, and more of them.
#[component]
fn Sheet(
    facts: Arc<ModelFacts>,
    decode: LocalDecode,
    visualisation: Visualisation,
    #[prop(optional_no_strip)] asked: Option<Arc<Vec<f32>>>,
) -> impl IntoView {
    let plan = plan(&facts, visualisation);
    let options = plan.questions[0].options.clone();
    let decoded = move |set: u32| {
        let (ExampleSet::Traversals(groups) | ExampleSet::Exemplars(groups)) =
            examples(&plan, 0, set);
        let decode = decode.get_value();
        // Without pictures there is nothing to see; the steps can still be read.
        Arc::new(Examples::decode(&groups, &decode).unwrap_or_default())
    };
    let shown: RwSignal<Arc<Examples>> = RwSignal::new(decoded(0));
    let set = StoredValue::new(0_u32);
    let on_more = Callback::new(move |()| {
        set.update_value(|set| *set += 1);
        shown.set(decoded(set.get_value()));
    });
    let dial = text().dial.name(1);
    view! {
        <ExampleSheet facts visualisation options dial examples=shown.into() asked on_more/>
    }
}

/// A picture, and a first try.
#[component]
fn Guess(
    facts: Arc<ModelFacts>,
    decode: LocalDecode,
    visualisation: Visualisation,
) -> impl IntoView {
    let words = &text().tutorial_single;
    let z: Vec<f64> = facts
        .latent
        .dimensions()
        .iter()
        .zip(ASKED.iter().cycle())
        .map(|(dial, share)| dial.at_share(*share))
        .collect();
    let mut picture = Vec::new();
    // Without a picture the steps can still be read.
    let _ = decode.with_value(|decode| decode.at(&z, &mut picture));
    let names = option_names(&Options::Ranges { ranges: SHARES });
    let guessed = RwSignal::new(None::<usize>);
    let options = names.into_iter().enumerate().map(|(option, name)| {
        view! {
            <label class="option">
                <input
                    type="radio"
                    name="guess"
                    data-testid=format!("guess-{option}")
                    on:change=move |_| guessed.set(Some(option))
                />
                <span>{name}</span>
            </label>
        }
    });
    let options = options.collect_view();
    view! {
        <div class="comparison guess">
            <Sheet facts=facts.clone() decode visualisation asked=Some(Arc::new(picture))/>
            <div class="answering">
                <fieldset class="item options">
                    <legend>{text().single.choose(text().dial.name(1))}</legend>
                    <div class="option-list">{options}</div>
                </fieldset>
                <p role="status" class="guess-said">
                    {move || match guessed.get() {
                        None => "",
                        Some(HIGH) => words.guess_right(),
                        Some(_) => words.guess_low(),
                    }}
                </p>
            </div>
        </div>
    }
}
