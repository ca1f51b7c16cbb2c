//! An analysis plan in words, for people who deposit or review it.

use std::fmt::Write as _;

use domain::study::{Adjustment, AnalysisPlan, ConditionsAre, ConditionsVary, Correction, Family};

use crate::numbers::given;
use crate::person::LeftOutReason;
use crate::text::{correction, left_out, test};

/// The plan as Markdown, without a heading: every field that it has, and every default that
/// counts.
#[must_use]
pub fn plan_in_words(plan: &AnalysisPlan) -> String {
    // Writing to a string cannot fail, here and below.
    let mut out = "**Metrics**, the most important first; of each person and condition the mean over questions \
                   counts:\n\n"
        .to_owned();
    for (index, metric) in plan.metrics.iter().enumerate() {
        let _ = writeln!(
            out,
            "{}. {} (`{}`)",
            index + 1,
            metric.label(),
            metric.name()
        );
    }
    let are = match plan.conditions_are {
        ConditionsAre::Stage => "stages of the study",
        ConditionsAre::Model => "models",
    };
    let vary = match plan.conditions_vary {
        ConditionsVary::Within => "each person meets all conditions of a comparison",
        ConditionsVary::Between => "each person meets one condition of a comparison",
    };
    let _ = write!(out, "\n**Conditions** are {are}; {vary}. ");
    if plan.comparisons.is_empty() {
        out += "Those of each task are compared.\n";
    } else {
        out += "Compared are:\n\n";
        for comparison in &plan.comparisons {
            let _ = writeln!(
                out,
                "- {}: {}",
                comparison.name,
                comparison.conditions.join(", ")
            );
        }
    }
    for group in &plan.across {
        let _ = writeln!(
            out,
            "\n{} are compared with each other by a mixed analysis of variance; error AUC is left out.",
            group.join(", ")
        );
    }
    let _ = write!(
        out,
        "\n**Test** of every two conditions: {}; {}",
        test(plan.test, plan.conditions_vary),
        correction(plan.correction)
    );
    if plan.correction != Correction::None {
        out += match plan.family {
            Family::Metric => ", over the pairs of each metric in each comparison",
            Family::Study => ", over all pairs of all declared metrics in all comparisons",
        };
    }
    out += ".\n";
    for contrast in &plan.contrasts {
        let weights = contrast.weights.iter();
        let weights = weights.map(|(condition, weight)| format!("{condition} {}", given(*weight)));
        let _ = write!(
            out,
            "\n**Contrast** {}: {}. Tested as pairs are, and corrected with the other contrasts.\n",
            contrast.name,
            weights.collect::<Vec<_>>().join(", ")
        );
    }
    if !plan.adjust_for.is_empty() {
        let names: Vec<String> = plan.adjust_for.iter().map(Adjustment::name).collect();
        let _ = write!(out, "\n**Adjusted for**: {}.\n", names.join(", "));
    }
    out += "\n**Left out** are, beside those whom the study's inclusion rules exclude and those over quota:\n\n";
    if plan.exclusions.is_empty() {
        out += "- nobody\n";
    }
    for rule in &plan.exclusions {
        let _ = writeln!(out, "- {}", left_out(LeftOutReason::Plan { rule: *rule }));
    }
    out += "\nEvery result is given for all who started, too.\n";
    for bounds in &plan.equivalence {
        let _ = write!(
            out,
            "\n**Equivalence** in {} is tested with bounds {} and {}.\n",
            bounds.metric.label(),
            given(bounds.low),
            given(bounds.high)
        );
    }
    if let Some(naming) = &plan.naming {
        let measures = naming.measures.iter().map(|it| it.label());
        let bundles = if naming.bundles.is_empty() {
            "every two bundles".to_owned()
        } else {
            format!("every two of {}", naming.bundles.join(", "))
        };
        let _ = write!(
            out,
            "\n**Names of concepts**: {bundles} are compared by {}, the most important first. Intervals of differences \
             are over people; Mann and Whitney's tests are over concepts (MIC has none), {}{}.\n",
            measures.collect::<Vec<_>>().join(", "),
            correction(plan.correction),
            match (plan.correction, plan.family) {
                (Correction::None, _) => "",
                (_, Family::Metric) => ", over the pairs of each measure",
                (_, Family::Study) => ", over all pairs of all these measures",
            }
        );
    }
    let _ = match plan.people {
        Some(people) => write!(
            out,
            "\n**People** to be included: {people}. An analysis before that is interim.\n"
        ),
        None => write!(out, "\n**People**: no number is declared.\n"),
    };
    let _ = match plan.until_s {
        Some(until) => write!(
            out,
            "\nMean times are taken up to {} s of active time.\n",
            given(until)
        ),
        None => write!(
            out,
            "\nMean times are taken up to the time before which nobody can skip.\n"
        ),
    };
    let _ = writeln!(out, "\nThe bootstrap's seed is {}.", plan.seed);
    if !plan.amendments.is_empty() {
        out += "\n**Amendments** of this plan:\n\n";
        for amendment in &plan.amendments {
            let _ = writeln!(out, "- {}: {}", amendment.date, amendment.change.trim());
        }
    }
    out
}
