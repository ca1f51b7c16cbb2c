//! Recurrent layers over a series.

use decode::architecture::graph::{Operation, RecurrentCell};

use super::super::super::error::ImportError;
use super::super::super::graph::Wire;
use super::nodes::{NodeLowering, WiresResult};

impl NodeLowering<'_> {
    /// An `LSTM` or `GRU` node: its series of states, its last state, and its last cell.
    pub(super) fn recurrent(&mut self) -> WiresResult {
        let lstm = self.node.operator() == "LSTM";
        let cell = match (lstm, self.node.int("linear_before_reset")) {
            (true, _) => RecurrentCell::Lstm,
            (false, 0) => RecurrentCell::Gru,
            (false, _) => RecurrentCell::GruResetAfter,
        };
        let problem = if self.has(4) && self.constant(4).is_none() {
            Some("lengths of series that depend on the latent vector are not read")
        } else if !self.usual_functions(lstm) {
            Some("other functions than sigmoid and tanh are not read; use its own")
        } else if self.has(7) {
            Some("peepholes are not read")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(self.node.error(problem));
        }
        let x = self.wire(0)?;
        let &[steps, 1, inputs] = &x.shape[..] else {
            return Err(self
                .node
                .error(format!("a series of shape {:?} is not read", x.shape)));
        };
        let series = self.reshape_to(&x, vec![steps, inputs])?;
        let direction = self.node.text("direction");
        let reverses: &[bool] = match direction.as_str() {
            "forward" => &[false],
            "reverse" => &[true],
            "bidirectional" => &[false, true],
            _ => {
                return Err(self
                    .node
                    .error(format!("direction {direction:?} is unknown")));
            }
        };
        let hidden = usize::try_from(self.node.int("hidden_size")).unwrap_or(0);
        let (mut all, mut last, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        let wants_cells = self.is_used(2);
        for (nth, &reverse) in reverses.iter().enumerate() {
            let weights = self.weights(nth, reverses.len(), cell, hidden)?;
            let mut of = vec![&series];
            of.extend(&weights);
            let of_cells = |cells: bool| Operation::Recurrent {
                cell,
                hidden,
                reverse,
                cells,
            };
            let states = self.add(of_cells(false), &of)?;
            let end = if reverse { 0 } else { steps - 1 };
            last.push(self.picked(&states, 0, vec![end])?);
            if wants_cells {
                let series = self.add(of_cells(true), &of)?;
                cells.push(self.picked(&series, 0, vec![end])?);
            }
            all.push(self.reshape_to(&states, vec![steps, 1, hidden])?);
        }
        let directions = reverses.len();
        let all = self.add(
            Operation::Concat { axis: 1 },
            &all.iter().collect::<Vec<_>>(),
        )?;
        let all = self.reshape_to(&all, vec![steps, directions, 1, hidden])?;
        let mut made = vec![all];
        for ends in [last, cells].iter().filter(|ends| !ends.is_empty()) {
            let ends = ends.iter().collect::<Vec<_>>();
            let ends = self.add(Operation::Concat { axis: 0 }, &ends)?;
            made.push(self.reshape_to(&ends, vec![directions, 1, hidden])?);
        }
        Ok(made)
    }

    /// Whether its functions are those it has unless told: tf2onnx writes them all the same.
    fn usual_functions(&self, lstm: bool) -> bool {
        let usual: &[&str] = match lstm {
            true => &["sigmoid", "tanh", "tanh"],
            false => &["sigmoid", "tanh"],
        };
        let attributes = &self.node.0.attribute;
        let told = attributes.iter().filter(|a| a.name == "activations");
        let mut told = told.flat_map(|a| a.strings.chunks(usual.len()));
        told.all(|of_direction| {
            let pairs = of_direction.iter().zip(usual);
            of_direction.len() == usual.len()
                && pairs
                    .into_iter()
                    .all(|(told, usual)| told.eq_ignore_ascii_case(usual.as_bytes()))
        })
    }

    /// Whether a node's output is more than a name: PyTorch names outputs that nobody uses.
    fn is_used(&self, nth: usize) -> bool {
        let name = self.node.0.output.get(nth);
        name.is_some_and(|name| self.used.contains(name.as_str()))
    }

    /// Weights of one direction, in the order of [`Operation::Recurrent`].
    fn weights(
        &mut self,
        direction: usize,
        directions: usize,
        cell: RecurrentCell,
        hidden: usize,
    ) -> Result<Vec<Wire>, ImportError> {
        let rows = cell.gates() * hidden;
        let mut weights = Vec::new();
        for nth in [1, 2] {
            let all = self.wire(nth)?;
            let &[found, _, columns] = &all.shape[..] else {
                return Err(self.node.error("its weights have the wrong number of axes"));
            };
            if found != directions {
                return Err(self
                    .node
                    .error("its weights are of another number of directions"));
            }
            let one = self.picked(&all, 0, vec![direction])?;
            weights.push(self.reshape_to(&one, vec![rows, columns])?);
        }
        if self.has(3) {
            let all = self.wire(3)?;
            let one = self.picked(&all, 0, vec![direction])?;
            let one = self.reshape_to(&one, vec![2 * rows])?;
            for start in [0, rows] {
                weights.push(self.picked(&one, 0, (start..start + rows).collect())?);
            }
        } else {
            for _ in 0..2 {
                weights.push(self.zeros(rows)?);
            }
        }
        let states: &[usize] = if cell == RecurrentCell::Lstm {
            &[5, 6]
        } else {
            &[5]
        };
        for &nth in states {
            weights.push(if self.has(nth) {
                let all = self.wire(nth)?;
                let one = self.picked(&all, 0, vec![direction])?;
                self.reshape_to(&one, vec![hidden])?
            } else {
                self.zeros(hidden)?
            });
        }
        Ok(weights)
    }

    fn zeros(&mut self, count: usize) -> Result<Wire, ImportError> {
        let made = self.builder.constant("zeros", &[count], &vec![0.0; count]);
        made.map_err(|problem| self.node.error(problem))
    }
}
