#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests how jobs end: the first failure, its exit code and its one line, and ranks that end with codes of their
# own. Usage: ending_test.py ATOLL MEMBER [unittest arguments].
import os
import signal

import launcher_case as case
from launcher_case import LauncherTest, children_of, first_matching

# Steps of a rank that ends, and of others that wait until the launcher has seen its end.
TELL_NUMBER = "system=echo $PPID > first"
AFTER_FIRST = "system=until [ -s first ] && ! kill -0 $(cat first) 2>&-; do sleep 0.01; done"


class Ending(LauncherTest):
    def test_the_first_failure_decides_the_exit_code(self):
        self.expect(7, "-n", 3, "sh", "-c", "[ $ATOLL_RANK = 1 ] && exit 7; exec sleep 600",
                    says=r"rank 1 \(sh, pid \d+\) exited with code 7")

    def test_a_signal_is_named_and_gives_128_more(self):
        self.expect(139, "-n", 2, case.MEMBER, "1:die=11", "sleep=600000",
                    says=r"rank 1 .* was killed by SIGSEGV \(Segmentation fault\)")
        self.expect(137, "-n", 2, case.MEMBER, "0:die=9", "sleep=600000", says="rank 0 .* SIGKILL")

    def test_who_knows_why_is_heard_though_another_exits_first(self):
        self.expect_reason("-n", 3, says="(?s)rank [12] .*exited with code 2.*because")

    def test_only_the_first_failure_is_told(self):
        _, errors = self.expect(5, "-n", 8, "sh", "-c", "exit 5")
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_the_others_end_also_if_they_ignore_sigterm(self):
        self.expect(3, *self.member(4, "deaf=15", "0:sleep=200", "0:exit=3", "sleep=600000"))

    def test_children_of_ranks_end_too_even_in_a_session_of_their_own(self):
        self.expect(4, "-n", 2, "sh", "-c",
                    "trap '' TERM; setsid sleep 600 & (sleep 600; true) & sleep 0.3; "
                    "[ $ATOLL_RANK = 1 ] && exit 4; wait")

    def test_ranks_that_end_at_the_same_moment_are_all_seen(self):
        for _ in range(40):
            self.expect(0, "-n", 16, "true")

    def test_what_ranks_leave_running_ends_with_the_job(self):
        self.expect(0, "-n", 2, "sh", "-c", "setsid sleep 600 > /dev/null 2>&1 & exit 0")

    def test_a_rank_that_joined_must_leave(self):
        self.expect(1, *self.member(3, "join", "fence", "1:exit=0", "sleep=600000"),
                    says="rank 1 .* exited with code 0 without leaving the job")

    def test_a_rank_behind_a_shell_that_dies_is_noticed(self):
        self.expect(1, "-n", 2, "sh", "-c",
                    f"{case.MEMBER} join fence 1:die=11 sleep=600000; sleep 600", says="rank 1")

    def test_a_wait_for_a_rank_that_cannot_come_ends(self):
        self.expect(1, *self.member(3, "!1:join", "!1:fence", "!1:goodbye"),
                    says="waits in a fence for all ranks, but rank 1 has ended without joining")
        self.expect(1, *self.member(3, "join", "0:exchange", "!0:fence", "sleep=600000"),
                    says="rank 0 waits in an exchange for all ranks, but rank 1 waits in a fence")
        self.expect(1, *self.member(2, "join", "0:goodbye", "1:fence", "sleep=600000"),
                    says="rank 1 waits in a fence for all ranks, but rank 0 has left")

    def test_a_rank_ends_the_job(self):
        self.expect(9, *self.member(3, "join", "fence", "2:end=9:no more salt", "sleep=600000"),
                    says=r"rank 2 \(.*\): no more salt")
        _, errors = self.expect(0, *self.member(3, "join", "fence", "2:end=0", "sleep=600000"))
        self.assertEqual(errors, "")
        self.expect(1, *self.member(2, "join", "0:end=256", "sleep=600000"), says="with code 1")
        _, errors = self.expect(6, *self.member(3, "join", "end=6"))
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_a_time_out_tells_what_the_ranks_did(self):
        def attempt(limit):
            _, errors = self.expect(124, *self.member(3, "join", "!1:fence", "sleep=600000",
                                                      options=["--timeout", limit]))
            self.assertRegex(errors, f"time-out after {limit} s")
            return errors
        # On a busy machine the ranks may not have come so far.
        first_matching((lambda limit=each: attempt(limit) for each in (1.5, 6.5, 26.5)),
                       (r"rank 0 waits in a fence; launcher_member \(pid \d+\) sleeping",
                        r"rank 1 has joined; .*processor time"))

    def test_lack_of_memory_is_told_when_the_kernel_says_so(self):
        group = f"/sys/fs/cgroup/memory/atoll-test-{os.getpid()}"
        try:
            os.mkdir(group)
            with open(group + "/memory.limit_in_bytes", "w") as limit:
                limit.write(str(64 << 20))
        except OSError:
            self.skipTest("no memory control group can be made here")
        self.addCleanup(os.rmdir, group)

        def enter():
            with open(group + "/tasks", "w") as tasks:
                tasks.write(str(os.getpid()))
        self.expect(137, *self.member(2, "1:hold=500", "sleep=5000"), preexec_fn=enter,
                    says="rank 1 .* SIGKILL.*out of memory")


class Stopping(LauncherTest):
    @staticmethod
    def is_rank(pid, rank):
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return b"ATOLL_RANK=%d" % rank in environ.read().split(b"\0")

    def test_a_rank_that_has_left_may_exit_with_any_code(self):
        for ranks in (1, 2, 3, 5):
            output, errors = self.expect(2, *self.member(ranks, "join", "fence", "goodbye", "0:exit=2", "sleep=200",
                                                         "say=on"), says=r"rank 0 \(.*\) exited with code 2\n$")
            self.assertEqual(output.split(), ["on"] * (ranks - 1))
            self.assertEqual(errors.count("\n"), 1, errors)

    def test_the_first_code_that_is_not_0_is_the_one_of_the_job(self):
        first = ["1:" + TELL_NUMBER, "1:exit=4"]
        self.expect(4, *self.member(3, "join", "fence", "goodbye", *first, AFTER_FIRST, "0:exit=6"))
        os.remove(os.path.join(self.folder, "first"))
        self.expect(4, *self.member(3, "join", "fence", "1:goodbye", *first, AFTER_FIRST, "die=11"))

    def test_a_rank_that_has_left_and_dies_of_a_signal_ends_the_job(self):
        self.expect(139, *self.member(2, "join", "fence", "1:goodbye", "1:die=11", "sleep=600000"), says="SIGSEGV")

    def test_a_stopped_rank_waits_for_the_others_and_is_seen_by_them(self):
        for ranks in (2, 3, 5):
            output, errors = self.expect(7, *self.member(
                ranks, "join", "fence", "1:stop=7", "await-stop=1", "sleep=100", "say=on", "goodbye"),
                says=r"rank 1 \(.*\) stopped with code 7\n$")
            self.assertEqual(output.split(), ["on"] * (ranks - 1))
            self.expect(7, *self.member(ranks, "join", "fence", "1:stop=7", "await-stop=1", "0:stop=0", "stop=8"))
        self.expect(0, *self.member(3, "join", "fence", "stop=0"))
        self.expect(1, *self.member(1, "join", "stop=256"))

    def test_a_stopped_rank_that_is_killed_ends_the_job(self):
        process = self.start(*self.member(2, "join", "fence", "1:stop=0", "await-stop=1", "say=ready",
                                          "sleep=600000"))
        process.stdout.readline()
        supervisor = children_of(process.pid)[0]
        os.kill(next(pid for pid in children_of(supervisor) if self.is_rank(pid, 1)), signal.SIGKILL)
        code, _, errors = self.finish(process)
        self.assertEqual(code, 137)
        self.assertRegex(errors, "rank 1 .* SIGKILL")

    def test_nobody_waits_in_vain_for_a_stopped_rank(self):
        self.expect(1, *self.member(3, "join", "2:stop=0", "await-stop=2", "fence"),
                    says="waits in a fence for all ranks, but rank 2 has stopped")

    def test_a_stopped_rank_does_not_wait_for_one_that_never_joins(self):
        self.expect(0, *self.member(3, "0:sleep=100", "!0:join", "!0:stop=0"))

    def test_a_rank_may_stop_in_a_second_program(self):
        self.expect(5, "-n", 2, "sh", "-c",
                    f"{case.MEMBER} join fence stop=0 && {case.MEMBER} join fence stop=5")


if __name__ == "__main__":
    case.main()
