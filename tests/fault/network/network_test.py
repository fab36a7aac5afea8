#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests a job over libfabric whose network or ranks misbehave. Usage: network_test.py ATOLL MEMBER
# [unittest arguments]. All ranks are on this machine and reach each other only through the network;
# as root the test runs in a separate network namespace, whose loopback interface it can cut and
# disturb without effect on others. Tests that need that are skipped otherwise.
#
# A job must lose nothing where it can recover (the member counts); else it must end with a message
# in bounded time. No test is about speed.
import contextlib
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import suite  # noqa: E402

ATOLL, MEMBER = None, None
PATIENCE_S = 60 * float(os.environ.get("NETWORK_TEST_SLOWNESS", "1"))
OWN_NETWORK = "NETWORK_TEST_OWN_NETWORK"


def enter_own_network():
    """Starts this program again in a new network namespace, where that is possible."""
    if OWN_NETWORK in os.environ or os.geteuid() != 0 or not shutil.which("unshare"):
        return
    probe = subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if probe.returncode == 0:
        os.execvpe("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$0" "$@"',
                               sys.executable, *sys.argv], {**os.environ, OWN_NETWORK: "1"})


needs_own_network = unittest.skipUnless(OWN_NETWORK in os.environ,
                                        "needs root and network namespaces (unshare, ip)")
needs_tables = unittest.skipUnless(
    OWN_NETWORK in os.environ and shutil.which("iptables") and subprocess.run(
        ["iptables", "-L"], check=False, capture_output=True).returncode == 0, "needs iptables")


class Job:
    """A job under way. Each rank prints a line when it has started."""

    def __init__(self, ranks, *words, limit_of_files=None, **settings):
        environment = {**os.environ, "ATOLL_NETWORK": "ofi", "ATOLL_NEIGHBOURHOOD": "1", **settings}
        self.process = subprocess.Popen(
            [ATOLL, "run", "-n", str(ranks), MEMBER, *(str(word) for word in words)],
            env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=limit_of_files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit_of_files)))
        self.ranks = ranks
        self.pids = []

    def started(self):
        """The pids, when all ranks have started."""
        while len(self.pids) < self.ranks:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("it ended early: " + self.process.stderr.read())
            if line.startswith("started "):
                self.pids.append(int(line.split()[1]))
        return self.pids

    def end(self):
        """(code, all output after the start)"""
        try:
            output, errors = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            output, errors = self.process.communicate()
            raise AssertionError("it did not end: " + output + errors) from None
        return self.process.returncode, output + errors


def command(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


@contextlib.contextmanager
def dropped_packets(*match):
    """Drops packets on the loopback interface that match."""
    rule = ["INPUT", "-i", "lo", *match, "-j", "DROP"]
    command("iptables", "-A", *rule)
    try:
        yield
    finally:
        command("iptables", "-D", *rule)


def listeners(pid):
    """The TCP ports at which this process listens."""
    inodes = set()
    for entry in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/{pid}/fd/{entry}")
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    with open(f"/proc/{pid}/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


class NetworkTest(unittest.TestCase):
    def job_until_told(self, ranks, **settings):
        """A job whose ranks communicate until tell_to_end(), however long the test takes before."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.end_file = os.path.join(folder.name, "end")
        job = Job(ranks, "until", self.end_file, **settings)
        self.addCleanup(job.process.kill)
        return job

    def tell_to_end(self):
        open(self.end_file, "w").close()

    def expect_success(self, job):
        code, output = job.end()
        self.assertEqual(code, 0, output)
        return output


class Recoverable(NetworkTest):
    def test_a_quiet_network_loses_nothing(self):
        for provider in ("net", "tcp;ofi_rxm", "udp;ofi_rxd"):
            with self.subTest(provider):
                self.expect_success(Job(3, "steady", 0.2, ATOLL_OFI_PROVIDER=provider))

    def test_ranks_that_wait_sleep_and_are_seldom_up(self):
        for provider in ("net", "tcp", "udp"):
            code, output = Job(2, "idle", 1, ATOLL_OFI_PROVIDER=provider).end()
            self.assertEqual(code, 0, output)
            slept, took_s = map(float, re.search(r"slept (\d+) times in (\S+) s", output).groups())
            self.assertLess(slept / took_s, 250, f"{provider}: naps of less than 4 ms")

    def test_a_put_that_keeps_its_source_is_not_waited_for(self):
        for provider in ("net", "tcp", "udp"):
            with self.subTest(provider), tempfile.TemporaryDirectory() as folder:
                self.expect_success(Job(2, "deferred", f"{folder}/started", ATOLL_OFI_PROVIDER=provider))

    def test_more_connections_than_the_soft_limit_of_files_allows(self):
        output = self.expect_success(Job(24, "everybody", limit_of_files=(36, 4096)))
        self.assertNotIn("limit of open files", output)

    def test_fewer_connections_than_ranks_are_warned_of_once(self):
        output = self.expect_success(Job(24, "everybody", limit_of_files=(36, 84)))
        self.assertEqual(output.count("limit of open files: connections to 23 ranks need"), 1, output)
        self.assertRegex(output, r"but the hard limit is 84; .*ulimit -Hn")

    def test_nothing_need_be_sent_by_inject(self):
        self.expect_success(Job(3, "steady", 0.2, ATOLL_OFI_INJECT="0", ATOLL_OFI_WINDOW="4"))

    def test_a_rank_that_does_not_poll_is_flooded_and_nobody_runs_out_of_memory(self):
        for provider in ("net", "udp;ofi_rxd"):
            with self.subTest(provider):
                self.expect_success(Job(3, "flood", 20000, ATOLL_OFI_PROVIDER=provider))

    def test_a_stopped_rank_goes_on_when_it_is_continued(self):
        for provider in ("net", "udp;ofi_rxd"):
            with self.subTest(provider):
                job = self.job_until_told(3, ATOLL_OFI_PROVIDER=provider)
                stopped = job.started()[1]
                os.kill(stopped, signal.SIGSTOP)
                time.sleep(1)
                self.assertIsNone(job.process.poll())
                os.kill(stopped, signal.SIGCONT)
                self.tell_to_end()
                self.expect_success(job)

    @needs_tables
    def test_a_link_that_is_cut_for_two_seconds_loses_nothing(self):
        for provider, protocol in (("net", "tcp"), ("udp;ofi_rxd", "udp")):
            with self.subTest(provider):
                job = self.job_until_told(2, ATOLL_OFI_PROVIDER=provider)
                job.started()
                with dropped_packets("-p", protocol):
                    time.sleep(2)
                    self.assertIsNone(job.process.poll())
                self.tell_to_end()
                self.expect_success(job)

    @needs_tables
    def test_five_percent_of_lost_packets_lose_nothing(self):
        loss = ["-m", "statistic", "--mode", "random", "--probability", "0.05"]
        for provider, protocol in (("net", "tcp"), ("udp;ofi_rxd", "udp")):
            with self.subTest(provider), dropped_packets("-p", protocol, *loss):
                self.expect_success(Job(2, "steady", 0.3, ATOLL_OFI_PROVIDER=provider))


class Refused(NetworkTest):
    def refused(self, words, **settings):
        code, output = Job(2, "steady", 0.1, **settings).end()
        self.assertNotEqual(code, 0)
        self.assertIn(words, output)
        self.assertNotIn("terminate called", output)

    def test_a_provider_that_is_not_there_is_told_with_those_that_are(self):
        self.refused("use one of", ATOLL_OFI_PROVIDER="nonsense")

    def test_an_interface_that_is_not_there_is_told(self):
        self.refused("ATOLL_OFI_INTERFACE=nonsense", ATOLL_OFI_INTERFACE="nonsense")

    def test_a_heap_that_cannot_be_registered_is_reached_by_messages(self):
        job = Job(2, "registered", ATOLL_OFI_MEMORY="refused")
        output = self.expect_success(job)
        self.assertIn("puts and gets to this rank go by messages", output)

    def test_memory_that_changes_behind_an_address_is_registered_anew(self):
        self.expect_success(Job(2, "registered", ATOLL_OFI_MEMORY="local"))


class Fatal(NetworkTest):
    def test_a_killed_rank_ends_the_job(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):  # libraries catch some of them
            with self.subTest(number.name):
                job = Job(3, "steady", 3600, ASAN_OPTIONS="handle_segv=0")  # nor does a sanitizer
                os.kill(job.started()[2], number)
                code, output = job.end()
                self.assertEqual(code, 128 + number)
                self.assertIn("killed by " + number.name, output)

    def break_connections(self, job):
        """Breaks connections repeatedly: data that have arrived are still read, so one break may lose nothing, and
        then the job rightly goes on over a new connection. It takes seconds until losses of many breaks are noticed,
        so the breaks do not wait for that."""
        time.sleep(0.1)
        for turn in range(20):
            broken = subprocess.run(["ss", "-K", "-t", "state", "established"], check=False,
                                    text=True, capture_output=True)
            if turn == 0 and "127.0.0.1" not in broken.stdout:
                job.process.terminate()
                self.skipTest("no connection can be broken here (ss -K): " + broken.stderr)
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.process.wait(PATIENCE_S / 120)  # its last output fits into the pipe
                return

    def test_a_network_that_breaks_between_two_ranks_leaves_them_what_others_they_have(self):
        self.expect_success(Job(3, "parted"))

    def test_a_network_that_breaks_ends_the_job_and_is_named(self):
        code, output = Job(3, "broken").end()
        self.assertNotEqual(code, 0)
        self.assertRegex(output, "network to rank [01].*net: ")

    @needs_own_network
    def test_a_connection_that_breaks_ends_the_job_whatever_was_under_way(self):
        for scenario, provider in (("steady", "net"), ("messages", "net"), ("steady", "tcp;ofi_rxm"),
                                   ("messages", "tcp;ofi_rxm")):
            with self.subTest(scenario + " over " + provider):
                job = Job(2, scenario, 3600, ATOLL_OFI_PROVIDER=provider)
                job.started()
                self.break_connections(job)
                code, output = job.end()
                self.assertNotEqual(code, 0)
                self.assertIn("network to rank", output)


class Strangers(NetworkTest):
    """A stranger sends unexpected data to the ports of a rank."""

    def call(self, port, message):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as made:
            made.sendall(message)
            made.settimeout(0.2)
            with contextlib.suppress(OSError):
                made.recv(4096)

    def test_bytes_without_sense_at_a_port_do_not_harm_the_job(self):
        dice = random.Random(7)
        for provider in ("net", "tcp;ofi_rxm"):
            with self.subTest(provider):
                job = self.job_until_told(2, ATOLL_OFI_PROVIDER=provider)
                ports = [port for pid in job.started() for port in listeners(pid)]
                self.assertTrue(ports)
                callers = [threading.Thread(target=self.call, args=(port, dice.randbytes(size)))
                           for port in ports for size in (0, 1, 15, 16, 100, 300, 5000)]
                for each in callers:
                    each.start()
                for each in callers:
                    each.join()
                self.tell_to_end()
                self.expect_success(job)

    def test_half_open_connections_do_not_harm_the_job(self):
        job = self.job_until_told(2, ATOLL_OFI_PROVIDER="net")
        ports = [port for pid in job.started() for port in listeners(pid)]
        with contextlib.ExitStack() as kept:
            for port in ports:
                made = kept.enter_context(socket.create_connection(("127.0.0.1", port), 5))
                made.sendall(b"\x03")
                gone = socket.create_connection(("127.0.0.1", port), 5)
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                gone.close()
            self.tell_to_end()
            self.expect_success(job)


if __name__ == "__main__":
    ATOLL, MEMBER = sys.argv[1:3]
    enter_own_network()
    suite.main([sys.argv[0], *sys.argv[3:]], verbosity=2)
