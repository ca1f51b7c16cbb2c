//! Where everything on a sheet goes.

use domain::model::InstanceShape;

use super::{
    Anchor, Area, BLUE, Colour, INK, InformationMatrix, LaidOutSheet, MUTED, Mark, PAPER, Sheet,
    between,
};

/// Width of a sheet.
const WIDTH: f64 = 1000.0;
/// Blank at its edges.
const MARGIN: f64 = 28.0;
/// Between neighbouring instances.
const GAP: f64 = 2.0;
/// Between neighbouring dials.
const GUTTER: f64 = 22.0;
/// Instances on the way of a slider, for which three (curves: two) dials fit side by side.
const STEPS: f64 = 7.0;
/// Side of a cell of the matrix.
const CELL: (f64, f64) = (52.0, 30.0);
/// Width that names of factors get.
const NAMES: f64 = 150.0;

impl Sheet {
    /// Gives every mark its place.
    #[must_use]
    pub fn scene(&self) -> LaidOutSheet<'_> {
        let mut pen = Pen {
            marks: Vec::new(),
            y: MARGIN,
        };
        pen.y += 20.0;
        pen.text(MARGIN, 22.0, INK, true, &self.title);
        pen.y += 22.0;
        pen.text(MARGIN, 13.0, MUTED, false, &self.subtitle);
        self.traversals(&mut pen);
        self.samples(&mut pen);
        if let Some(matrix) = &self.matrix {
            pen.matrix(matrix);
        }
        LaidOutSheet {
            width: WIDTH,
            height: pen.y + MARGIN,
            shape: self.shape,
            display: &self.display,
            marks: pen.marks,
        }
    }

    /// Width and height of an instance.
    fn cell(&self) -> (f64, f64) {
        let room = WIDTH - 2.0 * MARGIN;
        let fitting = |side_by_side: f64| {
            let block = (room - GUTTER * (side_by_side - 1.0)) / side_by_side;
            ((block - GAP * (STEPS - 1.0)) / STEPS).floor()
        };
        match self.shape {
            InstanceShape::Series { .. } => {
                let w = fitting(2.0);
                (w, (w * 0.62).round())
            }
            InstanceShape::Image { height, width, .. } => {
                let w = fitting(3.0);
                let ratio = height.max(1) as f64 / width.max(1) as f64;
                if ratio > 2.0 {
                    (w * 2.0 / ratio, w * 2.0)
                } else {
                    (w, (w * ratio).max(1.0))
                }
            }
        }
    }

    fn traversals<'a>(&'a self, pen: &mut Pen<'a>) {
        pen.heading("What each dial does");
        let (w, h) = self.cell();
        let fitting = columns(WIDTH - 2.0 * MARGIN, w);
        let (mut x, mut bottom) = (MARGIN, pen.y);
        for traversal in &self.traversals {
            let steps = traversal.rows.first().map_or(0, Vec::len);
            // A choice among more values than fit goes on below.
            for start in (0..steps).step_by(fitting) {
                let shown = fitting.min(steps - start);
                let block = shown as f64 * (w + GAP) - GAP;
                if x > MARGIN && x + block > WIDTH - MARGIN + 0.5 {
                    (x, pen.y) = (MARGIN, bottom + GUTTER);
                }
                let top = pen.y;
                pen.y += 12.0;
                if start == 0 {
                    pen.text(x, 12.0, INK, false, &traversal.label);
                }
                pen.y += 6.0;
                for row in &traversal.rows {
                    pen.row(x, (w, h), row.iter().skip(start).take(shown));
                }
                bottom = bottom.max(pen.y);
                pen.y = top;
                x += block + GUTTER;
            }
        }
        pen.y = bottom;
    }

    fn samples<'a>(&'a self, pen: &mut Pen<'a>) {
        if self.samples.is_empty() {
            return;
        }
        pen.heading("Random samples, as questions draw them");
        let (w, h) = self.cell();
        let fitting = columns(WIDTH - 2.0 * MARGIN, w);
        for (index, row) in self.samples.chunks(fitting).enumerate() {
            // A last row that is not full would look as if something were missing.
            if index == 0 || row.len() == fitting {
                pen.row(MARGIN, (w, h), row.iter());
            }
        }
    }
}

/// How many instances fit side by side, at least one.
fn columns(room: f64, w: f64) -> usize {
    (((room + GAP) / (w + GAP)).floor() as usize).max(1)
}

/// Marks so far, and how far down the sheet has got.
struct Pen<'a> {
    marks: Vec<Mark<'a>>,
    y: f64,
}

impl<'a> Pen<'a> {
    fn text(&mut self, x: f64, size: f64, colour: Colour, bold: bool, text: &str) {
        self.label((x, self.y), size, Anchor::Start, colour, bold, text);
    }

    fn label(
        &mut self,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
        colour: Colour,
        bold: bool,
        text: &str,
    ) {
        self.marks.push(Mark::Text {
            at,
            size,
            anchor,
            colour,
            bold,
            text: text.to_owned(),
        });
    }

    fn heading(&mut self, text: &str) {
        self.y += 38.0;
        self.text(MARGIN, 15.0, INK, true, text);
        self.y += 12.0;
    }

    /// A row of instances from `x` on; moves down by its height.
    fn row(&mut self, x: f64, (w, h): (f64, f64), instances: impl Iterator<Item = &'a Vec<f32>>) {
        for (index, values) in instances.enumerate() {
            let x = x + index as f64 * (w + GAP);
            let area = Area { x, y: self.y, w, h };
            self.marks.push(Mark::Instance { area, values });
        }
        self.y += h + GAP;
    }

    fn matrix(&mut self, matrix: &InformationMatrix) {
        self.heading("Mutual information of dials and true factors, in bits");
        self.y += 12.0;
        let left = MARGIN + NAMES;
        let dials = matrix.bits.first().map_or(0, Vec::len);
        let centre = |column: usize| left + (column as f64 + 0.5) * CELL.0;
        for dial in 0..dials {
            let name = (dial + 1).to_string();
            self.label(
                (centre(dial), self.y),
                12.0,
                Anchor::Middle,
                MUTED,
                false,
                &name,
            );
        }
        let entropies = (centre(dials) + 8.0, self.y);
        self.label(entropies, 12.0, Anchor::Middle, MUTED, false, "entropy");
        self.y += 8.0;
        let top = self.y;
        // The scale is that of the largest entropy: no number can be larger.
        let most = matrix.factors.iter().map(|f| f.1).fold(0.0, f64::max);
        for ((name, entropy), bits) in matrix.factors.iter().zip(&matrix.bits) {
            let baseline = self.y + CELL.1 / 2.0 + 4.0;
            self.label((left - 12.0, baseline), 12.0, Anchor::End, INK, false, name);
            for (column, &value) in bits.iter().enumerate() {
                let share = if most > 0.0 { value / most } else { 0.0 };
                let area = Area {
                    x: centre(column) - CELL.0 / 2.0,
                    y: self.y,
                    w: CELL.0 - GAP,
                    h: CELL.1 - GAP,
                };
                let colour = between([236, 241, 247], BLUE, share);
                self.marks.push(Mark::Fill { area, colour });
                let ink = if share > 0.7 { PAPER } else { INK };
                let at = (centre(column) - GAP / 2.0, baseline);
                self.label(at, 12.0, Anchor::Middle, ink, false, &format!("{value:.2}"));
            }
            let at = (centre(dials) + 8.0, baseline);
            self.label(
                at,
                12.0,
                Anchor::Middle,
                MUTED,
                false,
                &format!("{entropy:.2}"),
            );
            self.y += CELL.1;
        }
        let mut y = top + 18.0;
        for note in &matrix.notes {
            let at = (centre(dials) + 70.0, y);
            self.label(at, 12.0, Anchor::Start, INK, false, note);
            y += 20.0;
        }
        self.y = self.y.max(y);
    }
}
