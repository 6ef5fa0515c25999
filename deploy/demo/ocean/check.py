#!/usr/bin/python3
"""Compares the heat content that came back with a NumPy recomputation.

  check.py FOLDER     holds temp.npy, dz.npy (prepare.py) and heat.npy

Exits with 1 unless every column agrees to 1e-13 relative (NaN where there is no
ocean).
"""
import pathlib
import sys

import numpy as np

RELATIVE_TOLERANCE = 1e-13


def expected_heat(temp, dz):
    heat = np.zeros_like(temp[:1])
    for level in range(temp.shape[0]):
        warmth = 1025.0 * 3985.0 * temp[level] * dz[level]
        heat[0] += np.where(np.isfinite(temp[level]), warmth, 0.0)
    land = np.isnan(temp[:1])
    heat[land] = np.nan
    return heat


def main():
    folder = pathlib.Path(sys.argv[1])
    temp, dz, heat = (np.load(folder / f"{name}.npy")
                      for name in ("temp", "dz", "heat"))
    want = expected_heat(temp, dz)
    if heat.shape != want.shape or heat.dtype != want.dtype:
        sys.exit(f"check: heat.npy is {heat.dtype} {heat.shape}, "
                 f"want {want.dtype} {want.shape}")
    if not np.array_equal(np.isnan(heat), np.isnan(want)):
        sys.exit("check: heat.npy has NaN in other columns than expected")
    sea = ~np.isnan(want)
    scale = np.maximum(np.abs(want[sea]), np.finfo(np.float64).tiny)
    off = np.abs(heat[sea] - want[sea]) / scale
    if off.max() > RELATIVE_TOLERANCE:
        sys.exit(f"check: heat.npy is off by {off.max():g} relative, "
                 f"at most {RELATIVE_TOLERANCE:g} is allowed")
    print(f"  heat.npy: {heat.size} columns, as NumPy computes them "
          f"(largest difference {off.max():g})")


if __name__ == "__main__":
    main()
