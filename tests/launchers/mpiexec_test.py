#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# MPICH's mpiexec starts Atoll's programs as PMI-1 jobs, on one host and over several; and programs of Atoll
# and MPI work under MPICH's and Open MPI's launchers in every order in which the two begin and end.
# Usage: mpiexec_test.py ATOLL MPIEXEC MEMBER TRAFFIC HYBRID MPIRUN HYBRID_OPENMPI [unittest arguments]; any of the
# last four may be "none", and then its tests are skipped.
#
# The hosts are those of mpi_hosts.py.
import os
import sys

import mpi_hosts
from mpi_hosts import hosts, hosts_test, launcher_case
import suite

MPIEXEC = HYBRID = MPIRUN = HYBRID_OPENMPI = None


class UnderMpiexec(mpi_hosts.Launched):
    def member(self, ranks, *steps, options=()):
        return [MPIEXEC, "-n", ranks, *options, launcher_case.MEMBER, *steps]

    def test_ranks_exchange_share_memory_and_leave(self):
        for ranks in (2, 3, 5, 16):
            output, _ = self.expect(0, *self.member(ranks, "join", "size", "exchange", "memory", "exchange=60000",
                                                    "fence", "goodbye"))
            self.assertEqual(sorted(output.splitlines()), sorted(f"{rank} of {ranks}" for rank in range(ranks)))

    def test_more_ranks_than_one_parent_has_children(self):
        self.expect(0, *self.member(70, "join", "exchange", "exchange=900", "memory", "fence", "goodbye"))

    def test_the_launcher_may_listen_on_a_port(self):
        output, _ = self.expect(0, *self.member(3, "join", "size", "exchange", "memory", "goodbye",
                                                options=["-pmi-port"]))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])

    def test_one_process_is_a_job_of_one(self):
        self.assertEqual(self.expect(0, *self.member(1, "join", "size", "goodbye"))[0], "0 of 1\n")

    def test_a_rank_may_join_again(self):
        self.expect(0, *self.member(3, *["join", "memory", "exchange", "goodbye"] * 3))

    def test_what_a_rank_starts_is_a_job_of_its_own(self):
        for inner in (f"{launcher_case.MEMBER} join size memory goodbye",
                      f"env -i {MPIEXEC} -n 1 {launcher_case.MEMBER} join size memory goodbye"):
            output, errors = self.expect(0, *self.member(2, "join", f"system={inner}", "fence", "goodbye"))
            self.assertEqual(output.splitlines().count("0 of 1"), 2, errors)
            self.assertEqual(output.splitlines().count("the command ended with 0"), 2, errors)
        self.expect(0, *self.member(2, "join", "fork", "fence", "goodbye"))

    def test_a_launcher_that_a_rank_starts(self):
        inner = f"{MPIEXEC} -n 3 {launcher_case.MEMBER} join size memory exchange goodbye"
        output, errors = self.expect(0, *self.member(2, "join", f"0:system={inner}", "fence", "goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3", "the command ended with 0"],
                         errors)

    def test_a_rank_that_ends_the_job(self):
        self.expect(7, *self.member(3, "join", "fence", "2:end=7:enough", "sleep=600000"), says="atoll: enough")
        self.expect(0, *self.member(3, "join", "fence", "end=0"))

    def test_a_rank_that_fails_or_is_killed_or_does_not_leave(self):
        for step, says in (("exit=9", ""), ("die=9", ""), ("quit=8", ""),
                           ("quit=0", "rank 2 exited with code 0 without leaving the job")):
            code, _, errors = self.run_job(*self.member(3, "join", "fence", "2:" + step, "sleep=600000"))
            self.assertNotEqual(code, 0, errors)
            self.assertIn(says, errors)

    def test_a_launcher_that_is_killed(self):
        process = self.start(*self.member(3, "join", "fence", "say=ready", "sleep=600000"))
        self.ready(process, 3)
        process.kill()

    def test_a_descriptor_that_a_wrapper_has_closed_is_named(self):
        self.expect(91, MPIEXEC, "-n", 2, "sh", "-c", f'eval "exec $PMI_FD>&-"; {launcher_case.MEMBER} join goodbye',
                    says="PMI_FD: descriptor [0-9]+ is not open")


class Hybrids:
    """For each library: HYBRID is the program, LAUNCHER starts it."""

    def hybrid(self, order):
        return [*self.launcher, "-n", 3, self.program, order]

    def test_every_order_of_beginnings_and_ends(self):
        for order in self.orders:
            with self.subTest(order=order):
                output, errors = self.expect(0, *self.hybrid(order))
                self.assertEqual(sorted(output.splitlines()), [f"rank {rank} of 3: done" for rank in range(3)],
                                 errors)

    def test_children_of_ranks_are_alone_before_during_and_after_mpi(self):
        output, errors = self.expect(0, *self.hybrid("AtMtmta"))
        self.assertEqual(output.count("rank 0 of 1: done"), 9, errors)

    def by_atoll(self, size, order, launcher=None):
        return [launcher_case.ATOLL, "run", "-n", size, "--launcher", " ".join(launcher or [*self.launcher, "-n", "%N"])
                + " %C", self.program, order]

    def test_atoll_run_starts_them_through_this_launcher(self):
        output, errors = self.expect(0, *self.by_atoll(2, "AMma"))
        self.assertEqual(sorted(output.splitlines()), ["rank 0 of 2: done", "rank 1 of 2: done"], errors)
        self.expect(5, *self.by_atoll(3, "AMxs"), says="the launcher .* exited with code 5")
        process = self.start(*self.by_atoll(2, "AMs"))
        launcher_case.wait_for(lambda: len(launcher_case.processes_with(self.mark)) > 4, "the ranks")
        process.kill()

    def test_a_launcher_that_starts_others_than_asked_is_refused(self):
        for launcher, says in (([*self.launcher, "-n", "3"], "asks for 2 ranks, but the launcher started 3.*%N"),
                               ([*self.launcher, "-n", "1"], "asks for 2 ranks, but no launcher"), (["env"], "asks for 2 ranks")):
            # MPICH's mpiexec fails when a rank ends while mpiexec answers it, and the ranks' output is lost then.
            for _attempt in range(5):
                code, _, errors = self.run_job(*self.by_atoll(2, "Aa", launcher))
                self.assertNotEqual(code, 0)
                if "HYD" not in errors:
                    break
            self.assertRegex(errors, says)

    def test_this_launcher_inside_of_a_rank_of_atoll_run(self):
        inner = " ".join(map(str, self.hybrid("AMma")))
        output, errors = self.expect(0, launcher_case.ATOLL, "run", "-n", 2, launcher_case.MEMBER, "join",
                                     f"0:system={inner}", "fence", "goodbye")
        self.assertEqual(sorted(output.splitlines()),
                         [*(f"rank {rank} of 3: done" for rank in range(3)), "the command ended with 0"], errors)

    def test_a_rank_that_ends_the_job_or_fails(self):
        for order, codes in (("AMxs", (5,)), ("AMmxs", (5,)), ("AMys", None), ("AMmys", None), ("AM!s", None),
                             ("AMm!s", None)):
            with self.subTest(order=order):
                code, output, errors = self.run_job(*self.hybrid(order))
                self.assertNotIn("done", output)
                self.assertNotEqual(code, 0, errors)
                if codes:
                    self.assertIn(code, codes, errors)


class HybridsOfMpich(Hybrids, mpi_hosts.Launched):
    orders = ("AMma", "AMam", "MAma", "MAam", "AaMm", "AaAMma", "AaMAma")

    def setUp(self):
        hosts.skip_case_if(HYBRID == "none" and "its compiler is not installed", "programs of Atoll and MPICH")
        super().setUp()
        self.launcher, self.program = [MPIEXEC], HYBRID

    def test_atoll_after_mpi_is_refused_with_the_remedy(self):
        code, _, errors = self.run_job(*self.hybrid("MmA"))
        self.assertNotEqual(code, 0)
        self.assertRegex(errors, r"start Atoll before MPI_Finalize\(\)")


class HybridsOfOpenMpi(Hybrids, mpi_hosts.Launched):
    orders = ("AMma", "AMam", "MAma", "MAam")  # libpmix does not begin a second time

    def setUp(self):
        hosts.skip_case_if("none" in (HYBRID_OPENMPI, MPIRUN) and "it is not installed", "programs of Atoll and Open MPI")
        super().setUp()
        self.launcher = [MPIRUN, "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"]
        self.program = HYBRID_OPENMPI


class OverHosts(mpi_hosts.OverHosts, hosts_test.HostsTest):
    def launch(self, named, *options):
        return [MPIEXEC, "-launcher", "ssh", "-launcher-exec", self.agent, "-localhost", "10.77.0.1", *options,
                "-hosts", named]

    def test_a_rank_that_is_killed(self):
        code, _, errors = self.run_job(launcher_case.MEMBER, "join", "fence", "3:die=9", "sleep=600000")
        self.assertNotEqual(code, 0, errors)
        self.ended()


if __name__ == "__main__":
    words = [word if word == "none" else os.path.abspath(word) for word in sys.argv[1:8]]
    launcher_case.ATOLL, MPIEXEC, launcher_case.MEMBER, mpi_hosts.OverHosts.traffic = words[:4]
    HYBRID, MPIRUN, HYBRID_OPENMPI = words[4:]
    if MPIEXEC == "none":
        hosts.skip_if("MPICH's mpiexec is not installed", "jobs by mpiexec")
    suite.main(sys.argv[:1] + sys.argv[8:], verbosity=2)
