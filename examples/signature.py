"""An input signature: one graph for every length, and a clear error for anything else."""

import numpy as np

import autograph as ag


@ag.function(input_signature=[ag.TensorSpec(shape=[None], dtype=np.float32)])
def specific_function(x):
    print(f"Tracing specific function with input shape: {x.shape}")
    return x * 2.0


def main():
    # First call: traces and creates the graph for shape=[None], dtype=float32
    print(specific_function(np.array([1.0, 2.0, 3.0], dtype=np.float32)))
    # Second call: uses the graph again (compatible shape)
    print(specific_function(np.array([4.0, 5.0], dtype=np.float32)))
    # Third call: error, incompatible dtype (int32 instead of float32)
    try:
        specific_function(np.array([1, 2], dtype=np.int32))
    except TypeError as e:
        print(f"\nError: {e}")
    # Fourth call: error, incompatible shape (a scalar instead of a vector)
    try:
        specific_function(np.array(1.0, dtype=np.float32))
    except ValueError as e:
        print(f"\nError: {e}")


if __name__ == "__main__":
    main()
