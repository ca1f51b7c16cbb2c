//! Two registries' forms, filled in as far as the study file says it. Answers that only the authors know are marked.

use std::fmt::Write as _;

use analysis::plan_in_words;
use domain::design::{AssignmentRule, Counts, Varies};
use domain::recruitment::assignment::Purpose;
use domain::study::inclusion::InclusionRule;
use domain::study::{AnalysisPlan, Order, Study};
use server::catalogue::StudyEntry;

use super::Started;

/// The mark where a study file says nothing.
const YOURS: &str = "**[yours to write]**";

/// Both forms: names of files, and what is in them.
pub(super) fn forms(
    entry: &StudyEntry,
    plan: &AnalysisPlan,
    sessions: Option<&Started>,
) -> [(&'static str, String); 2] {
    let known = Known {
        study: &entry.study,
        plan,
        title: title(entry),
        sha256: &entry.sha256,
        started: sessions.map(|started| started.of(Purpose::Participant)),
    };
    [
        ("osf-form.md", known.osf()),
        ("aspredicted-form.md", known.as_predicted()),
    ]
}

fn title(entry: &StudyEntry) -> String {
    let study = &entry.study;
    let title = study.title.spoken(study.spoken(study.first_language()));
    title.to_string()
}

struct Known<'a> {
    study: &'a Study,
    plan: &'a AnalysisPlan,
    title: String,
    sha256: &'a str,
    /// Sessions of participants; nothing without a database.
    started: Option<usize>,
}

impl Known<'_> {
    /// The fields of the form OSF Preregistration, in its order.
    fn osf(&self) -> String {
        let file = format!("the study file `study.json` (SHA-256 {})", self.sha256);
        self.form(
            "OSF Preregistration",
            &[
                ("Title", self.title.clone()),
                ("Description", YOURS.to_owned()),
                ("Hypotheses", YOURS.to_owned()),
                ("Study type", "Experiment.".to_owned()),
                ("Blinding", format!("{} {YOURS}: whether you see conditions while you analyse.", "Participants are not told which condition they have.")),
                ("Study design", self.conditions()),
                ("Randomization", self.randomization()),
                ("Existing data", self.existing()),
                ("Explanation of existing data", YOURS.to_owned()),
                ("Data collection procedures", format!("With Redial, by {file}; what participants read is in `texts/`. {YOURS}: where people come from, who may take part, and when.")),
                ("Sample size", self.sample()),
                ("Sample size rationale", format!("{YOURS}; where `power.md` is in this folder, it has the simulated power.")),
                ("Stopping rule", self.stopping()),
                ("Manipulated variables", self.manipulated()),
                ("Measured variables", self.measured()),
                ("Indices", "Metrics are means over each person's questions in a condition, as the analysis plan says.".to_owned()),
                ("Statistical models", plan_in_words(self.plan)),
                ("Transformations", "None.".to_owned()),
                ("Inference criteria", format!("Two-sided tests, corrected as the analysis plan says; {YOURS}: the level.")),
                ("Data exclusion", self.exclusion()),
                ("Missing data", "Who lacks a value in a condition is left out of its tests of means, and counted.".to_owned()),
                ("Exploratory analysis", "Whatever the plan does not declare; tables and reports mark it.".to_owned()),
                ("Other", "Each session stores the hash of the study file that it was started with.".to_owned()),
            ],
        )
    }

    /// What AsPredicted asks, in its order.
    fn as_predicted(&self) -> String {
        self.form(
            "AsPredicted",
            &[
                ("Data collected already", self.existing()),
                ("Hypothesis", YOURS.to_owned()),
                ("Dependent variables", self.measured()),
                (
                    "Conditions",
                    format!("{}\n\n{}", self.conditions(), self.randomization()),
                ),
                ("Analyses", plan_in_words(self.plan)),
                ("Outliers and exclusions", self.exclusion()),
                (
                    "Sample size",
                    format!("{} {}", self.sample(), self.stopping()),
                ),
                (
                    "Other",
                    format!("The study file has the SHA-256 {}.", self.sha256),
                ),
                ("Name", self.title.clone()),
                ("Type of study", YOURS.to_owned()),
            ],
        )
    }

    fn form(&self, name: &str, fields: &[(&str, String)]) -> String {
        let mut out = format!(
            "# {name}: {}\n\nMade from the study file, field by field, to be pasted. Fields marked {YOURS} are not in it.\n",
            self.study.id
        );
        for (field, text) in fields {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n## {field}\n\n{}\n", text.trim_end());
        }
        out
    }

    fn existing(&self) -> String {
        match self.started {
            None => format!("{YOURS}: there was no database at hand."),
            Some(0) => "No data have been collected: no participant's session had been started in the database at hand.".to_owned(),
            Some(started) => format!("{started} sessions of participants had been started already. {YOURS}: what you know of them."),
        }
    }

    fn conditions(&self) -> String {
        let vary = match self.plan.conditions_vary {
            domain::study::ConditionsVary::Within => {
                "Each participant meets all conditions of a comparison."
            }
            domain::study::ConditionsVary::Between => {
                "Each participant meets one condition of a comparison."
            }
        };
        let mut out = vary.to_owned();
        for comparison in self.study.comparisons() {
            let conditions = comparison.conditions.join(", ");
            let _ = write!(out, "\n- {}: {conditions}", comparison.name);
        }
        out
    }

    fn manipulated(&self) -> String {
        let factors = self.study.design.factors.iter();
        let factors: Vec<String> = factors
            .map(|factor| {
                let varies = match factor.varies {
                    Varies::Between => "between participants",
                    Varies::Within => "within participants",
                    Varies::Link => "with the link",
                    Varies::Answer => "with what participants answer before the start (strata)",
                };
                format!("- {} ({varies}): {}", factor.name, factor.levels.join(", "))
            })
            .collect();
        if factors.is_empty() {
            return self.conditions();
        }
        factors.join("\n")
    }

    fn measured(&self) -> String {
        let metrics = self.plan.metrics.iter();
        let metrics = metrics.map(|metric| format!("- {} (`{}`)", metric.label(), metric.name()));
        format!(
            "The most important first; each is defined in Redial's documentation of analyses.\n\n{}",
            metrics.collect::<Vec<_>>().join("\n")
        )
    }

    fn randomization(&self) -> String {
        let mut out = match self.study.design.assignment.rule {
            _ if self.study.design.cells().len() < 2 => String::new(),
            AssignmentRule::InTurn => "Cells of the design follow each other in turn. ".to_owned(),
            AssignmentRule::Fewest => {
                "Who comes gets an open cell with the fewest people, among equals a random one. "
                    .to_owned()
            }
        };
        let orders = self.study.groups().into_iter().map(|group| group.order);
        let mut orders: Vec<&str> = orders
            .filter_map(|order| match order {
                Order::Fixed => None,
                Order::Random => Some("a random order for each participant"),
                Order::LatinSquare => Some("the rows of a Latin square"),
                Order::BalancedLatinSquare => Some("the rows of a Williams square"),
                Order::Dealt => Some("hands from a shuffled deck"),
            })
            .collect();
        orders.sort_unstable();
        orders.dedup();
        out += &if orders.is_empty() {
            "Everybody gets the stages in the same order.".to_owned()
        } else {
            format!("Stages come in {}.", orders.join(", and in "))
        };
        out
    }

    fn sample(&self) -> String {
        match self.plan.people {
            Some(people) => format!("{people} participants are to be included in the analysis."),
            None => format!("The plan names no number. {YOURS}"),
        }
    }

    fn stopping(&self) -> String {
        let rules = &self.study.design.assignment;
        let counts = match rules.counts {
            Counts::Included => "who meet the inclusion rules",
            Counts::Completions => "who completed the study",
        };
        match (rules.cap, rules.most_sessions) {
            (Some(cap), _) => format!("Each cell is closed with {cap} people {counts}."),
            (None, Some(most)) => format!("At most {most} sessions start."),
            (None, None) => format!("No cap is set. {YOURS}"),
        }
    }

    fn exclusion(&self) -> String {
        let mut out = "Beside those who withdrew, and the exclusions of the analysis plan, whoever does not meet these rules \
                       is left out; every result is given for all who started, too.\n"
            .to_owned();
        for rule in &self.study.inclusion {
            let _ = write!(out, "\n- {}", in_words(rule));
        }
        if self.study.inclusion.is_empty() {
            out += "\n- no further rules";
        }
        out
    }
}

/// An inclusion rule's requirement of a session, in words.
fn in_words(rule: &InclusionRule) -> String {
    match rule {
        InclusionRule::SolvedAtLeast { questions } => {
            format!("at least {questions} reconstruction questions solved")
        }
        InclusionRule::PracticeRight => {
            "every practice question solved or answered rightly".to_owned()
        }
        InclusionRule::AttentionCheck { answer } => {
            format!(
                "the expected answer to {}.{}",
                answer.questionnaire, answer.item
            )
        }
        InclusionRule::AttentionChecks {
            answers,
            failed_at_most,
        } => format!(
            "at most {failed_at_most} of {} attention checks failed",
            answers.len()
        ),
        InclusionRule::RadioButtonTouched => "a dial made of radio buttons moved".to_owned(),
        InclusionRule::ActiveTimeAtLeast { seconds } => {
            format!("active for at least {seconds} s, all questions together")
        }
        InclusionRule::TimeAwayAtMost { share } => {
            format!("away for at most {share} of the time in questions")
        }
        InclusionRule::TooFastAtMost { below_s, questions } => {
            format!("at most {questions} questions over in less than {below_s} s")
        }
    }
}
