// SPDX-License-Identifier: BSD-3-Clause
//
// Joining a job by its bootstrap, and ending it for all ranks. A rank that ends the job writes its
// counters first, and hands the reason to the launcher, which prints it once.
#include <atoll/core/job/job_context.hpp>

#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/single.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/trace/counters.hpp>
#include <atoll/trace/settings.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace atl {

job_context::job_context(settings configuration, std::unique_ptr<bootstrap::bootstrap> boot,
                         std::optional<thread_mode> threads)
    : settings_(std::move(configuration)),
      boot_(boot ? std::move(boot) : bootstrap::make(settings_)),
      rank_(boot_->rank()),
      size_(boot_->size()),
      hosts_(size_, boot_->hosts(), settings_.number(setting::neighbourhood)),
      neighbours_(hosts_.neighbourhood(hosts_.neighbourhood_of(rank_))),
      threads_(threads.value_or(static_cast<thread_mode>(settings_.choice(setting::threads)))),
      has_progress_thread_(settings_.flag(setting::progress_thread)),
      process_(::getpid()) {}

bool job_context::is_forked_copy() const noexcept { return ::getpid() != process_; }

void job_context::report_counters(std::string_view more) const noexcept {
  if (!settings_.flag(setting::counters)) return;
  // The whole table is one write, so that tables of different ranks do not mix.
  const std::string table =
      text("atoll[", rank_, "]: counters\n", trace::table(trace::read()), more);
  std::fputs(table.c_str(), stderr);
}

void job_context::exit(int code) const noexcept {
  if (is_forked_copy()) {
    bootstrap::flush_output();
    ::_exit(code);
  }
  report_counters({});
  boot_->end_job(code, {});
  std::abort();  // not reached; g++ 12 does not believe [[noreturn]] of a virtual function
}

void job_context::fail(std::string_view object, std::string_view cause,
                       std::string_view remedy) const noexcept {
  const std::string message = text("rank ", rank_, ": ", object, ": ", cause, "; ", remedy);
  if (is_forked_copy()) {
    log_error(text(message, " (in a process that the rank has forked)"));
    exit(1);
  }
  boot_->end_job(1, message);
  std::abort();  // not reached, as above
}

}  // namespace atl
