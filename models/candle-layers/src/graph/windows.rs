//! Convolutions and pooling in their general form: steps, holes and padding for each axis,
//! groups, weights that depend on the latent vector.

use candle_core::{Device, Result, Tensor};
use decode::architecture::graph::{Pooling, Window};

use super::extremes::larger;
use super::numbers;
use crate::matmul::{Matrix, matmul};

/// Sides of the maps on both ends of a window's move, and its kernel.
struct Move<'a> {
    window: &'a Window,
    kernel: [usize; 2],
    /// The maps that padding belongs to.
    large: [usize; 2],
    /// One place for each stop of the kernel.
    small: [usize; 2],
}

impl Move<'_> {
    /// Calls `f` with every pair of a stop of the kernel and a place of the kernel that lies
    /// on the maps: place among patches, place on the large maps.
    fn each(&self, mut f: impl FnMut(usize, usize)) {
        let stops = self.small[0] * self.small[1];
        for ky in 0..self.kernel[0] {
            for kx in 0..self.kernel[1] {
                let row = (ky * self.kernel[1] + kx) * stops;
                for y in 0..self.small[0] {
                    let Some(from_y) = self.place(0, y, ky) else {
                        continue;
                    };
                    for x in 0..self.small[1] {
                        if let Some(from_x) = self.place(1, x, kx) {
                            f(row + y * self.small[1] + x, from_y * self.large[1] + from_x);
                        }
                    }
                }
            }
        }
    }

    fn place(&self, axis: usize, stop: usize, place: usize) -> Option<usize> {
        let at = stop * self.window.stride[axis] + place * self.window.dilation[axis];
        let at = i64::try_from(at).ok()? - self.window.padding[axis];
        usize::try_from(at).ok().filter(|&at| at < self.large[axis])
    }

    fn stops(&self) -> usize {
        self.small[0] * self.small[1]
    }

    fn area(&self) -> usize {
        self.kernel[0] * self.kernel[1]
    }
}

/// Number of stops of a kernel along an axis of `size` places.
fn stops(window: &Window, axis: usize, size: usize, kernel: usize) -> usize {
    let span = (kernel - 1) * window.dilation[axis] + 1;
    let padding = window.padding[axis] + window.padding[axis + 2];
    let room = size.saturating_add_signed(isize::try_from(padding).unwrap_or(0));
    room.saturating_sub(span) / window.stride[axis] + 1
}

fn add_bias(out: &mut [f32], pixels: usize, bias: Option<&Tensor>) -> Result<()> {
    if let Some(bias) = bias {
        for (map, b) in out.chunks_exact_mut(pixels).zip(numbers(bias)?) {
            map.iter_mut().for_each(|v| *v += b);
        }
    }
    Ok(())
}

pub(super) fn conv(
    window: &Window,
    groups: usize,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
) -> Result<Tensor> {
    let (_, inputs, height, width) = x.dims4()?;
    let (outputs, in_group, rows, columns) = weight.dims4()?;
    let moves = Move {
        window,
        kernel: [rows, columns],
        large: [height, width],
        small: [
            stops(window, 0, height, rows),
            stops(window, 1, width, columns),
        ],
    };
    let (x, weight) = (numbers(x)?, numbers(weight)?);
    let (stops, area, out_group) = (moves.stops(), moves.area(), outputs / groups);
    let mut out = vec![0.0; outputs * stops];
    let mut patches = vec![0.0; in_group * area * stops];
    for group in 0..groups {
        for (map, patches) in patches.chunks_exact_mut(area * stops).enumerate() {
            let map = &x[(group * in_group + map) * height * width..][..height * width];
            moves.each(|to, from| patches[to] = map[from]);
        }
        let weight = &weight[group * out_group * in_group * area..][..out_group * in_group * area];
        matmul(
            &mut out[group * out_group * stops..][..out_group * stops],
            Matrix::new(weight, out_group, in_group * area),
            Matrix::new(&patches, in_group * area, stops),
            false,
        );
    }
    debug_assert_eq!(inputs, in_group * groups);
    add_bias(&mut out, stops, bias)?;
    Tensor::from_vec(
        out,
        (1, outputs, moves.small[0], moves.small[1]),
        &Device::Cpu,
    )
}

pub(super) fn conv_transpose(
    window: &Window,
    groups: usize,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
) -> Result<Tensor> {
    let (_, inputs, height, width) = x.dims4()?;
    let (_, out_group, rows, columns) = weight.dims4()?;
    let side = |axis: usize, size: usize, kernel: usize| {
        let full = (size - 1) * window.stride[axis] + (kernel - 1) * window.dilation[axis] + 1;
        let padding = window.padding[axis] + window.padding[axis + 2];
        full.saturating_add_signed(isize::try_from(-padding).unwrap_or(0))
    };
    let moves = Move {
        window,
        kernel: [rows, columns],
        large: [side(0, height, rows), side(1, width, columns)],
        small: [height, width],
    };
    let (x, weight) = (numbers(x)?, numbers(weight)?);
    let (stops, area, in_group) = (moves.stops(), moves.area(), inputs / groups);
    let pixels = moves.large[0] * moves.large[1];
    let outputs = out_group * groups;
    let mut out = vec![0.0; outputs * pixels];
    let mut patches = vec![0.0; out_group * area * stops];
    for group in 0..groups {
        let weight = &weight[group * in_group * out_group * area..][..in_group * out_group * area];
        matmul(
            &mut patches,
            Matrix::new(weight, in_group, out_group * area).t(),
            Matrix::new(
                &x[group * in_group * stops..][..in_group * stops],
                in_group,
                stops,
            ),
            false,
        );
        for (map, patches) in patches.chunks_exact(area * stops).enumerate() {
            let map = &mut out[(group * out_group + map) * pixels..][..pixels];
            moves.each(|from, to| map[to] += patches[from]);
        }
    }
    add_bias(&mut out, pixels, bias)?;
    Tensor::from_vec(
        out,
        (1, outputs, moves.large[0], moves.large[1]),
        &Device::Cpu,
    )
}

pub(super) fn pool(
    function: Pooling,
    kernel: [usize; 2],
    window: &Window,
    x: &Tensor,
) -> Result<Tensor> {
    let (_, maps, height, width) = x.dims4()?;
    let moves = Move {
        window,
        kernel,
        large: [height, width],
        small: [
            stops(window, 0, height, kernel[0]),
            stops(window, 1, width, kernel[1]),
        ],
    };
    let count = moves.stops();
    let mut out = Vec::with_capacity(maps * count);
    for map in numbers(x)?.chunks_exact(height * width) {
        let mut pooled = vec![
            match function {
                Pooling::Max => f32::NEG_INFINITY,
                Pooling::Mean | Pooling::MeanWithPadding => 0.0,
            };
            count
        ];
        let mut seen = vec![0_usize; count];
        moves.each(|place, from| {
            let stop = place % count;
            seen[stop] += 1;
            match function {
                Pooling::Max => pooled[stop] = larger(pooled[stop], map[from]),
                Pooling::Mean | Pooling::MeanWithPadding => pooled[stop] += map[from],
            }
        });
        out.extend(pooled.iter().zip(seen).map(|(&v, seen)| match function {
            Pooling::Max => v,
            Pooling::Mean => v / seen as f32,
            Pooling::MeanWithPadding => v / moves.area() as f32,
        }));
    }
    Tensor::from_vec(out, (1, maps, moves.small[0], moves.small[1]), &Device::Cpu)
}
