"""Decoders of PyTorch."""

import contextlib

from .framework import Exporter, Framework, is_of, sample

_NAMES = {"input_names": ["z"], "output_names": ["x"]}


class PyTorch(Framework):
    """A torch.nn.Module."""

    name = "PyTorch"

    @classmethod
    def takes(cls, decoder):
        return is_of(decoder, {"torch"}, "Module")

    @contextlib.contextmanager
    def evaluating(self):
        # Each part has a mode of its own: a batch norm may be frozen in a module that is trained.
        modes = [(part, part.training) for part in self.decoder.modules()]
        parameter = next(self.decoder.parameters(), None)
        device = None if parameter is None else parameter.device
        self.decoder.eval().to("cpu")
        try:
            yield
        finally:
            for part, training in modes:
                part.training = training
            if device is not None:
                self.decoder.to(device)

    def decode(self, rows):
        import torch

        with torch.no_grad():
            return self.decoder(torch.from_numpy(rows))

    def exporters(self):
        return [
            Exporter("torch.onnx.export, dynamo=True", ("onnx", "onnxscript"), self._by_dynamo),
            Exporter("torch.onnx.export, dynamo=False", ("onnx",), self._by_torchscript),
        ]

    def _by_dynamo(self, rows, path, any_batch):
        import torch

        shapes = {"dynamic_shapes": ({0: torch.export.Dim("batch")},)} if any_batch else {}
        self._export(rows, path, any_batch, dynamo=True, **shapes)

    def _by_torchscript(self, rows, path, any_batch):
        axes = {"dynamic_axes": {"z": {0: "batch"}, "x": {0: "batch"}}} if any_batch else {}
        self._export(rows, path, any_batch, dynamo=False, **axes)

    def _export(self, rows, path, any_batch, **options):
        import torch

        z = torch.from_numpy(sample(rows, any_batch))
        torch.onnx.export(self.decoder, (z,), str(path), verbose=False, **_NAMES, **options)
