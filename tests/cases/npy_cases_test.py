#!/usr/bin/python3
"""Cases from public bug reports: .npy files, as NumPy writes and reads them.

  npy_cases_test.py LAYOUTD LAYOUTCTL

Files go through `layoutctl field put` and `get` and a real layoutd; every
case for both layouts, on one thread and on two. With LAYOUTD_LARGE_TESTS set,
a file of more than 2 GiB too.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

SECONDS = 300
LARGE = os.environ.get("LAYOUTD_LARGE_TESTS", "0") not in ("", "0")


@contextlib.contextmanager
def running_server(layoutd, threads):
    """Starts layoutd on a free port; gives its address."""
    process = subprocess.Popen(
        [layoutd, "--listen", "127.0.0.1:0", "--threads", str(threads)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        found = re.match(r"layoutd listening on ([^, \n]+)", line)
        if not found:
            raise AssertionError("layoutd did not say where it listens")
        yield found[1]
        process.send_signal(signal.SIGTERM)
        if process.wait(SECONDS) != 0:
            raise AssertionError(f"layoutd exited with {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


class Session:
    """Calls of layoutctl on one server, with files in one folder."""

    def __init__(self, layoutctl, target, layout, folder):
        self.layoutctl = layoutctl
        self.target = target
        self.layout = layout
        self.folder = pathlib.Path(folder)

    def call(self, *arguments):
        return subprocess.run(
            [self.layoutctl, *arguments], text=True, capture_output=True,
            timeout=SECONDS, env=dict(os.environ, LAYOUTD_TARGET=self.target))

    def __call__(self, *arguments):
        done = self.call(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"layoutctl {arguments}: {done.stderr}")
        return done.stdout

    def create(self, name, value_type, shape, base=None):
        axes = [text for axis, extent in zip(("nv", "ni", "nj", "nh"), shape)
                for text in ("--" + axis, str(extent))]
        self("field", "create", name, "--layout", self.layout, "--type",
             value_type, *axes, *(["--base", base] if base else []))

    def put(self, name, content, *options):
        """`content`: an array, or the bytes of a file."""
        path = self.folder / "in.npy"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            numpy.save(path, content)
        return self.call("field", "put", name, str(path), *options)

    def get(self, name):
        path = self.folder / "out.npy"
        self("field", "get", name, str(path))
        return numpy.load(path)

    def reduce(self, **reductions):
        body = "\n".join(f"{k} = {v}" for k, v in reductions.items())
        return json.loads(self("--json", "run", "reduce {\n%s\n}" % body))[
            "reductions"]


def version(array, major):
    """The bytes of a file of `array` in a format version."""
    stream = io.BytesIO()
    numpy.lib.format.write_array(stream, array, version=(major, 0))
    return stream.getvalue()


def value_at(field, v, i, j, h):
    return (f"sum(select(@v == {v} and @i == {i} and @j == {j} and "
            f"@h == {h}, {field}, 0))")


class NpyCasesTest(unittest.TestCase):
    layoutd = layoutctl = ""

    def sessions(self):
        """A server and folder for each configuration."""
        for layout, threads in (("VIJFH", 1), ("VIJHF", 2)):
            with running_server(self.layoutd, threads) as target, \
                    tempfile.TemporaryDirectory() as folder:
                yield Session(self.layoutctl, target, layout, folder)

    def test_k30_big_endian_numbers_are_not_read_as_native(self):
        for session in self.sessions():
            session.create("f", "f32", (10, 1, 1, 1))
            session.create("i", "i16", (4, 1, 1, 1))
            session.create("s", "{a: f64, b: (f64, i32)}", (1, 1, 1, 3))
            ones = numpy.ones((10, 1, 1, 1), ">f4")
            few = numpy.array([0, 1, 2, 256], ">i2").reshape(4, 1, 1, 1)
            nested = numpy.zeros((1, 1, 1, 3), numpy.dtype(
                [("a", ">f8"), ("b", [("f0", ">f8"), ("f1", ">i4")])],
                align=True))
            nested["a"] = [1, 2, 3]
            nested["b"]["f0"] = 0.5
            nested["b"]["f1"] = [256, -1, 65536]
            for name, array in (("f", ones), ("i", few), ("s", nested)):
                done = session.put(name, array)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                session.reduce(f="sum(f)", i="sum(i)", a="sum(s.a)",
                               b="sum(s.b.0)", c="sum(s.b.1)"),
                {"f": 10.0, "i": 259, "a": 6.0, "b": 1.5, "c": 65791})

    def test_k30_fortran_order_is_not_read_as_c_order(self):
        array = numpy.arange(120, dtype="f8").reshape(2, 3, 4, 5)
        # Nj must be Ni or 1, so the axes of the file are cut to what can be.
        array = array[:, :, :3]
        for session in self.sessions():
            session.create("x", "f64", (2, 3, 3, 5))
            for content in (numpy.asfortranarray(array),
                            numpy.ascontiguousarray(array), array,
                            array[::-1, :, ::-1, ::-1][::-1, :, ::-1, ::-1]):
                done = session.put("x", content)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(
                    session.reduce(a=value_at("x", 1, 2, 2, 4),
                                   b=value_at("x", 0, 1, 0, 0),
                                   c=value_at("x", 0, 0, 0, 1)),
                    {"a": 114.0, "b": 20.0, "c": 1.0})
                self.assertTrue((session.get("x") == array).all())

    def test_k30_the_whole_array_of_the_report(self):
        array = numpy.asfortranarray(
            numpy.arange(120, dtype="f8").reshape(2, 3, 4, 5))
        # (2, 3, 4, 5) is no shape of a field; as (2, 12, 1, 5) it is.
        for session in self.sessions():
            session.create("x", "f64", (2, 3, 1, 20))
            done = session.put("x", array)
            self.assertEqual(done.returncode, 1)
            for text in ("(2, 3, 4, 5)", "(2, 3, 1, 20)"):
                self.assertIn(text, done.stderr)
            session.create("y", "f64", (2, 12, 1, 5))
            done = session.put("y", array.reshape(2, 12, 1, 5))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                session.reduce(a=value_at("y", 1, 11, 0, 4),
                               b=value_at("y", 0, 4, 0, 0),
                               c=value_at("y", 0, 0, 0, 1)),
                {"a": 119.0, "b": 20.0, "c": 1.0})

    def test_k30_headers_of_every_version_are_read(self):
        array = numpy.arange(184, dtype="f8").reshape(184, 1, 1, 1)
        for session in self.sessions():
            session.create("x", "f64", (184, 1, 1, 1))
            for major in (1, 2, 3):
                done = session.put("x", version(array * major, major))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(session.reduce(total="sum(x)"),
                                 {"total": 16836.0 * major})

    def test_k30_other_shapes_are_refused_by_name(self):
        for session in self.sessions():
            session.create("x", "f64", (184, 1, 1, 1))
            for array, shape in ((numpy.ones(184), "(184,)"),
                                 (numpy.float64(1), "()"),
                                 (numpy.ones((2, 92, 1, 1)), "(2, 92, 1, 1)")):
                done = session.put("x", numpy.asarray(array))
                self.assertEqual(done.returncode, 1)
                self.assertIn("SHAPE_MISMATCH", done.stderr)
                self.assertIn(shape, done.stderr)
            self.assertEqual(session.reduce(total="sum(x)"), {"total": 0.0})

    def test_k29_aligned_and_packed_structs_load_alike(self):
        types = (([("a", "i4"), ("b", "i8")], "{a: i32, b: i64}", 16, 12),
                 ([("a", "i1"), ("b", "f8"), ("c", "u2")],
                  "{a: i8, b: f64, c: u16}", 24, 11))
        for session in self.sessions():
            for number, (members, text, aligned, packed) in enumerate(types):
                name = f"x{number}"
                session.create(name, text, (1, 4, 1, 3))
                contents = []
                for is_aligned in (True, False):
                    dtype = numpy.dtype(members, align=is_aligned)
                    self.assertEqual(dtype.itemsize,
                                     aligned if is_aligned else packed)
                    # Garbage wherever no member lies.
                    array = numpy.frombuffer(
                        b"\xee" * (12 * dtype.itemsize), dtype).copy()
                    for k, (member, _) in enumerate(members):
                        array[member] = numpy.arange(12) + 10 * k
                    array = array.reshape(1, 4, 1, 3)
                    done = session.put(name, array)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    back = session.get(name)
                    self.assertEqual(back.dtype,
                                     numpy.dtype(members, align=True))
                    for member, _ in members:
                        self.assertTrue((back[member] == array[member]).all())
                    contents.append((session.folder / "out.npy").read_bytes())
                self.assertEqual(contents[0], contents[1])
                self.assertNotIn(b"\xee", contents[0])
            self.assertEqual(
                session.reduce(a="sum(x0.a)", b="sum(x0.b)", c="sum(x1.a)",
                               d="sum(x1.b)", e="sum(x1.c)"),
                {"a": 66, "b": 186, "c": 66, "d": 186.0, "e": 306})

    def test_k29_components_over_every_base_type(self):
        s = numpy.add.outer(numpy.arange(4.0), 10 * numpy.arange(3.0))
        for session in self.sessions():
            for base in ("f32", "f64", "i8"):
                name = "r_" + base
                session.create(name, "{a: f64, b: f64}", (1, 4, 1, 3), base)
                session.create("s_" + base, "f64", (1, 4, 1, 3))
                session.put("s_" + base, s.reshape(1, 4, 1, 3))
                session("field", "fill", name + ".b", "7")
                session("run", f"{name}.a = s_{base}\n"
                        f"{name}.b = 93 + {name}.b + {name}.a")
                self.assertEqual(
                    session.reduce(a=f"sum({name}.a)", b=f"sum({name}.b)",
                                   last=value_at(name + ".b", 0, 3, 0, 2)),
                    {"a": 138.0, "b": 1338.0, "last": 123.0})
                self.assertTrue(
                    (session.get(name)["a"][0, :, 0, :] == s).all())

    def test_k12_a_negative_zero_is_kept_by_fill_and_by_files(self):
        for session in self.sessions():
            session.create("x", "f64", (3, 1, 1, 1))
            session("field", "fill", "x", "-0.0")
            self.assertEqual(session.reduce(low="min(1 / x)"),
                             {"low": "-Infinity"})
            self.assertTrue(numpy.signbit(session.get("x")).all())
            session("field", "fill", "x", "1")
            session.put("x", numpy.full((3, 1, 1, 1), -0.0))
            self.assertEqual(session.reduce(high="max(1 / x)"),
                             {"high": "-Infinity"})

    def test_k14_a_file_of_no_points_goes_both_ways(self):
        for session in self.sessions():
            session.create("x", "f64", (5, 1, 1, 0))
            done = session.put("x", numpy.zeros((5, 1, 1, 0)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(session.get("x").shape, (5, 1, 1, 0))
            self.assertEqual(session.reduce(total="sum(x)", n="count(x > 0)"),
                             {"total": 0.0, "n": 0})
            done = session.call("run", "reduce { low = min(x) }")
            self.assertEqual(done.returncode, 1)
            self.assertIn("NO_ACTIVE_POINT", done.stderr)

    @unittest.skipUnless(LARGE, "LAYOUTD_LARGE_TESTS is not set")
    def test_k13_a_file_of_more_than_2_gib_goes_both_ways(self):
        count = 268435459
        array = numpy.ones((1, 1, 1, count))
        array[..., -1] = 5
        for session in self.sessions():
            session.create("x", "f64", array.shape)
            done = session.put("x", array)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                session.reduce(total="sum(x)",
                               where="sum(select(x == 5, @h, 0))"),
                {"total": 268435463.0, "where": count - 1})
            shown = json.loads(session("--json", "field", "show", "x"))
            self.assertEqual(int(shown["size_bytes"]), 2147483672)
            session("field", "get", "x", str(session.folder / "out.npy"))
            back = numpy.load(session.folder / "out.npy", mmap_mode="r")
            for begin in range(0, count, 1 << 26):
                part = slice(begin, begin + (1 << 26))
                self.assertTrue(
                    (back[..., part] == array[..., part]).all())


if __name__ == "__main__":
    NpyCasesTest.layoutd, NpyCasesTest.layoutctl = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
