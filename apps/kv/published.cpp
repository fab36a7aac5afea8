// SPDX-License-Identifier: BSD-3-Clause
//
// Slots are written by their owner before the barrier in share(), and only read after it.
#include <apps/kv/published.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace kv {
namespace {

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + alignof(std::uint64_t) - 1) / alignof(std::uint64_t) * alignof(std::uint64_t);
}

std::uint64_t first_slot(generated_key key) noexcept { return std::hash<generated_key>()(key); }

}  // namespace

published::published(const generated_table& from, std::size_t value_bytes)
    : value_bytes_(value_bytes),
      slot_bytes_(round_up(value_bytes) + sizeof(tag)),
      team_(from.team()),
      local_{.first = nullptr, .count = std::bit_ceil(2 * from.local_map().size() + 1)} {
  const std::size_t bytes = local_.count * slot_bytes_;
  local_.first = upcxx::allocate<char>(bytes, alignof(tag));
  const int room = local_.first ? 1 : 0;
  if (upcxx::reduce_all(room, upcxx::op_fast_min, team_).wait() == 0) {
    upcxx::deallocate(local_.first);
    const auto most = upcxx::reduce_all(bytes, upcxx::op_fast_max, team_).wait();
    throw atl::error("kv: publishing the table",
                     atl::text("a rank needs ", atl::bytes_text(most),
                               " of shared memory, and there is not as much for every one"),
                     "use fewer keys or smaller values, raise ATOLL_SEGMENT_LIMIT, or leave out "
                     "--mode one-sided");
  }
  std::memset(local_.first.local(), 0, bytes);
  fill(from);
  share(team_);
}

published::~published() {
  upcxx::barrier(team_);
  upcxx::deallocate(local_.first);
}

void published::fill(const generated_table& from) {
  char* const base = local_.first.local();
  for (const auto& [key, value] : from.local_map()) {
    const tag taken{.key = key, .taken = 1};
    for (std::uint64_t index = first_slot(key);; ++index) {
      char* const slot = base + place_of(local_, index);
      tag stored;
      std::memcpy(&stored, slot + slot_bytes_ - sizeof(tag), sizeof(tag));
      if (stored.taken != 0) continue;
      std::memcpy(slot, value.data(), value_bytes_);
      std::memcpy(slot + slot_bytes_ - sizeof(tag), &taken, sizeof(tag));
      break;
    }
  }
}

void published::share(const upcxx::team& among) {
  const upcxx::dist_object<slots> every(local_, among);
  for (int rank = 0; rank < among.rank_n(); ++rank) slots_.push_back(every.fetch(rank).wait());
  upcxx::barrier(among);
}

upcxx::future<std::optional<generated_value>> published::find(generated_key wanted) const {
  const int owner = rank_of(std::hash<generated_key>()(wanted), team_.rank_n());
  const slots& remote = slots_[static_cast<std::size_t>(owner)];
  generated_value slot(slot_bytes_, '\0');
  for (std::uint64_t index = first_slot(wanted);; ++index) {
    const auto place = static_cast<std::ptrdiff_t>(place_of(remote, index));
    co_await upcxx::rget(remote.first + place, slot.data(), slot_bytes_);
    tag got;
    std::memcpy(&got, slot.data() + slot_bytes_ - sizeof(tag), sizeof(tag));
    if (got.taken == 0) co_return std::nullopt;
    if (got.key != wanted) continue;
    slot.resize(value_bytes_);
    co_return std::move(slot);
  }
}

}  // namespace kv
