//! A question in which a concept is named: its samples, the terms, the explanation.

mod answer;
mod explanation;
mod help;
mod samples;

use std::sync::Arc;

use domain::session::event::QuestionRef;
use domain::task::TaskPlan;
use domain::task::concept_naming::{Answer, Choice, Explanation, Plan};
use leptos::prelude::*;

use self::answer::AnswerForm;
use self::explanation::ExplanationField;
use self::help::WorkedExample;
use self::samples::SampleList;
use super::{Intro, OnDisplay, StageFacts, TaskScreens};
use crate::runtime::task::concept_naming::{Driver, Sheets};
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use crate::ui::progress::{PlaceLine, SessionPlace};

/// Everything that a question's screen shows, and where it reports to.
#[derive(Clone)]
pub struct QuestionView {
    /// Which question it is.
    pub at: QuestionRef,
    /// The stage it belongs to.
    pub plan: Arc<Plan>,
    /// The samples.
    pub sheets: Sheets,
    /// The answer as it stands.
    pub answer: Signal<Answer>,
    /// The sample that is enlarged, from 0.
    pub enlarged: Signal<Option<usize>>,
    /// The explanation, as last logged.
    pub explanation: Signal<String>,
    /// The answer is changed.
    pub on_change: Callback<Choice>,
    /// A sample is enlarged.
    pub on_enlarge: Callback<usize>,
    /// The enlarged sample is closed.
    pub on_close_sample: Callback<()>,
    /// The definitions of a group are opened.
    pub on_definitions: Callback<usize>,
    /// The worked example is opened.
    pub on_example: Callback<()>,
    /// The explanation is being written.
    pub on_write: Callback<String>,
    /// The explanation's field was left.
    pub on_written: Callback<()>,
    /// The answer is final.
    pub on_done: Callback<()>,
    /// Where the question stands in its session.
    pub place: SessionPlace,
}

/// The screen of one question.
#[component]
pub fn ConceptNamingScreen(
    /// The values that it shows, and the callbacks that it reports to.
    q: QuestionView,
) -> impl IntoView {
    let words = &text().naming;
    let plan = q.plan.clone();
    // Missing parts are said once the participant has tried to go on.
    let tried = RwSignal::new(false);
    let written = RwSignal::new(q.explanation.get_untracked());
    let on_write = Callback::new(move |text: String| {
        written.set(text.clone());
        q.on_write.run(text);
    });
    let lacks_words = {
        let required = plan.explanation == Explanation::Required;
        Signal::derive(move || required && written.with(|text| text.trim().is_empty()))
    };
    let explanation_field = NodeRef::<leptos::html::Textarea>::new();
    let done = {
        let plan = plan.clone();
        Callback::new(move |()| {
            let missing = q
                .answer
                .with_untracked(|answer| answer.missing(&plan.vocabulary));
            if let Some(first) = missing.first() {
                tried.set(true);
                answer::focus(first);
            } else if lacks_words.get_untracked() {
                tried.set(true);
                if let Some(field) = explanation_field.get_untracked() {
                    // The message is on the page whether or not the focus follows.
                    let _ = field.focus();
                }
            } else {
                q.on_done.run(());
            }
        })
    };
    let example = plan.example.clone().zip(q.sheets.example.clone());
    let example = example.map(|(example, sheet)| {
        view! { <WorkedExample plan=q.plan.clone() example sheet on_open=q.on_example/> }
    });
    let field = (plan.explanation != Explanation::Absent).then(|| {
        view! {
            <ExplanationField
                field=explanation_field
                text=q.explanation
                missing=Signal::derive(move || tried.get() && lacks_words.get())
                optional=plan.explanation == Explanation::Optional
                on_write
                on_written=q.on_written
            />
        }
    });
    view! {
        <div
            class="screen question naming"
            class:familiar=q.place.is_familiar()
            data-screen="question"
            data-task="concept-naming"
            data-stage=q.at.stage.to_string()
            data-question=q.at.question.to_string()
        >
            <div class="question-intro">
                <div class="question-head">
                    <Heading words=words.heading()/>
                    <PlaceLine place=q.place/>
                </div>
                <p class="instruction">{words.instruction(plan.samples)}</p>
                {example}
            </div>
            <div class="comparison">
                <SampleList
                    plan=q.plan.clone()
                    sheet=q.sheets.asked
                    enlarged=q.enlarged
                    on_enlarge=q.on_enlarge
                    on_close=q.on_close_sample
                />
                <div class="answering">
                    <AnswerForm
                        plan=q.plan
                        answer=q.answer
                        tried=tried.into()
                        on_change=q.on_change
                        on_definitions=q.on_definitions
                    />
                    {field}
                    <div class="actions">
                        <Press testid="done" on_press=done>{text().ways.go_on()}</Press>
                    </div>
                </div>
            </div>
        </div>
    }
}

/// The screens of the task.
pub struct Screens;

impl TaskScreens for Screens {
    fn question(&self, q: &OnDisplay<'_>) -> Option<AnyView> {
        let TaskPlan::ConceptNaming(plan) = q.plan else {
            return None;
        };
        let read = |driver: &Driver| (driver.signals(), driver.sheets());
        let (signals, sheets) = q.display.with_driver(q.at, read)?;
        let session = q.session;
        let view = QuestionView {
            at: q.at,
            plan: Arc::new(plan.clone()),
            sheets,
            answer: signals.answer.into(),
            enlarged: signals.enlarged.into(),
            explanation: signals.explanation.into(),
            on_change: session.callback(|host, choice| {
                host.drive(|it: &mut Driver, _| it.change(choice));
            }),
            on_enlarge: session.callback(|host, sample| {
                host.drive(|it: &mut Driver, _| it.enlarge(sample));
            }),
            on_close_sample: session.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.close_sample());
            }),
            on_definitions: session.callback(|host, group| {
                host.drive(|it: &mut Driver, _| it.open_definitions(group));
            }),
            on_example: session.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.open_example());
            }),
            on_write: session.callback(|host, text: String| {
                host.drive(|it: &mut Driver, _| {
                    it.write(&text);
                    Ok(vec![])
                });
            }),
            on_written: session.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.save());
            }),
            on_done: session.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.finish());
            }),
            place: q.place,
        };
        Some(view! { <ConceptNamingScreen q=view/> }.into_any())
    }

    fn intro(&self, stage: &StageFacts, _plan: &TaskPlan) -> Intro {
        let words = &text().naming;
        if stage.practice {
            return Intro::practice(words.intro_body().to_owned());
        }
        Intro::real(words.intro_heading(), words.intro_body(), stage, "")
    }
}
