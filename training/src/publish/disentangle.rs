//! How well the dimensions of a model match the factors of its data.

use anyhow::{Context, Result, anyhow};
use measures::array::Array;
use measures::disentanglement::dci::dci;
use measures::disentanglement::mutual_information::information;
use measures::disentanglement::{BINS, PredictionDirection, Split};
use measures::problem::Problem;
use models::card::Disentanglement;

use crate::recipe::PaperDisentanglement;

/// Rows that are looked at: boosted trees are not the fastest.
pub(crate) const ROWS: usize = 10_000;

/// Measures codes (rows in random order) against the factors of the same rows; none
/// for data without factors.
///
/// # Errors
/// When a number is not finite, rows differ in length, there are too few rows, or there is a single factor or code.
pub fn disentanglement(
    codes: &[Vec<f64>],
    factors: &[Vec<f64>],
    names: &[&str],
    paper: Option<PaperDisentanglement>,
) -> Result<Option<Disentanglement>> {
    if names.is_empty() {
        return Ok(None);
    }
    let rows = ROWS.min(codes.len()).min(factors.len());
    let array = |of: &[Vec<f64>], name| {
        Array::from_rows(&of[..rows])
            .with_context(|| format!("{name}: rows must be there, and equally long"))
    };
    let (codes, factors) = (array(codes, "codes")?, array(factors, "factors")?);
    let information = information(&codes, &factors, BINS).map_err(in_words)?;
    let split = Split::nine_tenths(rows);
    let score = |direction| {
        let found = dci(&codes, &factors, &split, direction, 1).map_err(in_words)?;
        found
            .disentanglement
            .context("DCI is not defined for a single factor or a single code")
    };
    Ok(Some(Disentanglement {
        instances: rows,
        factors: names.iter().map(|&name| name.to_owned()).collect(),
        mig: information.gaps().mean,
        mutual_information: information.matrix,
        factor_entropies: information.factor_entropies,
        dci: score(PredictionDirection::Standard)?,
        dci_as_published: score(PredictionDirection::AsPublished)?,
        paper_dci: paper.map(|p| p.dci),
        paper_mig: paper.map(|p| p.mig),
    }))
}

/// Everything that is wrong, in one error.
fn in_words(problems: Vec<Problem>) -> anyhow::Error {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    anyhow!("{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_as_codes_match_and_mixtures_do_not() {
        let factors: Vec<Vec<f64>> = (0..400)
            .map(|i| vec![f64::from(i % 20), f64::from(i / 20)])
            .collect();
        let mixed: Vec<Vec<f64>> = factors
            .iter()
            .map(|f| vec![f[0] + f[1], f[0] - f[1]])
            .collect();
        let names = ["a", "b"];
        let of = |codes: &[Vec<f64>]| {
            disentanglement(codes, &factors, &names, None)
                .unwrap()
                .unwrap()
        };
        let (same, mixed) = (of(&factors), of(&mixed));
        assert_eq!((same.instances, same.factors.len()), (400, 2));
        // Independent: all of log2(20) bits, and none.
        assert!((same.mig.unwrap() - 1.0).abs() < 1e-9, "{same:?}");
        assert!(same.dci > 0.99 && same.dci_as_published > 0.99, "{same:?}");
        assert!(mixed.mig.unwrap() < 0.1 && mixed.dci < 0.5, "{mixed:?}");
        assert_eq!(
            disentanglement(&factors, &factors, &[], None).unwrap(),
            None
        );
    }
}
