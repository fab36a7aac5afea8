// SPDX-License-Identifier: BSD-3-Clause
//
// A table whose rows are zero until they are written, and take memory only then: it lies in pages
// of its own, which the kernel provides one by one when they are first written. For what is kept by
// rank in a job of many ranks, of which a rank talks to few.
//
// Threads: as the rows.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace atl {

/// Throws the `atl::error` of a table that the kernel refuses with this errno.
[[noreturn]] void refuse_table(std::size_t rows, std::size_t bytes, int cause);

/// All bytes zero are a valid row.
template <class Row>
class sparse_table {
  static_assert(std::is_trivially_copyable_v<Row> && std::is_trivially_destructible_v<Row>);

 public:
  /// Throws `atl::error` when there are no addresses for it.
  explicit sparse_table(std::size_t rows) : bytes_((rows == 0 ? 1 : rows) * sizeof(Row)) {
    void* const made = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) refuse_table(rows, bytes_, errno);
    // A huge page would be provided whole. Kernels without them refuse this, which does no harm.
    ::madvise(made, bytes_, MADV_NOHUGEPAGE);
    rows_ = static_cast<Row*>(made);
  }
  sparse_table(sparse_table&& other) noexcept
      : bytes_(other.bytes_), rows_(std::exchange(other.rows_, nullptr)) {}
  sparse_table& operator=(sparse_table&&) = delete;
  ~sparse_table() {
    if (rows_ != nullptr) ::munmap(rows_, bytes_);
  }

  Row& operator[](std::size_t index) const noexcept { return rows_[index]; }
  const Row* data() const noexcept { return rows_; }

 private:
  std::size_t bytes_;
  Row* rows_;
};

}  // namespace atl
