# SPDX-License-Identifier: BSD-3-Clause
#
# Where two ranks are that share no memory: on one machine over loopback, on two hosts that the user names, or on
# two hosts made here for the time of the run: network namespaces joined by a veth pair, as root.
#
# Namespaces made here have no name. This process holds them by descriptors, and what it starts enters them through
# those; so nothing of the machine's own network is touched, and when this process ends, however it does, the
# kernel takes them away.

import ctypes
import os
import shlex
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

CLONE_NEWNET, CLONE_NEWUTS = 0x40000000, 0x04000000
CONGESTION_CONTROL = Path("/proc/sys/net/ipv4/tcp_congestion_control")
VETH_HOSTS = ("veth-a", "veth-b")
VETH_ADDRESSES = ("10.78.0.1", "10.78.0.2")

libc = ctypes.CDLL(None, use_errno=True)


class NoPlace(Exception):
    """Why there can be no such place."""


@dataclass(frozen=True)
class Place:
    name: str
    words: str             # for people
    hosts: tuple = ()      # none: on this machine
    rsh: tuple = ()        # words that start a command on a host; none: ssh
    rsh_program: str = ""  # a program that does the same
    start: tuple = ()      # words before those of a launcher, which must run on the first host
    address: str = ""      # of the first host, where its name does not tell

    def ranks_per_host(self, ranks):
        return ranks // len(self.hosts)


LOOPBACK = Place("loopback", "over loopback")


def named(hosts, rsh, folder):
    """Two hosts of the user's; `rsh` is a command as of atoll run --rsh, empty for ssh."""
    words = tuple(shlex.split(rsh))
    if not words:
        return Place("hosts", "between hosts", tuple(hosts))
    # MPI's launchers quote for a shell on the other side, which ssh has and what only executes has not.
    command = '"$@"' if Path(words[0]).name in ("ssh", "rsh") else 'sh -c "$*"'
    program = write_script(Path(folder) / "rsh", f'exec {shlex.join(words)} "$host" {command}')
    return Place("hosts", "between hosts", tuple(hosts), words, program)


def write_script(path, last_line):
    """A program that launchers can call as they call ssh: options, which are left out, a host, a command."""
    path.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n' + last_line + "\n",
                    encoding="utf-8")
    path.chmod(0o700)
    return str(path)


@dataclass(frozen=True)
class Namespaces:
    """Descriptors of a network and of the name that its host has. (Some launchers tell hosts apart by that name,
    and daemons of one name would use one folder.)"""

    network: int
    name: int

    def enter(self):
        for descriptor, kind in ((self.network, CLONE_NEWNET), (self.name, CLONE_NEWUTS)):
            if libc.setns(descriptor, kind) != 0:
                raise NoPlace(f"setns: {os.strerror(ctypes.get_errno())}")

    def close(self):
        os.close(self.network)
        os.close(self.name)


def current():
    return Namespaces(os.open("/proc/self/ns/net", os.O_RDONLY), os.open("/proc/self/ns/uts", os.O_RDONLY))


def new_host(name):
    """A host by itself, in which this thread then is."""
    if libc.unshare(CLONE_NEWNET | CLONE_NEWUTS) != 0:
        raise NoPlace(f"no network namespace can be made: {os.strerror(ctypes.get_errno())}; it takes root")
    socket.sethostname(name)
    return current()


def ip(*words):
    done = subprocess.run(["ip", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoPlace(f"ip {' '.join(words)}: {done.stderr.strip()}")


def wait_for_link(limit_s=5):
    """Until eth0 of this thread's network carries data; until then a library may find nothing but loopback there."""
    end = time.monotonic() + limit_s
    while " state UP " not in subprocess.run(["ip", "-o", "link", "show", "eth0"], stdin=subprocess.DEVNULL,
                                             capture_output=True, text=True, check=False).stdout:
        if time.monotonic() > end:
            raise NoPlace("the veth pair does not come up")
        time.sleep(0.01)


def two_hosts():
    """Two hosts with a veth pair between; this thread is where it was."""
    home, made = current(), []
    try:
        control = CONGESTION_CONTROL.read_text(encoding="utf-8")  # new networks have the system's, not ours
        for name in VETH_HOSTS:
            made.append(new_host(name))
        ip("link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", path_of(made[0].network))
        for host, address in zip(made, VETH_ADDRESSES):
            host.enter()
            if CONGESTION_CONTROL.read_text(encoding="utf-8") != control:
                CONGESTION_CONTROL.write_text(control, encoding="utf-8")
            ip("address", "add", address + "/24", "dev", "eth0")
            ip("link", "set", "lo", "up")
            ip("link", "set", "eth0", "up")
        wait_for_link()  # of the second, whose other end is up too
    except (NoPlace, OSError) as reason:
        for host in made:
            host.close()
        raise NoPlace(str(reason)) from reason
    finally:
        home.enter()
        home.close()
    return made


def path_of(descriptor):
    """How others name what a descriptor of this process is of."""
    return f"/proc/{os.getpid()}/fd/{descriptor}"


def veth(folder):
    """Two hosts made here. Raises NoPlace."""
    for command in ("ip", "nsenter"):
        if not shutil.which(command):
            raise NoPlace(f"the command {command} is not installed (iproute2, util-linux)")
    enters = [f"nsenter --net={path_of(each.network)} --uts={path_of(each.name)}" for each in two_hosts()]
    cases = "".join(f'  {host}) exec {words} sh -c "$*" ;;\n' for host, words in zip(VETH_HOSTS, enters))
    program = write_script(Path(folder) / "rsh", f'case $host in\n{cases}esac\necho "no host $host" >&2\nexit 1')
    return Place("veth", "over a veth pair", VETH_HOSTS, (program,), program, tuple(enters[0].split()), VETH_ADDRESSES[0])
