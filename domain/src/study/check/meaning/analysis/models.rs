//! Contrasts of a plan, what its mixed models are adjusted for, and what conditions are called.

use super::super::{Problems, is_name};
use crate::study::check::suggest;
use crate::study::{
    Adjustment, AnalysisPlan, ConditionsVary, PairTest, Part, PlannedContrast, Study,
};

/// Weights within this of a sum of 0 have it: thirds cannot be written exactly.
const SUM: f64 = 1e-6;

/// Labels are of conditions that are compared, and fit into a figure.
pub(super) fn labels(study: &Study, plan: &AnalysisPlan, out: &mut Problems) {
    /// Characters; longer ones run into each other.
    const LONGEST: usize = 40;
    let compared = study.comparisons();
    let mut known: Vec<String> = compared.into_iter().flat_map(|it| it.conditions).collect();
    if known.is_empty() {
        let stages = study.scored_stages();
        known = stages
            .flat_map(|stage| plan.conditions_are.of(stage))
            .collect();
    }
    for (condition, label) in &plan.condition_labels {
        let place = format!("analysis.condition_labels.{condition}");
        if !known.contains(condition) {
            let near = suggest(condition, &known);
            let expected = format!("no comparison has a condition of that name; {near}");
            out.add(place, format!("'{condition}'"), expected);
        } else if label.trim().is_empty() || label.chars().count() > LONGEST {
            let expected = format!("1 to {LONGEST} characters");
            out.add(place, format!("'{label}'"), expected);
        }
    }
}

pub(super) fn contrasts(study: &Study, plan: &AnalysisPlan, out: &mut Problems) {
    if !plan.contrasts.is_empty()
        && plan.test == PairTest::Rank
        && plan.conditions_vary == ConditionsVary::Between
    {
        out.add(
            "analysis.contrasts",
            "contrasts of ranks between people",
            "'t', 'welch' or 'mixed_model' as 'test'; ranks of different people have no weighted sum",
        );
    }
    for (index, contrast) in plan.contrasts.iter().enumerate() {
        let place = format!("analysis.contrasts[{index}]");
        let before = &plan.contrasts[..index];
        if !is_name(&contrast.name, '-') || before.iter().any(|it| it.name == contrast.name) {
            out.add(
                format!("{place}.name"),
                format!("'{}'", contrast.name),
                "a name of its own: lower-case letters, digits and '-', 1 to 64 characters",
            );
        }
        weights(study, contrast, &format!("{place}.weights"), out);
    }
}

fn weights(study: &Study, contrast: &PlannedContrast, place: &str, out: &mut Problems) {
    let weights = &contrast.weights;
    let sum: f64 = weights.values().sum();
    let some = weights.values().any(|weight| *weight != 0.0);
    if !some || sum.is_nan() || sum.abs() > SUM {
        out.add(
            place,
            format!("weights with the sum {sum}"),
            "weights above and below 0 with the sum 0, such as 1, -0.5 and -0.5",
        );
    }
    let compared = study.comparisons();
    let known: Vec<String> = compared
        .iter()
        .flat_map(|it| it.conditions.clone())
        .collect();
    let unknown = weights
        .keys()
        .filter(|condition| !known.contains(condition));
    let mut is_known = true;
    for condition in unknown {
        let near = suggest(condition, &known);
        out.add(
            format!("{place}.{condition}"),
            format!("'{condition}'"),
            format!("no comparison has a condition of that name; {near}"),
        );
        is_known = false;
    }
    let has_all =
        |it: &crate::study::Comparison| weights.keys().all(|one| it.conditions.contains(one));
    if is_known && !compared.iter().any(has_all) {
        out.add(
            place,
            "conditions of different comparisons",
            "conditions of one comparison: only those are compared",
        );
    }
}

pub(super) fn adjusted(study: &Study, plan: &AnalysisPlan, out: &mut Problems) {
    if !plan.adjust_for.is_empty() && plan.test != PairTest::MixedModel {
        out.add(
            "analysis.adjust_for",
            "another test than a mixed model",
            "\"test\": \"mixed_model\": the other tests have no further effects",
        );
    }
    for (index, adjustment) in plan.adjust_for.iter().enumerate() {
        let place = format!("analysis.adjust_for[{index}]");
        if plan.adjust_for[..index].contains(adjustment) {
            out.add(
                place,
                format!("'{}' again", adjustment.name()),
                "each of them once",
            );
            continue;
        }
        match adjustment {
            Adjustment::Period | Adjustment::Sequence
                if plan.conditions_vary == ConditionsVary::Between =>
            {
                out.add(
                    place,
                    format!("'{}' between people", adjustment.name()),
                    "a design within people: each person has one condition, in one period",
                );
            }
            Adjustment::Period | Adjustment::Sequence => {}
            Adjustment::Answer {
                questionnaire,
                item,
            } => {
                let leaves = study.leaves().into_iter();
                let mut pages = leaves.filter_map(|part| match part {
                    Part::Questionnaire(part) if !part.about_last_stage => {
                        Some(&part.questionnaire)
                    }
                    _ => None,
                });
                let page = pages.find(|page| page.id == *questionnaire);
                let is_known = page.is_some_and(|page| {
                    let mut items = page.items.iter();
                    items.any(|it| it.id == *item && it.answer.is_number())
                        || page.scores.iter().any(|score| score.name == *item)
                });
                if !is_known {
                    out.add(
                        place,
                        format!("'{}'", adjustment.name()),
                        "an item that is answered with a number, or a score, of a questionnaire about no stage",
                    );
                }
            }
        }
    }
}
