//! A question of the single-dimension task: the picture, examples of what the dial does, the
//! choice, and then the right answer.

mod answer;
mod enlarged;
pub mod examples;
mod tutorial;

use std::sync::Arc;

use domain::model::ModelFacts;
use domain::session::event::QuestionRef;
use domain::task::TaskPlan;
use domain::task::single_dimension::{Options, Visualisation};
use leptos::prelude::*;

use self::answer::{AnswerForm, RightAnswer};
use self::examples::ExampleSheet;
use super::{Intro, OnDisplay, StageFacts, TaskScreens, TutorialParts};
use crate::runtime::store::DraftOf;
use crate::runtime::task::single_dimension::Driver;
use crate::state::{Examples, Feedback};
use crate::text::text;
use crate::ui::form::answers::Drafts;
use crate::ui::parts::Heading;
use crate::ui::progress::{PlaceLine, SessionPlace};

/// Everything that a question's screen shows, and where it reports to.
#[derive(Clone)]
pub struct QuestionView {
    /// Which question it is.
    pub at: QuestionRef,
    /// The model.
    pub model: Arc<ModelFacts>,
    /// How the dial is explained.
    pub visualisation: Visualisation,
    /// The participant's number for the dial, from 1.
    pub dial: usize,
    /// The options to choose from.
    pub options: Options,
    /// x, the picture asked about.
    pub instance: Arc<Vec<f32>>,
    /// The examples.
    pub examples: Signal<Arc<Examples>>,
    /// The option chosen so far.
    pub chosen: Signal<Option<usize>>,
    /// The answer, and the right one.
    pub feedback: Signal<Feedback>,
    /// The drafts from before the page was left.
    pub drafts: Drafts,
    /// Something was filled in.
    pub on_draft: Callback<Drafts>,
    /// More examples are asked for.
    pub on_more: Callback<()>,
    /// An option was chosen.
    pub on_choose: Callback<usize>,
    /// The answer: option, confidence and understanding.
    pub on_answer: Callback<(usize, u8, u8)>,
    /// The participant goes on.
    pub on_move_on: Callback<()>,
    /// Where the question stands in its session.
    pub place: SessionPlace,
}

/// The screen of one question.
#[component]
pub fn SingleDimensionScreen(
    /// The values that it shows, and the callbacks that it reports to.
    q: QuestionView,
) -> impl IntoView {
    let words = &text().single;
    let dial = text().dial.name(q.dial);
    let names = StoredValue::new(option_names(&q.options));
    let numbered = are_numbered(&q.options);
    let answered = Memo::new(move |_| q.feedback.get() != Feedback::NotAnswered);
    let ending = {
        let dial = dial.clone();
        let drafts = StoredValue::new(q.drafts);
        move || {
            let dial = dial.clone();
            if answered.get() {
                view! {
                    <RightAnswer dial names=names.get_value() feedback=q.feedback on_move_on=q.on_move_on/>
                }
                .into_any()
            } else {
                view! {
                    <AnswerForm
                        dial
                        names=names.get_value()
                        numbered
                        chosen=q.chosen
                        drafts=drafts.get_value()
                        on_draft=q.on_draft
                        on_choose=q.on_choose
                        on_answer=q.on_answer
                    />
                }
                .into_any()
            }
        }
    };
    view! {
        <div
            class="screen question single"
            class:familiar=q.place.is_familiar()
            data-screen="question"
            data-task="single-dimension"
            data-stage=q.at.stage.to_string()
            data-question=q.at.question.to_string()
        >
            <div class="question-intro">
                <div class="question-head">
                    <Heading words=words.heading(&dial)/>
                    <PlaceLine place=q.place/>
                </div>
                <p class="instruction">{words.instruction(&dial)}</p>
            </div>
            <div class="comparison">
                <ExampleSheet
                    facts=q.model.clone()
                    visualisation=q.visualisation
                    options=q.options
                    dial=dial.clone()
                    examples=q.examples
                    closed=answered
                    asked=Some(q.instance)
                    on_more=q.on_more
                />
                <div class="answering">{ending}</div>
            </div>
        </div>
    }
}

/// Values that have their names on them, at most; of more there stand the numbers, so that all are in one glance on a phone.
const NAMED_VALUES: u16 = 3;

/// Whether numbers stand on the options.
fn are_numbered(options: &Options) -> bool {
    matches!(options, Options::Values { values } if *values > NAMED_VALUES)
}

/// The names of the options.
#[must_use]
pub fn option_names(options: &Options) -> Vec<String> {
    let words = &text().single;
    match options {
        Options::Ranges { .. } => [words.low(), words.medium(), words.high()]
            .map(str::to_owned)
            .to_vec(),
        Options::Values { values } => (1..=*values).map(|value| words.value(value)).collect(),
    }
}

/// The screens of the task.
pub struct Screens;

impl TaskScreens for Screens {
    fn question(&self, q: &OnDisplay<'_>) -> Option<AnyView> {
        let TaskPlan::SingleDimension(plan) = q.plan else {
            return None;
        };
        let read = |driver: &Driver| (driver.signals(), driver.instance());
        let (signals, instance) = q.display.with_driver(q.at, read)?;
        let question = plan.questions.get(q.at.question)?;
        let session = q.session;
        let draft = DraftOf::Question(q.at);
        let drafts = q.display.draft(draft).as_deref().map(Drafts::parse);
        let view = QuestionView {
            at: q.at,
            model: Arc::new(plan.model.clone()),
            visualisation: plan.visualisation,
            dial: question.dial,
            options: question.options.clone(),
            instance,
            examples: signals.examples.into(),
            chosen: signals.chosen.into(),
            feedback: signals.feedback.into(),
            drafts: drafts.unwrap_or_default(),
            on_draft: session.callback(move |taken, drafts: Drafts| {
                taken.keep_draft(draft, &drafts.text());
            }),
            on_more: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, _| it.show_more());
            }),
            on_choose: session.callback(|taken, option| {
                taken.drive(|it: &mut Driver, _| it.choose(option));
            }),
            on_answer: session.callback(move |taken, (option, confidence, understanding)| {
                taken.drive(|it: &mut Driver, _| it.answer(option, confidence, understanding));
                taken.drop_draft(draft);
            }),
            on_move_on: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, _| it.move_on());
            }),
            place: q.place,
        };
        Some(view! { <SingleDimensionScreen q=view/> }.into_any())
    }

    fn size_probe(&self, plan: &TaskPlan) -> Option<String> {
        let TaskPlan::SingleDimension(plan) = plan else {
            return None;
        };
        // Those of a discrete dial may have more options, and so smaller pictures.
        let probes = plan.questions.iter();
        let most = probes.max_by_key(|question| question.options.len())?;
        let shape = plan.model.shape;
        Some(examples::size_probe(
            shape,
            plan.visualisation,
            &most.options,
        ))
    }

    fn intro(&self, stage: &StageFacts, _plan: &TaskPlan) -> Intro {
        let words = &text().stage_intro;
        if stage.practice {
            return Intro::practice(words.single_practice_body(stage.questions));
        }
        let (heading, lead) = if stage.number == 1 {
            (words.first_heading(), words.single_first_body())
        } else {
            (words.single_change_heading(), words.single_change_body())
        };
        // The task asks for care, not for speed.
        Intro::real(heading, lead, stage, "")
    }

    fn tutorial(&self, parts: TutorialParts) -> AnyView {
        tutorial::tutorial(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discrete_dimension_has_numbered_values() {
        assert_eq!(
            option_names(&Options::Values { values: 2 }),
            ["Value 1", "Value 2"]
        );
        assert!(!are_numbered(&Options::Values { values: 3 }));
        assert!(are_numbered(&Options::Values { values: 4 }));
        let ranges = [[0.0, 0.1], [0.4, 0.5], [0.9, 1.0]];
        assert_eq!(
            option_names(&Options::Ranges { ranges }),
            ["Low", "Medium", "High"]
        );
    }
}
