"""The step in NumPy, on the CPU: each operation is a pass over memory of its own."""
import numpy as np

version = np.__version__


class make:
    def __init__(self, u, c):
        self.u, self.c = np.pad(u, 1), np.float32(c)

    def step(self, n):
        for _ in range(n):
            u = self.u[1:-1, 1:-1]
            around = self.u[:-2, 1:-1] + self.u[2:, 1:-1] + self.u[1:-1, :-2] + self.u[1:-1, 2:]
            u += self.c * (around - 4 * u)

    def wait(self):
        pass

    def field(self):
        return self.u[1:-1, 1:-1]
