// SPDX-License-Identifier: BSD-3-Clause
//
// Tests non-contiguous transfers against a model that moves one byte after the other: random shapes
// of all three forms, both directions and all kinds of completion, between all ranks at once,
// direct and over messages. Every rank owns a region at every target, so it knows what must be
// there; bytes that must not change are compared as well. A seed makes a run repeatable; ranks are
// threads of this process (support/thread_job.hpp).
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace atl {
namespace {

// The operations of each rank. The model touches every byte, which is slow with sanitizers.
#ifdef ATOLL_THREAD_SANITIZER
constexpr int operations = 40;
#elif defined(ATOLL_SANITIZED)
constexpr int operations = 150;
#else
constexpr int operations = 400;
#endif
constexpr std::size_t region_bytes = 150'001;  // per source at each target
constexpr handler_id landed_id = 140;

/// One way to run the tests below.
struct shape {
  rank_id ranks;
  const char* rma_path;
  thread_mode threads;
  unsigned seed;
};

std::string name_of(const testing::TestParamInfo<shape>& info) {
  const shape& variant = info.param;
  return text("n", variant.ranks, "_", variant.rma_path,
              variant.threads == thread_mode::any ? "_any" : "_single", "_seed", variant.seed);
}

using bytes = std::vector<std::byte>;

/// Where each byte of one side lies, in the order of the stream, as offsets.
using stream = std::vector<std::size_t>;

/// The bytes of one operation, as offsets: the model moves them, and the arrays are made from them.
struct both_sides {
  stream to, from;
};

/// Random choices with a bias to small numbers.
class chooser {
 public:
  explicit chooser(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  std::size_t small_below(std::size_t limit) { return below(1 + below(limit)); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  void shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  std::mt19937_64 random_;
};

/// A random block: counts, and strides of a side that is written and of one that is read.
struct block {
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> written_strides, read_strides;
  std::size_t element_bytes;
  std::size_t written_base, read_base;  // offsets of the first element

  std::size_t elements() const {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{1}, std::multiplies<>());
  }
};

class shapes {
 public:
  explicit shapes(chooser& choose) : choose_(choose) {}

  block make_block() {
    block made;
    const std::size_t dimensions = choose_.below(9);
    static constexpr std::size_t sizes[] = {1, 2, 3, 4, 8, 8, 8, 12, 16, 24, 32, 64, 100, 0};
    made.element_bytes = sizes[choose_.below(std::size(sizes))];
    if (choose_.one_in(8)) made.element_bytes = choose_.below(5000);
    std::size_t room = 20'000 / std::max<std::size_t>(made.element_bytes, 1);
    if (choose_.one_in(10)) room = 120'000 / std::max<std::size_t>(made.element_bytes, 1);
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t most = dimensions < 3 ? 1'000 : 12;
      const std::size_t count = choose_.one_in(60) ? 0 : 1 + choose_.small_below(most);
      made.counts.push_back(std::min(count, std::max<std::size_t>(room, 1)));
      room /= std::max<std::size_t>(made.counts.back(), 1);
    }
    write_side(made);
    read_side(made);
    return made;
  }

 private:
  // Dimensions nest in a random order, with or without gaps, so that nothing overlaps.
  void write_side(block& made) {
    std::vector<std::size_t> order(made.counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (choose_.one_in(2)) choose_.shuffle(order);
    if (!write_side(made, order, choose_.small_below(40))) write_side(made, order, 0);
  }

  // False when gaps make the block too large.
  bool write_side(block& made, const std::vector<std::size_t>& order, std::size_t gap_max) {
    made.written_strides.resize(order.size());
    std::size_t extent = std::max<std::size_t>(made.element_bytes, 1);
    std::size_t base = 0;
    for (const std::size_t i : order) {
      const std::size_t steps = std::max<std::size_t>(made.counts[i], 1) - 1;
      const std::size_t stride = extent + choose_.below(gap_max + 1);
      const bool back = choose_.one_in(3);
      made.written_strides[i] = static_cast<std::ptrdiff_t>(stride) * (back ? -1 : 1);
      if (back) base += stride * steps;
      extent += stride * steps;
    }
    if (extent > region_bytes) return false;
    made.written_base = base + choose_.below(region_bytes - extent);
    return true;
  }

  // Any strides are allowed: backwards, overlapping, dense, the same element repeatedly.
  void read_side(block& made) {
    std::size_t low = 0, high = std::max<std::size_t>(made.element_bytes, 1);
    std::size_t dense = std::max<std::size_t>(made.element_bytes, 1);
    for (std::size_t i = 0; i < made.counts.size(); ++i) {
      const std::size_t steps = std::max<std::size_t>(made.counts[i], 1) - 1;
      std::size_t stride = dense;
      dense *= steps + 1;
      const std::size_t left = (region_bytes - high - low) / (steps + 1) / 2;
      if (!choose_.one_in(2) || stride > left) stride = choose_.small_below(left);
      const bool back = choose_.one_in(3);
      made.read_strides.push_back(back ? -static_cast<std::ptrdiff_t>(stride)
                                       : static_cast<std::ptrdiff_t>(stride));
      (back ? low : high) += stride * steps;
    }
    made.read_base = low + choose_.below(region_bytes - high - low);
  }

  chooser& choose_;
};

/// The bytes of a block side in the order of its indices, the last index varying fastest.
stream stream_of(const block& layout, const std::vector<std::ptrdiff_t>& strides,
                 std::size_t base) {
  stream offsets;
  if (layout.elements() == 0 || layout.element_bytes == 0) return offsets;
  std::vector<std::size_t> index(layout.counts.size());
  for (;;) {
    std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(base);
    for (std::size_t i = 0; i < index.size(); ++i) {
      offset += static_cast<std::ptrdiff_t>(index[i]) * strides[i];
    }
    for (std::size_t i = 0; i < layout.element_bytes; ++i) {
      offsets.push_back(static_cast<std::size_t>(offset) + i);
    }
    std::size_t i = index.size();
    while (i > 0 && ++index[i - 1] == layout.counts[i - 1]) index[--i] = 0;
    if (i == 0) return offsets;
  }
}

/// One source's view of one target: the expected bytes of its region there, the local memory to
/// which gets write, and the expected bytes of that.
struct lane {
  bytes remote, local, wanted_local;
  event pending;
};

/// One rank's part in the property test.
class model_checker {
 public:
  model_checker(runtime& job, std::byte* regions, unsigned seed)
      : job_(job), regions_(regions), choose_(seed * 104'729u + job.rank()), lanes_(job.size()) {
    for (lane& each : lanes_) {
      each.remote.resize(region_bytes);
      each.local.resize(region_bytes);
      refill(each.local);
      each.wanted_local = each.local;
    }
  }

  void run() {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
      const auto peer = static_cast<rank_id>(choose_.below(job_.size()));
      description_ = text("operation ", i, " of rank ", job_.rank(), " with rank ", peer);
      settle(peer);
      const bool puts = choose_.one_in(2);
      switch (choose_.below(3)) {
        case 0:
          strided(peer, puts);
          break;
        case 1:
          indexed(peer, puts);
          break;
        default:
          vectors(peer, puts);
      }
    }
    for (rank_id peer = 0; peer < job_.size(); ++peer) settle(peer);
  }

 private:
  void refill(bytes& some) {
    const std::uint64_t salt = choose_.below(SIZE_MAX);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i] = static_cast<std::byte>((salt >> (i % 8 * 8)) + i + i / 253);
    }
  }

  std::byte* region(rank_id peer) const {
    const route* rows = job_.heaps().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(regions_) - rows[job_.rank()].remote();
    return reinterpret_cast<std::byte*>(rows[peer].remote() + offset) + job_.rank() * region_bytes;
  }

  // Waits for all operations with this peer, and compares both sides with the model.
  void settle(rank_id peer) {
    lane& view = lanes_[peer];
    job_.wait(view.pending);
    job_.wait_implicit(true, true);
    bytes got(region_bytes);
    atl::get(job_.primordial(), got.data(), peer, region(peer), region_bytes);
    EXPECT_TRUE(got == view.remote) << description_ << ": the region differs";
    EXPECT_TRUE(view.local == view.wanted_local) << description_ << ": memory here differs";
  }

  void model(lane& view, bool puts, const both_sides& sides) {
    ASSERT_EQ(sides.to.size(), sides.from.size());
    const bytes& from = puts ? view.local : view.remote;
    bytes& to = puts ? view.remote : view.wanted_local;
    for (std::size_t i = 0; i < sides.to.size(); ++i) to[sides.to[i]] = from[sides.from[i]];
  }

  template <class Transfer>
  void start(rank_id peer, bool puts, const Transfer& request) {
    endpoint& primordial = job_.primordial();
    lane& view = lanes_[peer];
    const scattered_options options{.immediate = choose_.one_in(4)};
    switch (choose_.below(3)) {
      case 0:
        puts ? put(primordial, peer, request, options) : get(primordial, peer, request, options);
        return;
      case 1:
        while (!(puts ? put_nb(primordial, peer, request, view.pending, options)
                      : get_nb(primordial, peer, request, view.pending, options))) {
          job_.progress();
        }
        return;
      default:
        while (!(puts ? put_nbi(primordial, peer, request, options)
                      : get_nbi(primordial, peer, request, options))) {
          job_.progress();
        }
    }
  }

  void strided(rank_id peer, bool puts) {
    lane& view = lanes_[peer];
    const block made = shapes(choose_).make_block();
    const both_sides sides{.to = stream_of(made, made.written_strides, made.written_base),
                           .from = stream_of(made, made.read_strides, made.read_base)};
    if (!puts) view.wanted_local = view.local;
    model(view, puts, sides);
    std::byte* const remote = region(peer);
    std::byte* const local = view.local.data();
    start(peer, puts,
          strided_transfer{.to = (puts ? remote : local) + made.written_base,
                           .to_strides = made.written_strides,
                           .from = (puts ? local : remote) + made.read_base,
                           .from_strides = made.read_strides,
                           .element_bytes = made.element_bytes,
                           .counts = made.counts});
  }

  struct piece {
    std::size_t offset, size;
  };

  /// Cuts `total` bytes into pieces that do not overlap.
  std::vector<piece> written_pieces(std::size_t total) {
    std::vector<piece> pieces;
    std::size_t offset = choose_.below(100);
    for (std::size_t left = total; left != 0;) {
      const std::size_t size = std::min(left, 1 + choose_.small_below(3000));
      if (choose_.one_in(2)) offset += choose_.small_below(20);
      pieces.push_back({offset, size});
      offset += size;
      left -= size;
      if (choose_.one_in(20)) pieces.push_back({0, 0});
    }
    EXPECT_LE(offset, region_bytes);
    if (choose_.one_in(2)) choose_.shuffle(pieces);
    return pieces;
  }

  std::vector<piece> read_pieces(std::size_t total) {
    std::vector<piece> pieces;
    for (std::size_t left = total; left != 0;) {
      const std::size_t size = std::min(left, 1 + choose_.small_below(3000));
      pieces.push_back({choose_.below(region_bytes - size), size});
      left -= size;
      if (choose_.one_in(20)) pieces.push_back({0, 0});
    }
    return pieces;
  }

  static stream stream_of_pieces(const std::vector<piece>& pieces) {
    stream offsets;
    for (const piece& each : pieces) {
      for (std::size_t i = 0; i < each.size; ++i) offsets.push_back(each.offset + i);
    }
    return offsets;
  }

  // An empty run may be anywhere.
  static std::vector<memory_run> runs_of(const std::vector<piece>& pieces, std::byte* base) {
    std::vector<memory_run> runs;
    for (const piece& each : pieces) {
      void* const address =
          each.size != 0 ? base + each.offset : reinterpret_cast<void*>(std::uintptr_t{16});
      runs.push_back({address, each.size});
    }
    return runs;
  }

  void vectors(rank_id peer, bool puts) {
    lane& view = lanes_[peer];
    const std::size_t total = choose_.small_below(choose_.one_in(10) ? 90'000 : 9'000);
    const auto to = written_pieces(total), from = read_pieces(total);
    model(view, puts, {.to = stream_of_pieces(to), .from = stream_of_pieces(from)});
    std::byte* const remote = region(peer);
    const auto to_runs = runs_of(to, puts ? remote : view.local.data());
    const auto from_runs = runs_of(from, puts ? view.local.data() : remote);
    start(peer, puts, vector_transfer{.to = {to_runs}, .from = {from_runs}});
  }

  static std::vector<void*> addresses_of(const std::vector<piece>& pieces, std::byte* base) {
    std::vector<void*> addresses;
    for (const piece& each : pieces) addresses.push_back(base + each.offset);
    return addresses;
  }

  void indexed(rank_id peer, bool puts) {
    lane& view = lanes_[peer];
    static constexpr std::size_t sizes[] = {1, 2, 4, 8, 8, 12, 16, 24, 40, 64, 100};
    const std::size_t unit = sizes[choose_.below(std::size(sizes))];
    const std::size_t to_units = 1 + choose_.small_below(6),
                      from_units = 1 + choose_.small_below(6);
    const std::size_t rounds = choose_.small_below(20'000 / unit / to_units / from_units);
    std::vector<piece> to, from;
    std::size_t offset = choose_.below(50);
    for (std::size_t i = 0; i < rounds * from_units; ++i) {
      if (choose_.one_in(2)) offset += choose_.small_below(30);
      to.push_back({offset, unit * to_units});
      offset += unit * to_units;
    }
    if (offset > region_bytes) return;
    if (choose_.one_in(2)) choose_.shuffle(to);
    for (std::size_t i = 0; i < rounds * to_units; ++i) {
      from.push_back({choose_.below(region_bytes - unit * from_units), unit * from_units});
    }
    model(view, puts, {.to = stream_of_pieces(to), .from = stream_of_pieces(from)});
    std::byte* const remote = region(peer);
    const auto to_list = addresses_of(to, puts ? remote : view.local.data());
    const auto from_list = addresses_of(from, puts ? view.local.data() : remote);
    start(peer, puts,
          indexed_transfer{.to = {.addresses = to_list, .bytes = unit * to_units},
                           .from = {.addresses = from_list, .bytes = unit * from_units}});
  }

  runtime& job_;
  std::byte* regions_;
  chooser choose_;
  std::vector<lane> lanes_;
  std::string description_;
};

class strided : public testing::TestWithParam<shape> {
 protected:
  void run(const std::function<void(runtime&)>& body) {
    const shape& variant = GetParam();
    support::run_job(variant.ranks, body, {text("ATOLL_RMA_PATH=", variant.rma_path)},
                     variant.threads);
  }
};

TEST_P(strided, random_shapes_do_what_a_loop_over_bytes_does) {
  run([](runtime& job) {
    auto* const regions = static_cast<std::byte*>(job.heap().allocate(region_bytes * job.size()));
    ASSERT_NE(regions, nullptr);
    std::memset(regions, 0, region_bytes * job.size());
    job.world().barrier();
    model_checker(job, regions, GetParam().seed).run();
    job.world().barrier();
    job.heap().free(regions);
  });
}

/// The notices that the target of the puts has received.
struct notice_arrivals {
  std::byte* block;
  std::atomic<unsigned> seen = 0;
  std::atomic<unsigned> wrong = 0;
};

constexpr std::size_t edge = 300;  // of a block of words in a larger matrix
constexpr std::size_t matrix_edge = 400;

// The payload states the expected value of every word of its source's block.
void on_landed(void* context, am_token& token, const std::uint32_t*, unsigned, void* payload,
               std::size_t size) {
  auto& arrivals = *static_cast<notice_arrivals*>(context);
  std::uint64_t wanted = 0;
  if (size == sizeof wanted) std::memcpy(&wanted, payload, size);
  const std::byte* const matrix =
      arrivals.block + token.source() * matrix_edge * matrix_edge * sizeof wanted;
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; ++j) {
      std::uint64_t word;
      std::memcpy(&word, matrix + (i * matrix_edge + j) * sizeof word, sizeof word);
      if (word != wanted) arrivals.wrong.fetch_add(1, std::memory_order_relaxed);
    }
  }
  arrivals.seen.fetch_add(1, std::memory_order_release);  // pairs with the wait in the test
}

TEST_P(strided, a_notice_comes_once_and_after_the_data) {
  run([](runtime& job) {
    constexpr std::size_t matrix_bytes = matrix_edge * matrix_edge * 8;
    notice_arrivals arrivals{
        .block = static_cast<std::byte*>(job.heap().allocate(matrix_bytes * job.size()))};
    ASSERT_NE(arrivals.block, nullptr);
    job.primordial().handlers().set(landed_id, {.run = on_landed,
                                                .context = &arrivals,
                                                .nargs = 0,
                                                .categories = am_entry::accept_medium,
                                                .channels = am_entry::accept_reply,
                                                .name = "landed"});
    job.world().barrier();
    const rank_id right = (job.rank() + 1) % job.size();
    const route* rows = job.heaps().routes();
    auto* const remote =
        reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(arrivals.block) -
                                     rows[job.rank()].remote() + rows[right].remote()) +
        job.rank() * matrix_bytes;
    const std::ptrdiff_t to[] = {8, matrix_edge * 8}, from[] = {0, 0};
    const std::size_t counts[] = {edge, edge};
    for (unsigned round = 1; round <= 5; ++round) {
      const std::uint64_t value = round * 1000 + job.rank();
      const put_notice tell{.handler = landed_id, .payload = &value, .bytes = sizeof value};
      const strided_transfer block{.to = remote,
                                   .to_strides = to,
                                   .from = &value,
                                   .from_strides = from,
                                   .element_bytes = 8,
                                   .counts = counts};
      event done;
      if (round % 3 == 0) {
        put(job.primordial(), right, block, {.notice = &tell});
      } else if (round % 3 == 1) {
        put_nb(job.primordial(), right, block, done, {.notice = &tell});
      } else {
        put_nbi(job.primordial(), right, block, {.notice = &tell});
      }
      job.wait(done);
      job.wait_implicit(true, true);
      job.wait_until([&] { return arrivals.seen.load(std::memory_order_acquire) >= round; });
      job.world().barrier();  // the handler has read the words that the next round changes
    }
    EXPECT_EQ(arrivals.seen.load(), 5u);
    EXPECT_EQ(arrivals.wrong.load(), 0u);
    job.world().barrier();
    job.heap().free(arrivals.block);
  });
}

INSTANTIATE_TEST_SUITE_P(
    paths, strided,
    testing::Values(shape{1, "direct", thread_mode::single, 1}, shape{1, "am", thread_mode::any, 2},
                    shape{2, "direct", thread_mode::any, 3}, shape{2, "am", thread_mode::single, 4},
                    shape{3, "direct", thread_mode::single, 5}, shape{3, "am", thread_mode::any, 6},
                    shape{4, "direct", thread_mode::any, 7}, shape{4, "am", thread_mode::any, 8},
                    shape{2, "am", thread_mode::any, 9}),
    name_of);

}  // namespace
}  // namespace atl
