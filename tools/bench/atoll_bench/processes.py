# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a program to its end, or ends it and all that it has started. A process below this one that
# loses its parent becomes a child of this one (a subreaper), so a launcher that dies leaves no process
# behind. The children die with this process, even when SIGKILL ends it. While a program measures,
# this process sleeps, because it would take time from a core.

import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE_S = 3
SAID_MAX = 4000
WORDS_LINES, WORDS_LINE_MAX = 2, 250  # of a failed program, in its reason
LAUNCHER, EXITED = "atoll run:", " exited with code "

libc = ctypes.CDLL(None)  # before any fork
is_interrupted = False


def interrupt(*_):
    """Handles a signal. Python drops an exception from its own functions around a fork, so the flag stays."""
    global is_interrupted
    is_interrupted = True
    raise KeyboardInterrupt


def interrupt_at_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def adopt_orphans():
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def parents():
    """The parent of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                pass
    return found


def descendants(root):
    all_parents = parents()
    found, edge = set(), {root}
    while edge:
        edge = {pid for pid, parent in all_parents.items() if parent in edge} - found
        found |= edge
    return found


def reap():
    """Reaps the orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def end_all():
    """Ends everything below this process: by SIGTERM first, then by SIGKILL."""
    for number, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        limit = time.monotonic() + patience_s
        while time.monotonic() < limit:
            reap()
            if not descendants(os.getpid()):
                return
            time.sleep(0.02)


def lines_said(stream):
    """The last lines that a program and its launcher printed."""
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - SAID_MAX))
    return [line.strip() for line in stream.read().decode(errors="replace").splitlines() if line.strip()]


def is_ruler(line):
    return set(line) <= set("-=* ")


def last_words(lines):
    """Why a program failed, in its own words: its last lines, without what its launcher says about its end. Open MPI
    puts that between rulers; atoll run begins a line with its name."""
    program, launcher, boxed, in_box = [], [], [], False
    for line in lines:
        if line in program[-1:]:  # another rank says the same
            continue
        if is_ruler(line):
            in_box = not in_box
        elif line.startswith(LAUNCHER):
            launcher.append(line)
        else:
            (boxed if in_box else program).append(line)
    end = [line for line in launcher[-1:] if EXITED not in line or not program]
    return (program[-WORDS_LINES:] + end) or boxed[-WORDS_LINES:]


def exit_text(status):
    return f"signal {-status}" if status < 0 else f"exit code {status}"


def wait(child, limit_s, beat):
    """Waits; True when the child has ended, False when its time is over. `beat` is called about once a second.
    Raises KeyboardInterrupt at a signal, also at one that came before."""
    ended = os.pidfd_open(child.pid)
    limit = time.monotonic() + limit_s
    try:
        while True:
            if is_interrupted:
                raise KeyboardInterrupt
            left = limit - time.monotonic()
            if left <= 0:
                return False
            if select.select([ended], [], [], min(1.0, left))[0]:
                return True
            beat()
    finally:
        os.close(ended)


def run(words, environment, limit_s, beat=lambda: None):
    """Runs a program; returns why it failed, or an empty text."""
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=output, start_new_session=True,
                                     preexec_fn=die_with_parent)
        except OSError as problem:
            return f"{words[0]} cannot be started: {problem.strerror}"
        try:
            in_time = wait(child, limit_s, beat)
            status = child.wait() if in_time else None
        finally:
            end_all()
        if not in_time:
            child.wait()
            return f"took more than {limit_s:.0f} s and was ended"
        if status == 0:
            return ""
        said = " | ".join(line[:WORDS_LINE_MAX] for line in last_words(lines_said(output)))
        return f"{exit_text(status)}: {said or 'it said nothing'}"
