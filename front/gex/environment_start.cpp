// SPDX-License-Identifier: BSD-3-Clause
//
// The effect of GASNet's variables on the start of a client: settings, ranks where no launcher made
// any, one warning, a report, and a wait for a debugger. Runs once, before the client can have
// other threads that use the library.
#include <gasnetex_identity.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/membership.hpp>
#include <atoll/bootstrap/restart.hpp>
#include <front/gex/environment.hpp>

#include <unistd.h>

#include <chrono>
#include <thread>

/// Nonzero while this process waits for a debugger, which sets it to 0.
extern "C" {
extern volatile int atoll_gex_frozen;
volatile int atoll_gex_frozen = 0;
}

namespace atl::gex {
namespace {

void wait_for_debugger(rank_id rank) {
  __atomic_store_n(&atoll_gex_frozen, 1, __ATOMIC_RELAXED);  // pairs with nothing: a flag
  log_line(log_level::error, text("GASNET_FREEZE: rank ", rank, ", process ", getpid(),
                                  ", waits for a debugger; to go on, set atoll_gex_frozen to 0"));
  while (__atomic_load_n(&atoll_gex_frozen, __ATOMIC_RELAXED) != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

gasnet_environment read_environment() {
  return gasnet_environment::read(foreign_variables("GASNET_"), foreign_variables_given("GASNET_"),
                                  static_cast<std::size_t>(read_memory_limits().total_bytes));
}

const gasnet_environment& environment() {
  static const gasnet_environment variables = read_environment();
  return variables;
}

settings settings_with_gasnet() { return settings::from_environment(environment().settings); }

void start_ranks_if_asked(const settings& configuration) {
  if (environment().ranks < 2 || bootstrap::has_launcher(configuration)) return;
  static constexpr std::string_view options[] = {"--same-addresses"};
  bootstrap::restart_as_job(environment().ranks, "GASNET_PSHM_NODES", options);
}

void tell_environment(rank_id rank, const settings& configuration) {
  const gasnet_environment& variables = environment();
  if (rank == 0 && !variables.no_effect.empty()) {
    std::string line = "variables of GASNet that have no effect on Atoll: ";
    for (std::size_t i = 0; i < variables.no_effect.size(); ++i) {
      line += (i == 0 ? "" : "; ") + variables.no_effect[i];
    }
    log_warning(line);
  }
  if (rank == 0 && variables.verbose) {
    for (const std::string& each : variables.report) log_line(log_level::error, each);
    for (const setting_row* row : all_settings()) {
      if (row->set_by_launcher) continue;
      const bool is_set = configuration.source(*row) == setting_source::environment;
      log_line(log_level::error,
               text(row->name, "=", configuration.text(*row), is_set ? "" : " (default)"));
    }
  }
  if (variables.freeze) wait_for_debugger(rank);
}

}  // namespace atl::gex
