#!/usr/bin/env python3
"""Fails if a source file includes what its place in the tree may not see.

  layering_test.py ROOT

The rules are the module graph of engine/README.md. tests/ may include anything.
"""
import pathlib
import re
import sys
import unittest

# From the door down; a module sees itself and every module on a lower layer.
LAYERS = [
    {"engine"},
    {"engine/run", "engine/io"},
    {"engine/jit", "engine/kernels"},
    {"engine/program", "engine/device"},
    {"engine/layout"},
    {"engine/base"},
]
DEPTH = {module: depth
         for depth, layer in enumerate(LAYERS) for module in layer}

# server/ sees the door, the values that pass through it, and of engine/run only
# what the door itself shows.
DOOR = "engine/engine.h"
SEEN_BY_SERVER = {"server", "engine", "engine/base", "engine/layout",
                  "engine/program"}

# Header prefix -> the only folders whose files may include it.
THIRD_PARTY = {
    "grpcpp/": r"server/|client/",
    "grpc/": r"server/|client/",
    "google/": r"server/|client/",  # protobuf
    "layoutd/v1/": r"server/|client/",  # generated from proto/
    "llvm/": r"engine/jit/",
    "llvm-c/": r"engine/jit/",
    "tbb/": r"engine/run/|engine/\w+/cpu/",
    "oneapi/": r"engine/run/|engine/\w+/cpu/",
    "cuda": r"engine/\w+/(cuda|nvptx)/",
}

# Folder of a module that belongs to one kind of device -> that kind.
BACKEND = {"cpu": "cpu", "cuda": "cuda", "nvptx": "cuda", "sim": "sim"}

SUFFIXES = {".h", ".cc", ".cuh", ".cu"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)


def module(path):
    """The module of a file, or None for one that is not ours."""
    parts = path.split("/")
    if parts[0] == "engine":
        return "/".join(parts[:2]) if len(parts) > 2 else "engine"
    return parts[0] if parts[0] in ("server", "client") else None


def backend(path):
    """(module, kind of device) of a file in a backend folder, else None."""
    parts = path.split("/")
    if parts[0] == "engine" and len(parts) > 3 and parts[2] in BACKEND:
        return "/".join(parts[:2]), BACKEND[parts[2]]
    return None


def may_see(home, target, door_includes):
    seen = module(target)
    if seen is None or seen == home:
        return True
    if home == "server":
        return seen in SEEN_BY_SERVER or target in door_includes
    return home in DEPTH and seen in DEPTH and DEPTH[seen] > DEPTH[home]


def may_see_backend(path, target):
    there = backend(target)
    if there is None or path == f"{there[0]}/open.cc":
        return True
    here = backend(path)
    return here is not None and here[1] == there[1]


def violations(files):
    """Yields one line for each forbidden include in `files`, path -> text."""
    door_includes = set(INCLUDE.findall(files.get(DOOR, "")))
    for path, text in sorted(files.items()):
        home = module(path)
        if home is None:
            continue
        if home.startswith("engine/") and home not in DEPTH:
            yield f"{path}: {home} has no layer"
        for target in INCLUDE.findall(text):
            if not may_see(home, target, door_includes):
                yield f"{path}: {home} may not include {target}"
            if not may_see_backend(path, target):
                yield (f"{path}: only open.cc and the same backend may include "
                       f"{target}")
            for prefix, folders in THIRD_PARTY.items():
                if target.startswith(prefix) and not re.match(folders, path):
                    yield f"{path}: only {folders} may include {target}"


def sources(root):
    return {path.relative_to(root).as_posix(): path.read_text()
            for top in ("engine", "server", "client")
            for path in sorted((root / top).rglob("*"))
            if path.suffix in SUFFIXES}


class LayeringTest(unittest.TestCase):
    root = pathlib.Path(".")

    def assert_refused(self, path, target):
        files = {DOOR: "", path: f'#include "{target}"\n'}
        self.assertEqual(len(list(violations(files))), 1, (path, target))

    def assert_allowed(self, path, target):
        files = {DOOR: '#include "engine/run/execute.h"\n',
                 path: f'#include "{target}"\n'}
        self.assertEqual(list(violations(files)), [], (path, target))

    def test_every_include_of_the_tree_is_allowed(self):
        files = sources(self.root)

        self.assertIn(DOOR, files)
        self.assertEqual("\n".join(violations(files)), "")

    def test_an_include_against_the_arrows_is_found(self):
        for path, target in [
            ("engine/layout/shape.h", "engine/program/graph.h"),
            ("engine/base/error.h", "engine/layout/shape.h"),
            ("engine/program/plan.cc", "engine/device/device.h"),
            ("engine/kernels/pack.cc", "engine/jit/compiler.h"),
            ("engine/jit/emit.cc", "engine/run/execute.h"),
            ("engine/run/execute.cc", "engine/engine.h"),
            ("engine/engine.cc", "server/server.h"),
            ("server/main.cc", "engine/jit/compiler.h"),
            ("server/main.cc", "engine/run/budget.h"),
            ("server/main.cc", "client/cpp/client.h"),
            ("client/cpp/client.cc", "engine/base/error.h"),
            ("client/cpp/client.cc", "server/server.h"),
        ]:
            self.assert_refused(path, target)

    def test_an_include_along_the_arrows_is_allowed(self):
        for path, target in [
            ("engine/jit/emit.cc", "engine/base/error.h"),
            ("engine/run/execute.cc", "engine/kernels/pack.h"),
            ("engine/engine.cc", "engine/jit/compiler.h"),
            ("server/decode.cc", "engine/engine.h"),
            ("server/decode.cc", "engine/run/execute.h"),
            ("server/decode.cc", "layoutd/v1/field.pb.h"),
            ("client/cpp/client.h", "layoutd/v1/field.grpc.pb.h"),
        ]:
            self.assert_allowed(path, target)

    def test_a_library_outside_its_folders_is_found(self):
        for path, target in [
            ("engine/engine.cc", "grpcpp/grpcpp.h"),
            ("engine/engine.h", "layoutd/v1/field.pb.h"),
            ("engine/run/execute.cc", "google/protobuf/message.h"),
            ("engine/run/execute.cc", "llvm/IR/Module.h"),
            ("engine/jit/kernel_cache.cc", "oneapi/tbb/parallel_for.h"),
            ("server/main.cc", "tbb/parallel_for.h"),
            ("engine/device/device.h", "cuda_runtime.h"),
        ]:
            self.assert_refused(path, target)

    def test_a_library_in_its_folders_is_allowed(self):
        for path, target in [
            ("engine/jit/cpu/orc.cc", "llvm/IR/Module.h"),
            ("engine/device/cpu/cpu_device.cc", "oneapi/tbb/parallel_for.h"),
            ("engine/run/reduce_points.cc", "tbb/parallel_for.h"),
            ("server/server.cc", "grpcpp/grpcpp.h"),
            ("client/cpp/client.cc", "grpcpp/grpcpp.h"),
        ]:
            self.assert_allowed(path, target)

    def test_a_backend_is_seen_only_by_open_and_by_its_kind(self):
        self.assert_allowed("engine/jit/open.cc", "engine/jit/cpu/orc.h")
        self.assert_allowed("engine/jit/cpu/orc.cc", "engine/device/cpu/pool.h")
        self.assert_refused("engine/jit/emit.cc", "engine/jit/cpu/orc.h")
        self.assert_refused("engine/jit/open.cc", "engine/device/cpu/pool.h")
        self.assert_refused("engine/jit/cpu/orc.cc",
                            "engine/device/sim/fiber.h")

    def test_a_new_module_needs_a_layer(self):
        files = {DOOR: "", "engine/extras/thing.h": ""}

        self.assertEqual(list(violations(files)),
                         ["engine/extras/thing.h: engine/extras has no layer"])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        LayeringTest.root = pathlib.Path(sys.argv.pop(1))
    unittest.main()
