//! Whether somebody was exceptionally fast.

/// So many standard deviations below the mean is exceptionally fast: Prolific's own rule.
const DEVIATIONS: f64 = 3.0;

/// The time below which somebody was exceptionally fast: three standard deviations below the mean of all times of a
/// study, their own among them. None for fewer than two times, and where all are the same.
///
/// Times are in any unit. The standard deviation is that of a sample.
#[must_use]
pub fn too_fast_below(all: &[u64]) -> Option<f64> {
    let number = all.len() as f64;
    if number < 2.0 {
        return None;
    }
    let mean = all.iter().map(|it| *it as f64).sum::<f64>() / number;
    let squares = all.iter().map(|it| (*it as f64 - mean).powi(2));
    let deviation = (squares.sum::<f64>() / (number - 1.0)).sqrt();
    (deviation > 0.0).then_some(mean - DEVIATIONS * deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_too_fast(own: u64, all: &[u64]) -> bool {
        too_fast_below(all).is_some_and(|below| (own as f64) < below)
    }

    #[test]
    fn only_beyond_three_standard_deviations_is_somebody_too_fast() {
        // By hand: 40 times of 600 and one of t. Mean (24000 + t) / 41.
        let with = |t: u64| {
            let mut all = vec![600; 40];
            all.push(t);
            is_too_fast(t, &all)
        };
        assert!(with(60), "(41 - 1) / sqrt(41) = 6.2 deviations");
        assert!(!with(600));
        assert!(!with(1_000), "slow is not fast");
        // Of ten, nobody can be three deviations away: 9 / sqrt(10) = 2.8.
        let mut ten = vec![600; 9];
        ten.push(1);
        assert!(!is_too_fast(1, &ten));
        // 100 times, 1 to 100 minutes: the mean is 50.5, the deviation 29.0.
        let even: Vec<u64> = (1..=100).collect();
        assert!(even.iter().all(|own| !is_too_fast(*own, &even)));
        assert!(!is_too_fast(1, &[]));
        assert!(!is_too_fast(1, &[1]));
    }
}
