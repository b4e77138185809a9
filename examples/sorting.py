"""Insertion sort and binary search, written with the index arithmetic that textbooks use."""

import numpy as np

import autograph as ag


@ag.function
def insertion_sort(values):
    """Sort in place; returns how many places the elements moved in all."""
    moves = 0
    for i in range(1, len(values)):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
            moves += 1
        values[j] = value
    return moves


@ag.function
def binary_search(values, wanted):
    """The index of `wanted` in sorted values, or -1."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return -1


def main():
    values = np.random.default_rng(3).integers(0, 100, 20)
    print("before:", values)
    moves = insertion_sort(values)
    print("after: ", values, f"({moves} moves)")
    for wanted in (values[7], np.int64(1000)):
        print(f"{wanted} is at", binary_search(values, wanted))


if __name__ == "__main__":
    main()
