//! Everybody's values in a panel.

use std::collections::BTreeMap;

use super::MOST_PEOPLE;
use super::panel::Panel;
use crate::axis::Scale;
use crate::canvas::{Area, Canvas, Stroke};
use crate::ink::Ink;

impl Panel<'_> {
    /// Everybody's values, and the means beside them.
    pub(super) fn values(&self, canvas: &mut Canvas, plot: Area, slot: f64, scale: Scale) {
        let middle = |index: usize| plot.x + slot * (index as f64 + 0.42);
        let half = (slot * 0.2).min(9.0);
        let rows = &self.comparison.conditions;
        let shown = |index: usize| rows[index].values.iter().take(MOST_PEOPLE);
        if self.joined {
            for index in 1..rows.len() {
                let before: BTreeMap<usize, f64> =
                    shown(index - 1).map(|it| (it.person, it.value)).collect();
                for value in shown(index) {
                    let Some(from) = before.get(&value.person) else {
                        continue;
                    };
                    let from = (middle(index - 1), scale.at(from / self.divisor));
                    let to = (middle(index), scale.at(value.value / self.divisor));
                    canvas.of_person(value.person, |canvas| {
                        canvas.line(from, to, Stroke::solid(Ink::Muted, 0.25));
                    });
                }
            }
        }
        for (index, row) in rows.iter().enumerate() {
            for (nth, value) in shown(index).enumerate() {
                // Side by side by their order, where no lines have to meet: the same every time.
                let offset = if self.joined {
                    0.0
                } else {
                    ((nth * 4 % 7) as f64 / 6.0 - 0.5) * 2.0 * half
                };
                let at = (middle(index) + offset, scale.at(value.value / self.divisor));
                canvas.of_person(value.person, |canvas| {
                    canvas.circle(at, 1.2, Ink::Series(index), 0.75);
                });
            }
            let Some(found) = row.description.defined() else {
                continue;
            };
            let x = middle(index) + slot * 0.35;
            let y = scale.at(found.mean / self.divisor);
            if let Some(sd) = found.sd_sample {
                let ends =
                    [found.mean - sd, found.mean + sd].map(|it| scale.within(it / self.divisor));
                canvas.line((x, ends[0]), (x, ends[1]), Stroke::solid(Ink::Text, 0.9));
            }
            canvas.polygon(
                &[(x, y - 2.8), (x + 2.8, y), (x, y + 2.8), (x - 2.8, y)],
                Ink::Text,
                1.0,
            );
        }
    }
}
