#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll run --hosts` from outside: identity, streams, refusals, endings, and what happens when any
# of its processes is killed or strangers call. Usage: hosts_test.py ATOLL MEMBER OTHER [unittest
# arguments]; OTHER is an atoll command of another version.
#
# The hosts are this machine several times: the remote shell of most tests is a script that drops the
# host's name, so they need neither root nor ssh. Tests of cables run in network namespaces and are
# skipped, with the reason, where these cannot be made. Tests check exit codes and messages; clocks only
# set generous limits on times that the launcher promises.
import hashlib
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../launcher"), os.path.join(HERE, "../../support")]
import hosts  # noqa: E402
import launcher_case  # noqa: E402
import suite  # noqa: E402
from launcher_case import PATIENCE_S, children_of, processes_with, wait_for  # noqa: E402

OTHER = None


class HostsTest(launcher_case.LauncherTest):
    def setUp(self):
        super().setUp()
        self.rsh = self.script("rsh", 'shift; exec "$@"')

    def script(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as made:
            made.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def run_over(self, hosts_and_slots, *words, rsh=None):
        """The words of a job over hosts; all use the loopback interface."""
        return ["--hosts", hosts_and_slots, "--rsh", rsh or self.rsh, "--interface", "lo", *words]

    def ended(self):
        wait_for(lambda: not processes_with(self.mark), "no process left behind", PATIENCE_S)

    def ends_failing(self, process, says, code=None):
        """Expects that the job ends everywhere, with one message that matches `says`."""
        got, _, errors = self.finish(process)
        self.assertNotEqual(got, 0)
        if code is not None:
            self.assertEqual(got, code, errors)
        self.assertRegex(errors, says)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.ended()

    def kill(self, process, victim, says, code=None):
        os.kill(victim, signal.SIGKILL)
        self.ends_failing(process, says, code)

    def named(self, name):
        """The pids of this test's processes of that name."""
        found = []
        for pid in processes_with(self.mark):
            try:
                with open(f"/proc/{pid}/comm") as comm:
                    if comm.read().strip() == name:
                        found.append(pid)
            except OSError:
                pass
        return sorted(found)


class Starting(HostsTest):
    def test_ranks_are_numbered_through_the_hosts(self):
        output, _ = self.expect(0, *self.run_over("a:2,b:3", "sh", "-c", "echo $ATOLL_RANK of $ATOLL_SIZE"))
        self.assertEqual(sorted(output.splitlines()), [f"{r} of 5" for r in range(5)])

    def test_all_ranks_exchange_and_fence(self):
        for spread in ("a:1,b:1", "a:3,b:1", "a:2,b:1,c:2"):
            self.expect(0, *self.run_over(spread, launcher_case.MEMBER, "join", "exchange", "fence",
                                      "exchange=60000", "fence", "goodbye"))

    def test_ranks_may_run_one_program_after_the_other(self):
        once = f"{launcher_case.MEMBER} join exchange=100 fence goodbye"
        self.expect(0, *self.run_over("a:2,b:1", "sh", "-c", f"{once} && {once}"))

    def test_a_tree_of_daemons_starts_as_a_flat_one(self):
        for radix in (1, 2):
            output, _ = self.expect(0, *self.run_over("a:1,b:2,c:1,d:1,e:1", "--radix", radix,
                                                  launcher_case.MEMBER, "join", "size", "exchange",
                                                  "goodbye"))
            self.assertEqual(sorted(output.splitlines()), [f"{r} of 6" for r in range(6)])

    def test_sixty_four_ranks_over_four_and_over_eight_hosts(self):
        for spread, radix in (("a:16,b:16,c:16,d:16", 32), (",".join(f"h{i}:8" for i in range(8)), 2)):
            self.expect(0, *self.run_over(spread, "--radix", radix, launcher_case.MEMBER, "join", "exchange",
                                          "fence", "goodbye"))

    def test_hosts_are_filled_in_order_and_those_without_ranks_are_not_called(self):
        rsh = self.script("picky", 'echo $1 >> called; shift; exec "$@"')
        output, _ = self.expect(0, *self.run_over("a:2,b:2,c:2", "-n", 3, "sh", "-c", "echo $ATOLL_RANK",
                                              rsh=rsh))
        self.assertEqual(sorted(output.split()), ["0", "1", "2"])
        with open(os.path.join(self.folder, "called")) as called:
            self.assertEqual(sorted(called.read().split()), ["a", "b"])

    def test_a_host_file_serves_as_well(self):
        with open(os.path.join(self.folder, "list"), "w") as made:
            made.write("# the machines\na slots=2\n\nb:1   # a small one\nc\n")
        output, _ = self.expect(0, "--hostfile", "list", "--rsh", self.rsh, "--interface", "lo",
                                "sh", "-c", "echo $ATOLL_RANK of $ATOLL_SIZE")
        self.assertEqual(sorted(output.splitlines()), [f"{r} of 4" for r in range(4)])

    def test_localhost_needs_no_remote_shell(self):
        output, _ = self.expect(0, "--hosts", "localhost:2", "sh", "-c", "echo $ATOLL_RANK")
        self.assertEqual(sorted(output.split()), ["0", "1"])

    def test_directory_and_variables_reach_the_hosts(self):
        os.mkdir(os.path.join(self.folder, "sub"))
        output, _ = self.expect(0, *self.run_over("a,b", "--dir", "sub", "--env", "A=b c", "--unset", "HOME",
                                              "sh", "-c", 'echo "$PWD|$A|${HOME-unset}|$ATOLL_WAIT"'),
                                env={"ATOLL_WAIT": "yield"})
        place = os.path.realpath(os.path.join(self.folder, "sub"))
        self.assertEqual(output.splitlines(), [f"{place}|b c|unset|yield"] * 2)

    def test_verbose_names_rank_and_host(self):
        _, errors = self.expect(0, *self.run_over("a,b", "-v", "true"))
        self.assertRegex(errors, r"started rank 1 on b \(true, pid \d+\)")
        self.assertRegex(errors, r"rank 0 on a .* exited with code 0")

class Doctor(HostsTest):
    def doctor(self, *words, prefix=(), env=None, **options):
        return subprocess.run([*prefix, launcher_case.ATOLL, "doctor", *words], capture_output=True, text=True,
                              timeout=PATIENCE_S, env={**self.environment, **(env or {})}, cwd=self.folder,
                              stdin=subprocess.DEVNULL, **options)

    def test_it_visits_hosts(self):
        done = self.doctor("--hosts", "a,b", "--rsh", self.rsh)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for start in ("", r"\[0\] ", r"\[1\] "):
            self.assertRegex(done.stdout, rf"(?m)^{start}ok   Atoll [\d.]+ on ")
            self.assertRegex(done.stdout, rf"(?m)^{start}\w+ +memory: .* available")
        self.assertNotIn("BAD", done.stdout)

    def test_a_host_of_another_version_is_named(self):
        rsh = self.script("mixed", f'[ $1 = b ] && exec {OTHER} daemon; shift; exec "$@"')
        done = self.doctor("--hosts", "a,b", "--rsh", rsh)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"host b: it runs Atoll 0\.0\.other, but the launcher is Atoll")

    def test_a_setting_that_does_not_fit_is_bad(self):
        done = self.doctor(env={"ATOLL_WAIT": "nonsense"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^BAD  settings: ATOLL_WAIT: the value \"nonsense\" does not fit")

    def test_it_notes_what_is_short_or_missing(self):
        done = self.doctor("--clock", "1000", env={"ATOLL_OFI_INTERFACE": "none0"},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
        self.assertEqual(done.returncode, 0, done.stderr)
        for says in ("limits: 100 open files at most; raise it", "network: none between hosts: ",
                     r"clock: \d+ s from that of the asking host; let both follow a time server"):
            self.assertRegex(done.stdout, "(?m)^note " + says)

    def test_it_notes_that_there_is_no_way_out(self):
        hosts.skip_case_if(hosts.missing_requirement(), "a machine without a network")
        self.assertRegex(self.doctor(prefix=("unshare", "--net")).stdout,
                         "(?m)^note network: no interface but the loopback one is up .*; other hosts cannot be reached")


class Streams(HostsTest):
    def test_all_output_arrives_and_tagged_lines_stay_whole(self):
        output, _ = self.expect(0, *self.run_over("a:2,b:2", "--tag", "seq", "1", "20000"))
        lines = sorted(output.splitlines())
        self.assertEqual(lines, sorted(f"[{r}] {i}" for r in range(4) for i in range(1, 20001)))

    def test_errors_and_output_stay_apart(self):
        output, errors = self.expect(0, *self.run_over("a,b", "sh", "-c", "echo out; echo err >&2"))
        self.assertEqual((output, errors), ("out\nout\n", "err\nerr\n"))

    def test_rank_0_gets_the_input_and_the_others_none(self):
        text = "".join(f"line {i}\n" for i in range(30000))
        process = self.start(*self.run_over("a:2,b:1", "sh", "-c", "echo $ATOLL_RANK $(wc -c)"),
                             stdin=-1)
        code, output, errors = self.finish(process, text)
        self.assertEqual(code, 0, errors)
        self.assertEqual(sorted(output.splitlines()), [f"0 {len(text)}", "1 0", "2 0"])

    def test_input_from_a_file(self):
        path = os.path.join(self.folder, "given")
        with open(path, "w") as made:
            made.write("x" * 200000)
        with open(path) as given:
            output, _ = self.expect(0, *self.run_over("a,b", "wc", "-c"), stdin=given)
        self.assertEqual(sorted(output.split()), ["0", "200000"])

    def test_a_reader_that_goes_away_ends_the_job(self):
        process = self.start(*self.run_over("a,b", "yes"))
        self.assertEqual(process.stdout.readline(), "y\n")
        process.stdout.close()
        self.assertNotEqual(process.wait(PATIENCE_S), 0)


class Refusing(HostsTest):
    def test_lists_that_make_no_sense(self):
        for hosts_given, says in (("a:2,a:1", r"host a is listed twice; .*a:3"), ("a:0", "has no slots"),
                                  ("a:x", "no number: 'x'"), ("a,,b", "an entry has no host"),
                                  ("-oProxyCommand=x", "no name of a host"), ("a;b", "no name of a host"),
                                  ("", "is empty"), ("a:99999", "more than 16384 slots")):
            self.expect(2, "--hosts", hosts_given, "true", says=says)
        self.expect(2, "--hosts", "a:2,b:1", "-n", 4, "true", says="-n 4: the hosts have only 3 slots")
        self.expect(2, "--hostfile", "nowhere", "true", says="--hostfile nowhere: No such file")
        self.expect(2, "--hosts", "a", "--hostfile", "b", "true", says="exclude each other")
        self.expect(2, "--radix", "3", "true", says="--radix is for jobs on several hosts")
        with open(os.path.join(self.folder, "bad"), "w") as made:
            made.write("a\nb cores=2\n")
        self.expect(2, "--hostfile", "bad", "true", says="bad, line 2: 'cores=2' is not understood")

    def test_a_command_line_that_is_too_long_to_send(self):
        self.expect(2, *self.run_over("a,b", "true", *["x"] * 70000),
                    says="70001 words of the program's command line, but at most 65536 can be sent")

    def test_a_remote_shell_that_is_not_there(self):
        _, errors = self.expect(127, "--hosts", "a", "--rsh", "/no/such/shell", "true",
                                says="/no/such/shell cannot be")
        self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_a_remote_shell_that_fails_is_quoted(self):
        rsh = self.script("failing", 'echo some noise >&2; echo "$1: no route to host" >&2; exit 255')
        self.expect(125, *self.run_over("a,b", "true", rsh=rsh),
                    says=r"host [ab]: .* exited with code 255 before its daemon had called: [ab]: no route")

    def test_a_host_that_never_calls_is_given_up(self):
        rsh = self.script("silent", '[ $1 = b ] && exec sleep 600; shift; exec "$@"')
        self.expect(125, *self.run_over("a,b", "--start-timeout", 5 * launcher_case.SLOWNESS, "sleep", "600", rsh=rsh),
                    says="host b: its daemon did not call within the time for starting")

    def test_a_program_that_is_missing(self):
        _, errors = self.expect(127, *self.run_over("a,b", "--radix", 1, "./nowhere"),
                                says=r"host [ab]: ./nowhere cannot be found: No such file")
        self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_a_program_whose_interpreter_is_missing(self):
        path = os.path.join(self.folder, "prog")
        with open(path, "w") as made:
            made.write("#!/no/such/interpreter\n")
        os.chmod(path, 0o755)
        self.expect(127, *self.run_over("a,b", path), says="host [ab]: .*prog cannot be started: its interpr")

    def test_a_directory_that_is_missing(self):
        self.expect(125, *self.run_over("a,b", "--dir", "/nowhere", "true"),
                    says="host [ab]: working directory /nowhere: No such file")

    def test_another_version_on_one_host(self):
        rsh = self.script("mixed", f'[ $1 = b ] && exec {OTHER} daemon; shift; exec "$@"')
        self.expect(125, *self.run_over("a,b", "sleep", "600", rsh=rsh),
                    says=r"host b: it runs Atoll 0\.0\.other, but the launcher is Atoll [\d.]+; install")

    def test_no_such_interface(self):
        self.expect(125, "--hosts", "a", "--rsh", self.rsh, "--interface", "none0", "true",
                    says="--interface none0: no interface")

    def test_a_daemon_started_by_hand(self):
        done = subprocess.run([launcher_case.ATOLL, "daemon"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 2)
        self.assertIn("started by `atoll run --hosts`, not by hand", done.stderr)


class Ending(HostsTest):
    def test_the_first_failure_is_told_once_with_its_host(self):
        _, errors = self.expect(7, *self.run_over("a:2,b:2", launcher_case.MEMBER, "join", "fence",
                                              "3:exit=7", "sleep=600000"))
        self.assertRegex(errors, r"^atoll run: rank 3 on b \(.*, pid \d+\) exited with code 7; "
                                 r"ending the 3 left\n$")

    def test_who_knows_why_is_heard_though_another_exits_first(self):
        self.expect_reason(*self.run_over("a:1,b:1"), says="(?s)rank 1 on b .*because")

    def test_a_signal(self):
        _, errors = self.expect(139, *self.run_over("a:1,b:1", launcher_case.MEMBER, "join", "fence",
                                                "1:die=11", "sleep=600000"))
        self.assertRegex(errors, "rank 1 on b .* was killed by SIGSEGV")

    def test_a_rank_that_ends_the_job(self):
        self.expect(5, *self.run_over("a,b", launcher_case.MEMBER, "join", "1:end=5:enough", "sleep=600000"),
                    says=r"rank 1 on b \(.*\): enough; ending the 2 left")
        self.expect(0, *self.run_over("a,b", launcher_case.MEMBER, "join", "fence", "1:end=0", "sleep=600000"))

    def test_a_fence_that_cannot_end(self):
        self.expect(1, *self.run_over("a,b", launcher_case.MEMBER, "join", "fence", "1:goodbye", "0:fence",
                                  "sleep=600000"), says="rank 0 waits in a fence .* but rank 1 has left")

    def test_time_out_tells_what_all_ranks_did(self):
        def attempt(limit):
            _, errors = self.expect(124, *self.run_over("a:1,b:2", "--timeout", limit, launcher_case.MEMBER,
                                                    "join", "!1:fence", "sleep=600000"))
            self.assertRegex(errors, f"time-out after {limit} s; the ranks were:\n")
            return errors
        # On a busy machine the ranks may not have come so far.
        launcher_case.first_matching((lambda limit=each: attempt(limit) for each in (2, 8, 32)),
                                     ("rank 0 on a waits in a fence; launcher_member",
                                      "rank 1 on b has joined; launcher_member"))

    def test_signals_reach_all_ranks(self):
        script = 'trap "echo got; exit 0" USR1; echo ready; while :; do sleep 0.05; done'
        process = self.start(*self.run_over("a,b:2", "sh", "-c", script))
        self.ready(process, 3)
        process.send_signal(signal.SIGUSR1)
        code, output, errors = self.finish(process)
        self.assertEqual((code, output), (0, "got\n" * 3), errors)

    def test_interrupts_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(*self.run_over("a,b", "sh", "-c", "echo ready; exec sleep 600"))
            self.ready(process, 2)
            process.send_signal(number)
            code, _, errors = self.finish(process)
            self.assertEqual(code, -number if number == signal.SIGINT else 128 + number, errors)
            self.assertEqual(errors, f"atoll run: interrupted by {number.name}; ending the 1 left\n")
            self.ended()


class Stopping(HostsTest):
    def test_codes_after_an_orderly_end(self):
        _, errors = self.expect(2, *self.run_over("a:2,b:1", launcher_case.MEMBER, "join", "fence", "goodbye",
                                                  "2:exit=2", "sleep=200"), says="rank 2 on b exited with code 2")
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_a_stopped_rank_is_seen_on_all_hosts_and_waits_for_all(self):
        for spread in ("a:1,b:1", "a:2,b:1", "a:2,b:3"):
            output, _ = self.expect(7, *self.run_over(
                spread, launcher_case.MEMBER, "join", "fence", "1:stop=7", "await-stop=1", "sleep=100", "say=on",
                "goodbye"), says="rank 1 on [ab] stopped with code 7")
            ranks = sum(int(each[-1]) for each in spread.split(","))
            self.assertEqual(output.split(), ["on"] * (ranks - 1))
            self.expect(7, *self.run_over(spread, launcher_case.MEMBER, "join", "fence", "1:stop=7",
                                          "await-stop=1", "0:stop=0", "stop=8"))

    def test_nobody_waits_in_vain_for_a_stopped_rank(self):
        self.expect(1, *self.run_over("a:1,b:2", launcher_case.MEMBER, "join", "2:stop=0", "await-stop=2", "fence"),
                    says="waits in a fence for all ranks, but rank 2 has stopped")


class Aggregating(HostsTest):
    HOSTS, RANKS, RADIX = 6, 5, 2
    HOLD_S = 0.2  # event_batch::hold_time

    def test_messages_about_ranks_are_gathered_in_the_tree(self):
        """Each of the daemons that the supervisor has started sends one message when all ranks below it have done
        the same, and not more than one in the time that a message is held."""
        steps = ["join", "exchange", "fence", "exchange=1000", "fence", "goodbye"]
        kinds = len(steps) + 1  # one more for the end of the process
        for _ in range(5):  # a job that takes long may send as many as there are ranks, and would show nothing
            messages, took_s = self.messages_of(steps)
            due = self.RADIX * (kinds + took_s / self.HOLD_S)
            self.assertLessEqual(messages, due, "more than were due")
            if due < self.HOSTS * self.RANKS * kinds / 2:
                return
        self.skipTest(f"the job takes {took_s:.0f} s here")

    def messages_of(self, steps):
        """How many messages the supervisor got from its daemons, and the time of the job."""
        hosts = ",".join(f"{chr(ord('a') + number)}:{self.RANKS}" for number in range(self.HOSTS))
        began = time.monotonic()
        _, errors = self.expect(0, *self.run_over(hosts, "-v", "--radix", self.RADIX, launcher_case.MEMBER, *steps))
        took_s = time.monotonic() - began
        found = re.search(r"took (\d+) messages with events of (\d+) ranks on (\d+) hosts", errors)
        self.assertIsNotNone(found, errors)
        messages, ranks, count = map(int, found.groups())
        self.assertEqual((ranks, count), (self.HOSTS * self.RANKS, self.HOSTS))
        return messages, took_s


class Killing(HostsTest):
    """Each process of a job is killed in turn: the job ends, with a message, and nothing is left."""

    def job(self, *options):
        process = self.start(*self.run_over("a:2,b:2,c:1", *options, launcher_case.MEMBER, "join", "fence",
                                        "say=ready", "sleep=600000"))
        self.ready(process, 5)
        return process

    def test_a_rank(self):
        self.kill(self.job(), self.named("launcher_member")[2],
                  r"rank \d on \w \(.*\) was killed by SIGKILL.*; ending the 4 left", 137)

    def test_a_daemon(self):
        self.kill(self.job(), self.named("atoll-daemon")[1], "host [abc]: its daemon: ", 125)

    def test_a_daemon_in_the_middle_of_the_tree(self):
        process = self.job("--radix", "1")
        victim = next(pid for pid in self.named("atoll-daemon")
                      if any(child in self.named("atoll-daemon") for child in children_of(pid)))
        self.kill(process, victim, "host [abc]: its daemon: ", 125)

    def test_a_supervisor(self):
        self.kill(self.job(), self.named("atoll-ranks")[1],
                  r"host [abc]: the launcher's own process \(pid \d+\) was killed by SIGKILL", 137)

    def test_the_head(self):
        self.kill(self.job(), self.named("atoll-supervise")[0],
                  r"the launcher's own process \(pid \d+\) was killed by SIGKILL.*; the job has been ended")

    def test_the_launcher(self):
        process = self.job()
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        self.ended()

    def test_a_remote_shell(self):
        rsh = self.script("staying", 'shift; "$@" & wait; exit')
        process = self.start(*self.run_over("a,b", launcher_case.MEMBER, "join", "fence", "say=ready",
                                        "0:sleep=600000", "sleep=1000", "goodbye", rsh=rsh))
        self.ready(process, 2)
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.ended()


def handshake_answer(key, challenge, node):
    """A daemon's answer to a challenge, with a challenge of its own."""
    challenge_sent = os.urandom(32)
    proof = hashlib.blake2b(challenge[8:40] + challenge_sent + b"caller is node %d" % node, key=key,
                            digest_size=32).digest()
    return struct.pack("<I", node) + challenge_sent + proof


class SpiedTest(HostsTest):
    """The remote shell records the input of the daemons."""

    def setUp(self):
        super().setUp()
        self.spy = self.script("spy", 'h=$1; shift; cat > told.$h.new; mv told.$h.new told.$h; '
                                      'exec "$@" < told.$h')

    def job(self, *options, told_to="a"):
        """A job that waits; returns it, the address to which its daemon connects, and the key."""
        process = self.start(*self.run_over("a,b", *options, "sh", "-c", "echo ready; until [ -e go ]; do sleep 0.05; "
                                        f"done; exec {launcher_case.MEMBER} join exchange fence goodbye",
                                        rsh=self.spy))
        self.ready(process, 2)
        with open(os.path.join(self.folder, "told." + told_to)) as file:
            lines = dict(line.split(" ", 1) for line in file.read().splitlines() if " " in line)
        host, port = lines["call"].split()
        return process, (host, int(port)), bytes.fromhex(lines["key"])

    def go(self, process):
        open(os.path.join(self.folder, "go"), "w").close()
        code, _, errors = self.finish(process)
        self.assertEqual((code, errors), (0, ""))


class Strangers(SpiedTest):
    """Strangers connect to the launcher's socket: the job goes on, and a stranger learns nothing."""

    def call(self, place):
        made = socket.create_connection(place, timeout=PATIENCE_S)
        self.addCleanup(made.close)
        return made

    def read(self, connected, count):
        got = b""
        while len(got) < count:
            piece = connected.recv(count - len(got))
            if not piece:
                break
            got += piece
        return got

    def assert_closed(self, connected):
        """Expects that the other end closes; before that it may only have sent its opening challenge."""
        try:
            while connected.recv(4096):
                pass
        except ConnectionError:
            pass

    def test_garbage_wrong_keys_and_replays_are_dropped(self):
        self.try_all(1)

    def test_a_daemon_that_starts_others_drops_them_too(self):
        self.try_all(2, "--radix", 1, told_to="b")

    def try_all(self, node, *options, **job_options):
        process, place, key = self.job(*options, **job_options)
        for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 5, os.urandom(100), b"\0" * 4096):
            stranger = self.call(place)
            try:
                stranger.sendall(data)
            except ConnectionError:
                pass
            self.assert_closed(stranger)
        stranger = self.call(place)
        stranger.sendall(handshake_answer(os.urandom(32), self.read(stranger, 40), node))
        self.assert_closed(stranger)
        spoken = self.call(place)
        answer = handshake_answer(key, self.read(spoken, 40), node)
        spoken.sendall(answer)
        self.assertEqual(len(self.read(spoken, 32)), 32, "the right key is taken")
        self.assert_closed(spoken)  # because that node has connected already
        again = self.call(place)
        self.assertEqual(len(self.read(again, 40)), 40)
        again.sendall(answer)
        self.assert_closed(again)
        half, slow = self.call(place), self.call(place)
        half.sendall(answer[:67])  # and nothing more
        for each in answer[:20]:
            slow.sendall(bytes([each]))
        self.go(process)

    def test_a_crowd_that_says_nothing_does_no_harm(self):
        process, place, _ = self.job()
        crowd = [self.call(place) for _ in range(300)]
        for stranger in crowd[::2]:
            try:
                stranger.sendall(b"\1")
            except ConnectionError:
                pass
        self.go(process)

    def test_what_does_not_open_closes_the_connection(self):
        process, place, key = self.job()
        for node in (1, 2, 3, 4000000000):
            member = self.call(place)
            member.sendall(handshake_answer(key, self.read(member, 40), node))
            self.read(member, 32)
            try:
                member.sendall(struct.pack("<I", 64) + os.urandom(64))
            except ConnectionError:
                pass
            self.assert_closed(member)
        self.go(process)

    def test_the_key_is_on_no_command_line_and_in_no_environment(self):
        process, _, key = self.job()
        secret = key.hex().encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        self.assertNotIn(secret, file.read(), (pid, name))
                except OSError:
                    pass
        self.go(process)

    def test_who_knows_the_key_leaves_no_core_file(self):
        if 0 <= resource.getrlimit(resource.RLIMIT_CORE)[1] < 51200:
            hosts.skip_case_if("the limit of core files is lower (ulimit -Hc)", "core files")
        # The address sanitizer sets that limit itself without this option.
        options = os.environ.get("ASAN_OPTIONS", "") + ":disable_coredump=0"
        wait = "ulimit -Sc; echo ready; until [ -e go ]; do sleep 0.05; done"
        process = self.start(*self.run_over("a", "sh", "-c", wait), env={"ASAN_OPTIONS": options},
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (51200, 51200)))
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["100\n", "ready\n"])
        for name in ("atoll-supervise", "atoll-daemon"):
            with open(f"/proc/{self.named(name)[0]}/limits") as limits:
                self.assertRegex(limits.read(), r"Max core file size +1 ")
        self.go(process)

    def test_a_false_launcher_is_not_believed(self):
        """A daemon that is invited to the wrong address exits without having revealed the key."""
        with socket.create_server(("127.0.0.1", 0)) as false:
            received = []

            def serve():
                connected, _ = false.accept()
                connected.sendall(struct.pack("<Q", 0x3153484C4F544100) + os.urandom(32))
                received.append(self.read(connected, 68))
                connected.sendall(os.urandom(32))
                received.append(connected.recv(100))
                connected.close()
            server = threading.Thread(target=serve)
            server.start()
            key = os.urandom(32)
            done = subprocess.run(
                [launcher_case.ATOLL, "daemon"], timeout=PATIENCE_S, capture_output=True, text=True,
                input=f"atoll-daemon 1\nnode 1\ncall 127.0.0.1 {false.getsockname()[1]}\n"
                      f"key {key.hex()}\nend\n")
            server.join()
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(len(received[0]), 68)
            self.assertEqual(received[1], b"")
            self.assertNotIn(key, received[0])


    def test_a_daemon_that_was_dropped_at_one_address_calls_the_next(self):
        """The first address closes every connection, like a listener without room."""
        with socket.create_server(("127.0.0.1", 0)) as false:
            dropped = []

            def serve():
                while True:
                    try:
                        connected, _ = false.accept()
                    except OSError:
                        return
                    dropped.append(1)
                    connected.close()
            threading.Thread(target=serve, daemon=True).start()
            port = false.getsockname()[1]
            rsh = self.script("detour", "shift; told=$(mktemp -p .); while read -r line; do case $line in "
                                        f"call*) echo 'call 127.0.0.1 {port}' ;; esac; echo \"$line\"; "
                                        "[ \"$line\" != end ] || break; done >$told; exec \"$@\" <$told")
            output, _ = self.expect(0, *self.run_over("a,b", launcher_case.MEMBER, "join", "size", "exchange", "goodbye",
                                                  rsh=rsh))
            self.assertEqual(sorted(output.splitlines()), ["0 of 2", "1 of 2"])
            self.assertGreaterEqual(len(dropped), 2)
            false.shutdown(socket.SHUT_RDWR)


class Secrets(SpiedTest):
    """No process with core files has the key; ranks inherit no descriptors of the shell."""

    @staticmethod
    def memory_of(pid):
        """All readable memory of a process, except the shadow memory of a sanitizer."""
        found = []
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                place, rights = line.split()[:2]
                if not rights.startswith("rw"):
                    continue
                begin, end = (int(each, 16) for each in place.split("-"))
                if "LSAN_OPTIONS" in os.environ and end - begin > 1 << 30:  # as builds with one have it
                    continue
                try:
                    memory.seek(begin)
                    found.append(memory.read(end - begin))
                except (OSError, OverflowError):
                    pass
        return b"".join(found)

    def test_the_key_is_in_no_process_that_may_leave_a_core_file(self):
        process, _, key = self.job()
        supervisors = self.named("atoll-ranks")
        self.assertEqual(len(supervisors), 2)
        self.assertIn(key, self.memory_of(self.named("atoll-daemon")[0]), "this test would find nothing")
        for pid in supervisors:
            held = self.memory_of(pid)
            self.assertGreater(len(held), 10000)
            self.assertNotIn(key, held)
            self.assertNotIn(key.hex().encode(), held)
            self.assertNotIn(key.hex().upper().encode(), held)
        self.go(process)

    def test_ranks_and_supervisors_inherit_no_descriptors_of_the_remote_shell(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
        leaky = self.script("leaky", f"shift; exec {sys.executable} -c 'import os, sys; os.dup2(0, 7); "
                                     "os.dup2(0, 2000); [os.set_inheritable(n, True) for n in (7, 2000)]; "
                                     "os.execvp(sys.argv[1], sys.argv[1:])' \"$@\"")
        output, errors = self.expect(0, *self.run_over("a,b", "sh", "-c", "ls /proc/$$/fd /proc/$PPID/fd", rsh=leaky),
                                     preexec_fn=limit)
        self.assertIn("0\n1\n2\n", output, errors)
        self.assertNotIn("\n2000\n", output)


class Cables(HostsTest):
    """Hosts with addresses and cables of their own."""

    def setUp(self):
        hosts.skip_case_if(hosts.missing_requirement(), "hosts with cables")
        super().setUp()
        self.net = hosts.Hosts(3)
        self.addCleanup(self.net.close)

    def start_remote(self, *words):
        """A job on hosts 1 and 2, started on host 0."""
        named = ",".join(f"{name}:2" for name in self.net.names[1:])
        process = subprocess.Popen(
            self.net.on(0, launcher_case.ATOLL, "run", "--hosts", named, "--rsh", "ip netns exec", *words),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env=self.environment, start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def test_a_job_over_cables(self):
        process = self.start_remote(launcher_case.MEMBER, "join", "size", "exchange=60000", "fence", "goodbye")
        code, output, errors = self.finish(process)
        self.assertEqual((code, sorted(output.splitlines())), (0, [f"{r} of 4" for r in range(4)]), errors)

    def test_a_cable_that_is_out_for_two_seconds_is_survived(self):
        process = self.start_remote("--link-timeout", 60, "sh", "-c", "echo ready; until [ -e go ]; do sleep 0.05; "
                                   f"done; exec {launcher_case.MEMBER} join exchange=60000 fence goodbye")
        self.ready(process, 4)
        self.net.cut(2)
        open(os.path.join(self.folder, "go"), "w").close()
        time.sleep(2)
        self.net.mend(2)
        code, _, errors = self.finish(process)
        self.assertEqual((code, errors), (0, ""))

    def test_a_cable_that_is_out_for_good_ends_the_job_on_both_sides(self):
        process = self.start_remote("--link-timeout", 5 * launcher_case.SLOWNESS, launcher_case.MEMBER, "join",
                                   "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        self.net.cut(2)
        code, _, errors = self.finish(process)
        self.assertEqual(code, 125, errors)
        self.assertRegex(errors, rf"host {self.net.names[2]}: its daemon: nothing was heard of it for too long; "
                                 "ending the 2 left")
        self.ended()


if __name__ == "__main__":
    launcher_case.ATOLL, launcher_case.MEMBER, OTHER = map(os.path.abspath, sys.argv[1:4])
    suite.main(sys.argv[:1] + sys.argv[4:], verbosity=2)
