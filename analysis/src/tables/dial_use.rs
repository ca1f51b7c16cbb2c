//! In which order people take up the dials.

use crate::report::Analysis;
use crate::table::{Cell, Column, Kind, Table};

impl Analysis {
    /// The table; none where no dial was moved.
    pub(super) fn dial_use_table(&self) -> Option<Table> {
        let rows = &self.included.dial_use;
        let questions: usize = rows.iter().map(|row| row.questions).max()?;
        let rows = rows
            .iter()
            .map(|row| {
                vec![
                    Cell::text(&row.condition),
                    Cell::Count(row.dial + 1),
                    Cell::Count(row.questions),
                    Cell::Number(row.moved),
                    Cell::Number(row.first),
                    Cell::number(row.place),
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
                Column::new("Condition", Kind::Group),
                Column::new("Dial", Kind::Count),
                Column::new("Questions", Kind::Count),
                Column::keyed("Moved in", "share_moved", Kind::Number),
                Column::keyed("First in", "share_first", Kind::Number),
                Column::keyed("Mean place", "mean_place", Kind::Number),
            ],
            rows,
            notes: Vec::new(),
        })
    }
}
