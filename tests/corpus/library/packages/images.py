"""Programs with scikit-image and PyWavelets: pipelines over small images."""

import numpy as np
import pywt
from skimage import (
    exposure,
    feature,
    filters,
    measure,
    metrics,
    morphology,
    restoration,
    segmentation,
    transform,
    util,
)


def _image(x):
    r, c = np.mgrid[:12, :12]
    return (np.sin(r * x[0] / 3) + np.cos(c * x[1] / 4) + x[2] / 10) / 4 + 0.5


def thresholded(x):
    im = _image(x)
    t = filters.threshold_otsu(im)
    mask = im > t
    if mask.mean() > 0.5:
        mask = ~mask
    return round(float(t), 6), int(mask.sum())


def regions(x):
    labels = measure.label(_image(x) > 0.55)
    found = []
    for r in measure.regionprops(labels):
        if r.area >= 4:
            found.append((int(r.area), r.bbox))
    return found


def largest_region(x):
    labels = measure.label(_image(x) > 0.5)
    best = None
    for r in measure.regionprops(labels):
        if best is None or r.area > best.area:
            best = r
    if best is None:
        return None
    return best.label, best.centroid


def cleaned(x):
    m = _image(x) > 0.5
    for _ in range(3):
        n = morphology.dilation(m, morphology.disk(1))
        if n.all():
            break
        m = n
    return m.sum(), m


def edges(x):
    e = feature.canny(_image(x), sigma=0.5)
    rows, columns = np.nonzero(e)
    return (rows.min(), columns.max()) if e.any() else "no edges"


def resized(x):
    small = transform.resize(_image(x), (6, 6), anti_aliasing=True)
    return small.round(6), transform.rescale(small, 2).shape


def warped(x):
    t = transform.AffineTransform(rotation=x[0] / 10, translation=(1, 0))
    out = transform.warp(_image(x), t.inverse)
    return out[5:7, 5:7].round(6), t.params.round(6) if t.rotation > 0 else None


def equalized(x):
    im = _image(x)
    if exposure.is_low_contrast(im):
        im = exposure.rescale_intensity(im)
    return exposure.equalize_hist(im).mean().round(6)


def watershed(x):
    im = _image(x)
    at = feature.peak_local_max(im, min_distance=2)
    markers = np.zeros(im.shape, dtype=int)
    for k, (r, c) in enumerate(at, start=1):
        markers[r, c] = k
    return len(at), segmentation.watershed(-im, markers).max()


def contours(x):
    found = measure.find_contours(_image(x), 0.5)
    return [len(c) for c in found if np.allclose(c[0], c[-1])]


def denoised(x):
    im = _image(x)
    best = None
    for w in (0.05, 0.2):
        d = restoration.denoise_tv_chambolle(im, weight=w)
        score = metrics.structural_similarity(im, d, data_range=1.0, win_size=3)
        if best is None or score > best[0]:
            best = (score, w)
    return best[1], round(float(best[0]), 6)


def as_bytes(x):
    b = util.img_as_ubyte(np.clip(_image(x), 0, 1))
    return b.dtype, b[0, :3], int(b.max()) if b.max() > 200 else 0


def fitted_circle(x):
    t = np.linspace(0, 5, 20)
    points = np.stack([abs(x[0]) * np.cos(t) + x[1], abs(x[0]) * np.sin(t)], 1)
    m = measure.CircleModel()
    if m.estimate(points):
        return np.round(m.params, 6)
    return None


def wavelet(x):
    c = pywt.wavedec(np.concatenate([x, x[:2]]), "haar", level=2)
    for k in range(1, len(c)):
        c[k] = pywt.threshold(c[k], 1.0 if x[0] > 0 else 0.1)
    return pywt.waverec(c, "haar")


def wrong_kernel(x):
    try:
        return filters.gaussian(_image(x), sigma=x[0]).sum().round(6)
    except ValueError as e:
        return str(e)


SETS = {}
