//! Decoders that are formulas.

json_tree::tagged! {
    "kind", deny_unknown_fields;
    /// A decoder without weights.
    #[derive(Debug, Clone, PartialEq)]
    pub enum ClosedForm {
        /// A line plus a sine, five dimensions: x(t) = z₁·t + z₂ + z₃·sin(z₄·t + z₅)
        /// at t = `x_start`, `x_start` + `x_step`, … (Ross et al., *Sinelines*).
        Sinelines {
            /// First abscissa.
            x_start: f64,
            /// Distance between neighbouring abscissae.
            x_step: f64,
            /// Number of points.
            points: usize,
        },
        /// A disc about the middle of a square picture, two dimensions in [0, 1]: on
        /// 64 pixels, radius 24·z₁ + 4 about (31, 31), brightness 1 − z₂ inside and
        /// z₂ outside (the practice task of Ross et al.); other sizes in proportion.
        Circles {
            /// Side of the picture in pixels.
            size: usize,
        },
        /// A figure about the middle of a square picture, three dimensions: as [`Self::Circles`], with
        /// z₁ for the figure, and radius and shade after it. 0 is the disc, 1 a square and 2 a triangle that stands on its side, both
        /// with their corners on the disc's edge: |dx|, |dy| < r/√2; dy < r/2 and √3·|dx| − dy < r.
        Shapes {
            /// Side of the picture in pixels.
            size: usize,
        },
    }
}

/// A picture of one figure about the middle: `is_inside` takes the distances right and down from
/// there, and the radius.
fn figure(
    size: usize,
    radius: f64,
    shade: f64,
    is_inside: impl Fn(f64, f64, f64) -> bool,
) -> Vec<f32> {
    let scale = size as f64 / 64.0;
    let (centre, radius) = (31.0 * scale, (24.0 * radius + 4.0) * scale);
    let (inside, outside) = ((1.0 - shade) as f32, shade as f32);
    let mut picture = Vec::with_capacity(size * size);
    for row in 0..size {
        for column in 0..size {
            let (dx, dy) = (column as f64 - centre, row as f64 - centre);
            picture.push(if is_inside(dx, dy, radius) {
                inside
            } else {
                outside
            });
        }
    }
    picture
}

fn in_disc(dx: f64, dy: f64, radius: f64) -> bool {
    dx.hypot(dy) < radius
}

fn in_square(dx: f64, dy: f64, radius: f64) -> bool {
    dx.abs().max(dy.abs()) < radius / 2f64.sqrt()
}

fn in_triangle(dx: f64, dy: f64, radius: f64) -> bool {
    dy < radius / 2.0 && 3f64.sqrt() * dx.abs() - dy < radius
}

impl ClosedForm {
    /// Number of latent dimensions the formula takes.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Sinelines { .. } => 5,
            Self::Circles { .. } => 2,
            Self::Shapes { .. } => 3,
        }
    }

    /// Number of values it gives.
    #[must_use]
    pub fn instance_len(&self) -> usize {
        match *self {
            Self::Sinelines { points, .. } => points,
            Self::Circles { size } | Self::Shapes { size } => size.saturating_mul(size),
        }
    }

    /// The instance at `z`; empty when `z` has not [`dimensions`](Self::dimensions) components.
    #[must_use]
    pub fn decode(&self, z: &[f64]) -> Vec<f32> {
        match (self, z) {
            (
                &Self::Sinelines {
                    x_start,
                    x_step,
                    points,
                },
                &[slope, intercept, amplitude, frequency, phase],
            ) => (0..points)
                .map(|i| {
                    let t = x_start + x_step * i as f64;
                    (slope * t + intercept + amplitude * (frequency * t + phase).sin()) as f32
                })
                .collect(),
            (&Self::Circles { size }, &[radius, shade]) => figure(size, radius, shade, in_disc),
            (&Self::Shapes { size }, &[kind, radius, shade]) => {
                let is_inside = match kind {
                    kind if kind < 0.5 => in_disc,
                    kind if kind < 1.5 => in_square,
                    _ => in_triangle,
                };
                figure(size, radius, shade, is_inside)
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_grow_and_darken() {
        let circles = ClosedForm::Circles { size: 64 };
        let x = circles.decode(&[0.0, 0.0]);
        assert_eq!(x.len(), 4096);
        // Offsets with dx² + dy² < 16: 45 of them.
        // python3 -c "print(sum(x*x+y*y<16 for x in range(-9,9) for y in range(-9,9)))"
        assert_eq!(x.iter().filter(|&&p| p == 1.0).count(), 45);
        assert_eq!((x[31 * 64 + 31], x[0]), (1.0, 0.0));
        let x = circles.decode(&[1.0, 0.25]);
        assert_eq!(
            (x[31 * 64 + 31], x[31 * 64 + 4], x[31 * 64 + 3], x[0]),
            (0.75, 0.75, 0.25, 0.25)
        );
        assert!(circles.decode(&[0.5]).is_empty());
    }
    #[test]
    fn shapes_are_discs_squares_and_triangles() {
        let shapes = ClosedForm::Shapes { size: 64 };
        let circles = ClosedForm::Circles { size: 64 };
        assert_eq!(shapes.decode(&[0.0, 0.3, 0.2]), circles.decode(&[0.3, 0.2]));
        let area = |kind: f64| {
            let x = shapes.decode(&[kind, 0.5, 0.0]);
            x.iter().filter(|&&p| p == 1.0).count()
        };
        // Radius 16. python3 -c "print(sum(max(abs(x),abs(y))<16/2**.5 for x in range(-31,33) for y in range(-31,33)))"
        assert_eq!(area(1.0), 529);
        // python3 -c "print(sum(y<8 and 3**.5*abs(x)-y<16 for x in range(-31,33) for y in range(-31,33)))"
        assert_eq!(area(2.0), 319);
        // The triangle stands on its side: its tip is above.
        let x = shapes.decode(&[2.0, 0.5, 0.0]);
        let row = |row: usize| x[row * 64..][..64].iter().filter(|&&p| p == 1.0).count();
        assert!(row(20) < row(36), "{} {}", row(20), row(36));
        assert!(shapes.decode(&[0.5, 0.5]).is_empty());
    }
}
