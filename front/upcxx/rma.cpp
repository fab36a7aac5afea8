// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that are not direct: the core's functions with an explicit event, on this front's
// endpoint, to which every rank has bound its whole heap. The core checks the bounds.
#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/flight.hpp>
#include <upcxx/rput.hpp>

namespace atl::upcxx_front {

std::byte* owners_address(const place& location, const char* call) noexcept {
  need_job(call);
  if (location.kind == 0)
    refuse(call, "the global pointer is null", "pass a pointer to shared memory");
  if (location.device != 0)
    refuse(call, "the global pointer is to device memory",
           "use upcxx::copy() for memory of devices");
  if (location.rank >= job.size) {
    refuse(call, text("the global pointer is to rank ", location.rank, " of ", job.size).c_str(),
           "pass a pointer that a rank of this job has made");
  }
  return job.endpoint->bound().part(location.rank).base + location.offset;
}

void refuse_private(const char* call) noexcept {
  refuse(call, "the pointer to private memory is null",
         "pass the address of the elements, also where there are none");
}

bool test_event(event& done) noexcept {
  return done.empty() || (done.record()->complete() && job.runtime->test(done));
}

void start_put(const place& to, const void* from, std::size_t bytes, bool keeps,
               event& done) noexcept {
  void* const remote = owners_address(to, "upcxx::rput");  // first, because it checks for init()
  put_nb(*job.endpoint, to.rank, remote, from, bytes, done, {.keeps_source = keeps});
}

void start_get(void* to, const place& from, std::size_t bytes, event& done) noexcept {
  const void* const remote = owners_address(from, "upcxx::rget");
  get_nb(*job.endpoint, to, from.rank, remote, bytes, done);
}

}  // namespace atl::upcxx_front
