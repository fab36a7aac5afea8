#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs over containers, as `docker exec -i` would start them: each has process, mount, IPC, host name, user
# and network name spaces of its own, a /dev/shm of 64 KB, and system calls that are forbidden (jail.cpp).
# Usage: container_test.py ATOLL JAIL MEMBER TRAFFIC [unittest arguments].
#
# The launcher runs outside; its remote shell enters a container by name. Skipped, with the reason, where
# there can be no such name spaces.
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../fault/launcher"), os.path.join(HERE, "../fault/hosts"),
                os.path.join(HERE, "../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_case  # noqa: E402
import suite  # noqa: E402

JAIL = TRAFFIC = None
SPACES = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc",
          "--uts")
INIT = 'mount -t tmpfs -o size=64k none /dev/shm && hostname $1 && echo up && exec sleep 600'


def missing_requirement():
    """The reason why this machine can run no containers; an empty text when it can."""
    reason = hosts.missing_requirement()
    if reason:
        return reason
    tried = subprocess.run([*SPACES, "sh", "-c", "mount -t tmpfs -o size=64k none /dev/shm"], text=True,
                           capture_output=True)
    return "name spaces cannot be made: " + tried.stderr.strip() if tried.returncode else ""


class InContainers(hosts_test.HostsTest):
    @classmethod
    def setUpClass(cls):
        cls.net = hosts.Hosts(3)
        cls.addClassCleanup(cls.net.close)
        cls.boxes = [cls.box(number) for number in (1, 2)]

    @classmethod
    def box(cls, number):
        """Starts a container; returns the pid of its first process, as it is outside."""
        process = subprocess.Popen(cls.net.on(number, *SPACES, "sh", "-c", INIT, "sh", f"box{number}"),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(process.stdout.close)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        assert process.stdout.readline() == "up\n"
        return launcher_case.wait_for(lambda: launcher_case.children_of(process.pid), "a container")[0]

    def start(self, *words, forbidden="usual"):
        enter = f"exec nsenter --all --preserve-credentials --target $pid {JAIL} {forbidden} " + '"$@"'
        which = f"case $1 in box1) pid={self.boxes[0]};; *) pid={self.boxes[1]};; esac"
        rsh = self.script("exec", f"{which}\nshift\n{enter}")
        process = subprocess.Popen(
            self.net.on(0, launcher_case.ATOLL, "run", "--rsh", rsh, "--dir", "/", "--hosts", "box1:2,box2:2", *words),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env=self.environment, start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def test_ranks_meet_and_talk(self):
        for forbidden in ("usual", "strict"):
            output, _ = self.expect(0, launcher_case.MEMBER, "join", "neighbours", "exchange", "goodbye",
                                    forbidden=forbidden)
            self.assertEqual(sorted(output.splitlines()), ["0 has 0 1", "1 has 0 1", "2 has 2 3", "3 has 2 3"])
            _, errors = self.expect(0, TRAFFIC, "2000", forbidden=forbidden)
            self.assertEqual(errors, "")
        self.ended()

    def test_a_rank_that_is_killed(self):
        process = self.start(launcher_case.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        victim = next(pid for pid in self.named("launcher_member") if pid in hosts.processes_in(self.net.names[2]))
        os.kill(victim, 9)
        self.ends_failing(process, r"rank [23] on box2 \(.*\) was killed by SIGKILL.*; ending the 3 left", 137)

    def test_what_is_forbidden_is_told(self):
        self.expect(0, "--same-addresses", launcher_case.MEMBER, "join", "goodbye",
                    says="warning: host box[12]: --same-addresses is not possible here: Operation not permitted")


if __name__ == "__main__":
    launcher_case.ATOLL, JAIL, launcher_case.MEMBER, TRAFFIC = map(os.path.abspath, sys.argv[1:5])
    hosts.skip_if(missing_requirement(), "jobs in containers")
    suite.main(sys.argv[:1] + sys.argv[5:], verbosity=2)
