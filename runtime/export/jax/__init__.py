"""`f.to_jax()`: a graph as a function of JAX arrays."""

from autograph.runtime.export.jax.function import to_jax as to_jax
