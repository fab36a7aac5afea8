// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that this rank has lent to others. Each put carries the number of the loan and its own
// number among the packets of its sender, as the provider's data of a completion at the target. So
// that completion tells that the bytes are here; a number that is not the next one shows that a
// broken connection has swallowed a put. No put is acknowledged: a rank that has filled loans asks
// its peer, as for credits, until three answers have come, so that a later number reaches the
// lender. Used under the context's lock.
#pragma once

#include <atoll/base/halves.hpp>
#include <atoll/transport/message.hpp>

#include <cstdint>
#include <vector>

namespace atl::transport::ofi {

/// The data that a put of a loan carries.
constexpr std::uint64_t loan_data(std::uint32_t loan, std::uint64_t packet_number) noexcept {
  return join_halves(low_half(packet_number), loan);
}
constexpr std::uint32_t loan_of(std::uint64_t data) noexcept { return high_half(data); }
constexpr std::uint32_t number_of(std::uint64_t data) noexcept { return low_half(data); }

class loan_table {
 public:
  struct entry {
    loan terms;
    rank_id borrower = no_rank;  // no_rank: not in use
    std::size_t puts = 0;        // that are to come
  };

  /// Gives the loan a number.
  void add(loan& terms, rank_id borrower, std::size_t bytes) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
    }
    terms.number = free_.back();
    free_.pop_back();
    entries_[terms.number] = {terms, borrower, loan::puts_of(bytes)};
  }

  /// Returns null when there is no such loan. Trusts no number.
  entry* find(std::uint32_t number) noexcept {
    if (number >= entries_.size() || entries_[number].borrower == no_rank) return nullptr;
    return &entries_[number];
  }

  /// Ends a loan that there is.
  void remove(std::uint32_t number) noexcept {
    entries_[number] = {};
    free_.push_back(number);
  }

  /// The same, where puts of a lost borrower may still come: its number is not used again.
  void close(std::uint32_t number) noexcept { entries_[number] = {}; }

 private:
  std::vector<entry> entries_;       // by number
  std::vector<std::uint32_t> free_;  // numbers
};

}  // namespace atl::transport::ofi
