"""The step in JAX: array operations, which XLA fuses into kernels for the CPU or the GPU. All n steps are one call."""
import functools

import jax
import jax.numpy as jnp

version = jax.__version__


@functools.partial(jax.jit, donate_argnums=0)
def steps(u, c, n):
    def step(_, u):
        padded = jnp.pad(u, 1)
        around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        return u + c * (around - 4 * u)

    return jax.lax.fori_loop(0, n, step, u)


class make:
    def __init__(self, u, c):
        self.u, self.c = jax.device_put(u), jnp.float32(c)

    def step(self, n):
        self.u = steps(self.u, self.c, n)

    def wait(self):
        self.u.block_until_ready()

    def field(self):
        return jax.device_get(self.u)
