//! The declared analysis as a script in R and as a notebook in Python, which repeat it from exported tables without
//! Redial.

use domain::study::{Adjustment, Comparison, Correction, ExclusionCriterion};
use serde_json::{Map, Value, json};

use crate::report::Analysis;

/// The scripts, with places for what a study says.
const R: &str = include_str!("scripts/analysis.R");
const PYTHON: &str = include_str!("scripts/analysis.py");

impl Analysis {
    /// A script in R that reads what `redial export` wrote and does the tests that the plan declares; nothing without a
    /// plan, or where there is nothing to compare.
    #[must_use]
    pub fn r_script(&self, study: &str) -> Option<String> {
        Some(self.filled(R, study, &in_r(&self.declared()?)))
    }

    /// The same as a notebook in Python, without mixed models.
    #[must_use]
    pub fn notebook(&self, study: &str) -> Option<String> {
        let plan = serde_json::to_string_pretty(&self.declared()?).ok()?;
        let code = self.filled(PYTHON, study, &plan);
        let cells: Vec<Value> = code.split("# %%").skip(1).map(cell).collect();
        let notebook = json!({
            "nbformat": 4, "nbformat_minor": 4, "cells": cells,
            "metadata": { "kernelspec": { "name": "python3", "display_name": "Python 3", "language": "python" } },
        });
        serde_json::to_string_pretty(&notebook).ok()
    }

    fn filled(&self, script: &str, study: &str, plan: &str) -> String {
        script
            .replace("{{study}}", study)
            .replace(
                "{{simulated}}",
                if self.simulated { " --simulated" } else { "" },
            )
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
            .replace("{{plan}}", plan)
    }

    /// The plan's settings that both scripts know.
    fn declared(&self) -> Option<Value> {
        let plan = self.plan.as_ref()?;
        let compared = self.compared();
        if compared.is_empty() {
            return None;
        }
        let comparisons = compared
            .into_iter()
            .map(|it| (it.name, json!(it.conditions)));
        let contrasts = plan.contrasts.iter();
        let contrasts = contrasts.map(|it| (it.name.clone(), json!(it.weights)));
        // As p.adjust calls them.
        let correction = match plan.correction {
            Correction::None => "none",
            Correction::Bonferroni => "bonferroni",
            Correction::Holm => "holm",
            Correction::Fdr => "BH",
        };
        Some(json!({
            "version": self.study_sha256,
            "metrics": plan.metrics,
            "conditions_are": plan.conditions_are,
            "conditions_vary": plan.conditions_vary,
            "comparisons": comparisons.collect::<Map<_, _>>(),
            "contrasts": contrasts.collect::<Map<_, _>>(),
            "adjust_for": plan.adjust_for.iter().map(Adjustment::name).collect::<Vec<_>>(),
            "test": plan.test,
            "family": plan.family,
            "correction": correction,
            "exclusions": exclusions(&plan.exclusions),
        }))
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

/// The plan's exclusions by their kind; whoever is not complete is in no table of those included.
fn exclusions(rules: &[ExclusionCriterion]) -> Value {
    let (mut away, mut solved, mut outlying) = (Vec::new(), Vec::new(), Vec::new());
    for rule in rules {
        match rule {
            ExclusionCriterion::Incomplete | ExclusionCriterion::Marked => {}
            ExclusionCriterion::Away { more_than_s } => away.push(json!(more_than_s)),
            ExclusionCriterion::Solved { fewer_than } => solved.push(json!(fewer_than)),
            ExclusionCriterion::Outlying { metric, beyond_sd } => {
                outlying.push(json!({ "metric": metric, "beyond_sd": beyond_sd }));
            }
        }
    }
    let marked = rules.contains(&ExclusionCriterion::Marked);
    json!({ "marked": marked, "away": away, "solved": solved, "outlying": outlying })
}

/// A cell of a notebook: what follows a mark `# %%` in the script.
fn cell(text: &str) -> Value {
    let (text, is_code) = match text.strip_prefix(" [markdown]") {
        Some(words) => (words.replace("\n# ", "\n").replace("\n#\n", "\n\n"), false),
        None => (text.to_owned(), true),
    };
    let lines: Vec<&str> = text.trim().split_inclusive('\n').collect();
    if is_code {
        json!({ "cell_type": "code", "source": lines, "metadata": {}, "outputs": [], "execution_count": null })
    } else {
        json!({ "cell_type": "markdown", "source": lines, "metadata": {} })
    }
}

/// A value as R writes it: lists, and vectors of texts.
fn in_r(value: &Value) -> String {
    let list = |entries: Vec<String>| format!("list({})", entries.join(", "));
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(true) => "TRUE".to_owned(),
        Value::Bool(false) => "FALSE".to_owned(),
        // JSON's texts and numbers are R's.
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(all) if !all.is_empty() && all.iter().all(Value::is_string) => {
            let all: Vec<String> = all.iter().map(in_r).collect();
            format!("c({})", all.join(", "))
        }
        Value::Array(all) => list(all.iter().map(in_r).collect()),
        Value::Object(fields) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("`{}` = {}", name.replace('`', ""), in_r(value))
            };
            list(fields.iter().map(entry).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::study::Metric;

    #[test]
    fn the_scripts_know_every_metric() {
        for metric in Metric::ALL {
            for script in [R, PYTHON] {
                assert!(script.contains(metric.name()), "{}", metric.name());
            }
        }
    }

    #[test]
    fn values_are_written_as_r_writes_them() {
        let value = json!({ "a-b": ["x", "y"], "n": [1, 2.5], "none": [], "yes": true });
        let expected =
            r#"list(`a-b` = c("x", "y"), `n` = list(1, 2.5), `none` = list(), `yes` = TRUE)"#;
        assert_eq!(in_r(&value), expected);
    }
}
