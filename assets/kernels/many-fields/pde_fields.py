"""Many fields in py-pde: a loop over solvers, on one core of the CPU. Each solver is compiled by Numba for its own F and K."""
import numpy as np
import pde

version = pde.__version__
all_at_once = False


class make:
    def __init__(self, u, v, F, K):
        self.states, self.solvers = [], []
        for i in range(len(u)):
            equation = pde.PDE(
                {
                    "u": "0.16*laplace(u) - u*v**2 + F*(1 - u)",
                    "v": "0.08*laplace(v) + u*v**2 - (F + K)*v",
                },
                consts={"F": float(F[i]), "K": float(K[i])},
                bc="periodic",
            )
            ny, nx = u[i].shape
            grid = pde.CartesianGrid([[0, ny], [0, nx]], [ny, nx], periodic=True)
            state = pde.FieldCollection([pde.ScalarField(grid, a.astype(np.float32), dtype=np.float32) for a in (u[i], v[i])])
            solver = pde.EulerSolver(equation, backend="numba")
            self.states.append(state)
            self.solvers.append(solver.make_stepper(state, dt=1.0))

    def step(self, n):
        for state, stepper in zip(self.states, self.solvers):
            stepper(state, 0.0, float(n))

    def wait(self):
        pass

    def fields(self):
        return tuple(np.stack([state[c].data for state in self.states]) for c in (0, 1))
