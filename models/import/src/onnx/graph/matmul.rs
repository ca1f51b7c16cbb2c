//! Products of matrices: MatMul, Gemm, Einsum.

use decode::architecture::graph::{Operation, PairFunction, Reduction};

use super::super::super::graph::Wire;
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    pub(super) fn mat_mul(&mut self) -> WireResult {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        let (row, column) = (a.shape.len() == 1, b.shape.len() == 1);
        let a = if row {
            self.reshape_to(&a, vec![1, a.shape[0]])?
        } else {
            a
        };
        let b = if column {
            self.reshape_to(&b, vec![b.shape[0], 1])?
        } else {
            b
        };
        let product = self.add(Operation::MatMul, &[&a, &b])?;
        let mut shape = product.shape.clone();
        if column {
            shape.pop();
        }
        if row {
            let at = shape.len() - if column { 1 } else { 2 };
            shape.remove(at);
        }
        self.reshape_to(&product, shape)
    }

    pub(super) fn gemm(&mut self) -> WireResult {
        let (mut a, mut b) = (self.wire(0)?, self.wire(1)?);
        if a.shape.len() != 2 || b.shape.len() != 2 {
            return Err(self.node.error("it takes matrices"));
        }
        if self.node.int("transA") == 1 {
            a = self.transpose_to(&a, vec![1, 0])?;
        }
        if self.node.int("transB") == 1 {
            b = self.transpose_to(&b, vec![1, 0])?;
        }
        let (alpha, beta) = (self.node.float("alpha"), self.node.float("beta"));
        let mut product = self.add(Operation::MatMul, &[&a, &b])?;
        product = self.times(&product, alpha)?;
        if !self.has(2) {
            return Ok(product);
        }
        let bias = self.wire(2)?;
        let bias = self.times(&bias, beta)?;
        self.pair(PairFunction::Add, &product, &bias)
    }

    fn times(&mut self, x: &Wire, number: f32) -> WireResult {
        if number.to_bits() == 1.0_f32.to_bits() {
            return Ok(x.clone());
        }
        self.with_number(PairFunction::Multiply, x, number)
    }

    /// A sum of products in letters, of one value or two.
    pub(super) fn einsum(&mut self) -> WireResult {
        let equation: String = self.node.text("equation").split_whitespace().collect();
        let refuse = |problem: &str| {
            self.node.error(format!(
                "the equation {equation:?} {problem}; write it as a product of matrices"
            ))
        };
        let Some((left, out)) = equation.split_once("->") else {
            return Err(refuse("says no output"));
        };
        let operands: Vec<Vec<char>> = left.split(',').map(|part| part.chars().collect()).collect();
        let out: Vec<char> = out.chars().collect();
        let twice =
            |letters: &Vec<char>| (0..letters.len()).any(|i| letters[..i].contains(&letters[i]));
        if equation.contains('.') || operands.iter().chain([&out]).any(twice) {
            return Err(refuse("has dots, or a letter twice in one place"));
        }
        let mut sides: Vec<(Wire, Vec<char>)> = Vec::new();
        for (nth, letters) in operands.iter().enumerate() {
            let x = self.wire(nth)?;
            if x.shape.len() != letters.len() {
                return Err(self
                    .node
                    .error(format!("{:?} has not an axis for each letter", x.shape)));
            }
            // What only this value has and nobody wants is summed up.
            let wanted = |c: &char| {
                out.contains(c)
                    || operands
                        .iter()
                        .enumerate()
                        .any(|(i, o)| i != nth && o.contains(c))
            };
            let axes: Vec<usize> = (0..letters.len())
                .filter(|&i| !wanted(&letters[i]))
                .collect();
            let kept: Vec<char> = letters.iter().copied().filter(wanted).collect();
            let sides_kept: Vec<usize> = (0..letters.len())
                .filter(|i| !axes.contains(i))
                .map(|i| x.shape[i])
                .collect();
            let x = if axes.is_empty() {
                x
            } else {
                let function = Reduction::Sum;
                let sum = self.add(Operation::Reduce { function, axes }, &[&x])?;
                self.reshape_to(&sum, sides_kept)?
            };
            sides.push((x, kept));
        }
        let (product, letters) = match <[_; 2]>::try_from(sides) {
            Ok([a, b]) => self.product_of(a, b, &out)?,
            Err(mut one) if one.len() == 1 => one.remove(0),
            Err(_) => {
                return Err(self
                    .node
                    .error("only one or two values are brought together"));
            }
        };
        let order: Option<Vec<usize>> = out
            .iter()
            .map(|c| letters.iter().position(|l| l == c))
            .collect();
        match order {
            Some(order) => self.transpose_to(&product, order),
            None => Err(self.node.error("its output has a letter that no input has")),
        }
    }

    fn product_of(
        &mut self,
        (a, letters_a): (Wire, Vec<char>),
        (b, letters_b): (Wire, Vec<char>),
        out: &[char],
    ) -> Result<(Wire, Vec<char>), super::ImportError> {
        let of = |letters: &[char], wanted: &dyn Fn(char) -> bool| -> Vec<char> {
            letters.iter().copied().filter(|&c| wanted(c)).collect()
        };
        let both = of(&letters_a, &|c| letters_b.contains(&c) && out.contains(&c));
        let inner = of(&letters_a, &|c| letters_b.contains(&c) && !out.contains(&c));
        let rows = of(&letters_a, &|c| !letters_b.contains(&c));
        let columns = of(&letters_b, &|c| !letters_a.contains(&c));
        let side = |c: char| -> usize {
            let in_a = letters_a.iter().position(|&l| l == c).map(|i| a.shape[i]);
            in_a.or_else(|| letters_b.iter().position(|&l| l == c).map(|i| b.shape[i]))
                .unwrap_or(1)
        };
        let many = |letters: &[char]| letters.iter().map(|&c| side(c)).product::<usize>();
        let order = |letters: &[char], groups: [&[char]; 3]| -> Vec<usize> {
            let wanted = groups.concat();
            wanted
                .iter()
                .filter_map(|c| letters.iter().position(|l| l == c))
                .collect()
        };
        let a = self.transpose_to(&a, order(&letters_a, [&both, &rows, &inner]))?;
        let a = self.reshape_to(&a, vec![many(&both), many(&rows), many(&inner)])?;
        let b = self.transpose_to(&b, order(&letters_b, [&both, &inner, &columns]))?;
        let b = self.reshape_to(&b, vec![many(&both), many(&inner), many(&columns)])?;
        let product = self.add(Operation::MatMul, &[&a, &b])?;
        let letters = [both, rows, columns].concat();
        let shape = letters.iter().map(|&c| side(c)).collect();
        Ok((self.reshape_to(&product, shape)?, letters))
    }
}
