#!/usr/bin/python3
"""The ocean diagnosis end to end: script to answer, on real data.

  ocean_test.py LAYOUTD LAYOUTCTL

Runs deploy/demo/ocean/run.sh, which compares every number with independent
values, for both layouts and several thread counts, twice each, and requires
the same bits everywhere. Exits with 77 where the data is not installed.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

DEMO = (pathlib.Path(__file__).resolve().parents[2] / "deploy" / "demo" /
        "ocean")
DATA = pathlib.Path("/usr/share/ferret-vis/data/levitus_climatology.cdf")
STOP_SECONDS = 60
RUN_SECONDS = 120
SKIPPED = 77


def listening_address(output):
    """Reads up to the line that says where layoutd listens; "" if it ends."""
    for line in output:
        if found := re.match(r"layoutd listening on ([^, \n]+)", line):
            return found[1]
    return ""


@contextlib.contextmanager
def running_server(layoutd, threads):
    """Starts layoutd on a free port; gives its address. SIGTERM must end it
    with 0."""
    process = subprocess.Popen(
        [layoutd, "--listen", "127.0.0.1:0", "--threads", str(threads)],
        stdout=subprocess.PIPE, text=True)
    try:
        address = listening_address(process.stdout)
        if not address:
            raise AssertionError("layoutd did not say where it listens")
        yield address
        process.send_signal(signal.SIGTERM)
        if process.wait(STOP_SECONDS) != 0:
            raise AssertionError(f"layoutd exited with {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


class OceanTest(unittest.TestCase):
    layoutd = layoutctl = ""

    def run_demo(self, folder, target, *arguments):
        return subprocess.run(
            [DEMO / "run.sh", folder, *arguments],
            env=dict(os.environ, LAYOUTD_TARGET=target,
                     LAYOUTCTL=self.layoutctl),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=RUN_SECONDS)

    def diagnose(self, target, layout):
        """Runs the demo once; gives what it answered, byte for byte."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_demo(folder, target, "--layout", layout,
                                 "--replace")
            self.assertEqual(done.returncode, 0, done.stdout)
            folder = pathlib.Path(folder)
            # Numbers as text: 17 digits tell every f64 apart.
            run = json.loads((folder / "run.json").read_text(),
                             parse_float=str, parse_int=str)
            return run["reductions"], (folder / "heat.npy").read_bytes()

    def test_same_bits_for_every_layout_thread_count_and_repetition(self):
        answers = {}
        for threads in (1, 2, 7):
            with running_server(self.layoutd, threads) as target:
                for layout in ("VIJFH", "VIJHF"):
                    for repetition in (1, 2):
                        case = (threads, layout, repetition)
                        answers[case] = self.diagnose(target, layout)

        first = answers[(1, "VIJFH", 1)]
        for case, answer in answers.items():
            self.assertEqual(answer[0], first[0], case)
            self.assertTrue(answer[1] == first[1], f"{case}: heat differs")

    def test_a_second_run_without_replace_is_refused_and_says_why(self):
        with (running_server(self.layoutd, 2) as target,
              tempfile.TemporaryDirectory() as folder):
            self.diagnose(target, "VIJFH")
            again = self.run_demo(folder, target)

        self.assertNotEqual(again.returncode, 0)
        self.assertIn("FIELD_EXISTS", again.stdout)


if __name__ == "__main__":
    if not DATA.is_file():
        print(f"{DATA} is not installed")
        sys.exit(SKIPPED)
    OceanTest.layoutd, OceanTest.layoutctl = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
