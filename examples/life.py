"""Conway's Game of Life on a torus, until the board stands still or the generations run out."""

import numpy as np

import autograph as ag


def neighbours(board):
    total = np.zeros_like(board)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy == 0 and dx == 0:
                continue
            total += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
    return total


@ag.function
def life(board, generations):
    """The last board and the number of generations it took."""
    for generation in range(generations):
        count = neighbours(board)
        following = ((count == 3) | ((board == 1) & (count == 2))).astype(board.dtype)
        if np.array_equal(following, board):
            return board, generation
        board = following
    return board, generations


def show(board):
    return "\n".join("".join("#" if cell else "." for cell in row) for row in board)


def main():
    glider = np.zeros((8, 8), dtype=np.int32)
    glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    board, generation = life(glider, np.int64(12))
    print(show(board), f"a glider after {generation} generations\n", sep="\n")
    soup = (np.random.default_rng(8).random((16, 16)) < 0.3).astype(np.int32)
    board, generation = life(soup, np.int64(500))
    print(show(board), f"a soup after {generation} generations", sep="\n")


if __name__ == "__main__":
    main()
