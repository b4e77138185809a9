"""Viterbi: the likeliest path through a hidden Markov model, with a table of back pointers."""

import numpy as np

import autograph as ag


@ag.function
def viterbi(log_start, log_move, log_emit, observed):
    """The states of the likeliest path and its log probability."""
    length = len(observed)
    back = np.zeros((length, len(log_start)), dtype=np.int64)
    score = log_start + log_emit[:, observed[0]]
    for t in range(1, length):
        candidates = score[:, np.newaxis] + log_move
        back[t] = candidates.argmax(axis=0)
        score = candidates.max(axis=0) + log_emit[:, observed[t]]
    path = np.empty(length, dtype=np.int64)
    path[-1] = score.argmax()
    for t in range(length - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path, score.max()


def main():
    states = np.array(["fair", "loaded"])
    start = np.log([0.5, 0.5])
    move = np.log([[0.95, 0.05], [0.10, 0.90]])
    emit = np.log([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    rolls = np.array([1, 2, 4, 0, 5, 5, 3, 5, 5, 5, 5, 1, 5, 5, 0, 2, 3, 1, 0, 4])
    path, log_probability = viterbi(start, move, emit, rolls)
    print("rolls:", " ".join(str(roll + 1) for roll in rolls))
    print("die:  ", " ".join(name[0] for name in states[path]))
    print(f"log probability {log_probability:.3f}")


if __name__ == "__main__":
    main()
