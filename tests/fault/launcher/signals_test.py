#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests signals, keys of the terminal, input and output between the user and the ranks. Usage:
# signals_test.py ATOLL MEMBER [unittest arguments].
import os
import pty
import re
import signal
import subprocess
import sys
import time

import launcher_case as case
from launcher_case import LauncherTest, PATIENCE_S, children_of, processes_with, state_of, wait_for


def resident_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


class Signals(LauncherTest):
    TRAP = ("trap 'echo got TERM; exit 0' TERM; trap 'echo got INT; exit 0' INT; "
            "trap 'echo got USR1' USR1; trap 'echo got HUP; exit 0' HUP; echo ready; "
            "while :; do sleep 0.02; done")

    def forwarded(self, number, expected):
        process = self.start("-n", 2, "sh", "-c", self.TRAP)
        self.ready(process, 2)
        process.send_signal(number)
        _, output, _ = self.finish(process)
        self.assertEqual(output.split("\n").count(expected), 2, output)

    def test_signals_to_the_launcher_reach_the_ranks(self):
        self.forwarded(signal.SIGTERM, "got TERM")
        self.forwarded(signal.SIGINT, "got INT")
        self.forwarded(signal.SIGHUP, "got HUP")

    def test_user_signals_reach_the_ranks_and_nobody_ends(self):
        process = self.start("-n", 2, "sh", "-c", self.TRAP)
        self.ready(process, 2)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.ready(process, 2), ["got USR1\n"] * 2)
        process.terminate()
        self.finish(process)

    def test_an_interrupted_launcher_dies_of_the_interrupt(self):
        process = self.start("-n", 2, "sh", "-c", "echo ready; exec sleep 600")
        self.ready(process, 2)
        process.send_signal(signal.SIGINT)
        code, _, errors = self.finish(process)
        self.assertEqual(code, -signal.SIGINT)
        self.assertRegex(errors, "interrupted by SIGINT")

    def test_sigterm_gives_143(self):
        process = self.start("-n", 2, "sh", "-c", "echo ready; exec sleep 600")
        self.ready(process, 2)
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_a_second_signal_ends_ranks_that_ignore_the_first(self):
        process = self.start(*self.member(2, "deaf=15", "say=ready", "sleep=600000"))
        self.ready(process, 2)
        process.terminate()
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_ranks_stop_and_continue_with_the_launcher(self):
        process = self.start(*self.member(2, "join", "say=ready", "await=go", "fence", "goodbye"))
        self.ready(process, 2)
        supervisor = children_of(process.pid)[0]
        ranks = children_of(supervisor)
        process.send_signal(signal.SIGTSTP)
        wait_for(lambda: all(state_of(pid) == "T" for pid in [*ranks, process.pid]), "all stopped")
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGCONT)
        open(os.path.join(self.folder, "go"), "w").close()
        self.assertEqual(self.finish(process)[0], 0)

    def test_a_stopped_rank_is_waited_for(self):
        process = self.start(*self.member(2, "join", "say=ready", "fence", "goodbye"))
        self.ready(process, 2)
        process2 = self.start(*self.member(2, "join", "1:die=19", "fence", "goodbye"))
        self.assertEqual(self.finish(process)[0], 0)
        stopped = wait_for(lambda: [p for p in processes_with(self.mark) if state_of(p) == "T"],
                           "a stopped rank")
        time.sleep(0.3)
        self.assertIsNone(process2.poll())
        os.kill(stopped[0], signal.SIGCONT)
        self.assertEqual(self.finish(process2)[0], 0)

    def kill_part(self, choose):
        words = ["-n", 3, "sh", "-c", "trap '' TERM; setsid sleep 600 & sleep 600 & echo ready; wait"]
        process = self.start(*words, stderr=subprocess.DEVNULL)
        self.ready(process, 3)
        os.kill(choose(process), signal.SIGKILL)
        wait_for(lambda: not processes_with(self.mark), "nothing left")
        return process.wait(PATIENCE_S)

    def test_killing_the_foreground_process_leaves_nothing(self):
        self.kill_part(lambda process: process.pid)

    def test_killing_the_supervisor_leaves_nothing(self):
        self.assertEqual(self.kill_part(lambda process: children_of(process.pid)[0]), 137)

    def test_a_caller_that_ignores_or_blocks_signals_does_no_harm(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGUSR1])
        self.expect(3, "-n", 2, "sh", "-c", "[ $ATOLL_RANK = 0 ] || exit 3; exec sleep 600",
                    preexec_fn=ignore)

    def test_an_ignored_hangup_stays_ignored(self):
        process = self.start("-n", 1, "sh", "-c", "echo ready; sleep 0.5; echo done",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.ready(process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(self.finish(process)[:2], (0, "done\n"))


class Streams(LauncherTest):
    def test_standard_input_goes_to_rank_0_only(self):
        process = self.start("-n", 3, "--tag", "cat", stdin=subprocess.PIPE)
        self.assertEqual(self.finish(process, "a\nb\n")[:2], (0, "[0] a\n[0] b\n"))

    def test_closed_standard_streams_do_no_harm(self):
        done = subprocess.run(["sh", "-c", f'"{case.ATOLL}" run -n 2 "{case.MEMBER}" join fence goodbye '
                               "<&- >&- 2>&-"], env=self.environment, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0)

    def test_tagged_lines_are_whole_and_complete(self):
        lines = 2000
        script = ("import os, sys\nr = os.environ['ATOLL_RANK']\n"
                  f"for i in range({lines}):\n"
                  "    sys.stdout.write(f'{r}:'); sys.stdout.flush()\n"
                  "    sys.stdout.write(f'{i}:' + r * (i % 300) + '\\n')\n"
                  "sys.stderr.write('no end of line')")
        output, errors = self.expect(0, "-n", 4, "--tag", sys.executable, "-c", script)
        seen = {rank: 0 for rank in range(4)}
        for line in output.splitlines():
            found = re.fullmatch(r"\[(\d)\] \1:(\d+):(\1*)", line)
            self.assertTrue(found, line)
            rank, number = int(found[1]), int(found[2])
            self.assertEqual((seen[rank], len(found[3])), (number, number % 300))
            seen[rank] += 1
        self.assertEqual(set(seen.values()), {lines})
        self.assertEqual(sorted(errors.splitlines()), [f"[{r}] no end of line" for r in range(4)])

    def test_tags_are_as_wide_as_the_largest_rank(self):
        output, _ = self.expect(0, "-n", 11, "-t", "sh", "-c", "echo x")
        self.assertIn("[ 3] x\n", output)
        self.assertIn("[10] x\n", output)

    def test_a_reader_that_stops_reading_ends_tagged_ranks_by_sigpipe(self):
        process = self.start("-n", 2, "--tag", "yes")
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        self.assertEqual(process.wait(PATIENCE_S), 128 + signal.SIGPIPE)

    def test_a_reader_that_pauses_holds_back_the_ranks_not_the_launcher(self):
        process = self.start("-n", 2, "--tag", "yes")
        process.stdout.readline()
        launcher = children_of(process.pid)[0]
        # How much it holds by itself, with full buffers, depends on the build (a sanitizer's shadow), and the time to
        # fill them on the machine: it must stop to grow before it has taken what the ranks write in a second.
        sizes_kb = [resident_kb(launcher)]
        while len(sizes_kb) < 3 or sizes_kb[-1] > sizes_kb[-3]:
            self.assertLess(sizes_kb[-1] - sizes_kb[0], 100000, "it takes whatever the ranks write")
            time.sleep(0.5)
            sizes_kb.append(resident_kb(launcher))
        process.terminate()
        process.stdout.read()
        self.assertEqual(process.wait(PATIENCE_S), 143)

    def test_a_reader_that_pauses_does_not_keep_ranks_alive(self):
        reading, writing = os.pipe()
        process = self.start("-n", 2, "sh", "-c", "[ $ATOLL_RANK = 1 ] && exec yes >&2; sleep 0.7; exit 3",
                             stderr=writing)
        os.close(writing)
        wait_for(lambda: len(processes_with(self.mark)) == 2, "only the launcher is left")
        with open(reading, errors="replace") as errors:
            self.assertIn("rank 0 (sh, pid", errors.read().replace("y\n", ""))
        self.assertEqual(process.wait(PATIENCE_S), 3)

    def test_a_launcher_whose_reader_never_reads_can_be_ended(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = self.start("-n", 1, "--tag", "sh", "-c", "yes | head -c 100000")
            wait_for(lambda: len(processes_with(self.mark)) == 2, "only the launcher is left")
            process.send_signal(number)
            process.wait(PATIENCE_S)
            wait_for(lambda: not processes_with(self.mark), "nothing left")

    def test_one_output_file_per_rank(self):
        os.mkdir(os.path.join(self.folder, "logs"))
        for target, names in (("out", "out.{}"), ("logs", "logs/rank.{}")):
            self.expect(0, "-n", 3, "-o", target, "sh", "-c", "echo out $ATOLL_RANK; echo err >&2")
            for rank in range(3):
                with open(os.path.join(self.folder, names.format(rank))) as file:
                    self.assertEqual(file.read(), f"out {rank}\nerr\n")

    def test_keys_of_the_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(case.ATOLL, [case.ATOLL, "run", "-n", "2", "sh", "-c",
                              "test -t 0 && echo terminal; echo ready; exec cat"], self.environment)
        seen = b""
        while seen.count(b"ready") < 2:
            seen += os.read(terminal, 1000)
        self.assertIn(b"terminal", seen)
        os.write(terminal, b"hello\n")
        while seen.count(b"hello") < 2:  # the terminal's echo, and cat
            seen += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        status = wait_for(lambda: os.waitpid(pid, os.WNOHANG)[1], "the end after Ctrl-C")
        output = os.read(terminal, 1000)
        os.close(terminal)
        self.assertEqual(os.WTERMSIG(status), signal.SIGINT, (status, output))


if __name__ == "__main__":
    case.main()
