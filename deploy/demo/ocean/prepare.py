#!/usr/bin/python3
"""Writes the input fields of the ocean diagnosis as .npy files.

  prepare.py FOLDER [--data FILE]

FILE is levitus_climatology.cdf of Debian's ferret-datasets: temperature of the
NOAA World Ocean Atlas on 20 levels, 180 latitudes, 360 longitudes. The grid is
cut into 45 x 90 elements of 4 x 4 columns: longitude x = 4 * (h mod 90) + i,
latitude y = 4 * (h div 90) + j.

temp  (20, 4, 4, 4050)  degrees Celsius, NaN where there is no ocean
dz    (20, 1, 1, 1)     thickness of each level, m
depth (20, 1, 1, 1)     depth of each level, m
area  (1, 4, 4, 4050)   area of each cell, m2
"""
import argparse
import pathlib

import netCDF4
import numpy as np

LEVITUS = "/usr/share/ferret-vis/data/levitus_climatology.cdf"
NUM_LEVELS, NUM_LATITUDES, NUM_LONGITUDES = 20, 180, 360
NODES = 4  # columns of an element along each side
EARTH_RADIUS_M = 6371000.0


def elements(grid):
    """(level, latitude, longitude) -> (v, i, j, h)."""
    levels = grid.shape[0]
    rows, columns = NUM_LATITUDES // NODES, NUM_LONGITUDES // NODES
    cut = grid.reshape(levels, rows, NODES, columns, NODES)
    cut = cut.transpose(0, 4, 2, 1, 3)  # v, i, j, element row, element column
    return cut.reshape(levels, NODES, NODES, rows * columns)


def cell_areas(latitudes, longitudes):
    step = latitudes[1] - latitudes[0]
    width = np.deg2rad(longitudes[1] - longitudes[0])
    # Edges in degrees, where they are exact, and only then in radians.
    north = np.sin(np.deg2rad(latitudes + step / 2))
    south = np.sin(np.deg2rad(latitudes - step / 2))
    row = EARTH_RADIUS_M**2 * width * (north - south)
    return np.repeat(row[None, :, None], NUM_LONGITUDES, axis=2)


def read_inputs(path):
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        temp = data["TEMP"][:].astype(np.float64)
        temp[data["TEMP"][:] == data["TEMP"].missing_value] = np.nan
        want = (NUM_LEVELS, NUM_LATITUDES, NUM_LONGITUDES)
        if temp.shape != want:
            raise SystemExit(f"{path}: TEMP is {temp.shape}, want {want}")
        depth = data["ZAXLEVITR"][:].astype(np.float64)
        dz = np.diff(data["ZAXLEVITRedges"][:].astype(np.float64))
        area = cell_areas(data["YAXLEVITR"][:], data["XAXLEVITR"][:])
    return {
        "temp": elements(temp),
        "dz": dz.reshape(NUM_LEVELS, 1, 1, 1),
        "depth": depth.reshape(NUM_LEVELS, 1, 1, 1),
        "area": elements(area),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--data", default=LEVITUS)
    args = parser.parse_args()
    if not pathlib.Path(args.data).is_file():
        raise SystemExit(
            f"{args.data} is not there; deploy/install_packages.sh demo")
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, values in read_inputs(args.data).items():
        np.save(args.folder / f"{name}.npy", np.asfortranarray(values))


if __name__ == "__main__":
    main()
