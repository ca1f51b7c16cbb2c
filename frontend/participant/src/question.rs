//! From a task to its screen.

use std::sync::Arc;

use domain::event::QuestionRef;
use domain::plan::StagePlan;
use domain::session::Session;
use domain::task::TaskPlan;
use domain::task::exploration::Plan as ExplorationPlan;
use domain::task::reconstruction::Plan as ReconstructionPlan;
use domain::task::single_dimension::Plan as SingleDimensionPlan;
use frontend::runtime::host::Host;
use frontend::runtime::task::{exploration, reconstruction, single_dimension};
use frontend::task::exploration::{self as exploration_screen, ExplorationScreen};
use frontend::task::reconstruction::{self as reconstruction_screen, ReconstructionScreen};
use frontend::task::single_dimension::{self as single_screen, SingleDimensionScreen};
use frontend::ui::progress::Place;
use leptos::prelude::*;

use crate::context::Context;

/// The screen of the question that is on display.
pub fn question_view(context: Context, at: QuestionRef) -> Option<AnyView> {
    let host = context.host()?;
    let stage = Arc::clone(host.stage(at.stage)?);
    let screen = Question {
        context,
        place: place(&host, &stage, at),
        host: &host,
        at,
    };
    match &stage.task {
        TaskPlan::Reconstruction(plan) => screen.reconstruction(plan),
        TaskPlan::SingleDimension(plan) => screen.single_dimension(plan),
        TaskPlan::Exploration(plan) => screen.exploration(plan),
    }
}

struct Question<'a> {
    context: Context,
    host: &'a Host,
    at: QuestionRef,
    place: Place,
}

impl Question<'_> {
    fn reconstruction(self, plan: &ReconstructionPlan) -> Option<AnyView> {
        use reconstruction::Driver;
        let read = |driver: &Driver| (driver.signals(), driver.target());
        let (signals, target) = self.host.with_driver(self.at, read)?;
        let context = self.context;
        let q = reconstruction_screen::QuestionView {
            at: self.at,
            plan: Arc::new(plan.clone()),
            target,
            z: signals.z.into(),
            picture: signals.picture.into(),
            alignment: signals.alignment.into(),
            locked: signals.locked.into(),
            can_skip: signals.can_skip.into(),
            arrangement: signals.arrangement.into(),
            dial_names: signals.dial_names.into(),
            on_input: context.callback(|host, (dial, value)| {
                host.drive_in_frame(|it: &mut Driver, elapsed_ms| {
                    it.input(dial, value, elapsed_ms)
                });
            }),
            on_switch: context.callback(|host, arrangement| {
                host.drive(|it: &mut Driver, _| it.switch(arrangement));
            }),
            on_rename: context.callback(|host, (dial, name): (usize, String)| {
                host.drive(|it: &mut Driver, _| it.rename(dial, &name));
            }),
            on_skip: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, elapsed_ms| it.skip(elapsed_ms));
            }),
            on_move_on: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.move_on());
            }),
            place: self.place,
        };
        Some(view! { <ReconstructionScreen q/> }.into_any())
    }

    fn single_dimension(self, plan: &SingleDimensionPlan) -> Option<AnyView> {
        use single_dimension::Driver;
        let read = |driver: &Driver| (driver.signals(), driver.instance());
        let (signals, instance) = self.host.with_driver(self.at, read)?;
        let question = plan.questions.get(self.at.question)?;
        let context = self.context;
        let q = single_screen::QuestionView {
            at: self.at,
            model: Arc::new(plan.model.clone()),
            visualisation: plan.visualisation,
            dial: question.dial,
            options: question.options.clone(),
            instance,
            examples: signals.examples.into(),
            chosen: signals.chosen.into(),
            feedback: signals.feedback.into(),
            on_more: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.show_more());
            }),
            on_choose: context.callback(|host, option| {
                host.drive(|it: &mut Driver, _| it.choose(option));
            }),
            on_answer: context.callback(|host, (option, confidence, understanding)| {
                host.drive(|it: &mut Driver, _| it.answer(option, confidence, understanding));
            }),
            on_move_on: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.move_on());
            }),
            place: self.place,
        };
        Some(view! { <SingleDimensionScreen q/> }.into_any())
    }

    fn exploration(self, plan: &ExplorationPlan) -> Option<AnyView> {
        use exploration::Driver;
        let signals = self.host.with_driver(self.at, Driver::signals)?;
        let context = self.context;
        let q = exploration_screen::QuestionView {
            at: self.at,
            plan: Arc::new(plan.clone()),
            z: signals.z.into(),
            picture: signals.picture.into(),
            dial_names: signals.dial_names.into(),
            notes: signals.notes.into(),
            on_input: context.callback(|host, (dial, value)| {
                host.drive_in_frame(|it: &mut Driver, elapsed_ms| {
                    it.input(dial, value, elapsed_ms)
                });
            }),
            on_rename: context.callback(|host, (dial, name): (usize, String)| {
                host.drive(|it: &mut Driver, _| it.rename(dial, &name));
            }),
            on_write: context.callback(|host, notes: String| {
                host.drive(|it: &mut Driver, _| {
                    it.write_notes(&notes);
                    Ok(vec![])
                });
            }),
            on_notes_left: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.save_notes());
            }),
            on_done: context.callback(|host, ()| {
                host.drive(|it: &mut Driver, _| it.finish());
            }),
            place: self.place,
        };
        Some(view! { <ExplorationScreen q/> }.into_any())
    }
}

fn place(host: &Host, stage: &StagePlan, at: QuestionRef) -> Place {
    let (stage_number, stage_count) =
        host.read(|session| stage_number(&session.plan().stages, at.stage));
    Place {
        stage_number,
        stage_count,
        question_number: at.question + 1,
        question_count: stage.task.question_count(),
        practice: stage.practice,
        overall: host.read(Session::progress),
    }
}

/// Number of a stage from 1 and how many there are, practice counted in neither.
pub fn stage_number(stages: &[StagePlan], index: usize) -> (usize, usize) {
    let real = |stages: &[StagePlan]| stages.iter().filter(|stage| !stage.practice).count();
    let upto = stages.get(..=index).map_or(0, real);
    (upto, real(stages))
}
