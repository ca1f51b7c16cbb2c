//! Plans of format 1, which do not say everything that today's do.

use domain::model::ModelFacts;
use domain::session::plan::{PartPlan, SessionPlan};
use domain::task::TaskPlan;

/// The models of a plan that was of format 1, in which every stage is reconstruction.
pub fn models_mut(plan: &mut SessionPlan) -> impl Iterator<Item = &mut ModelFacts> {
    let tutorials = plan.parts.iter_mut().filter_map(|part| match part {
        PartPlan::Tutorial { model, .. } => Some(model),
        _ => None,
    });
    let stages = plan
        .stages
        .iter_mut()
        .filter_map(|stage| match &mut stage.task {
            TaskPlan::Reconstruction(plan) => Some(&mut plan.model),
            _ => None,
        });
    tutorials.chain(stages)
}
