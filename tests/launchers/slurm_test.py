#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Slurm starts Atoll's programs: a private cluster of three nodes, which are network namespaces with
# process and host name spaces of their own, its controller on the first. Usage: slurm_test.py ATOLL
# MEMBER PMIX_MEMBER TRAFFIC [unittest arguments].
#
# Keys, sockets, states and the configuration lie in a folder of the test. The names of nodes stand in an
# /etc/hosts that only this cluster sees. All its daemons run in the namespaces and end with them. Skipped,
# with the reason, where Slurm is not installed (slurmctld, slurmd, slurm-client, munge) or rights are missing.
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../fault/launcher"), os.path.join(HERE, "../fault/hosts"),
                os.path.join(HERE, "../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_case  # noqa: E402
import suite  # noqa: E402

PMIX_MEMBER = TRAFFIC = None
NODES = ("node0", "node1", "node2")
COMMANDS = ("slurmctld", "slurmd", "srun", "salloc", "sinfo", "munged")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=atoll
SlurmctldHost=node0(10.77.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
TmpFS={folder}/%n
SlurmdParameters=config_overrides
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n/pid
SlurmdSpoolDir={folder}/%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
SlurmctldPort=17017
SlurmdPort=17018
NodeName=node[0-2] NodeAddr=10.77.0.[1-3] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def missing_requirement():
    """The reason why this machine can run no cluster; an empty text when it can."""
    missing = [command for command in COMMANDS if not shutil.which(command, path=PATH)]
    if missing:
        return "not installed: " + ", ".join(missing)
    return hosts.missing_requirement()


class Cluster:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="atoll-slurm-")
        self.net = hosts.Hosts(len(NODES))
        self.running = []
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("ATOLL_", "SLURM", "PMI", "OMPI_"))}
        self.environment |= {"SLURM_CONF": self.path("slurm.conf"), "PATH": PATH}
        try:
            self.write_files()
            self.start()
        except Exception:
            self.close()
            raise

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_files(self):
        for name in ("state", *NODES):
            os.mkdir(self.path(name))
        names = "".join(f"{self.net.address(number)} {node}\n" for number, node in enumerate(NODES))
        for name, text in (("slurm.conf", CONFIGURATION.format(folder=self.folder)),
                           ("cgroup.conf", "CgroupPlugin=cgroup/v1\n"),
                           ("hosts", "127.0.0.1 localhost\n" + names)):
            with open(self.path(name), "w") as made:
                made.write(text)
        with open(os.open(self.path("key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as made:
            made.write(os.urandom(128))

    def run_on(self, number, *command):
        """The words that run a command on a node, where /etc/hosts names the other nodes."""
        look = f'mount --bind {self.path("hosts")} /etc/hosts && hostname {NODES[number]} && exec "$@"'
        return ["nsenter", "--net=/run/netns/" + self.net.names[number], "unshare", "--mount", "--uts", "sh", "-c",
                look, "sh", *map(str, command)]

    def serve(self, number, name, *command):
        with open(self.path(name + ".out"), "w") as log:
            self.running.append(subprocess.Popen(self.run_on(number, *command), stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=log, env=self.environment, start_new_session=True))

    def start(self):
        self.serve(0, "munge", "munged", "--force", "--foreground", "-S", self.path("munge"), "--key-file",
                   self.path("key"), "--pid-file", self.path("munge.pid"), "--log-file", self.path("munge.log"),
                   "--seed-file", self.path("seed"))
        launcher_case.wait_for(lambda: os.path.exists(self.path("munge")), "munged")
        self.serve(0, "controller", "slurmctld", "-D")
        for number, node in enumerate(NODES):
            self.serve(number, node, "unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "slurmd", "-D",
                       "-N", node)

        def ready():
            if any(each.poll() is not None for each in self.running):
                raise AssertionError("one of Slurm's daemons has ended")
            status = subprocess.run(self.run_on(0, "sinfo", "-h", "-o", "%T %D"), env=self.environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
            return status.stdout.split() == ["idle", str(len(NODES))]
        try:
            launcher_case.wait_for(ready, "Slurm's nodes", 40)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.logs()}") from None

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.path(name), errors="replace") as log:
                    text += f"--- {name}\n{log.read()[-1500:]}\n"
        return text

    def close(self):
        self.net.close()  # ends what runs there
        for each in self.running:
            each.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class UnderSlurm(hosts_test.HostsTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)

    def start(self, *words):
        name, value = self.mark.split("=")
        process = subprocess.Popen(
            self.cluster.run_on(0, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=self.folder,
            env={**self.cluster.environment, name: value}, start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def srun(self, *words):
        return "srun", "--mpi=pmix", "-N", "3", "-n", "4", *words

    def test_ranks_meet_and_know_their_neighbours(self):
        output, _ = self.expect(0, *self.srun(PMIX_MEMBER, "join", "neighbours", "exchange", "exchange=60000",
                                              "fence", "goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 has 0 1", "1 has 0 1", "2 has 2", "3 has 3"])

    def test_they_talk_over_the_network(self):
        self.expect(0, *self.srun(TRAFFIC, "2000"))

    def test_without_pmix_it_is_refused(self):
        self.expect(91, "srun", "-n", "2", PMIX_MEMBER, "join", says="Slurm's srun.*srun --mpi=pmix")

    def test_ranks_that_are_dealt_out_in_turn_are_refused(self):
        self.expect(1, "srun", "--mpi=pmix", "-N", "2", "-n", "4", "--distribution=cyclic", TRAFFIC, "100",
                    says="srun --distribution=block")

    def test_a_rank_that_ends_the_job(self):
        self.expect(7, *self.srun(PMIX_MEMBER, "join", "fence", "3:end=7:enough", "sleep=600000"),
                    says="atoll: enough")
        self.ended()

    def kill_one(self, node, *options):
        process = self.start(*self.srun(*options, PMIX_MEMBER, "join", "fence", "say=ready", "sleep=600000"))
        self.ready(process, 4)
        victim = next(pid for pid in self.named("pmix_member")
                      if pid in hosts.processes_in(self.cluster.net.names[node]))
        os.kill(victim, 9)
        code, _, errors = self.finish(process)
        self.assertIn(code, (137, 143), errors)
        self.assertRegex(errors, f"{NODES[node]}: task .: Killed")
        self.ended()

    def test_a_rank_that_is_killed(self):
        self.kill_one(0)
        self.kill_one(2, "-K")  # alone on its node: without that option Slurm would wait for the others

    def test_atoll_run_inside_of_an_allocation(self):
        output, errors = self.expect(
            0, "salloc", "-Q", "-N", "3", "-n", "6", launcher_case.ATOLL, "run", "--rsh", "srun --overlap -N1 -n1 -w",
            "--hosts", "node0:2,node1:2,node2:2", launcher_case.MEMBER, "join", "size", "exchange", "fence", "goodbye")
        self.assertEqual(sorted(output.splitlines()), [f"{rank} of 6" for rank in range(6)], errors)
        self.ended()


if __name__ == "__main__":
    launcher_case.ATOLL, launcher_case.MEMBER, PMIX_MEMBER, TRAFFIC = map(os.path.abspath, sys.argv[1:5])
    hosts.skip_if(missing_requirement(), "jobs under Slurm")
    suite.main(sys.argv[:1] + sys.argv[5:], verbosity=2)
