# SPDX-License-Identifier: BSD-3-Clause
#
# The rules about includes. Includes go down only:
#   front -> coll -> core -> transport -> {memory, bootstrap, trace} -> base
# Inside core the headers have an order of their own, by folder; sources of core may include all of them.
# tools, bench, apps and tests may include anything public. A front never includes another, a
# transport never another transport, and third-party headers appear only in the leaves listed here.

import re

BELOW = {
    "base": set(),
    "bootstrap": {"base"},
    "memory": {"base"},
    "trace": {"base"},
    "transport": {"memory", "bootstrap", "trace", "base"},
    "core": {"transport", "memory", "bootstrap", "trace", "base"},
    "coll": {"core", "transport", "memory", "bootstrap", "trace", "base"},
}

# The folders of core: a header includes those of its own folder and of those before it. Sources include in both
# directions (a transfer of a segment may need a device, and that one the segment).
CORE = ["progress", "segment", "am", "strided", "device", "rma", "team", "atomic", "job"]
# Headers of core/job that know nothing of the rest of core, so that all of it may include them.
CORE_FIRST = {"atoll/core/job/job_hosts.hpp", "atoll/core/job/thread_mode.hpp"}
# The headers of core/job that sources of other folders of core include.
CORE_RUNTIME = CORE_FIRST | {f"atoll/core/job/{name}.hpp" for name in (
    "core_access", "layer_access", "runtime", "shared_runtime", "starting", "system_handlers")}

# Headers that give private parts to some folders only.
ACCESS = {
    "atoll/core/atomic/atomic_access.hpp": ["atoll/core/", "front/", "tests/"],
    "atoll/core/job/core_access.hpp": ["atoll/core/", "atoll/coll/engine/", "tests/"],
    "atoll/core/job/layer_access.hpp": ["atoll/core/", "atoll/coll/", "front/", "tools/", "tests/"],
    "atoll/core/job/runtime_parts.hpp": ["atoll/core/job/"],
    "atoll/core/job/system_handlers.hpp": ["atoll/core/", "atoll/coll/engine/"],
    "atoll/core/segment/segment_access.hpp": ["atoll/core/", "front/", "tests/"],
    "atoll/core/strided/strided_access.hpp": ["atoll/core/", "front/", "tests/"],
}

PROGRAMS = ["tools/", "apps/", "bench/"]

# First folder or whole name of a foreign header -> path prefixes that may include it.
THIRD_PARTY = {
    "CLI": PROGRAMS,
    "nlohmann": PROGRAMS + ["tests/", "atoll/coll/tuned/table.cpp"],
    "cblas.h": ["apps/"],
    "fftw3.h": ["apps/fft3d/", "apps/hpcc/"],
    "fftw3-mpi.h": ["apps/fft3d/"],
    "hwloc.h": ["tools/"],
    "sodium.h": ["tools/hosts/"],
    "gtest": ["tests/"],
    "gmock": ["tests/"],
    "mpi.h": ["bench/", "apps/", "tests/launchers/"],
    "rdma": ["atoll/transport/ofi/", "tests/conformance/strict/"],
    "ucp": ["atoll/transport/ucx/"],
    "uct": ["atoll/transport/ucx/"],
    "ucs": ["atoll/transport/ucx/"],
    "cuda.h": ["tests/conformance/device/"],
    "hip": ["tests/conformance/device/"],
    "level_zero": ["tests/conformance/device/"],
    "pmix.h": ["atoll/bootstrap/"],
    "upcxx": ["front/upcxx/", "tests/", "apps/", "bench/", "docs/"],  # the headers that UPC++ names
    "atoll_shmem": ["front/shmem/"],  # the parts of shmem.h
    "atoll_coarray": ["front/coarray/"],  # what the inline code of Fortran programs includes
    "atoll_upc": ["front/upc/", "tests/"],  # the parts of upc.h, and what translated UPC includes
    "mpp": ["front/shmem/", "tests/"],  # where old programs look for shmem.h
    "clang": ["front/upc/translator/"],
    "llvm": ["front/upc/translator/"],
    "sanitizer": ["atoll/base/", "tests/"],  # tells the thread sanitizer what it cannot see
}

# The layers that fill the structures of the public C header.
ABI_READERS = {"core", "coll"}
SYSTEM_FOLDERS = {"sys", "linux", "netinet", "arpa", "net", "bits", "asm"}
GASNET = {"gasnet.h", "gasnetex.h", "gasnet_fwd.h", "gasnet_tools.h"}

# Names may be blanked in `code` (they look like literals), so this reads the raw line.
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(file):
    for number, line in enumerate(file.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def check_inside_atoll(file, target):
    """A reason why this file below atoll/ may not include `target`, or None."""
    top = target.split("/")[0]
    if top in ("front", "tools", "apps", "bench") or target in GASNET:
        return f"the runtime may not include {top}"
    if top == "tests" and not file.is_test:
        return "only tests include tests/"
    if top != "atoll":
        return None
    layer, target_layer = file.parts[1], target.split("/")[1]
    if target == "atoll/abi.h":
        return None if layer in ABI_READERS else f"'{layer}' may not include the public C header"
    if target_layer not in BELOW:
        return f"'{target_layer}' is not a layer"
    if target_layer != layer and target_layer not in BELOW[layer]:
        return f"'{layer}' may not include '{target_layer}': includes go down only"
    return None


def check_inside_core(file, target):
    """A reason why this file below atoll/core/ may not include that header of core, or None."""
    own, parts = file.parts, target.split("/")
    if parts[:2] != ["atoll", "core"] or len(own) != 4 or len(parts) != 4 or own[2] == parts[2] or parts[2] not in CORE:
        return None
    if not file.path.endswith(".hpp"):
        if parts[2] == "job" and target not in CORE_RUNTIME and not file.is_test:
            return f"only core/job includes <{target}>"
        return None
    if target in CORE_FIRST or (own[2] in CORE and CORE.index(parts[2]) < CORE.index(own[2])):
        return None
    return f"a header of core/{own[2]} may not include core/{parts[2]}: the order is " + ", ".join(CORE)


def check_access(file, target):
    if target not in ACCESS or any(file.path.startswith(prefix) for prefix in ACCESS[target]):
        return None
    return f"<{target}> is for " + ", ".join(ACCESS[target])


def check_between_siblings(file, target):
    """Fronts do not see each other, nor do transports."""
    parts = target.split("/")
    own = file.parts
    if own[0] == "front" and parts[0] == "front" and parts[1] != own[1]:
        return f"front '{own[1]}' may not include front '{parts[1]}'"
    if own[:2] == ["atoll", "transport"] and parts[:2] == ["atoll", "transport"]:
        if len(own) == 4 and len(parts) == 4 and own[2] != parts[2]:
            return f"transport '{own[2]}' may not include transport '{parts[2]}'"
    if own[0] == "front" and parts[0] in ("tools", "apps", "bench"):
        return f"a front may not include {parts[0]}"
    return None


def check_third_party(file, target):
    top = target.split("/")[0]
    if top in THIRD_PARTY:
        allowed = THIRD_PARTY[top]
        if any(file.path.startswith(prefix) for prefix in allowed):
            return None
        if top in ("gtest", "gmock") and file.is_test:
            return None
        return f"<{target}> may be included only below " + ", ".join(allowed)
    known = {"atoll", "front", "tools", "apps", "bench", "tests"} | SYSTEM_FOLDERS
    if "/" in target and top not in known:
        return f"<{target}>: a third-party header that no leaf is allowed to use (layering.py)"
    return None


def rule_layering(tree):
    """layering: includes go down only"""
    for file in tree.code():
        for number, quoted, target in includes(file):
            if quoted and file.parts[0] == "atoll":
                reason = f'write <atoll/...>, not "{target}"'
            elif quoted:
                continue
            else:
                inside = file.parts[0] == "atoll" and check_inside_atoll(file, target)
                in_core = file.path.startswith("atoll/core/") and check_inside_core(file, target)
                reason = (inside or in_core or check_access(file, target) or check_between_siblings(file, target)
                          or check_third_party(file, target))
            if reason:
                yield file.path, number, reason


RULES = [rule_layering]
