// SPDX-License-Identifier: BSD-3-Clause
//
// Commands as active messages on an endpoint of this front's own, so that their handlers collide
// with no others. Arguments of a message: the token, the alignment where it is more than every
// buffer has, and, for a command that is too large for a message, where it lies in the sender's
// heap and how long it is. The receiver maps it or gets it, and says when its memory may be freed.
//
// A call or a callback that runs where its message came may send, and wait for room: it has left
// the handler's context, and messages that come meanwhile go to the mailbox. Its thread holds one
// buffer of the sender then. If threads that wait for a buffer held all buffers of each rank, all
// ranks would wait for ever. So the threads of all other ranks of the host together read fewer
// messages in place than a rank has buffers: each rank has its share, and copies the others.
#include <upcxx/mail.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/transport/pool.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/flight.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

namespace atl::upcxx_front {
namespace {

enum : handler_id {
  small_call = 1,
  small_result,
  large_call,
  large_result,
  was_read,
  has_no_such_code
};

constexpr std::size_t usual_alignment = alignof(arrived_message);
constexpr std::size_t buffers_alignment = 4096;  // of a transport's
constexpr std::size_t guess_bytes = 4096;        // first room for a command without a bound
constexpr std::size_t own_guess_bytes = 448;
constexpr std::uint32_t most_readers_in_place = transport::pool_memory::large_count - 1;
constexpr std::int64_t patience_ns = 10'000'000'000;  // without room in the heap, or an answer

// Commands in this rank's heap that are not read yet. Relaxed: a number by itself.
std::atomic<std::uint32_t> lent_out = 0;

std::uint8_t log2_of(std::size_t alignment) noexcept {
  return static_cast<std::uint8_t>(std::countr_zero(std::max(alignment, usual_alignment)));
}
endpoint& mail_endpoint() noexcept { return the_process->own; }

constexpr const char* load_the_same =
    "run the same program in all ranks, and load the same libraries, in the same build, in each "
    "before a function of one is sent";

// Only the sender can name the library of a function that is missing here, so it is told and ends
// the job. If it does not within `patience_ns`, this rank does.
[[noreturn]] void refuse_code(std::uint32_t source, code_token token) noexcept {
  if (source != job.rank) {
    const std::array<std::uint32_t, 2> args{low_half(token), high_half(token)};
    mail_endpoint().request(
        {.target = source, .handler = has_no_such_code, .nargs = args.size(), .args = args.data()});
    const std::int64_t last_ns = now_ns() + patience_ns;
    job.runtime->wait_until([last_ns] { return now_ns() > last_ns; }, runtime::silent_sleep_ns);
  }
  job.runtime->fail(text("a call from rank ", source),
                    "its function is in a library, or a program, that this rank does not have, or "
                    "has in another build",
                    load_the_same);
}

void on_no_such_code(void*, am_token& token, const std::uint32_t* args, unsigned, void*,
                     std::size_t) {
  token.receiver().owner().fail(
      text("a call to rank ", token.source(), " of a function in ", library_of(join_halves(args))),
      "that rank does not have it, or has it in another build", load_the_same);
}

void run_call(work& self) noexcept {
  auto& message = static_cast<arrived_message&>(self);
  reader from(message.payload);
  try {
    run_command(from, &message);  // ends the message, perhaps later
  } catch (const unknown_code& missing) {
    refuse_code(message.source, missing.token);
  }
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

void set_run(arrived_message& message) noexcept {
  message.run = message.use == message_use::call ? &run_call : &run_result;
}

// A message with room for a payload behind it.
arrived_message& new_message(std::uint32_t source, std::uint64_t token, message_use use,
                             std::size_t payload_bytes, std::size_t alignment) noexcept {
  const std::size_t skipped = alignment > usual_alignment ? alignment - usual_alignment : 0;
  const std::size_t bytes = sizeof(arrived_message) + skipped + payload_bytes;
  auto* const made = ::new (take_block(bytes)) arrived_message();
  const auto behind = reinterpret_cast<std::uintptr_t>(made + 1);
  // Blocks beyond the largest size are given back without their size, so any larger number will do.
  made->bytes_held = static_cast<std::uint32_t>(std::min<std::size_t>(bytes, UINT32_MAX));
  made->source = source;
  made->answer_to = token;
  made->alignment_log2 = log2_of(alignment);
  made->payload = {reinterpret_cast<std::byte*>(align_up(behind, alignment)), payload_bytes};
  made->use = use;
  set_run(*made);
  return *made;
}
std::byte* room_in(arrived_message& message) noexcept {
  return const_cast<std::byte*>(message.payload.data());
}

upcxx::persona& receiver_of(const arrived_message& message) noexcept {
  return message.use == message_use::call
             ? upcxx::master_persona()
             : *reinterpret_cast<awaited_result*>(message.answer_to)->back;
}

// Whether the calling thread is the one that may run the message.
bool is_for(const thread_personas& thread, message_use use, std::uint64_t token) noexcept {
  if (use == message_use::call) return thread.masters != 0;
  const upcxx::persona* const back = reinterpret_cast<awaited_result*>(token)->back;
  return back == &thread_personas::persona_of(*thread.top) || back == &thread.own ||
         (thread.masters != 0 && back == &upcxx::master_persona());
}

// The number of threads of this rank that read a message in its sender's buffer. Relaxed: it is a
// number by itself; a thread that has taken a place gives it back, and orders nothing by it.
std::atomic<std::uint32_t> readers_in_place = 0;

// A place among the readers, for a message that has a buffer; one in a cell needs none.
class reader_place {
 public:
  explicit reader_place(std::size_t bytes) noexcept : counts_(bytes > cell_bytes) {
    if (!counts_) return;
    const std::uint32_t readers = readers_in_place.fetch_add(1, std::memory_order_relaxed) + 1;
    taken_ = readers * the_process->peers_on_host <= most_readers_in_place;
    if (!taken_) give_back();
  }
  reader_place(const reader_place&) = delete;
  reader_place& operator=(const reader_place&) = delete;
  ~reader_place() {
    if (taken_) give_back();
  }
  bool may_read() const noexcept { return taken_ || !counts_; }

 private:
  void give_back() noexcept { readers_in_place.fetch_sub(1, std::memory_order_relaxed); }

  bool counts_;
  bool taken_ = false;
};

// For a message that runs where it came, in the middle of its thread's user-level progress. Makes
// the persona that it is for the current one.
class run_in_place {
 public:
  run_in_place(thread_personas& thread, upcxx::persona& receiver) noexcept : thread_(thread) {
    thread_.takes_calls = false;
    thread_.restricted = true;
    if (&thread_personas::persona_of(*thread_.top) != &receiver) as_current_.emplace(receiver);
  }
  run_in_place(const run_in_place&) = delete;
  run_in_place& operator=(const run_in_place&) = delete;
  ~run_in_place() {
    thread_.takes_calls = true;
    thread_.restricted = false;
  }

 private:
  thread_personas& thread_;
  outside_handler outside_;
  std::optional<upcxx::persona_scope> as_current_;
};

template <message_use Use>
void on_command(void*, am_token& token, const std::uint32_t* args, unsigned nargs, void* payload,
                std::size_t bytes) {
  const std::uint64_t to = join_halves(args);
  thread_personas& thread = this_thread();
  if (thread.takes_calls && token.may_leave() && is_for(thread, Use, to)) {
    const reader_place place(bytes);
    if (place.may_read()) {
      arrived_message borrowed;
      borrowed.source = token.source();
      borrowed.answer_to = to;
      borrowed.payload = {static_cast<const std::byte*>(payload), bytes};
      borrowed.use = Use;
      if (nargs > 2) borrowed.alignment_log2 = static_cast<std::uint8_t>(args[2]);
      const run_in_place scope(thread, receiver_of(borrowed));
      return Use == message_use::call ? run_call(borrowed) : run_result(borrowed);
    }
  }
  const std::size_t alignment = nargs > 2 ? std::size_t{1} << args[2] : usual_alignment;
  arrived_message& message = new_message(token.source(), to, Use, bytes, alignment);
  std::memcpy(room_in(message), payload, bytes);
  send_work(receiver_of(message), message);
}

/// A command in the memory of a rank that is not mapped here: got at the receiver's progress, since
/// a handler may not.
struct far_message final : in_flight {
  event done;
  arrived_message* message = nullptr;
};

std::align_val_t alignment_of(const arrived_message& message) noexcept {
  return std::align_val_t{std::size_t{1} << message.alignment_log2};
}

void fetch(work& self) noexcept {
  auto& message = static_cast<arrived_message&>(self);
  auto* const flight = make_in_block<far_message>();
  auto* const into =
      static_cast<std::byte*>(::operator new(message.payload.size(), alignment_of(message)));
  const void* const remote = job.endpoint->bound().part(message.source).base + message.lent;
  flight->message = &message;
  flight->run = [](work& operation) noexcept {
    auto& fetched = static_cast<far_message&>(operation);
    arrived_message& arrived = *fetched.message;
    unregister_flight(fetched);
    end_in_block(&fetched);
    arrived.run(arrived);
  };
  get_nb(*job.endpoint, into, message.source, remote, message.payload.size(), flight->done);
  message.payload = {into, message.payload.size()};
  set_run(message);
  register_flight(*flight, flight->done);
}

template <message_use Use>
void on_large(void*, am_token& token, const std::uint32_t* args, unsigned, void*, std::size_t) {
  arrived_message& message =
      new_message(token.source(), join_halves(args), Use, 0, usual_alignment);
  message.lent = join_halves(args + 2);
  message.alignment_log2 = static_cast<std::uint8_t>(args[6]);
  const std::size_t bytes = join_halves(args + 4);
  if (job.is_direct(token.source())) {
    message.payload = {job.address(token.source(), message.lent), bytes};
  } else {
    message.payload = {static_cast<const std::byte*>(nullptr), bytes};
    message.run = &fetch;
  }
  send_work(receiver_of(message), message);
}

// This message may come after finalize(), when the runtime goes on for another front.
void on_was_read(void*, am_token& token, const std::uint32_t* args, unsigned, void*, std::size_t) {
  lent_out.fetch_sub(1, std::memory_order_relaxed);
  runtime& owner = token.receiver().owner();
  owner.heap().free(layer_access::host_memory(owner).shared(owner.rank()) + join_halves(args));
}

void check_target(std::uint32_t target) noexcept {
  if (target < job.size) [[likely]]
    return;
  need_job("upcxx::rpc");
  refuse("upcxx::rpc", "there is no such rank", "ranks are 0 to rank_n() - 1");
}

// Memory for a command that is read where it lies. Memory that has been read is taken back first,
// so that a stream of commands reuses memory that is in the cache. When there is no room, the
// sender waits for some to be given back, but only for a limited time, since the readers may be
// waiting for room themselves. Null when there is none.
std::byte* find_room_in_heap(std::size_t bytes, std::size_t alignment) noexcept {
  memory::heap& heap = job.runtime->heap();
  const std::size_t wanted = std::max(alignment, usual_alignment);
  const bool may_poll = current_handler == handler_context::outside;
  if (may_poll) job.runtime->progress();
  void* room = heap.allocate(bytes, wanted);
  const bool may_come =
      lent_out.load(std::memory_order_relaxed) != 0 && bytes < heap.usage().limit_bytes;
  if (room == nullptr && may_poll && may_come) {
    const std::int64_t last_ns = now_ns() + patience_ns;
    const auto found = [&] {
      room = heap.allocate(bytes, wanted);
      return room != nullptr || now_ns() > last_ns;
    };
    job.runtime->wait_until(found, runtime::silent_sleep_ns);
  }
  return static_cast<std::byte*>(room);
}

handler_id handler_of(message_use use) noexcept {
  return use == message_use::call ? small_call : small_result;
}

}  // namespace

arrived_message& keep_message(arrived_message& message) noexcept {
  if (message.bytes_held != 0) return message;
  arrived_message& copy =
      new_message(message.source, message.answer_to, message.use, message.payload.size(),
                  std::size_t{1} << message.alignment_log2);
  std::memcpy(room_in(copy), message.payload.data(), message.payload.size());
  return copy;
}

void end_kept_message(arrived_message& gone) noexcept {
  if (gone.lent != 0) {
    const std::array<std::uint32_t, 2> args{low_half(gone.lent), high_half(gone.lent)};
    if (!job.is_direct(gone.source)) ::operator delete(room_in(gone), alignment_of(gone));
    mail_endpoint().request(
        {.target = gone.source, .handler = was_read, .nargs = args.size(), .args = args.data()});
  }
  give_block(&gone, gone.bytes_held);
}

// --- sending -----------------------------------------------------------------------------------

namespace {

// A command that is sent when an operation is complete has no caller that could catch an exception.
void send_copy(std::uint32_t target, message_use use, std::uint64_t token,
               const writer& command) noexcept {
  try {
    outgoing copy(target, use, token, command.size() + command.alignment());
    copy.to.write_bytes(command.data(), command.size(), command.alignment());
    copy.place();
    copy.send();
  } catch (const upcxx::bad_shared_alloc&) {
    refuse("as_rpc", "no shared memory is left for its arguments, too large for one message",
           "raise ATOLL_SEGMENT_LIMIT, or send less at a time");
  }
}

}  // namespace

void send_command(std::uint32_t target, message_use use, std::uint64_t token,
                  const writer& command) noexcept {
  check_target(target);
  const bool fits = command.size() <= cell_bytes && command.alignment() <= buffer_alignment;
  if (!fits || target == job.rank) [[unlikely]]
    return send_copy(target, use, token, command);
  const std::array<std::uint32_t, 2> args{low_half(token), high_half(token)};
  mail_endpoint().request({.target = target,
                           .kind = am_category::medium,
                           .handler = handler_of(use),
                           .nargs = args.size(),
                           .args = args.data(),
                           .payload = command.data(),
                           .bytes = command.size()});
}

std::byte* outgoing::room_in_heap(std::size_t bytes, std::size_t alignment) const {
  std::byte* const room = find_room_in_heap(bytes, alignment);
  if (room != nullptr) return room;
  if (use_ == message_use::call) throw upcxx::bad_shared_alloc(bytes);
  refuse("the result of an rpc",
         "no shared memory is left for it, and it is too large for one message",
         "raise ATOLL_SEGMENT_LIMIT, or return less at a time");
}

slice<std::byte> outgoing::choose(std::size_t bound) {
  check_target(target_);
  if (target_ == job.rank) {
    const std::size_t room = bound == unbounded ? own_guess_bytes : bound;
    own_ = &new_message(target_, token_, use_, room, usual_alignment);
    return {room_in(*own_), room};
  }
  endpoint& sender = mail_endpoint();
  const std::size_t room = bound == unbounded ? guess_bytes : bound;
  if (room <= sender.medium_max(target_)) {
    buffer_ = sender.prepare({.target = target_, .bytes = room}, false);
    return {static_cast<std::byte*>(buffer_.data), buffer_.bytes};
  }
  lent_ = room_in_heap(room, usual_alignment);
  return {lent_, room};
}

void outgoing::give_back() noexcept {
  if (own_ != nullptr) end_message(*std::exchange(own_, nullptr));
  if (lent_ != nullptr) job.runtime->heap().free(std::exchange(lent_, nullptr));
  if (buffer_.data != nullptr) mail_endpoint().cancel(target_, std::exchange(buffer_, {}));
}

bool outgoing::fits_where_it_is() const noexcept {
  const std::size_t alignment = buffer_.data != nullptr ? buffers_alignment : usual_alignment;
  return !to.spilled() && to.alignment() <= alignment;
}

void outgoing::place() {
  if (target_ == job.rank || fits_where_it_is()) return;
  endpoint& sender = mail_endpoint();
  if (to.size() <= sender.medium_max(target_) && to.alignment() <= buffers_alignment) {
    // The arguments may lie in the lent memory, so that is given back only once they are copied.
    std::byte* const was_lent = std::exchange(lent_, nullptr);
    give_back();  // a buffer that was too small: the arguments are in memory of their own
    buffer_ = sender.prepare({.target = target_, .bytes = to.size()}, false);
    std::memcpy(buffer_.data, to.data(), to.size());
    if (was_lent != nullptr) job.runtime->heap().free(was_lent);
  } else {
    std::byte* const room = room_in_heap(to.size(), to.alignment());
    std::memcpy(room, to.data(), to.size());
    give_back();
    lent_ = room;
  }
}

void outgoing::send() noexcept {
  if (target_ == job.rank) return send_to_self();
  return buffer_.data != nullptr ? send_buffer() : send_from_heap();
}

void outgoing::send_to_self() noexcept {
  if (!fits_where_it_is()) {
    arrived_message& larger = new_message(target_, token_, use_, to.size(), to.alignment());
    std::memcpy(room_in(larger), to.data(), to.size());
    end_message(*std::exchange(own_, &larger));
  }
  arrived_message& message = *std::exchange(own_, nullptr);
  message.payload = {message.payload.data(), to.size()};
  if (is_for(this_thread(), use_, token_)) {
    state_of(receiver_of(message)).todo.push(message);
  } else {
    send_work(receiver_of(message), message);
  }
}

void outgoing::send_buffer() noexcept {
  const std::array<std::uint32_t, 3> args{low_half(token_), high_half(token_),
                                          log2_of(to.alignment())};
  const bool usual = to.alignment() <= usual_alignment;
  mail_endpoint().commit(std::exchange(buffer_, {}),
                         {.target = target_,
                          .kind = am_category::medium,
                          .handler = handler_of(use_),
                          .nargs = static_cast<std::uint8_t>(usual ? 2 : 3),
                          .args = args.data(),
                          .bytes = to.size()},
                         false);
}

void outgoing::send_from_heap() noexcept {
  lent_out.fetch_add(1, std::memory_order_relaxed);
  const auto offset =
      static_cast<std::uint64_t>(std::exchange(lent_, nullptr) - job.address(job.rank, 0));
  const std::array<std::uint32_t, 7> args{
      low_half(token_),    high_half(token_),    low_half(offset),       high_half(offset),
      low_half(to.size()), high_half(to.size()), log2_of(to.alignment())};
  mail_endpoint().request({.target = target_,
                           .handler = use_ == message_use::call ? large_call : large_result,
                           .nargs = args.size(),
                           .args = args.data()});
}

void run_copied_call(std::uint32_t source, slice<const std::byte> command) noexcept {
  arrived_message& message =
      new_message(source, 0, message_use::call, command.size(), usual_alignment);
  std::memcpy(room_in(message), command.data(), command.size());
  message.run(message);
}

void end_waiting_call::operator()(waiting_call* gone) const noexcept { delete gone; }

void send_waiting_call(std::uint32_t target, waiting_call_ptr call) noexcept {
  send_command(target, message_use::call, 0, call->command);
}

void add_mail_handlers(endpoint& receiver) noexcept {
  handler_table& table = receiver.handlers();
  table.set(small_call, {.run = &on_command<message_use::call>, .name = "upcxx call"});
  table.set(small_result, {.run = &on_command<message_use::result>, .name = "upcxx result"});
  table.set(large_call, {.run = &on_large<message_use::call>, .name = "upcxx large call"});
  table.set(large_result, {.run = &on_large<message_use::result>, .name = "upcxx large result"});
  table.set(was_read, {.run = &on_was_read, .name = "upcxx arguments read"});
  table.set(has_no_such_code, {.run = &on_no_such_code, .name = "upcxx function not there"});
}

void refuse_arguments(const char* reason) noexcept {
  ATOLL_ASSERT(false, "the arguments of an rpc cannot be deserialized", reason);
  std::abort();
}

}  // namespace atl::upcxx_front
