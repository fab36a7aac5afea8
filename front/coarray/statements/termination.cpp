// SPDX-License-Identifier: BSD-3-Clause
//
// Ends of an image. The texts on the error stream are those of the compiler's own library.
#include <front/coarray/statements/termination.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/access/direct_table.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/failures/loss_watch.hpp>
#include <front/coarray/process_state.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace atl::coarray {
namespace {

bool is_rank() noexcept {
  return the_process != nullptr && !the_process->has_ended && the_process->id == ::getpid();
}

void end_normally(int code) noexcept {
  if (!is_rank()) return;
  the_process->writes.wait();
  the_process->has_ended = true;
  end_loss_watch();
  fill_direct_table(nullptr);
  the_process->runtime.stop_serving(code);
}

// A code other than 0 means that the program ends with an error, which ends the job. That is not a
// failed image, so the others do not go on.
void end_by_exit(int code, void*) noexcept {
  if (code == 0) return end_normally(0);
  if (is_rank() && the_process->outlives) the_process->runtime.depend_on_others();
}

[[noreturn]] void end_job(int code) noexcept {
  std::fflush(nullptr);
  if (is_rank()) the_process->runtime.exit(code);
  std::_Exit(code);
}

void tell(const char* statement, const char* words, std::size_t bytes, bool quiet) noexcept {
  if (quiet || words == nullptr) return;
  std::fprintf(stderr, "%s %.*s\n", statement, static_cast<int>(bytes), words);
}

void tell(const char* statement, int code, bool quiet) noexcept {
  if (!quiet) std::fprintf(stderr, "%s %d\n", statement, code);
}

}  // namespace

void end_at_exit() noexcept {
  static const bool registered = ::on_exit(end_by_exit, nullptr) == 0;
  (void)registered;
}

void finalize() noexcept { end_normally(0); }

void stop(int code, bool quiet) noexcept {
  tell("STOP", code, quiet);
  end_normally(code);
  std::exit(code);
}

void stop(const char* text, std::size_t bytes, bool quiet) noexcept {
  tell("STOP", text, bytes, quiet);
  end_normally(0);
  std::exit(0);
}

void error_stop(int code, bool quiet) noexcept {
  tell("ERROR STOP", code, quiet);
  end_job(code);
}

void error_stop(const char* text, std::size_t bytes, bool quiet) noexcept {
  if (text == nullptr || bytes == 0) {
    if (!quiet) std::fputs("ERROR STOP\n", stderr);
  } else {
    tell("ERROR STOP", text, bytes, quiet);
  }
  end_job(1);
}

void fail_image() noexcept {
  process_state& us = running();
  if (us.runtime.size() == 1) {
    end_normally(0);
    std::exit(0);
  }
  outlive_failures(us);
  if (layer_access::losses(us.runtime).is_outlived()) us.runtime.fail_rank();
  refuse("FAIL IMAGE", "the launcher does not let the other images go on without this one",
         "start the program by `atoll run` or cafrun");
}

}  // namespace atl::coarray
