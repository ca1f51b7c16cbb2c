//! Convolutions, pooling, and maps of other sizes.

use decode::architecture::graph::{Coordinates, Interpolation, Operation, Pooling, Reduction};

use super::super::super::error::ImportError;
use super::super::super::graph::Wire;
use super::super::constant::Constant;
use super::super::convolution;
use super::nodes::{NodeLowering, WireResult};

/// Most objects that are decoded side by side, in the place of a batch.
const MOST_OBJECTS: usize = 64;

impl NodeLowering<'_> {
    pub(super) fn conv(&mut self, transposed: bool) -> WireResult {
        let x = self.wire(0)?;
        let several = x.shape.first().copied().unwrap_or(0);
        if !(2..=MOST_OBJECTS).contains(&several) || x.shape.len() < 3 {
            return self.conv_of(x, transposed);
        }
        // Objects, each decoded alike, in the place of a batch.
        let mut made = Vec::with_capacity(several);
        for object in 0..several {
            let one = self.picked(&x, 0, vec![object])?;
            made.push(self.conv_of(one, transposed)?);
        }
        self.add(
            Operation::Concat { axis: 0 },
            &made.iter().collect::<Vec<_>>(),
        )
    }

    fn conv_of(&mut self, x: Wire, transposed: bool) -> WireResult {
        let weight = self.wire(1)?;
        let (maps, shape) = self.two_axes(&x)?;
        let weight = match weight.shape[..] {
            [a, b, k] => self.reshape_to(&weight, vec![a, b, 1, k])?,
            _ => weight,
        };
        if weight.shape.len() != 4
            || weight.shape.len() + 4 != maps.shape.len() + shape.len().max(4)
        {
            return Err(self.node.error(format!(
                "it is fed a value of shape {:?} with a weight of shape {:?}; convolutions over one or two axes are read",
                x.shape, weight.shape
            )));
        }
        let spatial = x.shape.len() - 2;
        let kernel = &weight.shape[4 - spatial..];
        let window = convolution::window(self.node, transposed, &x.shape[2..], kernel)?;
        let groups = usize::try_from(self.node.int("group")).unwrap_or(0);
        let operation = if transposed {
            Operation::ConvTranspose { window, groups }
        } else {
            Operation::Conv { window, groups }
        };
        let made = if self.has(2) {
            let bias = self.wire(2)?;
            self.add(operation, &[&maps, &weight, &bias])?
        } else {
            self.add(operation, &[&maps, &weight])?
        };
        self.as_before(&made, spatial)
    }

    /// A value as maps with rows and columns; its own shape.
    fn two_axes(&mut self, x: &Wire) -> Result<(Wire, Vec<usize>), ImportError> {
        let maps = match x.shape[..] {
            [1, maps, points] => self.reshape_to(x, vec![1, maps, 1, points])?,
            [1, _, _, _] => x.clone(),
            _ => {
                return Err(self.node.error(format!(
                    "it is fed a value of shape {:?}; [1, maps, points] and [1, maps, rows, columns] are read",
                    x.shape
                )));
            }
        };
        Ok((maps, x.shape.clone()))
    }

    /// Maps with the row taken away that was made up for a series.
    fn as_before(&mut self, made: &Wire, spatial: usize) -> WireResult {
        match (spatial, &made.shape[..]) {
            (1, &[1, maps, 1, points]) => self.reshape_to(made, vec![1, maps, points]),
            _ => Ok(made.clone()),
        }
    }

    pub(super) fn pool(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let (maps, _) = self.two_axes(&x)?;
        let spatial = x.shape.len() - 2;
        let kernel: Option<Vec<usize>> = self
            .node
            .ints("kernel_shape")
            .and_then(|sides| sides.iter().map(|&n| usize::try_from(n).ok()).collect());
        let kernel = kernel
            .filter(|kernel| kernel.len() == spatial && kernel.iter().all(|&n| n > 0))
            .ok_or_else(|| self.node.error("its kernel_shape does not fit"))?;
        let window = convolution::window(self.node, false, &x.shape[2..], &kernel)?;
        let function = match (self.node.operator(), self.node.int("count_include_pad")) {
            ("MaxPool", _) => Pooling::Max,
            (_, 1) => Pooling::MeanWithPadding,
            _ => Pooling::Mean,
        };
        let kernel = match kernel[..] {
            [points] => [1, points],
            _ => [kernel[0], kernel[1]],
        };
        let pool = Operation::Pool {
            function,
            kernel,
            window,
        };
        let made = self.add(pool, &[&maps])?;
        self.as_before(&made, spatial)
    }

    pub(super) fn global_pool(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let function = match self.node.operator() {
            "GlobalMaxPool" => Reduction::Max,
            _ => Reduction::Mean,
        };
        let axes = (2..x.shape.len()).collect();
        self.add(Operation::Reduce { function, axes }, &[&x])
    }

    pub(super) fn resize(&mut self) -> WireResult {
        let mut x = self.wire(0)?;
        let coordinates = self.coordinates()?;
        let mode = self.node.text("mode");
        for (axis, (size, scale)) in self.sizes(&x)?.into_iter().enumerate() {
            let from = x.shape[axis];
            let same = size == from && scale.is_none_or(|s| (s - 1.0).abs() < 1e-9);
            if same {
                continue;
            }
            let interpolation = match mode.as_str() {
                "nearest" => {
                    let places = self.nearest(coordinates, from, size, scale)?;
                    x = self.picked(&x, axis, places)?;
                    continue;
                }
                "linear" | "bilinear" => Interpolation::Linear,
                "cubic" => Interpolation::Cubic {
                    coefficient: f64::from(self.node.float("cubic_coeff_a")),
                    exclude_outside: self.node.int("exclude_outside") == 1,
                },
                other => {
                    return Err(self.node.error(format!(
                        "mode {other:?} is not read; known are nearest, linear and cubic"
                    )));
                }
            };
            let resize = Operation::Resize {
                axis,
                size,
                interpolation,
                coordinates,
                scale,
            };
            x = self.add(resize, &[&x])?;
        }
        Ok(x)
    }

    fn coordinates(&self) -> Result<Coordinates, ImportError> {
        let name = self.node.text("coordinate_transformation_mode");
        Ok(match name.as_str() {
            "half_pixel" => Coordinates::HalfPixel,
            "pytorch_half_pixel" => Coordinates::PytorchHalfPixel,
            "half_pixel_symmetric" => Coordinates::HalfPixelSymmetric,
            "align_corners" => Coordinates::AlignCorners,
            "asymmetric" => Coordinates::Asymmetric,
            _ => {
                return Err(self.node.error(format!(
                    "coordinate_transformation_mode {name:?} is not read; known are half_pixel, pytorch_half_pixel, half_pixel_symmetric, align_corners and asymmetric"
                )));
            }
        })
    }

    /// The size wanted along each axis, and the scale where that was told.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // sizes
    fn sizes(&self, x: &Wire) -> Result<Vec<(usize, Option<f64>)>, ImportError> {
        let given = |nth: usize| self.constant(nth).filter(|c| c.len() > 0);
        let scales = usize::try_from(self.node.int("scales_at")).unwrap_or(0);
        let attribute = || self.node.given("scales").map(|a| a.floats.clone());
        let scales = match scales {
            0 => attribute(),
            nth => given(nth).map(Constant::floats),
        };
        let axes: Vec<usize> = match self.node.ints("axes") {
            Some(axes) => axes
                .iter()
                .map(|&axis| self.node.axis(axis, x.shape.len()))
                .collect::<Result<_, _>>()?,
            None => (0..x.shape.len()).collect(),
        };
        let wanted: Vec<(Option<usize>, Option<f64>)> = match (scales, given(3)) {
            (Some(scales), _) => scales
                .iter()
                .zip(&axes)
                .map(|(&scale, &axis)| {
                    let scale = f64::from(scale);
                    let size = (x.shape[axis] as f64 * scale).floor();
                    let fits = scale > 0.0 && size < f64::from(1 << 24);
                    (fits.then_some(size as usize), Some(scale))
                })
                .collect(),
            (None, Some(sizes)) => {
                let sizes = sizes.to_ints().unwrap_or_default();
                sizes
                    .iter()
                    .map(|&n| (usize::try_from(n).ok(), None))
                    .collect()
            }
            (None, None) => return Err(self.node.error("its scales must be constant")),
        };
        if wanted.len() != axes.len() {
            return Err(self.node.error("it needs a size for each axis"));
        }
        let mut sizes: Vec<(usize, Option<f64>)> = x.shape.iter().map(|&n| (n, None)).collect();
        for (axis, (size, scale)) in axes.into_iter().zip(wanted) {
            let size = size.filter(|&n| n > 0);
            sizes[axis] = (
                size.ok_or_else(|| self.node.error("a size is impossible"))?,
                scale,
            );
        }
        Ok(sizes)
    }

    /// For each new place the old one that is nearest.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // places
    fn nearest(
        &self,
        coordinates: Coordinates,
        from: usize,
        size: usize,
        scale: Option<f64>,
    ) -> Result<Vec<usize>, ImportError> {
        let rounding = self.node.text("nearest_mode");
        let scale = scale.unwrap_or(size as f64 / from as f64);
        let place = |i: usize| {
            let at = coordinates.at(i, from, size, scale);
            let place = match rounding.as_str() {
                "simple" if scale < 1.0 => at.ceil(),
                "simple" | "floor" => at.floor(),
                "ceil" => at.ceil(),
                "round_prefer_floor" => (at - 0.5).ceil(),
                "round_prefer_ceil" => (at + 0.5).floor(),
                _ => return None,
            };
            Some(place.clamp(0.0, from.saturating_sub(1) as f64) as usize)
        };
        (0..size).map(place).collect::<Option<_>>().ok_or_else(|| {
            self.node.error(format!(
                "nearest_mode {rounding:?} is not read; known are floor, ceil, round_prefer_floor and round_prefer_ceil"
            ))
        })
    }
}
