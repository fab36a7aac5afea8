#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Open MPI's mpirun starts Atoll's programs over two and three hosts, as PMIx jobs.
# Usage: mpirun_test.py MPIRUN MEMBER TRAFFIC [unittest arguments].
#
# Skipped where there are no namespaces for the hosts (mpi_hosts.py).
import os
import sys

import mpi_hosts
from mpi_hosts import hosts, hosts_test, launcher_case
import suite

MPIRUN = None


class UnderMpirun(mpi_hosts.OverHosts, hosts_test.HostsTest):
    def setUp(self):
        super().setUp()
        self.environment["TMPDIR"] = self.folder

    def launch(self, named, *options):
        name, value = self.mark.split("=")
        return [MPIRUN, "--mca", "plm_rsh_agent", self.agent, "--mca", "odls_base_sigkill_timeout", 0,
                "-x", f"{name}={value}", *options, "--host", named]

    def test_a_rank_that_fails(self):
        self.expect(9, launcher_case.MEMBER, "join", "fence", "2:exit=9", "sleep=600000")
        self.ended()

    def test_a_rank_that_is_killed(self):
        process = self.start(launcher_case.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        victim = next(pid for pid in self.named("pmix_member") if pid in hosts.processes_in(self.net.names[2]))
        os.kill(victim, 9)
        code, _, errors = self.finish(process)
        self.assertEqual(code, 137, errors)
        self.ended()

    def test_a_launcher_that_is_killed(self):
        process = self.start(launcher_case.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        process.kill()
        self.stop(process)
        self.ended()

    def test_ranks_that_are_dealt_out_in_turn_are_refused(self):
        self.expect(1, self.traffic, "100", spread=(2, 2), options=("--map-by", "node"), says="mpirun --map-by slot")
        self.ended()


if __name__ == "__main__":
    MPIRUN = sys.argv[1]
    launcher_case.MEMBER, mpi_hosts.OverHosts.traffic = map(os.path.abspath, sys.argv[2:4])
    hosts.skip_if(hosts.missing_requirement(), "jobs over hosts by mpirun")
    suite.main(sys.argv[:1] + sys.argv[4:], verbosity=2)
