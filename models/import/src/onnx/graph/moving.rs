//! Operators that move values: the same ones in another shape, order or number.

use decode::architecture::graph::Operation;

use super::super::constant::Constant;
use super::super::moves::{self, MAX_MOVED, moved};
use super::nodes::{At, Made, Wires};

impl At<'_> {
    /// What only changes the shape.
    pub(super) fn reshaped(&mut self) -> Made {
        let x = self.wire(0)?;
        let further: Vec<Option<&Constant>> = (1..self.inputs.len())
            .map(|nth| self.constant(nth))
            .collect();
        match moved(self.node, &x.shape, &further, self.batch) {
            Some(moved) => {
                let shape = moved?.shape;
                self.reshape_to(&x, shape)
            }
            None => Err(self.node.error("this operator cannot be computed here")),
        }
    }

    pub(super) fn transpose(&mut self) -> Made {
        let x = self.wire(0)?;
        let rank = x.shape.len();
        let order = match self.node.ints("perm") {
            Some(order) => order
                .iter()
                .map(|&axis| self.node.axis(axis, rank))
                .collect::<Result<_, _>>()?,
            None => (0..rank).rev().collect(),
        };
        self.transpose_to(&x, order)
    }

    pub(super) fn slice(&mut self) -> Made {
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
    pub(super) fn picked(&mut self, x: &super::Wire, axis: usize, places: Vec<usize>) -> Made {
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

    pub(super) fn split(&mut self) -> Wires {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let length = x.shape[axis];
        let sizes = match self.constant(1) {
            None if self.has(1) => {
                return Err(self.node.error("its parts depend on the latent vector"));
            }
            sizes => sizes,
        };
        let sizes = moves::parts(self.node, length, sizes)?;
        let mut start = 0;
        let mut parts = Vec::with_capacity(sizes.len());
        for size in sizes {
            parts.push(self.picked(&x, axis, (start..start + size).collect())?);
            start += size;
        }
        Ok(parts)
    }

    pub(super) fn cumulate(&mut self) -> Made {
        let x = self.wire(0)?;
        let axis = self.ints(1, "axis")?.and_then(|axis| axis.first().copied());
        let axis = axis.ok_or_else(|| self.node.error("its axis must be constant"))?;
        let axis = self.node.axis(axis, x.shape.len())?;
        let [exclusive, reverse] = ["exclusive", "reverse"].map(|name| self.node.int(name) == 1);
        let cumulate = Operation::Cumulate {
            axis,
            exclusive,
            reverse,
        };
        self.add(cumulate, &[&x])
    }

    /// The largest values along an axis, and their places.
    pub(super) fn top(&mut self) -> Wires {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let count = match self.node.given("k") {
            Some(count) => count.i,
            None => self.ints(1, "k")?.and_then(|count| count.first().copied()),
        };
        let count = count.and_then(|count| usize::try_from(count).ok());
        let count = count.ok_or_else(|| self.node.error("it does not say how many"))?;
        let smallest = self.node.int("largest") == 0;
        let both = [false, true].map(|places| {
            let top = Operation::Top {
                axis,
                count,
                smallest,
                places,
            };
            self.add(top, &[&x])
        });
        both.into_iter().collect()
    }

    pub(super) fn concat(&mut self) -> Made {
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

    pub(super) fn gather(&mut self) -> Made {
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

    pub(super) fn tile(&mut self) -> Made {
        let mut x = self.wire(0)?;
        let repeats = self.ints(1, "repeats")?.unwrap_or_default();
        if repeats.len() != x.shape.len() {
            return Err(self
                .node
                .error("it needs as many repeats as there are axes"));
        }
        let times: Option<Vec<usize>> = repeats.iter().map(|&n| usize::try_from(n).ok()).collect();
        let total = times.as_ref().and_then(|times| {
            let mut sides = x.shape.iter().chain(times);
            sides.try_fold(1, |total: usize, &side| total.checked_mul(side))
        });
        let (Some(times), Some(1..=MAX_MOVED)) = (times, total) else {
            return Err(self.node.error(format!(
                "{:?} repeated {repeats:?} times is nothing, or more than {MAX_MOVED} values",
                x.shape
            )));
        };
        let ones = x
            .shape
            .iter()
            .zip(&times)
            .map(|(&n, &t)| if n == 1 { t } else { n });
        let shape: Vec<usize> = ones.collect();
        let long: Vec<usize> = (0..times.len()).filter(|&axis| x.shape[axis] > 1).collect();
        for axis in long {
            let copies = vec![&x; times[axis]];
            x = match times[axis] {
                1 => x,
                _ => self.add(Operation::Concat { axis }, &copies)?,
            };
        }
        let shape = shape
            .iter()
            .zip(&x.shape)
            .map(|(&a, &b)| a.max(b))
            .collect();
        self.add(Operation::Expand { shape }, &[&x])
    }

    pub(super) fn expand(&mut self) -> Made {
        let x = self.wire(0)?;
        let wanted = self.ints(1, "shape")?.unwrap_or_default();
        let wanted: Option<Vec<usize>> = wanted.iter().map(|&n| usize::try_from(n).ok()).collect();
        let shape =
            wanted.and_then(|wanted| super::super::arithmetic::broadcast(&x.shape, &wanted));
        match shape {
            Some(shape) => self.add(Operation::Expand { shape }, &[&x]),
            None => Err(self
                .node
                .error(format!("{:?} does not stretch so far", x.shape))),
        }
    }

    pub(super) fn pad(&mut self) -> Made {
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

    /// Maps, rows, columns, and the side of the blocks.
    fn blocks(&mut self) -> Result<(super::Wire, [usize; 4]), super::ImportError> {
        let x = self.wire(0)?;
        let block = usize::try_from(self.node.int("blocksize")).unwrap_or(0);
        match x.shape[..] {
            [1, maps, rows, columns] if (1..=1 << 12).contains(&block) => {
                Ok((x, [maps, rows, columns, block]))
            }
            _ => Err(self.node.error(format!(
                "blocks of {block} of a value of shape {:?} are not read",
                x.shape
            ))),
        }
    }

    pub(super) fn depth_to_space(&mut self) -> Made {
        let (x, [maps, rows, columns, block]) = self.blocks()?;
        let less = maps / (block * block);
        let (shape, order) = if self.node.text("mode") == "CRD" {
            (vec![less, block, block, rows, columns], vec![0, 3, 1, 4, 2])
        } else {
            (vec![block, block, less, rows, columns], vec![2, 3, 0, 4, 1])
        };
        let apart = self.reshape_to(&x, shape)?;
        let moved = self.transpose_to(&apart, order)?;
        self.reshape_to(&moved, vec![1, less, rows * block, columns * block])
    }

    pub(super) fn space_to_depth(&mut self) -> Made {
        let (x, [maps, rows, columns, block]) = self.blocks()?;
        let (less_rows, less_columns) = (rows / block, columns / block);
        let apart = self.reshape_to(&x, vec![maps, less_rows, block, less_columns, block])?;
        let moved = self.transpose_to(&apart, vec![2, 4, 0, 1, 3])?;
        self.reshape_to(
            &moved,
            vec![1, maps * block * block, less_rows, less_columns],
        )
    }
}
