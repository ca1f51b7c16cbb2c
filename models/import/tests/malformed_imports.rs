//! Files that are cut short, spoiled, or hold what decoders cannot be read from give an
//! error that says what to do, and never a panic.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::rc::Rc;

use import::assemble::decode;
use import::latents::{LatentOptions, Latents};
use import::onnx::proto::{
    AttributeKind, AttributeProto, DataType, DimensionProto, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use import::reference::OutputMapping;
use import::{ExportedDecoder, ImportError, Layout, NumericArray, onnx};
use prost::Message as _;

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

/// A file with nothing beside it.
fn alone(bytes: &[u8]) -> Result<ExportedDecoder, ImportError> {
    onnx::read(bytes, &|_| Err("there is none".to_owned()), None)
}

/// All that is done to a file, up to decoding with it where it is small.
fn whole(bytes: &[u8]) -> Result<(), ImportError> {
    let exported = alone(bytes)?;
    let values: usize = exported.shape().iter().product();
    if values > 10_000 || exported.width() > 100 {
        return Ok(());
    }
    decoded(exported)
}

/// Decodes with a file whatever the size of its picture.
fn decoded(exported: ExportedDecoder) -> Result<(), ImportError> {
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

#[test]
fn files_cut_short_are_refused() {
    for name in ["torch-grey-older.onnx", "keras-grey.onnx"] {
        let bytes = file(name);
        whole(&bytes).unwrap();
        // Behind the graph there is little but versions: a file cut there may still do.
        for length in (0..bytes.len() - 64).step_by(7) {
            assert!(whole(&bytes[..length]).is_err(), "{name} of {length} bytes");
        }
    }
}

#[test]
fn no_spoiled_byte_makes_a_panic() {
    for (name, step) in [
        ("torch-grey-older.onnx", 5),
        ("torch-tanh.onnx", 3),
        ("keras-grey.onnx", 5),
        ("graph-gated.onnx", 23),
        ("graph-bicubic-older.onnx", 23),
        ("graph-recurrent.onnx", 23),
    ] {
        let bytes = file(name);
        let started = std::time::Instant::now();
        let mut refused = 0;
        for place in (0..bytes.len()).step_by(step) {
            for flip in [0x01, 0x80, 0xff] {
                let mut spoiled = bytes.clone();
                spoiled[place] ^= flip;
                refused += usize::from(whole(&spoiled).is_err());
            }
        }
        assert!(refused > 100, "{name}: {refused}");
        println!("{name}: {refused} refused in {:?}", started.elapsed());
    }
}

/// What is said of a file in which some text was changed for other text of that length.
fn said(name: &str, from: &str, to: &str) -> String {
    assert_eq!(from.len(), to.len());
    let mut bytes = file(name);
    let places: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|&at| bytes[at..].starts_with(from.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "{from} is not in {name}");
    for at in places {
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
    }
    let beside = |_: &str| Ok(Rc::from(file("torch-grey.onnx.data")));
    onnx::read(&bytes, &beside, None).unwrap_err().to_string()
}

fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[test]
fn unknown_operators_are_named_with_their_node() {
    let unknown = said("torch-grey-older.onnx", "Sigmoid", "Hardmax");
    says(&unknown, &["node \"/maps/maps.5/Hardmax\"", "(Hardmax)"]);
    says(&unknown, &["bring-your-own-model.md"]);
    let advised = said("torch-tanh.onnx", "Relu", "Loop");
    says(&advised, &["(Loop)", "export with fixed shapes"]);
}

#[test]
fn unknown_attributes_are_named() {
    let unknown = said("torch-tanh.onnx", "dilations", "widenings");
    says(&unknown, &["(ConvTranspose)", "\"widenings\""]);
    let linear = said("torch-grey-older.onnx", "nearest", "lineara");
    says(&linear, &["(Resize)", "lineara"]);
}

/// 0/0 before a sigmoid: ONNX Runtime gives NaN for every pixel at which the ReLU is 0.
#[test]
fn what_is_no_number_is_refused_with_the_node_that_makes_it() {
    let refused = whole(&file("not-a-number.onnx")).unwrap_err().to_string();
    says(&refused, &["NaN", "node \"d\" (Divide)"]);
}

/// A file in which nodes of one operator were changed, or the versions of the sets.
fn changed(name: &str, change: impl Fn(&mut ModelProto)) -> String {
    let mut model = ModelProto::decode(&file(name)[..]).unwrap();
    change(&mut model);
    alone(&model.encode_to_vec()).unwrap_err().to_string()
}

fn size(of: i64) -> DimensionProto {
    DimensionProto {
        dim_value: Some(of),
        dim_param: None,
    }
}

#[test]
fn a_name_alone_decides_nothing() {
    // A name of ONNX's own in another set of operators.
    let foreign = changed("torch-tanh.onnx", |model| {
        let node = &mut model.graph.as_mut().unwrap().node[0];
        node.domain = "com.microsoft".to_owned();
        let domain = node.domain.clone();
        model
            .opset_import
            .push(OperatorSetIdProto { domain, version: 1 });
    });
    says(&foreign, &["com.microsoft", "before it was optimised"]);
    let unsaid = changed("torch-tanh.onnx", |model| {
        model.graph.as_mut().unwrap().node[0].domain = "my.own".to_owned();
    });
    says(&unsaid, &["does not say which version", "my.own"]);
    // A version in which the operator is not yet there, and one that is not known.
    let early = changed("graph-sub-pixel.onnx", |model| {
        model.opset_import[0].version = 17;
        for node in &mut model.graph.as_mut().unwrap().node {
            if node.op_type == "Relu" || node.op_type == "Sigmoid" {
                node.op_type = "Gelu".to_owned();
            }
        }
    });
    says(&early, &["(Gelu)", "read as of version 20"]);
    let late = changed("torch-tanh.onnx", |model| {
        model.opset_import[0].version = 99;
    });
    says(&late, &["is the newest that is known"]);
}

#[test]
fn a_branch_that_latents_decide_is_refused_for_that() {
    let said = changed("fixed-tile.onnx", |model| {
        let graph = model.graph.as_mut().unwrap();
        for node in &mut graph.node {
            if node.op_type == "If" {
                node.input = vec!["z".to_owned()];
            }
        }
    });
    says(&said, &["(If)", "condition depends on the latent vector"]);
}

#[test]
fn a_batch_that_is_written_into_the_file_is_named() {
    let said = changed("fixed-tile.onnx", |model| {
        let graph = model.graph.as_mut().unwrap();
        for value in graph.input.iter_mut().chain(&mut graph.output) {
            let kind = value.r#type.as_mut().unwrap();
            let shape = kind.tensor_type.as_mut().unwrap().shape.as_mut().unwrap();
            shape.dim[0] = size(3);
        }
        let reshape = graph
            .node
            .iter_mut()
            .find(|n| n.name == "/Constant")
            .unwrap();
        reshape.attribute[0].t.as_mut().unwrap().raw_data = [3_i64, 8, 1, 1]
            .into_iter()
            .flat_map(i64::to_le_bytes)
            .collect();
    });
    says(&said, &["with a batch of 1"]);
}

#[test]
fn weights_lie_beside_the_file_and_nowhere_else() {
    let name = "torch-grey.onnx.data";
    for place in [
        "../torch-gre.onnx.da",
        "/torch-grey.onnx.dat",
        "a/../torch-grey.data",
    ] {
        let outside = said("torch-grey.onnx", name, place);
        says(&outside, &["not beside"]);
    }
    let bytes = file("torch-grey.onnx");
    let missing = alone(&bytes).unwrap_err().to_string();
    says(&missing, &["has to lie beside"]);
    let short = onnx::read(&bytes, &|_| Ok(Rc::from(vec![0_u8; 100])), None);
    assert!(short.unwrap_err().to_string().contains("too short"));
    let elsewhere = onnx::open(Path::new("/no/such.onnx"), None).unwrap_err();
    assert!(elsewhere.to_string().contains("/no/such.onnx"));
}

#[test]
fn outputs_are_named_when_there_is_none_of_that_name() {
    let bytes = file("keras-grey.onnx");
    let none = onnx::read(
        &bytes,
        &|_| Err("there is none".to_owned()),
        Some("picture"),
    )
    .unwrap_err();
    assert!(none.to_string().contains("no output \"picture\""), "{none}");
}

/// A copy of an export in a folder of its own, whose weights lie in what `put` makes of that
/// path; what is said of it.
fn said_of_data(name: &str, put: impl Fn(&Path)) -> String {
    let folder = std::env::temp_dir().join(format!("redial-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let onnx = folder.join("torch-grey.onnx");
    std::fs::write(&onnx, file("torch-grey.onnx")).unwrap();
    let data = folder.join("torch-grey.onnx.data");
    put(&data);
    let said = onnx::open(&onnx, None).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    said
}

#[cfg(unix)]
#[test]
fn weights_in_what_is_no_file_are_refused_before_anything_is_read() {
    use std::os::unix::fs::symlink;

    let pipe = said_of_data("pipe", |path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    });
    says(&pipe, &["no ordinary file"]);
    let endless = said_of_data("endless", |path| symlink("/dev/zero", path).unwrap());
    says(&endless, &["symbolic link"]);
    let elsewhere = said_of_data("elsewhere", |path| symlink("/etc/passwd", path).unwrap());
    says(&elsewhere, &["symbolic link"]);
    let long = said_of_data("long", |path| {
        // A hole of 3 GiB: it takes no room.
        let file = std::fs::File::create(path).unwrap();
        file.set_len(3 << 30).unwrap();
    });
    says(&long, &["at most 2147483648 are read"]);
    let itself = onnx::open(Path::new("/dev/zero"), None).unwrap_err();
    assert!(itself.to_string().contains("no ordinary file"), "{itself}");
}

#[test]
fn an_architecture_that_is_none_is_said_to_be_so() {
    let tensors = file("torch-grey.safetensors");
    let said = import::layers::read(b"{}", &tensors)
        .unwrap_err()
        .to_string();
    says(&said, &["architecture:", "list of layers"]);
}

/// A graph of a vector of four that becomes a picture of 2 by 2, seven times upsampled.
fn upsampled(times: usize) -> Vec<u8> {
    let value = |name: &str, sizes: &[i64]| {
        let dim = sizes.iter().map(|&n| size(n)).collect();
        let tensor_type = Some(TensorTypeProto {
            elem_type: DataType::Float as i32,
            shape: Some(TensorShapeProto { dim }),
        });
        ValueInfoProto {
            name: name.to_owned(),
            r#type: Some(TypeProto { tensor_type }),
        }
    };
    let node = |op: &str, input: &[&str], output: &str, attribute: Vec<_>| NodeProto {
        input: input.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        op_type: op.to_owned(),
        attribute,
        ..NodeProto::default()
    };
    let nearest = AttributeProto {
        name: "mode".to_owned(),
        s: Some(b"nearest".to_vec()),
        kind: AttributeKind::String as i32,
        ..AttributeProto::default()
    };
    let turn = AttributeProto {
        name: "perm".to_owned(),
        ints: vec![0, 1, 3, 2],
        kind: AttributeKind::Ints as i32,
        ..AttributeProto::default()
    };
    let mut nodes = vec![node("Reshape", &["z", "shape"], "v0", vec![])];
    for i in 0..times {
        // Turned in between, so that no layer can repeat pixels twice.
        let [v, t, r] = ["v", "t", "r"].map(|name| format!("{name}{i}"));
        let next = format!("v{}", i + 1);
        nodes.push(node("Transpose", &[&v], &t, vec![turn.clone()]));
        nodes.push(node(
            "Resize",
            &[&t, "", "scales"],
            &r,
            vec![nearest.clone()],
        ));
        nodes.push(node("Relu", &[&r], &next, vec![]));
    }
    let side = 2_i64 << times;
    let graph = GraphProto {
        node: nodes,
        name: "g".to_owned(),
        initializer: vec![
            TensorProto {
                name: "shape".to_owned(),
                dims: vec![4],
                data_type: DataType::Int64 as i32,
                int64_data: vec![1, 1, 2, 2],
                ..TensorProto::default()
            },
            TensorProto {
                name: "scales".to_owned(),
                dims: vec![4],
                data_type: DataType::Float as i32,
                float_data: vec![1.0, 1.0, 2.0, 2.0],
                ..TensorProto::default()
            },
        ],
        input: vec![value("z", &[1, 4])],
        output: vec![value(&format!("v{times}"), &[1, 1, side, side])],
    };
    ModelProto {
        ir_version: import::onnx::proto::IR_VERSION,
        graph: Some(graph),
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: 13,
        }],
        ..ModelProto::default()
    }
    .encode_to_vec()
}

#[test]
fn what_only_moves_values_takes_no_weights() {
    let exported = alone(&upsampled(7)).unwrap();
    assert_eq!(exported.shape(), [1, 256, 256]);
    let layout = Layout::of(exported.shape(), None, None).unwrap();
    let (_, tensors) = exported.into_architecture(&layout).unwrap();
    let weights: usize = tensors.values().map(|(_, values)| values.len()).sum();
    assert!(weights < 1000, "{weights}");
    // Pictures that no screen shows are refused before they are decoded.
    let large = alone(&upsampled(10))
        .and_then(decoded)
        .unwrap_err()
        .to_string();
    says(&large, &["at most 1048576 are read"]);
}
