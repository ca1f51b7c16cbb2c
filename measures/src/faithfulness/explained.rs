//! Arrays that describe an explanation, which agree with each other.

use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::problem::Checked;

/// What the last layer adds to each output; nothing when it is not given.
pub(super) fn bias<'a>(inputs: &'a Inputs) -> &'a [f64] {
    inputs.get(Need::Bias).map_or(&[], Array::values)
}

/// The directions, which agree with the codes and the bias.
pub(super) fn directions<'a>(inputs: &'a Inputs) -> Checked<&'a Array> {
    let (codes, directions) = (inputs.needed(Need::Codes), inputs.needed(Need::Directions));
    let mut checks = Checks::default();
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
    checks.done()?;
    Ok(directions)
}

/// The importances, which agree with the directions.
pub(super) fn importances<'a>(inputs: &'a Inputs) -> Checked<&'a Array> {
    let directions = directions(inputs)?;
    let importances = inputs.needed(Need::Importances);
    let mut checks = Checks::default();
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
    checks.done()?;
    Ok(importances)
}

/// The weights of the last layer, which agree with the directions.
pub(super) fn weights<'a>(inputs: &'a Inputs, directions: &Array) -> Checked<&'a Array> {
    let weights = inputs.needed(Need::Weights);
    let mut checks = Checks::default();
    checks.axes(weights, "weights", &[2], "codes × outputs");
    checks.as_many(
        "rows",
        (weights.rows(), "weights"),
        (directions.depth(), "directions"),
    );
    let outputs = (directions.rows(), "directions");
    checks.as_many("columns", (weights.columns(), "weights"), outputs);
    checks.done()?;
    Ok(weights)
}
