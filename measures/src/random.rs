//! Random numbers that are the same on every machine and with every version of the libraries.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers. The same seed and stream give the same numbers.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The numbers of `seed`, in the stream `stream`: what is drawn for one purpose does not move what is drawn for
    /// another.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// A number from 0 up to, and without, 1. All multiples of 2⁻⁵³ are equally likely.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number of the normal distribution with mean 0 and standard deviation 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        // 1 − u is never 0, so its logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// A whole number below `end`, which must not be 0. The product of a 64-bit draw and `end` is cut, so that one
    /// number is likelier than another by less than `end` / 2⁶⁴.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.0.next_u64()) * end as u128) >> 64) as usize
    }

    /// Puts `items` into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.below(end));
        }
    }

    /// The whole numbers below `count` in a random order.
    #[must_use]
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_moments_of_their_distributions() {
        let mut random = Random::new(1, 0);
        let n = 100_000;
        let (mut sum, mut squares, mut uniform) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            let z = random.normal();
            sum += z;
            squares += z * z;
            uniform += random.uniform();
        }
        let n = f64::from(n);
        // Four standard errors.
        assert!((sum / n).abs() < 4.0 / n.sqrt());
        assert!((squares / n - 1.0).abs() < 4.0 * (2.0 / n).sqrt());
        assert!((uniform / n - 0.5).abs() < 4.0 * (1.0 / 12.0 / n).sqrt());
    }

    #[test]
    fn a_permutation_names_each_number_once_and_depends_on_seed_and_stream() {
        let order = Random::new(3, 1).permutation(50);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_eq!(order, Random::new(3, 1).permutation(50));
        assert_ne!(order, Random::new(4, 1).permutation(50));
        assert_ne!(order, Random::new(3, 2).permutation(50));
    }
}
