//! Families: the tests that are corrected together, and how.

use domain::study::{AnalysisPlan, Correction, Family, NamingMeasure};
use measures::statistics::correction::{self, adjust};

use crate::details::{NamingDifference, NamingResults};
use crate::report::{Contrast, MetricComparison, Pair};

/// How a plan corrects.
pub(crate) fn method(plan: Option<&AnalysisPlan>) -> correction::Correction {
    match plan.map_or(Correction::default(), |plan| plan.correction) {
        Correction::None => correction::Correction::None,
        Correction::Bonferroni => correction::Correction::Bonferroni,
        Correction::Holm => correction::Correction::Holm,
        Correction::Fdr => correction::Correction::Fdr,
    }
}

/// Corrects p-values over their families: pairs, and contrasts apart from them. Tests that are not planned are a family
/// of their own in each comparison and metric, whatever the plan says of the planned ones.
pub(crate) fn correct(comparisons: &mut [MetricComparison], plan: Option<&AnalysisPlan>) {
    let method = method(plan);
    let whole = plan.is_some_and(|plan| plan.family == Family::Study);
    let mut families: Vec<Vec<usize>> = vec![Vec::new()];
    for (index, comparison) in comparisons.iter().enumerate() {
        if whole && comparison.planned {
            families[0].push(index);
        } else {
            families.push(vec![index]);
        }
    }
    for family in families {
        let of_family = |of: fn(&MetricComparison) -> Vec<Option<f64>>| -> Vec<Option<f64>> {
            family
                .iter()
                .flat_map(|&index| of(&comparisons[index]))
                .collect()
        };
        let pairs = of_family(|it| it.pairs.iter().map(Pair::p).collect());
        let contrasts = of_family(|it| it.contrasts.iter().map(Contrast::p).collect());
        let mut pairs = adjust(method, &pairs).into_iter();
        let mut contrasts = adjust(method, &contrasts).into_iter();
        for index in family {
            for pair in &mut comparisons[index].pairs {
                pair.p_corrected = pairs.next().flatten();
            }
            for contrast in &mut comparisons[index].contrasts {
                contrast.p_corrected = contrasts.next().flatten();
            }
        }
    }
}

/// Marks what a plan declares, and corrects its tests: those of one measure, or all of them, as the plan's other
/// tests. Names are a family of their own: their tests are over concepts, the others over people.
pub(crate) fn declare_names(names: &mut [NamingResults], plan: &AnalysisPlan) {
    let Some(naming) = &plan.naming else { return };
    let families: Vec<&[NamingMeasure]> = match plan.family {
        Family::Metric => naming.measures.chunks(1).collect(),
        Family::Study => vec![&naming.measures],
    };
    for family in families {
        let is_declared = |it: &NamingDifference| {
            family.contains(&it.measure) && naming.names(it.measure, &it.bundles)
        };
        let differences = names.iter_mut().flat_map(|it| &mut it.differences);
        let mut declared: Vec<&mut NamingDifference> =
            differences.filter(|it| is_declared(it)).collect();
        let p = |it: &NamingDifference| Some(it.ranks.as_ref()?.defined()?.p);
        let raw: Vec<Option<f64>> = declared.iter().map(|it| p(it)).collect();
        let adjusted = adjust(method(Some(plan)), &raw);
        for (difference, p) in declared.iter_mut().zip(adjusted) {
            difference.planned = true;
            difference.p_corrected = p;
        }
    }
}
