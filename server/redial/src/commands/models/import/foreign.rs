//! Files and folders that only their own framework reads, and the lines that make ONNX of them there.

use std::ffi::OsStr;
use std::path::Path;

/// What a file is, and what makes ONNX of it.
struct Foreign {
    /// What it is, in words.
    what: &'static str,
    /// Lines of Python or of a shell, with FROM and TO for the paths.
    lines: &'static [&'static str],
    /// The decoder in these lines, if Redial's Python module takes it.
    decoder: Option<&'static str>,
}

/// What a file is, and how it becomes ONNX; nothing for what may be read here.
pub(super) fn as_onnx(path: &Path) -> Option<String> {
    let foreign = known(path)?;
    let from = path.display().to_string();
    let to = path.with_extension("onnx").display().to_string();
    let mut out = format!(
        "{from} is {}. This makes ONNX of it, for --latents and the other options as before:\n\n",
        foreign.what
    );
    for line in foreign.lines {
        out += &format!("    {}\n", line.replace("FROM", &from).replace("TO", &to));
    }
    if let Some(decoder) = foreign.decoder {
        out += &format!(
            "\nRedial's Python module (python/README.md) does it without a file, and compares. In place of the export:\n\n    redial.import_decoder({decoder}, latents, name=\"NAME\", distance=\"bray-curtis\", threshold=0.1)\n"
        );
    }
    out += "\ndocs/bring-your-own-model.md has the whole way.";
    Some(out)
}

fn known(path: &Path) -> Option<Foreign> {
    if path.is_dir() {
        return folder(path);
    }
    Some(match path.extension().and_then(OsStr::to_str)? {
        "pt2" => Foreign {
            what: "a program that torch.export saved",
            lines: &[
                "import torch                                  # pip install torch onnx onnxscript",
                "torch.onnx.export(torch.export.load(\"FROM\"), f=\"TO\", dynamo=True)",
            ],
            decoder: None,
        },
        "ckpt" => Foreign {
            what: "a checkpoint, which holds a model's numbers and not its layers",
            lines: &[
                "import torch                                  # in the project that trained it",
                "model = MyModel.load_from_checkpoint(\"FROM\", map_location=\"cpu\")",
                "z = torch.zeros(2, DIMENSIONS)",
                "torch.onnx.export(model.decoder.eval(), (z,), \"TO\", dynamic_shapes=({0: torch.export.Dim(\"batch\")},))",
            ],
            decoder: Some("model.decoder"),
        },
        "pt" | "pth" | "pkl" => Foreign {
            what: "a file that only Python reads, with the code that made it",
            lines: &[
                "import torch                                  # in the project that trained it",
                "decoder = torch.load(\"FROM\", map_location=\"cpu\", weights_only=False).eval()",
                "# Where the file holds numbers alone: decoder = MyDecoder(); decoder.load_state_dict(torch.load(\"FROM\"))",
                "z = torch.zeros(2, DIMENSIONS)",
                "torch.onnx.export(decoder, (z,), \"TO\", dynamic_shapes=({0: torch.export.Dim(\"batch\")},))",
            ],
            decoder: Some("decoder"),
        },
        "keras" | "h5" => Foreign {
            what: "a model of Keras",
            lines: &[
                "import keras                                  # pip install keras tensorflow tf2onnx onnx",
                "decoder = keras.saving.load_model(\"FROM\")",
                "decoder(keras.ops.zeros((1, DIMENSIONS)))     # Keras exports what was called once",
                "decoder.export(\"TO\", format=\"onnx\")",
            ],
            decoder: Some("decoder"),
        },
        "msgpack" => Foreign {
            what: "numbers of a model of Flax, without its layers",
            lines: &[
                "# Flax has no exporter of its own: pip install jax2onnx",
                "from jax2onnx import to_onnx                  # in the project that trained it",
                "decode = lambda z: decoder.apply(variables, z)",
                "to_onnx(decode, [(\"B\", DIMENSIONS)], return_mode=\"file\", output_path=\"TO\")",
            ],
            decoder: Some("decode"),
        },
        _ => return None,
    })
}

/// A folder that another framework saved.
fn folder(path: &Path) -> Option<Foreign> {
    if path.join("saved_model.pb").is_file() {
        return Some(Foreign {
            what: "a SavedModel of TensorFlow",
            lines: &[
                "python -m tf2onnx.convert --saved-model FROM --output TO      # pip install tf2onnx tensorflow",
            ],
            decoder: None,
        });
    }
    // A pipeline, or a part of one.
    let is_diffusers = path.join("model_index.json").is_file()
        || (path.join("config.json").is_file()
            && path.join("diffusion_pytorch_model.safetensors").is_file());
    is_diffusers.then_some(Foreign {
        what: "a folder of diffusers; its decoder is that of the VAE",
        lines: &[
            "import torch                                  # pip install torch diffusers onnx onnxscript",
            "from diffusers import AutoencoderKL",
            "vae = AutoencoderKL.from_pretrained(\"FROM\")    # of a whole pipeline: subfolder=\"vae\"",
            "class Decoder(torch.nn.Module):",
            "    def forward(self, z):",
            "        return vae.decode(z).sample",
            "torch.onnx.export(Decoder().eval(), (torch.zeros(1, CHANNELS, HEIGHT, WIDTH),), \"TO\")",
        ],
        decoder: Some("Decoder()"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_framework_has_its_lines() {
        for (file, wanted) in [
            (
                "a/mine.pt2",
                "torch.export.load(\"a/mine.pt2\"), f=\"a/mine.onnx\"",
            ),
            ("mine.ckpt", "load_from_checkpoint(\"mine.ckpt\""),
            ("mine.pth", "torch.load(\"mine.pth\""),
            ("mine.keras", "load_model(\"mine.keras\")"),
            ("mine.h5", "redial.import_decoder(decoder, latents, "),
            ("mine.msgpack", "output_path=\"mine.onnx\""),
            ("mine.msgpack", "redial.import_decoder(decode, latents, "),
        ] {
            let said = as_onnx(Path::new(file)).unwrap();
            assert!(said.contains(wanted), "{said}");
        }
        // The module takes decoders, and what `torch.export` saved is none that it can call with any batch.
        let program = as_onnx(Path::new("mine.pt2")).unwrap();
        assert!(!program.contains("import_decoder"), "{program}");
        for read_here in ["mine.onnx", "mine.safetensors", "mine"] {
            assert_eq!(as_onnx(Path::new(read_here)), None);
        }
    }

    #[test]
    fn folders_are_known_by_what_is_in_them() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(as_onnx(folder.path()), None);
        let of = |name: &str| {
            let at = folder.path().join(name);
            std::fs::create_dir(&at).unwrap();
            at
        };
        let saved = of("saved");
        std::fs::write(saved.join("saved_model.pb"), "").unwrap();
        assert!(
            as_onnx(&saved)
                .unwrap()
                .contains("tf2onnx.convert --saved-model")
        );
        let pipeline = of("pipeline");
        std::fs::write(pipeline.join("model_index.json"), "{}").unwrap();
        assert!(
            as_onnx(&pipeline)
                .unwrap()
                .contains("AutoencoderKL.from_pretrained")
        );
    }
}
