// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a memfd, mapped once by each side. Every value in it stands for itself and orders
// no other memory, so all accesses are relaxed. The bytes of a new file are 0: no rank has stopped.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/stopped_ranks.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace atl::bootstrap {
namespace {

#ifndef F_SEAL_FUTURE_WRITE
constexpr int F_SEAL_FUTURE_WRITE = 0x0010;  // of Linux 5.1, which older headers lack
#endif

[[noreturn]] void refuse(const std::string& cause, const char* remedy) {
  throw error("list of stopped ranks", cause, remedy);
}

}  // namespace

stopped_ranks::stopped_ranks(rank_id size)
    : file_(memfd_create("atoll-stopped", MFD_CLOEXEC | MFD_ALLOW_SEALING)), size_(size) {
  if (!file_)
    refuse("memfd_create failed: " + errno_text(errno),
           "raise the limit of open files (ulimit -n)");
  if (ftruncate(file_.get(), static_cast<off_t>(bytes_for(size))) != 0)
    refuse("ftruncate failed: " + errno_text(errno),
           "free memory on this host, or raise the limit of file sizes (ulimit -f)");
  map(PROT_READ | PROT_WRITE);
  // A kernel that has no such seal lets a rank write here, which would deceive its own job only.
  fcntl(file_.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
}

stopped_ranks::stopped_ranks(descriptor file, rank_id size) : file_(std::move(file)), size_(size) {
  struct stat status{};
  if (fstat(file_.get(), &status) != 0 || status.st_size != static_cast<off_t>(bytes_for(size)))
    refuse("the launcher sent a file of another size",
           "start the program with the `atoll run` of the same version as its libatoll.so");
  map(PROT_READ);
  file_.reset();
}

stopped_ranks::~stopped_ranks() { munmap(counts_, bytes_for(size_)); }

void stopped_ranks::map(int protection) {
  void* const mapped = mmap(nullptr, bytes_for(size_), protection, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED)
    refuse("mmap failed: " + errno_text(errno),
           "raise the limit of address space (ulimit -v), or free memory on this host");
  counts_ = static_cast<counters*>(mapped);
  by_rank_ = reinterpret_cast<flag*>(counts_ + 1);
}

std::atomic<std::uint32_t>* stopped_ranks::counters::of(rank_fate fate) noexcept {
  if (fate == rank_fate::stopped) return &stopped;
  return fate == rank_fate::failed ? &failed : nullptr;
}

void stopped_ranks::note(rank_id rank, rank_fate fate) noexcept {
  if (rank >= size_) return;
  const rank_fate before = fate_of(rank);
  if (before == fate) return;
  by_rank_[rank].store(static_cast<std::uint8_t>(fate), std::memory_order_relaxed);
  if (auto* const left = counts_->of(before)) left->fetch_sub(1, std::memory_order_relaxed);
  if (auto* const joined = counts_->of(fate)) joined->fetch_add(1, std::memory_order_relaxed);
}

rank_fate stopped_ranks::fate_of(rank_id rank) const noexcept {
  if (rank >= size_) return rank_fate::runs;
  return static_cast<rank_fate>(by_rank_[rank].load(std::memory_order_relaxed));
}

bool stopped_ranks::is_empty() const noexcept {
  return counts_->stopped.load(std::memory_order_relaxed) == 0;
}

rank_id stopped_ranks::failed_count() const noexcept {
  return counts_->failed.load(std::memory_order_relaxed);
}

}  // namespace atl::bootstrap
