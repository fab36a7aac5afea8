#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# The common part of the tests of launchers. They run `atoll run` with launcher_member, whose ranks follow given
# steps, and with plain programs, and check exit codes, messages, and that nothing is left behind.
#
# Every process of a test inherits a mark in its environment; after each test no living process
# with that mark may be left. Every wait has a time-out, far above what the launcher promises,
# because the machine may stand still for seconds, and far below the 600 s for which a rank
# sleeps that is to be ended: nothing is left because it came to its own end.
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import suite  # noqa: E402

ATOLL = MEMBER = None
SLOWNESS = int(os.environ.get("LAUNCHER_TEST_SLOWNESS", 1))  # of sanitized programs
PATIENCE_S = 60 * SLOWNESS  # longest wait for anything
# A program that refuses to begin, in a folder of the test: all ranks exit, and the first one prints why a
# little later than the others.
REFUSING = ("if [ $ATOLL_RANK = 0 ]; then until [ -s others ] && ! kill -0 $(cat others) 2>&-; do sleep 0.01; done; "
            "sleep 0.05; echo because >&2; else echo $$ >>others; fi; exit 2")


def processes_with(mark):
    """The running processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                marked = mark.encode() in environ.read()
            with open(f"/proc/{pid}/stat") as stat:
                dead = stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if marked and not dead:
            found.append(int(pid))
    return found


def wait_for(condition, event, limit_s=PATIENCE_S):
    """Polls until the condition returns a true value, and returns that."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        got = condition()
        if got:
            return got
        time.sleep(0.01)
    raise AssertionError(f"waited in vain for: {event}")


def first_matching(attempts, wanted):
    """Returns when the text of an attempt matches all of `wanted`, for what a busy machine may prevent now and then;
    the attempts are callables."""
    text = ""
    for attempt in attempts:
        text = attempt()
        if all(re.search(each, text) for each in wanted):
            return
    raise AssertionError(f"one of {wanted} is not in {text!r}")


def children_of(pid):
    found = []
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{other}/stat") as stat:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(other))
        except OSError:
            continue
    return found


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


class LauncherTest(unittest.TestCase):
    def setUp(self):
        # A shell starts background jobs with the first ignored, nohup with the second, and children inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        self.mark = "LAUNCHER_TEST=" + uuid.uuid4().hex
        self.folder = tempfile.mkdtemp(prefix="atoll-launcher-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
        name, value = self.mark.split("=")
        self.environment[name] = value

    def tearDown(self):
        wait_for(lambda: not processes_with(self.mark), "no process left behind")

    def start(self, *words, **options):
        """Starts `atoll run WORDS` in a process group of its own."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([ATOLL, "run", *map(str, words)], text=True, cwd=self.folder,
                                   env={**self.environment, **options.pop("env", {})},
                                   start_new_session=True, **options)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def finish(self, process, input=None):
        """Waits for the end; returns exit code, output, errors."""
        output, errors = process.communicate(input, timeout=PATIENCE_S)
        return process.returncode, output, errors

    def run_job(self, *words, **options):
        return self.finish(self.start(*words, **options))

    def expect(self, code, *words, says="", **options):
        """Runs a job that must end with `code` and print `says` on standard error."""
        got, output, errors = self.run_job(*words, **options)
        self.assertEqual(got, code, errors)
        self.assertTrue(re.search(says, errors), f"{says!r} is not in {errors!r}")
        return output, errors

    def expect_reason(self, *words, says):
        """Runs jobs of the program REFUSING, of which one must print `says`. The launcher gives a rank 0.3 s to tell
        why, which may be too little on a busy machine. Without that time no rank could ever tell."""
        def attempt():
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.folder, "others"))
            return self.expect(2, *words, "sh", "-c", REFUSING)[1]
        first_matching([attempt] * 10, [says])

    def member(self, ranks, *steps, options=()):
        return ["-n", ranks, *options, MEMBER, *steps]

    def ready(self, process, count=1):
        """Reads `count` lines of the output, by which ranks report that they have reached a step."""
        return [process.stdout.readline() for _ in range(count)]


def main():
    """Runs the suite of the main program: NAME_test.py ATOLL MEMBER [unittest arguments]."""
    global ATOLL, MEMBER
    ATOLL, MEMBER = map(os.path.abspath, sys.argv[1:3])
    suite.main([sys.argv[0], *sys.argv[3:]])
