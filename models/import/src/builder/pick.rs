//! Moves of maps that no layer of ours is made for, as transposed convolutions whose
//! weights are zeros and ones; of each map on its own, where none changes its place.

use decode::architecture::{Flow, Layer, Padding};

use super::{Builder, MAX_MOVING};

impl Builder {
    /// Makes maps (number, rows, columns) that are a part of the maps there are, or are
    /// in another order, if these are what lies at `places`: by a kernel of one pixel,
    /// whose weights pick maps and whose padding cuts edges. Whether they were.
    pub(super) fn crop(
        &mut self,
        (channels, height, width): (usize, usize, usize),
        places: &[usize],
    ) -> bool {
        let Flow::Maps {
            channels: inputs,
            height: rows,
            width: columns,
        } = self.flow
        else {
            return false;
        };
        let (pixels, area) = (rows * columns, height * width);
        if area == 0 || channels == 0 || places.len() != channels * area {
            return false;
        }
        let first = places[0] % pixels;
        let (top, left) = (first / columns, first % columns);
        let picks: Vec<usize> = (0..channels).map(|c| places[c * area] / pixels).collect();
        let is_part = places.iter().enumerate().all(|(i, &place)| {
            let (pixel, map) = (i % area, picks[i / area]);
            let (y, x) = (top + pixel / width, left + pixel % width);
            y < rows && x < columns && place == map * pixels + y * columns + x
        });
        if !is_part {
            return false;
        }
        let cut = [top, left, rows - top - height, columns - left - width];
        let to = (channels, height, width);
        if picks.iter().copied().eq(0..inputs) {
            return self.moving("crop", vec![1.0; inputs], (inputs, inputs, 1), cut, to);
        }
        if inputs.saturating_mul(channels) > MAX_MOVING {
            return false;
        }
        let mut weight = vec![0.0; inputs * channels];
        for (channel, map) in picks.into_iter().enumerate() {
            weight[map * channels + channel] = 1.0;
        }
        self.moving("crop", weight, (inputs, 1, 1), cut, to)
    }

    /// Repeats every point of maps of a single row, if that is what lies at `places`; an
    /// [`Upsample`](Layer::Upsample) layer would make several rows. Whether it is.
    pub(super) fn repeat_points(
        &mut self,
        (channels, height, width): (usize, usize, usize),
        places: &[usize],
    ) -> bool {
        let Flow::Maps {
            channels: inputs,
            height: 1,
            width: points,
        } = self.flow
        else {
            return false;
        };
        let times = width / points.max(1);
        if (inputs, height, times * points) != (channels, 1, width) || times == 0 {
            return false;
        }
        let repeated = places
            .iter()
            .enumerate()
            .all(|(i, &place)| place == i / times);
        let block = times * times;
        if !repeated
            || places.len() != channels * width
            || channels.checked_mul(block).is_none_or(|n| n > MAX_MOVING)
        {
            return false;
        }
        // The first row of each kernel: the rows below are cut.
        let mut weight = vec![0.0; channels * block];
        for kernel in weight.chunks_exact_mut(block) {
            kernel[..times].fill(1.0);
        }
        let cut = [0, 0, times - 1, 0];
        self.moving(
            "repeat",
            weight,
            (channels, channels, times),
            cut,
            (channels, 1, width),
        )
    }

    /// Cuts maps and then repeats every pixel, if that gives what lies at `places`.
    /// Whether it does.
    pub(super) fn crop_and_repeat(
        &mut self,
        (channels, height, width): (usize, usize, usize),
        places: &[usize],
    ) -> bool {
        if places.len() != channels * height * width {
            return false;
        }
        for times in (2..=width).filter(|&n| width.is_multiple_of(n)) {
            // Series are a single row however often their points are repeated.
            let rows = if height == 1 { 1 } else { times };
            if !height.is_multiple_of(rows) {
                continue;
            }
            let once = (channels, height / rows, width / times);
            let source = |i: usize| {
                let (map, y, x) = (i / (height * width), i / width % height, i % width);
                (map * once.1 + y / rows) * once.2 + x / times
            };
            let mut cut = vec![0; once.0 * once.1 * once.2];
            for (i, &place) in places.iter().enumerate() {
                cut[source(i)] = place;
            }
            let repeats = places.iter().enumerate().all(|(i, &p)| cut[source(i)] == p);
            if repeats && self.crop(once, &cut) {
                if height > 1 {
                    self.upsample(times);
                    return true;
                }
                let natural: Vec<usize> = (0..places.len()).map(source).collect();
                return self.repeat_points((channels, height, width), &natural);
            }
        }
        false
    }

    /// A transposed convolution without bias whose kernels do not overlap: maps it takes,
    /// groups of them, side of a kernel.
    fn moving(
        &mut self,
        name: &str,
        weight: Vec<f32>,
        (inputs, groups, kernel): (usize, usize, usize),
        cut: [usize; 4],
        (outputs, height, width): (usize, usize, usize),
    ) -> bool {
        let [Ok(top), Ok(left), Ok(bottom), Ok(right)] = cut.map(i32::try_from) else {
            return false;
        };
        self.on_maps(
            name,
            (vec![inputs, outputs / groups, kernel, kernel], weight),
            vec![0.0; outputs],
            Flow::Maps {
                channels: outputs,
                height,
                width,
            },
            |name| Layer::ConvTranspose {
                name,
                inputs,
                outputs,
                kernel,
                stride: kernel,
                padding: Padding {
                    top,
                    left,
                    bottom,
                    right,
                },
                groups,
            },
        );
        true
    }
}
