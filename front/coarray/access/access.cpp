// SPDX-License-Identifier: BSD-3-Clause
//
// Access to a section of another image. The heaps are one segment, and so are static variables that
// were moved into shared memory. Memory that lies elsewhere, the target of a pointer, is reached in
// the segment of the whole address space, by copies of the kernel or by messages.
#include <front/coarray/access/access.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/strided/strided_access.hpp>
#include <front/coarray/access/image_access.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace atl::coarray {
namespace {

/// The bytes of a section, by its owner's addresses.
struct bytes_of_section {
  std::byte* low;
  std::size_t bytes;
};

bytes_of_section bytes_of(const section& part) noexcept {
  const section::reach reach = part.extent();
  return {part.base + reach.low, static_cast<std::size_t>(reach.high - reach.low)};
}

segment& segment_of(process_state& us, rank_id rank, const bytes_of_section& range) noexcept {
  return segment_with(us, rank, range.low, range.bytes);
}

bool overlap(const bytes_of_section& a, const bytes_of_section& b) noexcept {
  return a.low < b.low + b.bytes && b.low < a.low + a.bytes;
}

/// The section as this process addresses it: `low` is where its first bytes are.
section at_mapped(const section& remote, const bytes_of_section& range, std::byte* low) noexcept {
  section mapped = remote;
  mapped.base = low + (remote.base - range.low);
  return mapped;
}

/// An assignment with both sides here, in these bytes.
struct assignment {
  const section& to;
  bytes_of_section to_range;
  const section& from;
  bytes_of_section from_range;

  void run() const {
    if (takes_indices_of(to) || takes_indices_of(from)) return run_with_own_indices();
    if (overlap(to_range, from_range)) return run_by_buffer();
    if (to.item.is_same(from.item) && to.is_contiguous() && from.is_contiguous() &&
        to.rank == from.rank) {
      copy_bytes(to.base, from.base, to.count() * to.item.bytes);
      return;
    }
    assign(to, from);
  }

 private:
  using index_copies = std::vector<std::unique_ptr<std::byte[]>>;

  /// Whether the indices of a section lie where elements are written.
  bool takes_indices_of(const section& part) const noexcept {
    return std::any_of(part.dim.begin(), part.dim.begin() + part.rank,
                       [&](const section_dimension& each) {
                         return each.chosen.is_given() &&
                                overlap(to_range, {const_cast<std::byte*>(each.chosen.first),
                                                   each.chosen.bytes(each.count)});
                       });
  }

  static void copy_indices(section& part, index_copies& copies) {
    for (int d = 0; d < part.rank; ++d) {
      index_list& chosen = part.dim[d].chosen;
      if (!chosen.is_given()) continue;
      const std::size_t bytes = chosen.bytes(part.dim[d].count);
      copies.push_back(make_buffer(bytes));
      std::memcpy(copies.back().get(), chosen.first, bytes);
      chosen.first = copies.back().get();
    }
  }

  void run_with_own_indices() const {
    index_copies copies;
    section target = to;
    section source = from;
    copy_indices(target, copies);
    copy_indices(source, copies);
    assignment{target, to_range, source, from_range}.run();
  }

  void run_by_buffer() const {
    const auto buffer = make_buffer(from.count() * from.item.bytes);
    const section packed = packed_like(from, buffer.get(), from.item);
    assign(packed, from);
    assign(to, packed);
  }
};

// --- sections that loads and stores do not reach

std::vector<void*> addresses_of(const section& part) {
  std::vector<void*> found;
  const std::size_t count = part.count();
  found.reserve(count);
  std::array<std::size_t, gfortran::max_rank> position{};
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* place = part.base;
    for (int d = 0; d < part.rank; ++d) place += part.dim[d].offset(position[d]);
    found.push_back(place);
    for (int d = 0; d < part.rank && ++position[d] == part.dim[d].count; ++d) position[d] = 0;
  }
  return found;
}

/// Strides and counts of two sections of one shape, as the core takes them.
struct section_blocks {
  std::array<std::ptrdiff_t, gfortran::max_rank> to_strides;
  std::array<std::ptrdiff_t, gfortran::max_rank> from_strides;
  std::array<std::size_t, gfortran::max_rank> counts;
  std::size_t rank;

  section_blocks(const section& to, const section& from) noexcept
      : rank(static_cast<std::size_t>(to.rank)) {
    for (std::size_t d = 0; d < rank; ++d) {
      to_strides[d] = to.dim[d].stride_bytes;
      from_strides[d] = from.dim[d].stride_bytes;
      counts[d] = to.dim[d].count;
    }
  }
  strided_transfer transfer(const section& to, const section& from) const noexcept {
    return {.to = to.base,
            .to_strides = {to_strides.data(), rank},
            .from = from.base,
            .from_strides = {from_strides.data(), rank},
            .element_bytes = to.item.bytes,
            .counts = {counts.data(), rank}};
  }
};

/// Calls start(transfer), with a list of addresses where a side has vector subscripts.
template <class Start>
void with_transfer(const section& to, const section& from, Start start) {
  if (to.has_vectors() || from.has_vectors()) {
    const std::vector<void*> targets = addresses_of(to);
    const std::vector<void*> sources = addresses_of(from);
    start(indexed_transfer{.to = {targets, to.item.bytes}, .from = {sources, to.item.bytes}});
    return;
  }
  start(section_blocks(to, from).transfer(to, from));
}

void require_done(operation_status status) {
  if (status != operation_status::done) throw lost_image{};
}

void fetch(process_state& us, rank_id rank, const section& to, const section& from) {
  const bytes_of_section range = bytes_of(from);
  segment& memory = segment_of(us, rank, range);
  us.writes.wait_for(rank, range.low, range.bytes);
  if (to.is_contiguous() && from.is_contiguous()) {
    require_done(atl::get(memory, to.base, rank, from.base, to.count() * to.item.bytes));
    return;
  }
  operation record;
  with_transfer(to, from, [&](const auto& transfer) { start_get(memory, rank, transfer, record); });
  us.runtime.wait_until([&] { return record.complete(); });
  require_done(record.status.load());
}

void store(process_state& us, rank_id rank, const section& to, const section& from) {
  const bytes_of_section range = bytes_of(to);
  segment& memory = segment_of(us, rank, range);
  operation& record = us.writes.begin(rank, range.low, range.bytes);
  if (to.is_contiguous() && from.is_contiguous()) {
    segment_access::start_put(memory, rank, to.base, from.base, range.bytes, record, {});
    return;
  }
  with_transfer(to, from, [&](const auto& transfer) { start_put(memory, rank, transfer, record); });
}

}  // namespace

segment& segment_with(process_state& us, rank_id rank, const std::byte* address,
                      std::size_t bytes) noexcept {
  if (us.heaps.routes()[rank].contains(address, bytes)) return us.heaps;
  const bool is_variable = us.variables && us.variables->routes()[rank].contains(address, bytes);
  if (is_variable) return *us.variables;
  segment_access::open_alike(us.everything, rank);
  return us.everything;
}

std::unique_ptr<std::byte[]> make_buffer(std::size_t bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[bytes]);
}

void read_section(process_state& us, rank_id rank, const section& to, const section& from) {
  if (to.count() == 0) return;
  const bytes_of_section range = bytes_of(from);
  std::byte* const mapped =
      segment_of(us, rank, range).routes()[rank].direct(range.low, range.bytes);
  if (mapped != nullptr) {
    const section source = at_mapped(from, range, mapped);
    assignment{to, bytes_of(to), source, {mapped, range.bytes}}.run();
    fence_loads();
    return;
  }
  if (to.item.is_same(from.item) && to.rank == from.rank) return fetch(us, rank, to, from);
  const auto buffer = make_buffer(from.count() * from.item.bytes);
  const section packed = packed_like(from, buffer.get(), from.item);
  fetch(us, rank, packed, from);
  assign(to, packed);
}

void write_section(process_state& us, rank_id rank, const section& to, const section& from) {
  if (to.count() == 0) return;
  const bytes_of_section range = bytes_of(to);
  std::byte* const mapped =
      segment_of(us, rank, range).routes()[rank].direct(range.low, range.bytes);
  if (mapped != nullptr) {
    const section target = at_mapped(to, range, mapped);
    assignment{target, {mapped, range.bytes}, from, bytes_of(from)}.run();
    fence_stores();
    return;
  }
  if (to.item.is_same(from.item) && to.rank == from.rank) return store(us, rank, to, from);
  const auto buffer = make_buffer(to.count() * to.item.bytes);
  const section packed = packed_like(to, buffer.get(), to.item);
  assign(packed, from);
  store(us, rank, to, packed);
}

void read_bytes(process_state& us, rank_id rank, void* to, const std::byte* from,
                std::size_t bytes) {
  us.writes.wait_for(rank, from, bytes);
  require_done(atl::get(segment_with(us, rank, from, bytes), to, rank, from, bytes));
}

void write_bytes(process_state& us, rank_id rank, std::byte* to, const void* from,
                 std::size_t bytes) noexcept {
  segment& memory = segment_with(us, rank, to, bytes);
  if (put_mapped(memory, rank, to, from, bytes)) [[likely]] {
    fence_stores();
    return;
  }
  if (bytes == 0) return;
  segment_access::start_put(memory, rank, to, from, bytes, us.writes.begin(rank, to, bytes), {});
}

void conform(const char* call, const section& to, section& from) noexcept {
  if (!is_convertible(to.item, from.item)) {
    refuse(call,
           text("elements of type ", static_cast<int>(from.item.type), ", kind ", from.item.kind,
                " cannot become elements of type ", static_cast<int>(to.item.type), ", kind ",
                to.item.kind),
           "assign numbers to numbers, logicals to logicals, characters to characters");
  }
  if (from.rank == 0) return;
  bool is_enough = to.rank == from.rank;
  for (int d = 0; is_enough && d < to.rank; ++d) is_enough = to.dim[d].count <= from.dim[d].count;
  if (is_enough) {
    for (int d = 0; d < to.rank; ++d) from.dim[d].count = to.dim[d].count;
    return;
  }
  refuse(call,
         text("the sides differ in shape: ", to.count(), " elements in ", to.rank,
              " dimensions from ", from.count(), " in ", from.rank),
         "let both sides have one shape");
}

}  // namespace atl::coarray
