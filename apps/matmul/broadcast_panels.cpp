// SPDX-License-Identifier: BSD-3-Clause
//
// Panels by broadcasts in rows and columns of the grid. The owner of a panel of A packs it; rows of
// B are contiguous and sent from their place.
#include <apps/matmul/panel_source.hpp>
#include <atoll/coll/collectives.hpp>

namespace matmul {
namespace {

class broadcast_panels final : public panel_source {
 public:
  broadcast_panels(blocks& local, std::size_t n, std::size_t width, bool is_blocking)
      : local_(local),
        n_(n),
        is_blocking_(is_blocking),
        buffers_{panel_buffer(local, width), panel_buffer(local, width)} {}

  void start(const panel& next, std::size_t slot) override {
    slots_[slot] = {};
    const std::size_t width = next.inner.count;
    double* const a = buffers_[slot].a.data();
    if (next.column == local_.column) pack(next, a);
    double* b = buffers_[slot].b.data();
    if (next.row == local_.row) b = local_.b + next.in_b * local_.columns.count;
    const std::size_t a_bytes = local_.rows.count * width * sizeof(double);
    const std::size_t b_bytes = width * local_.columns.count * sizeof(double);
    slots_[slot].ready = {{a, width}, {b, local_.columns.count}};
    if (is_blocking_) {
      atl::coll::broadcast(*local_.row_team, next.column, a, a, a_bytes);
      atl::coll::broadcast(*local_.column_team, next.row, b, b, b_bytes);
    } else {
      slots_[slot].a = atl::coll::start_broadcast(*local_.row_team, next.column, a, a, a_bytes);
      slots_[slot].b = atl::coll::start_broadcast(*local_.column_team, next.row, b, b, b_bytes);
    }
  }

  operands wait(std::size_t slot) override {
    local_.memory.job().wait(slots_[slot].a);
    local_.memory.job().wait(slots_[slot].b);
    return slots_[slot].ready;
  }

  bool looks_ahead() const override { return !is_blocking_; }

 private:
  struct under_way {
    operands ready;
    atl::event a;
    atl::event b;
  };

  void pack(const panel& next, double* to) const {
    const std::size_t stride = local_.width(n_, local_.column);
    for (std::size_t row = 0; row < local_.rows.count; ++row)
      to = std::copy_n(local_.a + row * stride + next.in_a, next.inner.count, to);
  }

  blocks& local_;
  std::size_t n_;
  bool is_blocking_;
  panel_buffer buffers_[2];
  under_way slots_[2];
};

}  // namespace

std::unique_ptr<panel_source> make_broadcasts(blocks& local, std::size_t n, std::size_t width,
                                              bool is_blocking) {
  return std::make_unique<broadcast_panels>(local, n, width, is_blocking);
}

}  // namespace matmul
