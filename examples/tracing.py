"""When a function is traced: once for each signature, and `print` runs only then."""

import numpy as np

import autograph as ag


def simple_computation(x, y):
    print(f"Tracing with inputs: {x}, {y}")  # This will print only during tracing
    a = np.add(x, y)
    b = np.multiply(a, 2)
    return b


@ag.function
def optimized_computation(x, y):
    print(f"Tracing optimized function with inputs: {x}, {y}")  # Will also print only then
    a = np.add(x, y)
    b = np.multiply(a, 2)
    return b


def main():
    print("Eager Execution:")
    print(simple_computation(np.array(1), np.array(2)))
    print(simple_computation(np.array(3), np.array(4)))

    print("\nGraph Execution (ag.function):")
    # First call: traces the function and builds the graph
    print(optimized_computation(np.array(1), np.array(2)))
    # Second call (same input types and shapes): uses the graph again
    print(optimized_computation(np.array(3), np.array(4)))
    # Third call (another dtype): traces again
    print(optimized_computation(np.array(1.0), np.array(2.0)))
    # Fourth call (same as the third): uses the float64 graph
    print(optimized_computation(np.array(3.0), np.array(4.0)))


if __name__ == "__main__":
    main()
