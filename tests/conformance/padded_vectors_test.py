"""The vectors of padded_vectors.json: mappings, their parts and conversions.

  padded_vectors_test.py COMPILER SOURCE_DIR

Most of what a vector says is a type, so each becomes a few lines of C++ that
print what they got. They are compiled here, when the test runs: LAYOUTD_VECTORS
may name a folder whose vectors no build has seen. Every key has to be known.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SECTIONS = ("mapping", "submdspan", "conversion", "equality")
# One compiler run takes this many vectors, so that none needs much memory.
CHUNK = 100
SKIPPED = 77  # SKIP_RETURN_CODE of the test
# What other implementations give, and remarks: `expect` alone is right.
IGNORED = {"peer", "peer_agrees", "diff_fields", "peer_offset", "note",
           "draft_literal", "peer_constructible", "peer_implicit", "group"}
KEYS = {
    "mapping": {"id", "ctor", "expect"},
    "submdspan": {"id", "source", "slices", "expect", "expect_offset"},
    "conversion": {"id", "source", "dst", "expect_constructible",
                   "expect_implicit", "result"},
    "equality": {"id", "a", "b", "expect"},
}


def static(value):
    return "dynamic_extent" if value == "dyn" else str(value)


def extents_type(mapping):
    return "extents<" + ", ".join(
        ["int"] + [static(e) for e in mapping["static_extents"]]) + ">"


def mapping_type(mapping):
    padding = mapping["padding_value"]
    layout = "layout_" + mapping["layout"]
    if padding is not None:
        layout += f"<{static(padding)}>"
    return f"{layout}::mapping<{extents_type(mapping)}>"


def extents_value(mapping):
    values = ", ".join(map(str, mapping["extents"]))
    return f"{extents_type(mapping)}({values})"


def mapping_value(mapping):
    kind, shape = mapping_type(mapping), extents_value(mapping)
    if mapping["layout"] == "stride":
        rank = len(mapping["extents"])
        strides = ", ".join(map(str, mapping["strides"]))
        return f"{kind}({shape}, std::array<int, {rank}>{{{strides}}})"
    if mapping["padding_value"] == "dyn" and len(mapping["extents"]) > 1:
        # A stride of 0, over an empty axis, is what any padding gives.
        return f"{kind}({shape}, {mapping['padding_stride'] or 1})"
    return f"{kind}({shape})"


def number(value):
    return f"cw<{value['v']}>" if value["static"] else str(value["v"])


def slice_value(s):
    """Returns the C++ values of a slice: as written, and other ways to say it."""
    kind = s["t"]
    if kind == "full":
        check_keys("slice", s, {"t"})
        return ["full_extent"]
    if kind == "index":
        check_keys("slice", s, {"t", "i"})
        return [number(s["i"])]
    if kind == "pair":
        check_keys("slice", s, {"t", "first", "last"})
        both = f"{number(s['first'])}, {number(s['last'])}"
        return [f"std::pair{{{both}}}", f"range_slice{{{both}}}"]
    if kind == "strided":
        check_keys("slice", s, {"t", "offset", "span", "stride", "count_cpp26"})
        offset, span, stride = s["offset"], s["span"], s["stride"]
        # The width of the range is a constant: so is then the count, if the
        # stride is one too.
        count = {"v": s["count_cpp26"],
                 "static": span["static"] and (stride["static"] or
                                               span["v"] == 0)}
        values = [f"extent_slice{{{number(offset)}, {number(count)}, "
                  f"{number(stride)}}}"]
        if offset["static"] == span["static"]:
            last = {"v": offset["v"] + span["v"], "static": span["static"]}
            values.append(f"range_slice{{{number(offset)}, {number(last)}, "
                          f"{number(stride)}}}")
        return values
    raise ValueError(f"unknown slice {s}")


def check_keys(path, record, known):
    unknown = set(record) - known
    if unknown:
        raise ValueError(f"{path}: nothing reads {sorted(unknown)}")


def statements(section, v):
    """Returns C++ that prints `id` and what the vector asks for as JSON."""
    check_keys(v["id"], v, KEYS[section] | IGNORED)
    name = json.dumps(v["id"])
    if section == "mapping":
        e = v["expect"]
        ctor, _, padding = v["ctor"].partition(",")
        kind, shape = mapping_type(e), extents_value(e)
        if ctor == "default":
            value = f"{kind}()"
        elif ctor == "extents":
            value = f"{kind}({shape}{', ' + padding if padding else ''})"
        else:
            raise ValueError(f"{v['id']}: unknown constructor {v['ctor']}")
        return f"Print({name}, DescribeMapping({value}));"
    if section == "submdspan":
        choices = [slice_value(s) for s in v["slices"]]
        lines = [f"const auto source = {mapping_value(v['source'])};",
                 f"Print({name}, DescribeMapping(source));"]
        for choice in range(max([len(c) for c in choices], default=1)):
            slices = "".join(", " + c[min(choice, len(c) - 1)] for c in choices)
            lines.append(f"Part({name}, source, "
                         f"submdspan_mapping(source{slices}));")
        return " ".join(lines)
    if section == "conversion":
        source, target = v["source"], mapping_type(v["dst"])
        check_keys(v["id"], v["dst"],
                   {"layout", "padding_value", "static_extents"})
        kind = mapping_type(source)
        lines = [f"Print({name}, std::is_constructible_v<{target}, {kind}> ? "
                 '"true" : "false");',
                 f"Print({name}, std::is_convertible_v<{kind}, {target}> ? "
                 '"true" : "false");']
        if "result" in v:
            lines.append(f"Print({name}, DescribeMapping({target}("
                         f"{mapping_value(source)})));")
        return " ".join(lines)
    return (f"Print({name}, {mapping_value(v['a'])} == {mapping_value(v['b'])}"
            ' ? "true" : "false");')


def expected(section, v):
    """Returns what the statements of the vector have to print."""
    if section == "mapping":
        return [v["expect"]]
    if section == "submdspan":
        part = [v["expect"], v["expect_offset"]]
        choices = max([len(slice_value(s)) for s in v["slices"]], default=1)
        return [v["source"]] + part * choices
    if section == "conversion":
        result = [v["result"]] if "result" in v else []
        return [v["expect_constructible"], v["expect_implicit"]] + result
    return [v["expect"]]


PROLOGUE = """
#include <array>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "tests/support/describe_mapping.h"

using namespace layoutd;

void Print(const char* id, const std::string& json) {
  std::printf("%s %s\\n", id, json.c_str());
}
template <typename Source, typename Result>
void Part(const char* id, const Source&, const Result& part) {
  Print(id, DescribeMapping(part.mapping));
  Print(id, std::to_string(part.offset));
}
"""


def run(compiler, source_dir, folder, index, chunk):
    """Returns the JSON values each vector of the chunk printed, by id."""
    bodies, calls = [], []
    for number_of, (section, v) in enumerate(chunk):
        bodies.append(f"void Vector{number_of}() {{ {statements(section, v)} }}")
        calls.append(f"  Vector{number_of}();")
    text = PROLOGUE + "\n".join(bodies) + "\nint main() {\n" + "\n".join(
        calls) + "\n}\n"
    source = pathlib.Path(folder) / f"vectors_{index}.cc"
    binary = source.with_suffix("")
    source.write_text(text)
    subprocess.run([compiler, "-std=c++20", "-O0", "-Wall", "-Wextra",
                    "-Werror", "-I", source_dir, source, "-o", binary],
                   check=True)
    output = subprocess.run([binary], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    got = {}
    for line in output.splitlines():
        name, _, value = line.partition(" ")
        got.setdefault(name, []).append(json.loads(value))
    return got


def differences(want, got):
    # A conversion's result says less than a whole mapping.
    if isinstance(want, dict) and isinstance(got, dict):
        return [f"{key}: {got.get(key)}, not {value}"
                for key, value in want.items()
                if key not in got or got[key] != value]
    return [] if want == got and type(want) is type(got) else [
        f"{got}, not {want}"]


def main():
    compiler, source_dir = sys.argv[1:3]
    folder = os.environ.get("LAYOUTD_VECTORS") or f"{source_dir}/tests/vectors"
    path = pathlib.Path(folder) / "padded_vectors.json"
    if not path.exists():
        print(f"skipped: {path} is not there")
        return SKIPPED
    document = json.loads(path.read_text())
    check_keys(path.name, document, set(SECTIONS) | {"meta"})
    vectors = [(section, v) for section in SECTIONS
               for v in document.get(section, [])]
    failures = 0
    with tempfile.TemporaryDirectory() as build:
        for index in range(0, len(vectors), CHUNK):
            chunk = vectors[index:index + CHUNK]
            printed = run(compiler, source_dir, build, index // CHUNK, chunk)
            for section, v in chunk:
                want, got = expected(section, v), printed.get(v["id"], [])
                faults = [] if len(want) == len(got) else [
                    f"{len(got)} values, not {len(want)}"]
                for w, g in zip(want, got):
                    faults += differences(w, g)
                failures += bool(faults)
                for fault in faults:
                    print(f"{v['id']}: {fault}")
    print(f"{len(vectors) - failures} of {len(vectors)} vectors pass")
    return 1 if failures or not vectors else 0


if __name__ == "__main__":
    sys.exit(main())
