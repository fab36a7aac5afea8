// SPDX-License-Identifier: BSD-3-Clause
//
// Registering memory, as each provider wants it: bound to the endpoint and enabled where it says
// so, by a key of ours where it lets us choose. Each call of the provider is counted, so that one
// sees what is kept and what is not.
#include <atoll/transport/ofi/memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/trace/counters.hpp>

#include <rdma/fi_errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace atl::transport::ofi {

namespace {

/// Registers, binds and enables; null and `code` when the provider refuses.
owned<fid_mr> reg(fabric& net, std::span<const std::byte> memory, std::uint64_t access,
                  std::uint64_t key, int& code) noexcept {
  fid_mr* made = nullptr;
  trace::count(trace::counter::registrations);
  code = ::fi_mr_reg(net.domain(), memory.data(), memory.size(), access, 0, key, 0, &made, nullptr);
  if (code != 0) return nullptr;
  owned<fid_mr> registered(made);
  if (!net.can().binds_memory) return registered;
  code = ::fi_mr_bind(made, &net.endpoint()->fid, 0);
  if (code == 0) code = ::fi_mr_enable(made);
  return code == 0 ? std::move(registered) : nullptr;
}

}  // namespace

mapping::mapping(std::size_t bytes) : bytes_(bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    throw error("network buffers", "mmap: " + errno_text(errno),
                "raise the address space limit (ulimit -v), or lower ATOLL_OFI_WINDOW");
  }
  at_ = static_cast<std::byte*>(at);
}

mapping::~mapping() { ::munmap(at_, bytes_); }

exposed_memory::exposed_memory(fabric& net, std::span<std::byte> memory, std::uint64_t wanted_key,
                               bool allowed) {
  if (net.can().transfer_max == 0) return;
  const std::uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE;
  int code = -FI_ENOMEM;
  const std::uint64_t key = net.can().chooses_keys ? 0 : wanted_key;
  if (allowed) registered_ = reg(net, memory, access, key, code);
  if (registered_ != nullptr) return;
  log_warning("network: the provider refuses to register ", bytes_text(memory.size()), " (",
              ::fi_strerror(-code),
              "); puts and gets to this rank go by messages. Lower "
              "ATOLL_SEGMENT_LIMIT, or raise the limit of locked memory (ulimit -l)");
}

void local_memory::add(std::span<std::byte> memory) {
  if (!net_.can().registers_local) return;
  int code = 0;
  owned<fid_mr> made = reg(net_, memory, FI_SEND | FI_RECV | FI_READ | FI_WRITE, next_key_++, code);
  if (made == nullptr) {
    refuse(text("registering ", bytes_text(memory.size())), code,
           "raise the limit of locked memory (ulimit -l)");
  }
  parts_.push_back({memory, std::move(made)});
}

const local_memory::part* local_memory::find(const void* at, std::size_t bytes) const noexcept {
  const auto* const first = static_cast<const std::byte*>(at);
  for (const part& each : parts_) {
    const std::byte* const end = each.memory.data() + each.memory.size();
    if (first >= each.memory.data() && first + bytes <= end) return &each;
  }
  return nullptr;
}

void* local_memory::describe_own(const void* at, std::size_t bytes) const noexcept {
  const part* const known = net_.can().registers_local ? find(at, bytes) : nullptr;
  return known == nullptr ? nullptr : ::fi_mr_desc(known->registered.get());
}

int local_memory::describe(std::span<const std::byte> buffer, std::uint64_t access,
                           void*& descriptor, lease& until) noexcept {
  descriptor = nullptr;
  until = {};
  if (knows(buffer.data(), buffer.size())) {
    descriptor = describe_own(buffer.data(), buffer.size());
    return 0;
  }
  until.kept = cache_.take(buffer.data(), buffer.size());
  if (until.kept == nullptr) {
    if (!told_) tell_why_not_kept();
    until.once = reg(net_, buffer, access, next_key_++, refusal_).release();
    if (until.once == nullptr) return lacked_room() ? -FI_EAGAIN : refusal_;
  }
  auto* const used = until.kept == nullptr ? until.once : until.kept->registration();
  descriptor = ::fi_mr_desc(static_cast<fid_mr*>(used));
  return 0;
}

void local_memory::give_back(lease& ended) noexcept {
  if (ended.once != nullptr) remove(ended.once);
  if (ended.kept != nullptr) cache_.give_back(ended.kept);
  ended = {};
}

void* local_memory::add(const memory::address_range& pages) noexcept {
  const auto* const first = reinterpret_cast<const std::byte*>(pages.begin);
  return reg(net_, {first, pages.bytes()}, FI_READ | FI_WRITE, next_key_++, refusal_).release();
}

bool local_memory::lacked_room() const noexcept {
  const auto passing = {-FI_EAGAIN, -FI_ENOMEM, -FI_ENOSPC, -FI_EBUSY, -FI_ENOKEY};
  return std::find(passing.begin(), passing.end(), refusal_) != passing.end();
}

void local_memory::remove(void* registration) noexcept {
  ::fi_close(&static_cast<fid_mr*>(registration)->fid);
}

void local_memory::tell_why_not_kept() noexcept {
  if (cache_.refusal().empty()) return;
  told_ = true;
  log_info("network: memory outside of the heap is registered anew for each transfer: ",
           cache_.refusal());
}

}  // namespace atl::transport::ofi
