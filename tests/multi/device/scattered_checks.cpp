// SPDX-License-Identifier: BSD-3-Clause
//
// Checks non-contiguous transfers: shapes, their model, and the three forms. A shape is a list of
// runs on each side, by offsets, from which both the transfers and the model are made. Each shape
// is put from this rank's scratch region to the peer's region, and got back into another region.
#include <tests/multi/device/scattered_checks.hpp>

#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided.hpp>

#include <cstring>
#include <string>

namespace {

using namespace atl;

struct run {
  std::size_t offset;
  std::size_t bytes;
};
using runs = std::vector<run>;

/// A block given by its strides, of either sign, or lists of runs.
struct shape {
  std::string name;
  std::size_t element = 0;  // 0: not a block
  std::vector<std::size_t> counts = {};
  std::vector<std::ptrdiff_t> written = {}, read = {};
  std::size_t written_base = 0, read_base = 0;
  runs to = {}, from = {};
  bool is_indexed = false;  // all runs of a side are of one length
};

runs runs_of(const shape& block, std::size_t base, const std::vector<std::ptrdiff_t>& strides) {
  runs list;
  std::vector<std::size_t> index(block.counts.size(), 0);
  for (;;) {
    std::size_t offset = base;
    for (std::size_t i = 0; i < index.size(); ++i)
      offset += static_cast<std::size_t>(strides[i]) * index[i];
    list.push_back({offset, block.element});
    std::size_t i = 0;
    while (i < index.size() && ++index[i] == block.counts[i]) index[i++] = 0;
    if (i == index.size()) return list;
  }
}

shape block(std::string name, std::size_t element, std::vector<std::size_t> counts,
            std::vector<std::ptrdiff_t> written, std::vector<std::ptrdiff_t> read,
            std::size_t written_base = 0, std::size_t read_base = 0) {
  shape made{.name = std::move(name),
             .element = element,
             .counts = std::move(counts),
             .written = std::move(written),
             .read = std::move(read),
             .written_base = written_base,
             .read_base = read_base};
  made.to = runs_of(made, written_base, made.written);
  made.from = runs_of(made, read_base, made.read);
  return made;
}

runs every(std::size_t count, std::size_t first, std::size_t distance, std::size_t bytes) {
  runs list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({first + i * distance, bytes});
  return list;
}

std::vector<shape> shapes() {
  std::vector<shape> list;
  list.push_back(block("rows of a matrix", 1600, {500}, {2000}, {1600}));
  list.push_back(block("a column", 8, {1000}, {8}, {1000}));
  list.push_back(block("a column to a column", 8, {700}, {1200}, {1000}, 40, 16));
  list.push_back(block("backwards", 24, {300}, {40}, {-64}, 0, 300 * 64));
  list.push_back(block("the same again", 100, {50}, {128}, {0}));
  list.push_back(block("a cube", 40, {9, 7, 11}, {64, 700, 6000}, {80, 900, 7000}, 3, 5));
  list.push_back(block("transposed", 8, {60, 50}, {8, 512}, {512, 8}));
  list.push_back(block("beyond the longest pitch", 64, {2}, {1 << 19}, {(1 << 20) - 64}));
  list.push_back({.name = "far apart",
                  .to = every(40, 100, 20'000, 3000),
                  .from = every(30, 7, 30'000, 4000)});
  runs uneven;
  for (std::size_t i = 0, offset = 11; i < 5000; ++i, offset += 1 + i % 90)
    uneven.push_back({offset, i % 3 == 0 ? 0 : i % 5});
  std::size_t total = 0;
  for (const run& each : uneven) total += each.bytes;
  for (std::size_t i = 0; i < uneven.size(); ++i)
    if (i + 1 < uneven.size() && uneven[i].offset + uneven[i].bytes > uneven[i + 1].offset)
      uneven[i + 1].offset = uneven[i].offset + uneven[i].bytes;
  for (std::size_t i = 1; i < uneven.size(); ++i)
    uneven[i].offset = std::max(uneven[i].offset, uneven[i - 1].offset + uneven[i - 1].bytes);
  list.push_back({.name = "uneven", .to = uneven, .from = {{64, total}}});
  list.push_back({.name = "uneven to one", .to = {{64, total}}, .from = uneven});
  list.push_back({.name = "an index",
                  .to = every(6000, 0, 16, 8),
                  .from = every(12'000, 4, 12, 4),
                  .is_indexed = true});
  list.push_back({.name = "a sparse index",
                  .to = every(100, 0, 8, 8),
                  .from = every(100, 900'000, 1000, 8),
                  .is_indexed = true});
  return list;
}

/// The bytes of the source's runs, in the order of the stream, go to the target's runs.
void model(const shape& moved, std::vector<std::byte>& target, const std::vector<std::byte>& data) {
  std::vector<std::byte> stream;
  for (const run& each : moved.from)
    stream.insert(stream.end(), data.begin() + static_cast<std::ptrdiff_t>(each.offset),
                  data.begin() + static_cast<std::ptrdiff_t>(each.offset + each.bytes));
  std::size_t moved_bytes = 0;
  for (const run& each : moved.to) {
    std::memcpy(target.data() + each.offset, stream.data() + moved_bytes, each.bytes);
    moved_bytes += each.bytes;
  }
}

class checks {
 public:
  checks(runtime& job, memory_of_kind& local, memory_of_kind& remote, rank_id peer)
      : job_(job), local_(local), remote_(remote), peer_(peer), endpoint_(job.endpoint_at(5)) {
    endpoint_.bind(remote.shared);
  }

  void run(const shape& moved, unsigned seed) {
    const auto data = pattern(region, seed);
    const auto original = pattern(region, seed + 91);
    std::byte* const peer_region = remote_.region_of(peer_, job_.rank());
    write(local_, job_.rank(), local_.scratch(0), data);
    write(remote_, peer_, peer_region, original);
    move<true>(moved, peer_region, local_.scratch(0));
    auto wanted = original;
    model(moved, wanted, data);
    compare(moved, "put", wanted, read(remote_, peer_, peer_region));

    write(remote_, peer_, peer_region, data);
    write(local_, job_.rank(), local_.scratch(1), original);
    move<false>(moved, local_.scratch(1), peer_region);
    compare(moved, "got", wanted, read(local_, job_.rank(), local_.scratch(1)));
  }

 private:
  template <bool Puts>
  void move(const shape& moved, std::byte* to, std::byte* from) {
    if (moved.element != 0) {
      return start<Puts>(strided_transfer{.to = to + moved.written_base,
                                          .to_strides = moved.written,
                                          .from = from + moved.read_base,
                                          .from_strides = moved.read,
                                          .element_bytes = moved.element,
                                          .counts = moved.counts});
    }
    if (moved.is_indexed) {
      const auto to_list = addresses(moved.to, to), from_list = addresses(moved.from, from);
      return start<Puts>(
          indexed_transfer{.to = {.addresses = to_list, .bytes = moved.to[0].bytes},
                           .from = {.addresses = from_list, .bytes = moved.from[0].bytes}});
    }
    const auto to_list = memory_runs(moved.to, to), from_list = memory_runs(moved.from, from);
    start<Puts>(vector_transfer{.to = run_list(to_list), .from = run_list(from_list)});
  }

  // Starts transfers in the three forms of completion in turn.
  template <bool Puts, class Transfer>
  void start(const Transfer& transfer) {
    const scattered_options options{.device = local_.device, .keeps_source = turn_ % 2 == 0};
    event done;
    switch (turn_++ % 3) {
      case 0:
        Puts ? put(endpoint_, peer_, transfer, options) : get(endpoint_, peer_, transfer, options);
        break;
      case 1:
        Puts ? put_nb(endpoint_, peer_, transfer, done, options)
             : get_nb(endpoint_, peer_, transfer, done, options);
        job_.wait(done);
        break;
      default:
        Puts ? put_nbi(endpoint_, peer_, transfer, options)
             : get_nbi(endpoint_, peer_, transfer, options);
        job_.wait_implicit(true, true);
    }
  }

  static std::vector<void*> addresses(const runs& runs_of_side, std::byte* base) {
    std::vector<void*> pointers;
    for (const struct run& each : runs_of_side) pointers.push_back(base + each.offset);
    return pointers;
  }
  static std::vector<memory_run> memory_runs(const runs& runs_of_side, std::byte* base) {
    std::vector<memory_run> made;
    for (const struct run& each : runs_of_side) made.push_back({base + each.offset, each.bytes});
    return made;
  }

  static void write(memory_of_kind& memory, rank_id owner, std::byte* target,
                    const std::vector<std::byte>& data) {
    atl::put(memory.shared, owner, target, data.data(), data.size());
  }
  static std::vector<std::byte> read(memory_of_kind& memory, rank_id owner, std::byte* source) {
    std::vector<std::byte> data(region);
    atl::get(memory.shared, data.data(), owner, source, data.size());
    return data;
  }

  void compare(const shape& moved, const char* action, const std::vector<std::byte>& wanted,
               const std::vector<std::byte>& found) {
    std::size_t byte = 0;
    while (byte < region && wanted[byte] == found[byte]) ++byte;
    if (byte == region) return;
    job_.fail("a non-contiguous transfer with memory of devices",
              std::string(moved.name) + ", " + action + ": wrong at byte " + std::to_string(byte) +
                  ", " + (local_.device ? "device" : "host") + " here, " +
                  (remote_.device ? "device" : "host") + " of rank " + std::to_string(peer_),
              "");
  }

  runtime& job_;
  memory_of_kind& local_;
  memory_of_kind& remote_;
  rank_id peer_;
  endpoint& endpoint_;
  unsigned turn_ = 0;
};

}  // namespace

void check_scattered(runtime& job, memory_of_kind& local, memory_of_kind& remote, rank_id peer) {
  checks comparison(job, local, remote, peer);
  unsigned seed = job.rank();
  for (const shape& each : shapes()) comparison.run(each, ++seed * 13);
}
