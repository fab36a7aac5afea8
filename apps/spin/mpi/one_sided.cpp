// SPDX-License-Identifier: BSD-3-Clause
//
// Puts into windows. The fence that completes a chunk also opens the epoch in which the next one is
// put, while the kernel reads from the other buffer. MPI allocates the windows, so that it can use
// shared memory, but it may not align them as the kernels require.
#include <apps/spin/mpi/one_sided.hpp>

#include <cstdint>

namespace spin {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t buffers = 2;

}  // namespace

one_sided::one_sided(const exchange_shape& shape, int rank) : chunked(shape, buffers), rank_(rank) {
  double* memory = nullptr;
  const std::size_t bytes = shape.partners * elements(shape, buffers) * sizeof(double) + alignment;
  MPI_Win_allocate(static_cast<MPI_Aint>(bytes), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &window_);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % alignment / sizeof(double);
  const auto offset = static_cast<MPI_Aint>(beyond == 0 ? 0 : alignment / sizeof(double) - beyond);
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    arrive_.push_back(memory + offset + bit * elements(shape, buffers));
    MPI_Sendrecv(&offset, 1, MPI_AINT, rank ^ 1 << bit, 0, &first_.emplace_back(), 1, MPI_AINT,
                 rank ^ 1 << bit, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_fence(0, window_);
}

one_sided::~one_sided() {
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
  MPI_Win_free(&window_);
}

void one_sided::start(const chunk& moved) {
  const auto count = static_cast<int>(moved.elements);
  for (unsigned bit = 0; bit < shape_.partners; ++bit) {
    const std::size_t to = bit * elements(shape_, buffers) + moved.offset;
    MPI_Put(moved.source, count, MPI_DOUBLE, rank_ ^ 1 << bit,
            first_[bit] + static_cast<MPI_Aint>(to), count, MPI_DOUBLE, window_);
  }
}

void one_sided::complete(const chunk&) { MPI_Win_fence(0, window_); }

void one_sided::finish() { MPI_Win_fence(0, window_); }  // all have read

}  // namespace spin
