//! Whether what a page reported is what the model decodes.

use super::{Event, Key, Plan};
use crate::draw::ModelSource;

/// How far a reported distance may be from ours: native and browser decoders round differently.
const TOLERANCE: f64 = 1e-3;

pub(super) fn verify(
    plan: &Plan,
    key: &Key,
    _question: usize,
    events: &[&Event],
    models: &dyn ModelSource,
) -> Vec<String> {
    let name = &plan.model.name;
    let Some(target) = models.decode(name, &key.target) else {
        return vec![format!("model '{name}' could not be decoded")];
    };
    let snapshots = events.iter().filter_map(|event| match event {
        Event::Snapshot(snapshot) => Some(snapshot),
        _ => None,
    });
    let mut problems = Vec::new();
    for (index, snapshot) in snapshots.enumerate() {
        let found = models
            .decode(name, &snapshot.movement.z)
            .and_then(|x| plan.model.distance.between(&x, &target).ok());
        match found {
            Some(found) if (found - snapshot.distance).abs() <= TOLERANCE => {}
            Some(found) => problems.push(format!(
                "snapshot {index}: a distance of {} was reported, it is {found}",
                snapshot.distance
            )),
            None => problems.push(format!("snapshot {index}: z could not be decoded")),
        }
    }
    problems
}
