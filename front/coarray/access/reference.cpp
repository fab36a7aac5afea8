// SPDX-License-Identifier: BSD-3-Clause
//
// Walking chains of references. Of all parts of a chain at most one has a rank, and no part to its
// right is allocatable or a pointer (Fortran 2018, 9.4.2); so the result is one section.
#include <front/coarray/access/reference.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/coarray/access/access.hpp>
#include <front/coarray/access/chain_calls.hpp>
#include <front/coarray/access/chain_walk.hpp>
#include <front/coarray/access/image_access.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace atl::coarray {
namespace {

using gfortran::reference;
using gfortran::reference_kind;
using gfortran::subscript_mode;

// --- one element, on a way that is mapped throughout

/// Walks to one element in memory that this process maps, without copying descriptors on the way. A
/// loop over elements of a component calls this for each.
class direct_walk {
 public:
  direct_walk(const process_state& us, rank_id rank, const referenced& side) noexcept
      : heaps_(us.heaps.routes()[rank]),
        variables_(us.variables ? &us.variables->routes()[rank] : nullptr),
        own_(*side.object->described_by),
        address_(us.remote_address(rank, side.object->memory)) {}

  /// The address of the element in this process; null where the chain does not end at an element of
  /// this size, or leads out of mapped memory, or a part is not allocated.
  std::byte* find(const reference* chain, std::size_t bytes) noexcept {
    const gfortran::array_descriptor* array = &own_;
    const reference* last = chain;
    for (const reference* step = chain; step != nullptr; step = step->next) {
      last = step;
      if (step->kind == reference_kind::component) {
        if (!enter(*step, array)) return nullptr;
      } else if (!select(*step, array)) {
        return nullptr;
      }
    }
    if (last == nullptr || last->item_bytes != bytes) return nullptr;
    return map(bytes);
  }

 private:
  std::byte* map(std::size_t bytes) const noexcept {
    std::byte* const found = heaps_.direct(address_, bytes);
    if (found != nullptr || variables_ == nullptr) return found;
    return variables_->direct(address_, bytes);
  }

  bool enter(const reference& step, const gfortran::array_descriptor*& array) noexcept {
    address_ += step.component.offset;
    if (step.component.token_offset == 0) return true;
    const bool is_array = step.next != nullptr && step.next->kind == reference_kind::array;
    const std::size_t bytes =
        is_array ? gfortran::array_descriptor::bytes_for(dimensions_of(step.next->array))
                 : sizeof(std::byte*);
    const std::byte* const mapped = map(bytes);
    if (mapped == nullptr) return false;
    array = reinterpret_cast<const gfortran::array_descriptor*>(mapped);
    address_ = array->data;  // a scalar pointer is where the data of its descriptor begins
    return address_ != nullptr;
  }

  bool select(const reference& step, const gfortran::array_descriptor* array) noexcept {
    const bool is_static = step.kind == reference_kind::static_array;
    const auto item = static_cast<std::ptrdiff_t>(step.item_bytes);
    const std::ptrdiff_t span = is_static || array->span == 0 ? item : array->span;
    for (int d = 0; d < gfortran::max_rank && step.array.mode[d] != subscript_mode::end; ++d) {
      if (step.array.mode[d] != subscript_mode::single) return false;
      const std::ptrdiff_t start = step.array.dim[d].triplet.start;
      address_ +=
          is_static ? start * span : (start - array->dim[d].lower) * array->dim[d].stride * span;
    }
    return true;
  }

  const route& heaps_;
  const route* variables_;  // null where no image has shared its own
  const gfortran::array_descriptor& own_;
  std::byte* address_;
};
static_assert(offsetof(gfortran::array_descriptor, data) == 0);

/// Whether one value of this image is assigned to or from one of the same type.
bool is_value(const local_side& local, const referenced& remote) noexcept {
  const gfortran::array_type& type = local.described->dtype;
  return type.rank == 0 && type.type == remote.type && local.kind == remote.kind &&
         local.described->data != nullptr;
}

section find_section(walk& way, const char* call, const referenced& side) {
  if (!way.go(side.chain)) {
    refuse(call,
           text("on image ", side.image,
                " a part on the way is not allocated, or a pointer that points nowhere"),
           "allocate it there, and synchronize both images before this image comes here");
  }
  const section found = way.result(side.type, side.kind);
  if (found.item.bytes == 0) {
    refuse(call, "the length of a component of type character(:) is not known",
           "allocate it, or give it a fixed length, and let it be no pointer to another variable");
  }
  return found;
}

// --- a local side that is allocatable

bool has_shape(const gfortran::array_descriptor& described, const section& shape) noexcept {
  if (described.data == nullptr || described.dtype.rank != shape.rank) return false;
  for (int d = 0; d < shape.rank; ++d) {
    if (static_cast<std::size_t>(described.dim[d].extent()) != shape.dim[d].count) return false;
  }
  return true;
}

void allocate_like(gfortran::array_descriptor& to, const section& shape,
                   const char* call) noexcept {
  if (has_shape(to, shape)) return;
  const std::size_t bytes = shape.count() * to.dtype.element_bytes;
  void* data = to.data;
  if (!resize_component_data(&data, bytes)) data = std::realloc(to.data, bytes != 0 ? bytes : 1);
  if (data == nullptr) refuse(call, text("there is no memory for ", bytes, " bytes"), "use less");
  to.data = static_cast<std::byte*>(data);
  to.dtype.rank = static_cast<std::int8_t>(shape.rank);
  to.span = static_cast<std::ptrdiff_t>(to.dtype.element_bytes);
  std::ptrdiff_t stride = 1;
  std::ptrdiff_t offset = 0;
  for (int d = 0; d < shape.rank; ++d) {
    const auto count = static_cast<std::ptrdiff_t>(shape.dim[d].count);
    to.dim[d] = {stride, 1, count};
    offset -= stride;
    stride *= count;
  }
  to.offset = static_cast<std::size_t>(offset);
}

constexpr const char* read_call = "a coindexed read of a component";
constexpr const char* write_call = "a coindexed write to a component";

[[gnu::noinline]] void get_section(process_state& us, rank_id rank, const local_side& to,
                                   const referenced& from, bool may_allocate,
                                   const status_variables& status) {
  access_image(us, rank, read_call, status, [&] {
    section source;
    const bool is_fetched = is_reached_by_messages(us, rank) && get_chain(us, rank, from, source);
    walk way(us, rank, *from.object);
    if (!is_fetched) source = find_section(way, read_call, from);
    if (may_allocate) allocate_like(*to.described, source, read_call);
    const section target = section_of(*to.described, to.kind);
    conform(read_call, target, source);
    if (is_fetched) return assign(target, source);
    read_section(us, rank, target, source);
  });
}

[[gnu::noinline]] void send_section(process_state& us, rank_id rank, const referenced& to,
                                    const local_side& from, int* stat) {
  const unseen_status status(us, stat);
  access_image(us, rank, write_call, status.variables(), [&] {
    section source = section_of(*from.described, from.kind);
    if (is_reached_by_messages(us, rank) && send_chain(us, rank, to, source)) return;
    walk way(us, rank, *to.object);
    const section target = find_section(way, write_call, to);
    conform(write_call, target, source);
    write_section(us, rank, target, source);
  });
}

/// Data of one image on the way to another one.
struct carried_data {
  std::unique_ptr<std::byte[]> buffer;
  section data;
};

carried_data fetch_data(process_state& us, rank_id rank, const referenced& from, const char* call) {
  section source;
  const bool is_fetched = is_reached_by_messages(us, rank) && get_chain(us, rank, from, source);
  walk way(us, rank, *from.object);
  if (!is_fetched) source = find_section(way, call, from);
  carried_data made{make_buffer(source.count() * source.item.bytes), {}};
  made.data = packed_like(source, made.buffer.get(), source.item);
  if (is_fetched || rank == us.runtime.rank()) {
    us.writes.wait();  // of this image to itself, where those go by messages
    assign(made.data, source);
  } else {
    read_section(us, rank, made.data, source);
  }
  return made;
}

}  // namespace

void get_by_reference(const local_side& to, const referenced& from, bool may_allocate,
                      int& stat) noexcept {
  process_state& us = running();
  get_section(us, rank_of(us, read_call, from.image), to, from, may_allocate, {.stat = &stat});
}

void send_by_reference(const referenced& to, const local_side& from, int& stat) noexcept {
  process_state& us = running();
  send_section(us, rank_of(us, write_call, to.image), to, from, &stat);
}

void get_by_reference(const local_side& to, const referenced& from, bool may_allocate) noexcept {
  process_state& us = running();
  const rank_id rank = rank_of(us, read_call, from.image);
  if (is_value(to, from)) [[likely]] {
    const std::size_t bytes = to.described->dtype.element_bytes;
    const std::byte* const mapped = direct_walk(us, rank, from).find(from.chain, bytes);
    if (mapped != nullptr) [[likely]] {
      copy_element(to.described->data, mapped, bytes);
      fence_loads();
      return;
    }
  }
  get_section(us, rank, to, from, may_allocate, {});
}

void send_by_reference(const referenced& to, const local_side& from) noexcept {
  process_state& us = running();
  const rank_id rank = rank_of(us, write_call, to.image);
  if (is_value(from, to)) [[likely]] {
    const std::size_t bytes = from.described->dtype.element_bytes;
    std::byte* const mapped = direct_walk(us, rank, to).find(to.chain, bytes);
    if (mapped != nullptr) [[likely]] {
      copy_element(mapped, from.described->data, bytes);
      fence_stores();
      return;
    }
  }
  send_section(us, rank, to, from, nullptr);
}

void sendget_by_reference(const referenced& to, const referenced& from, int* to_stat,
                          int* from_stat) noexcept {
  static constexpr const char* call = "a coindexed assignment to a component";
  process_state& us = running();
  const rank_id source_rank = rank_of(us, call, from.image);
  const rank_id target_rank = rank_of(us, call, to.image);
  carried_data carried;
  if (!access_image(us, source_rank, call, {.stat = from_stat},
                    [&] { carried = fetch_data(us, source_rank, from, call); }))
    return;
  const unseen_status status(us, to_stat);
  access_image(us, target_rank, call, status.variables(), [&] {
    if (is_reached_by_messages(us, target_rank) && send_chain(us, target_rank, to, carried.data))
      return;
    walk way(us, target_rank, *to.object);
    const section target = find_section(way, call, to);
    conform(call, target, carried.data);
    write_section(us, target_rank, target, carried.data);
  });
}

bool is_present(const coarray& object, int image, const gfortran::reference* chain) noexcept {
  process_state& us = running();
  static constexpr const char* call = "ALLOCATED";
  const rank_id rank = rank_of(us, call, image);
  walk way(us, rank, object);
  bool is_allocated = false;
  access_image(us, rank, call, {}, [&] {
    const bool is_known =
        is_reached_by_messages(us, rank) && find_chain(us, rank, object, chain, is_allocated);
    if (!is_known) is_allocated = way.go(chain);
  });
  return is_allocated;
}

}  // namespace atl::coarray
