//! From layers to steps.

use super::conv::Conv;
use super::draft::Draft;
use super::{Computation, DecodingPlan, HOLE, Step, step_of};
use crate::architecture::{Activation, Flow, Layer, Padding, Units, flows};
use crate::weights::{StoredTensors, Values};
use kernels::Isa;
use kernels::epilogue::Epilogue;
use kernels::patches::Patches;
use kernels::simd_lanes;

/// How the values that flow lie in memory.
enum Order {
    /// A vector: which of its values each position holds, or [`HOLE`].
    Flat(Vec<u32>),
    /// Maps, channels last.
    Maps(Maps),
}

#[derive(Clone, Copy)]
struct Maps {
    channels: usize,
    height: usize,
    width: usize,
    /// Values from one pixel to the next: a whole number of vectors, if there are
    /// enough channels to fill one.
    step: usize,
}

impl Maps {
    fn new(flow: Flow) -> Option<Self> {
        let Flow::Maps {
            channels,
            height,
            width,
        } = flow
        else {
            return None;
        };
        Some(Self {
            channels,
            height,
            width,
            step: step_of(channels),
        })
    }

    /// As the vector it was or becomes: which of its values each position holds.
    fn as_flat(&self, channels_last: bool) -> Vec<u32> {
        let pixels = self.height * self.width;
        (0..pixels * self.step)
            .map(|position| {
                let (pixel, channel) = (position / self.step, position % self.step);
                match (channel < self.channels, channels_last) {
                    (false, _) => HOLE,
                    (true, true) => narrow(pixel * self.channels + channel),
                    (true, false) => narrow(channel * pixels + pixel),
                }
            })
            .collect()
    }
}

/// A flow has at most 2²⁴ values, and a step at most eight times as many.
fn narrow(place: usize) -> u32 {
    place as u32
}

pub(super) fn compile(
    layers: &[Layer],
    width: usize,
    stored: &StoredTensors,
    isa: Isa,
) -> Option<DecodingPlan> {
    let flows = flows(layers, width).ok()?;
    let mut builder = Builder {
        drafts: Vec::new(),
        order: Order::Flat((0..narrow(width)).collect()),
        stored,
    };
    for (layer, &flow) in layers.iter().zip(&flows) {
        builder.add(layer, flow)?;
    }
    let wanted: Vec<u32> = match &builder.order {
        Order::Flat(_) => (0..narrow(flows.last()?.len())).collect(),
        Order::Maps(maps) => {
            let wanted = (0..narrow(flows.last()?.len())).collect();
            builder.order = Order::Flat(maps.as_flat(true));
            wanted
        }
    };
    builder.rearrange(&wanted);
    let steps: Vec<Step> = builder.drafts.into_iter().map(Draft::seal).collect();
    Some(DecodingPlan {
        isa,
        steps,
        width,
        instance_len: flows.last()?.len(),
    })
}

/// Upsampling by more is not taken into a convolution: kernels grow with it, and there may
/// be few pixels to use them on.
const LARGEST_SPREAD: usize = 4;

struct Builder<'a> {
    drafts: Vec<Draft>,
    order: Order,
    stored: &'a StoredTensors,
}

impl Builder<'_> {
    fn add(&mut self, layer: &Layer, flow: Flow) -> Option<()> {
        match layer {
            Layer::Dense {
                inputs, outputs, ..
            } => self.dense(layer, *inputs, *outputs),
            Layer::Reshape { channels_last, .. } => {
                let maps = Maps::new(flow)?;
                self.rearrange(&maps.as_flat(*channels_last));
                self.order = Order::Maps(maps);
                Some(())
            }
            Layer::Flatten { channels_last } => {
                let Order::Maps(maps) = &self.order else {
                    return None;
                };
                self.order = Order::Flat(maps.as_flat(*channels_last));
                Some(())
            }
            Layer::Conv {
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
                ..
            }
            | Layer::ConvTranspose {
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
                ..
            } => {
                let sizes = [*inputs, *outputs, *groups, *kernel, *stride];
                self.conv(layer, flow, sizes, *padding)
            }
            Layer::Upsample { scale } => self.upsample(*scale),
            Layer::BatchNorm { .. } | Layer::Activation { .. } => {
                // Values that are repeated are changed before they are.
                let scale = self.take_upsampling(usize::MAX);
                if let Layer::Activation { function } = layer {
                    self.activate(*function);
                } else {
                    self.batch_norm(layer)?;
                }
                scale.map_or(Some(()), |scale| self.upsample(scale))
            }
        }
    }

    /// Number of values that flow, in memory.
    fn len(&self) -> usize {
        match &self.order {
            Order::Flat(order) => order.len(),
            Order::Maps(maps) => maps.height * maps.width * maps.step,
        }
    }

    fn push(&mut self, computation: Computation, len: usize) -> &mut Epilogue {
        self.drafts.push(Draft::Done(Step {
            computation,
            epilogue: Epilogue::default(),
            len,
        }));
        let last = self.drafts.len() - 1;
        self.drafts[last].epilogue()
    }

    /// Brings a vector into another order.
    fn rearrange(&mut self, wanted: &[u32]) {
        let Order::Flat(order) = &self.order else {
            return;
        };
        if order != wanted {
            let mut place_of = vec![HOLE; order.len().max(wanted.len())];
            for (place, &value) in order.iter().enumerate().filter(|&(_, &v)| v != HOLE) {
                place_of[value as usize] = narrow(place);
            }
            let from = |&value: &u32| place_of.get(value as usize).copied().unwrap_or(HOLE);
            let from: Vec<u32> = wanted.iter().map(from).collect();
            if !self
                .drafts
                .last_mut()
                .is_some_and(|last| last.reorder(&from))
            {
                let len = from.len();
                self.push(Computation::Gather(from), len);
            }
        }
        self.order = Order::Flat(wanted.to_vec());
    }

    /// The tensors of a layer, in the order of [`Layer::tensors`].
    fn tensors(&self, layer: &Layer) -> Option<Vec<&Values>> {
        let names = layer.tensors();
        let found = names.iter().map(|(name, shape)| {
            let (found, values) = self.stored.get(name)?;
            let whole = shape.iter().product::<usize>() == values.len();
            (found == shape && whole).then_some(values)
        });
        found.collect()
    }

    fn dense(&mut self, layer: &Layer, inputs: usize, outputs: usize) -> Option<()> {
        let [weight, bias] = self.tensors(layer)?[..] else {
            return None;
        };
        if let Values::Int8 { scales, .. } = weight
            && scales.len() != outputs
        {
            return None;
        }
        let Order::Flat(order) = &self.order else {
            return None;
        };
        self.drafts.push(Draft::Dense {
            weight: weight.clone(),
            columns: inputs,
            from: order.clone(),
            rows: (0..narrow(outputs)).collect(),
            scales: vec![1.0; outputs],
            bias: bias.expand(&[outputs], Units::along(0)),
            epilogue: Epilogue::default(),
        });
        self.order = Order::Flat((0..narrow(outputs)).collect());
        Some(())
    }

    fn conv(
        &mut self,
        layer: &Layer,
        flow: Flow,
        [inputs, outputs, groups, kernel, stride]: [usize; 5],
        padding: Padding,
    ) -> Option<()> {
        let [weight, bias] = self.tensors(layer)?[..] else {
            return None;
        };
        let to = Maps::new(flow)?;
        let mut transposed = matches!(layer, Layer::ConvTranspose { .. });
        let size = kernel * kernel;
        let (taken, given) = (inputs / groups, outputs / groups);
        let shape = if transposed {
            [inputs, given, kernel, kernel]
        } else {
            [outputs, taken, kernel, kernel]
        };
        let mut weight = weight.expand(&shape, layer.units());
        if transposed {
            // Outputs first, as in a convolution.
            let old = weight;
            weight = Vec::with_capacity(old.len());
            for output in 0..outputs {
                for map in 0..taken {
                    let input = output / given * taken + map;
                    weight.extend(&old[(input * given + output % given) * size..][..size]);
                }
            }
        }
        let bias = bias.expand(&[outputs], Units::along(0));
        let (mut kernel, mut stride, mut padding) = (kernel, stride, padding);
        if !transposed && stride == 1 {
            // The same as a transposed convolution with the kernel turned round, which
            // has the faster kernels.
            weight.chunks_exact_mut(size).for_each(<[f32]>::reverse);
            padding = turned(padding, kernel)?;
            transposed = true;
            if let Some(scale) = self.take_upsampling(LARGEST_SPREAD) {
                weight = spread(&weight, kernel, scale);
                (kernel, stride) = (kernel + scale - 1, scale);
            }
        }
        let Order::Maps(from) = self.order else {
            return None;
        };
        let (small, large) = if transposed { (from, to) } else { (to, from) };
        let patches = Patches {
            maps: outputs,
            large: (large.height, large.width),
            grid: (small.height, small.width),
            kernel,
            stride,
            padding,
        };
        let conv = Conv {
            transposed,
            patches,
            inputs,
            input_step: from.step,
            groups,
            weight,
            bias,
        };
        let sums_patches = conv.sums_patches();
        self.drafts.push(Draft::Conv {
            conv,
            epilogue: Epilogue::default(),
        });
        self.order = Order::Maps(to);
        // Other kernels leave whole vectors of few maps, too.
        if !sums_patches && to.step < simd_lanes() {
            let pixels = to.height * to.width;
            let place = |i: usize| narrow(i / to.step * simd_lanes() + i % to.step);
            let from = (0..pixels * to.step).map(place).collect();
            self.push(Computation::Gather(from), pixels * to.step);
        }
        Some(())
    }

    fn upsample(&mut self, scale: usize) -> Option<()> {
        let Order::Maps(from) = self.order else {
            return None;
        };
        let to = Maps {
            height: from.height * scale,
            width: from.width * scale,
            ..from
        };
        let computation = Computation::Upsample {
            height: from.height,
            width: from.width,
            step: from.step,
            scale,
        };
        self.push(computation, to.height * to.width * to.step);
        self.order = Order::Maps(to);
        Some(())
    }

    /// Takes back an upsampling that came last, by at most `limit`; how often it repeats
    /// rows and columns.
    fn take_upsampling(&mut self, limit: usize) -> Option<usize> {
        let (Some(Draft::Done(last)), Order::Maps(maps)) = (self.drafts.last(), &mut self.order)
        else {
            return None;
        };
        let Computation::Upsample {
            height,
            width,
            step,
            scale,
        } = last.computation
        else {
            return None;
        };
        // Values that were a vector since may have been changed, or be other maps now.
        let same = (maps.height, maps.width, maps.step) == (height * scale, width * scale, step);
        if scale > limit || !same || !last.epilogue.is_nothing() {
            return None;
        }
        (maps.height, maps.width) = (height, width);
        self.drafts.pop();
        Some(scale)
    }

    fn activate(&mut self, function: Activation) {
        let last = self.drafts.last_mut();
        if !last.is_some_and(|last| last.activate(function)) {
            let len = self.len();
            self.push(Computation::EpilogueOnly, len).function = Some(function);
        }
    }

    fn batch_norm(&mut self, layer: &Layer) -> Option<()> {
        let Layer::BatchNorm { eps, .. } = layer else {
            return None;
        };
        let tensors = self.tensors(layer)?;
        let parts: Vec<Vec<f32>> = tensors
            .iter()
            .map(|t| t.expand(&[t.len()], Units::along(0)))
            .collect();
        let [weight, bias, mean, variance] = &parts[..] else {
            return None;
        };
        let of_channel = |channel: usize| {
            let scale = f64::from(weight[channel]) / (f64::from(variance[channel]) + *eps).sqrt();
            let shift = f64::from(bias[channel]) - f64::from(mean[channel]) * scale;
            (scale as f32, shift as f32)
        };
        let at = |channel: usize| {
            if channel < weight.len() {
                of_channel(channel)
            } else {
                (1.0, 0.0)
            }
        };
        let (scale, shift): (Vec<f32>, Vec<f32>) = match &self.order {
            Order::Flat(order) => order.iter().map(|&value| at(value as usize)).unzip(),
            Order::Maps(maps) => (0..maps.step).map(at).unzip(),
        };
        if let Some(last) = self.drafts.last_mut() {
            if last.fold(&scale, &shift) {
                return Some(());
            }
            let epilogue = last.epilogue();
            if epilogue.affine.is_none() {
                epilogue.affine = Some((scale, shift));
                return Some(());
            }
        }
        let len = self.len();
        self.push(Computation::EpilogueOnly, len).affine = Some((scale, shift));
        Some(())
    }
}

/// The padding of a convolution with stride 1, as that of a transposed convolution: rows and
/// columns that are cut off.
fn turned(padding: Padding, kernel: usize) -> Option<Padding> {
    let reach = i32::try_from(kernel - 1).ok()?;
    let cut = |edge: i32| reach.checked_sub(edge);
    Some(Padding {
        top: cut(padding.top)?,
        left: cut(padding.left)?,
        bottom: cut(padding.bottom)?,
        right: cut(padding.right)?,
    })
}

/// Kernels `k`×`k` that are applied to pixels repeated `scale` times, as kernels of
/// k + scale − 1 that are applied, with that stride, to the pixels themselves: upsampling is a
/// transposed convolution with a kernel of ones.
fn spread(kernels: &[f32], k: usize, scale: usize) -> Vec<f32> {
    let side = k + scale - 1;
    let mut spread = vec![0.0; kernels.len() / (k * k) * side * side];
    for (from, to) in kernels
        .chunks_exact(k * k)
        .zip(spread.chunks_exact_mut(side * side))
    {
        for (place, weight) in from.iter().enumerate() {
            let corner = place / k * side + place % k;
            for row in 0..scale {
                for to in &mut to[corner + row * side..][..scale] {
                    *to += weight;
                }
            }
        }
    }
    spread
}
