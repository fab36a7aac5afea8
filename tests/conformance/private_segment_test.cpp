// SPDX-License-Identifier: BSD-3-Clause
//
// Tests segments over memory of the program that no other rank maps: every form of put and get,
// non-contiguous ones and long messages, copied by the kernel, over messages, and where the kernel
// refuses. Ranks are threads of this process, whose memory the kernel copies as between processes.
#include <atoll/base/text.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/strided/strided.hpp>
#include <tests/support/refuse_call.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t index_of_endpoint = 5;
constexpr std::size_t segment_bytes = 400'000;
constexpr std::size_t sizes[] = {0, 1, 8, 511, 512, 4096, 65'536, 65'537, 300'007};

std::uint64_t copies_so_far() {
  return trace::read()[static_cast<std::size_t>(trace::counter::kernel_copies)];
}

bool kernel_allows_it() {
  char local = 0, remote = 0;
  const iovec to{&local, 1}, from{&remote, 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

/// A rank's own memory, bound to an endpoint beside the primordial one and known to all.
struct private_segment {
  explicit private_segment(runtime& job)
      : memory(segment_bytes), own(job), own_endpoint(job.endpoint_at(index_of_endpoint)) {
    own.share({memory.data(), memory.size()});
    own_endpoint.bind(own);
    job.world().barrier();
  }

  std::byte* base_of(rank_id rank) const { return own.part(rank).base; }

  std::vector<std::byte> memory;
  segment own;
  endpoint& own_endpoint;
};

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>(i * 31 + seed * 7 + i / 251);
  return made;
}

bool begins_with(const std::byte* data, const std::vector<std::byte>& wanted) {
  return wanted.empty() || std::memcmp(data, wanted.data(), wanted.size()) == 0;
}

void transfer(runtime& job) {
  private_segment local(job);
  const rank_id right = (job.rank() + 1) % job.size();
  const rank_id left = (job.rank() + job.size() - 1) % job.size();
  unsigned round = 0;
  for (const std::size_t bytes : sizes) {
    for (int form = 0; form < 3; ++form, ++round) {
      const auto sent = pattern(bytes, job.rank() + 100 * round);
      event done;
      if (form == 0) put(local.own_endpoint, right, local.base_of(right), sent.data(), bytes);
      if (form == 1)
        put_nb(local.own_endpoint, right, local.base_of(right), sent.data(), bytes, done);
      if (form == 2) put_nbi(local.own_endpoint, right, local.base_of(right), sent.data(), bytes);
      job.wait(done);
      job.wait_implicit(true, false);
      job.world().barrier();
      EXPECT_TRUE(begins_with(local.memory.data(), pattern(bytes, left + 100 * round))) << bytes;
      std::vector<std::byte> got(bytes + 1, std::byte{0x5a});
      if (form == 0) get(local.own_endpoint, got.data(), right, local.base_of(right), bytes);
      if (form == 1)
        get_nb(local.own_endpoint, got.data(), right, local.base_of(right), bytes, done);
      if (form == 2) get_nbi(local.own_endpoint, got.data(), right, local.base_of(right), bytes);
      job.wait(done);
      job.wait_implicit(false, true);
      EXPECT_TRUE(begins_with(got.data(), sent)) << bytes;
      EXPECT_EQ(got[bytes], std::byte{0x5a});
      job.world().barrier();
    }
  }
}

/// Puts blocks of `rows` rows to the right, into a target with gaps, and gets them back.
void transfer_blocks(runtime& job, std::size_t row_bytes, std::size_t rows) {
  private_segment local(job);
  const rank_id right = (job.rank() + 1) % job.size();
  const rank_id left = (job.rank() + job.size() - 1) % job.size();
  const auto gap = static_cast<std::ptrdiff_t>(row_bytes + 8);
  const auto dense = static_cast<std::ptrdiff_t>(row_bytes);
  const auto sent = pattern(row_bytes * rows, job.rank());
  std::fill(local.memory.begin(), local.memory.end(), std::byte{1});
  job.world().barrier();
  const std::size_t counts[] = {rows};
  put(local.own_endpoint, right,
      strided_transfer{.to = local.base_of(right),
                       .to_strides = std::span(&gap, 1),
                       .from = sent.data(),
                       .from_strides = std::span(&dense, 1),
                       .element_bytes = row_bytes,
                       .counts = counts});
  job.world().barrier();
  const auto wanted = pattern(row_bytes * rows, left);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* const row_begin = local.memory.data() + row * (row_bytes + 8);
    ASSERT_EQ(std::memcmp(row_begin, wanted.data() + row * row_bytes, row_bytes), 0) << row;
    ASSERT_EQ(row_begin[row_bytes], std::byte{1});
  }
  std::vector<std::byte> got(row_bytes * rows);
  get(local.own_endpoint, right,
      strided_transfer{.to = got.data(),
                       .to_strides = std::span(&dense, 1),
                       .from = local.base_of(right),
                       .from_strides = std::span(&gap, 1),
                       .element_bytes = row_bytes,
                       .counts = counts});
  EXPECT_EQ(got, sent);
  job.world().barrier();
}

struct long_arrival {
  std::size_t bytes = 0;
  bool right = false;
  unsigned wanted_seed = 0;
};

void on_long(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
             std::size_t bytes) {
  long_arrival& seen = *static_cast<long_arrival*>(context);
  seen.right = begins_with(static_cast<std::byte*>(payload), pattern(bytes, seen.wanted_seed));
  seen.bytes = bytes;
}

void send_longs(runtime& job) {
  constexpr handler_id handler = 200;
  private_segment local(job);
  const rank_id right = (job.rank() + 1) % job.size();
  long_arrival seen{.wanted_seed = (job.rank() + job.size() - 1) % job.size()};
  local.own_endpoint.handlers().set(handler, {.run = on_long, .context = &seen});
  job.world().barrier();
  for (const std::size_t bytes : sizes) {
    if (bytes == 0) continue;
    const auto sent = pattern(bytes, job.rank());
    local.own_endpoint.request({.target = right,
                                .kind = am_category::long_,
                                .handler = handler,
                                .payload = sent.data(),
                                .bytes = bytes,
                                .address = reinterpret_cast<std::uintptr_t>(local.base_of(right))});
    job.wait_until([&] { return seen.bytes == bytes; });
    EXPECT_TRUE(seen.right) << bytes;
    job.world().barrier();
  }
}

void do_all(runtime& job) {
  transfer(job);
  transfer_blocks(job, 2048, 130);
  transfer_blocks(job, 24, 3000);
  transfer_blocks(job, 100'000, 3);
  send_longs(job);
}

struct shape {
  rank_id ranks;
  const char* mode;
  thread_mode threads;
};

std::string name_of(const testing::TestParamInfo<shape>& info) {
  return text("n", info.param.ranks, "_", info.param.mode,
              info.param.threads == thread_mode::any ? "_any" : "_single");
}

class private_segments : public testing::TestWithParam<shape> {};

TEST_P(private_segments, are_reached_in_every_form) {
  const shape& variant = GetParam();
  const bool never = std::string(variant.mode) == "never";
  if (std::string(variant.mode) == "always" && !kernel_allows_it())
    GTEST_SKIP() << "this kernel refuses process_vm_readv";
  const std::uint64_t start_count = copies_so_far();
  support::run_job(variant.ranks, do_all, {text("ATOLL_KERNEL_COPY=", variant.mode)},
                   variant.threads);
  const bool copied = copies_so_far() != start_count;
  EXPECT_EQ(copied, !never && variant.ranks > 1 && kernel_allows_it());
}

INSTANTIATE_TEST_SUITE_P(
    every, private_segments,
    testing::Values(shape{1, "auto", thread_mode::any}, shape{2, "auto", thread_mode::any},
                    shape{2, "auto", thread_mode::single}, shape{2, "always", thread_mode::any},
                    shape{3, "always", thread_mode::single}, shape{3, "never", thread_mode::any},
                    shape{2, "never", thread_mode::single}),
    name_of);

// Ranks are threads, so each has the same addresses, and its own half of them.
TEST(private_segment, of_the_same_addresses_on_all_ranks_needs_no_row_before_it_is_used) {
  for (const char* const mode : {"ATOLL_KERNEL_COPY=auto", "ATOLL_KERNEL_COPY=never"}) {
    std::vector<std::byte> all(2 * segment_bytes);
    const auto body = [&](runtime& job) {
      const rank_id peer = 1 - job.rank();
      segment alike(job);
      segment_access::share_alike(alike, {all.data(), all.size()});
      EXPECT_EQ(alike.part(peer).bytes, 0u);
      EXPECT_EQ(alike.part(job.rank()).bytes, all.size());
      segment_access::open_alike(alike, peer);
      EXPECT_EQ(alike.part(peer).base, all.data());
      EXPECT_EQ(alike.part(peer).bytes, all.size());
      for (const std::size_t bytes : {std::size_t{8}, segment_bytes}) {
        const std::vector<std::byte> sent = pattern(bytes, job.rank());
        std::vector<std::byte> got(bytes);
        std::byte* const half = all.data() + job.rank() * segment_bytes;
        put(alike, peer, half, sent.data(), bytes);
        EXPECT_TRUE(begins_with(half, sent)) << bytes;
        get(alike, got.data(), peer, half, bytes);
        EXPECT_TRUE(begins_with(got.data(), sent)) << bytes;
      }
      job.world().barrier();
    };
    support::run_job(2, body, {mode});
  }
}

TEST(private_segment, is_not_reached_by_the_kernel_where_messages_are_forced) {
  const std::uint64_t start_count = copies_so_far();
  support::run_job(2, do_all, {"ATOLL_RMA_PATH=am"});
  EXPECT_EQ(copies_so_far(), start_count);
}

// In a separate process, since a filter of system calls cannot be removed.
TEST(private_segment, is_reached_over_messages_where_the_kernel_refuses) {
  EXPECT_EXIT(
      {
        support::refuse_call(SYS_process_vm_readv, EPERM);
        support::refuse_call(SYS_process_vm_writev, EPERM);
        const std::uint64_t start_count = copies_so_far();
        support::run_job(2, do_all);
        std::_Exit(testing::Test::HasFailure() || copies_so_far() != start_count ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// A container may allow a process to read another one's memory but not to write it.
TEST(private_segment, is_written_over_messages_where_the_kernel_only_reads) {
  EXPECT_EXIT(
      {
        support::refuse_call(SYS_process_vm_writev, ENOSYS);
        support::run_job(2, do_all);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(private_segment, ends_the_job_with_a_remedy_where_the_kernel_refuses_what_is_asked_for) {
  EXPECT_EXIT(
      {
        support::refuse_call(SYS_process_vm_readv, EPERM);
        support::run_job(2, do_all, {"ATOLL_KERNEL_COPY=always"});
      },
      testing::ExitedWithCode(1), "copy by the kernel .* refuses it.*unset ATOLL_KERNEL_COPY");
}

// The access is one-sided: the target computes and never polls.
TEST(private_segment, is_put_to_and_got_from_without_the_target) {
  if (!kernel_allows_it()) GTEST_SKIP() << "this kernel refuses process_vm_readv";
  std::atomic<bool> done = false;
  support::run_job(2, [&](runtime& job) {
    private_segment local(job);
    if (job.rank() == 0) {
      const auto sent = pattern(70'000, 3);
      put(local.own_endpoint, 1, local.base_of(1) + 10, sent.data(), sent.size());
      std::vector<std::byte> got(sent.size());
      get(local.own_endpoint, got.data(), 1, local.base_of(1) + 10, got.size());
      EXPECT_EQ(got, sent);
      done.store(true, std::memory_order_release);
    } else {
      while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
      EXPECT_TRUE(begins_with(local.memory.data() + 10, pattern(70'000, 3)));
    }
    job.world().barrier();
  });
}

// Between hosts the program's memory is registered with the network, so transfers need no messages.
TEST(private_segment_on_hosts, goes_by_the_network) {
  std::atomic<bool> quiet = false, done = false;  // rank 1 sends no more; rank 0 has finished
  support::run_job(2, [&](runtime& job) {
    if (core_access::networks(job).empty()) GTEST_SKIP() << "no network joins these ranks";
    private_segment local(job);
    const auto requests = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
    };
    if (job.rank() == 0) {
      while (!quiet.load(std::memory_order_acquire)) job.progress();
      const std::uint64_t start_count = requests();
      const auto sent = pattern(70'000, 3);
      put(local.own_endpoint, 1, local.base_of(1) + 10, sent.data(), sent.size());
      std::vector<std::byte> got(sent.size());
      get(local.own_endpoint, got.data(), 1, local.base_of(1) + 10, got.size());
      EXPECT_EQ(got, sent);
      EXPECT_EQ(requests(), start_count);
      done.store(true, std::memory_order_release);
    } else {
      quiet.store(true, std::memory_order_release);
      while (!done.load(std::memory_order_acquire)) job.progress();
      EXPECT_TRUE(begins_with(local.memory.data() + 10, pattern(70'000, 3)));
    }
    job.world().barrier();
  });
  support::run_job(3, do_all);
}

// The network writes the payload to its place by one put; as messages it would take six pieces.
TEST(private_segment_on_hosts, takes_the_payload_of_a_long_request_by_a_put) {
  constexpr std::size_t bytes = 300'000;
  constexpr handler_id handler = 201;
  std::atomic<bool> quiet = false, done = false;  // as above
  support::run_job(2, [&](runtime& job) {
    if (core_access::networks(job).empty()) GTEST_SKIP() << "no network joins these ranks";
    private_segment local(job);
    long_arrival seen{.wanted_seed = 7};
    local.own_endpoint.handlers().set(handler, {.run = on_long, .context = &seen});
    job.world().barrier();
    const auto requests = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
    };
    if (job.rank() == 0) {
      while (!quiet.load(std::memory_order_acquire)) job.progress();
      const std::uint64_t start_count = requests();
      const auto sent = pattern(bytes, 7);
      const auto address = reinterpret_cast<std::uintptr_t>(local.base_of(1));
      local.own_endpoint.request({.target = 1,
                                  .kind = am_category::long_,
                                  .handler = handler,
                                  .payload = sent.data(),
                                  .bytes = bytes,
                                  .address = address});
      EXPECT_EQ(requests(), start_count + 1);
      done.store(true, std::memory_order_release);
    } else {
      quiet.store(true, std::memory_order_release);
      while (!done.load(std::memory_order_acquire)) job.progress();
      job.wait_until([&] { return seen.bytes == bytes; });
      EXPECT_TRUE(seen.right);
    }
    job.world().barrier();
  });
}

/// Two ranks: the second sends requests, and the first one's handler answers by a long message.
struct long_answers {
  static constexpr std::size_t bytes = 300'000;
  static constexpr handler_id ask = 201, answer = 202;

  explicit long_answers(runtime& job)
      : local(job), home(reinterpret_cast<std::uintptr_t>(local.base_of(1 - job.rank()))) {
    handler_table& table = local.own_endpoint.handlers();
    table.set(ask, {.run = on_ask, .context = this});
    table.set(answer, {.run = on_answer, .context = this});
    job.world().barrier();
  }

  static void on_ask(void* context, am_token& token, const std::uint32_t*, unsigned, void*,
                     std::size_t) {
    auto& own_answers = *static_cast<long_answers*>(context);
    ++own_answers.asked;
    token.reply({.kind = am_category::long_,
                 .handler = answer,
                 .payload = own_answers.content.data(),
                 .bytes = bytes,
                 .address = own_answers.home});
  }
  static void on_answer(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                        std::size_t size) {
    auto& own_answers = *static_cast<long_answers*>(context);
    const auto* const from = static_cast<std::byte*>(payload);
    own_answers.right += size == bytes && begins_with(from, own_answers.content) ? 1 : 0;
    ++own_answers.answers;
  }

  private_segment local;
  std::uintptr_t home;  // of the other rank's memory
  std::vector<std::byte> content = pattern(bytes, 7);
  int asked = 0, answers = 0, right = 0;
};

// Rank 0 has as many puts under way as the network accepts, so a put by its handler would wait for
// room; in that wait only replies may be handled.
TEST(private_segment_on_hosts, answers_by_a_long_reply_when_the_network_has_no_room) {
  constexpr int puts = 3000, questions = 5;
  constexpr std::size_t piece = 32'768;
  support::run_job(2, [&](runtime& job) {
    if (core_access::networks(job).empty()) GTEST_SKIP() << "no network joins these ranks";
    long_answers own_answers(job);
    auto* const target = static_cast<std::byte*>(job.heap().allocate(piece));
    if (job.rank() == 0) {
      const auto source = pattern(piece, 3);
      std::vector<event> under_way(puts);
      std::byte* const there =
          job.heaps().routes()[1].base() + (target - job.heaps().routes()[0].base());
      for (event& each : under_way)
        put_nb(job.primordial(), 1, there, source.data(), piece, each, {.keeps_source = true});
      for (event& each : under_way) job.wait(each);
      job.wait_until([&] { return own_answers.asked == questions; });
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      for (int i = 1; i <= questions; ++i) {
        own_answers.local.own_endpoint.request({.target = 0, .handler = long_answers::ask});
        job.wait_until([&] { return own_answers.answers == i; });
      }
      EXPECT_EQ(own_answers.right, questions);
    }
    job.world().barrier();
  });
}

}  // namespace
}  // namespace atl
