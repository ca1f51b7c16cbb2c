//! The names that people gave to concepts: discovery, consistency and likeness of names, by bundle and concept.

use domain::concepts::ConceptKind;
use domain::study::{AnalysisPlan, NamingMeasure};
use measures::statistics::Interval;
use measures::statistics::rank::MannWhitney;

use crate::computed::Computed;
use crate::details::{ConceptNames, NamingDifference, NamingResults, NamingRow};
use crate::numbers::{p_after_sign, statistic};
use crate::report::Analysis;
use crate::table::{ColumnKind, STARS, Table, TableCell, TableColumn};
use crate::text::correction_of_names;

impl Analysis {
    /// Tables of a study in which concepts are named; none of another one.
    pub(super) fn naming_tables(&self) -> Vec<Table> {
        let results = &self.included.naming;
        if results.is_empty() {
            return Vec::new();
        }
        let mut tables = vec![scores(results), concepts(results), agreement(results)];
        if results.iter().any(|found| !found.differences.is_empty()) {
            tables.push(differences(results, self.plan.as_ref()));
        }
        tables
    }
}

/// Every row of a list in each vocabulary's results.
fn rows<'a, T: 'a, R>(
    results: &'a [NamingResults],
    of: impl Fn(&'a NamingResults) -> Vec<T>,
    row: impl Fn(T) -> R,
) -> Vec<R> {
    results.iter().flat_map(of).map(row).collect()
}

fn kind(kind: ConceptKind) -> &'static str {
    match kind {
        ConceptKind::Learnt => "found by a model",
        ConceptKind::Manual => "marked by people",
        ConceptKind::Random => "drawn at random",
    }
}

fn ends(interval: Option<&Computed<Interval>>) -> [TableCell; 2] {
    let interval = interval.and_then(Computed::defined);
    [
        TableCell::number(interval.map(|it| it.low)),
        TableCell::number(interval.map(|it| it.high)),
    ]
}

fn scores(results: &[NamingResults]) -> Table {
    let combined = results.iter().any(|found| found.combined);
    let groups = if combined {
        " Groups of terms that describe one thing together count as one group of all combinations."
    } else {
        ""
    };
    let rows: Vec<Vec<Vec<TableCell>>> =
        rows(results, |found| found.bundles.iter().collect(), score_rows);
    Table {
        name: "naming".to_owned(),
        caption: format!(
            "Names of concepts, of people who are included. CDR: share of people who named the concept; CC: pairs of \
             people who gave the same terms, times the share of pairs that both named; means over concepts, higher is \
             better. MIC: overlap of the terms of two concepts, mean over pairs, lower is better. SD: divisor n − 1. \
             Intervals: 95 %, over people, by BCa bootstrap (MIC: by jackknife).{groups} No tests."
        ),
        columns: vec![
            TableColumn::new("Bundle", ColumnKind::Group),
            TableColumn::keyed("Concepts are", "concept_kind", ColumnKind::Text),
            TableColumn::new("People", ColumnKind::Count),
            TableColumn::new("Measure", ColumnKind::Text),
            TableColumn::new("Mean", ColumnKind::Number),
            TableColumn::keyed("SD", "sd", ColumnKind::Number),
            TableColumn::new("Low", ColumnKind::Number),
            TableColumn::new("High", ColumnKind::Number),
        ],
        rows: rows.into_iter().flatten().collect(),
        notes: vec![
            "“CC, literal” and “CC, both none” are other readings of the printed formula, “MIC, concept and term” and \
             “MIC, counts” (both in nats) other estimators: docs/concept-naming.md."
                .to_owned(),
        ],
    }
}

fn score_rows(row: &NamingRow) -> Vec<Vec<TableCell>> {
    let start = |measure: &str| {
        vec![
            TableCell::text(&row.bundle),
            TableCell::text(kind(row.kind)),
            TableCell::Count(row.people),
            TableCell::text(measure),
        ]
    };
    let main = row.scores.iter().map(|score| {
        let mut cells = start(score.measure.label());
        cells.extend([score.mean, score.sd].map(TableCell::number));
        cells.extend(ends(score.interval.as_ref()));
        cells
    });
    let variants = [
        ("CC, literal", row.cc_literal),
        ("CC, both none", row.cc_both_none),
        ("MIC, concept and term", row.mic_concept_and_term),
        ("MIC, counts", row.mic_counts),
    ];
    let others = variants.map(|(name, mean)| {
        let mut cells = start(name);
        cells.push(TableCell::number(mean));
        cells.extend([TableCell::None, TableCell::None, TableCell::None]);
        cells
    });
    main.chain(others).collect()
}

fn concepts(results: &[NamingResults]) -> Table {
    let rows = rows(
        results,
        |found| {
            let each = found.bundles.iter();
            each.flat_map(|row| row.concepts.iter().map(move |it| (row, it)))
                .collect()
        },
        |(row, concept): (&NamingRow, &ConceptNames)| {
            vec![
                TableCell::text(&row.bundle),
                TableCell::text(&concept.concept),
                TableCell::Count(concept.people),
                TableCell::Count(concept.named_nothing),
                TableCell::number(concept.cdr),
                TableCell::number(concept.cc),
                TableCell::Text(most_given(concept)),
            ]
        },
    );
    Table {
        name: "naming-concepts".to_owned(),
        caption: "What each concept was called, of people who are included: how many named nothing, concept discovery \
                  rate, concept consistency, and the terms that were given, the most frequent first."
            .to_owned(),
        columns: vec![
            TableColumn::new("Bundle", ColumnKind::Group),
            TableColumn::new("Concept", ColumnKind::Text),
            TableColumn::new("People", ColumnKind::Count),
            TableColumn::keyed("None of them", "named_nothing", ColumnKind::Count),
            TableColumn::new("CDR", ColumnKind::Number),
            TableColumn::new("CC", ColumnKind::Number),
            TableColumn::new("Terms", ColumnKind::Text),
        ],
        rows,
        notes: Vec::new(),
    }
}

/// The terms of each group with how often they were given.
fn most_given(concept: &ConceptNames) -> String {
    let group = |group: &crate::details::TermCounts| {
        let mut given: Vec<&(String, usize)> =
            group.terms.iter().filter(|(_, count)| *count > 0).collect();
        given.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let said = given
            .iter()
            .map(|(term, count)| format!("{term} ({count})"));
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| format!("{}: {}", group.group, said.join(", ")))
    };
    let groups: Vec<String> = concept.groups.iter().filter_map(group).collect();
    groups.join("; ")
}

fn agreement(results: &[NamingResults]) -> Table {
    let rows = rows(
        results,
        |found| {
            let each = found.bundles.iter();
            each.flat_map(|row| row.agreement.iter().map(move |it| (row, it)))
                .collect()
        },
        |(row, found)| {
            let [low, high] = ends(found.interval.as_ref());
            vec![
                TableCell::text(&row.bundle),
                TableCell::text(&found.group),
                TableCell::number(found.alpha.defined().copied()),
                low,
                high,
            ]
        },
    );
    Table {
        name: "naming-agreement".to_owned(),
        caption: "Agreement of people on the terms of each group beyond chance: Krippendorff's α for nominal data, \
                  concepts being the units; who gave no term is left out. Intervals: 95 %, BCa bootstrap over people."
            .to_owned(),
        columns: vec![
            TableColumn::new("Bundle", ColumnKind::Group),
            TableColumn::keyed("Group of terms", "term_group", ColumnKind::Text),
            TableColumn::keyed("α", "alpha", ColumnKind::Number),
            TableColumn::new("Low", ColumnKind::Number),
            TableColumn::new("High", ColumnKind::Number),
        ],
        rows,
        notes: Vec::new(),
    }
}

fn differences(results: &[NamingResults], plan: Option<&AnalysisPlan>) -> Table {
    let rows = rows(
        results,
        |found| found.differences.iter().collect(),
        difference_row,
    );
    let tests = results.iter().flat_map(|found| &found.omnibus);
    let note = |measure: NamingMeasure, said: String| {
        format!(
            "{} of all bundles, Kruskal and Wallis's test over concepts (exploratory): {said}.",
            measure.label()
        )
    };
    let said = match plan.filter(|plan| plan.naming.is_some()) {
        Some(plan) => format!(
            "{STARS}. Declared tests are {}. °: exploratory, the study does not declare it, and not corrected.",
            correction_of_names(plan.correction)
        ),
        None => format!("{STARS}. °: exploratory, not corrected."),
    };
    let notes = tests.map(|test| {
        let said = test.ranks.said(|it| {
            format!(
                "H({}) = {}, p {}",
                it.df,
                statistic(it.chi_squared),
                p_after_sign(it.p)
            )
        });
        note(test.measure, said)
    });
    Table {
        name: "naming-differences".to_owned(),
        caption: "Every two bundles of concepts: difference of means, with its 95 % interval over people (BCa bootstrap; \
                  MIC: jackknife), and Mann and Whitney's test over concepts (none for MIC, whose pairs of concepts are not independent). "
            .to_owned()
            + &said,
        columns: vec![
            TableColumn::new("Measure", ColumnKind::Group),
            TableColumn::new("First", ColumnKind::Text),
            TableColumn::new("Second", ColumnKind::Text),
            TableColumn::new("Difference", ColumnKind::Number),
            TableColumn::new("Low", ColumnKind::Number),
            TableColumn::new("High", ColumnKind::Number),
            TableColumn::keyed("U", "u", ColumnKind::Number),
            TableColumn::keyed("p", "pair", ColumnKind::P),
        ],
        notes: notes.collect(),
        rows,
    }
}

fn difference_row(found: &NamingDifference) -> Vec<TableCell> {
    let [first, second] = &found.bundles;
    let [low, high] = ends(found.interval.as_ref());
    let ranks: Option<&MannWhitney> = found.ranks.as_ref().and_then(Computed::defined);
    let exploratory = if found.planned { "" } else { " °" };
    vec![
        TableCell::Text(format!("{}{exploratory}", found.measure.label())),
        TableCell::text(first),
        TableCell::text(second),
        TableCell::number(found.difference),
        low,
        high,
        TableCell::number(ranks.map(|test| test.u)),
        ranks.map_or(TableCell::None, |test| TableCell::P {
            p: test.p,
            corrected: found.p_corrected,
        }),
    ]
}
