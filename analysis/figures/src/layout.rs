//! Panels side by side, their titles, names of conditions, legends.

use crate::canvas::{Anchor, Area, BODY, Canvas, Stroke, TITLE, Type};
use crate::ink::{Ink, dash};
use crate::letters::{cut, width};

/// Space between panels.
pub(crate) const GAP: f64 = 14.0;
/// Height of a panel's title.
pub(crate) const TITLE_HEIGHT: f64 = 13.0;

/// Places of `count` panels below `top`: as many in a row as fit, at most `most`, all of one
/// size. `height` is that of a panel.
pub(crate) fn grid(
    canvas: &mut Canvas,
    count: usize,
    top: f64,
    narrowest: f64,
    height: f64,
    most: usize,
) -> Vec<Area> {
    let fit = (((canvas.width + GAP) / (narrowest + GAP)).floor() as usize).clamp(1, most.max(1));
    // Rows as even as can be: four panels are two and two, not three and one.
    let rows = count.div_ceil(fit).max(1);
    let columns = count.div_ceil(rows).max(1);
    let w = (canvas.width - GAP * (columns - 1) as f64) / columns as f64;
    let place = |index: usize| {
        Area::new(
            (index % columns) as f64 * (w + GAP),
            top + (index / columns) as f64 * (height + GAP),
            w,
            height,
        )
    };
    let areas: Vec<Area> = (0..count).map(place).collect();
    let bottom = areas.last().map_or(top, |area| area.bottom());
    canvas.height = canvas.height.max(bottom);
    areas
}

/// A panel's title at its upper left; what is left of the panel.
pub(crate) fn titled(canvas: &mut Canvas, panel: Area, title: &str) -> Area {
    let text = cut(title, TITLE.size, true, panel.w);
    canvas.text((panel.x, panel.y + TITLE.size), Anchor::Start, TITLE, &text);
    Area {
        y: panel.y + TITLE_HEIGHT,
        h: panel.h - TITLE_HEIGHT,
        ..panel
    }
}

/// Height that names below an axis need, and by how much they are turned: not at all if they
/// fit side by side.
pub(crate) fn names_below(names: &[String], room: f64) -> (f64, f64) {
    let widest = names
        .iter()
        .map(|n| width(n, BODY.size, false))
        .fold(0.0, f64::max);
    if widest + 3.0 <= room {
        (BODY.size + 5.0, 0.0)
    } else {
        (widest.min(LONGEST) * 0.6 + BODY.size + 2.0, -35.0)
    }
}

/// Longest name that is turned.
const LONGEST: f64 = 90.0;

/// A name below an axis.
pub(crate) fn name_below(canvas: &mut Canvas, at: (f64, f64), name: &str, turned: f64) {
    let (x, y) = at;
    if turned == 0.0 {
        canvas.text((x, y + BODY.size + 2.0), Anchor::Middle, BODY, name);
    } else {
        let name = cut(name, BODY.size, false, LONGEST);
        let at = (x + 2.0, y + BODY.size + 1.0);
        canvas.turned(at, Anchor::End, BODY, &name, turned);
    }
}

/// The mark beside a name in a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// A line.
    Line,
    /// A line with the series' marker.
    Marker,
}

/// A legend from the upper left, in as many lines as it takes; returns the place below it.
pub(crate) fn legend(canvas: &mut Canvas, top: f64, names: &[String], sample: Sample) -> f64 {
    let (mut x, mut y) = (0.0, top);
    for (series, name) in names.iter().enumerate() {
        let name = cut(name, BODY.size, false, canvas.width - 24.0);
        let wide = 20.0 + width(&name, BODY.size, false);
        if x > 0.0 && x + wide > canvas.width {
            x = 0.0;
            y += BODY.size + 5.0;
        }
        let middle = y + BODY.size * 0.62;
        let stroke = Stroke::dashed(Ink::Series(series), 1.5, dash(series));
        canvas.line((x, middle), (x + 14.0, middle), stroke);
        if sample == Sample::Marker {
            canvas.marker((x + 7.0, middle), series, 2.4);
        }
        let style = Type { ..BODY };
        canvas.text((x + 18.0, y + BODY.size), Anchor::Start, style, &name);
        x += wide + 14.0;
    }
    y + BODY.size + 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_rows_evenly() {
        let mut canvas = Canvas::new(504.0);
        let areas = grid(&mut canvas, 4, 0.0, 150.0, 100.0, 4);
        assert_eq!((areas[0].y, areas[1].y, areas[2].y), (0.0, 0.0, 114.0));
        assert!((areas[1].right() - 504.0).abs() < 1e-9);
        assert_eq!(canvas.height, 214.0);
    }
}
