"""Runs docs/bring-your-own-model.md as it stands there. In an empty folder:

    python guide.py REPOSITORY torch|keras

With torch, all Python and shell blocks in their order, and those of `python/README.md`. The one that Keras exports
with runs with keras, since TensorFlow and PyTorch do not always load into one process.
"""

import pathlib
import re
import shlex
import shutil
import sys

import numpy as np
import redial

repository, framework = pathlib.Path(sys.argv[1]), sys.argv[2]


def blocks(page):
    """Language and text of each block, without indentation."""
    text = (repository / page).read_text(encoding="utf-8")
    return re.findall(r"^```(python|sh|json)\n(.*?)^```", text, re.M | re.S)


def execute(code, scope):
    exec(compile(code, "a block of the guide", "exec"), scope)


def commands(block):
    """Runs the commands of a block; a server is only started."""
    for line in block.strip().splitlines():
        words = shlex.split(line, comments=True)
        assert words[0] == "redial", line
        if words[1] == "serve":
            assert [words[2], words[4]] == ["--studies", "--models"], line
            redial.serve(studies=words[3], models=words[5]).stop()
        else:
            print(redial.run(*words[1:]), flush=True)


def is_for_keras(block):
    return "encoder.predict" in block


guide = blocks("docs/bring-your-own-model.md")
ran = 0
if framework == "keras":
    import keras

    encoder = keras.Sequential([keras.layers.Input((8, 8, 1)), keras.layers.Flatten(), keras.layers.Dense(3)])
    decoder = keras.Sequential(
        [keras.layers.Input((3,)), keras.layers.Dense(64, activation="sigmoid"), keras.layers.Reshape((8, 8, 1))]
    )
    scope = {"encoder": encoder, "decoder": decoder, "held_out": np.random.default_rng(0).random((40, 8, 8, 1)), "np": np}
    for language, block in guide:
        if language == "python" and is_for_keras(block):
            execute(block, scope)
            # A decoder that was not trained makes pictures that are much alike.
            commands("redial models import mine.onnx --distance bray-curtis --threshold 0.01")
            ran += 1
    assert ran == 1, ran
else:
    import torch
    from safetensors.torch import save_file

    def written_down():
        """What the layers in JSON are the layers of, with its latents, in place of the model before it."""
        decoder = torch.nn.ModuleDict({
            "fc": torch.nn.Linear(3, 1024),
            "norm": torch.nn.BatchNorm1d(1024),
            "up1": torch.nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1),
            "out": torch.nn.Conv2d(8, 1, 3, padding=1),
        })  # fmt: skip
        tensors = {name: tensor for name, tensor in decoder.state_dict().items() if "batches" not in name}
        save_file(tensors, "mine.safetensors")
        pathlib.Path("mine.outputs.npy").unlink()
        np.save("z.npy", np.random.default_rng(0).normal(size=(40, 3)))

    def save_latents():
        np.save("mine.latents.npy", scope["latents"].numpy())
        np.save("mine.outputs.npy", scope["outputs"].numpy())

    scope = {}
    for language, block in guide:
        if is_for_keras(block):
            continue
        if language == "python":
            execute(block, scope)
        elif language == "json" and "parts" in block:
            study = pathlib.Path("my-studies/spots/study.json")
            study.parent.mkdir(parents=True)
            study.write_text(block, encoding="utf-8")
        elif language == "json":
            pathlib.Path("mine.json").write_text(block, encoding="utf-8")
        elif language == "sh":
            if "mine.safetensors" in block:
                # The page calls each of its models so.
                shutil.rmtree("data/models/mine")
                if "mine.json" in block:
                    written_down()
                else:
                    save_latents()
            commands(block)
        ran += 1
    assert ran == 11, ran
    # The same decoder by the lines of the module's own page.
    [(_, block)] = blocks("python/README.md")
    shutil.rmtree("data/models/spots")
    execute(block, scope)
print(f"{framework}: the guide runs.")
