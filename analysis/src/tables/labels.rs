//! Names that people gave the dials: the paper's tables 1 and A.4.

use crate::details::LabelRow;
use crate::report::Analysis;
use crate::table::{ColumnKind, Table, TableCell, TableColumn};

impl Analysis {
    /// A table for each number of dials, the fewest first; none where dials have no names.
    pub(super) fn label_tables(&self) -> Vec<Table> {
        let rows = &self.included.labels;
        let mut sizes: Vec<usize> = rows.iter().map(|row| row.dials).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
            .into_iter()
            .map(|dials| {
                let of_size: Vec<&LabelRow> = rows.iter().filter(|r| r.dials == dials).collect();
                table(dials, &of_size)
            })
            .collect()
    }
}

impl Analysis {
    /// A file for people who code the labels: a row for each label, with an empty cell for each of
    /// two coders. `redial study agreement` reads it. `None` without labels.
    #[must_use]
    pub fn coding_file(&self) -> Option<Table> {
        let mut dials: Vec<&LabelRow> = Vec::new();
        for row in &self.included.labels {
            // A condition can stand in more than one comparison.
            let known = |d: &&LabelRow| d.condition == row.condition && d.dial == row.dial;
            if !dials.iter().any(known) {
                dials.push(row);
            }
        }
        let of_dial = |row: &&LabelRow| {
            let (condition, dial) = (row.condition.clone(), row.dial + 1);
            let labels = row.labels.clone();
            labels.into_iter().map(move |(label, people)| {
                vec![
                    TableCell::text(&condition),
                    TableCell::Count(dial),
                    TableCell::Text(label),
                    TableCell::Count(people),
                    TableCell::text(""),
                    TableCell::text(""),
                ]
            })
        };
        let rows: Vec<Vec<TableCell>> = dials.iter().flat_map(of_dial).collect();
        (!rows.is_empty()).then(|| Table {
            name: "labels-to-code".to_owned(),
            caption: "Labels of dials, for two people who code them independently of each other."
                .to_owned(),
            columns: vec![
                TableColumn::new("Condition", ColumnKind::Text),
                TableColumn::new("Dial", ColumnKind::Count),
                TableColumn::new("Label", ColumnKind::Text),
                TableColumn::keyed("Given by", "given_by", ColumnKind::Count),
                TableColumn::keyed("Coder 1", "coder_1", ColumnKind::Text),
                TableColumn::keyed("Coder 2", "coder_2", ColumnKind::Text),
            ],
            rows,
            notes: Vec::new(),
        })
    }
}

fn table(dials: usize, rows: &[&LabelRow]) -> Table {
    let rows = rows
        .iter()
        .map(|row| {
            let given: usize = row.labels.iter().map(|(_, count)| count).sum();
            vec![
                TableCell::text(&row.condition),
                TableCell::text(dial(row)),
                TableCell::Text(labels(row)),
                TableCell::Count(given),
                TableCell::Count(row.people),
                TableCell::number(row.coverage),
                TableCell::Count(row.empty_words),
                TableCell::number(row.consistency),
            ]
        })
        .collect();
    Table {
        name: format!("labels-{dials}-dials"),
        caption: format!(
            "All labels that people who are included gave to the dials of models with {dials} dials. A label \
             that several people gave in the same words stands once, with their number. Coverage: share of those who \
             saw the dial whose label says something. Consistency: what the labels of a dial have in common with each \
             other (mean Jaccard index of their words), minus what they have in common with those of other dials."
        ),
        columns: vec![
            TableColumn::new("Condition", ColumnKind::Group),
            TableColumn::new("Dial", ColumnKind::Text),
            TableColumn::new("Labels", ColumnKind::Text),
            TableColumn::keyed("Given by", "given_by", ColumnKind::Count),
            TableColumn::keyed("Of", "people", ColumnKind::Count),
            TableColumn::new("Coverage", ColumnKind::Number),
            TableColumn::keyed("Empty words", "empty_words", ColumnKind::Count),
            TableColumn::new("Consistency", ColumnKind::Number),
        ],
        rows,
        notes: Vec::new(),
    }
}

fn dial(row: &LabelRow) -> String {
    let kind = if row.discrete {
        "discrete"
    } else {
        "continuous"
    };
    format!("{} ({kind})", row.dial + 1)
}

fn labels(row: &LabelRow) -> String {
    let one = |(text, count): &(String, usize)| match count {
        1 => format!("“{text}”"),
        _ => format!("“{text}” ({count})"),
    };
    let all: Vec<String> = row.labels.iter().map(one).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
