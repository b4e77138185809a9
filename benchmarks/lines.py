"""How readable the output is: lines of generated code per line of source, over the examples."""

import autograph as ag
from benchmarks.conversion import EXAMPLES, functions, lines, load


def main() -> None:
    """A line for every function of the examples, and the total."""
    total_in = total_out = 0
    for path in EXAMPLES:
        for function in functions(load(path)):
            source, generated = lines(function), len(ag.to_code(function).strip().splitlines())
            total_in, total_out = total_in + source, total_out + generated
            name = f"{path.stem}.{function.__name__}"
            print(f"{name:<36}{source:>4} -> {generated:>4}  {generated / source:.2f}")
    print(f"{'all':<36}{total_in:>4} -> {total_out:>4}  {total_out / total_in:.2f}")


if __name__ == "__main__":
    main()
