// SPDX-License-Identifier: BSD-3-Clause
//
// Three variants that move chunks in step, each faster and less simple than the one before: a copy
// of the vector in a shared buffer, read element by element (1); the same with one put and one get
// for the whole chunk (2); puts into the partners' buffers, two for each partner, so that one is
// filled while the other is read (3).
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/chunked.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/progress/event.hpp>

#include <vector>

namespace spin {

/// The common part of 1 and 2: a buffer that all partners read, and private memory for the copies.
class through_buffer : public chunked {
 public:
  through_buffer(atl::runtime& job, shared_area& area, const exchange_shape& shape);
  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return shared_area::bytes_of(elements(shape, 1), sizeof(double));
  }

 protected:
  /// Copies the first `elements` of a partner's buffer to `to`.
  virtual void read(double* to, atl::rank_id partner, std::size_t elements) = 0;
  void complete(const chunk& moved) final;
  void used(const chunk&) final;

  atl::runtime& job_;
  const shared_area& area_;
  double* buffer_;

 private:
  std::vector<aligned_numbers> copies_;  // of each partner's chunk
};

class inelegant1 final : public through_buffer {
  using through_buffer::through_buffer;
  void start(const chunk& moved) override;
  void read(double* to, atl::rank_id partner, std::size_t elements) override;
};

class inelegant2 final : public through_buffer {
  using through_buffer::through_buffer;
  void start(const chunk& moved) override;
  void read(double* to, atl::rank_id partner, std::size_t elements) override;
};

class inelegant3 final : public chunked {
 public:
  inelegant3(atl::runtime& job, shared_area& area, const exchange_shape& shape);
  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return shape.partners * shared_area::bytes_of(elements(shape, 2), sizeof(double));
  }
  void finish() override;

 private:
  void start(const chunk& moved) override;
  void complete(const chunk& moved) override;

  atl::runtime& job_;
  std::vector<double*> remote_;  // the partners' buffers for this rank
  std::vector<atl::event> events_;
};

}  // namespace spin
