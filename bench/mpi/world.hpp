// SPDX-License-Identifier: BSD-3-Clause
//
// MPI for the lifetime of an object, the two ranks that measure, and a window that each rank
// exposes. As in bench_latency, rank 0 acts, rank 1 (in a job of one rank, rank 0) is acted upon,
// and others are idle.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace bench {

class mpi_world {
 public:
  mpi_world(int& argc, char**& argv, bool several_threads = false) {
    int provided = MPI_THREAD_SINGLE;
    const int wanted = several_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    has_threads_ = provided == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  mpi_world(const mpi_world&) = delete;
  mpi_world& operator=(const mpi_world&) = delete;
  ~mpi_world() { MPI_Finalize(); }

  unsigned rank() const noexcept { return static_cast<unsigned>(rank_); }
  unsigned ranks() const noexcept { return static_cast<unsigned>(ranks_); }
  int target() const noexcept { return ranks_ == 1 ? 0 : 1; }
  bool acts() const noexcept { return rank_ == 0; }
  bool is_target() const noexcept { return rank_ == target(); }
  bool has_threads() const noexcept { return has_threads_; }
  void barrier() const noexcept { MPI_Barrier(MPI_COMM_WORLD); }

  /// "openmpi" or "mpich", from the library's version text.
  std::string library() const {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::strncmp(text, "Open MPI", 8) == 0 ? "openmpi" : "mpich";
  }

 private:
  int rank_ = 0;
  int ranks_ = 1;
  bool has_threads_ = false;
};

/// A window over memory that MPI allocates, open for access by all ranks as long as it lives.
class mpi_window {
 public:
  explicit mpi_window(std::size_t bytes) {
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_,
                     &handle_);
    std::memset(memory_, 0, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_);
  }
  mpi_window(const mpi_window&) = delete;
  mpi_window& operator=(const mpi_window&) = delete;
  ~mpi_window() {
    MPI_Win_unlock_all(handle_);
    MPI_Win_free(&handle_);
  }

  void put(const void* from, std::size_t bytes, int target, std::size_t offset) const noexcept {
    const int count = static_cast<int>(bytes);
    MPI_Put(from, count, MPI_BYTE, target, static_cast<MPI_Aint>(offset), count, MPI_BYTE, handle_);
  }
  void get(void* to, std::size_t bytes, int target, std::size_t offset) const noexcept {
    const int count = static_cast<int>(bytes);
    MPI_Get(to, count, MPI_BYTE, target, static_cast<MPI_Aint>(offset), count, MPI_BYTE, handle_);
  }
  /// Puts one element of each side's datatype, from the start of the window.
  void put_typed(const void* from, MPI_Datatype own, int target,
                 MPI_Datatype target_type) const noexcept {
    MPI_Put(from, 1, own, target, 0, 1, target_type, handle_);
  }
  void get_typed(void* to, MPI_Datatype own, int target, MPI_Datatype target_type) const noexcept {
    MPI_Get(to, 1, own, target, 0, 1, target_type, handle_);
  }
  MPI_Win handle() const noexcept { return handle_; }

  /// This rank's own memory of the window, with all that has been done to it.
  const std::byte* memory() const noexcept {
    MPI_Win_sync(handle_);
    return static_cast<const std::byte*>(memory_);
  }

  /// Completes puts and gets at both ends.
  void flush(int target) const noexcept { MPI_Win_flush(target, handle_); }

 private:
  void* memory_ = nullptr;
  MPI_Win handle_ = MPI_WIN_NULL;
};

}  // namespace bench
