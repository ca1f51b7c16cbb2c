//! Convolutions of a graph in the terms of ours: two axes, a square kernel, one stride.
//!
//! A kernel that is not square or has holes (dilation) is written into a square one, with
//! zeros where it has none; the padding at the bottom and on the right makes up for the
//! difference. A convolution along one axis is one on maps of a single row.

use decode::architecture::Padding;
use decode::architecture::graph::Window;

use super::super::error::ImportError;
use super::constant::Constant;
use super::node::Node;

/// Largest side of a kernel.
const MAX_SIDE: usize = 1 << 10;
/// Largest number of weights after zeros were put in.
const MAX_WEIGHTS: usize = 1 << 26;

/// A convolution as a layer of ours.
pub struct Convolution {
    /// Maps it takes: number, rows, columns.
    pub input: [usize; 3],
    /// Maps it gives.
    pub output: [usize; 3],
    /// Shape of the weight.
    pub shape: Vec<usize>,
    /// The weight.
    pub weight: Vec<f32>,
    /// One for each map it gives.
    pub bias: Vec<f32>,
    /// Side of the kernel.
    pub kernel: usize,
    /// Its step.
    pub stride: usize,
    /// Padding as our layer counts it.
    pub padding: Padding,
    /// Groups of maps.
    pub groups: usize,
}

/// How the kernel of a convolution, or a window of pooling, moves over maps with these
/// `sizes`; a series becomes maps of a single row.
pub fn window(
    node: Node,
    transposed: bool,
    sizes: &[usize],
    kernel: &[usize],
) -> Result<Window, ImportError> {
    let axes = axes(node, sizes, kernel)?;
    let mut padding = [0; 4];
    for (i, axis) in axes.iter().enumerate() {
        let span = axis.span(node)?;
        let (_, (before, after)) = if transposed {
            axis.grown(node, span)?
        } else {
            axis.shrunk(node, span)?
        };
        (padding[i], padding[i + 2]) = (before, after);
    }
    Ok(Window {
        stride: [axes[0].stride, axes[1].stride],
        dilation: [axes[0].dilation, axes[1].dilation],
        padding,
    })
}

/// One axis of a convolution.
struct Axis {
    size: usize,
    kernel: usize,
    stride: usize,
    dilation: usize,
    output_padding: i64,
    /// Padding before and after; absent: chosen by `auto_pad`.
    pads: Option<(i64, i64)>,
    /// Side that `output_shape` asks for.
    wanted: Option<i64>,
}

/// Reads a `Conv` or `ConvTranspose` node that is fed a value of `shape`.
pub fn read(
    node: Node,
    transposed: bool,
    shape: &[usize],
    weight: &Constant,
    bias: Option<&Constant>,
) -> Result<Convolution, ImportError> {
    let spatial = shape.len().saturating_sub(2);
    if !(1..=2).contains(&spatial) || weight.shape.len() != spatial + 2 || shape[0] != 1 {
        return Err(node.error(format!(
            "it is fed a value of shape {shape:?} with a weight of shape {:?}; convolutions over one or two axes are read",
            weight.shape
        )));
    }
    let axes = axes(node, &shape[2..], &weight.shape[2..])?;
    let inputs = shape[1];
    let groups = usize::try_from(node.int("group")).unwrap_or(0);
    let fits = if transposed {
        weight.shape[0]
    } else {
        weight.shape[1].saturating_mul(groups)
    };
    if groups == 0
        || fits != inputs
        || !inputs.is_multiple_of(groups)
        || !weight.shape[0].is_multiple_of(groups)
    {
        return Err(node.error(format!(
            "its weight of shape {:?} in {groups} groups does not take {inputs} maps",
            weight.shape
        )));
    }
    let outputs = if transposed {
        weight.shape[1].saturating_mul(groups)
    } else {
        weight.shape[0]
    };

    let spans = [axes[0].span(node)?, axes[1].span(node)?];
    let side = spans[0].max(spans[1]);
    let mut sizes = [0; 2];
    let mut edges = [(0, 0); 2];
    for (i, axis) in axes.iter().enumerate() {
        let (size, (before, after)) = if transposed {
            axis.grown(node, spans[i])?
        } else {
            axis.shrunk(node, spans[i])?
        };
        sizes[i] = size;
        // Zeros behind the kernel reach over the end of the maps.
        let behind = i64::try_from(side - spans[i]).unwrap_or(i64::MAX);
        edges[i] = (before, after.saturating_add(behind));
    }
    let stride = match (&axes[0], &axes[1]) {
        (a, b) if a.stride == b.stride => a.stride,
        (a, b) if a.size == 1 && sizes[0] == 1 => b.stride,
        (a, b) if b.size == 1 && sizes[1] == 1 => a.stride,
        (a, b) => {
            return Err(node.error(format!(
                "its strides {} and {} differ; use the same along both axes",
                a.stride, b.stride
            )));
        }
    };
    let edge = |n: i64| {
        i32::try_from(n).map_err(|_| node.error(format!("a padding of {n} is impossible")))
    };
    let padding = Padding {
        top: edge(edges[0].0)?,
        left: edge(edges[1].0)?,
        bottom: edge(edges[0].1)?,
        right: edge(edges[1].1)?,
    };
    let bias = bias.map_or_else(|| vec![0.0; outputs.min(MAX_WEIGHTS)], Constant::floats);
    if bias.len() != outputs {
        return Err(node.error(format!("{} biases for {outputs} maps", bias.len())));
    }
    let shape = vec![weight.shape[0], weight.shape[1], side, side];
    Ok(Convolution {
        input: [inputs, axes[0].size, axes[1].size],
        output: [outputs, sizes[0], sizes[1]],
        weight: squared(node, weight, &shape, &axes)?,
        shape,
        bias,
        kernel: side,
        stride,
        padding,
        groups,
    })
}

/// The weight `[a, b, kh, kw]` in one of `shape`, `[a, b, side, side]`.
fn squared(
    node: Node,
    weight: &Constant,
    shape: &[usize],
    axes: &[Axis; 2],
) -> Result<Vec<f32>, ImportError> {
    let total = shape
        .iter()
        .try_fold(1_usize, |n, &k| n.checked_mul(k))
        .filter(|&n| n <= MAX_WEIGHTS)
        .ok_or_else(|| {
            node.error(format!(
                "with a square kernel it would have a weight of shape {shape:?}; at most {MAX_WEIGHTS} weights are read"
            ))
        })?;
    let mut squared = vec![0.0; total];
    let side = shape[2];
    let values = weight.floats();
    let mut values = values.iter();
    for kernel in squared.chunks_exact_mut((side * side).max(1)) {
        for y in 0..axes[0].kernel {
            for x in 0..axes[1].kernel {
                let at = y * axes[0].dilation * side + x * axes[1].dilation;
                kernel[at] = values.next().copied().unwrap_or_default();
            }
        }
    }
    Ok(squared)
}

/// Rows and columns; rows are made up for a convolution over one axis.
fn axes(node: Node, sizes: &[usize], kernel: &[usize]) -> Result<[Axis; 2], ImportError> {
    let spatial = sizes.len();
    let automatic = match node.text("auto_pad").as_str() {
        "NOTSET" => false,
        "VALID" => false,
        "SAME_UPPER" | "SAME_LOWER" => true,
        other => return Err(node.error(format!("auto_pad {other:?} is unknown"))),
    };
    let list = |name: &str, length: usize| match node.ints(name) {
        Some(values) if values.len() != length => {
            Err(node.error(format!("{name} must be {length} numbers")))
        }
        other => Ok(other.map(<[i64]>::to_vec)),
    };
    let (strides, dilations) = (list("strides", spatial)?, list("dilations", spatial)?);
    let (pads, extra) = (list("pads", 2 * spatial)?, list("output_padding", spatial)?);
    let wanted = list("output_shape", spatial)?;
    let positive = |values: &Option<Vec<i64>>, i: usize| {
        let value = values.as_ref().map_or(1, |values| values[i]);
        usize::try_from(value)
            .ok()
            .filter(|&n| n > 0 && n <= MAX_SIDE)
            .ok_or_else(|| {
                node.error(format!(
                    "a stride or dilation of {value} is not read; they are 1 to {MAX_SIDE}"
                ))
            })
    };
    let mut read = Vec::with_capacity(2);
    if spatial == 1 {
        read.push(Axis {
            size: 1,
            kernel: 1,
            stride: positive(&strides, 0)?,
            dilation: 1,
            output_padding: 0,
            pads: Some((0, 0)),
            wanted: None,
        });
    }
    for i in 0..spatial {
        let wanted = wanted.as_ref().map(|w| w[i]);
        let given = pads.as_ref().map_or((0, 0), |p| (p[i], p[i + spatial]));
        read.push(Axis {
            size: sizes[i],
            kernel: kernel[i],
            stride: positive(&strides, i)?,
            dilation: positive(&dilations, i)?,
            output_padding: extra.as_ref().map_or(0, |e| e[i]),
            pads: (!automatic && wanted.is_none()).then_some(given),
            wanted,
        });
    }
    <[Axis; 2]>::try_from(read).map_err(|_| node.error("it has too many axes"))
}

impl Axis {
    /// Positions that the kernel reaches over.
    fn span(&self, node: Node) -> Result<usize, ImportError> {
        self.kernel
            .checked_sub(1)
            .and_then(|n| n.checked_mul(self.dilation)?.checked_add(1))
            .filter(|&n| n <= MAX_SIDE)
            .ok_or_else(|| node.error("its kernel is empty or too large"))
    }

    /// Size and padding of a convolution's output.
    fn shrunk(&self, node: Node, span: usize) -> Result<(usize, (i64, i64)), ImportError> {
        let (size, span, stride) = (whole(self.size), whole(span), whole(self.stride));
        let (before, after) = self.pads.unwrap_or_else(|| {
            let out = size.saturating_add(stride - 1) / stride;
            halves(node, (out - 1).saturating_mul(stride) + span - size, false)
        });
        let room = size.saturating_add(before).saturating_add(after) - span;
        match usize::try_from(room / stride + 1) {
            Ok(out) if before >= 0 && after >= 0 && room >= 0 => Ok((out, (before, after))),
            _ => Err(node.error("its padding leaves no output")),
        }
    }

    /// Size and padding of a transposed convolution's output; output padding is less
    /// padding at the end.
    fn grown(&self, node: Node, span: usize) -> Result<(usize, (i64, i64)), ImportError> {
        let (size, span, stride) = (whole(self.size), whole(span), whole(self.stride));
        let full = (size - 1)
            .saturating_mul(stride)
            .saturating_add(span)
            .saturating_add(self.output_padding);
        let (before, after) = self.pads.unwrap_or_else(|| {
            let out = self.wanted.unwrap_or_else(|| size.saturating_mul(stride));
            halves(node, full.saturating_sub(out), true)
        });
        let out = full.saturating_sub(before).saturating_sub(after);
        match usize::try_from(out) {
            Ok(out) if out > 0 => Ok((out, (before, after.saturating_sub(self.output_padding)))),
            _ => Err(node.error("its padding leaves no output")),
        }
    }
}

/// Padding in two: the odd one goes where `auto_pad` says. A convolution without
/// padding left over (`total` < 0) has none; a transposed one may even grow.
fn halves(node: Node, total: i64, transposed: bool) -> (i64, i64) {
    let total = if transposed { total } else { total.max(0) };
    let small = total.div_euclid(2);
    let large = total - small;
    if node.text("auto_pad") == "SAME_UPPER"
        || (!transposed && node.text("auto_pad") != "SAME_LOWER")
    {
        (small, large)
    } else {
        (large, small)
    }
}

fn whole(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
