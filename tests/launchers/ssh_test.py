#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll run --hosts` through OpenSSH itself: three hosts (network namespaces), an sshd of this test on
# each, and the launcher on the first. Usage: ssh_test.py ATOLL MEMBER [unittest arguments].
#
# Keys, known hosts and configurations lie in a folder of the test, and each sshd sees a /run of its own,
# so neither ~/.ssh, /etc/ssh nor a running sshd is touched. Each server accepts passwords too, and a test
# checks that ssh never asks for one. Skipped, with the reason, where there is no sshd or no namespaces.
import fcntl
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import termios
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../fault/launcher"), os.path.join(HERE, "../fault/hosts"),
                os.path.join(HERE, "../support")]
import hosts  # noqa: E402
import hosts_test  # noqa: E402
import launcher_case  # noqa: E402
import suite  # noqa: E402

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin") or ""
PORT = 2222
NAMES = ("alpha", "beta", "gamma")

SERVER = """\
Port {port}
ListenAddress {address}
HostKey {folder}/host_key_{number}
AuthorizedKeysFile {folder}/key.pub
StrictModes no
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
UsePAM no
PidFile none
PrintMotd no
AcceptEnv LAUNCHER_TEST
MaxStartups 100
LogLevel ERROR
"""

CLIENT = """\
Host *
  Port {port}
  User root
  IdentityFile {folder}/{key}
  IdentitiesOnly yes
  IdentityAgent none
  GlobalKnownHostsFile /dev/null
  UserKnownHostsFile {folder}/{known}
  UpdateHostKeys no
  SendEnv LAUNCHER_TEST
"""


def missing_requirement():
    """The reason why this machine cannot run the test; an empty text when it can."""
    if not SSHD or not shutil.which("ssh"):
        return "sshd and ssh are not installed (openssh-server, openssh-client)"
    if hosts.missing_requirement():
        return hosts.missing_requirement()
    with open("/etc/shadow") as shadow:
        if any(line.startswith("root:!") for line in shadow):
            return "the account of root is locked, so sshd would refuse it"
    return ""


class Servers:
    """Hosts, each with an sshd, and the files of their clients."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="atoll-ssh-")
        self.net = hosts.Hosts(len(NAMES))
        self.running = []
        try:
            self.make_keys()
            self.make_clients()
            for number in range(len(NAMES)):
                self.start(number)
            for number in range(len(NAMES)):
                self.wait_for(number)
        except Exception:
            self.close()
            raise

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as made:
            made.write(text)

    def make_keys(self):
        for name in ("key", "strange_key", *(f"host_key_{number}" for number in range(len(NAMES)))):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True)

    def make_clients(self):
        """`config` works; each of the others is wrong in one point."""
        listed = []
        for number in range(len(NAMES)):
            with open(self.path(f"host_key_{number}.pub")) as key:
                listed.append(f"[{self.net.address(number)}]:{PORT} {' '.join(key.read().split()[:2])}\n")
        self.write("known", "".join(listed))
        last = listed[-1].split()
        self.write("known_wrongly", "".join(listed[:-1]) + " ".join([last[0], *listed[0].split()[1:]]) + "\n")
        self.write("known_none", "")
        for name, key, known in (("config", "key", "known"), ("refused", "strange_key", "known"),
                                 ("changed", "key", "known_wrongly"), ("unknown", "key", "known_none")):
            text = CLIENT.format(port=PORT, folder=self.folder, key=key, known=known)
            for number, host in enumerate(NAMES):
                text += f"Host {host}\n  HostName {self.net.address(number)}\n"
            self.write(name, text)

    def start(self, number):
        self.write(f"server_{number}", SERVER.format(port=PORT, address=self.net.address(number),
                                                     folder=self.folder, number=number))
        serve = ("mount -t tmpfs none /run && mkdir -m 755 /run/sshd && "
                 f"exec {SSHD} -D -e -f {self.path(f'server_{number}')}")
        with open(self.path(f"log_{number}"), "w") as log:
            self.running.append(subprocess.Popen(
                self.net.on(number, "unshare", "--mount", "sh", "-c", serve), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True))

    def wait_for(self, number):
        """Waits until a server answers. The probe runs inside the namespace, which alone reaches the server."""
        address = (self.net.address(number), PORT)
        probe = f"import socket; socket.create_connection({address}, 5).recv(1)"

        def answers():
            return subprocess.run(self.net.on(number, sys.executable, "-c", probe),
                                  stderr=subprocess.DEVNULL).returncode == 0
        try:
            launcher_case.wait_for(answers, "sshd")
        except AssertionError:
            with open(self.path(f"log_{number}")) as log:
                raise AssertionError("sshd does not answer: " + log.read()) from None

    def close(self):
        self.net.close()  # ends what runs there
        for each in self.running:
            each.wait()
        shutil.rmtree(self.folder)


class ThroughSsh(hosts_test.HostsTest):
    @classmethod
    def setUpClass(cls):
        cls.servers = Servers()
        cls.addClassCleanup(cls.servers.close)

    def words(self, *words, config="config", spread=(1, 2, 1)):
        """The words of a job of four ranks on three hosts, started on the first of them."""
        named = ",".join(f"{name}:{ranks}" for name, ranks in zip(NAMES, spread))
        rsh = "ssh -F " + self.servers.path(config)
        return self.servers.net.on(0, launcher_case.ATOLL, "run", "--rsh", rsh, "--hosts", named, *words)

    def start(self, *words, config="config", **options):
        options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen(self.words(*words, config=config), stdout=subprocess.PIPE, text=True,
                                   cwd=self.folder, env=self.environment, start_new_session=True, **options)
        self.addCleanup(self.stop, process)
        return process

    def test_ranks_meet_and_their_output_arrives(self):
        for options in ((), ("--radix", 1)):
            output, errors = self.expect(0, *options, "--tag", launcher_case.MEMBER, "join", "size",
                                         "exchange=60000", "fence", "goodbye")
            self.assertEqual(errors, "")
            self.assertEqual(sorted(output.splitlines()), [f"[{r}] {r} of 4" for r in range(4)])
        self.ended()

    def test_input_and_errors_travel_as_well(self):
        process = self.start("sh", "-c", "cat; echo said $ATOLL_RANK >&2", stdin=subprocess.PIPE)
        code, output, errors = self.finish(process, "a line\n" * 2000)
        self.assertEqual((code, output), (0, "a line\n" * 2000))
        self.assertEqual(sorted(errors.splitlines()), [f"said {r}" for r in range(4)])

    def test_the_first_failure_decides(self):
        _, errors = self.expect(7, launcher_case.MEMBER, "join", "fence", "3:exit=7", "sleep=600000",
                                says=r"^atoll run: rank 3 on gamma \(.*\) exited with code 7; ending the 3 left\n$")
        self.ended()

    def test_a_rank_that_is_killed(self):
        process = self.start("--radix", "2", launcher_case.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        victim = next(pid for pid in self.named("launcher_member")
                      if pid in hosts.processes_in(self.servers.net.names[1]))
        os.kill(victim, 9)
        code, _, errors = self.finish(process)
        self.assertEqual(code, 137)
        self.assertRegex(errors, r"^atoll run: rank [12] on beta \(.*\) was killed by SIGKILL.*; ending the 3 left\n$")
        self.ended()

    def test_a_launcher_that_is_killed_leaves_nothing(self):
        process = self.start(launcher_case.MEMBER, "join", "fence", "say=ready", "sleep=600000")
        self.ready(process, 4)
        process.kill()
        self.stop(process)
        self.ended()

    def test_a_host_that_shows_another_key(self):
        self.expect(125, "true", config="changed",
                    says=r"host gamma: ssh -o BatchMode=yes -F \S+/changed gamma \S+ daemon exited with code 255 "
                         r"before its daemon had called: Host key verification failed\.; .* `ssh .* true` by hand")

    def test_a_key_that_is_refused(self):
        _, errors = self.expect(125, "true", config="refused",
                                says=r"host \w+: ssh .*: Permission denied \(publickey,password\)\.; .* by hand")
        self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_a_shell_with_a_terminal_does_not_ask_either(self):
        """ssh asks neither for a password nor whether to trust an unknown key."""
        for config, says in (("refused", "Permission denied"), ("unknown", "Host key verification failed")):
            near_end, far_end = pty.openpty()
            process = self.start("true", config=config, stdin=far_end,
                                 preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(far_end)
            code, _, errors = self.finish(process)
            os.close(near_end)
            self.assertEqual(code, 125)
            self.assertIn(says, errors)

    def test_a_port_where_nobody_listens(self):
        self.servers.write("closed", CLIENT.format(port=1, folder=self.servers.folder, key="key", known="known"))
        done = subprocess.run(self.servers.net.on(0, launcher_case.ATOLL, "run", "--rsh",
                                                  "ssh -F " + self.servers.path("closed"),
                                                  "--hosts", self.servers.net.address(1), "true"),
                              env=self.environment, capture_output=True, text=True, timeout=launcher_case.PATIENCE_S)
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, r"host 10\.77\.0\.2: .*port 1: Connection refused; ")

    def test_the_doctor_goes_there_by_ssh(self):
        done = subprocess.run(self.servers.net.on(0, launcher_case.ATOLL, "doctor", "--hosts", "beta,gamma", "--rsh",
                                                  "ssh -F " + self.servers.path("config")),
                              env=self.environment, capture_output=True, text=True, timeout=launcher_case.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for start in ("", r"\[0\] ", r"\[1\] "):
            self.assertRegex(done.stdout, rf"(?m)^{start}ok   Atoll [\d.]+ on ")


if __name__ == "__main__":
    launcher_case.ATOLL, launcher_case.MEMBER = map(os.path.abspath, sys.argv[1:3])
    hosts.skip_if(missing_requirement(), "jobs through ssh")
    suite.main(sys.argv[:1] + sys.argv[3:], verbosity=2)
