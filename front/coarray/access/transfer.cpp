// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed reads and writes. The most frequent transfer by far, a scalar of one type, is tried
// before any section is made. All others become a section on each side, made from the compiler's
// descriptor of this image's part and the base address of the other image's part.
#include <front/coarray/access/transfer.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/coarray/access/access.hpp>
#include <front/coarray/access/image_access.hpp>
#include <front/coarray/access/row_transfer.hpp>

#include <cstring>

namespace atl::coarray {
namespace {

constexpr const char* read_call = "a coindexed read";
constexpr const char* write_call = "a coindexed write";

rank_id rank_at(const process_state& us, const char* call, const coindexed& side) noexcept {
  return rank_of(us, side.team != nullptr ? *side.team : *us.current, call, side.image);
}

std::byte* remote_base(const process_state& us, rank_id rank, const coindexed& side) noexcept {
  return us.remote_address(rank, side.object->memory) + side.offset;
}

/// One element each, of one type.
bool is_one_to_one(const coindexed& remote, const local_side& local) noexcept {
  const gfortran::array_type& left = remote.described->dtype;
  const gfortran::array_type& right = local.described->dtype;
  return (left.rank | right.rank) == 0 && left.type == right.type &&
         left.element_bytes == right.element_bytes && remote.kind == local.kind &&
         remote.vectors == nullptr;
}

// The compiler may describe another object than the coarray: gfortran 12 first gathers x(f(i))[p]
// into a local array, and then passes its distance from the coarray. On this image that is correct.
void check_inside(const char* call, const coindexed& side, section& part,
                  std::ptrdiff_t offset) noexcept {
  if (part.count() == 0) return;
  section::reach reach = part.extent();
  const auto is_inside = [&] {
    return offset + reach.low >= 0 &&
           offset + reach.high <= static_cast<std::ptrdiff_t>(side.object->bytes);
  };
  if (is_inside()) return;
  if (side.vectors != nullptr) {  // in several dimensions not all combinations of indices occur
    narrow_to_indices(part);
    reach = part.extent();
    if (is_inside()) return;
  }
  refuse(call,
         text("bytes ", offset + reach.low, " to ", offset + reach.high,
              " are not in the coarray, which has ", side.object->bytes),
         "keep subscripts to the bounds, and give no function as a vector subscript");
}

section remote_section(const process_state& us, const char* call, rank_id rank,
                       const coindexed& side) noexcept {
  section made = section_of(*side.described, side.kind);
  made.base = remote_base(us, rank, side);
  if (side.vectors != nullptr) {
    const auto before = static_cast<std::ptrdiff_t>(side.offset);
    apply_subscripts(made, *side.described, side.vectors,
                     {-before, static_cast<std::ptrdiff_t>(side.object->bytes) - before});
  }
  const std::byte* const start = us.remote_address(rank, side.object->memory);
  if (rank != us.runtime.rank()) check_inside(call, side, made, made.base - start);
  return made;
}

[[gnu::noinline]] void get_section(process_state& us, rank_id rank, const local_side& to,
                                   const coindexed& from, int* stat) {
  section source = remote_section(us, read_call, rank, from);
  const section target = section_of(*to.described, to.kind);
  if (from.vectors != nullptr) drop_single_dimensions(source, target);
  conform(read_call, target, source);
  access_image(us, rank, read_call, {.stat = stat},
               [&] { read_section(us, rank, target, source); });
}

[[gnu::noinline]] void send_section(process_state& us, rank_id rank, const coindexed& to,
                                    const local_side& from, int* stat) {
  section target = remote_section(us, write_call, rank, to);
  section source = section_of(*from.described, from.kind);
  if (to.vectors != nullptr) drop_single_dimensions(target, source);
  conform(write_call, target, source);
  const unseen_status status(us, stat);
  access_image(us, rank, write_call, status.variables(),
               [&] { write_section(us, rank, target, source); });
}

// These two are not inlined, because their callers would then save registers for them before they
// read or write one value.
[[gnu::noinline]] void get_elements(process_state& us, rank_id rank, const local_side& to,
                                    const coindexed& from) noexcept {
  if (!transfer_row(us, rank, from, to, row_access::read)) get_section(us, rank, to, from, nullptr);
}

[[gnu::noinline]] void send_elements(process_state& us, rank_id rank, const coindexed& to,
                                     const local_side& from) noexcept {
  if (!transfer_row(us, rank, to, from, row_access::write))
    send_section(us, rank, to, from, nullptr);
}

}  // namespace

void get(const local_side& to, const coindexed& from, int& stat) noexcept {
  process_state& us = running();
  get_section(us, rank_at(us, read_call, from), to, from, &stat);
}

void send(const coindexed& to, const local_side& from, int& stat) noexcept {
  process_state& us = running();
  send_section(us, rank_at(us, write_call, to), to, from, &stat);
}

void get(const local_side& to, const coindexed& from) noexcept {
  process_state& us = running();
  const rank_id rank = rank_at(us, read_call, from);
  if (is_one_to_one(from, to)) [[likely]] {
    const std::size_t bytes = to.described->dtype.element_bytes;
    const std::byte* const mapped =
        us.heaps.routes()[rank].direct(remote_base(us, rank, from), bytes);
    if (mapped != nullptr) [[likely]] {
      copy_element(to.described->data, mapped, bytes);
      fence_loads();
      return;
    }
  }
  get_elements(us, rank, to, from);
}

void send(const coindexed& to, const local_side& from) noexcept {
  process_state& us = running();
  const rank_id rank = rank_at(us, write_call, to);
  if (is_one_to_one(to, from)) [[likely]] {
    const std::size_t bytes = from.described->dtype.element_bytes;
    std::byte* const mapped = us.heaps.routes()[rank].direct(remote_base(us, rank, to), bytes);
    if (mapped != nullptr) [[likely]] {
      copy_element(mapped, from.described->data, bytes);
      fence_stores();
      return;
    }
  }
  send_elements(us, rank, to, from);
}

void sendget(const coindexed& to, const coindexed& from, int* stat) noexcept {
  static constexpr const char* call = "a coindexed assignment";
  process_state& us = running();
  const rank_id source_rank = rank_at(us, call, from);
  const rank_id target_rank = rank_at(us, call, to);
  section source = remote_section(us, call, source_rank, from);
  section target = remote_section(us, call, target_rank, to);
  if (to.vectors != nullptr) drop_single_dimensions(target, source);
  if (from.vectors != nullptr) drop_single_dimensions(source, target);
  conform(call, target, source);
  const auto buffer = make_buffer(source.count() * source.item.bytes);
  const section packed = packed_like(source, buffer.get(), source.item);
  const unseen_status status(us, stat);
  if (access_image(us, source_rank, call, {.stat = stat},
                   [&] { read_section(us, source_rank, packed, source); }))
    access_image(us, target_rank, call, status.variables(),
                 [&] { write_section(us, target_rank, target, packed); });
}

}  // namespace atl::coarray
