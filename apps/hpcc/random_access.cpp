// SPDX-License-Identifier: BSD-3-Clause
//
// RandomAccess: four updates for each word of a table over all ranks, each a remote atomic. Applied
// twice, the updates restore word i to i.
#include <apps/gups/stream.hpp>
#include <apps/hpcc/kernel.hpp>
#include <apps/hpcc/parts.hpp>

#include <numeric>

namespace hpcc {
namespace {

using gups::word;

class random_access final : public kernel {
 public:
  explicit random_access(unsigned log2_words) : words_(word{1} << log2_words), table_(words_) {}
  ~random_access() override { atomics_.destroy(); }

  std::string_view name() const override { return "random_access"; }
  void prepare() override { std::iota(table_.begin(), table_.end(), table_.own().first); }

  void run() override {
    const auto own = gups::part_of(4 * words_, table_.rank(), table_.ranks());
    upcxx::promise<> done;
    word update = gups::element(own.first);
    for (std::uint64_t n = own.first; n < own.last; ++n, update = gups::next(update)) {
      atomics_.bit_xor(table_.pointer_to(update % words_), update, std::memory_order_relaxed,
                       upcxx::operation_cx::as_promise(done));
      if (n % 1024 == 0) upcxx::progress();
    }
    done.finalize().wait();
  }

  double error() override {
    run();
    upcxx::barrier();
    std::uint64_t wrong = 0;
    word wanted = table_.own().first;
    for (const word each : table_) wrong += each != wanted++ ? 1 : 0;
    return static_cast<double>(wrong);
  }

  std::span<std::byte> result() override {
    return std::as_writable_bytes(std::span(table_.begin(), table_.end()));
  }

 private:
  word words_;
  parts<word> table_;
  upcxx::atomic_domain<word> atomics_{{upcxx::atomic_op::bit_xor}};
};

}  // namespace

std::unique_ptr<kernel> make_random_access(const sizes& chosen) {
  return std::make_unique<random_access>(chosen.log2_words);
}

}  // namespace hpcc
