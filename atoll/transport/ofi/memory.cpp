// SPDX-License-Identifier: BSD-3-Clause
//
// Registering memory, as each provider wants it.
#include <atoll/transport/ofi/memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>

#include <rdma/fi_errno.h>
#include <sys/mman.h>

#include <cerrno>

namespace atl::transport::ofi {

namespace {

/// Registers, binds and enables; null and `code` when the provider refuses.
owned<fid_mr> reg(fabric& net, std::span<const std::byte> memory, std::uint64_t access,
                  std::uint64_t key, int& code) noexcept {
  fid_mr* made = nullptr;
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
                "raise the address space limit (ulimit -v)");
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

bool local_memory::describe(const void* at, std::size_t bytes, void*& descriptor,
                            fid_mr*& borrowed) noexcept {
  descriptor = nullptr;
  borrowed = nullptr;
  if (!net_.can().registers_local) return true;
  if (const part* const known = find(at, bytes)) {
    descriptor = ::fi_mr_desc(known->registered.get());
    return true;
  }
  const auto* const first = static_cast<const std::byte*>(at);
  int code = 0;
  borrowed = reg(net_, {first, bytes}, FI_READ | FI_WRITE, next_key_++, code).release();
  if (borrowed != nullptr) descriptor = ::fi_mr_desc(borrowed);
  return borrowed != nullptr;
}

}  // namespace atl::transport::ofi
