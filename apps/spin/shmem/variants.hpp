// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which a PE learns that a block has arrived. *signal*: each put carries a signal, and
// each place of a ring has its own, since puts may overtake one another. *quiet*: puts, a quiet,
// and then a counter of the blocks that are complete. *sentinel*: no flag; the reader looks for
// marks in the data.
#pragma once

#include <apps/spin/shmem/ring.hpp>

#include <memory>
#include <string>
#include <vector>

namespace spin::shm {

class with_signal final : public ring {
 public:
  explicit with_signal(const exchange_shape& shape);

 private:
  void post(channel& to) override;
  bool has_arrived(const channel& from, std::uint64_t number) override;
  void await(const channel& from, std::uint64_t number) override;
  std::uint64_t* signal_of(const channel& of, std::uint64_t number) const noexcept {
    return &signals_[of.bit * shape_.buffers + number % shape_.buffers];
  }

  symmetric<std::uint64_t> signals_;  // of each place: the number of its last block, from 1 on
};

class with_quiet final : public ring {
 public:
  explicit with_quiet(const exchange_shape& shape);

 private:
  void post(channel& to) override;
  void posted() override;
  bool has_arrived(const channel& from, std::uint64_t number) override;
  void await(const channel& from, std::uint64_t number) override;

  symmetric<std::uint64_t> arrived_;  // of each ring: blocks that are complete
};

class sentinel final : public ring {
 public:
  explicit sentinel(const exchange_shape& shape);

 private:
  void post(channel& to) override;
  bool has_arrived(const channel& from, std::uint64_t number) override;
  void await(const channel& from, std::uint64_t number) override;
  void clear(const channel& from, std::uint64_t number) override;

  std::vector<std::size_t> seen_;  // elements of the channel's next block that have arrived
};

/// The names; the first is the default.
const std::vector<std::string>& variant_names();

/// Collective. Partners may write to the new exchange after a barrier.
std::unique_ptr<exchange> make(const std::string& name, const exchange_shape& shape);

}  // namespace spin::shm
