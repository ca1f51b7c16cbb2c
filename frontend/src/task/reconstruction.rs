//! A question of interactive reconstruction: dials, pictures, the alignment bar, and the ways out.

use std::sync::Arc;

use domain::model::Arrangement;
use domain::model::distance::Alignment;
use domain::session::event::QuestionRef;
use domain::task::TaskPlan;
use domain::task::reconstruction::{Feedforward, Plan, Stop};
use leptos::prelude::*;

mod hints;
mod tutorial;
mod ways_out;

use super::intro::preview;
use super::{Intro, OnDisplay, StageFacts, TaskScreens, TutorialParts};
use crate::runtime::decoders::Decoders;
use crate::runtime::task::reconstruction::Driver;
use crate::state::StripSignals;
use crate::text::text;
use crate::ui::alignment::AlignmentBar;
use crate::ui::dials::{DialList, crowd};
use crate::ui::paint;
use crate::ui::parts::{Heading, Press};
use crate::ui::picture::PictureArea;
use crate::ui::progress::{PlaceLine, SessionPlace};
use hints::hints;
use ways_out::{DeclaredEnd, WaysOut, skip_hint};

/// Everything that a question's screen shows, and where it reports to.
#[derive(Clone)]
pub struct QuestionView {
    /// Which question it is.
    pub at: QuestionRef,
    /// The stage it belongs to.
    pub plan: Arc<Plan>,
    /// x′, the picture to match.
    pub target: Arc<Vec<f32>>,
    /// Where the dials stand.
    pub z: Signal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: Signal<Arc<Vec<f32>>>,
    /// How near it is to the target.
    pub alignment: Signal<Alignment>,
    /// Whether the question is solved and its dials stand still.
    pub locked: Signal<bool>,
    /// Whether it may be skipped by now.
    pub can_skip: Signal<bool>,
    /// How picture and target are placed.
    pub arrangement: Signal<Arrangement>,
    /// Names given to the dials; an empty one stands for the usual name.
    pub dial_names: Signal<Vec<String>>,
    /// Whether there is a movement to undo.
    pub can_undo: Signal<bool>,
    /// Previews of each dial that is shown; none without filmstrips.
    pub strips: Vec<StripSignals>,
    /// A dial was moved: which one, and its new value, already snapped.
    pub on_input: Callback<(usize, f64)>,
    /// Picture and target were placed differently.
    pub on_switch: Callback<Arrangement>,
    /// A dial was renamed.
    pub on_rename: Callback<(usize, String)>,
    /// The last movement is to be undone.
    pub on_undo: Callback<()>,
    /// The dials are to be put to random places.
    pub on_randomise: Callback<()>,
    /// The question was declared done.
    pub on_done: Callback<()>,
    /// The question was given up.
    pub on_skip: Callback<()>,
    /// The participant goes on from a solved question.
    pub on_move_on: Callback<()>,
    /// Hints on what is met here for the first time, in words.
    pub hints: Vec<&'static str>,
    /// Where the question stands in its session.
    pub place: SessionPlace,
}

/// The screen of one question.
#[component]
pub fn ReconstructionScreen(
    /// The values that it shows, and the callbacks that it reports to.
    q: QuestionView,
) -> impl IntoView {
    let words = &text().question;
    let facts = Arc::new(q.plan.model_of(q.at.question));
    let instruction = match q.plan.stop {
        Stop::AtThreshold => words.instruction(),
        Stop::Declared => words.instruction_declared(),
    };
    let previews = (!q.strips.is_empty()).then(|| (facts.clone(), q.strips.clone()));
    let buttons = (q.plan.undo || q.plan.randomise).then(|| {
        let locked = q.locked;
        let undo = q.plan.undo.then(|| {
            view! {
                <Press testid="undo" class="button quiet"
                    disabled=Signal::derive(move || locked.get() || !q.can_undo.get()) on_press=q.on_undo>
                    {words.undo()}
                </Press>
            }
        });
        let randomise = q.plan.randomise.then(|| {
            view! {
                <Press testid="randomise" class="button quiet"
                    disabled=Signal::derive(move || locked.get()) on_press=q.on_randomise>
                    {words.randomise()}
                </Press>
            }
        });
        view! { <div class="dial-buttons">{undo}{randomise}</div> }
    });
    let bar = q.plan.show_alignment.then(|| {
        view! { <AlignmentBar alignment=q.alignment threshold=facts.threshold/> }
    });
    let ways_out = match q.plan.stop {
        Stop::AtThreshold => view! {
            <WaysOut
                hint=skip_hint(&q.plan)
                locked=q.locked
                can_skip=q.can_skip
                on_skip=q.on_skip
                on_move_on=q.on_move_on
            />
        }
        .into_any(),
        Stop::Declared => view! {
            <DeclaredEnd can_skip=q.can_skip on_done=q.on_done on_skip=q.on_skip/>
        }
        .into_any(),
    };
    let shown = q.plan.shown();
    let workbench = crowd(&facts.latent, &shown, previews.is_some());
    let hints = q
        .hints
        .iter()
        .map(|hint| view! { <p class="instruction hint">{*hint}</p> });
    let hints = hints.collect_view();
    view! {
        <div
            class="screen question"
            class:familiar=q.place.is_familiar()
            data-screen="question"
            data-task="reconstruction"
            data-stage=q.at.stage.to_string()
            data-question=q.at.question.to_string()
        >
            <div class="question-intro">
                <div class="question-head">
                    <Heading words=words.heading()/>
                    <PlaceLine place=q.place/>
                </div>
                <p class="instruction">{instruction}</p>
                {hints}
            </div>
            <div class=workbench>
                <div class="hand">
                <section class="controls" aria-label=words.dials()>
                    <DialList
                        latent=facts.latent.clone()
                        z=q.z
                        locked=q.locked
                        names=q.dial_names
                        rename=q.plan.rename_dials
                        on_input=q.on_input
                        on_rename=q.on_rename
                        shown
                        previews
                    />
                    {buttons}
                </section>
                {ways_out}
                </div>
                <section class="viewing" aria-label=words.pictures()>
                    <PictureArea
                        facts=facts.clone()
                        picture=q.picture
                        target=Some(q.target.clone())
                        arrangement=q.arrangement
                        on_switch=Some(q.on_switch)
                    />
                    {bar}
                </section>
            </div>
        </div>
    }
}

/// The screens of the task.
pub struct Screens;

impl TaskScreens for Screens {
    fn question(&self, q: &OnDisplay<'_>) -> Option<AnyView> {
        let TaskPlan::Reconstruction(plan) = q.plan else {
            return None;
        };
        let read = |driver: &Driver| (driver.signals(), driver.target());
        let (signals, target) = q.display.with_driver(q.at, read)?;
        let session = q.session;
        let view = QuestionView {
            at: q.at,
            plan: Arc::new(plan.clone()),
            target,
            z: signals.z.into(),
            picture: signals.picture.into(),
            alignment: signals.alignment.into(),
            locked: signals.locked.into(),
            can_skip: signals.can_skip.into(),
            arrangement: signals.arrangement.into(),
            dial_names: signals.dial_names.into(),
            can_undo: signals.can_undo.into(),
            strips: signals.strips,
            on_input: session.callback(|taken, (dial, value)| {
                taken.drive_in_frame(|it: &mut Driver, elapsed_ms| {
                    it.input(dial, value, elapsed_ms)
                });
            }),
            on_switch: session.callback(|taken, arrangement| {
                taken.drive(|it: &mut Driver, _| it.switch(arrangement));
            }),
            on_rename: session.callback(|taken, (dial, name): (usize, String)| {
                taken.drive(|it: &mut Driver, _| it.rename(dial, &name));
            }),
            on_undo: session.callback(|taken, ()| {
                taken.drive_in_frame(|it: &mut Driver, elapsed_ms| it.undo(elapsed_ms));
            }),
            on_randomise: session.callback(|taken, ()| {
                taken.drive_in_frame(|it: &mut Driver, elapsed_ms| it.randomise(elapsed_ms));
            }),
            on_done: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, elapsed_ms| it.done(elapsed_ms));
            }),
            on_skip: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, elapsed_ms| it.skip(elapsed_ms));
            }),
            on_move_on: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, _| it.move_on());
            }),
            hints: hints(&q.display.session(), q.at),
            place: q.place,
        };
        Some(view! { <ReconstructionScreen q=view/> }.into_any())
    }

    fn size_probe(&self, plan: &TaskPlan) -> Option<String> {
        let TaskPlan::Reconstruction(plan) = plan else {
            return None;
        };
        let previews = plan.feedforward == Feedforward::Filmstrip;
        let workbench = crowd(&plan.model.latent, &plan.shown(), previews);
        let aspect = paint::aspect(plan.model.shape);
        Some(format!(
            "<div class='screen question'><div class='{workbench}'><div class='hand'></div><div class='viewing'>
             <div class='pictures apart' style='--aspect:{aspect}'><div class='frames'><div class='frame yours'></div>
             <div class='frame target'></div></div></div></div></div></div>"
        ))
    }

    fn intro(&self, stage: &StageFacts, plan: &TaskPlan) -> Intro {
        let words = &text().stage_intro;
        let plan = match plan {
            TaskPlan::Reconstruction(plan) => Some(plan),
            _ => None,
        };
        let declared = plan.is_some_and(|plan| plan.stop == Stop::Declared);
        let previews = plan.is_some_and(|plan| plan.feedforward == Feedforward::Filmstrip);
        let previews = if previews { words.previews() } else { "" };
        if stage.practice {
            let lead = if declared {
                words.single_practice_body(stage.questions)
            } else {
                words.practice_body(stage.questions)
            };
            return Intro::practice(format!("{lead} {previews}").trim_end().to_owned());
        }
        let (heading, lead) = if stage.number == 1 {
            (words.first_heading(), words.first_body())
        } else if stage.same_model {
            (words.same_heading(), words.same_body())
        } else {
            (words.change_heading(), words.change_body())
        };
        let pace = format!("{} {previews}", words.pace());
        Intro::real(heading, lead, stage, &pace)
    }

    /// Where the dials stand at first, which the next page shows.
    fn preview(&self, plan: &TaskPlan, decoders: &Decoders) -> Option<AnyView> {
        let TaskPlan::Reconstruction(plan) = plan else {
            return None;
        };
        preview(&plan.model, &plan.questions.first()?.start, decoders)
    }

    fn tutorial(&self, parts: TutorialParts) -> AnyView {
        tutorial::tutorial(parts)
    }
}
