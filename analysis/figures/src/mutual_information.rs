//! Mutual information between the factors of the data and a model's dimensions: the paper's
//! figure 2.

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{ModelCard, MutualInformation, Sample};

use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, Type};
use crate::figure::Figure;
use crate::ink::{Ink, Rgb, between, on};
use crate::layout::{GAP, grid, titled};
use crate::letters::{cut, width as width_of};

/// The colour of none, and of as much as there is.
const ENDS: [Rgb; 2] = [[247, 247, 247], [0, 84, 147]];

/// The models of the conditions whose cards have it, a panel each.
pub(crate) fn figure(sample: &Sample, cards: &[ModelCard]) -> Option<Figure> {
    let rows = sample.comparisons.iter().flat_map(|c| &c.conditions);
    let used: Vec<_> = rows.flat_map(|row| &row.models).collect();
    let known: Vec<(&ModelCard, &MutualInformation)> = cards
        .iter()
        .filter(|card| {
            let is = |model: &&analysis::ModelName| {
                model.name == card.name && model.weights_sha256 == card.weights_sha256
            };
            used.iter().copied().any(|model| is(&model))
        })
        .filter_map(|card| Some((card, card.mutual_information.as_ref()?)))
        .collect();
    let instances = known.first()?.1.instances;
    let caption = format!(
        "Mutual information, in bits, between the factors of the data (rows) and the dimensions of each model \
         (columns), with DCI and the mutual information gap (MIG), as on the models' cards: measured on {} \
         instances each, without people. All panels have one scale of colours, up to the largest value. No test.",
        if known.iter().all(|(_, found)| found.instances == instances) {
            instances.to_string()
        } else {
            "held-out".to_owned()
        }
    );
    let name = "mutual-information".to_owned();
    let mut data = Vec::new();
    for (card, found) in &known {
        for (factor, bits) in found.factors.iter().zip(&found.bits) {
            for (dimension, bits) in bits.iter().enumerate() {
                data.push(vec![
                    TableCell::text(&card.name),
                    TableCell::text(factor),
                    TableCell::Count(dimension + 1),
                    TableCell::Number(*bits),
                ]);
            }
        }
    }
    let columns = vec![
        TableColumn::new("Model", ColumnKind::Text),
        TableColumn::new("Factor", ColumnKind::Text),
        TableColumn::keyed("Dimension, from 1", "dimension", ColumnKind::Count),
        TableColumn::new("Bits", ColumnKind::Number),
    ];
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, &known)
    }))
}

fn draw(width: f64, known: &[(&ModelCard, &MutualInformation)]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let names = known.iter().flat_map(|(_, found)| &found.factors);
    let widest = names
        .map(|n| width_of(n, BODY.size, false))
        .fold(0.0, f64::max);
    let left = widest.min(70.0) + 5.0;
    let cell = 17.0;
    let most = known
        .iter()
        .map(|(_, found)| found.factors.len())
        .max()
        .unwrap_or(1);
    let height = 13.0 + 11.0 + most as f64 * cell + 26.0;
    let all = known
        .iter()
        .flat_map(|(_, found)| found.bits.iter().flatten());
    let largest = all.copied().fold(0.0, f64::max);
    let areas = grid(&mut canvas, known.len(), 0.0, 140.0, height, 3);
    for ((card, found), panel) in known.iter().zip(areas) {
        let inner = titled(&mut canvas, panel, &card.name);
        let score =
            |name: &str, value: Option<f64>| value.map(|v| format!("{name} {}", rounded(v, 2)));
        let scores: Vec<String> = [score("DCI", card.dci), score("MIG", card.mig)]
            .into_iter()
            .flatten()
            .collect();
        let at = (inner.x, inner.y + SMALL.size);
        canvas.text(at, Anchor::Start, SMALL, &scores.join(", "));
        let top = inner.y + 12.0;
        let columns = found.bits.iter().map(Vec::len).max().unwrap_or(1);
        let w = ((inner.w - left) / columns as f64).min(cell * 1.7);
        for (row, (factor, bits)) in found.factors.iter().zip(&found.bits).enumerate() {
            let y = top + row as f64 * cell;
            let at = (inner.x + left - 4.0, y + cell / 2.0 + BODY.size * 0.36);
            let name = cut(factor, BODY.size, false, left - 5.0);
            canvas.text(at, Anchor::End, BODY, &name);
            for (column, bits) in bits.iter().enumerate() {
                let area = Area::new(inner.x + left + column as f64 * w, y, w - 1.0, cell - 1.0);
                let share = if largest > 0.0 { bits / largest } else { 0.0 };
                let colour = between(ENDS[0], ENDS[1], share);
                canvas.rect(area, Ink::Fixed(colour), 1.0);
                if w >= 14.0 {
                    let at = (area.x + area.w / 2.0, y + cell / 2.0 + SMALL.size * 0.33);
                    let style = Type {
                        ink: on(colour),
                        size: 6.0,
                        ..SMALL
                    };
                    canvas.text(at, Anchor::Middle, style, &rounded(*bits, 1));
                }
            }
        }
        let bottom = top + found.factors.len() as f64 * cell;
        for column in 0..columns {
            let x = inner.x + left + (column as f64 + 0.5) * w;
            let at = (x, bottom + SMALL.size + 2.0);
            canvas.text(at, Anchor::Middle, SMALL, &(column + 1).to_string());
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}
