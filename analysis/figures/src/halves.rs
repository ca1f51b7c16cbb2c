//! The first questions against the last: the paper's figure 10.

use analysis::HalvesRow;
use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::tables::{divisor, label};
use domain::study::Metric;

use crate::axis::{Scale, foot, labels_width, range, ticks_of_scale, vertical};
use crate::canvas::{Area, Canvas, Stroke};
use crate::figure::Figure;
use crate::ink::{Ink, dash};
use crate::layout::{GAP, Sample, grid, legend, name_below, titled};
use crate::{Of, between_them, bounds};

/// The metrics of one comparison, a panel each.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows: Vec<&HalvesRow> = of
        .sample
        .halves
        .iter()
        .filter(|row| row.comparison == of.name && of.sample.shows(row.metric))
        .collect();
    let people = between_them(rows.iter().map(|row| row.first.n))?;
    let caption = format!(
        "Change from the first to the last (n − 1)/2 of a person's n questions in the comparison {}: mean over \
         people who are included and ended at least 3 questions ({people} people a condition) ± one standard error. No test.",
        of.name
    );
    let name = of.file("first-and-last-questions");
    let columns = vec![
        TableColumn::new("Metric", ColumnKind::Text),
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("n", ColumnKind::Count),
        TableColumn::keyed("First", "first_mean", ColumnKind::Number),
        TableColumn::keyed(
            "its standard error",
            "first_standard_error",
            ColumnKind::Number,
        ),
        TableColumn::keyed("Last", "last_mean", ColumnKind::Number),
        TableColumn::keyed(
            "its standard error",
            "last_standard_error",
            ColumnKind::Number,
        ),
    ];
    let data = rows
        .iter()
        .map(|row| {
            vec![
                TableCell::text(row.metric.name()),
                TableCell::text(&row.condition),
                TableCell::Count(row.first.n),
                TableCell::Number(row.first.mean),
                TableCell::number(row.first.standard_error),
                TableCell::Number(row.last.mean),
                TableCell::number(row.last.standard_error),
            ]
        })
        .collect();
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, of, &rows)
    }))
}

fn draw(width: f64, of: Of<'_>, rows: &[&HalvesRow]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let names = of.names();
    let top = legend(&mut canvas, 0.0, &names, Sample::Marker);
    let mut metrics: Vec<Metric> = Vec::new();
    for row in rows {
        if !metrics.contains(&row.metric) {
            metrics.push(row.metric);
        }
    }
    let areas = grid(&mut canvas, metrics.len(), top, 110.0, 128.0, 4);
    for (metric, panel) in metrics.iter().zip(areas) {
        let of_metric: Vec<&&HalvesRow> = rows.iter().filter(|row| row.metric == *metric).collect();
        let means = of_metric
            .iter()
            .flat_map(|row| [row.first.mean, row.last.mean]);
        let divisor = divisor(means);
        let inner = titled(&mut canvas, panel, &label(*metric, divisor));
        let reach = of_metric
            .iter()
            .flat_map(|row| [row.first, row.last])
            .flat_map(|point| {
                let error = point.standard_error.unwrap_or(0.0);
                [
                    (point.mean - error) / divisor,
                    (point.mean + error) / divisor,
                ]
            });
        let (low, high) = match bounds(*metric) {
            Some((low, high)) if high <= 1.0 => (low, high),
            _ => range(reach),
        };
        let ticks = ticks_of_scale(low, high);
        let left = labels_width(&ticks);
        let plot = Area::new(
            inner.x + left,
            inner.y + 4.0,
            inner.w - left,
            inner.h - 18.0,
        );
        let scale = Scale::up(plot, low, high);
        vertical(&mut canvas, plot, scale, &ticks);
        // From here on of values as they are.
        let scale = Scale {
            low: low * divisor,
            high: high * divisor,
            ..scale
        };
        foot(&mut canvas, plot);
        let ends = [plot.x + plot.w * 0.22, plot.x + plot.w * 0.78];
        for row in &of_metric {
            let series = of.place(&row.condition);
            // Side by side, so that error bars do not hide each other.
            let offset = (series as f64 - (names.len() as f64 - 1.0) / 2.0) * 3.2;
            let points = [(ends[0] + offset, row.first), (ends[1] + offset, row.last)];
            let line = points.map(|(x, point)| (x, scale.within(point.mean)));
            canvas.polyline(
                &line,
                Stroke::dashed(Ink::Series(series), 1.3, dash(series)),
            );
            for (x, point) in points {
                let error = point.standard_error.unwrap_or(0.0);
                let bar = [point.mean - error, point.mean + error].map(|v| (x, scale.within(v)));
                canvas.line(bar[0], bar[1], Stroke::solid(Ink::Series(series), 0.9));
                canvas.marker((x, scale.within(point.mean)), series, 2.3);
            }
        }
        for (x, name) in ends.iter().zip(["first", "last"]) {
            name_below(&mut canvas, (*x, plot.bottom()), name, 0.0);
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}
