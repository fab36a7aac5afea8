# SPDX-License-Identifier: BSD-3-Clause
#
# The places of two ranks that share no memory: one machine over loopback, two hosts that the user names, or two
# hosts made for the run: network namespaces joined by a veth pair, which takes root.
#
# Namespaces made here have no name. This process holds them by descriptors, through which the processes that it
# starts enter them; so the machine's own network is not touched, and the kernel removes them when this process
# ends, for whatever reason.

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
    address: str = ""      # of the first host, where its name cannot be looked up

    def ranks_per_host(self, ranks):
        return ranks // len(self.hosts)


LOOPBACK = Place("loopback", "over loopback")


def named(hosts, rsh, folder):
    """Two hosts that the user names; `rsh` is a command as for atoll run --rsh, empty for ssh."""
    words = tuple(shlex.split(rsh))
    if not words:
        return Place("hosts", "between hosts", tuple(hosts))
    # MPI's launchers quote their command for a remote shell. ssh starts one; other commands need `sh -c`.
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
    """Makes a host with a network of its own and moves this thread into it."""
    if libc.unshare(CLONE_NEWNET | CLONE_NEWUTS) != 0:
        raise NoPlace(f"no network namespace can be made: {os.strerror(ctypes.get_errno())}; it takes root")
    socket.sethostname(name)
    return current()


def ip(*words):
    done = subprocess.run(["ip", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoPlace(f"ip {' '.join(words)}: {done.stderr.strip()}")


def wait_for_link(limit_s=5):
    """Waits until eth0 of this thread's network is up; before that a library may find only loopback there."""
    end = time.monotonic() + limit_s
    while " state UP " not in subprocess.run(["ip", "-o", "link", "show", "eth0"], stdin=subprocess.DEVNULL,
                                             capture_output=True, text=True, check=False).stdout:
        if time.monotonic() > end:
            raise NoPlace("the veth pair does not come up")
        time.sleep(0.01)


def two_hosts():
    """Makes two hosts joined by a veth pair; the thread ends in the network in which it began."""
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
        wait_for_link()  # in the second host; the pair's first end is up by then
    except (NoPlace, OSError) as reason:
        for host in made:
            host.close()
        raise NoPlace(str(reason)) from reason
    finally:
        home.enter()
        home.close()
    return made


def path_of(descriptor):
    """The path by which other processes open what a descriptor of this process refers to."""
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
