# SPDX-License-Identifier: BSD-3-Clause
#
# Describes the measured machine as far as the figures depend on it. Most of it comes from `atoll info`; nothing
# names the machine or its user.

import json
import os
import platform
import subprocess
from pathlib import Path


def info(atoll):
    try:
        output = subprocess.run([str(atoll), "info", "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, check=False, timeout=20)
        return json.loads(output.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}


def text_of(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def system_name():
    for line in text_of("/etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return platform.system()


def is_virtual():
    flags = next((line for line in text_of("/proc/cpuinfo").splitlines() if line.startswith("flags")), "")
    return "hypervisor" in flags.split()


def usable_cores():
    return len(os.sched_getaffinity(0))


def describe(atoll):
    found = info(atoll)
    machine, memory = found.get("machine", {}), found.get("memory", {})
    return {"processor": machine.get("processor", platform.processor()), "cores": usable_cores(),
            "processors": machine.get("processors", os.cpu_count()),
            "caches": machine.get("caches", []), "memory_bytes": memory.get("total_bytes", 0),
            "kernel": f"{platform.system()} {platform.release()}", "system": system_name(),
            "congestion_control": text_of("/proc/sys/net/ipv4/tcp_congestion_control").strip(),
            "virtual": is_virtual(), "load_before": os.getloadavg()[0],
            "python": platform.python_version(), "build": found.get("build", "")}
