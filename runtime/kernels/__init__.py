"""Support that generated code calls: pooled buffers, tiles, stencils, rolls, short sums."""
