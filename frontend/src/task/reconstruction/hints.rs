//! Hints at a question: each thing is explained once, where it is met first.

use domain::session::Session;
use domain::session::event::QuestionRef;
use domain::session::plan::PartPlan;
use domain::task::reconstruction::Plan;
use domain::task::{TaskKind, TaskPlan};

use crate::text::text;

/// Whether questions of a stage have something.
type Has = fn(&Plan) -> bool;

/// Hints on what a question has that no question before it had, and no tutorial explained, in words.
pub(super) fn hints(session: &Session, at: QuestionRef) -> Vec<&'static str> {
    let words = &text().question;
    let plan = session.plan();
    let is_taught = plan.parts.iter().any(
        |part| matches!(part, PartPlan::Tutorial { task, .. } if *task == TaskKind::Reconstruction),
    );
    let has_band = |plan: &Plan| {
        let series = plan.model.display.series.as_ref();
        series.is_some_and(|axes| axes.target_band.is_some())
    };
    let has: [(bool, Has, &'static str); 3] = [
        (!is_taught, |plan| plan.show_alignment, words.hint_bar()),
        (true, has_band, words.hint_band()),
        (true, |plan| plan.rename_dials, words.hint_rename()),
    ];
    let is_first = |has: Has| {
        let stages = plan.stages.iter().take(at.stage + 1);
        let with = stages.enumerate().find(|(_, stage)| match &stage.task {
            TaskPlan::Reconstruction(plan) => has(plan),
            _ => false,
        });
        at.question == 0 && with.is_some_and(|(stage, _)| stage == at.stage)
    };
    let new = has
        .into_iter()
        .filter(|(said, has, _)| *said && is_first(*has));
    new.map(|(_, _, words)| words).collect()
}
