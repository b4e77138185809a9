"""k-means: assigns points to the nearest centre and moves the centres until nothing changes."""

import numpy as np

import autograph as ag


def nearest(points, centres):
    distances = ((points[:, np.newaxis, :] - centres[np.newaxis]) ** 2).sum(axis=-1)
    return distances.argmin(axis=1)


@ag.function
def kmeans(points, centres, limit=100):
    centres = centres.copy()
    labels = nearest(points, centres)
    for _ in range(limit):
        for k in range(len(centres)):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
        previous, labels = labels, nearest(points, centres)
        if (labels == previous).all():
            break
    return centres, labels


def main():
    rng = np.random.default_rng(11)
    means = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 6.0]])
    points = np.concatenate([rng.normal(mean, 1.0, (100, 2)) for mean in means])
    centres, labels = kmeans(points, points[[0, 100, 200]])
    for k, (x, y) in enumerate(centres):
        print(f"cluster {k}: {np.sum(labels == k):>3} points around ({x:.2f}, {y:.2f})")


if __name__ == "__main__":
    main()
