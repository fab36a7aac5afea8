#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests jobs over hosts whose ranks communicate all the time (talker.cpp), when a part of them is killed,
# stopped or cut off: either the job goes on and its results are right, or it soon ends everywhere with
# one message that names the cause, and leaves nothing. Usage: traffic_test.py ATOLL TALKER [unittest
# arguments]. Skipped, with the reason, where network namespaces cannot be made.
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../launcher"), os.path.join(HERE, "../network"),
                os.path.join(HERE, "../../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_case  # noqa: E402
import suite  # noqa: E402
from network_test import listeners  # noqa: E402

TALKER = None
RANKS = 4

# Connects to a port many times, prints how many connections it got, and keeps them for ever.
CROWD = """
import socket, sys, time
held = []
try:
    for _ in range(150):
        held.append(socket.create_connection((sys.argv[1], int(sys.argv[2])), 2))
except OSError:
    pass
print(len(held), flush=True)
time.sleep(600)
"""


class Traffic(hosts_test.HostsTest):
    @classmethod
    def setUpClass(cls):
        hosts.skip_case_if(hosts.missing_requirement(), "traffic between hosts")
        cls.net = hosts.Hosts(3)

    @classmethod
    def tearDownClass(cls):
        cls.net.close()

    def job(self, *options, env=None):
        """A job of four ranks on three hosts, started on the first; returns after its first round."""
        named = ",".join(f"{name}:{ranks}" for name, ranks in zip(self.net.names, (1, 2, 1)))
        self.go = os.path.join(self.folder, "go")
        process = subprocess.Popen(
            self.net.on(0, launcher_case.ATOLL, "run", "--hosts", named, "--rsh", "ip netns exec", *options,
                        TALKER, self.go),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env={**self.environment, **(env or {})}, start_new_session=True)
        self.addCleanup(self.stop, process)
        self.ready(process, 1)
        return process

    def ends_right(self, process):
        open(self.go, "w").close()
        code, output, errors = self.finish(process)
        self.assertEqual((code, output, errors), (0, "right\n" * RANKS, ""))

    def on_host(self, number, name):
        """The pids of this test's processes of that name on a host."""
        present = set(hosts.processes_in(self.net.names[number]))
        return [pid for pid in self.named(name) if pid in present]


class Surviving(Traffic):
    def test_a_cable_that_is_out_for_two_seconds(self):
        process = self.job("--link-timeout", 60)
        self.net.cut(1)
        time.sleep(2)
        self.net.mend(1)
        self.ends_right(process)

    def test_a_rank_that_is_stopped_for_a_while(self):
        process = self.job()
        victim = self.on_host(1, "hosts_talker")[0]
        os.kill(victim, signal.SIGSTOP)
        time.sleep(1)
        os.kill(victim, signal.SIGCONT)
        self.ends_right(process)

    def test_strangers_take_no_more_than_a_rank_may_open(self):
        """The provider accepts all connections; existing ones go on."""
        process = self.job()
        victim = self.on_host(1, "hosts_talker")[0]
        resource.prlimit(victim, resource.RLIMIT_NOFILE, (100, 100))
        crowd = subprocess.Popen(self.net.on(0, sys.executable, "-c", CROWD, self.net.address(1), listeners(victim)[0]),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, crowd)
        self.assertGreater(int(crowd.stdout.readline()), 20)
        self.assertLessEqual(len(os.listdir(f"/proc/{victim}/fd")), 100)
        self.ends_right(process)


class Ending(Traffic):
    def test_shared_memory_alone_is_refused(self):
        code, _, errors = self.finish(self.job(env={"ATOLL_NETWORK": "shm"}))
        self.assertNotEqual(code, 0)
        self.assertIn("ATOLL_NETWORK=shm: the job is on 3 hosts, which share no memory; unset it", errors)

    def test_a_rank_is_killed(self):
        process = self.job()
        self.kill(process, self.on_host(1, "hosts_talker")[0],
                  r"rank [12] on \S+-1 \(.*\) was killed by SIGKILL.*; ending the 3 left", 137)

    def test_a_daemon_is_killed(self):
        process = self.job()
        self.kill(process, self.on_host(2, "atoll-daemon")[0], r"host \S+-2: its daemon: ", 125)

    def test_a_supervisor_is_killed(self):
        process = self.job()
        self.kill(process, self.on_host(1, "atoll-ranks")[0],
                  r"host \S+-1: the launcher's own process \(pid \d+\) was killed by SIGKILL", 137)

    def test_the_head_is_killed(self):
        process = self.job()
        self.kill(process, self.named("atoll-supervise")[0],
                  r"the launcher's own process \(pid \d+\) was killed by SIGKILL.*; the job has been ended")

    def test_the_launcher_is_killed(self):
        process = self.job()
        process.kill()
        process.communicate(timeout=launcher_case.PATIENCE_S)
        self.ended()

    def test_a_cable_that_is_out_for_good(self):
        process = self.job("--link-timeout", 4 * launcher_case.SLOWNESS)
        self.net.cut(2)
        self.addCleanup(self.net.mend, 2)
        self.ends_failing(process, rf"host {self.net.names[2]}: its daemon: nothing was heard of it for too "
                                   "long; ending the 3 left", 125)


if __name__ == "__main__":
    launcher_case.ATOLL, TALKER = map(os.path.abspath, sys.argv[1:3])
    suite.main(sys.argv[:1] + sys.argv[3:], verbosity=2)
