"""Adam in the eigenbasis of Shampoo's preconditioner (Vyas et al. 2024, "SOAP").

Reconstruction losses of narrow bottlenecks are badly conditioned: plain Adam needs
several times as many batches. Each weight is taken as a matrix, outputs against
everything else.
"""

import torch


class Soap(torch.optim.Optimizer):
    """Vectors (biases, batch norms) get plain Adam."""

    def __init__(self, params, lr, betas=(0.95, 0.95), eps=1e-8, every=10):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, every=every))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.update(p, group)

    def update(self, p, group):
        state, (beta1, beta2) = self.state[p], group["betas"]
        gradient = p.grad.reshape(p.shape[0], -1).float()
        sides = [n > 1 for n in gradient.shape] if p.dim() > 1 else [False, False]
        if not state:
            state["step"] = 0
            state["first"] = torch.zeros_like(gradient)
            state["second"] = torch.zeros_like(gradient)
            state["factors"] = [torch.zeros(n, n) if side else None for n, side in zip(gradient.shape, sides)]
            state["bases"] = None
        self.grow(state["factors"], gradient, 0.0 if state["step"] == 0 and state["bases"] is None else beta2)
        if state["bases"] is None:
            # The first gradient only makes the bases.
            state["bases"] = [None if f is None else torch.linalg.eigh(f + 1e-30 * torch.eye(len(f)))[1].flip(1)
                              for f in state["factors"]]
            return
        state["step"] += 1
        there = turn(gradient, state["bases"])
        state["first"].lerp_(gradient, 1 - beta1)
        state["second"].mul_(beta2).addcmul_(there, there, value=1 - beta2)
        first = turn(state["first"], state["bases"])
        correction = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        change = first / (state["second"].sqrt() + group["eps"]) * correction
        p.sub_((group["lr"] * turn_back(change, state["bases"])).reshape(p.shape))
        if state["step"] % group["every"] == 0:
            self.refresh(state)

    @staticmethod
    def grow(factors, gradient, keep):
        for side, factor in enumerate(factors):
            if factor is not None:
                product = gradient @ gradient.T if side == 0 else gradient.T @ gradient
                factor.mul_(keep).add_(product, alpha=1 - keep if keep else 1.0)

    @staticmethod
    def refresh(state):
        """One step of power iteration from the bases there are, largest eigenvalue first."""
        for side, (factor, basis) in enumerate(zip(state["factors"], state["bases"])):
            if factor is None:
                continue
            eigenvalues = ((basis.T @ factor) * basis.T).sum(1)
            order = eigenvalues.argsort(descending=True)
            basis = basis[:, order]
            state["second"] = state["second"].index_select(side, order)
            state["bases"][side] = torch.linalg.qr(factor @ basis)[0]


def turn(x, bases):
    left, right = bases
    x = x if left is None else left.T @ x
    return x if right is None else x @ right


def turn_back(x, bases):
    left, right = bases
    x = x if left is None else left @ x
    return x if right is None else x @ right.T
