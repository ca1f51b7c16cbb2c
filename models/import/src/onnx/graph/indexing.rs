//! Operators that take parts of a value, or put values together: slices, splits, padding.

use decode::architecture::graph::Operation;

use super::super::rearranging;
use super::nodes::{NodeLowering, WireResult, WiresResult};

impl NodeLowering<'_> {
    pub(super) fn slice(&mut self) -> WireResult {
        let mut x = self.wire(0)?;
        let starts = self.ints(1, "starts")?.unwrap_or_default();
        let ends = self.ints(2, "ends")?.unwrap_or_default();
        let axes = self.ints(3, "axes")?;
        let axes = axes.unwrap_or_else(|| (0..).take(starts.len()).collect());
        let steps = self
            .ints(4, "steps")?
            .unwrap_or_else(|| vec![1; starts.len()]);
        if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
            return Err(self
                .node
                .error("starts, ends, axes and steps are not equally many"));
        }
        for (((&start, &end), &axis), &step) in starts.iter().zip(&ends).zip(&axes).zip(&steps) {
            let axis = self.node.axis(axis, x.shape.len())?;
            let size = i64::try_from(x.shape[axis]).unwrap_or(i64::MAX);
            let from_start = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
            let places: Vec<usize> = match step {
                0 => return Err(self.node.error("its step is 0")),
                1.. => {
                    let (start, end) = (
                        from_start(start).clamp(0, size),
                        from_start(end).clamp(0, size),
                    );
                    let step = usize::try_from(step).unwrap_or(usize::MAX);
                    (start..end)
                        .step_by(step)
                        .filter_map(|i| usize::try_from(i).ok())
                        .collect()
                }
                ..0 => {
                    let (start, end) = (
                        from_start(start).clamp(-1, size - 1),
                        from_start(end).clamp(-1, size - 1),
                    );
                    let step = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
                    let places = (end + 1..=start).rev().step_by(step);
                    places.filter_map(|i| usize::try_from(i).ok()).collect()
                }
            };
            x = self.picked(&x, axis, places)?;
        }
        Ok(x)
    }

    /// These places along an axis.
    pub(super) fn picked(
        &mut self,
        x: &super::Wire,
        axis: usize,
        places: Vec<usize>,
    ) -> WireResult {
        let in_a_row = places.windows(2).all(|two| two[0] + 1 == two[1]);
        match places.first() {
            Some(_) if in_a_row && places.len() == x.shape[axis] => Ok(x.clone()),
            Some(&start) if in_a_row => {
                let length = places.len();
                self.add(
                    Operation::Slice {
                        axis,
                        start,
                        length,
                    },
                    &[x],
                )
            }
            _ => self.add(Operation::Gather { axis, places }, &[x]),
        }
    }

    pub(super) fn split(&mut self) -> WiresResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let length = x.shape[axis];
        let sizes = match self.constant(1) {
            None if self.has(1) => {
                return Err(self.node.error("its parts depend on the latent vector"));
            }
            sizes => sizes,
        };
        let sizes = rearranging::parts(self.node, length, sizes)?;
        let mut start = 0;
        let mut parts = Vec::with_capacity(sizes.len());
        for size in sizes {
            parts.push(self.picked(&x, axis, (start..start + size).collect())?);
            start += size;
        }
        Ok(parts)
    }

    pub(super) fn gather(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let indices = self
            .constant(1)
            .and_then(|c| Some((c.shape.clone(), c.to_ints()?.to_vec())));
        let Some((shape, indices)) = indices else {
            return Err(self.node.error(
                "its indices must be constant whole numbers; an embedding of a class is not read: feed the class one-hot, and multiply it by the embedding's weight",
            ));
        };
        let places = indices
            .iter()
            .map(|&i| self.node.axis(i, x.shape[axis]))
            .collect::<Result<_, _>>()?;
        let picked = self.picked(&x, axis, places)?;
        let mut whole = x.shape.clone();
        whole.splice(axis..=axis, shape);
        self.reshape_to(&picked, whole)
    }

    pub(super) fn concat(&mut self) -> WireResult {
        let mut parts = Vec::with_capacity(self.inputs.len());
        for nth in 0..self.inputs.len() {
            // An empty part adds nothing.
            if self.constant(nth).is_some_and(|c| c.len() == 0) {
                continue;
            }
            parts.push(self.wire(nth)?);
        }
        let Some(first) = parts.first() else {
            return Err(self.node.error("it puts nothing together"));
        };
        let axis = self.node.axis(self.node.int("axis"), first.shape.len())?;
        let batch = |part: &super::Wire| part.shape.first().copied();
        if let Some(other) = parts.iter().find(|part| batch(part) != batch(first))
            && axis > 0
        {
            return Err(self.node.error(format!(
                "{:?} and {:?} do not fit along axis {axis}; if the first axis is the batch, export with a dynamic batch axis, or with a batch of 1",
                first.shape, other.shape
            )));
        }
        self.add(
            Operation::Concat { axis },
            &parts.iter().collect::<Vec<_>>(),
        )
    }

    pub(super) fn pad(&mut self) -> WireResult {
        let mut x = self.wire(0)?;
        let rank = x.shape.len();
        let pads = self.ints(1, "pads")?.unwrap_or_default();
        let axes: Vec<usize> = match self.ints(3, "axes")? {
            Some(axes) => axes
                .iter()
                .map(|&axis| self.node.axis(axis, rank))
                .collect::<Result<_, _>>()?,
            None => (0..rank).collect(),
        };
        if pads.len() != 2 * axes.len() {
            return Err(self
                .node
                .error("it needs two numbers of places for each axis"));
        }
        let value = match self.constant(2) {
            Some(constant) => constant.floats().first().copied().unwrap_or(0.0),
            None if self.has(2) => {
                return Err(self.node.error("its value depends on the latent vector"));
            }
            None => self.node.float("value"),
        };
        let mode = self.node.text("mode");
        let (mut before, mut after) = (vec![0; rank], vec![0; rank]);
        for (i, &axis) in axes.iter().enumerate() {
            let (front, back) = (pads[i], pads[i + axes.len()]);
            let size = i64::try_from(x.shape[axis]).unwrap_or(i64::MAX);
            let too_much = || {
                self.node
                    .error(format!("a padding of {front} and {back} at {size} places"))
            };
            if front.unsigned_abs() > 1 << 24 || back.unsigned_abs() > 1 << 24 {
                return Err(too_much());
            }
            // Less than none is a crop.
            let (start, end) = ((-front).max(0), size - (-back).max(0));
            if start >= end {
                return Err(too_much());
            }
            if mode == "constant" {
                let kept = (start..end)
                    .filter_map(|i| usize::try_from(i).ok())
                    .collect();
                x = self.picked(&x, axis, kept)?;
                before[axis] = usize::try_from(front).unwrap_or(0);
                after[axis] = usize::try_from(back).unwrap_or(0);
                continue;
            }
            let place = |i: i64| match mode.as_str() {
                "edge" => Some(i.clamp(0, size - 1)),
                "wrap" => Some(i.rem_euclid(size)),
                "reflect" if size == 1 => Some(0),
                "reflect" => {
                    let i = i.rem_euclid(2 * (size - 1));
                    Some(i.min(2 * (size - 1) - i))
                }
                _ => None,
            };
            let places: Option<Vec<usize>> = (-front..size + back)
                .map(|i| usize::try_from(place(i)?).ok())
                .collect();
            let Some(places) = places else {
                return Err(self.node.error(format!(
                    "mode {mode:?} is not read; known are constant, reflect, edge and wrap"
                )));
            };
            x = self.picked(&x, axis, places)?;
        }
        if before.iter().chain(&after).all(|&n| n == 0) {
            return Ok(x);
        }
        let value = f64::from(value);
        self.add(
            Operation::Pad {
                before,
                after,
                value,
            },
            &[&x],
        )
    }
}
