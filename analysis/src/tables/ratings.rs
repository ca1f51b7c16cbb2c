//! Whether people rated the conditions of a comparison differently.

use measures::statistics::mixed_model::WaldTest;
use measures::statistics::{Defined, Undefined};

use crate::computed::undefined;
use crate::details::RatingModel;
use crate::model::ModelOfQuestions;
use crate::numbers;
use crate::report::Analysis;
use crate::table::{ColumnKind, Table, TableCell, TableColumn};

impl Analysis {
    /// The table; none where nothing was rated in two conditions of a comparison.
    pub(super) fn ratings_table(&self) -> Option<Table> {
        let models = &self.included.rating_models;
        if models.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        let rows = models.iter().map(|model| row(model, &mut notes)).collect();
        Some(Table {
            name: "ratings".to_owned(),
            caption: "Ratings of stages, of people who are included: whether the conditions of a comparison were \
                      rated differently, by a cumulative-link model of each item (Wald's test). Exploratory, not \
                      corrected."
                .to_owned(),
            columns: vec![
                TableColumn::new("Comparison", ColumnKind::Group),
                TableColumn::new("Item", ColumnKind::Text),
                TableColumn::new("Ratings", ColumnKind::Count),
                TableColumn::keyed("χ²", "chi_squared", ColumnKind::Number),
                TableColumn::new("df", ColumnKind::Number),
                TableColumn::new("p", ColumnKind::PValue),
            ],
            rows,
            notes,
        })
    }
}

fn row(rating: &RatingModel, notes: &mut Vec<String>) -> Vec<TableCell> {
    let model = rating.model.as_ref();
    let wald: Defined<&WaldTest> = model.and_then(|model| match &model.tests.conditions.wald {
        Some(wald) => wald.as_ref(),
        None => Err(Undefined::NotConverged),
    });
    if let Err(why) = wald {
        notes.push(format!(
            "{}, {}: {}.",
            rating.comparison,
            numbers::item(&rating.item),
            undefined(why)
        ));
    }
    if let Some(words) = model.ok().and_then(ModelOfQuestions::singular_words) {
        let item = numbers::item(&rating.item);
        notes.push(format!("{}, {item}: {words}.", rating.comparison));
    }
    let wald = wald.ok();
    vec![
        TableCell::text(&rating.comparison),
        TableCell::Named {
            name: rating.item.clone(),
            label: numbers::item(&rating.item),
        },
        model.map_or(TableCell::None, |model| TableCell::Count(model.rows)),
        TableCell::number(wald.map(|test| test.chi_squared)),
        TableCell::number(wald.map(|test| test.df)),
        wald.map_or(TableCell::None, |test| TableCell::PValue(test.p)),
    ]
}
