//! Spoiled ONNX files: each is read or refused within 10 seconds of a processor and 1 GiB, and none
//! makes a panic.
//!
//! Half of them have bytes changed; the other half is sound as a file, with numbers, names, sizes and
//! operators of its graph changed, so that what is behind the reading of bytes is reached, too. 2,000
//! files; 100,000 with `REDIAL_LONG=1`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use import::assemble::decode;
use import::latents::{LatentOptions, Latents};
use import::onnx::proto::{GraphProto, ModelProto};
use import::reference::OutputMapping;
use import::{ImportError, Layout, NumericArray, onnx};
use prost::Message as _;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The most that a file may take.
const MOST_SECONDS: f64 = 10.0;
const MOST_MIB: u64 = 1024;

fn count() -> usize {
    if std::env::var_os("REDIAL_LONG").is_some() {
        100_000
    } else {
        2_000
    }
}

/// Every fixture, with its name.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "onnx"))
        .collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), std::fs::read(path).unwrap()))
        .collect()
}

/// All that `redial models import` computes with a file and two latents.
fn import(bytes: &[u8]) -> Result<(), ImportError> {
    let exported = onnx::read(bytes, &|_| Err("there is none".to_owned()), None)?;
    let layout = Layout::of(exported.shape(), None, None)
        .map_err(|problem| ImportError::Wishes(vec![problem.to_string()]))?;
    let width = exported.width();
    let table = NumericArray {
        shape: vec![2, width],
        values: [vec![0.1; width], vec![0.2; width]].concat(),
    };
    let latents = Latents::of(&table, width, &LatentOptions::default())?;
    decode(exported, layout, OutputMapping::AsTheyAre, latents).map(|_| ())
}

/// Numbers that sizes, axes and counts should not be.
fn odd_number(rng: &mut impl Rng) -> i64 {
    match rng.random_range(0..10) {
        0 => 0,
        1 => -1,
        2 => i64::MAX,
        3 => i64::MIN,
        4 => 1 << rng.random_range(0..63),
        5 => -(1 << rng.random_range(0..63)),
        6 => rng.random_range(0..70_000),
        _ => rng.random_range(-9..17),
    }
}

fn one_of<'a, T>(of: &'a mut [T], rng: &mut impl Rng) -> Option<&'a mut T> {
    let count = of.len();
    (count > 0).then(|| &mut of[rng.random_range(0..count)])
}

/// Another number, one less, or one more.
fn spoil_numbers(numbers: &mut Vec<i64>, rng: &mut impl Rng) {
    match rng.random_range(0..6) {
        0 => {
            numbers.pop();
        }
        1 => numbers.push(odd_number(rng)),
        _ => {
            if let Some(number) = one_of(numbers, rng) {
                *number = odd_number(rng);
            }
        }
    }
}

fn spoil_node(graph: &mut GraphProto, rng: &mut impl Rng) {
    let nodes = graph.node.len();
    if nodes == 0 {
        return;
    }
    let other = graph.node[rng.random_range(0..nodes)].clone();
    let values: Vec<String> = graph
        .node
        .iter()
        .flat_map(|node| node.output.clone())
        .collect();
    let weights = graph.initializer.iter().map(|tensor| tensor.name.clone());
    let names: Vec<String> = values.into_iter().chain(weights).collect();
    let at = rng.random_range(0..nodes);
    let node = &mut graph.node[at];
    match rng.random_range(0..8) {
        0 => node.op_type = other.op_type,
        1 => node.attribute = other.attribute,
        2 => {
            if let Some(input) = one_of(&mut node.input, rng) {
                *input = names[rng.random_range(0..names.len())].clone();
            }
        }
        3 => {
            node.input.pop();
        }
        4 => graph.node.insert(at, other),
        5 => {
            graph.node.remove(at);
        }
        _ => {
            if let Some(attribute) = one_of(&mut node.attribute, rng) {
                if let Some(number) = &mut attribute.i {
                    *number = odd_number(rng);
                } else if let Some(number) = &mut attribute.f {
                    *number = [f32::NAN, f32::INFINITY, 0.0, -1e30, 1e30][rng.random_range(0..5)];
                } else {
                    spoil_numbers(&mut attribute.ints, rng);
                }
            }
        }
    }
}

fn spoil_constant(graph: &mut GraphProto, rng: &mut impl Rng) {
    let Some(tensor) = one_of(&mut graph.initializer, rng) else {
        return;
    };
    match rng.random_range(0..5) {
        0 => tensor.data_type = rng.random_range(-1..20),
        1 => spoil_numbers(&mut tensor.int64_data, rng),
        2 if tensor.raw_data.len() >= 8 => {
            // Shapes and axes lie there as 64-bit numbers.
            let at = rng.random_range(0..tensor.raw_data.len() / 8) * 8;
            let number = odd_number(rng).to_le_bytes();
            tensor.raw_data[at..at + 8].copy_from_slice(&number);
        }
        3 => {
            let length = rng.random_range(0..=tensor.raw_data.len());
            tensor.raw_data.truncate(length);
        }
        _ => spoil_numbers(&mut tensor.dims, rng),
    }
}

fn spoil_ends(graph: &mut GraphProto, rng: &mut impl Rng) {
    let ends = if rng.random() {
        &mut graph.input
    } else {
        &mut graph.output
    };
    let shape =
        one_of(ends, rng).and_then(|end| end.r#type.as_mut()?.tensor_type.as_mut()?.shape.as_mut());
    if let Some(dimension) = shape.and_then(|shape| one_of(&mut shape.dim, rng)) {
        dimension.dim_value = Some(odd_number(rng));
    }
}

/// A sound file with a graph that means something else, or nothing.
fn spoiled_graph(seed: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut model = ModelProto::decode(seed).unwrap();
    let graph = model.graph.as_mut().unwrap();
    for _ in 0..rng.random_range(1..4) {
        match rng.random_range(0..8) {
            0 => spoil_ends(graph, rng),
            1..=3 => spoil_constant(graph, rng),
            _ => spoil_node(graph, rng),
        }
    }
    model.encode_to_vec()
}

fn spoiled_bytes(seed: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..bytes.len().max(1));
        match rng.random_range(0..5) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.insert(at, rng.random()),
            _ => bytes[at] ^= 1 << rng.random_range(0..8),
        }
    }
    bytes
}

/// What Linux says of this process: seconds on processors, and the most memory since
/// [`forget_peak`], in MiB.
fn spent() -> (f64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // Behind the program's name, which is in brackets, times are the 12th and 13th field, in
    // hundredths of a second.
    let fields = stat.rsplit_once(')').unwrap().1;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: f64 = ticks.map(|field| field.parse::<f64>().unwrap()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = peak.unwrap().split_whitespace().nth(1).unwrap();
    (ticks / 100.0, kib.parse::<u64>().unwrap() / 1024)
}

fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

#[test]
fn a_spoiled_file_costs_no_more_than_ten_seconds_and_a_gibibyte() {
    let seeds = seeds();
    assert!(seeds.len() > 30, "{} fixtures", seeds.len());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut faults = Vec::new();
    let (mut refused, mut slowest, mut largest) = (0, (0.0, String::new()), (0, String::new()));
    for n in 0..count() {
        let (name, seed) = &seeds[n % seeds.len()];
        let bytes = if rng.random() {
            spoiled_bytes(seed, &mut rng)
        } else {
            spoiled_graph(seed, &mut rng)
        };
        forget_peak();
        let before = spent();
        let outcome = catch_unwind(AssertUnwindSafe(|| import(&bytes)));
        let after = spent();
        let kept = || {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
            let path = folder.join(format!("spoiled-{n}-{name}"));
            std::fs::write(&path, &bytes).unwrap();
            path.display().to_string()
        };
        let (seconds, mib) = (after.0 - before.0, after.1.saturating_sub(before.1));
        if outcome.is_err() {
            faults.push(format!("a panic, at {}", kept()));
        } else if seconds > MOST_SECONDS || mib > MOST_MIB {
            faults.push(format!("{seconds:.1} s and {mib} MiB, at {}", kept()));
        }
        refused += usize::from(outcome.is_ok_and(|it| it.is_err()));
        if seconds > slowest.0 {
            slowest = (seconds, format!("{n} of {name}"));
        }
        if mib > largest.0 {
            largest = (mib, format!("{n} of {name}"));
        }
    }
    println!(
        "{refused} of {} refused; slowest {:.2} s ({}), largest {} MiB ({})",
        count(),
        slowest.0,
        slowest.1,
        largest.0,
        largest.1
    );
    assert!(faults.is_empty(), "{} files: {:#?}", faults.len(), faults);
    assert!(refused > count() / 4, "{refused} were refused");
}
