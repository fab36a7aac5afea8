// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of collectives. Members exchange what must be alike, and each compares the others'
// with its own; so the message comes from a PE that sees a difference.
#include <front/shmem/checks.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace atl::shmem {
namespace {

/// The call of one member, as it is sent to the others.
struct call_of_member {
  char name[32];
  std::uint64_t dest;  // the result's place in its segment, and the segment
  std::uint64_t bytes;
  std::int64_t root;
};

memory::address_range range_at(const void* begin, std::size_t bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  return {first, first + bytes};
}

// A result may be the source itself, as reductions allow; otherwise they must not overlap.
void check_places(process_state& us, const collective_call& call) noexcept {
  const auto need_symmetric = [&](const void* object, std::size_t bytes) {
    if (bytes != 0 && offset_of(us, object).memory == nullptr)
      refuse_address(call.name, object, bytes);
  };
  need_symmetric(call.dest, call.dest_bytes);
  need_symmetric(call.source, call.source_bytes);
  const memory::address_range dest = range_at(call.dest, call.dest_bytes);
  const memory::address_range source = range_at(call.source, call.source_bytes);
  if (dest.begin == source.begin || dest.begin >= source.end || source.begin >= dest.end) return;
  refuse(call.name,
         text("the result [", hex(std::uint64_t{dest.begin}), ", ", hex(std::uint64_t{dest.end}),
              ") overlaps the source [", hex(std::uint64_t{source.begin}), ", ",
              hex(std::uint64_t{source.end}), ")"),
         "use two objects, or one and the same for both");
}

call_of_member agreement_of(process_state& us, const collective_call& call) noexcept {
  call_of_member own{.name = {}, .dest = 0, .bytes = call.agreed_bytes, .root = call.root};
  std::string_view(call.name).copy(own.name, sizeof own.name - 1);
  const symmetric_offset remote = offset_of(us, call.dest);
  own.dest = remote.memory == nullptr ? 0 : remote.offset * 2 + (remote.memory == us.statics.get());
  return own;
}

std::string words_of(const call_of_member& member) {
  return text(member.name, member.root >= 0 ? text(" from root ", member.root) : std::string(),
              member.bytes != 0 ? text(" of ", member.bytes, " bytes") : std::string());
}

void compare(const collective_call& call, const atl::team& among, const call_of_member& own,
             const std::vector<call_of_member>& all) noexcept {
  for (rank_id member = 0; member < among.size(); ++member) {
    const call_of_member& other = all[member];
    const bool is_alike = std::string_view(own.name) == other.name && own.bytes == other.bytes &&
                          own.root == other.root;
    const rank_id own_pe = among.job_rank(among.rank());
    const rank_id other_pe = among.job_rank(member);
    if (!is_alike) {
      refuse(call.name,
             text("PE ", own_pe, " calls ", words_of(own), ", PE ", other_pe, " calls ",
                  words_of(other)),
             "all members make the same call with the same size and root");
    }
    if (own.dest != other.dest) {
      refuse(call.name,
             text("the result of PE ", own_pe, " is another object than that of PE ", other_pe),
             "all members name the same symmetric object");
    }
  }
}

}  // namespace

void check_collective_out_of_line(process_state& us, atl::team& among,
                                  const collective_call& call) {
  check_places(us, call);
  const call_of_member own = agreement_of(us, call);
  std::vector<call_of_member> all(among.size());
  coll::allgather(among, all.data(), &own, sizeof own);
  compare(call, among, own, all);
}

void check_work_array(process_state& us, const char* call, const long* work) noexcept {
  if (!us.checks_calls) return;
  if (offset_of(us, work).memory == nullptr) refuse_address(call, work, sizeof *work);
  if (*work == SHMEM_SYNC_VALUE) return;
  refuse(call,
         text("the work array (pSync) at ", hex(static_cast<const void*>(work)), " begins with ",
              *work),
         text("fill it with SHMEM_SYNC_VALUE (", SHMEM_SYNC_VALUE, ") before its first use"));
}

}  // namespace atl::shmem
