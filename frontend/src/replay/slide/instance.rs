//! An instance on a canvas that has other things on it, too.

use domain::model::{InstanceShape, ModelFacts};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d as Context, HtmlCanvasElement};

use super::{ACCENT, LINE};
use crate::ui::paint::{self, PLOT_HEIGHT, PLOT_WIDTH, Tint};

/// Where something is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// The largest part of it with a ratio of width to height, in its middle.
    fn within(self, aspect: f64) -> Self {
        let width = self.width.min(self.height * aspect);
        let height = width / aspect;
        Self {
            x: self.x + (self.width - width) / 2.0,
            y: self.y + (self.height - height) / 2.0,
            width,
            height,
        }
    }

    /// One of the fields of a grid, counted row by row from 0.
    fn field(self, [columns, rows]: [usize; 2], place: usize) -> Self {
        let (width, height) = (self.width / columns as f64, self.height / rows as f64);
        let (column, row) = (place % columns, place / columns);
        Self {
            x: self.x + column as f64 * width,
            y: self.y + row as f64 * height,
            width,
            height,
        }
    }
}

/// Width of an instance as a share of its height.
pub(super) fn aspect(model: &ModelFacts) -> f64 {
    match model.shape {
        InstanceShape::Image { height, width, .. } => width.max(1) as f64 / height.max(1) as f64,
        InstanceShape::Series { .. } => PLOT_WIDTH / PLOT_HEIGHT,
    }
}

/// Draws an instance as the participant's page does, apart from its target.
pub(super) fn draw_instance(context: &Context, model: &ModelFacts, values: &[f32], area: Area) {
    let area = area.within(aspect(model));
    match paint::image_size(model.shape) {
        Some(size) => image(context, model, values, size, area),
        None => series(context, model, values, area),
    }
    context.set_stroke_style_str(LINE);
    context.set_line_width(1.0);
    context.stroke_rect(area.x, area.y, area.width, area.height);
}

fn image(
    context: &Context,
    model: &ModelFacts,
    values: &[f32],
    size: (usize, usize, usize),
    area: Area,
) {
    let made = document().create_element("canvas").ok();
    let Some(small) = made.and_then(|it| it.dyn_into::<HtmlCanvasElement>().ok()) else {
        return;
    };
    let (height, width, _) = size;
    small.set_width(width as u32);
    small.set_height(height as u32);
    let mut pixels = Vec::new();
    paint::pixels(values, size, &model.display, Tint::Neutral, &mut pixels);
    paint::put(&small, &pixels, height, width);
    context.set_image_smoothing_enabled(model.display.binarise_at.is_none());
    // Only a canvas without pixels is refused, and a model's picture has some.
    let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(
        &small,
        area.x,
        area.y,
        area.width,
        area.height,
    );
}

fn series(context: &Context, model: &ModelFacts, values: &[f32], area: Area) {
    const ENDS: [f64; 2] = [-1.0, 1.0];
    let curves = model.shape.channels().max(1);
    let axes = model.display.series.as_ref();
    for curve in 0..curves {
        let field = area.field(model.shape.plot_grid(), curve);
        let ends = axes.map_or(ENDS, |axes| axes.ends(curve));
        let points: Vec<f64> = values
            .iter()
            .skip(curve)
            .step_by(curves)
            .map(|value| f64::from(*value))
            .collect();
        context.save();
        context.begin_path();
        context.rect(field.x, field.y, field.width, field.height);
        context.clip();
        context.set_stroke_style_str(ACCENT);
        context.set_line_width(2.0);
        context.begin_path();
        let step = field.width / (points.len().max(2) - 1) as f64;
        for (index, value) in points.iter().enumerate() {
            let value = if value.is_finite() { *value } else { 0.0 };
            let x = field.x + index as f64 * step;
            let y = field.y + paint::plot_y(value, ends) / PLOT_HEIGHT * field.height;
            if index == 0 {
                context.move_to(x, y);
            } else {
                context.line_to(x, y);
            }
        }
        context.stroke();
        context.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_shape() {
        let area = Area {
            x: 10.0,
            y: 20.0,
            width: 200.0,
            height: 100.0,
        };
        let square = area.within(1.0);
        assert_eq!(
            (square.x, square.y, square.width, square.height),
            (60.0, 20.0, 100.0, 100.0)
        );
        let wide = area.within(4.0);
        assert_eq!(
            (wide.x, wide.y, wide.width, wide.height),
            (10.0, 45.0, 200.0, 50.0)
        );
        let field = area.field([2, 3], 3);
        assert_eq!((field.x, field.width), (110.0, 100.0));
        assert!((field.y - 53.333).abs() < 1e-3);
    }
}
