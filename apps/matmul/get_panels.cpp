// SPDX-License-Identifier: BSD-3-Clause
//
// Panels by gets. Factors do not change while they are multiplied, so a rank reads what it needs
// when it needs it, and no other rank takes part. A panel of A is a strided get of one dimension.
#include <apps/matmul/panel_source.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided.hpp>

namespace matmul {
namespace {

class get_panels final : public panel_source {
 public:
  get_panels(blocks& local, std::size_t n, std::size_t width, bool is_in_place)
      : local_(local),
        n_(n),
        is_in_place_(is_in_place),
        buffers_{panel_buffer(local, width), panel_buffer(local, width)} {}

  void start(const panel& next, std::size_t slot) override {
    slots_[slot] = {};
    start_a(next, slot);
    start_b(next, slot);
  }

  operands wait(std::size_t slot) override {
    local_.memory.job().wait(slots_[slot].a);
    local_.memory.job().wait(slots_[slot].b);
    return slots_[slot].ready;
  }

  bool looks_ahead() const override { return true; }

 private:
  struct under_way {
    operands ready;
    atl::event a;
    atl::event b;
  };

  // The address at which `values` of a rank can be read here; null when they must be fetched.
  const double* place_of(atl::rank_id owner, const double* values) const {
    const bool is_own = owner == local_.memory.job().rank();
    return is_own || is_in_place_ ? local_.memory.local_address(owner, values) : nullptr;
  }

  void start_a(const panel& next, std::size_t slot) {
    const atl::rank_id owner = local_.row_team->job_rank(next.column);
    const std::size_t stride = local_.width(n_, next.column);
    const double* const remote = local_.memory.peer_address(owner, local_.a) + next.in_a;
    if (const double* const mapped = place_of(owner, remote)) {
      slots_[slot].ready.a = {mapped, stride};
      return;
    }
    slots_[slot].ready.a = {buffers_[slot].a.data(), next.inner.count};
    if (local_.rows.count == 0) return;
    const auto to_stride = static_cast<std::ptrdiff_t>(next.inner.count * sizeof(double));
    const auto from_stride = static_cast<std::ptrdiff_t>(stride * sizeof(double));
    atl::get_nb(local_.memory.job().primordial(), owner,
                atl::strided_transfer{.to = buffers_[slot].a.data(),
                                      .to_strides = {&to_stride, 1},
                                      .from = remote,
                                      .from_strides = {&from_stride, 1},
                                      .element_bytes = next.inner.count * sizeof(double),
                                      .counts = {&local_.rows.count, 1}},
                slots_[slot].a);
  }

  void start_b(const panel& next, std::size_t slot) {
    const atl::rank_id owner = local_.column_team->job_rank(next.row);
    const std::size_t width = local_.columns.count;
    const double* const remote = local_.memory.peer_address(owner, local_.b) + next.in_b * width;
    if (const double* const mapped = place_of(owner, remote)) {
      slots_[slot].ready.b = {mapped, width};
      return;
    }
    slots_[slot].ready.b = {buffers_[slot].b.data(), width};
    atl::get_nb(local_.memory.job().heaps(), buffers_[slot].b.data(), owner, remote,
                next.inner.count * width * sizeof(double), slots_[slot].b);
  }

  blocks& local_;
  std::size_t n_;
  bool is_in_place_;
  panel_buffer buffers_[2];
  under_way slots_[2];
};

}  // namespace

std::unique_ptr<panel_source> make_gets(blocks& local, std::size_t n, std::size_t width,
                                        bool is_in_place) {
  return std::make_unique<get_panels>(local, n, width, is_in_place);
}

}  // namespace matmul
