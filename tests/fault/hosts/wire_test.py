#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests jobs over hosts with a bad network: it loses, delays, repeats and reorders frames, is slow, or is
# cut. A job loses nothing where it can recover: the programs check and count what they send. Usage:
# wire_test.py ATOLL TALKER WIRE PROGRAMS [unittest arguments]; the hosts are on a wire
# (tests/support/wire), and PROGRAMS is the folder of network_member and others. Each class tests one
# provider of libfabric; since the tests mostly wait, the classes run at the same time when none is named.
# Skipped, with the reason, where programs cannot make a network.
#
# Every test checks the counts of the wire, so that none passes over a good network.
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../launcher"), os.path.join(HERE, "../../support")]
import hosts  # noqa: E402
import launcher_case  # noqa: E402
import traffic_test  # noqa: E402
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import suite  # noqa: E402

WIRE, PROGRAMS = None, None


class BadNetwork:
    """Tests that hold for each provider; the jobs of Traffic run on the wire."""

    @classmethod
    def setUpClass(cls):
        hosts.skip_case_if(hosts.missing_wire_requirement(), "jobs over bad networks")

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        super().setUp()
        self.environment["ATOLL_OFI_PROVIDER"] = self.provider
        self.net = hosts.Hosts(3, wire=WIRE)
        self.addCleanup(self.net.close)

    def run_over(self, spread, program, *words):
        """Runs a program with the ranks in `spread` on each host; it must end well. A provider that sends again after
        seconds may need a minute on a busy machine."""
        named = ",".join(f"{name}:{ranks}" for name, ranks in zip(self.net.names, spread))
        done = subprocess.run(
            self.net.on(0, launcher_case.ATOLL, "run", "--timeout", 3 * launcher_case.PATIENCE_S, "--hosts",
                        named, "--rsh", "ip netns exec", os.path.join(PROGRAMS, program), *words),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_delay_and_loss(self):
        self.net.wire.set("all", delay_ms=20, loss=0.05)
        at_once = self.net.wire.total("delivered")  # new hosts send some frames themselves
        self.run_over((1, 1, 1), "network_member", "steady", 0.5)
        self.run_over((2, 1), "random_collectives", 5)
        self.assertGreater(self.net.wire.total("lost"), 5)
        held_us, delivered = map(self.net.wire.total, ("held_us", "delivered"))
        self.assertGreater(held_us, 20000 * (delivered - at_once))

    def test_reordering(self):
        self.net.wire.set("all", jitter_ms=3)
        self.run_over((1, 1, 1), "network_member", "steady", 0.2)
        self.run_over((1, 2), "random_traffic", 1000)
        self.assertGreater(self.net.wire.total("overtaken"), 100)

    def test_everything_at_once(self):
        self.net.wire.set("all", delay_ms=1, late=0.1, late_ms=3, twice=0.1, loss=0.02)
        self.run_over((1, 1, 1), "network_member", "steady", 0.2)
        self.run_over((2, 1), "random_traffic", 500)
        for fault in ("overtaken", "twice", "lost"):
            self.assertGreater(self.net.wire.total(fault), 20, fault)

    def test_frames_that_come_twice(self):
        self.net.wire.set("all", twice=0.2)
        self.run_over((1, 1, 1), "network_member", "steady", 0.2)
        self.run_over((1, 2), "random_traffic", 1000)
        self.assertGreater(self.net.wire.total("twice"), 100)

    def test_a_flood_over_a_narrow_network(self):
        self.net.wire.set("all", rate_mbit=10, queue_kib=16)
        began = time.monotonic()
        self.run_over((1, 1, 1), "network_member", "flood", 100)
        took_s = time.monotonic() - began
        self.assertGreater(self.net.wire.total("overflowed"), 0)
        # The limit of the rate held: no host sent more than fits into the time.
        sent = self.net.wire.counts()[1]
        self.assertGreater(sent["delivered"], 100 * 4096 / 1500)
        self.assertLess(sent["delivered_bytes"] * 8 / took_s, 11e6)

    def test_a_cable_that_is_out_for_two_seconds(self):
        process = self.job("--link-timeout", 60)
        self.net.cut(1)
        time.sleep(2)
        self.assertIsNone(process.poll())
        self.assertGreater(self.net.wire.total("cut"), 0)
        self.net.mend(1)
        self.ends_right(process)


class Net(BadNetwork, traffic_test.Traffic):
    provider = "net"

    def test_a_cable_that_is_out_for_good(self):
        process = self.job("--link-timeout", 4 * launcher_case.SLOWNESS)
        self.net.cut(2)
        self.ends_failing(process, rf"host {self.net.names[2]}: its daemon: nothing was heard of it for too "
                                   "long; ending the 3 left", 125)


class Rxm(BadNetwork, traffic_test.Traffic):
    provider = "tcp;ofi_rxm"


class Rxd(BadNetwork, traffic_test.Traffic):
    provider = "udp;ofi_rxd"


MAKER = """
import sys, time
sys.path.insert(0, sys.argv[1])
import hosts
net = hosts.Hosts(2, wire=sys.argv[2])
print(net.wire.process.pid, *net.names, flush=True)
time.sleep(600)
"""


class Killed(unittest.TestCase):
    def test_a_test_that_is_killed_leaves_no_wire_and_no_hosts(self):
        hosts.skip_case_if(hosts.missing_wire_requirement(), "jobs over bad networks")
        maker = subprocess.Popen([sys.executable, "-c", MAKER, os.path.dirname(hosts.__file__), WIRE],
                                 stdout=subprocess.PIPE, text=True)
        pid, *names = maker.stdout.readline().split()
        self.assertTrue(os.path.exists(f"/run/netns/{names[1]}"))
        maker.kill()
        maker.communicate()
        launcher_case.wait_for(lambda: not any(os.path.exists(f"/run/netns/{name}") for name in names),
                               "no host left behind")
        launcher_case.wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "no wire left behind")


def all_classes_together():
    """Runs each class in a separate process; prints their outputs one after the other."""
    each = [subprocess.Popen([sys.executable, *sys.argv, name], text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for name in ("Net", "Rxm", "Rxd", "Killed")]
    for process in each:
        print(process.communicate()[0], flush=True)
    return suite.status_of_all(process.returncode for process in each)


if __name__ == "__main__":
    if len(sys.argv) == 5:
        sys.exit(all_classes_together())
    launcher_case.ATOLL, traffic_test.TALKER, WIRE, PROGRAMS = map(os.path.abspath, sys.argv[1:5])
    suite.main(sys.argv[:1] + sys.argv[5:], verbosity=2)
