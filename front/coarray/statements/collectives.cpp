// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of data, over those of the core. With STAT= they work on a copy: if an image has
// stopped, the operation of the core never ends and keeps its buffer, while the program goes on. If
// an image has failed it ends without a result; some images may have had theirs before.
#include <front/coarray/statements/collectives.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/coarray/data/section.hpp>
#include <front/coarray/statements/operations.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <cstddef>
#include <memory>

namespace atl::coarray {
namespace {

/// The argument of a collective as contiguous memory.
class payload {
 public:
  payload(const gfortran::array_descriptor& data, bool is_copied)
      : program_(section_of(data, 1)),
        is_copied_(is_copied || !program_.is_contiguous()),
        bytes_(is_copied_ ? new std::byte[program_.count() * program_.item.bytes] : program_.base) {
    if (is_copied_) assign(packed(), program_);
  }
  payload(const payload&) = delete;
  payload& operator=(const payload&) = delete;
  ~payload() {
    if (is_copied_) delete[] bytes_;
  }

  std::byte* bytes() const noexcept { return bytes_; }
  std::size_t count() const noexcept { return program_.count(); }
  std::size_t element_bytes() const noexcept { return program_.item.bytes; }

  void give_to_program() const noexcept {
    if (is_copied_) assign(program_, packed());
  }
  /// Leaves the buffer to an operation that never ends.
  void abandon() noexcept { is_copied_ = false; }

 private:
  section packed() const noexcept { return packed_like(program_, bytes_, program_.item); }

  section program_;
  bool is_copied_;
  std::byte* bytes_;
};

/// Runs start(team, payload), an operation of the core. False where it never ends and keeps its
/// buffers.
template <class Start>
bool run(process_state& us, gfortran::array_descriptor& data, const char* call,
         const status_variables& status, Start start) {
  image_team& team = *us.current;
  payload copied(data, status.stat != nullptr);
  if (!enter(us, team, call, status)) return true;
  event done = start(*team.core, copied);
  const sync_result synced = wait_for_members(us, team, done, call, status);
  if (synced != sync_result::of_all) {
    copied.abandon();
    conclude(us, team, call, synced, status);
    return false;
  }
  copied.give_to_program();
  status.succeed();
  return true;
}

rank_id member_of(const process_state& us, const char* call, int image) noexcept {
  if (image < 1 || static_cast<rank_id>(image) > us.image_count())
    refuse_image(call, image, us.image_count());
  return static_cast<rank_id>(image) - 1;
}

void refuse_type(const char* call, const gfortran::array_descriptor& data) noexcept {
  refuse(call,
         text("elements of type ", static_cast<int>(data.dtype.type), " and ",
              data.dtype.element_bytes, " bytes do not have this operation"),
         "use numbers, or for CO_MIN and CO_MAX characters; else CO_REDUCE");
}

}  // namespace

bool co_reduce_by(gfortran::array_descriptor& data, const char* call,
                  const coll::reduction& combiner, int result_image,
                  const status_variables& status) noexcept {
  process_state& us = running();
  return run(us, data, call, status, [&](atl::team& team, const payload& copied) {
    if (result_image == 0) {
      return coll::start_allreduce(team, copied.bytes(), copied.bytes(), copied.count(), combiner);
    }
    return coll::start_reduce(team, member_of(us, call, result_image), copied.bytes(),
                              copied.bytes(), copied.count(), combiner);
  });
}

void co_broadcast(gfortran::array_descriptor& data, int source_image,
                  const status_variables& status) noexcept {
  static constexpr const char* call = "CO_BROADCAST";
  process_state& us = running();
  run(us, data, call, status, [&](atl::team& team, const payload& copied) {
    return coll::start_broadcast(team, member_of(us, call, source_image), copied.bytes(),
                                 copied.bytes(), copied.count() * copied.element_bytes());
  });
}

// gfortran passes such a component, of any rank, as an array of rank 1 that starts at 1, and sets
// neither span nor offset. They may hold what another descriptor left on the stack, which looks
// valid; but such a span may lead out of the component's memory. Two small elements fit into their
// block at either distance, and the size of private memory is not known: in these cases a span that
// looks valid counts as valid.
bool lacks_span(const gfortran::array_descriptor& data) noexcept {
  const gfortran::dimension& only = data.dim[0];
  if (data.dtype.rank != 1 || only.lower != 1 || only.stride != 1) return false;
  if (only.extent() < 2) return false;  // a single element needs no span
  const std::size_t bytes = data.dtype.element_bytes;
  const auto span = static_cast<std::size_t>(data.span);
  if (span == bytes) return false;
  if (data.offset != std::size_t{0} - 1 || span < bytes) return true;
  process_state& us = running();
  if (!us.is_in_heaps(data.data)) return false;
  const memory::heap& heap = us.runtime.heap();
  return heap.find_misuse(data.data).empty() &&
         span > heap.usable_size(data.data) / static_cast<std::size_t>(only.extent());
}

void co_sum(gfortran::array_descriptor& data, int result_image, int kind,
            const status_variables& status) noexcept {
  static constexpr const char* call = "CO_SUM";
  const coll::reduction combiner = sum_of(data.dtype.type, data.dtype.element_bytes, kind);
  if (combiner.combine == nullptr) refuse_type(call, data);
  co_reduce_by(data, call, combiner, result_image, status);
}

void co_extreme(gfortran::array_descriptor& data, extreme which, int result_image,
                const ordered_type& type, const status_variables& status) noexcept {
  const char* const call = which == extreme::least ? "CO_MIN" : "CO_MAX";
  auto shape = std::make_unique<text_shape>(text_shape{
      static_cast<std::size_t>(type.length),
      type.length > 0 ? data.dtype.element_bytes / static_cast<std::size_t>(type.length) : 1});
  const coll::reduction combiner =
      data.dtype.type == gfortran::type_code::character
          ? extreme_of_texts(which, data.dtype.element_bytes, *shape)
          : extreme_of(which, data.dtype.type, data.dtype.element_bytes, type.kind);
  if (combiner.combine == nullptr) refuse_type(call, data);
  if (!co_reduce_by(data, call, combiner, result_image, status)) (void)shape.release();
}

void co_reduce(gfortran::array_descriptor& data, const user_operation& operation, int result_image,
               int length, const status_variables& status) noexcept {
  static constexpr const char* call = "CO_REDUCE";
  auto context = std::make_unique<user_context>(
      user_context{operation.function, data.dtype.element_bytes, static_cast<std::size_t>(length)});
  const coll::reduction combiner = reduction_by_user(operation, data.dtype.type, *context);
  if (combiner.combine == nullptr) {
    refuse(call,
           text("operations on elements of type ", static_cast<int>(data.dtype.type), " and ",
                data.dtype.element_bytes, " bytes are not supported"),
           "use an intrinsic type, or a derived type of more than 16 bytes");
  }
  if (!co_reduce_by(data, call, combiner, result_image, status)) (void)context.release();
}

}  // namespace atl::coarray
