"""The `layoutd` process as an operator meets it: what it prints, how it ends.

usage: daemon_test.py PATH_TO_LAYOUTD
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

LAYOUTD = None
LINE = re.compile(r"layoutd listening on (127\.0\.0\.1:[1-9]\d*)(, .*)?\n")


def environment(**variables):
    """This process's environment without LAYOUTD_*, plus `variables`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LAYOUTD")}
    return {**clean, **variables}


def run_to_end(*arguments):
    return subprocess.run([LAYOUTD, *arguments], env=environment(),
                          capture_output=True, text=True, timeout=60)


class Daemon:
    """A running layoutd; ended when the block is left."""

    def __init__(self, *arguments, **variables):
        self.process = subprocess.Popen(
            [LAYOUTD, "--memory-limit", "64MiB", *arguments],
            env=environment(**variables), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        self.line = self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    @property
    def address(self):
        host, port = LINE.fullmatch(self.line).group(1).split(":")
        return host, int(port)

    def end(self, *signals):
        """Sends `signals`; returns the exit code and the rest of stdout."""
        for number in signals:
            self.process.send_signal(number)
        rest, self.log = self.process.communicate(timeout=60)
        return self.process.returncode, rest


class DaemonTest(unittest.TestCase):

    def test_prints_one_line_with_its_real_port_when_it_can_be_reached(self):
        with Daemon("--listen", "127.0.0.1:0") as daemon:
            self.assertRegex(daemon.line, LINE)
            socket.create_connection(daemon.address, timeout=10).close()
            self.assertEqual(daemon.end(signal.SIGTERM), (0, ""))

    def test_sigterm_and_sigint_drain_and_exit_with_zero(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Daemon("--listen", "127.0.0.1:0") as daemon:
                self.assertEqual(daemon.end(number)[0], 0)
                self.assertIn("drained", daemon.log)

    def test_listens_on_what_the_environment_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/layoutd.sock"
            with Daemon(LAYOUTD_LISTEN="127.0.0.1:0,unix:" + path) as daemon:
                self.assertTrue(daemon.line.endswith(f", unix:{path}\n"),
                                daemon.line)
                client = socket.socket(socket.AF_UNIX)
                client.connect(path)
                client.close()
                self.assertEqual(daemon.end(signal.SIGTERM)[0], 0)
            self.assertFalse(os.path.exists(path))

    def test_starts_again_where_a_killed_one_left_its_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/layoutd.sock"
            with Daemon("--listen", "unix:" + path) as daemon:
                daemon.end(signal.SIGKILL)
            self.assertTrue(os.path.exists(path))
            with Daemon("--listen", "unix:" + path) as daemon:
                self.assertEqual(daemon.line,
                                 f"layoutd listening on unix:{path}\n")

    def test_second_signal_ends_at_once(self):
        with Daemon("--listen", "127.0.0.1:0") as daemon:
            # An upload that never ends keeps the drain waiting.
            upload = hold_upload(daemon.address)
            daemon.process.send_signal(signal.SIGTERM)
            while "draining" not in daemon.process.stderr.readline():
                pass
            code, _ = daemon.end(signal.SIGTERM)
            upload.close()
            self.assertEqual(code, 128 + signal.SIGTERM)

    def test_port_in_use_is_exit_one_with_one_clear_line(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            ended = run_to_end("--listen", address)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertEqual(
            ended.stderr, "layoutd: cannot listen on "
            f"{address}: Address already in use\n")

    def test_usage_error_is_exit_two_with_nothing_on_stdout(self):
        for arguments in (["--listen", "0.0.0.0:0"], ["--threads", "x"],
                          ["--listen", "example.org:80"], ["--what"]):
            ended = run_to_end(*arguments)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            self.assertTrue(ended.stderr.startswith("layoutd: "))
            self.assertEqual(ended.stderr.count("\n"), 1)

    def test_device_that_is_not_there_is_an_error(self):
        ended = run_to_end("--listen", "127.0.0.1:0", "--device", "cuda:0")
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(ended.stdout, "")
        self.assertIn("cuda", ended.stderr)

    def test_help_is_on_stdout(self):
        ended = run_to_end("--help")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("--memory-limit", ended.stdout)


def hold_upload(address):
    """Opens a WriteField stream over bare HTTP/2 and leaves it open."""

    def frame(kind, flags, stream, payload):
        return (len(payload).to_bytes(3, "big") + bytes([kind, flags]) +
                stream.to_bytes(4, "big") + payload)

    def header(name, value):
        # A literal without indexing, name and value as plain strings.
        name, value = name.encode(), value.encode()
        return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

    headers = b"".join([
        header(":method", "POST"),
        header(":scheme", "http"),
        header(":path", "/layoutd.v1.FieldService/WriteField"),
        header(":authority", "localhost"),
        header("te", "trailers"),
        header("content-type", "application/grpc"),
    ])
    connection = socket.create_connection(address, timeout=30)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                       frame(4, 0, 0, b"") + frame(1, 4, 1, headers) +
                       # A ping: its answer comes after the headers were read.
                       frame(6, 0, 0, b"layoutd!"))
    received = b""
    while b"layoutd!" not in received:
        received += connection.recv(4096)
    return connection


if __name__ == "__main__":
    LAYOUTD = sys.argv.pop(1)
    unittest.main(verbosity=2)
