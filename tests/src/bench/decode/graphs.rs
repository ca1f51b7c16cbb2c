//! Decoders that candle runs in part, at the size at which labs build them: residual blocks, a latent
//! diffusion model's autoencoder, a transformer, ConvNeXt's blocks. Their weights are random, which costs
//! as much time as weights that mean something. `tests/peers/graphs.js` has the first three for TensorFlow.js.

use anyhow::{Context, Result};
use domain::model::distance::Distance;
use domain::model::{Arrangement, Display, InstanceShape, SeriesDisplay};
use import::assemble::{CardFacts, decode};
use import::latents::{LatentOptions, Latents};
use import::onnx::proto::{AttributeProto, DataType, GraphProto};
use import::reference::OutputMapping;
use import::{Layout, NumericArray};
use models::Bundle;
use models::card::Provenance;
use models::weights::Tensors;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bench::onnx;

/// Continuous dimensions of each.
const DIMENSIONS: usize = 10;
/// Held-out latents that the import is given.
const LATENTS: usize = 16;
/// Groups of a group norm, and what is added to a variance.
const GROUPS: usize = 8;
const EPS: f64 = 1e-5;
/// The fixtures that are graphs of one input, and the points of those that are curves.
pub const SMALL: [(&str, Option<usize>); 14] = [
    ("residual", None),
    ("attention", None),
    ("diffusion-nearest", None),
    ("diffusion-bilinear", None),
    ("sub-pixel", None),
    ("gated", None),
    ("broadcast", None),
    ("coordinates", None),
    ("recurrent", Some(20)),
    ("flow", Some(24)),
    ("style", None),
    ("transformer", None),
    ("bicubic", None),
    ("separable", None),
];
/// The transformer's patches: as many as a grid of this side has, each of as many rows and columns.
const GRID: usize = 8;
const WIDTH: usize = 64;
const HEADS: usize = 4;
const BLOCKS: usize = 2;

/// Of a curve that nobody looks at.
const AXES: SeriesDisplay = SeriesDisplay {
    x_start: 0.0,
    x_step: 1.0,
    y_min: 0.0,
    y_max: 1.0,
    curve_ends: Vec::new(),
    guide_at: None,
    target_band: None,
};

/// A decoder in the forms that an engine reads.
pub struct ExportedGraph {
    /// What ours reads.
    pub bundle: Bundle,
    /// What ONNX Runtime reads.
    pub onnx: Vec<u8>,
    /// What TensorFlow.js reads, if it has this decoder.
    pub tensors: Option<Tensors>,
}

/// Writes a decoder's nodes, and names its output.
type Drawing = fn(&mut Draft) -> String;

/// The four decoders, of 64×64 pixels in colour.
///
/// # Errors
/// When one cannot be written or imported.
pub fn large() -> Result<Vec<ExportedGraph>> {
    let all: [(&str, Drawing, bool); 4] = [
        ("lab-residual", residual, true),
        ("lab-diffusion", diffusion, true),
        ("lab-transformer", transformer, true),
        ("lab-depthwise", depthwise, false),
    ];
    all.into_iter()
        .map(|(name, draw, for_tfjs)| {
            let mut draft = Draft::new();
            draw(&mut draft);
            let onnx = onnx::file(draft.graph, &[1, 3, 64, 64].map(Some))?;
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let latents = NumericArray {
                shape: vec![LATENTS, DIMENSIONS],
                values: (0..LATENTS * DIMENSIONS)
                    .map(|_| rng.random_range(-2.0..2.0))
                    .collect(),
            };
            Ok(ExportedGraph {
                bundle: imported(name, &onnx, &latents, None)?,
                onnx,
                tensors: for_tfjs.then_some(draft.tensors),
            })
        })
        .collect()
}

/// The small decoders that the tests of import compare with PyTorch: one of each architecture that
/// was tried, as PyTorch exported it.
pub fn small() -> Result<Vec<ExportedGraph>> {
    let fixtures = crate::tools::root().join("models/import/tests/fixtures");
    SMALL
        .into_iter()
        .map(|(name, points)| {
            let read = |file: String| {
                let path = fixtures.join(file);
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
            };
            let onnx = read(format!("graph-{name}.onnx"))?;
            let latents = format!("graph-{name}.latents.npy");
            let latents = NumericArray::read(&latents, &read(latents.clone())?)?;
            let shape = points.map(|points| InstanceShape::series(points, 1));
            Ok(ExportedGraph {
                bundle: imported(name, &onnx, &latents, shape)?,
                onnx,
                tensors: None,
            })
        })
        .collect()
}

/// The bundle that import makes of a file; `shape` where its output is flat.
pub fn imported(
    name: &str,
    onnx: &[u8],
    latents: &NumericArray,
    shape: Option<InstanceShape>,
) -> Result<Bundle> {
    let folder = tempfile::TempDir::new()?;
    let path = folder.path().join("decoder.onnx");
    std::fs::write(&path, onnx)?;
    let exported = import::onnx::open(&path, None)?;
    let layout = Layout::of(exported.shape(), shape, None)
        .map_err(|unclear| anyhow::anyhow!("{name}: {unclear:?}"))?;
    let latents = Latents::of(latents, exported.width(), &LatentOptions::default())?;
    let decoded = decode(exported, layout, OutputMapping::AsTheyAre, latents)?;
    let files = decoded.files(CardFacts {
        name: name.to_owned(),
        title: name.to_owned(),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            value_range: None,
            series: matches!(decoded.shape(), InstanceShape::Series { .. }).then_some(AXES),
        },
        distance: Distance::BrayCurtis,
        threshold: 0.001,
        skip_after_s: 30.0,
        provenance: Provenance::default(),
    })?;
    Ok(files.bundle()?)
}

/// A graph that is being written. Each method adds what it says and returns the name of its value.
struct Draft {
    graph: GraphProto,
    tensors: Tensors,
    rng: ChaCha8Rng,
    values: usize,
}

impl Draft {
    fn new() -> Self {
        Self {
            graph: onnx::empty(DIMENSIONS),
            tensors: Tensors::new(),
            rng: ChaCha8Rng::seed_from_u64(1),
            values: 0,
        }
    }

    fn node(&mut self, operator: &str, inputs: &[&str], with: Vec<AttributeProto>) -> String {
        let mut node = onnx::node(operator, with);
        node.input = inputs.iter().map(|&input| input.to_owned()).collect();
        self.values += 1;
        let output = format!("v{}", self.values);
        node.output = vec![output.clone()];
        self.graph.node.push(node);
        output
    }

    /// A weight of these sizes with values up to `spread` in size, about `middle`.
    fn weight(&mut self, name: &str, shape: &[usize], spread: f32, middle: f32) -> String {
        let rng = &mut self.rng;
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|_| middle + spread * rng.random_range(-1.0..1.0f32))
            .collect();
        let raw_data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.graph
            .initializer
            .push(onnx::constant(name, DataType::Float, shape, raw_data));
        self.tensors
            .insert(name.to_owned(), (shape.to_vec(), values));
        name.to_owned()
    }

    /// Weights of a sum of so many terms, such that values neither vanish nor grow (He et al. 2015).
    fn terms(&mut self, name: &str, shape: &[usize], terms: usize) -> String {
        self.weight(
            &format!("{name}.weight"),
            shape,
            (6.0 / terms as f32).sqrt(),
            0.0,
        )
    }

    fn bias(&mut self, name: &str, shape: &[usize]) -> String {
        self.weight(&format!("{name}.bias"), shape, 0.3, 0.0)
    }

    fn whole(&mut self, sizes: &[i64]) -> String {
        self.values += 1;
        let name = format!("sizes{}", self.values);
        let raw_data = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        self.graph.initializer.push(onnx::constant(
            &name,
            DataType::Int64,
            &[sizes.len()],
            raw_data,
        ));
        name
    }

    /// One number.
    fn number(&mut self, value: f32) -> String {
        self.values += 1;
        let name = format!("number{}", self.values);
        let bytes = value.to_le_bytes().to_vec();
        self.graph
            .initializer
            .push(onnx::constant(&name, DataType::Float, &[], bytes));
        name
    }

    fn reshape(&mut self, x: &str, sizes: &[i64]) -> String {
        let sizes = self.whole(sizes);
        self.node("Reshape", &[x, &sizes], vec![])
    }

    fn transpose(&mut self, x: &str, order: &[i64]) -> String {
        self.node("Transpose", &[x], vec![onnx::ints("perm", order.to_vec())])
    }

    /// A dense layer of the latent vector.
    fn dense(&mut self, name: &str, outputs: usize) -> String {
        let weight = self.terms(name, &[outputs, DIMENSIONS], DIMENSIONS);
        let bias = self.bias(name, &[outputs]);
        self.node(
            "Gemm",
            &[onnx::INPUT, &weight, &bias],
            vec![onnx::int("transB", 1)],
        )
    }

    /// A convolution that keeps the sides.
    fn conv(
        &mut self,
        x: &str,
        name: &str,
        [inputs, outputs]: [usize; 2],
        kernel: usize,
    ) -> String {
        self.conv_in_groups(x, name, [inputs, outputs], kernel, 1)
    }

    fn conv_in_groups(
        &mut self,
        x: &str,
        name: &str,
        [inputs, outputs]: [usize; 2],
        kernel: usize,
        groups: usize,
    ) -> String {
        let shape = [outputs, inputs / groups, kernel, kernel];
        let weight = self.terms(name, &shape, shape[1..].iter().product());
        let bias = self.bias(name, &[outputs]);
        let (side, pad) = (onnx::whole(kernel), onnx::whole(kernel / 2));
        let with = vec![
            onnx::int("group", onnx::whole(groups)),
            onnx::ints("kernel_shape", vec![side; 2]),
            onnx::ints("pads", vec![pad; 4]),
        ];
        self.node("Conv", &[x, &weight, &bias], with)
    }

    /// Each row and column twice.
    fn twice(&mut self, x: &str) -> String {
        self.values += 1;
        let scales = format!("scales{}", self.values);
        let raw_data = [1.0f32, 1.0, 2.0, 2.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        self.graph
            .initializer
            .push(onnx::constant(&scales, DataType::Float, &[4], raw_data));
        let with = vec![
            onnx::text("mode", "nearest"),
            onnx::text("nearest_mode", "floor"),
            onnx::text("coordinate_transformation_mode", "asymmetric"),
        ];
        self.node("Resize", &[x, "", &scales], with)
    }

    /// Group norm as PyTorch's exporters write it.
    fn group_norm(&mut self, x: &str, name: &str, channels: usize, side: usize) -> String {
        let groups = self.reshape(x, &[1, onnx::whole(GROUPS), -1]);
        let (ones, zeros) = (format!("{name}.ones"), format!("{name}.zeros"));
        self.weight(&ones, &[GROUPS], 0.0, 1.0);
        self.weight(&zeros, &[GROUPS], 0.0, 0.0);
        let with = vec![onnx::float("epsilon", EPS)];
        let normal = self.node("InstanceNormalization", &[&groups, &ones, &zeros], with);
        let sizes = [
            1,
            onnx::whole(channels),
            onnx::whole(side),
            onnx::whole(side),
        ];
        let maps = self.reshape(&normal, &sizes);
        let weight = self.weight(&format!("{name}.weight"), &[channels, 1, 1], 0.3, 1.0);
        let bias = self.bias(name, &[channels, 1, 1]);
        let scaled = self.node("Mul", &[&maps, &weight], vec![]);
        self.node("Add", &[&scaled, &bias], vec![])
    }

    fn silu(&mut self, x: &str) -> String {
        let gate = self.node("Sigmoid", &[x], vec![]);
        self.node("Mul", &[x, &gate], vec![])
    }

    /// Tokens times a matrix.
    fn linear(&mut self, x: &str, name: &str, [inputs, outputs]: [usize; 2]) -> String {
        let weight = self.terms(name, &[inputs, outputs], inputs * 3);
        let bias = self.bias(name, &[outputs]);
        let product = self.node("MatMul", &[x, &weight], vec![]);
        self.node("Add", &[&product, &bias], vec![])
    }

    fn layer_norm(&mut self, x: &str, name: &str, width: usize) -> String {
        let weight = self.weight(&format!("{name}.weight"), &[width], 0.3, 1.0);
        let bias = self.bias(name, &[width]);
        let with = vec![onnx::int("axis", -1), onnx::float("epsilon", EPS)];
        self.node("LayerNormalization", &[x, &weight, &bias], with)
    }

    fn sigmoid(&mut self, x: &str) -> String {
        self.node("Sigmoid", &[x], vec![])
    }
}

/// Residual blocks between upsamplings (He et al. 2016).
fn residual(draft: &mut Draft) -> String {
    let flat = draft.dense("fc", 128 * 8 * 8);
    let mut x = draft.reshape(&flat, &[1, 128, 8, 8]);
    for (i, [inputs, outputs]) in [[128, 64], [64, 32], [32, 16]].into_iter().enumerate() {
        let larger = draft.twice(&x);
        x = draft.conv(&larger, &format!("up{i}"), [inputs, outputs], 3);
        let mut inner = draft.node("Relu", &[&x], vec![]);
        inner = draft.conv(&inner, &format!("a{i}"), [outputs; 2], 3);
        inner = draft.node("Relu", &[&inner], vec![]);
        inner = draft.conv(&inner, &format!("b{i}"), [outputs; 2], 3);
        x = draft.node("Add", &[&x, &inner], vec![]);
    }
    let x = draft.node("Relu", &[&x], vec![]);
    let x = draft.conv(&x, "out", [16, 3], 3);
    draft.sigmoid(&x)
}

/// Group norm, SiLU, attention in the middle and nearest upsampling (Rombach et al. 2022).
fn diffusion(draft: &mut Draft) -> String {
    let flat = draft.dense("fc", 64 * 8 * 8);
    let mut x = draft.reshape(&flat, &[1, 64, 8, 8]);
    x = block(draft, &x, "mid0", 64, 8);
    x = attention(draft, &x, 64, 8);
    x = block(draft, &x, "mid1", 64, 8);
    let mut side = 8;
    for (i, [inputs, outputs]) in [[64, 64], [64, 32], [32, 32]].into_iter().enumerate() {
        side *= 2;
        x = draft.twice(&x);
        x = draft.conv(&x, &format!("up{i}"), [inputs, outputs], 3);
        x = block(draft, &x, &format!("block{i}"), outputs, side);
    }
    x = draft.group_norm(&x, "norm", 32, side);
    x = draft.silu(&x);
    x = draft.conv(&x, "out", [32, 3], 3);
    draft.sigmoid(&x)
}

fn block(draft: &mut Draft, x: &str, name: &str, channels: usize, side: usize) -> String {
    let mut inner = x.to_owned();
    for half in ["a", "b"] {
        inner = draft.group_norm(&inner, &format!("{name}.{half}norm"), channels, side);
        inner = draft.silu(&inner);
        inner = draft.conv(&inner, &format!("{name}.{half}"), [channels; 2], 3);
    }
    draft.node("Add", &[x, &inner], vec![])
}

fn attention(draft: &mut Draft, x: &str, channels: usize, side: usize) -> String {
    let (c, tokens) = (onnx::whole(channels), onnx::whole(side * side));
    let normal = draft.group_norm(x, "attention.norm", channels, side);
    let [q, k, v] = ["q", "k", "v"].map(|part| {
        let maps = draft.conv(&normal, &format!("attention.{part}"), [channels; 2], 1);
        draft.reshape(&maps, &[1, c, tokens])
    });
    let q = draft.transpose(&q, &[0, 2, 1]);
    let scale = draft.number(1.0 / (channels as f32).sqrt());
    let scores = draft.node("MatMul", &[&q, &k], vec![]);
    let scores = draft.node("Mul", &[&scores, &scale], vec![]);
    let shares = draft.node("Softmax", &[&scores], vec![onnx::int("axis", -1)]);
    let v = draft.transpose(&v, &[0, 2, 1]);
    let mixed = draft.node("MatMul", &[&shares, &v], vec![]);
    let mixed = draft.transpose(&mixed, &[0, 2, 1]);
    let sides = onnx::whole(side);
    let maps = draft.reshape(&mixed, &[1, c, sides, sides]);
    let maps = draft.conv(&maps, "attention.out", [channels; 2], 1);
    draft.node("Add", &[x, &maps], vec![])
}

/// Patches that attend to each other (Vaswani et al. 2017; Dosovitskiy et al. 2021).
fn transformer(draft: &mut Draft) -> String {
    let (width, heads, grid) = (onnx::whole(WIDTH), onnx::whole(HEADS), onnx::whole(GRID));
    let tokens = grid * grid;
    let flat = draft.dense("fc", GRID * GRID * WIDTH);
    let mut x = draft.reshape(&flat, &[1, tokens, width]);
    let positions = draft.weight("positions", &[1, GRID * GRID, WIDTH], 0.5, 0.0);
    x = draft.node("Add", &[&x, &positions], vec![]);
    for i in 0..BLOCKS {
        let normal = draft.layer_norm(&x, &format!("{i}.norm0"), WIDTH);
        let [q, k, v] = ["q", "k", "v"].map(|part| {
            let part = draft.linear(&normal, &format!("{i}.{part}"), [WIDTH; 2]);
            let split = draft.reshape(&part, &[1, tokens, heads, width / heads]);
            draft.transpose(&split, &[0, 2, 1, 3])
        });
        let k = draft.transpose(&k, &[0, 1, 3, 2]);
        let scale = draft.number(1.0 / ((WIDTH / HEADS) as f32).sqrt());
        let scores = draft.node("MatMul", &[&q, &k], vec![]);
        let scores = draft.node("Mul", &[&scores, &scale], vec![]);
        let shares = draft.node("Softmax", &[&scores], vec![onnx::int("axis", -1)]);
        let mixed = draft.node("MatMul", &[&shares, &v], vec![]);
        let mixed = draft.transpose(&mixed, &[0, 2, 1, 3]);
        let mixed = draft.reshape(&mixed, &[1, tokens, width]);
        let mixed = draft.linear(&mixed, &format!("{i}.out"), [WIDTH; 2]);
        x = draft.node("Add", &[&x, &mixed], vec![]);
        let normal = draft.layer_norm(&x, &format!("{i}.norm1"), WIDTH);
        let inner = draft.linear(&normal, &format!("{i}.up"), [WIDTH, 4 * WIDTH]);
        let inner = draft.node("Gelu", &[&inner], vec![onnx::text("approximate", "tanh")]);
        let inner = draft.linear(&inner, &format!("{i}.down"), [4 * WIDTH, WIDTH]);
        x = draft.node("Add", &[&x, &inner], vec![]);
    }
    let normal = draft.layer_norm(&x, "norm", WIDTH);
    let patches = draft.linear(&normal, "patch", [WIDTH, 3 * GRID * GRID]);
    let patches = draft.reshape(&patches, &[1, grid, grid, 8, 8, 3]);
    let maps = draft.transpose(&patches, &[0, 5, 1, 3, 2, 4]);
    let maps = draft.reshape(&maps, &[1, 3, grid * 8, grid * 8]);
    draft.sigmoid(&maps)
}

/// Blocks of a depthwise convolution and two layers of each pixel, between upsamplings
/// (Liu et al. 2022).
fn depthwise(draft: &mut Draft) -> String {
    let flat = draft.dense("fc", 64 * 8 * 8);
    let mut x = draft.reshape(&flat, &[1, 64, 8, 8]);
    let stages = [([64, 64], 1), ([64, 32], 1), ([32, 32], 2)];
    for (i, ([inputs, outputs], blocks)) in stages.into_iter().enumerate() {
        let larger = draft.twice(&x);
        x = draft.conv(&larger, &format!("up{i}"), [inputs, outputs], 3);
        for j in 0..blocks {
            x = convnext(draft, &x, &format!("block{i}.{j}"), outputs);
        }
    }
    let x = draft.conv(&x, "out", [32, 3], 3);
    draft.sigmoid(&x)
}

fn convnext(draft: &mut Draft, x: &str, name: &str, channels: usize) -> String {
    let wide = format!("{name}.wide");
    let inner = draft.conv_in_groups(x, &wide, [channels; 2], 7, channels);
    let inner = draft.transpose(&inner, &[0, 2, 3, 1]);
    let inner = draft.layer_norm(&inner, &format!("{name}.norm"), channels);
    let inner = draft.linear(&inner, &format!("{name}.up"), [channels, 4 * channels]);
    let inner = draft.node("Gelu", &[&inner], vec![onnx::text("approximate", "tanh")]);
    let inner = draft.linear(&inner, &format!("{name}.down"), [4 * channels, channels]);
    let gamma = draft.weight(&format!("{name}.gamma"), &[channels], 0.3, 1.0);
    let inner = draft.node("Mul", &[&inner, &gamma], vec![]);
    let inner = draft.transpose(&inner, &[0, 3, 1, 2]);
    draft.node("Add", &[x, &inner], vec![])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_graphs_and_decode_to_pictures_that_are_not_all_alike() {
        for graph in large().unwrap() {
            let decoder = graph.bundle.decoder();
            let held_out = graph.bundle.held_out();
            let [a, b] = [0, 1].map(|i| decoder.decode(&held_out[i]).unwrap());
            assert_eq!(a.len(), 64 * 64 * 3);
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f32::max);
            assert!(off > 0.05, "{}: {off}", graph.bundle.name());
            let architecture = &graph.bundle.card().architecture;
            assert!(
                matches!(architecture, models::architecture::Architecture::Graph(_)),
                "{}",
                graph.bundle.name()
            );
        }
    }
}
