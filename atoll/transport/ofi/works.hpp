// SPDX-License-Identifier: BSD-3-Clause
//
// Records of the provider's work: receive buffers, packets, transfers and atomics. The provider
// keeps its own notes at the front of a record while the operation is under way, so no record
// moves. Each send takes a record of its own reserve (buffers.hpp): a packet finds one whenever it
// has a buffer, since there are as many, and transfers cannot take them away, however many there
// are. Records lie in pages that take memory when they are used first. Used under the context's
// lock.
#pragma once

#include <atoll/base/sparse_table.hpp>
#include <atoll/transport/ofi/buffers.hpp>
#include <atoll/transport/ofi/memory.hpp>
#include <atoll/transport/ofi/packet.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::transport::ofi {

/// The record that a completion refers to.
struct work_record {
  enum class kind : std::uint8_t { receive, packet, transfer, atomic };

  fi_context2 provider{};
  kind purpose = kind::packet;
  reserve origin = reserve::request;  // of what is sent: where this record and its buffer belong
  rank_id to = no_rank;               // no_rank: not in use
  std::uint32_t answers = 0;          // of the peer, when a transfer was posted
  std::uint32_t buffer = buffers::no_buffer;  // to give back; of a receive its number
  void* token = nullptr;                      // of a transfer, for the receiver; null: was told
  std::byte* home = nullptr;                  // of a get or atomic: where the bytes belong
  std::size_t bytes = 0;                      // and how many
  lease registered{};                         // of a transfer
  iovec local{};                              // the provider may look at these two until the end
  fi_rma_iov remote{};
};

/// The records of all that is sent, put or got.
class work_table {
 public:
  work_table(const buffer_plan& plan, std::uint32_t transfers)
      : first_{0, plan.channel_count(), 2 * plan.channel_count(),
               2 * plan.channel_count() + plan.credits},
        free_{free_list(plan.channel_count()), free_list(plan.channel_count()),
              free_list(plan.credits), free_list(transfers)},
        records_(first_.back() + transfers) {}

  /// A record with nothing in it; null when all of this reserve are in use.
  work_record* take(reserve origin) noexcept {
    const auto list = static_cast<std::size_t>(origin);
    const std::uint32_t index = free_[list].take();
    if (index == free_list::no_index) return nullptr;
    work_record& note = records_[first_[list] + index];
    note.origin = origin;
    note.to = no_rank;
    note.buffer = buffers::no_buffer;
    note.token = nullptr;
    note.home = nullptr;
    note.registered = {};
    return &note;
  }

  void give_back(work_record& note) noexcept {
    note.to = no_rank;
    free_[static_cast<std::size_t>(note.origin)].give_back(place_of(note));
  }

  /// The index of a record within its reserve.
  std::uint32_t place_of(const work_record& note) const noexcept {
    return static_cast<std::uint32_t>(&note - records_.data()) -
           first_[static_cast<std::size_t>(note.origin)];
  }

  /// The records of puts, gets and atomics that were ever used.
  std::span<const work_record> transfers() const noexcept {
    return {records_.data() + first_.back(), free_.back().used()};
  }
  std::span<work_record> transfers() noexcept {
    return {&records_[first_.back()], free_.back().used()};
  }

  bool all_free() const noexcept {
    for (const free_list& each : free_) {
      if (!each.all_free()) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t reserves = 4;

  std::array<std::uint32_t, reserves> first_;
  std::array<free_list, reserves> free_;
  sparse_table<work_record> records_;
};

}  // namespace atl::transport::ofi
