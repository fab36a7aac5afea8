#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Lists the functions of OpenSHMEM 1.6 by chapter, as docs/shmem-functions.md. The names are those of
# tests/spec/shmem/shmem_names.py, which compares them with the library; that test also calls this file, to
# check that the page is up to date.
#
#   shmem_functions.py    print the page

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE / "shmem-functions.md"

# A family belongs to the first chapter whose expression is found in it.
CHAPTERS = [
    ("Deprecated", r"^(start_pes|_my_pe|_num_pes|shmalloc|shfree|shrealloc|shmemalign)$|_to_all$|^shmem_wait$"
                   r"|^shmem_wait_until$|\{T\}_wait$|^shmem_(barrier|sync)$|^shmem_(broadcast|f?collect|alltoalls?)\{T\}$"
                   r"|^shmem_\{T\}_(cswap|finc|inc|fadd|add|fetch|set|swap)$"),
    ("Memory", r"shmem_(malloc|calloc|align|realloc|free|malloc_with_hints)$"),
    ("Teams", r"shmem_team_(my_pe|n_pes|get_config|translate_pe|split|destroy)"),
    ("Set-up and queries", r"_(init|init_thread|query_\w+|finalize|global_exit|my_pe|n_pes|pe_accessible"
                           r"|addr_accessible|ptr|team_ptr|info_get_\w+|pcontrol)$"),
    ("Contexts", r"shmem_(team_create_ctx|ctx_(create|destroy|get_team|session))"),
    ("Signals", r"signal"),
    ("Waiting", r"_wait_until|\{T\}_test"),
    ("Atomics", r"_atomic_"),
    ("Collectives", r"_(barrier_all|sync_all|team_sync|reduce|inscan|exscan)$|broadcast|collect|alltoall"),
    ("Ordering and locks", r"(fence|quiet)$|_lock$"),
    ("Puts and gets", r"put|get|_p$|_g$"),
]
ORDER = ["Set-up and queries", "Memory", "Puts and gets", "Atomics", "Signals", "Waiting", "Collectives",
         "Ordering and locks", "Teams", "Contexts", "Deprecated"]
INLINED = re.compile(r"\{T\}_(p|g|put|get)$|(put|get)(mem|\{T\})$|_atomic_(?!\w*nbi$)")


def chapter_of(family):
    return next(title for title, expression in CHAPTERS if re.search(expression, family))


def note_of(family, types):
    if not INLINED.search(family):
        return ""
    return "integers" if "_atomic_" in family and "float" in types.split() else "yes"


def page(names):
    """The text, from the lists of tests/spec/shmem/shmem_names.py."""
    tables = {title: [] for title, _ in CHAPTERS}
    for types, families in names.FAMILIES:
        for family in families.split():
            shown = family.replace("{T}", "*T*")
            tables[chapter_of(family)].append(f"| {shown} | {types} | {note_of(family, types)} |")
    lines = ["# The functions of OpenSHMEM", "",
             f"All {names.NAMES_OF_THE_SPECIFICATION} functions of OpenSHMEM 1.6. *T* stands for each type or size of the row,",
             "[ctx_] for two functions, one on a context and one without. Each has a name for tools that begins",
             "with p, such as `pshmem_init`. *Inlined*: compiled into programs where a PE shares memory; puts and gets where the",
             "number of elements is known when compiling, and at most 64 bytes; calls that return a value only where each PE",
             "has a core of its own. Printed by `docs/shmem_functions.py`; a test compares."]
    for title in ORDER:
        lines += ["", f"## {title}", "", "| function | types | inlined |", "|---|---|---|", *tables[title]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent / "tests" / "spec" / "shmem"))
    import shmem_names as listed
    print(page(listed), end="")
