#!/usr/bin/python3
"""Prints the ocean diagnosis and compares it with independent values.

  report.py RUN.json MASK.json

RUN.json is what `layoutctl run --json` printed, MASK.json what `layoutctl mask
show --json` did. Exits with 1 if a number is off.
"""
import json
import sys

RELATIVE_TOLERANCE = 1e-12

# Label, where the value is found, the value by NumPy with exact summation.
# Integers must match exactly.
QUANTITIES = [
    ("active columns", "active_columns", 42164),
    ("ocean area, m2", "surface_area", 357765309496003.19),
    ("volume, m3", "volume", 1.2920276019522319e18),
    ("heat content, J", "total", 2.0395526226639957e25),
    ("volume-weighted mean temperature, C", "tmean", 3.8646567972088559),
    ("area-weighted mean surface temperature, C", "surface_mean",
     18.103284471672112),
    ("points warmer than 20 C in active columns", "warm", 110703),
    ("minimum temperature, C", "tmin", -2.0199999809265137),
    ("maximum temperature, C", "tmax", 29.740001678466797),
    ("area-weighted mean depth of 20 C water, m", "d20_mean",
     56.194299846242686),
]


def matches(value, want):
    if type(value) is not type(want):
        return False
    if isinstance(want, int):
        return value == want
    return abs(value - want) <= RELATIVE_TOLERANCE * abs(want)


def text(value):
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def main():
    run, mask = (json.load(open(path)) for path in sys.argv[1:3])
    values = dict(run["reductions"], active_columns=mask["active_columns"])
    wrong = []
    for label, key, want in QUANTITIES:
        value = values.get(key)
        print(f"  {label:<42} {text(value):>24}")
        if not matches(value, want):
            wrong.append(f"{label}: got {text(value)}, want {text(want)}")
    for line in wrong:
        print(f"report: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"  all as expected (counts exactly, the rest to "
          f"{RELATIVE_TOLERANCE:g})")


if __name__ == "__main__":
    main()
