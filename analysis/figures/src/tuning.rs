//! The share of questions that simulated people solve of each model, by threshold and by time.

use analysis::numbers::given;
use analysis::tuning::Tuning;

use crate::axis::{foot, horizontal, shares_over_time, ticks};
use crate::canvas::{Anchor, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::{Ink, dash};
use crate::layout::{GAP, Sample, grid, legend, titled};

/// Points along a curve.
const POINTS: usize = 120;

/// For each model two panels: solved by threshold within the study's T, and solved over time at
/// the study's ε. `None` without models.
#[must_use]
pub fn tuning(found: &Tuning) -> Option<Figure> {
    if found.models.is_empty() {
        return None;
    }
    let table = found.table();
    let caption = "Simulated people, no real ones. Share of questions solved, for each model: left by the \
                   threshold ε, within the study's T; right over active time, at the study's ε, or that of each \
                   question. Dashed: what the study sets. No test."
        .to_owned();
    Some(Figure::of_table(
        "tuning".to_owned(),
        caption,
        table,
        |width| draw(width, found),
    ))
}

fn draw(width: f64, found: &Tuning) -> Canvas {
    let mut canvas = Canvas::new(width);
    let top = legend(&mut canvas, 0.0, &found.strategies, Sample::Line);
    let areas = grid(&mut canvas, 2 * found.models.len(), top, 100.0, 130.0, 2);
    for (model, pair) in found.models.iter().zip(areas.chunks(2)) {
        let by_threshold = Panel {
            title: format!("{}: within {} s", model.model, given(model.skip_after_s)),
            axis: "Threshold ε",
            share: &|at, strategy| {
                found
                    .at(&model.model, strategy, Some(at), model.skip_after_s)
                    .share()
            },
            until: largest(&found.thresholds),
            own: model.threshold,
        };
        let by_time = Panel {
            title: match model.threshold {
                Some(threshold) => format!("{}: at ε = {}", model.model, given(threshold)),
                None => format!("{}: at each question's ε", model.model),
            },
            axis: "Active time (s)",
            share: &|at, strategy| {
                found
                    .at(&model.model, strategy, model.threshold, at)
                    .share()
            },
            until: largest(&found.times_s),
            own: Some(model.skip_after_s),
        };
        for (panel, area) in [by_threshold, by_time].iter().zip(pair) {
            let inner = titled(&mut canvas, *area, &panel.title);
            let (plot, x, y) = shares_over_time(&mut canvas, inner, 34.0, panel.until);
            horizontal(
                &mut canvas,
                plot,
                x,
                &ticks(0.0, panel.until, 5),
                panel.axis,
            );
            if let Some(own) = panel.own {
                let ends = ((x.at(own), plot.y), (x.at(own), plot.bottom()));
                canvas.line(ends.0, ends.1, Stroke::dashed(Ink::Muted, 0.8, "3 2"));
            }
            for (series, strategy) in found.strategies.iter().enumerate() {
                let curve = panel.curve(strategy);
                let points: Vec<(f64, f64)> = curve
                    .iter()
                    .map(|(at, v)| (x.at(*at), y.within(*v)))
                    .collect();
                let stroke = Stroke::dashed(Ink::Series(series), 1.4, dash(series));
                canvas.polyline(&points, stroke);
            }
            foot(&mut canvas, plot);
            let at = (plot.x + 2.0, plot.y - 2.0);
            canvas.text(at, Anchor::Start, SMALL, "Share of questions");
        }
    }
    canvas.height += GAP / 3.0;
    canvas
}

struct Panel<'a> {
    title: String,
    axis: &'static str,
    /// The share solved at a place of the axis, by a strategy.
    share: &'a dyn Fn(f64, &str) -> Option<f64>,
    until: f64,
    /// The study's own setting, if that is one value.
    own: Option<f64>,
}

impl Panel<'_> {
    fn curve(&self, strategy: &str) -> Vec<(f64, f64)> {
        let places = (0..=POINTS).map(|point| self.until * point as f64 / POINTS as f64);
        places
            .map(|place| (place, (self.share)(place, strategy).unwrap_or_default()))
            .collect()
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}
