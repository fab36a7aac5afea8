#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests how ranks join, exchange and leave; strangers at the job's socket; programs that ranks start. Usage:
# rendezvous_test.py ATOLL MEMBER [unittest arguments].
import os
import signal
import socket
import struct
import subprocess

import launcher_case as case
from launcher_case import LauncherTest, PATIENCE_S, children_of, processes_with

PROTOCOL = 6  # atoll/bootstrap/wire.hpp


class Rendezvous(LauncherTest):
    def connect(self, process):
        """A connection to the launcher of a job whose first line of output is its ATOLL_JOB."""
        line = process.stdout.readline().strip()
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(PATIENCE_S)
        connected.connect("\0atoll-" + line.split("/")[1])
        self.addCleanup(connected.close)
        return connected, bytes.fromhex(line.split("/")[2])

    def test_strangers_at_the_socket_learn_nothing_and_do_no_harm(self):
        process = self.start("-n", 1, "sh", "-c",
                             f"echo $ATOLL_JOB; read go; {case.MEMBER} join memory goodbye",
                             stdin=subprocess.PIPE)
        first, key = self.connect(process)
        name = first.getpeername()

        def hello(rank, key, protocol=PROTOCOL, size=1):
            body = struct.pack("<IHII", 0x4C4F5441, protocol, rank, size) + key + b"\5\0other"
            return struct.pack("<IHH", len(body), 1, 0) + body
        sent = [b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(5000), b"\xff" * 8,
                struct.pack("<IHH", 0, 6, 0), struct.pack("<IHH", 65536, 1, 0) + b"x" * 65536,
                hello(0, os.urandom(32)), hello(7, key), hello(0, key, size=2),
                hello(0, key, protocol=99)]
        for data in sent:
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(PATIENCE_S)
                stranger.connect(name)
                try:
                    stranger.sendall(data)
                    stranger.shutdown(socket.SHUT_WR)
                    got, descriptors, _, _ = socket.recv_fds(stranger, 10000, 4)
                except OSError:
                    continue
                self.assertEqual(descriptors, [])
                if got:
                    self.assertEqual(got[4:6], b"\3\0")  # refused
        crowd = [socket.socket(socket.AF_UNIX) for _ in range(200)]
        for stranger in crowd:
            stranger.connect(name)
        for stranger in crowd:
            stranger.close()
        self.assertEqual(self.finish(process, "go\n")[0], 0)

    def test_two_versions_in_one_job_are_refused(self):
        process = self.start("-n", 2, "sh", "-c",
                             "[ $ATOLL_RANK = 0 ] && echo $ATOLL_JOB && exec sleep 600; "
                             f"until [ -e go ]; do sleep 0.02; done; exec {case.MEMBER} join")
        connected, key = self.connect(process)
        body = struct.pack("<IHII", 0x4C4F5441, PROTOCOL, 0, 2) + key + b"\5\0other"
        connected.sendall(struct.pack("<IHH", len(body), 1, 0) + body)
        connected.recv(1000)
        open(os.path.join(self.folder, "go"), "w").close()
        code, _, errors = self.finish(process)
        self.assertNotEqual(code, 0)
        self.assertRegex(errors, r"rank 1: it uses Atoll [\d.]+, but rank 0 uses Atoll other; let all")

    def test_ranks_exchange_share_memory_and_leave(self):
        for ranks in (1, 2, 3, 5, 16):
            output, _ = self.expect(0, *self.member(ranks, "join", "size", "exchange", "memory",
                                                    "exchange=60000", "fence", "goodbye"))
            self.assertEqual(sorted(output.splitlines()),
                             sorted(f"{rank} of {ranks}" for rank in range(ranks)))

    def test_a_rank_may_run_programs_one_after_the_other(self):
        once = f"{case.MEMBER} join memory exchange=100 goodbye"
        self.expect(0, "-n", 3, "sh", "-c", f"{once} && {once} && {once}")
        self.expect(0, *self.member(3, *["join", "memory", "fence", "goodbye"] * 5))

    def test_two_programs_of_one_rank_at_a_time_are_refused(self):
        self.expect(91, "-n", 1, "sh", "-c",
                    f"{case.MEMBER} join say=ready sleep=600000 > first & "
                    f"until [ -s first ]; do sleep 0.02; done; {case.MEMBER} join goodbye",
                    says="already joined the job, as process")

    def test_a_launcher_inside_a_rank_starts_a_job_of_its_own(self):
        output, _ = self.expect(0, "-n", 2, "sh", "-c",
                                f"{case.ATOLL} run -n 3 {case.MEMBER} join size memory goodbye")
        self.assertEqual(sorted(output.splitlines()), sorted(["0 of 3", "1 of 3", "2 of 3"] * 2))

    def test_two_jobs_at_once_do_not_meet(self):
        jobs = [self.start(*self.member(n, "join", "memory", "exchange", "sleep=100", "fence",
                                        "goodbye")) for n in (2, 3)]
        self.assertEqual([self.finish(job)[0] for job in jobs], [0, 0])

    def test_a_child_of_a_rank_does_not_speak_for_it(self):
        self.expect(0, "-n", 2, "sh", "-c", f"{case.MEMBER} join fence sleep=200 fence goodbye & wait $!")


class Nesting(LauncherTest):
    """A process that a joined rank starts is not the rank."""

    def test_a_program_that_a_rank_starts_is_a_job_of_one(self):
        output, _ = self.expect(0, *self.member(
            2, "join", f"system={case.MEMBER} join size memory exchange=9 goodbye", "fence", "goodbye"))
        self.assertEqual(output.splitlines().count("0 of 1"), 2, output)
        self.assertEqual(output.count("the command ended with 0"), 2, output)

    def test_behind_a_shell_in_the_background_and_after_the_rank_has_left_too(self):
        inner = f"{case.MEMBER} join size memory goodbye"
        output, _ = self.expect(0, *self.member(
            2, "join", f"system=sh -c '({inner}) & wait'", "fence", "goodbye", f"system={inner}; true"))
        self.assertEqual(output.splitlines().count("0 of 1"), 4, output)

    def test_a_forked_child_is_a_job_of_one(self):
        output, _ = self.expect(0, *self.member(2, "join", "fork", "fence", "goodbye"))
        self.assertEqual(output.splitlines(), ["a fork is 0 of 1"] * 2)

    def test_a_rank_that_executes_a_program_stays_the_rank(self):
        output, _ = self.expect(0, *self.member(
            3, "join", "memory", "goodbye", f"exec=exec {case.MEMBER} join size memory exchange goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])

    def test_a_launcher_that_a_member_starts(self):
        output, _ = self.expect(0, *self.member(
            2, "join", f"0:system={case.ATOLL} run -n 3 {case.MEMBER} join size memory exchange fence goodbye",
            "fence", "goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3", "the command ended with 0"])

    def test_three_levels(self):
        innermost = f"{case.MEMBER} join size goodbye"
        inner = f"{case.ATOLL} run -n 2 {case.MEMBER} join size \"1:system={innermost}\" fence goodbye"
        output, _ = self.expect(0, *self.member(2, "join", "size", f"1:system={inner}", "fence", "goodbye"))
        self.assertEqual(sorted(line for line in output.splitlines() if " of " in line),
                         ["0 of 1", "0 of 2", "0 of 2", "1 of 2", "1 of 2"])

    def test_an_inner_job_that_fails_is_no_failure_of_the_outer_one(self):
        for steps, code in (("join fence 1:exit=7 sleep=600000", 7), ("join fence 1:die=9 sleep=600000", 137),
                            ("join 0:end=5:enough sleep=600000", 5)):
            output, errors = self.expect(0, *self.member(
                2, "join", f"0:system={case.ATOLL} run -n 3 {case.MEMBER} {steps}", "fence", "goodbye"))
            self.assertEqual(output, f"the command ended with {code}\n", errors)

    def nested(self):
        """A job whose rank 0 has started a job of three ranks, which have all started."""
        process = self.start(*self.member(
            2, "join", f"0:system={case.ATOLL} run -n 3 {case.MEMBER} join fence say=inside deaf=15 sleep=600000",
            "fence", "goodbye"))
        self.assertEqual(self.ready(process, 3), ["inside\n"] * 3)
        return process

    def test_an_inner_job_ends_with_the_outer_one_that_is_interrupted(self):
        process = self.nested()
        process.terminate()
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_an_inner_job_ends_with_the_outer_launcher_that_is_killed(self):
        self.nested().kill()

    def test_an_inner_job_ends_with_the_outer_supervisor_that_is_killed(self):
        process = self.nested()
        os.kill(children_of(process.pid)[0], signal.SIGKILL)
        self.assertEqual(self.finish(process)[0], 137)

    def test_an_inner_job_ends_with_the_outer_rank_that_is_killed(self):
        process = self.nested()
        supervisor = children_of(process.pid)[0]
        rank = next(pid for pid in children_of(supervisor) if children_of(pid))
        os.kill(rank, signal.SIGKILL)
        self.assertEqual(self.finish(process)[0], 137)

    def test_an_inner_launcher_that_is_killed_ends_its_job_only(self):
        process = self.nested()
        inner = next(pid for pid in self.launchers() if pid != process.pid and
                     process.pid not in self.parents(pid, 1))
        os.kill(inner, signal.SIGKILL)
        code, output, errors = self.finish(process)
        self.assertEqual((code, output), (0, "the command ended with 137\n"), errors)

    def launchers(self):
        """The foreground processes of launchers, not their supervisors."""
        found = []
        for pid in processes_with(self.mark):
            with open(f"/proc/{pid}/comm") as name:
                if name.read().strip() == "atoll":
                    found.append(pid)
        return found

    def parents(self, pid, levels):
        with open(f"/proc/{pid}/stat") as stat:
            parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        return [parent] + (self.parents(parent, levels - 1) if levels > 1 else [])


if __name__ == "__main__":
    case.main()
