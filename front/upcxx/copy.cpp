// SPDX-License-Identifier: BSD-3-Clause
//
// The part of upcxx::copy that need not be inline: where the two ends are, and copies that another
// rank asks of this one. Those run in the request's message, which is kept until the data is there.
#include <upcxx/copy.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/rpc.hpp>

#include <utility>

namespace atl::upcxx_front {
namespace {

constexpr const char* call_name = "upcxx::copy";

std::byte* owners_address(const place& location) noexcept {
  return job.endpoint->bound().part(location.rank).base + location.offset;
}

/// A copy that this rank makes for another: from whatever rank into memory of ours.
struct asked_copy final : in_flight {
  asked_copy(arrived_message& arrived, reader& body) : message(keep_message(arrived)) {
    request = body.read<copy_request>();
    first_call = body.position();
    run = [](work& self) noexcept {
      auto& me = static_cast<asked_copy&>(self);
      unregister_flight(me);
      me.end();
    };
  }

  void start() noexcept {
    const copy_end to = end_of_copy(request.to, request.bytes);
    const copy_end from = end_of_copy(request.from, request.bytes);
    if (copied_directly(to, from, request.bytes)) return end();
    start_copy_get(to, from, request.bytes, done);
    if (done.empty()) return end();
    register_flight(*this, done);
  }

  // Makes the calls that wait for the data, answers, and ends the message and this.
  void end() noexcept {
    reader body(message.payload);
    body.skip_to(first_call);
    for (std::uint64_t left = request.calls; left != 0; --left) {
      const auto bytes = body.read<std::uint64_t>();
      run_copied_call(message.source, {body.take(bytes, buffer_alignment), bytes});
    }
    if (message.answer_to != 0) send_result(message, upcxx::make_future());
    end_message(message);
    end_in_block(this);
  }

  arrived_message& message;
  copy_request request;
  std::size_t first_call;
  event done;
};

}  // namespace

copy_end end_of_copy(const place& location, std::size_t bytes) noexcept {
  need_job(call_name);
  if (location.kind == 0) refuse(call_name, "a global pointer is null", "pass pointers to memory");
  if (location.device != 0) {
    refuse(call_name,
           text("a global pointer is to memory of a device of rank ", location.rank).c_str(),
           "this version of Atoll has host memory only");
  }
  const std::size_t room =
      location.rank < job.size ? job.endpoint->bound().part(location.rank).bytes : 0;
  if (location.rank >= job.size || location.offset > room || bytes > room - location.offset) {
    refuse(call_name,
           text(bytes, " bytes at a global pointer to rank ", location.rank,
                " are not all in that rank's shared memory")
               .c_str(),
           "copy within what has been allocated");
  }
  const bool mapped = location.rank == job.rank || job.is_direct(location.rank);
  return {location, mapped ? job.address(location.rank, location.offset) : nullptr};
}

copy_end end_of_copy(const void* address) noexcept {
  need_job(call_name);
  if (address == nullptr) refuse(call_name, "a pointer is null", "pass pointers to memory");
  // Only read through where it is the source.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(address));
  return {{.offset = 0, .rank = job.rank, .device = 0, .kind = 0}, bytes};
}

void start_copy_put(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept {
  put_nb(*job.endpoint, to.location.rank, owners_address(to.location), from.mapped, bytes, done);
}

void start_copy_get(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept {
  get_nb(*job.endpoint, to.mapped, from.location.rank, owners_address(from.location), bytes, done);
}

void get_for_copy(void* to, const copy_end& from, std::size_t bytes) noexcept {
  event done;
  get_nb(*job.endpoint, to, from.location.rank, owners_address(from.location), bytes, done);
  job.runtime->wait_while([] { return advance(false); }, [&] { return look_at(done); },
                          job.runtime->bell_sleep_ns());
}

void run_asked_copy(reader& body, void* context) {
  make_in_block<asked_copy>(*static_cast<arrived_message*>(context), body)->start();
}

}  // namespace atl::upcxx_front
