// SPDX-License-Identifier: BSD-3-Clause
//
// Commands as active messages on an endpoint of this front's own, so that they collide with nobody
// else's handlers. Arguments of a message: the token and, for a command that is too large for one,
// where it lies in the sender's heap and how long it is. The receiver maps it or gets it, and says
// when it may go.
#include <upcxx/mail.hpp>

#include <atoll/core/rma.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/flight.hpp>

#include <array>
#include <cstring>
#include <new>

namespace atl::upcxx_front {
namespace {

enum : handler_id {
  here_is_call = 1,
  here_is_result,
  call_lies_there,
  result_lies_there,
  was_read
};

std::uint32_t low(std::uint64_t bits) noexcept { return static_cast<std::uint32_t>(bits); }
std::uint32_t high(std::uint64_t bits) noexcept { return static_cast<std::uint32_t>(bits >> 32); }
std::uint64_t whole(const std::uint32_t* halves) noexcept {
  return halves[0] | std::uint64_t{halves[1]} << 32;
}

void run_call(work& self) noexcept {
  auto& message = static_cast<arrived_message&>(self);
  reader from(message.payload);
  run_command(from, &message);  // ends the message, perhaps later
}

void run_result(work& self) noexcept {
  auto& message = static_cast<arrived_message&>(self);
  reader from(message.payload);
  auto& awaited = *reinterpret_cast<awaited_result*>(message.answer_to);
  try {
    awaited.deliver(awaited, from);
  } catch (const bad_read& refused) {
    job.runtime->fail("the result of an rpc", refused.what(), "mend its serialization");
  }
  end_message(message);
}

arrived_message& new_message(std::uint32_t source, std::uint64_t token, message_use use,
                             std::size_t payload_bytes) noexcept {
  const std::size_t bytes = sizeof(arrived_message) + payload_bytes;
  auto* const made = ::new (take_block(bytes)) arrived_message();
  made->bytes_held = static_cast<std::uint32_t>(bytes);
  made->source = source;
  made->answer_to = token;
  made->payload = {reinterpret_cast<std::byte*>(made + 1), payload_bytes};
  made->run = use == message_use::call ? &run_call : &run_result;
  return *made;
}

upcxx::persona& receiver_of(const arrived_message& message, message_use use) noexcept {
  return use == message_use::call ? upcxx::master_persona()
                                  : *reinterpret_cast<awaited_result*>(message.answer_to)->back;
}

template <message_use Use>
void on_command(void*, am_token& token, const std::uint32_t* args, unsigned, void* payload,
                std::size_t bytes) {
  arrived_message& message = new_message(token.source(), whole(args), Use, bytes);
  std::memcpy(static_cast<void*>(&message + 1), payload, bytes);
  send_work(receiver_of(message, Use), message);
}

/// A command in the memory of a rank that is not mapped here: got at the receiver's progress, since
/// a handler may not.
struct far_message final : in_flight {
  event done;
  arrived_message* message = nullptr;
};

void fetch(work& self) noexcept {
  auto& message = static_cast<arrived_message&>(self);
  auto* const flight = make_in_block<far_message>();
  auto* const into = static_cast<std::byte*>(::operator new(message.payload.size()));
  const void* const there = job.at->bound_at(message.source).base + message.lent;
  flight->message = &message;
  flight->look = [](in_flight& one) noexcept {
    return look_at(static_cast<far_message&>(one).done);
  };
  flight->finish = [](in_flight& one) noexcept {
    arrived_message& whole_message = *static_cast<far_message&>(one).message;
    end_in_block(static_cast<far_message*>(&one));
    whole_message.run(whole_message);
  };
  get_nb(*job.at, into, message.source, there, message.payload.size(), flight->done);
  message.payload = {into, message.payload.size()};
  message.run = message.run_when_here;
  register_flight(*flight);
}

template <message_use Use>
void on_large(void*, am_token& token, const std::uint32_t* args, unsigned, void*, std::size_t) {
  arrived_message& message = new_message(token.source(), whole(args), Use, 0);
  message.lent = whole(args + 2);
  const std::size_t bytes = whole(args + 4);
  message.payload = {job.address(token.source(), message.lent), bytes};
  if (!job.is_direct(token.source())) {
    message.payload = {static_cast<const std::byte*>(nullptr), bytes};
    message.run_when_here = message.run;
    message.run = &fetch;
  }
  send_work(receiver_of(message, Use), message);
}

void on_was_read(void*, am_token&, const std::uint32_t* args, unsigned, void*, std::size_t) {
  job.runtime->heap().free(job.address(job.rank, whole(args)));
}

endpoint& mail_endpoint() noexcept { return the_process->mail; }

void send_large(std::uint32_t target, message_use use, std::uint64_t token,
                const writer& what) noexcept {
  void* const copy = job.runtime->heap().allocate(what.size(), std::size_t{64});
  if (copy == nullptr) {
    refuse("upcxx::rpc",
           "no shared memory is left for the arguments, which are too large for one "
           "message",
           "raise ATOLL_SEGMENT_LIMIT, or send less at a time");
  }
  std::memcpy(copy, what.data(), what.size());
  const auto offset =
      static_cast<std::uint64_t>(static_cast<std::byte*>(copy) - job.address(job.rank, 0));
  const std::array<std::uint32_t, 6> args{low(token),   high(token),      low(offset),
                                          high(offset), low(what.size()), high(what.size())};
  mail_endpoint().request(
      {.target = target,
       .handler = use == message_use::call ? call_lies_there : result_lies_there,
       .nargs = args.size(),
       .args = args.data()});
}

}  // namespace

void end_message(arrived_message& gone) noexcept {
  if (gone.lent != 0) {
    const std::array<std::uint32_t, 2> args{low(gone.lent), high(gone.lent)};
    if (!job.is_direct(gone.source)) {
      ::operator delete(const_cast<std::byte*>(gone.payload.data()));
    }
    mail_endpoint().request(
        {.target = gone.source, .handler = was_read, .nargs = args.size(), .args = args.data()});
  }
  give_block(&gone, gone.bytes_held);
}

void send_command(std::uint32_t target, message_use use, std::uint64_t token,
                  const writer& what) noexcept {
  if (target >= job.size) {
    need_job("upcxx::rpc");
    refuse("upcxx::rpc", "there is no such rank", "ranks are 0 to rank_n() - 1");
  }
  endpoint& at = mail_endpoint();
  if (what.size() > at.medium_max(target)) return send_large(target, use, token, what);
  const std::array<std::uint32_t, 2> args{low(token), high(token)};
  at.request({.target = target,
              .kind = am_category::medium,
              .handler = use == message_use::call ? here_is_call : here_is_result,
              .nargs = args.size(),
              .args = args.data(),
              .payload = what.data(),
              .bytes = what.size()});
}

void run_copied_call(std::uint32_t source, std::span<const std::byte> command) noexcept {
  arrived_message& message = new_message(source, 0, message_use::call, command.size());
  std::memcpy(static_cast<void*>(&message + 1), command.data(), command.size());
  message.run(message);
}

void end_waiting_call::operator()(waiting_call* gone) const noexcept { delete gone; }

void send_waiting_call(std::uint32_t target, waiting_call_ptr call) noexcept {
  send_command(target, message_use::call, 0, call->command);
}

void add_mail_handlers(endpoint& at) noexcept {
  handler_table& table = at.handlers();
  table.set(here_is_call, {.run = &on_command<message_use::call>, .name = "upcxx call"});
  table.set(here_is_result, {.run = &on_command<message_use::result>, .name = "upcxx result"});
  table.set(call_lies_there, {.run = &on_large<message_use::call>, .name = "upcxx large call"});
  table.set(result_lies_there,
            {.run = &on_large<message_use::result>, .name = "upcxx large result"});
  table.set(was_read, {.run = &on_was_read, .name = "upcxx arguments read"});
}

}  // namespace atl::upcxx_front
