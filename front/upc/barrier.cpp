// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers and fences (UPC language specification 1.3, 6.6.1). The core's named barrier combines
// the values that threads bring: a barrier without a value matches any, two different values are a
// mismatch that every thread learns. Each thread also leaves its value, and the place in the source
// if it is known, where others can read it, so that the message of a mismatch names them.
//
// A thread that ends brings a value that no program can bring. So the end of a thread does not
// match a barrier of the program, and a job in which some threads have ended while others wait does
// not hang. A thread that ends with an error also ends threads that wait for it in a loop of their
// own.
#include <front/upc/barrier.hpp>

#include <atoll_upc/control.h>
#include <atoll/base/clock.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <front/upc/process_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace atl::upc {
namespace {

// The time that a thread which has ended with an error gives the others, which may wait for it.
constexpr std::int64_t patience_ns = 5'000'000'000;

constexpr barrier_tag ending = barrier_tag::of_bits(std::uint64_t{3} << 32);

barrier_tag tag_of(int has_value, int value) noexcept {
  return has_value != 0 ? barrier_tag::named(static_cast<std::uint32_t>(value))
                        : barrier_tag::anonymous();
}

std::string text_of(const barrier_tag& tag) {
  if (tag == ending) return "the end of the program";
  if (tag.is_anonymous()) return "a barrier without a value";
  return text("a barrier with value ", static_cast<int>(tag.id()));
}

thread_words words_of(const process_state& us, rank_id thread) noexcept {
  return get_value(
      us.heaps, thread,
      reinterpret_cast<const thread_words*>(us.remote_address(thread, us.words_offset)));
}

std::string describe(const thread_words& words) {
  std::string described = text_of(barrier_tag::of_bits(words.barrier_tag));
  if (words.line != 0) described += text(" at ", words.file, ":", words.line);
  return described;
}

// The exit code of the first thread that has ended with an error code, else 0.
int code_of_ended(const process_state& us) noexcept {
  for (rank_id thread = 0; thread < us.size(); ++thread) {
    const thread_words words = words_of(us, thread);
    if (words.barrier_tag == ending.bits() && words.exit_code != 0)
      return static_cast<int>(words.exit_code);
  }
  return 0;
}

// A thread that differs from this one, if there is one; else one whose value is another.
std::string find_difference(const process_state& us) {
  const std::uint64_t own = us.words->barrier_tag;
  for (rank_id thread = 0; thread < us.size(); ++thread) {
    const thread_words words = words_of(us, thread);
    const bool matches = words.barrier_tag == own || (words.barrier_tag == 0 && own >> 32 != 3);
    if (!matches) return text("; thread ", thread, " is at ", describe(words));
  }
  return {};
}

[[noreturn]] void refuse_mismatch(const process_state& us) noexcept {
  const std::string cause = text("this thread is at ", describe(*us.words), find_difference(us));
  if (const int code = code_of_ended(us); code != 0) {
    log_error(text("thread ", us.rank(), ": barrier: ", cause));
    us.runtime.exit(code);
  }
  refuse("barrier", cause, "have all threads come to the same barriers, with the same values");
}

// Ends the job: all threads notified the same value, and this thread's wait has another one.
[[noreturn]] void refuse_wait(barrier_tag tag, barrier_tag agreed) noexcept {
  refuse("upc_wait",
         text("it has value ", static_cast<int>(tag.id()), ", and upc_notify had value ",
              static_cast<int>(agreed.id()), source_place()),
         "give both the same value");
}

void note(process_state& us, barrier_tag tag) noexcept {
  thread_words& words = *us.words;
  words.barrier_tag = tag.bits();
  words.line = atoll_upc_file != nullptr ? static_cast<std::uint32_t>(atoll_upc_line) : 0;
  if (words.line == 0) return;
  // The last part of a long name says more than the first.
  const std::size_t length = std::strlen(atoll_upc_file);
  const std::size_t skipped = length - std::min(length, sizeof words.file - 1);
  std::memcpy(words.file, atoll_upc_file + skipped, length - skipped + 1);
}

void complete_all() noexcept {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void notify(process_state& us, barrier_tag tag) noexcept {
  if (us.barrier_is_open) {
    refuse("upc_notify", text("the upc_notify before it has no upc_wait yet", source_place()),
           "let each upc_notify be followed by its upc_wait");
  }
  complete_all();
  note(us, tag);
  us.barrier_is_open = true;
  us.world->arrive_named(tag);
}

// All threads that learn of a mismatch report it, but one message is shown, since it ends the job.
// The tags of others stay readable, because no thread goes on.
void wait(process_state& us, barrier_tag tag) noexcept {
  us.runtime.wait_until([&] { return us.world->test_named(); });
  us.barrier_is_open = false;
  const barrier_tag agreed = us.world->named_result();
  const bool matches =
      agreed.is_anonymous() || tag == agreed || (tag.is_anonymous() && agreed.is_named());
  if (!matches) [[unlikely]] {
    if (agreed.is_named()) refuse_wait(tag, agreed);
    refuse_mismatch(us);
  }
  complete_all();
}

// Needed because a thread that spins until this one writes something never comes to a barrier.
void end_unless_all_come(process_state& us, int code) noexcept {
  const std::int64_t last = now_ns() + patience_ns;
  bool have_come = false;
  us.runtime.wait_until(
      [&] {
        have_come = us.world->test_named();
        return have_come || now_ns() > last;
      },
      runtime::silent_sleep_ns);
  if (have_come) return;
  log_error(text("thread ", us.rank(), ": it has ended with code ", code, ", and after ",
                 patience_ns / 1'000'000'000, " s others still run; this ends the job"));
  us.runtime.exit(code);
}

}  // namespace

void barrier_at_end(int exit_code) noexcept {
  process_state& us = *the_process;
  if (us.barrier_is_open) {
    refuse("the end of the program", "the last upc_notify has no upc_wait",
           "let each upc_notify be followed by its upc_wait");
  }
  us.words->exit_code = exit_code;
  notify(us, ending);
  if (exit_code != 0) end_unless_all_come(us, exit_code);
  wait(us, ending);
}

}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

void atoll_upc_notify(int has_value, int value) {
  notify(running("upc_notify"), tag_of(has_value, value));
}

void atoll_upc_wait(int has_value, int value) {
  process_state& us = running("upc_wait");
  const timed_event waited(us.counted.get(), statistic::barriers, statistic::barrier_ns);
  if (!us.barrier_is_open) {
    refuse("upc_wait", text("there was no upc_notify", source_place()),
           "let each upc_wait follow its upc_notify");
  }
  wait(us, tag_of(has_value, value));
}

void atoll_upc_barrier(int has_value, int value) {
  process_state& us = running("upc_barrier");
  const timed_event waited(us.counted.get(), statistic::barriers, statistic::barrier_ns);
  notify(us, tag_of(has_value, value));
  wait(us, tag_of(has_value, value));
}

void atoll_upc_fence() { complete_all(); }
