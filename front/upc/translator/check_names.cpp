// SPDX-License-Identifier: BSD-3-Clause
//
// The names of UPC and the headers that declare them, for programs that misspell one or forget a
// header.
#include <front/upc/translator/checks.hpp>

#include <algorithm>

namespace atl::upc {
namespace {

struct header_names {
  const char* header;
  std::vector<const char*> names;
};

const std::vector<header_names>& all_names() {
  static const std::vector<header_names> names{
      {"upc.h", {"upc_global_exit",    "upc_global_alloc", "upc_all_alloc",
                 "upc_alloc",          "upc_local_alloc",  "upc_free",
                 "upc_all_free",       "upc_threadof",     "upc_phaseof",
                 "upc_resetphase",     "upc_addrfield",    "upc_affinitysize",
                 "upc_all_lock_alloc", "upc_lock_free",    "upc_global_lock_alloc",
                 "upc_all_lock_free",  "upc_lock",         "upc_lock_attempt",
                 "upc_unlock",         "upc_memcpy",       "upc_memget",
                 "upc_memput",         "upc_memset"}},
      {"upc_tick.h", {"upc_ticks_now", "upc_ticks_to_ns"}},
      {"upc_castable.h", {"upc_cast", "upc_thread_info"}},
      {"upc_nb.h",
       {"upc_memcpy_nb", "upc_memget_nb", "upc_memput_nb", "upc_memset_nb", "upc_memcpy_nbi",
        "upc_memget_nbi", "upc_memput_nbi", "upc_memset_nbi", "upc_sync", "upc_sync_attempt",
        "upc_synci", "upc_synci_attempt"}},
      {"upc_atomic.h",
       {"upc_all_atomicdomain_alloc", "upc_all_atomicdomain_free", "upc_atomic_strict",
        "upc_atomic_relaxed", "upc_atomic_isfast"}},
      {"upc_collective.h",
       {"upc_all_broadcast",       "upc_all_scatter",         "upc_all_gather",
        "upc_all_gather_all",      "upc_all_exchange",        "upc_all_permute",
        "upc_all_reduceC",         "upc_all_reduceUC",        "upc_all_reduceS",
        "upc_all_reduceUS",        "upc_all_reduceI",         "upc_all_reduceUI",
        "upc_all_reduceL",         "upc_all_reduceUL",        "upc_all_reduceF",
        "upc_all_reduceD",         "upc_all_reduceLD",        "upc_all_prefix_reduceC",
        "upc_all_prefix_reduceUC", "upc_all_prefix_reduceS",  "upc_all_prefix_reduceUS",
        "upc_all_prefix_reduceI",  "upc_all_prefix_reduceUI", "upc_all_prefix_reduceL",
        "upc_all_prefix_reduceUL", "upc_all_prefix_reduceF",  "upc_all_prefix_reduceD",
        "upc_all_prefix_reduceLD"}},
      {"upc_io.h",
       {"upc_all_fopen",
        "upc_all_fclose",
        "upc_all_fsync",
        "upc_all_fseek",
        "upc_all_fset_size",
        "upc_all_fget_size",
        "upc_all_fpreallocate",
        "upc_all_fcntl",
        "upc_all_fread_local",
        "upc_all_fread_shared",
        "upc_all_fwrite_local",
        "upc_all_fwrite_shared",
        "upc_all_fread_list_local",
        "upc_all_fread_list_shared",
        "upc_all_fwrite_list_local",
        "upc_all_fwrite_list_shared",
        "upc_all_fread_local_async",
        "upc_all_fread_shared_async",
        "upc_all_fwrite_local_async",
        "upc_all_fwrite_shared_async",
        "upc_all_fread_list_local_async",
        "upc_all_fread_list_shared_async",
        "upc_all_fwrite_list_local_async",
        "upc_all_fwrite_list_shared_async",
        "upc_all_fwait_async",
        "upc_all_ftest_async"}},
      {"",
       {"upc_barrier", "upc_notify", "upc_wait", "upc_fence", "upc_forall", "upc_localsizeof",
        "upc_blocksizeof", "upc_elemsizeof"}},
  };
  return names;
}

// The number of letters to change, insert or remove to turn one word into the other.
std::size_t distance(const std::string& word, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= word.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (word[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[other.size()];
}

// Names of the first dialects of UPC.
std::string name_of_today(const std::string& name) {
  if (name == "barrier" || name == "barrier_notify" || name == "barrier_wait" || name == "forall" ||
      name == "fence") {
    return name == "barrier_notify" ? "upc_notify"
           : name == "barrier_wait" ? "upc_wait"
                                    : "upc_" + name;
  }
  return "";
}

}  // namespace

known_name find_known_name(const std::string& name, bool exactly) {
  known_name best;
  std::size_t best_distance = 3;
  if (!exactly && !name_of_today(name).empty()) return {name_of_today(name), ""};
  for (const header_names& each : all_names()) {
    for (const std::string known : each.names) {
      if (exactly ? known != name || each.header[0] == '\0' : name.rfind("upc", 0) != 0) continue;
      const std::size_t far = exactly ? 0 : distance(name, known);
      if (far >= best_distance) continue;
      best_distance = far;
      best = {known, each.header};
    }
  }
  return best;
}

}  // namespace atl::upc
