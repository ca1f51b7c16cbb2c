//! In which order people take up the dials.

use crate::report::Analysis;
use crate::table::{ColumnKind, Table, TableCell, TableColumn};

impl Analysis {
    /// The table; none where no dial was moved.
    pub(super) fn dial_use_table(&self) -> Option<Table> {
        let rows = &self.included.dial_use;
        let questions: usize = rows.iter().map(|row| row.questions).max()?;
        let rows = rows
            .iter()
            .map(|row| {
                vec![
                    TableCell::text(&row.condition),
                    TableCell::Count(row.dial + 1),
                    TableCell::Count(row.questions),
                    TableCell::Number(row.moved),
                    TableCell::Number(row.first),
                    TableCell::number(row.place),
                ]
            })
            .collect();
        Some(Table {
            name: "dial-use".to_owned(),
            caption: format!(
                "How people who are included take up the dials, over up to {questions} questions of a condition in \
                 which any dial was moved: the share in which each was moved, in which it was moved first, and its \
                 mean place in the order of first movements. Dials are numbered as in the model."
            ),
            columns: vec![
                TableColumn::new("Condition", ColumnKind::Group),
                TableColumn::new("Dial", ColumnKind::Count),
                TableColumn::new("Questions", ColumnKind::Count),
                TableColumn::keyed("Moved in", "share_moved", ColumnKind::Number),
                TableColumn::keyed("First in", "share_first", ColumnKind::Number),
                TableColumn::keyed("Mean place", "mean_place", ColumnKind::Number),
            ],
            rows,
            notes: Vec::new(),
        })
    }
}
