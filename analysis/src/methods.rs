//! Sentences that a paper's section on methods has to say of the analysis.

use std::fmt::Write as _;

use domain::study::{Adjustment, ConditionsVary, Correction, Family, PairTest};

use crate::numbers::{given, p_after_sign, statistic};
use crate::report::{Analysis, TestOfMeans};
use crate::text::{correction, correction_of_names, equivalence, test, why_left_out};

impl Analysis {
    /// Paragraphs of Markdown without headings: who took part and who was left out, what was
    /// declared, which tests and corrections, and what was used. Every number is one of
    /// this analysis.
    #[must_use]
    pub fn methods(&self) -> String {
        let simulated = if self.simulated {
            "These are simulated people. They were made by Redial, and nothing here says \
             anything about real ones.\n\n"
        } else {
            ""
        };
        let paragraphs = [
            self.people_words(),
            self.flow_words(),
            self.plan_words(),
            self.test_words(),
            "Standard deviations in tables have the divisor n; tests use n − 1. Quantiles are of type 7 (Hyndman \
             and Fan, 1996), intervals of means BCa bootstraps with 9999 replicates (Efron, 1987). Numbers were \
             worked out by Redial from the event logs; it follows Ross, Chen, Hang, Glassman and Doshi-Velez \
             (CHI 2021)."
                .to_owned(),
        ];
        simulated.to_owned() + &paragraphs.join("\n\n")
    }

    fn people_words(&self) -> String {
        let included = self.included.people;
        let mut out = format!(
            "{} started the study; {} included in the analysis.",
            people(self.started),
            if included == 1 {
                "1 is".to_owned()
            } else {
                format!("{included} are")
            },
        );
        for excluded in self.excluded.iter().filter(|excluded| excluded.people > 0) {
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                out,
                " {} {} left out: {}.",
                excluded.people,
                if excluded.people == 1 { "was" } else { "were" },
                why_left_out(excluded)
            );
        }
        if self.started > 0 && included == self.started {
            out += " Nobody was left out.";
        }
        if let Some(tests) = self
            .attrition
            .tests
            .as_ref()
            .filter(|_| included < self.started)
        {
            let chi = tests.chi_squared.said(|t| {
                let p = p_after_sign(t.p);
                format!("χ²({}) = {}, p {p}", t.df, statistic(t.chi_squared))
            });
            let fisher = tests.fisher_p.said(|p| format!("p {}", p_after_sign(*p)));
            let _ = write!(
                out,
                " Attrition between cells: Pearson's test {chi}; Fisher's exact test {fisher}."
            );
        }
        if let Some(declared) = self.plan.as_ref().and_then(|plan| plan.people) {
            let _ = if self.interim {
                write!(
                    out,
                    " This analysis is interim: {declared} people are declared."
                )
            } else {
                write!(out, " {declared} people were declared.")
            };
        }
        out
    }

    fn plan_words(&self) -> String {
        let Some(plan) = &self.plan else {
            return "The study declares no analysis: all results are exploratory.".to_owned();
        };
        let metrics: Vec<&str> = plan.metrics.iter().map(|metric| metric.name()).collect();
        let mut out = format!(
            "The analysis was declared in the study file (SHA-256 {}) before the sessions started, with these \
             metrics, the most important first: {}. Whatever it does not declare is marked as exploratory.",
            self.study_sha256,
            metrics.join(", ")
        );
        if let Some(naming) = &plan.naming {
            let measures = naming.measures.iter().map(|it| it.label());
            let _ = write!(
                out,
                " Of the names of concepts it declares the differences of bundles in {}: 95 % intervals over people, and \
                 Mann and Whitney's tests over concepts (none for MIC), which are {}.",
                measures.collect::<Vec<_>>().join(", "),
                correction_of_names(plan.correction)
            );
        }
        for amendment in &plan.amendments {
            let change = amendment.change.trim().trim_end_matches('.');
            let _ = write!(out, " Amended on {}: {change}.", amendment.date);
        }
        out
    }

    fn test_words(&self) -> String {
        let plan = self.plan.as_ref();
        let mut out = "Metrics were averaged over each person's questions; people are the unit of all tests but \
                       those of mixed models."
            .to_owned();
        let within = self.design == ConditionsVary::Within;
        let tested = self
            .included
            .comparisons
            .iter()
            .any(|c| c.conditions.len() > 1);
        if !tested {
            return out + " There are no conditions to compare.";
        }
        let repeated = self.included.comparisons.iter().any(|comparison| {
            let means = comparison.omnibus.as_ref().map(|omnibus| &omnibus.means);
            matches!(means, Some(TestOfMeans::Repeated { anova }) if anova
                .defined()
                .is_some_and(|anova| anova.p_greenhouse_geisser.is_some()))
        });
        let means = match (within, repeated) {
            (true, true) => {
                "a repeated-measures analysis of variance, with p also after Greenhouse and Geisser, and Friedman's test"
            }
            (true, false) => "a repeated-measures analysis of variance and Friedman's test",
            (false, _) => "a one-way analysis of variance, Welch's, and Kruskal and Wallis's test",
        };
        let pairs = test(plan.map(|p| p.test).unwrap_or_default(), self.design);
        let correct = plan.map(|p| p.correction).unwrap_or_default();
        let family = match plan.map(|p| p.family).unwrap_or_default() {
            Family::Metric => "over the pairs of each metric in each comparison",
            Family::Study => "over all pairs of all declared metrics",
        };
        let _ = write!(
            out,
            " Conditions were compared by {means}; every two of them by {pairs}, {}",
            correction(correct)
        );
        if correct != Correction::None {
            let _ = write!(out, " {family}");
        }
        out += ".";
        for contrast in plan.iter().flat_map(|plan| &plan.contrasts) {
            let weights = contrast.weights.iter();
            let weights =
                weights.map(|(condition, weight)| format!("{condition} {}", given(*weight)));
            let weights: Vec<String> = weights.collect();
            let _ = write!(
                out,
                " A contrast was planned, {} ({}).",
                contrast.name,
                weights.join(", ")
            );
        }
        if plan.is_some_and(|plan| !plan.contrasts.is_empty()) {
            out += " Contrasts were tested as pairs were, and corrected apart from them.";
        }
        let by_model = plan.is_some_and(|plan| plan.test == PairTest::MixedModel);
        out += if by_model {
            " Mixed models are of single questions: linear ones (REML, degrees of freedom after Satterthwaite) \
             for times and distances, logistic ones (Laplace) for rates, cumulative-link ones (Laplace) for \
             ratings; estimates of the last two are log odds ratios."
        } else if plan.is_some_and(|plan| plan.test == PairTest::Rank) {
            " Their estimates are rank-biserial correlations, with Wilson's score intervals (95 %)."
        } else {
            ""
        };
        out += self.effect_words();
        let adjusted = plan.iter().flat_map(|plan| &plan.adjust_for);
        let adjusted: Vec<String> = adjusted.map(Adjustment::name).collect();
        if !adjusted.is_empty() {
            let _ = write!(out, " They are adjusted for {}.", adjusted.join(", "));
        }
        if within {
            out += if by_model {
                " Who lacks a value in one of a comparison's conditions is in none of the tests of means."
            } else {
                " Who lacks a value in one of a comparison's conditions is in none of its tests."
            };
        }
        let left: usize = self
            .included
            .comparisons
            .iter()
            .map(|c| c.left_out)
            .max()
            .unwrap_or(0);
        if left > 0 {
            let _ = write!(out, " That were {left} at most.");
        }
        if !self.included.across.is_empty() {
            out += " Comparisons were compared by a mixed analysis of variance, with the comparison between \
                    people and the condition within.";
        }
        let bounds = plan
            .map(|plan| plan.equivalence.as_slice())
            .unwrap_or_default();
        for bound in bounds {
            let _ = write!(
                out,
                " Equivalence in {} was tested by {} with bounds {} and {}.",
                bound.metric.label(),
                equivalence(self.design),
                given(bound.low),
                given(bound.high)
            );
        }
        if !self.included.incidence.is_empty() {
            out += " Solved and skipped questions are competing ends over active time (Aalen–Johansen), with \
                    standard errors by person.";
        }
        out
    }

    /// The effect sizes of every two conditions, in words.
    fn effect_words(&self) -> &'static str {
        let within = self.design == ConditionsVary::Within;
        match (
            self.plan.as_ref().map(|it| it.test).unwrap_or_default(),
            within,
        ) {
            (PairTest::T, true) => {
                " Effect sizes are Hedges' g_z, the mean difference over the standard deviation of the differences, \
                 corrected for small samples (Hedges, 1981), with 95 % intervals by the noncentral t distribution."
            }
            (PairTest::T, false) => {
                " Effect sizes are Hedges' g, the difference of means over the pooled standard deviation, corrected \
                 for small samples (Hedges, 1981), with 95 % intervals by the noncentral t distribution."
            }
            (PairTest::Welch, _) => {
                " Effect sizes are Hedges' g_av, the difference of means over the root of the mean of both variances, \
                 corrected for small samples (Hedges, 1981), with 95 % intervals by the noncentral t distribution."
            }
            (PairTest::Rank, _) => "",
            (PairTest::MixedModel, _) => {
                " Effect sizes are odds ratios and, of linear models, d, the difference over the root of all variances \
                 of the model (Brysbaert and Stevens, 2018), with 95 % intervals that take these variances as known."
            }
        }
    }
}

fn people(number: usize) -> String {
    match number {
        1 => "1 person".to_owned(),
        _ => format!("{number} people"),
    }
}
