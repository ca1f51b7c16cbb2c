"""What the tests of all frameworks share. Each runs in a process of its own: TensorFlow and PyTorch do not always load
into one."""

import os
import pathlib

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import redial  # noqa: E402
from redial import _frameworks  # noqa: E402

draws = np.random.default_rng(0)
#: Latents of five dials.
latents = draws.normal(size=(300, 5)).astype("float32")
#: Weights of a decoder with one hidden layer that gives colour pictures of 4 rows and 7 columns, colours last.
hidden, out = draws.normal(size=(5, 16)).astype("float32"), draws.normal(size=(16, 4, 7, 3)).astype("float32")


def imported(decoder, name, latents=latents, **options):
    """Imports a decoder; `import_decoder` refuses a model that differs from its framework, so what is imported was
    compared."""
    options = {"models": "my-models", "distance": "bray-curtis", "threshold": 0.001, **options}
    folder = redial.import_decoder(decoder, latents, name=name, **options)
    assert (folder / "card.json").is_file(), folder
    print(name, flush=True)


def refused(decoder, *words, **options):
    """A decoder is refused, with these words."""
    try:
        imported(decoder, "refused", models="refused-models", **options)
    except redial.RedialError as error:
        for word in words:
            assert word in str(error), (word, str(error))
    else:
        raise AssertionError(f"{decoder} was imported")


def same(framework, decoder, **options):
    """The decoder of `hidden` and `out` has its rows, columns and colours where the other frameworks have theirs,
    though PyTorch gives colours first and the others last: the sheets of all that ran in this folder are equal."""
    imported(decoder, "same", models=framework, **options)
    redial.run("models", "show", "same", models=framework, out=f"{framework}.svg")
    sheets = {path.name: path.read_bytes() for path in pathlib.Path().glob("*.svg")}
    assert len(set(sheets.values())) == 1, list(sheets)


def without(*packages):
    """A context in which these packages are not installed, as far as exporters look."""
    from unittest import mock

    find = _frameworks.framework.importlib.util.find_spec
    seen = mock.Mock(find_spec=lambda name: None if name in packages else find(name))
    return mock.patch.object(_frameworks.framework, "importlib", mock.Mock(util=seen))
