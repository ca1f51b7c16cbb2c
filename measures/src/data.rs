//! Data whose truth is known, drawn from a seed: what measures are tried out on.
//!
//! | module | data | of |
//! | --- | --- | --- |
//! | [`tabular_toy`] | tables: seven columns of three dependent causes | paper 000 |
//! | [`dependence`] | which combinations of factors there are when factors depend on each other; dSprites' concepts and classes | paper 000 |
//! | [`shapes`] | pictures of shapes in a grid, with labels and each shape's place | paper 001 |
//! | [`digit`] | thickness, slant, width, height and area of a handwritten digit, measured | Morpho-MNIST |
//!
//! The same seed gives the same bits on every machine. Pictures of dSprites are drawn in the crate `training`, from
//! the combinations that [`dependence`] gives.

pub mod dependence;
pub mod digit;
pub mod shapes;
pub mod tabular_toy;

#[cfg(test)]
mod hash;
