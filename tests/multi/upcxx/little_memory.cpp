// SPDX-License-Identifier: BSD-3-Clause
//
// Tests calls when the shared memory is too small for the data that they send. It is a separate
// program, because it needs small segments. A call of a rank to itself takes no such memory.
#include <tests/multi/upcxx/job_main.hpp>

#include <upcxx/upcxx.hpp>

#include <vector>

namespace {

using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::rpc;

int next_rank() { return (rank_me() + 1) % rank_n(); }

TEST(rpc, throws_where_no_shared_memory_is_left_and_tells_nothing) {
  const std::size_t segment_bytes = upcxx::shared_segment_size();
  ASSERT_LE(segment_bytes, std::size_t{64} << 20) << "run it with ATOLL_SEGMENT_LIMIT=8M";
  const std::vector<char> large(2 * segment_bytes);
  const auto never = [](upcxx::view<char>) { ADD_FAILURE() << "a call that was not sent"; };
  const auto sent = upcxx::make_view(large);
  const upcxx::promise<> done;
  const auto notified = upcxx::operation_cx::as_promise(done) | upcxx::operation_cx::as_future();
  EXPECT_THROW(upcxx::rpc_ff(next_rank(), never, sent), upcxx::bad_shared_alloc);
  EXPECT_THROW(static_cast<void>(rpc(next_rank(), never, sent)), upcxx::bad_shared_alloc);
  EXPECT_THROW(static_cast<void>(rpc(next_rank(), notified, never, sent)), upcxx::bad_shared_alloc);
  EXPECT_TRUE(done.finalize().is_ready());
  EXPECT_EQ(rpc(
                next_rank(), [](upcxx::view<char> v) { return v.size(); },
                upcxx::make_view(large.data(), large.data() + 1000))
                .wait(),
            1000u);
}

}  // namespace
