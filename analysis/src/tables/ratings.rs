//! Whether people rated the conditions of a comparison differently.

use measures::statistics::mixed_model::WaldTest;

use crate::details::RatingModel;
use crate::found::Found;
use crate::numbers;
use crate::report::Analysis;
use crate::table::{Cell, Column, Kind, Table};

impl Analysis {
    /// The table; none where nothing was rated in two conditions of a comparison.
    pub(super) fn ratings_table(&self) -> Option<Table> {
        let models = &self.included.rating_models;
        if models.is_empty() {
            return None;
        }
        let rows = models.iter().map(row).collect();
        Some(Table {
            name: "ratings".to_owned(),
            caption: "Ratings of stages, of people who are included: whether the conditions of a comparison were \
                      rated differently, by a cumulative-link model of each item (Wald's test). Exploratory, not \
                      corrected. A dash: the model cannot be fitted, or its fit did not come to rest."
                .to_owned(),
            columns: vec![
                Column::new("Comparison", Kind::Group),
                Column::new("Item", Kind::Text),
                Column::new("Ratings", Kind::Count),
                Column::keyed("χ²", "chi_squared", Kind::Number),
                Column::new("df", Kind::Number),
                Column::new("p", Kind::PValue),
            ],
            rows,
            notes: Vec::new(),
        })
    }
}

fn row(rating: &RatingModel) -> Vec<Cell> {
    let model = rating.model.defined();
    let usable = model.filter(|m| m.convergence.converged && !m.convergence.separated);
    let wald: Option<&WaldTest> = usable
        .and_then(|model| model.wald.as_ref())
        .and_then(Found::defined);
    vec![
        Cell::text(&rating.comparison),
        Cell::Named {
            name: rating.item.clone(),
            label: numbers::item(&rating.item),
        },
        model.map_or(Cell::None, |model| Cell::Count(model.rows)),
        Cell::number(wald.map(|test| test.chi_squared)),
        Cell::number(wald.map(|test| test.df)),
        wald.map_or(Cell::None, |test| Cell::PValue(test.p)),
    ]
}
