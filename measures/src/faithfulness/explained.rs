//! Arrays that describe an explanation, which agree with each other.

use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};

/// The bias that the last layer adds to each output; nothing when it is not given.
pub(super) fn bias<'a>(inputs: &'a Inputs) -> &'a [f64] {
    inputs.get(Need::Bias).map_or(&[], Array::values)
}

/// The directions, which agree with the codes and the bias when the checks find nothing wrong.
pub(super) fn directions<'a>(inputs: &'a Inputs, checks: &mut Checks) -> &'a Array {
    let (codes, directions) = (inputs.needed(Need::Codes), inputs.needed(Need::Directions));
    checks.axes(
        codes,
        "codes",
        &[2, 3],
        "samples × codes, or samples × positions × codes",
    );
    checks.axes(directions, "directions", &[3], "outputs × concepts × codes");
    let last = codes.shape().last().copied().unwrap_or(0);
    checks.as_many(
        "entries",
        (directions.depth(), "directions"),
        (last, "codes"),
    );
    if let Some(bias) = inputs.get(Need::Bias) {
        checks.as_many(
            "numbers",
            (bias.values().len(), "bias"),
            (directions.rows(), "directions"),
        );
    }
    directions
}

/// The importances, which agree with the directions when the checks find nothing wrong.
pub(super) fn importances<'a>(inputs: &'a Inputs, checks: &mut Checks) -> &'a Array {
    let directions = directions(inputs, checks);
    let importances = inputs.needed(Need::Importances);
    checks.axes(importances, "importances", &[2], "outputs × concepts");
    let (rows, columns) = (importances.rows(), importances.columns());
    checks.as_many(
        "rows",
        (rows, "importances"),
        (directions.rows(), "directions"),
    );
    checks.as_many(
        "columns",
        (columns, "importances"),
        (directions.columns(), "directions"),
    );
    importances
}

/// The weights of the last layer, which agree with the directions when the checks find nothing wrong.
pub(super) fn weights<'a>(
    inputs: &'a Inputs,
    directions: &Array,
    checks: &mut Checks,
) -> &'a Array {
    let weights = inputs.needed(Need::Weights);
    checks.axes(weights, "weights", &[2], "codes × outputs");
    checks.as_many(
        "rows",
        (weights.rows(), "weights"),
        (directions.depth(), "directions"),
    );
    let outputs = (directions.rows(), "directions");
    checks.as_many("columns", (weights.columns(), "weights"), outputs);
    weights
}

/// The model's outputs, and the classes of samples, which agree with codes and directions when the checks find nothing
/// wrong.
pub(super) fn outputs<'a>(
    inputs: &'a Inputs,
    task: Option<&Array>,
    checks: &mut Checks,
) -> &'a Array {
    let (codes, directions) = (inputs.needed(Need::Codes), inputs.needed(Need::Directions));
    let outputs = inputs.needed(Need::Outputs);
    checks.axes(outputs, "outputs", &[2], "samples × outputs");
    checks.rows((outputs, "outputs"), (codes, "codes"));
    let there = (directions.rows(), "directions");
    checks.as_many("columns", (outputs.columns(), "outputs"), there);
    if let Some(task) = task {
        checks.axes(task, "task", &[1], "samples");
        checks.rows((task, "task"), (codes, "codes"));
        let end = outputs.columns();
        checks.below(task, "task", end, "the model has as many outputs");
    }
    outputs
}
