// SPDX-License-Identifier: BSD-3-Clause
//
// Walking a chain of references in the memory of an image, by the descriptors that lie there. Of
// all parts of a chain at most one has a rank, and no part to its right is allocatable or a pointer
// (Fortran 2018, 9.4.2); so the result is one section.
#pragma once

#include <front/coarray/access/access.hpp>
#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/memory/coarray.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace atl::coarray {

inline int dimensions_of(const gfortran::reference::array_step& step) noexcept {
  int count = 0;
  while (count < gfortran::max_rank && step.mode[count] != gfortran::subscript_mode::end) ++count;
  return count;
}

class walk {
 public:
  /// Begins at an address of the image; `described_by` describes an array that begins there.
  walk(process_state& us, rank_id rank, std::byte* start,
       const gfortran::array_descriptor* described_by)
      : us_(us), rank_(rank), described_by_(described_by), address_(start) {}
  walk(process_state& us, rank_id rank, const coarray& object)
      : walk(us, rank, us.remote_address(rank, object.memory), object.described_by) {}

  /// False: a part on the way is not allocated, or a pointer that points nowhere.
  bool go(const gfortran::reference* chain) {
    if (chain != nullptr &&
        chain->kind == gfortran::reference_kind::array) {  // its descriptor is that of this image
      std::memcpy(&descriptor_, described_by_,
                  gfortran::array_descriptor::bytes_for(dimensions_of(chain->array)));
    }
    for (const gfortran::reference* step = chain; step != nullptr; step = step->next) {
      item_bytes_ = step->item_bytes;
      if (step->kind == gfortran::reference_kind::component) {
        if (!enter_component(*step)) return false;
      } else {
        apply_array(*step);
      }
    }
    return true;
  }

  section result(gfortran::type_code type, int kind) const noexcept {
    section made = shape_;
    made.base = address_;
    made.item = {type, kind, item_bytes_};
    return made;
  }

 private:
  /// An image that walks in its own memory does so for another image, and must not wait.
  void read(void* to, const std::byte* from, std::size_t bytes) {
    if (rank_ == us_.runtime.rank()) {
      std::memcpy(to, from, bytes);
    } else {
      read_bytes(us_, rank_, to, from, bytes);
    }
  }

  bool enter_component(const gfortran::reference& step) {
    const std::byte* const token = address_ + step.component.token_offset;
    address_ += step.component.offset;
    if (step.component.token_offset == 0) return true;
    const bool is_array =
        step.next != nullptr && step.next->kind == gfortran::reference_kind::array;
    if (is_array) {
      read(&descriptor_, address_,
           gfortran::array_descriptor::bytes_for(dimensions_of(step.next->array)));
      address_ = descriptor_.data;
    } else {
      read(&address_, std::as_const(address_), sizeof address_);
      if (address_ != nullptr && item_bytes_ == 0) item_bytes_ = allocated_bytes(token);
    }
    return address_ != nullptr;
  }

  /// The size of a component of type character(:): that of its allocation, because the library does
  /// not know where the compiler keeps the length. 0: it was not registered, or it is a pointer to
  /// something else than what was allocated for it.
  std::size_t allocated_bytes(const std::byte* token_address) {
    const coarray* token = nullptr;
    read(&token, token_address, sizeof token);
    if (token == nullptr) return 0;
    struct allocation {
      std::byte* memory;
      std::size_t bytes;
    };
    static_assert(offsetof(coarray, memory) == 0 &&
                  offsetof(coarray, bytes) == offsetof(allocation, bytes));
    allocation made = {};
    read(&made, reinterpret_cast<const std::byte*>(token), sizeof made);
    return made.memory == address_ ? made.bytes : 0;
  }

  void apply_array(const gfortran::reference& step) {
    const bool is_static = step.kind == gfortran::reference_kind::static_array;
    if (item_bytes_ == 0) item_bytes_ = descriptor_.dtype.element_bytes;  // of character(:)
    const int count = dimensions_of(step.array);
    const auto item = static_cast<std::ptrdiff_t>(item_bytes_);
    const std::ptrdiff_t span = is_static || descriptor_.span == 0 ? item : descriptor_.span;
    for (int d = 0; d < count; ++d) {
      if (is_static) {
        apply_static(step.array.mode[d], step.array.dim[d].triplet, item);
      } else {
        apply_dimension(step.array.mode[d], step.array.dim[d], descriptor_.dim[d], span);
      }
    }
  }

  void apply_static(gfortran::subscript_mode mode, const gfortran::reference::range& range,
                    std::ptrdiff_t item) {
    address_ += range.start * item;
    if (mode == gfortran::subscript_mode::single) return;
    if (mode == gfortran::subscript_mode::vector) {
      refuse("a reference to a component", "a vector subscript of an array of fixed bounds",
             "copy the array first, and select from the copy");
    }
    add_dimension(range, range.stride * item);
  }

  void apply_dimension(gfortran::subscript_mode mode, const gfortran::reference::subscript& chosen,
                       const gfortran::dimension& bounds, std::ptrdiff_t span) {
    const std::ptrdiff_t unit = bounds.stride * span;
    if (mode == gfortran::subscript_mode::vector) return add_vector(chosen.vector, bounds, unit);
    gfortran::reference::range range = chosen.triplet;
    const bool runs_down = range.stride < 0;
    if (mode == gfortran::subscript_mode::full || mode == gfortran::subscript_mode::open_start)
      range.start = runs_down ? bounds.upper : bounds.lower;
    if (mode == gfortran::subscript_mode::full || mode == gfortran::subscript_mode::open_end)
      range.end = runs_down ? bounds.lower : bounds.upper;
    address_ += (range.start - bounds.lower) * unit;
    if (mode != gfortran::subscript_mode::single) add_dimension(range, range.stride * unit);
  }

  void add_dimension(const gfortran::reference::range& range,
                     std::ptrdiff_t stride_bytes) noexcept {
    const std::ptrdiff_t step = range.stride != 0 ? range.stride : 1;
    const std::ptrdiff_t count = (range.end - range.start + step) / step;
    shape_.dim[shape_.rank++] = {static_cast<std::size_t>(count < 0 ? 0 : count), stride_bytes, {}};
  }

  void add_vector(const gfortran::reference::index_vector& vector,
                  const gfortran::dimension& bounds, std::ptrdiff_t unit) noexcept {
    shape_.dim[shape_.rank++] = {vector.count, unit,
                                 list_indices(vector.indices, vector.kind, vector.count,
                                              bounds.lower, {bounds.lower, bounds.upper})};
  }

  process_state& us_;
  rank_id rank_;
  const gfortran::array_descriptor* described_by_;
  std::byte* address_;
  std::size_t item_bytes_ = 0;
  gfortran::array_descriptor descriptor_ = {};  // of the part that was entered last
  section shape_;
};

}  // namespace atl::coarray
