//! The tables of `redial measure shapes`.

use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use measures::experiments::shape_concepts::{Method, Point, Reading, Verdict};
use models::kept_shapes::AboutShapes;

use super::{listed, shown};

/// A number of a point.
pub struct Score {
    /// What it is called.
    pub title: &'static str,
    /// The number; none where it is not defined.
    pub value: fn(&Point) -> Option<f64>,
}

/// The panels of the paper's figure 8, in its order.
pub const SCORES: [Score; 4] = [
    Score {
        title: "Accuracy",
        value: |point| Some(point.accuracy),
    },
    Score {
        title: "Completeness",
        value: |point| point.completeness,
    },
    Score {
        title: "Purity",
        value: |point| point.purity,
    },
    Score {
        title: "Distinctiveness",
        value: |point| point.distinctiveness,
    },
];

/// A shape as the paper names it.
pub fn shape_name(shape: usize) -> String {
    format!("S{}", shape + 1)
}

/// The shapes whose concept this one is, and that it covers in a picture at least: where no concept covers a shape, the
/// first one is as good as any.
pub fn covered_by(point: &Point, concept: usize) -> Vec<usize> {
    let covers = |shape: &usize| {
        let coverage = point.coverage.get(*shape).and_then(Option::as_ref);
        coverage.is_some_and(|row| row[concept] > 0.0)
    };
    let shapes = point.shapes_of(concept).into_iter();
    shapes.filter(covers).collect()
}

/// Figure 8 as a table: every method, number of concepts and reading, with what the paper says of it.
pub fn scores_table(points: &[Point], verdicts: &[Verdict], about: &AboutShapes) -> Table {
    let mut columns = vec![
        TableColumn::new("Coverage", ColumnKind::Group),
        TableColumn::new("Method", ColumnKind::Group),
        TableColumn::new("Concepts", ColumnKind::Count),
        TableColumn::new("Mean coverage", ColumnKind::Text),
    ];
    columns.extend(SCORES.map(|score| TableColumn::new(score.title, ColumnKind::Text)));
    let mut rows = Vec::new();
    for (reading, method) in groups() {
        for point in of(points, reading, method) {
            let mut row = vec![
                TableCell::text(reading.title()),
                TableCell::text(method.title()),
                TableCell::Count(point.concepts),
                TableCell::text(shown(point.mean_coverage)),
            ];
            row.extend(SCORES.map(|score| TableCell::text(shown((score.value)(point)))));
            rows.push(row);
        }
    }
    let mut notes: Vec<String> = verdicts.iter().map(in_words).collect();
    for point in points.iter().filter(|point| point.impure > 0) {
        notes.push(format!(
            "{}, {} concepts, {}: {} of {} matched concepts cover nothing, and purity leaves them out.",
            point.method.title(),
            point.concepts,
            point.reading.title(),
            point.impure,
            point.association.len()
        ));
    }
    let accuracy = about.concepts.iter().zip(&about.accuracy);
    for (k, found) in accuracy {
        let words = Method::ALL
            .iter()
            .zip(found)
            .map(|(method, share)| format!("{} {}", method.title(), shown(Some(*share))));
        notes.push(format!(
            "Accuracy with {k} concepts on all {} held-out pictures: {}; the plain classifier {}.",
            about.held_out,
            words.collect::<Vec<_>>().join(", "),
            shown(Some(about.classifier_accuracy))
        ));
    }
    Table {
        name: "concepts-of-shapes".to_owned(),
        caption: format!(
            "How well concepts cover the five shapes that decide the labels (BotCL, supplement, figures 7 and 8), on {} \
             held-out pictures. Higher is better. Coverage as printed: attention above 0.2 on more than 0.9 of a shape's cell; \
             as released: maps scaled to 0…1, above 0.5 on more than 0.2 of the drawn pixels, a position belongs to one cluster \
             or component. Accuracy is the share of right labels, of activations as printed. One run for each number of \
             concepts.",
            about.pictures
        ),
        columns,
        rows,
        notes,
    }
}

/// Figure 7 as a table, with the largest number of concepts: coverage of each shape by each concept.
pub fn coverage_table(points: &[Point], reading: Reading, about: &AboutShapes) -> Table {
    let most = points.iter().map(|point| point.concepts).max();
    let most = most.unwrap_or_default();
    let mut columns = vec![
        TableColumn::new("Method", ColumnKind::Group),
        TableColumn::new("Shape", ColumnKind::Text),
        TableColumn::new("Its concept", ColumnKind::Text),
    ];
    columns.extend((1..=most).map(|k| TableColumn::new(&k.to_string(), ColumnKind::Text)));
    let mut rows = Vec::new();
    for point in points
        .iter()
        .filter(|p| p.reading == reading && p.concepts == most)
    {
        for (shape, coverage) in point.coverage.iter().enumerate() {
            let own = (0..point.concepts).find(|&c| covered_by(point, c).contains(&shape));
            let mut row = vec![
                TableCell::text(point.method.title()),
                TableCell::text(shape_name(shape)),
                TableCell::text(own.map_or_else(|| "–".to_owned(), |c| (c + 1).to_string())),
            ];
            row.extend((0..most).map(|concept| {
                let share = coverage.as_ref().map(|row| row[concept]);
                TableCell::text(share.map_or_else(|| "–".to_owned(), |v| format!("{v:.2}")))
            }));
            rows.push(row);
        }
    }
    Table {
        name: format!("coverage-of-shapes-{}", reading.title()),
        caption: format!(
            "Coverage of each shape by each of {most} concepts, as {}: the share of the shape's pictures, of {}, in which the \
             concept covers it.",
            reading.title(),
            about.pictures
        ),
        columns,
        rows,
        notes: Vec::new(),
    }
}

/// Every number as a row: first scores, then coverage.
pub fn long(points: &[Point]) -> Vec<Table> {
    let names = |point: &Point| {
        vec![
            TableCell::text(point.reading.title()),
            TableCell::text(point.method.title()),
            TableCell::Count(point.concepts),
        ]
    };
    let heads = || {
        vec![
            TableColumn::new("Coverage as", ColumnKind::Text),
            TableColumn::new("Method", ColumnKind::Text),
            TableColumn::new("Concepts", ColumnKind::Count),
        ]
    };
    let mut scores = Table {
        name: "concepts-of-shapes-numbers".to_owned(),
        caption: "Every score of concepts on shapes.".to_owned(),
        columns: heads(),
        rows: Vec::new(),
        notes: Vec::new(),
    };
    let score = TableColumn::new("Score", ColumnKind::Text);
    let value = TableColumn::new("Value", ColumnKind::Number);
    scores.columns.extend([score, value.clone()]);
    let mut coverage = Table {
        name: "coverage-of-shapes-numbers".to_owned(),
        caption: "Coverage of every shape by every concept.".to_owned(),
        columns: heads(),
        rows: Vec::new(),
        notes: Vec::new(),
    };
    let count = |head: &str| TableColumn::new(head, ColumnKind::Count);
    coverage
        .columns
        .extend([count("Shape"), count("Concept"), value]);
    for point in points {
        let mean = [("Mean coverage", point.mean_coverage)];
        let others = SCORES.map(|score| (score.title, (score.value)(point)));
        for (name, value) in mean.into_iter().chain(others) {
            let cells = [TableCell::text(name), TableCell::number(value)];
            scores.rows.push([names(point), cells.to_vec()].concat());
        }
        for (shape, of) in point.coverage.iter().enumerate() {
            for concept in 0..point.concepts {
                let share = of.as_ref().map(|row| row[concept]);
                let cells = vec![
                    TableCell::Count(shape + 1),
                    TableCell::Count(concept + 1),
                    TableCell::number(share),
                ];
                coverage.rows.push([names(point), cells].concat());
            }
        }
    }
    vec![scores, coverage]
}

fn groups() -> impl Iterator<Item = (Reading, Method)> {
    Reading::ALL
        .into_iter()
        .flat_map(|reading| Method::ALL.map(|method| (reading, method)))
}

fn of(points: &[Point], reading: Reading, method: Method) -> impl Iterator<Item = &Point> {
    points
        .iter()
        .filter(move |point| point.reading == reading && point.method == method)
}

/// `holds, printed: …`
fn in_words(verdict: &Verdict) -> String {
    let holds = if verdict.holds {
        "holds"
    } else {
        "does not hold"
    };
    let not_for = if verdict.not_for.is_empty() {
        String::new()
    } else {
        format!(" Not with {} concepts.", listed(&verdict.not_for))
    };
    format!(
        "{holds}, coverage as {}: {}{not_for}",
        verdict.reading.title(),
        verdict.says
    )
}
