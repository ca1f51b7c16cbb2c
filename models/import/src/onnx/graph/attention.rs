//! Attention as one operator (opset 23), as products of matrices.

use decode::architecture::graph::{Function, Operation, PairFunction};

use super::super::super::error::ImportError;
use super::super::super::graph::Wire;
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    /// softmax(scale · Q Kᵀ, capped, + mask) V, in heads; queries may share the keys of a head.
    pub(super) fn attention(&mut self) -> WireResult {
        let problem = if self.has(4) || self.has(5) || self.has(6) {
            Some("keys and values of earlier steps are not read")
        } else if self.node.int("qk_matmul_output_mode") != 0 || self.node.0.output.len() > 1 {
            Some("only its first output is read")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(self.node.error(problem));
        }
        let packed = self.wire(0)?.shape.len() == 3;
        let (queries, keys) = (
            self.heads(0, "q_num_heads")?,
            self.heads(1, "kv_num_heads")?,
        );
        let values = self.heads(2, "kv_num_heads")?;
        let (heads, of_keys) = (queries.shape[1], keys.shape[1]);
        if of_keys == 0 || !heads.is_multiple_of(of_keys) {
            return Err(self
                .node
                .error(format!("{heads} heads of queries for {of_keys} of keys")));
        }
        let shared: Vec<usize> = (0..heads).map(|head| head * of_keys / heads).collect();
        let keys = self.picked(&keys, 1, shared.clone())?;
        let values = self.picked(&values, 1, shared)?;
        let keys = self.transpose_to(&keys, vec![0, 1, 3, 2])?;
        let mut scores = self.add(Operation::MatMul, &[&queries, &keys])?;
        let scale = match self.node.given("scale").and_then(|a| a.f) {
            Some(scale) => scale,
            None => 1.0 / (queries.shape[3] as f32).sqrt(),
        };
        scores = self.with_number(PairFunction::Multiply, &scores, scale)?;
        let cap = self.node.float("softcap");
        if cap > 0.0 {
            scores = self.capped(&scores, cap)?;
        }
        if self.has(3) {
            scores = self.masked(&scores)?;
        }
        if self.node.int("is_causal") == 1 {
            let [.., rows, columns] = scores.shape[..] else {
                return Err(self.node.error("it has no scores"));
            };
            let hidden = |i: usize| {
                if i % columns > i / columns {
                    f32::MIN
                } else {
                    0.0
                }
            };
            let mask: Vec<f32> = (0..rows * columns).map(hidden).collect();
            let mask = self.builder.constant("causal", &[rows, columns], &mask);
            let mask = mask.map_err(|problem| self.node.error(problem))?;
            scores = self.pair(PairFunction::Add, &scores, &mask)?;
        }
        let axis = scores.shape.len() - 1;
        let weights = self.add(Operation::Softmax { axis }, &[&scores])?;
        let made = self.add(Operation::MatMul, &[&weights, &values])?;
        if !packed {
            return Ok(made);
        }
        let made = self.transpose_to(&made, vec![0, 2, 1, 3])?;
        let [one, steps, heads, width] = made.shape[..] else {
            return Ok(made);
        };
        self.reshape_to(&made, vec![one, steps, heads * width])
    }

    /// A value as `[1, heads, steps, width]`.
    fn heads(&mut self, nth: usize, count: &str) -> Result<Wire, ImportError> {
        let x = self.wire(nth)?;
        match x.shape[..] {
            [_, _, _, _] => Ok(x),
            [one, steps, width] => {
                let heads = usize::try_from(self.node.int(count)).unwrap_or(0);
                if heads == 0 || !width.is_multiple_of(heads) {
                    return Err(self.node.error(format!("{width} values in {heads} heads")));
                }
                let apart = self.reshape_to(&x, vec![one, steps, heads, width / heads])?;
                self.transpose_to(&apart, vec![0, 2, 1, 3])
            }
            _ => Err(self
                .node
                .error(format!("a value of shape {:?} is not read", x.shape))),
        }
    }

    /// No score goes beyond the cap: cap · tanh(score / cap).
    fn capped(&mut self, scores: &Wire, cap: f32) -> WireResult {
        let share = self.with_number(PairFunction::Divide, scores, cap)?;
        let share = self.activation(decode::architecture::Activation::Tanh, &share)?;
        self.with_number(PairFunction::Multiply, &share, cap)
    }

    /// Scores with a mask: of truth values, which are to be seen; of numbers, to be added.
    fn masked(&mut self, scores: &Wire) -> WireResult {
        let mask = self.wire(3)?;
        let truths = self
            .constant(3)
            .is_some_and(|mask| mask.to_ints().is_some());
        let mask = if truths {
            let hidden = self.map(Function::Not, &mask)?;
            self.with_number(PairFunction::Multiply, &hidden, f32::MIN)?
        } else if self.constant(3).is_some() {
            mask
        } else {
            return Err(self
                .node
                .error("its mask depends on the latent vector; only fixed masks are read"));
        };
        self.pair(PairFunction::Add, scores, &mask)
    }
}
