//! An analysis as text: tables with aligned columns, and sentences.

mod comparison;
mod flow;
mod left_out;
mod naming;
mod pairs;

use std::fmt::Write as _;

use domain::study::Family;
use measures::statistics::{SampleUnit, Undefined};

use crate::computed::{Computed, undefined};
use crate::numbers::{counted, interval, number, p_after_sign as p, statistic};
use crate::report::{Analysis, Sample};
use comparison::f_test;
pub(crate) use comparison::{correction, correction_of_names, equivalence, test};
pub(crate) use left_out::{left_out, why_left_out};

impl Analysis {
    /// Everything, to be read at a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let (started, included) = (self.started, self.included.people);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "Study version {}", short(&self.study_sha256));
        let _ = writeln!(
            out,
            "{} started, {included} {} included.",
            counted(started, "person", "people"),
            if included == 1 { "is" } else { "are" }
        );
        for excluded in self.excluded.iter().filter(|excluded| excluded.people > 0) {
            let _ = writeln!(
                out,
                "Left out: {} ({}).",
                excluded.people,
                why_left_out(excluded)
            );
        }
        out += &match &self.plan {
            Some(plan) => format!(
                "The study declares this analysis: {}; {}, {}. What it does not declare is marked as exploratory.\n",
                test(plan.test, plan.conditions_vary),
                correction(plan.correction),
                match plan.family {
                    Family::Metric => "each metric of a comparison a family",
                    Family::Study => "all declared metrics one family",
                },
            ),
            None => "The study declares no analysis: everything here is exploratory.\n".to_owned(),
        };
        if let Some(people) = self.plan.as_ref().and_then(|plan| plan.people)
            && self.interim
        {
            let _ = writeln!(
                out,
                "INTERIM: {} declared, {included} included.",
                counted(people, "person is", "people are")
            );
        }
        out += &self.attrition_text();
        let differ = included != started;
        if differ {
            out += "\n# People who are included\n";
        }
        out += &self.included.to_text();
        if differ {
            out += "\n# All who started\n";
            out += &self.everyone.to_text();
        }
        out
    }

    fn attrition_text(&self) -> String {
        if self.attrition.cells.is_empty() || self.included.people == self.started {
            return String::new();
        }
        let mut lines = vec![["Cell", "Included", "Left out"].map(str::to_owned).to_vec()];
        for (cell, kept, lost) in &self.attrition.cells {
            lines.push(vec![cell.clone(), kept.to_string(), lost.to_string()]);
        }
        let mut out = format!("\n{}", aligned(&lines));
        if let Some(tests) = &self.attrition.tests {
            let chi = tests
                .chi_squared
                .said(|t| format!("χ²({}) = {}, p {}", t.df, statistic(t.chi_squared), p(t.p)));
            let fisher = tests.fisher_p.said(|found| format!("p {}", p(*found)));
            let _ = writeln!(
                out,
                "Does it differ between cells? {chi}; Fisher's exact test {fisher}."
            );
        }
        out
    }
}

impl Sample {
    fn to_text(&self) -> String {
        if self.comparisons.is_empty() {
            return "\nNo question of these people has ended yet.\n".to_owned();
        }
        let mut out = self.descriptions();
        for comparison in self.comparisons.iter().filter(|c| c.conditions.len() > 1) {
            out += &comparison.to_text();
        }
        for across in &self.across {
            let _ = writeln!(
                out,
                "\n## {}, across {}{}\n",
                across.metric.label(),
                across.comparisons.join(", "),
                exploratory(across.planned)
            );
            out += &match &across.anova {
                Computed::Undefined(why) => {
                    format!("Mixed analysis of variance: {}.\n", undefined(*why))
                }
                Computed::Defined(found) => {
                    let corrected = |p_corrected: Option<f64>| {
                        p_corrected.map_or(String::new(), |found| {
                            format!(", Greenhouse–Geisser p {}", p(found))
                        })
                    };
                    format!(
                        "Comparison (between people): {}\nCondition (within): {}{}\nBoth together: {}{}\n",
                        f_test(&found.between),
                        f_test(&found.within),
                        corrected(found.p_within_greenhouse_geisser),
                        f_test(&found.interaction),
                        corrected(found.p_interaction_greenhouse_geisser),
                    )
                }
            };
        }
        out += &self.incidence_text();
        out += &self.naming_text();
        out
    }

    fn descriptions(&self) -> String {
        let heads = [
            "",
            "Condition",
            "n",
            "Mean",
            "SD",
            "SD (n − 1)",
            "Median",
            "Quartiles",
            "95 % interval of the mean",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        for comparison in &self.comparisons {
            for (index, row) in comparison.conditions.iter().enumerate() {
                let mut line = vec![String::new(), row.condition.clone()];
                if index == 0 {
                    line[0] = format!(
                        "{}{}",
                        comparison.metric.label(),
                        if comparison.planned { "" } else { " °" }
                    );
                }
                if let Computed::Defined(d) = &row.description {
                    line.extend([
                        d.n.to_string(),
                        number(d.mean),
                        number(d.sd_population),
                        d.sd_sample.map_or("–".to_owned(), number),
                        number(d.median),
                        interval(d.quartile_1, d.quartile_3),
                        match &row.interval {
                            Some(found) => found.said(|i| interval(i.low, i.high)),
                            None => "–".to_owned(),
                        },
                    ]);
                } else {
                    line.push("0".to_owned());
                }
                lines.push(line);
            }
        }
        format!(
            "\n{}\nOver people, of each one's mean over questions. SD has the divisor n, as the paper's \
             tables. The interval is a BCa bootstrap's. ° exploratory.\n",
            aligned(&lines)
        )
    }

    fn incidence_text(&self) -> String {
        if self.incidence.is_empty() {
            return String::new();
        }
        let heads = [
            "Condition",
            "People",
            "Questions",
            "Until (s)",
            "Solved by then",
            "Skipped by then",
            "Mean seconds open",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        let with_error = |value: f64, error: Option<f64>| {
            let one = Undefined::TooFew {
                of: SampleUnit::People,
                found: 1,
                needed: 2,
            };
            let error = error.map_or_else(|| undefined(one), number);
            format!("{} (SE {error})", number(value))
        };
        for row in &self.incidence {
            let share = |end: usize| {
                row.at_limit.as_ref().map_or("0".to_owned(), |point| {
                    let errors = point.standard_error.as_ref();
                    with_error(point.incidence[end], errors.map(|errors| errors[end]))
                })
            };
            lines.push(vec![
                row.condition.clone(),
                row.people.to_string(),
                row.questions.to_string(),
                number(row.until_s),
                share(0),
                share(1),
                row.restricted
                    .as_ref()
                    .map_or("unknown: last seen before".to_owned(), |means| {
                        with_error(means.open, means.open_standard_error)
                    }),
            ]);
        }
        format!(
            "\n## How questions end, over active time\n\n{}\nCumulative incidence (Aalen–Johansen): solving \
             and skipping compete; what was cut or abandoned was last seen then. Standard errors \
             count people, not questions.\n",
            aligned(&lines)
        )
    }
}

fn exploratory(planned: bool) -> &'static str {
    if planned { "" } else { " (exploratory)" }
}

fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}

/// Columns of equal width, a rule below the first line.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mut text = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(text, "{cell:<width$}  ");
        }
        out += text.trim_end();
        out.push('\n');
        if index == 0 {
            out += &"─".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1));
            out.push('\n');
        }
    }
    out
}
