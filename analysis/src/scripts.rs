//! The declared analysis as a script in R, which repeats it from exported tables without Redial.

use std::fmt::Write as _;

use domain::study::{Adjustment, AnalysisPlan, Comparison, ConditionsAre, ConditionsVary};
use domain::study::{Correction, ExclusionCriterion, Family, PairTest};

use crate::report::Analysis;

/// The script, with places for what a study says.
const SCRIPT: &str = include_str!("scripts/analysis.R");

impl Analysis {
    /// A script in R that reads what `redial export` wrote and does the tests that the plan declares; nothing without a
    /// plan, or where there is nothing to compare.
    #[must_use]
    pub fn r_script(&self, study: &str) -> Option<String> {
        let plan = self.plan.as_ref()?;
        let compared = self.compared();
        if compared.is_empty() {
            return None;
        }
        let script = SCRIPT
            .replace("{{study}}", study)
            .replace(
                "{{simulated}}",
                if self.simulated { " --simulated" } else { "" },
            )
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
            .replace("{{plan}}", &r_list(plan, &compared, &self.study_sha256));
        Some(script)
    }

    /// The comparisons that there were, each once.
    fn compared(&self) -> Vec<Comparison> {
        let mut compared: Vec<Comparison> = Vec::new();
        for found in &self.included.comparisons {
            let is_new = compared.iter().all(|known| known.name != found.name);
            if is_new && found.conditions.len() > 1 {
                let conditions = found.conditions.iter().map(|row| row.condition.clone());
                compared.push(Comparison {
                    name: found.name.clone(),
                    conditions: conditions.collect(),
                });
            }
        }
        compared
    }
}

/// The plan as a list in R.
fn r_list(plan: &AnalysisPlan, compared: &[Comparison], version: &str) -> String {
    let metrics: Vec<&str> = plan.metrics.iter().map(|metric| metric.name()).collect();
    let comparisons = compared.iter().map(|it| {
        let conditions: Vec<&str> = it.conditions.iter().map(String::as_str).collect();
        format!("{} = {}", name(&it.name), texts(&conditions))
    });
    let contrasts = plan.contrasts.iter().map(|contrast| {
        let weights = contrast.weights.iter();
        let weights = weights.map(|(condition, weight)| format!("{} = {weight}", name(condition)));
        format!("{} = {}", name(&contrast.name), list(weights))
    });
    let adjusted = plan.adjust_for.iter().map(Adjustment::name);
    let adjusted = adjusted.map(|name| text(&name));
    let are = match plan.conditions_are {
        ConditionsAre::Stage => "stage",
        ConditionsAre::Model => "model",
    };
    let vary = match plan.conditions_vary {
        ConditionsVary::Within => "within",
        ConditionsVary::Between => "between",
    };
    let test = match plan.test {
        PairTest::T => "t",
        PairTest::Welch => "welch",
        PairTest::Rank => "rank",
        PairTest::MixedModel => "mixed_model",
    };
    let family = match plan.family {
        Family::Metric => "metric",
        Family::Study => "study",
    };
    // As p.adjust calls them.
    let correction = match plan.correction {
        Correction::None => "none",
        Correction::Bonferroni => "bonferroni",
        Correction::Holm => "holm",
        Correction::Fdr => "BH",
    };
    let fields = [
        ("version", text(version)),
        ("metrics", texts(&metrics)),
        ("conditions_are", text(are)),
        ("conditions_vary", text(vary)),
        ("comparisons", list(comparisons)),
        ("contrasts", list(contrasts)),
        ("adjust_for", list(adjusted)),
        ("test", text(test)),
        ("family", text(family)),
        ("correction", text(correction)),
        ("exclusions", exclusions(&plan.exclusions)),
    ];
    let mut out = String::from("list(");
    for (index, (field, value)) in fields.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(out, "{comma}\n  {field} = {value}");
    }
    out + "\n)"
}

fn exclusions(rules: &[ExclusionCriterion]) -> String {
    let numbers = |of: fn(&ExclusionCriterion) -> Option<String>| list(rules.iter().filter_map(of));
    let away = numbers(|rule| match rule {
        ExclusionCriterion::Away { more_than_s } => Some(more_than_s.to_string()),
        _ => None,
    });
    let solved = numbers(|rule| match rule {
        ExclusionCriterion::Solved { fewer_than } => Some(fewer_than.to_string()),
        _ => None,
    });
    let outlying = numbers(|rule| match rule {
        ExclusionCriterion::Outlying { metric, beyond_sd } => Some(format!(
            "list(metric = {}, beyond_sd = {beyond_sd})",
            text(metric.name())
        )),
        _ => None,
    });
    let marked = if rules.contains(&ExclusionCriterion::Marked) {
        "TRUE"
    } else {
        "FALSE"
    };
    format!("list(marked = {marked}, away = {away}, solved = {solved}, outlying = {outlying})")
}

fn list(entries: impl Iterator<Item = String>) -> String {
    format!("list({})", entries.collect::<Vec<_>>().join(", "))
}

fn texts(all: &[&str]) -> String {
    let all: Vec<String> = all.iter().map(|it| text(it)).collect();
    format!("c({})", all.join(", "))
}

/// A text in R, which knows the same escapes.
fn text(text: &str) -> String {
    format!("{text:?}")
}

/// A name in a list of R.
fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::study::Metric;

    #[test]
    fn the_script_knows_every_metric() {
        for metric in Metric::ALL {
            assert!(SCRIPT.contains(metric.name()), "{}", metric.name());
        }
    }
}
