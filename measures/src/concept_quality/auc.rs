//! Area under the receiver operating characteristic: how often a row of a class scores above a row of another.

/// The area under the curve of `scores` for the rows that `positive` marks: the share of pairs of a marked row and
/// another in which the marked one scores higher, ties counted half (Mann and Whitney). 0.5 is chance; a constant
/// score has it exactly. None when all rows are marked or none is. Of two slices the shorter one says how many rows
/// there are. A score that is no number ranks by its sign, as `f64::total_cmp` does.
#[must_use]
pub fn auc(scores: &[f64], positive: &[bool]) -> Option<f64> {
    // Adding 0 makes −0 and 0 the same.
    let pairs = scores.iter().zip(positive);
    let mut pairs: Vec<(f64, bool)> = pairs.map(|(&s, &p)| (s + 0.0, p)).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let marked = pairs.iter().filter(|pair| pair.1).count() as u64;
    let others = pairs.len() as u64 - marked;
    if marked == 0 || others == 0 {
        return None;
    }
    // Twice the number of pairs won, in whole numbers: exact, whatever order rows are in.
    let (mut won_twice, mut below) = (0_u128, 0_u64);
    for tied in pairs.chunk_by(|a, b| a.0 == b.0) {
        let marked = tied.iter().filter(|pair| pair.1).count() as u64;
        let others = tied.len() as u64 - marked;
        won_twice += u128::from(marked) * u128::from(2 * below + others);
        below += others;
    }
    Some(won_twice as f64 / 2.0 / (marked as f64 * others as f64))
}

/// The mean over the classes present of each one's area against the rest. `scores` holds a list for each class, with
/// a number for each row; `classes` the class of each row. None when fewer than two classes are present.
#[must_use]
pub fn one_against_rest(scores: &[Vec<f64>], classes: &[usize]) -> Option<f64> {
    let areas: Vec<f64> = scores
        .iter()
        .enumerate()
        .filter_map(|(class, scores)| {
            let positive: Vec<bool> = classes.iter().map(|&of| of == class).collect();
            auc(scores, &positive)
        })
        .collect();
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
}
