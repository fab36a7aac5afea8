// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the shared-memory transport keeps the promises of all transports; each rank has its
// own mapping. Also that the doorbell of a rank that has found no room is rung when there is room.
#include <atoll/base/system/memory_file.hpp>
#include <atoll/transport/shm/context.hpp>
#include <tests/conformance/transport_suite.hpp>

namespace atl::transport {

struct shm_backend {
  static constexpr std::array<rank_id, 4> ranks{2, 3, 4, 8};
  std::vector<std::unique_ptr<memory::host_memory>> memories;

  std::vector<std::unique_ptr<transport>> make(rank_id size, bool threaded,
                                               const std::vector<receiver*>& to) {
    const shm::geometry shape;
    const memory::host_layout layout =
        memory::plan(size, shape.control_bytes(), {.heap_limit = 4 << 20});
    const descriptor file = make_memory_file();
    std::vector<std::unique_ptr<transport>> transports;
    memories.clear();
    for (rank_id rank = 0; rank < size; ++rank) {
      memories.push_back(
          std::make_unique<memory::host_memory>(descriptor(::dup(file.get())), layout, rank));
      transports.push_back(std::make_unique<shm::context>(
          shm::context_options{*memories.back(), rank, shape, threaded, *to[rank]}));
    }
    return transports;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(shm, transport_suite, shm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(shm, transport_queue_suite, shm_backend);

namespace {

/// Two ranks, of which the first sends to the second.
class shm_room : public ::testing::Test {
 protected:
  bool send(std::size_t bytes) {
    const message out{.target = 1,
                      .via = channel::request,
                      .kind = bytes == 0 ? category::short_ : category::medium,
                      .payload = data_.data(),
                      .bytes = bytes};
    return ranks_[0]->send(out) == post::done;
  }
  doorbell& senders_bell() { return backend_.memories[0]->page(0).bell; }

  std::vector<std::byte> data_ = std::vector<std::byte>(64 << 10);
  recording_receiver received_[2];
  shm_backend backend_;
  std::vector<std::unique_ptr<transport>> ranks_ =
      backend_.make(2, true, {&received_[0], &received_[1]});
};

TEST_F(shm_room, a_rank_that_found_the_ring_full_is_rung_for) {
  while (send(0)) continue;
  const doorbell::ticket drawn = senders_bell().prepare();
  EXPECT_FALSE(send(0));
  while (ranks_[1]->poll(false) != 0) continue;
  EXPECT_TRUE(senders_bell().rang_since(drawn));
  EXPECT_TRUE(send(0));
}

TEST_F(shm_room, a_rank_that_found_no_block_is_rung_for) {
  while (send(data_.size())) continue;
  const doorbell::ticket drawn = senders_bell().prepare();
  EXPECT_FALSE(send(data_.size()));
  while (ranks_[1]->poll(false) != 0) continue;
  EXPECT_TRUE(senders_bell().rang_since(drawn));
  EXPECT_TRUE(send(data_.size()));
}

TEST_F(shm_room, nobody_is_rung_for_who_found_room) {
  const doorbell::ticket drawn = senders_bell().prepare();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(send(i % 2 == 0 ? 0 : data_.size()));
    while (ranks_[1]->poll(false) != 0) continue;
  }
  EXPECT_FALSE(senders_bell().rang_since(drawn));
}

}  // namespace
}  // namespace atl::transport
