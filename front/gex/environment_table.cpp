// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables of GASNet-EX 2025.8, one row each: what becomes of it here, and why. A
// name that ends in an asterisk stands for all that begin so; exact names come first. Variables
// that only a debugging or tracing build of GASNet reads have rows too, since users leave them set.
#include <front/gex/environment.hpp>

namespace atl::gex {
namespace {

using enum variable_fate;

constexpr gasnet_variable table[] = {
    // Variables that the front reads itself.
    {"GASNET_MAX_SEGSIZE", read_by_front, "",
     "the largest segment that is given, per rank or per host"},
    {"GASNET_MAX_THREADS", read_by_front, "", "what gex_System_QueryMaxThreads() answers at most"},
    {"GASNET_PSHM_NODES", read_by_front, "", "starts that many ranks when no launcher has"},
    {"GASNET_VERBOSEENV", read_by_front, "",
     "lists these variables and the settings in force at start"},
    {"GASNET_FREEZE", read_by_front, "", "every rank waits for a debugger at start"},

    // Variables that become a setting of the runtime.
    {"GASNET_SUPERNODE_MAXSIZE", becomes_setting, "ATOLL_NEIGHBOURHOOD", "ranks, 0 for all"},
    {"GASNET_BARRIER", becomes_setting, "ATOLL_BARRIER",
     "AM... asks for messages, others for auto"},
    {"GASNET_RCV_THREAD", becomes_setting, "ATOLL_PROGRESS_THREAD", "a thread that runs handlers"},
    {"GASNET_STATSFILE", becomes_setting, "ATOLL_COUNTERS", "the table goes to standard error"},
    {"GASNET_SPAWN_VERBOSE", becomes_setting, "ATOLL_VERBOSE", "tells details of start and end"},

    // Variables that gasnet_tools.h reads.
    {"GASNET_BACKTRACE*", read_by_tools, "", "stack traces of gasnet_tools.h"},
    {"GASNET_FREEZE_ON_ERROR", read_by_tools, "", "waits for a debugger on a fatal error"},
    {"GASNET_FREEZE_SIGNAL", read_by_tools, "", "waits for a debugger on a signal"},
    {"GASNET_TSC_*", read_by_tools, "", "the clock of gasnet_tools.h"},
    {"GASNET_TMPDIR", read_by_tools, "", "where temporary files go"},
    {"GASNET_MAXIMIZE_*", read_by_tools, "", "limits of the process"},
    {"GASNET_TEST_*", read_by_tools, "", "read by GASNet's tests, not by the library"},

    // Variables for what Atoll does anyway, or for parts that it lacks, so that nothing can go
    // wrong.
    {"GASNET_NO_CATCH_SIGNAL", moot, "", "no signal is caught"},
    {"GASNET_DISABLE_MUNMAP", moot, "", "no memory of the program's is registered by address"},
    {"GASNET_USE_PSHM_SINGLETON", moot, "", "memory is the same for one rank and for many"},
    {"GASNET_PSHM_BARRIER_HIER", moot, "", "the barrier of a host is one"},
    {"GASNET_PSHM_BARRIER_RADIX", moot, "", "the barrier of a host is one flag of each rank"},
    {"GASNET_NODEMAP_EXACT", moot, "", "which ranks share a host is always known exactly"},
    {"GASNET_HOST_DETECT", moot, "", "the launcher knows the hosts"},
    {"GASNET_USE_GETHOSTID", moot, "", "the launcher knows the hosts"},
    {"GASNET_DISABLE_ENVDECODE", moot, "", "variables are passed on as they are"},
    {"GASNET_DISABLE_ARGDECODE", moot, "", "arguments are passed on as they are"},
    {"GASNET_EXITTIMEOUT*", moot, "", "the launcher ends what is left, within a second"},
    {"GASNET_FS_SYNC", moot, "", "output is flushed before the end, and not synced to disk"},
    {"GASNET_QUIET", moot, "", "nothing is printed that need not be"},
    {"GASNET_ROUTE_OUTPUT", moot, "", "the launcher gathers the ranks' output"},
    {"GASNET_SPAWN_CONDUIT", moot, "", "set by GASNet's launchers"},
    {"GASNET_SPAWN_HAVE_*", moot, "", "set by GASNet's launchers"},
    {"GASNET_PLATFORM", moot, "", "set by GASNet's launchers"},
    {"GASNET_PSHM_ENABLED", moot, "", "set by GASNet's launchers"},
    {"GASNET_ENVCMD", moot, "", "set by GASNet's launchers"},
    {"GASNET_PREFIX", moot, "", "read by builds, not by programs"},

    // Variables without an effect that a user could miss.
    {"GASNET_CATCH_EXIT", no_effect, "", "exit() ends the job after the client's exit handlers"},
    {"GASNET_TRACE*", no_effect, "", "there is no trace file; ATOLL_COUNTERS=1 counts operations"},
    {"GASNET_STATS*", no_effect, "", "ATOLL_COUNTERS=1 prints a table at the end"},
    {"GASNET_MALLOC*", no_effect, "",
     "the C library's allocator is used; try an address sanitizer"},
    {"GASNET_SD_INIT*", no_effect, "", "ATOLL_CHECKS=heavy checks negotiated payloads"},
    {"GASNET_USE_HUGEPAGES", no_effect, "", "the system's transparent huge pages are used"},
    {"GASNET_HUGEPAGE*", no_effect, "", "the system's transparent huge pages are used"},
    {"GASNET_PSHM_NETWORK_DEPTH", no_effect, "", "ATOLL_RING_CELLS sizes the rings of messages"},
    {"GASNET_COLL_*", no_effect, "", "collectives choose by a table and need no scratch size"},
    {"GASNET_VIS_*", no_effect, "", "strided transfers choose for themselves"},
    {"GASNET_THREAD_STACK_*", no_effect, "", "the progress thread has the system's stack size"},
    {"GASNET_SND_THREAD*", no_effect, "", "nothing is sent by a thread of the library's"},
    {"GASNET_RCV_THREAD_*", no_effect, "", "the progress thread sleeps until something arrives"},
    {"GASNET_HWLOC_QUERY", no_effect, "", "no device is chosen by where a rank runs"},
    {"GASNET_PHYSMEM_*", no_effect, "",
     "the limit is ATOLL_MEMORY_LIMIT, from the machine's memory"},
    {"GASNET_PINNED_*", no_effect, "", "ATOLL_OFI_CACHE_BYTES bounds what stays registered"},
    {"GASNET_FIREHOSE*", no_effect, "", "ATOLL_OFI_CACHE_BYTES bounds what stays registered"},
    {"GASNET_USE_FIREHOSE", no_effect, "", "ATOLL_OFI_CACHE_BYTES bounds what stays registered"},
    {"GASNET_USE_ODP", no_effect, "",
     "libfabric's provider decides what is registered (ATOLL_OFI_MEMORY)"},
    {"GASNET_ODP_*", no_effect, "",
     "libfabric's provider decides what is registered (ATOLL_OFI_MEMORY)"},
    {"GASNET_SPAWNFN", no_effect, "", "C is for upcxx-run and gasnetrun; see atoll run --launcher"},
    {"GASNET_CSPAWN_*", no_effect, "", "for upcxx-run and gasnetrun; see atoll run --launcher"},
    {"GASNET_SSH_*", no_effect, "",
     "`atoll run --hosts` reaches hosts by ssh, or by its option --rsh"},
    {"GASNET_NODEFILE", no_effect, "", "`atoll run --hostfile` takes the hosts from a file"},
    {"GASNET_MASTERIP", no_effect, "",
     "`atoll run --interface` names where the hosts reach each other"},
    {"GASNET_WORKERIP", no_effect, "",
     "`atoll run --interface` names where the hosts reach each other"},
    {"GASNET_WORKER_RANK", no_effect, "", "ranks are numbered by the launcher"},
    {"GASNET_SMP_SPAWNER", no_effect, "", "`atoll run` starts the ranks of a host"},
    {"GASNET_IBV_*", no_effect, "",
     "InfiniBand is reached by libfabric (ATOLL_OFI_PROVIDER, ATOLL_OFI_INTERFACE)"},
    {"GASNET_OFI_*", no_effect, "",
     "Atoll's own transport on libfabric has the settings ATOLL_OFI_..."},
    {"GASNET_UCX_*", no_effect, "", "networks are reached by libfabric (ATOLL_OFI_PROVIDER)"},
    {"GASNET_MPI_*", no_effect, "",
     "no messages go by MPI; networks are reached by libfabric (ATOLL_OFI_PROVIDER)"},
    {"GASNET_NETWORKDEPTH*", no_effect, "",
     "ATOLL_OFI_WINDOW bounds what is under way, ATOLL_RING_CELLS within a host"},
    {"GASNET_SENDDEPTH", no_effect, "",
     "ATOLL_OFI_WINDOW bounds what is under way, ATOLL_RING_CELLS within a host"},
    {"GASNET_RECVDEPTH", no_effect, "",
     "ATOLL_OFI_WINDOW bounds what is under way, ATOLL_RING_CELLS within a host"},
    {"GASNET_AM_CREDITS_*", no_effect, "",
     "ATOLL_OFI_WINDOW bounds what is under way, ATOLL_RING_CELLS within a host"},
    {"GASNET_SOCKETBUFFER_*", no_effect, "", "the system sizes the buffers of sockets"},
    {"GASNET_REQUESTTIMEOUT_*", no_effect, "",
     "what the network loses is sent again by its own clock"},
    {"GASNET_CONNECT*", no_effect, "", "libfabric's provider makes connections"},
    {"GASNET_NUM_QPS", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_QP_*", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_USE_SRQ", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_USE_XRC", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_USE_FENCED_PUTS", no_effect, "",
     "a put is complete when its bytes are visible at the target"},
    {"GASNET_BBUF_*", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_RBUF_*", no_effect, "", "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_INLINESEND_LIMIT", no_effect, "",
     "ATOLL_OFI_INJECT is the longest message that the provider takes along"},
    {"GASNET_NONBULKPUT_BOUNCE_LIMIT", no_effect, "",
     "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_PACKEDLONG_LIMIT", no_effect, "",
     "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_PUTINMOVE_LIMIT", no_effect, "",
     "InfiniBand is reached by libfabric, whose provider decides"},
    {"GASNET_PUT_STRIPE_SZ", no_effect, "",
     "InfiniBand is reached by libfabric, whose provider decides"},
};

bool names(std::string_view row, std::string_view variable) noexcept {
  if (!row.ends_with('*')) return row == variable;
  row.remove_suffix(1);
  return variable.starts_with(row);
}

}  // namespace

std::span<const gasnet_variable> gasnet_variables() noexcept { return table; }

const gasnet_variable* find_gasnet_variable(std::string_view name) noexcept {
  for (const gasnet_variable& row : table) {
    if (names(row.name, name)) return &row;
  }
  return nullptr;
}

}  // namespace atl::gex
