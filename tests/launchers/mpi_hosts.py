# SPDX-License-Identifier: BSD-3-Clause
#
# The common part of the tests of Open MPI's and MPICH's launchers: starts them on this host; and for jobs over
# several hosts it makes the hosts and the launcher's way to them, and has the tests that each launcher must pass.
#
# Hosts are network namespaces with process and host name spaces of their own. Ranks of a host find each
# other's memory through /proc, so Atoll treats ranks as neighbours when they see the same processes. The
# launcher reaches the other hosts by an agent, which is a script.
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../fault/launcher"), os.path.join(HERE, "../fault/hosts"),
                os.path.join(HERE, "../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_case  # noqa: E402

# The agent's arguments are options, an address and a command; host 10.77.0.(1 + n) is the namespace PREFIX-n.
AGENT = """\
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
number=$((${{host##*.}} - 1))
exec ip netns exec {prefix}-$number unshare --pid --fork --kill-child --mount-proc --uts \\
  sh -c "hostname host$number; $*"
"""

# The launchers read from an empty pipe that stays open while the test runs: MPICH 4.0's mpiexec passes on the end
# of its standard input, and dies of SIGPIPE when its ranks have ended before that.
SILENT_INPUT, _KEPT_OPEN = os.pipe()


def own_variables(environment):
    """The environment without the variables of other launchers."""
    return {name: value for name, value in environment.items()
            if not name.startswith(("OMPI_", "PMI", "PRTE_", "HYDRA_", "MPI_"))} | {
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Launched(launcher_case.LauncherTest):
    """A test of jobs on this host that a launcher of MPI starts, with the input above."""

    def start(self, *words):
        process = subprocess.Popen([*map(str, words)], stdin=SILENT_INPUT, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                   env=own_variables(self.environment), start_new_session=True)
        self.addCleanup(self.stop, process)
        return process


class OverHosts:
    """Tests that a test case inherits. It is a hosts_test.HostsTest as well, and starts the ranks in launch();
    `traffic` is the program that communicates over the network."""
    traffic = None

    @classmethod
    def setUpClass(cls):
        hosts.skip_case_if(hosts.missing_requirement(), "jobs over hosts by another launcher")
        cls.net = hosts.Hosts(3)
        cls.addClassCleanup(cls.net.close)

    def setUp(self):
        super().setUp()
        self.agent = self.script("agent", AGENT.format(prefix=self.net.prefix))

    def start(self, *words, spread=(1, 2, 1), options=()):
        named = ",".join(f"{self.net.address(number)}:{ranks}" for number, ranks in enumerate(spread))
        process = subprocess.Popen(
            self.net.on(0, *self.launch(named, *options), "-n", sum(spread), *words),
            stdin=SILENT_INPUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env=own_variables(self.environment), start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def test_ranks_meet_and_know_their_neighbours(self):
        for spread, neighbours in (((1, 2), ["0 has 0", "1 has 1 2", "2 has 1 2"]),
                                   ((2, 1, 2), ["0 has 0 1", "1 has 0 1", "2 has 2", "3 has 3 4", "4 has 3 4"])):
            output, _ = self.expect(0, launcher_case.MEMBER, "join", "neighbours", "exchange", "exchange=60000",
                                    "fence", "goodbye", spread=spread)
            self.assertEqual(sorted(output.splitlines()), neighbours)
        self.ended()

    def test_they_talk_over_the_network(self):
        for spread in ((2, 1), (1, 2, 1)):
            self.expect(0, self.traffic, "2000", spread=spread)
        self.ended()

    def test_a_rank_that_ends_the_job(self):
        self.expect(7, launcher_case.MEMBER, "join", "fence", "3:end=7:enough", "sleep=600000", says="atoll: enough")
        self.ended()
