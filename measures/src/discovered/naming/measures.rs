//! The measures of a naming study, declared.

use super::agreement::term_agreement;
use super::answers::Answers;
use super::consistency::{Reading, consistency};
use super::discovery::discovery_rate;
use super::similarity::{Estimator, histogram, similarity};
use super::summary::{By, answers, concepts, pairs, sizes, told};
use crate::inputs::Need;
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Variant};
use crate::outcome::{self, Table};

const REPLICATES: Parameter = Parameter {
    name: "replicates",
    says: "Samples of people that the bootstrap interval is made from.",
    default: 1999.0,
    range: (99.0, 99_999.0),
    whole: true,
    source: "enough for the second digit of an interval of 95 %",
};

const COMBINE: Parameter = Parameter {
    name: "combine",
    says: "1 makes one group of all combinations of terms, as BotCL does for written digits; 0 keeps the groups.",
    default: 0.0,
    range: (0.0, 1.0),
    whole: true,
    source: "BotCL, supplement, section 4.2",
};

/// Concept discovery rate.
pub static CDR: Measure = Measure {
    name: "cdr",
    title: "Concept discovery rate (CDR)",
    tells: "How many people find something to name in a concept.",
    source: "BotCL (Wang et al., CVPR 2023), supplement, section 4.2",
    formula: "people who chose a term in any group / all people, for each concept; mean over concepts",
    needs: &[Need::Answers],
    takes: &[Need::Terms],
    parameters: &[REPLICATES],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "cdr",
        title: "CDR",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("what random highlights give: ask people about them, too"),
    }],
    cost: "People × concepts × replicates.",
    not_for: "Whether the name is right or shared: people name random highlights, too. Read CC beside it.",
    seeded: true,
    compute: |inputs, settings| {
        let answers = answers(inputs, settings)?;
        let each = |answers: &Answers| {
            let concepts = 0..answers.concepts();
            concepts
                .map(|concept| discovery_rate(answers, concept))
                .collect()
        };
        Ok(told(
            (&CDR, "cdr"),
            By::Bootstrap,
            settings,
            &answers,
            &concepts(&answers),
            each,
        ))
    },
};

/// Concept consistency.
pub static CC: Measure = Measure {
    name: "cc",
    title: "Concept consistency (CC)",
    tells: "Whether people call a concept the same.",
    source: "BotCL (Wang et al., CVPR 2023), supplement, equation 13",
    formula: "Σ over groups of w r (pairs of people who agree / all pairs) for each concept; w = share of the terms \
              given that lie in the group; r as the variant says; mean over concepts",
    needs: &[Need::Answers],
    takes: &[Need::Terms],
    parameters: &[REPLICATES, COMBINE],
    variants: &[
        Variant {
            name: "both-name",
            says: "r = share of pairs who both chose a term, and only they can agree",
        },
        Variant {
            name: "literal",
            says: "r = 1 − that share, as printed, and two who chose none agree: unanimous people get 0",
        },
        Variant {
            name: "both-none",
            says: "r = 1 − share of pairs who both chose none, and two who chose none agree",
        },
    ],
    estimators: &[],
    scores: &[Score {
        name: "cc",
        title: "CC",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends(
            "Σ of squared shares of terms, when people choose at random by them",
        ),
    }],
    cost: "People × concepts × groups × replicates.",
    not_for: "Comparing vocabularies of different size: fewer terms agree more by chance. Krippendorff's α takes \
              that out.",
    seeded: true,
    compute: |inputs, settings| {
        let answers = answers(inputs, settings)?;
        let reading = match settings.variant {
            "literal" => Reading::Literal,
            "both-none" => Reading::BothNone,
            _ => Reading::BothName,
        };
        let each = |answers: &Answers| {
            let concepts = 0..answers.concepts();
            concepts
                .map(|concept| consistency(answers, concept, reading))
                .collect()
        };
        Ok(told(
            (&CC, "cc"),
            By::Bootstrap,
            settings,
            &answers,
            &concepts(&answers),
            each,
        ))
    },
};

/// Mutual information between concepts.
pub static MIC: Measure = Measure {
    name: "mic",
    title: "Mutual information between concepts (MIC)",
    tells: "How much alike the names of two concepts are.",
    source: "BotCL (Wang et al., CVPR 2023), supplement, equation 14; what is estimated is not printed",
    formula: "of the histograms of terms H and H′, all groups one behind the other: 1 − JS(H, H′)/ln 2, or as the \
              estimator says; mean over pairs of concepts",
    needs: &[Need::Answers],
    takes: &[Need::Terms],
    parameters: &[COMBINE],
    variants: &[],
    estimators: &[
        Variant {
            name: "overlap",
            says: "1 − JS(H, H′)/ln 2: 0 for disjoint and 1 for equal histograms",
        },
        Variant {
            name: "concept-and-term",
            says: "mutual information, in nats, of the concept shown and the term chosen: 0 for equal histograms",
        },
        Variant {
            name: "counts",
            says: "mutual information, in nats, of the two lists of counts as labels: cannot tell equal from \
                   reversed histograms, and is there to compare with; give terms, so that those count that nobody chose",
        },
    ],
    scores: &[
        Score {
            name: "mic",
            title: "MIC",
            direction: Direction::Lower,
            range: (Some(0.0), None),
            chance: Chance::Depends("near 1 (`overlap`) when all concepts get the same terms"),
        },
        // It grows as names differ, and so cannot share a direction with the others.
        Score {
            name: "mic_concept_and_term",
            title: "MIC of concept and term",
            direction: Direction::Higher,
            range: (Some(0.0), Some(std::f64::consts::LN_2)),
            chance: Chance::Depends("near 0 when all concepts get the same terms"),
        },
    ],
    cost: "(People + concepts × terms) × concepts × people.",
    not_for: "Few people: histograms of few answers overlap little, whatever the concepts are.",
    seeded: false,
    compute: |inputs, settings| {
        let answers = answers(inputs, settings)?;
        let (estimator, score) = match settings.estimator {
            "concept-and-term" => (Estimator::ConceptAndTerm, "mic_concept_and_term"),
            "counts" => (Estimator::Counts, "mic"),
            _ => (Estimator::Overlap, "mic"),
        };
        let terms = match sizes(inputs)? {
            Some(terms) if answers.groups() == terms.len() => terms,
            Some(terms) => vec![terms.iter().product()],
            None => answers.terms_seen(),
        };
        let pairs = pairs(answers.concepts());
        let names: Vec<String> = pairs
            .iter()
            .map(|(a, b)| format!("concepts {a}, {b}"))
            .collect();
        let each = |answers: &Answers| {
            let histograms: Vec<Vec<f64>> = (0..answers.concepts())
                .map(|concept| histogram(answers, concept, &terms))
                .collect();
            let of =
                |&(a, b): &(usize, usize)| similarity(&histograms[a], &histograms[b], estimator);
            pairs.iter().map(of).collect()
        };
        let by = By::Jackknife(estimator.range());
        Ok(told((&MIC, score), by, settings, &answers, &names, each))
    },
};

/// Krippendorff's α of the terms of each group.
pub static TERM_AGREEMENT: Measure = Measure {
    name: "term-agreement",
    title: "Agreement on terms (Krippendorff's α)",
    tells: "How far people agree on the terms of a group, beyond chance.",
    source: "Krippendorff 2011, nominal; people are coders, concepts what is coded",
    formula: "1 − observed / expected disagreement, for each group; mean over groups",
    needs: &[Need::Answers],
    takes: &[Need::Terms],
    parameters: &[REPLICATES, COMBINE],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "alpha",
        title: "Krippendorff's α",
        direction: Direction::Higher,
        range: (None, Some(1.0)),
        chance: Chance::Is(0.0),
    }],
    cost: "People × concepts × groups × replicates.",
    not_for: "Concepts that all have the same name: nothing could have disagreed, and α is not defined.",
    seeded: true,
    compute: |inputs, settings| {
        let answers = answers(inputs, settings)?;
        let names = outcome::names("group", answers.groups());
        let each = |answers: &Answers| {
            let groups = 0..answers.groups();
            groups
                .map(|group| term_agreement(answers, group).ok())
                .collect()
        };
        let measure = (&TERM_AGREEMENT, "alpha");
        let mut outcome = told(measure, By::Bootstrap, settings, &answers, &names, each);
        let of = |group: usize| move |answers: &Answers| term_agreement(answers, group).ok();
        let row = |group: usize| {
            let interval = By::Bootstrap.interval(&answers, settings, of(group));
            vec![
                of(group)(&answers),
                interval.map(|i| i.low),
                interval.map(|i| i.high),
            ]
        };
        outcome.tables.push(Table {
            title: "α of each group, and its interval over people (95 %, BCa)",
            columns: ["alpha", "low", "high"].map(str::to_owned).to_vec(),
            rows: (0..answers.groups()).map(row).collect(),
            row_names: names,
        });
        Ok(outcome)
    },
};
