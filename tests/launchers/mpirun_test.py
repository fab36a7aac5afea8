#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Open MPI's mpirun starts Atoll's programs over two and three hosts, as PMIx jobs.
# Usage: mpirun_test.py MPIRUN MEMBER TRAFFIC [unittest arguments].
#
# Hosts are network namespaces with process and host name spaces of their own: ranks of a host find each
# other's memory through /proc, and Atoll takes those for neighbours that see the same processes. Open MPI
# goes to the other hosts by an agent, which is a script here. Skipped where there are no namespaces.
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../fault/launcher"), os.path.join(HERE, "../fault/hosts"),
                os.path.join(HERE, "../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_test  # noqa: E402
import suite  # noqa: E402

MPIRUN = TRAFFIC = None

# The agent gets an address and a command; host 10.77.0.(1 + n) is the namespace PREFIX-n.
AGENT = """\
host=$1; shift
number=$((${{host##*.}} - 1))
exec ip netns exec {prefix}-$number unshare --pid --fork --kill-child --mount-proc --uts \\
  sh -c "hostname host$number; $*"
"""


class UnderMpirun(hosts_test.HostsTest):
    @classmethod
    def setUpClass(cls):
        cls.net = hosts.Hosts(3)
        cls.addClassCleanup(cls.net.close)

    def setUp(self):
        super().setUp()
        self.agent = self.script("agent", AGENT.format(prefix=self.net.prefix))
        self.environment = {name: value for name, value in self.environment.items()
                            if not name.startswith(("OMPI_", "PMIX_", "PRTE_"))}
        self.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                             "TMPDIR": self.folder}

    def start(self, *words, spread=(1, 2, 1), options=()):
        named = ",".join(f"{self.net.address(number)}:{ranks}" for number, ranks in enumerate(spread))
        name, value = self.mark.split("=")
        process = subprocess.Popen(
            self.net.on(0, MPIRUN, "--mca", "plm_rsh_agent", self.agent, "--mca", "odls_base_sigkill_timeout", 0,
                        "-x", f"{name}={value}", *options,
                        "--host", named, "-n", sum(spread), *words),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env=self.environment, start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def test_ranks_meet_and_know_their_neighbours(self):
        for spread, neighbours in (((1, 2), ["0 has 0", "1 has 1 2", "2 has 1 2"]),
                                   ((2, 1, 2), ["0 has 0 1", "1 has 0 1", "2 has 2", "3 has 3 4", "4 has 3 4"])):
            output, _ = self.expect(0, launcher_test.MEMBER, "join", "neighbours", "exchange", "exchange=60000",
                                    "fence", "goodbye", spread=spread)
            self.assertEqual(sorted(output.splitlines()), neighbours)
        self.ended()

    def test_they_talk_over_the_network(self):
        for spread in ((2, 1), (1, 2, 1)):
            self.expect(0, TRAFFIC, "2000", spread=spread)
        self.ended()

    def test_a_rank_that_ends_the_job(self):
        self.expect(7, launcher_test.MEMBER, "join", "fence", "3:end=7:enough", "sleep=600000", says="atoll: enough")
        self.ended()

    def test_a_rank_that_fails(self):
        self.expect(9, launcher_test.MEMBER, "join", "fence", "2:exit=9", "sleep=600000")
        self.ended()

    def test_a_rank_that_is_killed(self):
        process = self.start(launcher_test.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        victim = next(pid for pid in self.named("pmix_member") if pid in hosts.processes_in(self.net.names[2]))
        os.kill(victim, 9)
        code, _, errors = self.finish(process)
        self.assertEqual(code, 137, errors)
        self.ended()

    def test_a_launcher_that_is_killed(self):
        process = self.start(launcher_test.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        process.kill()
        self.stop(process)
        self.ended()

    def test_ranks_that_are_dealt_out_in_turn_are_refused(self):
        self.expect(1, TRAFFIC, "100", spread=(2, 2), options=("--map-by", "node"), says="mpirun --map-by slot")
        self.ended()


if __name__ == "__main__":
    MPIRUN = sys.argv[1]
    launcher_test.MEMBER, TRAFFIC = map(os.path.abspath, sys.argv[2:4])
    hosts.skip_if(hosts.why_not(), "jobs over hosts by mpirun")
    suite.main(sys.argv[:1] + sys.argv[4:], verbosity=2)
