# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the names that the library exports with those of OpenSHMEM 1.6.
#
# The names are written down here from the synopses of the specification and its tables of types,
# apart from the headers: a line names a family, with {T} for each type of a table, {S} for each size,
# and [ctx_] for the two forms with and without a context. Each name has a twin with the prefix p.
# Names beyond the specification that the library has are listed too; others are an error.
#
# The page of functions, docs/shmem-functions.md, is made from the same lists (docs/shmem_functions.py, which
# is in the folder DOCS) and must be up to date.
#
# Usage: shmem_names.py NM LIBRARY DOCS

import itertools
import re
import subprocess
import sys

FIXED = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff"
RMA = "float double longdouble char schar short int long longlong uchar ushort uint ulong ulonglong " + FIXED
AMO = "int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff"
BITWISE = "uint ulong ulonglong int32 int64 uint32 uint64"
REDUCE_BITS = "uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size"
SETS = " ".join(f"shmem_{{T}}_{kind}_{which}{vector}" for kind in ("wait_until", "test")
                for which in ("all", "any", "some") for vector in ("", "_vector"))
OLD_AMO = "shmem_{T}_cswap shmem_{T}_finc shmem_{T}_inc shmem_{T}_fadd shmem_{T}_add"
OLD_AMO_EXTENDED = "shmem_{T}_fetch shmem_{T}_set shmem_{T}_swap"

# (types or sizes, families)
FAMILIES = [
    ("", """shmem_init shmem_my_pe shmem_n_pes shmem_finalize shmem_query_initialized shmem_global_exit
        shmem_pe_accessible shmem_addr_accessible shmem_ptr shmem_team_ptr shmem_info_get_version
        shmem_info_get_name start_pes shmem_init_thread shmem_query_thread
        shmem_malloc shmem_calloc shmem_align shmem_realloc shmem_free shmem_malloc_with_hints
        _my_pe _num_pes shmalloc shfree shrealloc shmemalign
        shmem_team_my_pe shmem_team_n_pes shmem_team_get_config shmem_team_translate_pe
        shmem_team_split_strided shmem_team_split_2d shmem_team_destroy
        shmem_ctx_create shmem_team_create_ctx shmem_ctx_destroy shmem_ctx_get_team
        shmem_ctx_session_start shmem_ctx_session_stop
        shmem_[ctx_]signal_add shmem_[ctx_]signal_set shmem_signal_fetch shmem_signal_wait_until
        shmem_[ctx_]putmem shmem_[ctx_]getmem shmem_[ctx_]putmem_nbi shmem_[ctx_]getmem_nbi
        shmem_[ctx_]putmem_signal shmem_[ctx_]putmem_signal_nbi
        shmem_[ctx_]fence shmem_[ctx_]quiet shmem_[ctx_]pe_quiet
        shmem_set_lock shmem_clear_lock shmem_test_lock shmem_pcontrol
        shmem_wait shmem_wait_until shmem_barrier_all shmem_sync_all shmem_team_sync shmem_barrier shmem_sync
        shmem_alltoallmem shmem_alltoallsmem shmem_broadcastmem shmem_collectmem shmem_fcollectmem"""),
    ("8 16 32 64 128", """shmem_[ctx_]put{T} shmem_[ctx_]get{T} shmem_[ctx_]put{T}_nbi shmem_[ctx_]get{T}_nbi
        shmem_[ctx_]iput{T} shmem_[ctx_]iget{T} shmem_[ctx_]ibput{T} shmem_[ctx_]ibget{T}
        shmem_[ctx_]put{T}_signal shmem_[ctx_]put{T}_signal_nbi"""),
    ("32 64", "shmem_broadcast{T} shmem_collect{T} shmem_fcollect{T} shmem_alltoall{T} shmem_alltoalls{T}"),
    (RMA, """shmem_[ctx_]{T}_put shmem_[ctx_]{T}_get shmem_[ctx_]{T}_put_nbi shmem_[ctx_]{T}_get_nbi
        shmem_[ctx_]{T}_p shmem_[ctx_]{T}_g shmem_[ctx_]{T}_iput shmem_[ctx_]{T}_iget
        shmem_[ctx_]{T}_ibput shmem_[ctx_]{T}_ibget shmem_[ctx_]{T}_put_signal shmem_[ctx_]{T}_put_signal_nbi
        shmem_{T}_alltoall shmem_{T}_alltoalls shmem_{T}_broadcast shmem_{T}_collect shmem_{T}_fcollect
        shmem_{T}_min_reduce shmem_{T}_max_reduce"""),
    (RMA + " complexd complexf", """shmem_{T}_sum_reduce shmem_{T}_prod_reduce
        shmem_{T}_sum_inscan shmem_{T}_sum_exscan"""),
    (REDUCE_BITS, "shmem_{T}_and_reduce shmem_{T}_or_reduce shmem_{T}_xor_reduce"),
    (AMO + " float double", """shmem_[ctx_]{T}_atomic_fetch shmem_[ctx_]{T}_atomic_set
        shmem_[ctx_]{T}_atomic_swap shmem_[ctx_]{T}_atomic_fetch_nbi shmem_[ctx_]{T}_atomic_swap_nbi"""),
    (AMO, """shmem_[ctx_]{T}_atomic_compare_swap shmem_[ctx_]{T}_atomic_fetch_inc shmem_[ctx_]{T}_atomic_inc
        shmem_[ctx_]{T}_atomic_fetch_add shmem_[ctx_]{T}_atomic_add shmem_[ctx_]{T}_atomic_compare_swap_nbi
        shmem_[ctx_]{T}_atomic_fetch_inc_nbi shmem_[ctx_]{T}_atomic_fetch_add_nbi """ + SETS),
    (BITWISE, " ".join(f"shmem_[ctx_]{{T}}_atomic_{name}" for op in ("and", "or", "xor")
                       for name in (op, "fetch_" + op, f"fetch_{op}_nbi"))),
    (AMO + " short ushort", "shmem_{T}_wait_until shmem_{T}_test"),
    ("short int long longlong", """shmem_{T}_wait shmem_{T}_and_to_all shmem_{T}_or_to_all
        shmem_{T}_xor_to_all"""),
    ("short int long longlong float double longdouble", "shmem_{T}_min_to_all shmem_{T}_max_to_all"),
    ("short int long longlong float double longdouble complexf complexd",
     "shmem_{T}_sum_to_all shmem_{T}_prod_to_all"),
    ("int long longlong", OLD_AMO),
    ("int long longlong float double", OLD_AMO_EXTENDED),
]

BEYOND = [
    ("", """shmem_set_cache_inv shmem_clear_cache_inv shmem_set_cache_line_inv shmem_clear_cache_line_inv
        shmem_udcflush shmem_udcflush_line shmemx_wtime shmemx_shared_ptr"""),
    (AMO, OLD_AMO),
    (AMO, OLD_AMO_EXTENDED),
    ("short ushort", SETS),
]
WITHOUT_TWIN = {"shmemx_wtime", "shmemx_shared_ptr"}
NAMES_OF_THE_SPECIFICATION = 1788


def expand(families):
    names = set()
    for types, family in families:
        for name, spelling in itertools.product(family.split(), types.split() or [""]):
            name = name.replace("{T}", spelling)
            for context in ("", "ctx_"):
                names.add(name.replace("[ctx_]", context))
    return names


def twins(names):
    return {"p" + name for name in names if name not in WITHOUT_TWIN}


def exported(nm, library):
    answer = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = {line.split()[-1].split("@")[0] for line in answer.stdout.splitlines()}
    return {name for name in names if re.match(r"p?(_?shmem|shm|shfree|shrealloc|start_pes|_my_pe|_num_pes)", name)}


def page_is_old(docs):
    sys.path.insert(0, docs)
    sys.dont_write_bytecode = True
    import shmem_functions
    if shmem_functions.PAGE.read_text() == shmem_functions.page(sys.modules[__name__]):
        return False
    print("docs/shmem-functions.md is old: print it anew by docs/shmem_functions.py")
    return True


def main(nm, library, docs):
    specified = expand(FAMILIES)
    known = specified | expand(BEYOND)
    found = exported(nm, library)
    missing = (known | twins(known)) - found
    unknown = found - known - twins(known)
    print(f"{len(specified)} names of the specification, {len(known) - len(specified)} beyond it, "
          f"{len(missing)} missing, {len(unknown)} unknown")
    for name in sorted(missing):
        print("missing:", name)
    for name in sorted(unknown):
        print("not in the list:", name)
    if len(specified) != NAMES_OF_THE_SPECIFICATION:
        print(f"the list should have {NAMES_OF_THE_SPECIFICATION} names of the specification")
        return 1
    return 1 if missing or unknown or page_is_old(docs) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
