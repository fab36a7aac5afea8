// SPDX-License-Identifier: BSD-3-Clause
//
// Offering, probing, copying. The numbers of pays() were measured on a Xeon of 2023, two ranks on
// two cores, of which the target polls all the time. A call takes 0.6 us up to a page, and moves 20
// GB/s above that. A put by messages that its caller waits for takes as long at 512 B and three
// times as long at 8 KiB. Many at once overlap their copies, and take as long at 8 KiB.
#include <atoll/memory/kernel_copy.hpp>

#include <atoll/base/copy.hpp>

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

namespace atl::memory {

namespace {

constexpr std::size_t alone_bytes_min = 512;   // of a copy that its caller waits for
constexpr std::size_t flood_bytes_min = 8192;  // of one that others may follow
constexpr std::size_t piece_bytes_min = 1024;  // on average: each one costs the kernel a look-up

constexpr std::uintptr_t page_bytes = 4096;
constexpr std::size_t staged_bytes = 2 * page_bytes;

// The kernel copies by `rep movsb`. On EPYCs that is slow where the target lies less than 32 bytes
// behind the source, page for page: 64 KiB take 42 us in place of 9.
bool is_slow(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  static const bool depends_on_place = __builtin_cpu_is("amd");
  const std::uintptr_t distance = (to - from) % page_bytes;
  return depends_on_place && bytes >= page_bytes && distance != 0 && distance < 32;
#else
  return false;
#endif
}

// Bytes that lie within their pages as those at another address do.
struct staging_place {
  std::byte bytes[staged_bytes + page_bytes];
  std::byte* like(std::uintptr_t address) noexcept {
    return bytes + (address - reinterpret_cast<std::uintptr_t>(bytes)) % page_bytes;
  }
};

// Copies by way of the stack; `write` and `read` move a part of it to and from the other process.
// They are not inlined, so that only such copies take so much stack.
template <class Write>
[[gnu::noinline]] bool write_in_stages(std::uintptr_t remote, const std::byte* from,
                                       std::size_t bytes, Write write) noexcept {
  staging_place stage;
  std::byte* const staged = stage.like(remote);
  for (std::size_t done = 0; done < bytes; done += staged_bytes) {
    const std::size_t size = std::min(staged_bytes, bytes - done);
    copy_bytes(staged, from + done, size);
    if (!write(done, staged, size)) return false;
  }
  return true;
}

template <class Read>
[[gnu::noinline]] bool read_in_stages(std::uintptr_t remote, std::byte* to, std::size_t bytes,
                                      Read read) noexcept {
  staging_place stage;
  std::byte* const staged = stage.like(remote);
  for (std::size_t done = 0; done < bytes; done += staged_bytes) {
    const std::size_t size = std::min(staged_bytes, bytes - done);
    if (!read(done, staged, size)) return false;
    copy_bytes(to + done, staged, size);
  }
  return true;
}

// Yama lets a process reach another one only if that one has declared which processes may.
bool yama_asks_for_declaration() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = 0;
  return file >> scope && scope == 1;
}

}  // namespace

// Allows the ancestor and its descendants, which are the ranks of this host, and no other
// process.
void declare_to_descendants_of(pid_t ancestor) noexcept {
  if (yama_asks_for_declaration())
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(ancestor), 0, 0, 0);
}

kernel_copy::kernel_copy(const host_memory& host, rank_id self, kernel_copy_mode mode)
    : host_(host), self_(self), mode_(mode), states_(host.layout().ranks) {}

kernel_copy::~kernel_copy() {
  // Release: a rank that sees the card of a later runtime does not mistake this one's token for it.
  host_.page(self_).card.process.store(0, std::memory_order_release);
}

void kernel_copy::offer(pid_t ancestor) noexcept {
  process_card& card = host_.page(self_).card;
  if (mode_ == kernel_copy_mode::never || card.process.load(std::memory_order_relaxed) != 0) return;
  if (::getrandom(token_.data(), sizeof token_, 0) != static_cast<ssize_t>(sizeof token_)) return;
  declare_to_descendants_of(ancestor);
  card.token = token_;
  card.token_address = reinterpret_cast<std::uintptr_t>(token_.data());
  // Release: pairs with probe(); a rank that sees the process id sees the token.
  card.process.store(::getpid(), std::memory_order_release);
}

bool kernel_copy::reaches(rank_id peer) noexcept {
  if (mode_ == kernel_copy_mode::never) return false;
  std::atomic<state>& known = states_[peer - host_.layout().first];
  state current = known.load(std::memory_order_relaxed);
  if (current == state::unknown) {
    current = probe(peer);
    known.store(current, std::memory_order_relaxed);
  }
  return current == state::reached;
}

kernel_copy::state kernel_copy::probe(rank_id peer) noexcept {
  const process_card& card = host_.page(peer).card;
  // Acquire: pairs with offer().
  const pid_t process = card.process.load(std::memory_order_acquire);
  if (process == 0) return state::unknown;  // it may still come
  std::array<std::uint64_t, 2> found{};
  const iovec to{found.data(), sizeof found};
  const iovec from{reinterpret_cast<void*>(card.token_address), sizeof found};
  const ssize_t got = ::process_vm_readv(process, &to, 1, &from, 1, 0);
  if (got == static_cast<ssize_t>(sizeof found) && found == card.token) return state::reached;
  last_error_.store(got < 0 ? errno : ESRCH, std::memory_order_relaxed);  // or another process
  return state::refused;
}

bool kernel_copy::pays(std::size_t bytes, std::size_t pieces, bool alone) const noexcept {
  if (is_forced()) return true;
  if (bytes < (alone ? alone_bytes_min : flood_bytes_min)) return false;
  return pieces <= 1 || bytes / pieces >= piece_bytes_min;
}

bool kernel_copy::write(rank_id peer, std::uintptr_t remote, const void* local,
                        std::size_t bytes) noexcept {
  auto* const from = const_cast<std::byte*>(static_cast<const std::byte*>(local));  // only read
  const auto write_part = [&](std::size_t done, std::byte* part, std::size_t size) {
    return move(::process_vm_writev, peer, remote + done, part, size);
  };
  const bool is_complete = is_slow(remote, reinterpret_cast<std::uintptr_t>(from), bytes)
                               ? write_in_stages(remote, from, bytes, write_part)
                               : write_part(0, from, bytes);
  std::atomic_thread_fence(std::memory_order_release);  // the kernel's stores come first
  return is_complete;
}

bool kernel_copy::read(rank_id peer, std::uintptr_t remote, void* local,
                       std::size_t bytes) noexcept {
  auto* const to = static_cast<std::byte*>(local);
  const auto read_part = [&](std::size_t done, std::byte* part, std::size_t size) {
    return move(::process_vm_readv, peer, remote + done, part, size);
  };
  const bool is_complete = is_slow(reinterpret_cast<std::uintptr_t>(to), remote, bytes)
                               ? read_in_stages(remote, to, bytes, read_part)
                               : read_part(0, to, bytes);
  std::atomic_thread_fence(std::memory_order_acquire);  // the kernel's loads come first
  return is_complete;
}

bool kernel_copy::write(rank_id peer, std::span<const iovec> remote, std::span<const iovec> local,
                        std::size_t bytes) noexcept {
  const ssize_t copied = move_parts(::process_vm_writev, peer, remote, local);
  std::atomic_thread_fence(std::memory_order_release);  // as above
  return copied == static_cast<ssize_t>(bytes);
}

bool kernel_copy::read(rank_id peer, std::span<const iovec> remote, std::span<const iovec> local,
                       std::size_t bytes) noexcept {
  const ssize_t copied = move_parts(::process_vm_readv, peer, remote, local);
  std::atomic_thread_fence(std::memory_order_acquire);  // as above
  return copied == static_cast<ssize_t>(bytes);
}

// The kernel may stop early, for example at 2 GiB.
bool kernel_copy::move(call copy, rank_id peer, std::uintptr_t remote_address,
                       std::byte* local_address, std::size_t bytes) noexcept {
  while (bytes != 0) {
    const iovec local{local_address, bytes};
    const iovec remote{reinterpret_cast<void*>(remote_address), bytes};
    const ssize_t copied = move_parts(copy, peer, std::span(&remote, 1), std::span(&local, 1));
    if (copied <= 0) return false;
    const auto done = static_cast<std::size_t>(copied);
    remote_address += done;
    local_address += done;
    bytes -= done;
  }
  return true;
}

ssize_t kernel_copy::move_parts(call copy, rank_id peer, std::span<const iovec> remote,
                                std::span<const iovec> local) noexcept {
  const ssize_t copied =
      copy(process_of(peer), local.data(), local.size(), remote.data(), remote.size(), 0);
  if (copied >= 0) return copied;
  const int cause = errno;
  last_error_.store(cause, std::memory_order_relaxed);
  // Bad addresses concern this copy alone (memory of a device, for example). After any other error
  // the peer counts as refused.
  if (cause != EFAULT && cause != ENOMEM)
    states_[peer - host_.layout().first].store(state::refused, std::memory_order_relaxed);
  return copied;
}

pid_t kernel_copy::process_of(rank_id peer) const noexcept {
  return host_.page(peer).card.process.load(std::memory_order_relaxed);
}

int try_kernel_copy() noexcept {
  int ready[2];
  if (::pipe(ready) != 0) return errno;
  const pid_t parent = ::getpid();
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    declare_to_descendants_of(parent);
    if (::write(ready[1], "", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  const pid_t reader = owner < 0 ? -1 : ::fork();
  if (reader == 0) {
    char byte = 0, source = 0;
    const iovec to{&byte, 1}, from{&source, 1};  // at the same address in the owner
    if (::read(ready[0], &byte, 1) != 1) ::_exit(EPIPE);
    ::_exit(::process_vm_readv(owner, &to, 1, &from, 1, 0) == 1 ? 0 : errno);
  }
  int status = 0;
  int cause = errno;
  if (reader > 0 && ::waitpid(reader, &status, 0) == reader)
    cause = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  if (owner > 0) {
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
  }
  ::close(ready[0]);
  ::close(ready[1]);
  return cause;
}

}  // namespace atl::memory
