//! Whether distance and error of each snapshot are what its latent vector gives.

use super::{Event, Key, Plan, Snapshot};
use crate::model::distance::squared_error_bounds;
use crate::model::evidence::{VALUE_TOLERANCE, Verification};
use crate::model::latent::LatentSpace;

pub(super) fn verify(
    plan: &Plan,
    key: &Key,
    question: usize,
    events: &[(u64, &Event)],
    verification: &mut Verification<'_>,
) {
    let Some(asked) = plan.questions.get(question) else {
        return verification.contradiction(None, "there is no such question".into());
    };
    let Some(target) = verification.instance(&asked.target) else {
        return;
    };
    if let Some(decoded) = verification.decode(&plan.model, &key.target)
        && !squared_error_bounds(&decoded, &target, VALUE_TOLERANCE)
            .is_ok_and(|bounds| bounds.contain(0.0))
    {
        let problem = "the target is not what the model decodes from its latent vector";
        verification.contradiction(None, problem.into());
    }
    let snapshots: Vec<(u64, &Snapshot)> = events
        .iter()
        .filter_map(|(seq, event)| match event {
            Event::Snapshot(snapshot) => Some((*seq, snapshot)),
            _ => None,
        })
        .collect();
    let reachable = |(dial, start): (usize, &f64)| {
        plan.dials.is_empty() || plan.dials.contains(&dial) || key.target.get(dial) == Some(start)
    };
    if !asked.start.iter().enumerate().all(reachable) {
        let problem = "a dial that is not shown does not stand where the target has it";
        verification.contradiction(None, problem.into());
    }
    if let Some((seq, first)) = snapshots.first()
        && first.movement.z != asked.start
    {
        let problem = "the dials do not stand where the question starts";
        verification.contradiction(Some(*seq), problem.into());
    }
    for (index, (seq, snapshot)) in snapshots.iter().enumerate() {
        if off_grid(&plan.model.latent, &asked.start, &snapshot.movement.z) {
            let problem = "a dial stands between two of its steps";
            verification.contradiction(Some(*seq), problem.into());
        }
        let next = snapshots.get(index + 1).map(|(_, next)| *next);
        if is_marked(index, snapshot, next) || verification.depth().takes(index) {
            compare(plan, &target, *seq, snapshot, verification);
        }
    }
}

/// One event: whether distance and error are what its latent vector gives.
pub(super) fn verify_event(
    plan: &Plan,
    question: usize,
    seq: u64,
    event: &Event,
    verification: &mut Verification<'_>,
) {
    if let Event::Snapshot(snapshot) = event
        && let Some(asked) = plan.questions.get(question)
        && let Some(target) = verification.instance(&asked.target)
    {
        compare(plan, &target, seq, snapshot, verification);
    }
}

/// Start, end, and where the dials turned round, another was taken up or a button moved them.
fn is_marked(index: usize, snapshot: &Snapshot, next: Option<&Snapshot>) -> bool {
    let Some(next) = next else { return true };
    let (here, there) = (&snapshot.movement, &next.movement);
    index == 0
        || here.jump.is_some()
        || here.dimension != there.dimension
        || here.direction != there.direction
}

/// Whether a dial stands where no step leads, the start's places aside.
fn off_grid(space: &LatentSpace, start: &[f64], z: &[f64]) -> bool {
    let dials = space.dimensions().iter().zip(z).enumerate();
    dials.into_iter().any(|(dial, (dimension, value))| {
        dimension.snap(*value) != *value && start.get(dial) != Some(value)
    })
}

fn compare(
    plan: &Plan,
    target: &[f32],
    seq: u64,
    snapshot: &Snapshot,
    verification: &mut Verification<'_>,
) {
    let Some(x) = verification.decode(&plan.model, &snapshot.movement.z) else {
        return;
    };
    let distance = plan
        .model
        .distance
        .bounds(plan.model.shape, &x, target, VALUE_TOLERANCE);
    let error = squared_error_bounds(&x, target, VALUE_TOLERANCE);
    let (Ok(distance), Ok(error)) = (distance, error) else {
        let problem = "picture and target are of different sizes";
        return verification.contradiction(Some(seq), problem.into());
    };
    for (name, bounds, reported) in [
        ("distance", distance, snapshot.distance),
        ("squared error", error, snapshot.squared_error),
    ] {
        if !bounds.contain(reported) {
            let problem = format!(
                "a {name} of {reported} was reported; it lies between {} and {}",
                bounds.low, bounds.high
            );
            verification.contradiction(Some(seq), problem);
        }
    }
}
