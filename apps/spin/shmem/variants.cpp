// SPDX-License-Identifier: BSD-3-Clause
//
// The library reads and writes 8-byte words whole, and a wait sees plain puts too, so a wait for
// the first mark of a block is a wait for its data.
#include <apps/spin/marked_words.hpp>
#include <apps/spin/shmem/variants.hpp>

namespace spin::shm {
namespace {

constexpr std::size_t words_per_line = 8;

}  // namespace

with_signal::with_signal(const exchange_shape& shape)
    : ring(shape), signals_(shape.partners * shape.buffers) {}

void with_signal::post(channel& to) {
  shmem_double_put_signal_nbi(to.places + place_of(to.posted), block_of(to.posted),
                              shape_.block_elements, signal_of(to, to.posted), to.posted + 1,
                              SHMEM_SIGNAL_SET, to.partner);
  ++to.posted;
}

bool with_signal::has_arrived(const channel& from, std::uint64_t number) {
  return shmem_signal_fetch(signal_of(from, number)) > number;
}

void with_signal::await(const channel& from, std::uint64_t number) {
  shmem_signal_wait_until(signal_of(from, number), SHMEM_CMP_GT, number);
}

with_quiet::with_quiet(const exchange_shape& shape)
    : ring(shape), arrived_(shape.partners * words_per_line) {}

void with_quiet::post(channel& to) {
  shmem_double_put_nbi(to.places + place_of(to.posted), block_of(to.posted), shape_.block_elements,
                       to.partner);
  ++to.posted;
}

void with_quiet::posted() {
  shmem_quiet();
  for (const channel& to : channels()) {
    shmem_uint64_atomic_set(&arrived_[to.bit * words_per_line], to.posted, to.partner);
  }
}

bool with_quiet::has_arrived(const channel& from, std::uint64_t number) {
  return shmem_uint64_test(&arrived_[from.bit * words_per_line], SHMEM_CMP_GT, number) != 0;
}

void with_quiet::await(const channel& from, std::uint64_t number) {
  shmem_uint64_wait_until(&arrived_[from.bit * words_per_line], SHMEM_CMP_GT, number);
}

sentinel::sentinel(const exchange_shape& shape) : ring(shape), seen_(shape.partners) {
  for (const channel& each : channels()) fill_with_marks(each.places, shape.buffer_elements());
}

void sentinel::post(channel& to) {
  shmem_double_put_nbi(to.places + place_of(to.posted), block_of(to.posted), shape_.block_elements,
                       to.partner);
  ++to.posted;
}

bool sentinel::has_arrived(const channel& from, std::uint64_t number) {
  return have_arrived(from.places + place_of(number), shape_.block_elements, seen_[from.bit]);
}

void sentinel::await(const channel& from, std::uint64_t number) {
  const double* const next = from.places + place_of(number) + seen_[from.bit];
  const double* const end = from.places + place_of(number) + shape_.block_elements;
  for (const double* each = next; each != end; ++each) {
    if (!has_mark(each, 1)) continue;
    // The heap's words, looked at as what the wait takes.
    auto* const word = reinterpret_cast<std::uint64_t*>(const_cast<double*>(each));
    shmem_uint64_wait_until(word, SHMEM_CMP_NE, mark);
    return;
  }
}

void sentinel::clear(const channel& from, std::uint64_t number) {
  fill_with_marks(from.places + place_of(number), shape_.block_elements);
  seen_[from.bit] = 0;
}

const std::vector<std::string>& variant_names() {
  static const std::vector<std::string> names = {"signal", "quiet", "sentinel"};
  return names;
}

std::unique_ptr<exchange> make(const std::string& name, const exchange_shape& shape) {
  if (name == "quiet") return std::make_unique<with_quiet>(shape);
  if (name == "sentinel") return std::make_unique<sentinel>(shape);
  return std::make_unique<with_signal>(shape);
}

}  // namespace spin::shm
