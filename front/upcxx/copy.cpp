// SPDX-License-Identifier: BSD-3-Clause
//
// The part of upcxx::copy that need not be inline: where the two ends are, and copies that another
// rank asks of this one. Those run in the request's message, which is kept until the data is there.
#include <upcxx/copy.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/rpc.hpp>

#include <utility>

namespace atl::upcxx_front {
namespace {

constexpr const char* call_name = "upcxx::copy";

std::byte* owners_address(const place& at) noexcept {
  return job.at->bound().part(at.rank).base + at.offset;
}

/// A copy that this rank makes for another: from whatever rank into memory of ours.
struct asked_copy final : in_flight {
  asked_copy(arrived_message& with, reader& rest) : message(keep_message(with)) {
    what = rest.read<copy_request>();
    first_call = rest.position();
    look = [](in_flight& one) noexcept { return look_at(static_cast<asked_copy&>(one).done); };
    finish = [](in_flight& one) noexcept { static_cast<asked_copy&>(one).end(); };
  }

  void start() noexcept {
    const copy_end to = end_of_copy(what.to, what.bytes);
    const copy_end from = end_of_copy(what.from, what.bytes);
    if (copied_directly(to, from, what.bytes)) return end();
    start_copy_get(to, from, what.bytes, done);
    if (done.empty()) return end();
    register_flight(*this);
  }

  // Makes the calls that wait for the data, answers, and ends the message and this.
  void end() noexcept {
    reader rest(message.payload);
    rest.skip_to(first_call);
    for (std::uint64_t left = what.calls; left != 0; --left) {
      const auto bytes = rest.read<std::uint64_t>();
      run_copied_call(message.source, {rest.take(bytes, buffer_alignment), bytes});
    }
    if (message.answer_to != 0) send_result(message, upcxx::make_future());
    end_message(message);
    end_in_block(this);
  }

  arrived_message& message;
  copy_request what;
  std::size_t first_call;
  event done;
};

}  // namespace

copy_end end_of_copy(const place& at, std::size_t bytes) noexcept {
  need_job(call_name);
  if (at.kind == 0) refuse(call_name, "a global pointer is null", "pass pointers to memory");
  if (at.device != 0) {
    refuse(call_name, text("a global pointer is to memory of a device of rank ", at.rank).c_str(),
           "this version of Atoll has host memory only");
  }
  const std::size_t room = at.rank < job.size ? job.at->bound().part(at.rank).bytes : 0;
  if (at.rank >= job.size || at.offset > room || bytes > room - at.offset) {
    refuse(call_name,
           text(bytes, " bytes at a global pointer to rank ", at.rank,
                " are not all in that rank's shared memory")
               .c_str(),
           "copy within what has been allocated");
  }
  const bool mapped = at.rank == job.rank || job.is_direct(at.rank);
  return {at, mapped ? job.address(at.rank, at.offset) : nullptr};
}

copy_end end_of_copy(const void* here) noexcept {
  need_job(call_name);
  if (here == nullptr) refuse(call_name, "a pointer is null", "pass pointers to memory");
  // Only read through where it is the source.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(here));
  return {{.offset = 0, .rank = job.rank, .device = 0, .kind = 0}, bytes};
}

void start_copy_put(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept {
  put_nb(*job.at, to.at.rank, owners_address(to.at), from.here, bytes, done);
}

void start_copy_get(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept {
  get_nb(*job.at, to.here, from.at.rank, owners_address(from.at), bytes, done);
}

void get_for_copy(void* to, const copy_end& from, std::size_t bytes) noexcept {
  event done;
  get_nb(*job.at, to, from.at.rank, owners_address(from.at), bytes, done);
  job.runtime->wait_while([] { return advance(false); }, [&] { return look_at(done); },
                          job.runtime->bell_sleep_ns());
}

void run_asked_copy(reader& rest, void* context) {
  make_in_block<asked_copy>(*static_cast<arrived_message*>(context), rest)->start();
}

}  // namespace atl::upcxx_front
