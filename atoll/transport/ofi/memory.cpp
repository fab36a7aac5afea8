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

/// A description of memory for the provider.
struct region {
  std::span<const std::byte> memory;
  std::uint64_t access;
  std::uint64_t key;
  const memory::device_description* device = nullptr;  // null: host memory
};

int register_on_device(fabric& net, const region& wanted, fid_mr** made) noexcept {
  const iovec bytes{const_cast<std::byte*>(wanted.memory.data()), wanted.memory.size()};
  fi_mr_attr attributes{};
  attributes.mr_iov = &bytes;
  attributes.iov_count = 1;
  attributes.access = wanted.access;
  attributes.requested_key = wanted.key;
  switch (wanted.device->kind) {
    case memory::memory_kind::cuda:
      attributes.iface = FI_HMEM_CUDA;
      attributes.device.cuda = wanted.device->index;
      break;
    case memory::memory_kind::hip:
      attributes.iface = FI_HMEM_ROCR;
      break;
    case memory::memory_kind::ze:
      attributes.iface = FI_HMEM_ZE;
      attributes.device.ze = wanted.device->index;
      break;
    case memory::memory_kind::host:
      attributes.iface = FI_HMEM_SYSTEM;
  }
  return ::fi_mr_regattr(net.domain(), &attributes, 0, made);
}

/// Registers, binds and enables; null and `code` when the provider refuses.
owned<fid_mr> reg(fabric& net, const region& wanted, int& code) noexcept {
  fid_mr* made = nullptr;
  trace::count(trace::counter::registrations);
  code = wanted.device != nullptr
             ? register_on_device(net, wanted, &made)
             : ::fi_mr_reg(net.domain(), wanted.memory.data(), wanted.memory.size(), wanted.access,
                           0, wanted.key, 0, &made, nullptr);
  if (code != 0) return nullptr;
  owned<fid_mr> registered(made);
  if (!net.can().binds_memory) return registered;
  code = ::fi_mr_bind(made, &net.endpoint()->fid, 0);
  if (code == 0) code = ::fi_mr_enable(made);
  return code == 0 ? std::move(registered) : nullptr;
}

}  // namespace

mapping::mapping(std::size_t bytes) : bytes_(bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw error("network buffers", "mmap: " + errno_text(errno),
                "raise the address space limit (ulimit -v), or lower ATOLL_OFI_WINDOW");
  }
  data_ = static_cast<std::byte*>(mapped);
}

mapping::~mapping() { ::munmap(data_, bytes_); }

namespace {

// The memory that a network card reaches lies in the device's PCI window (BAR), which must be large
// enough for all of it.
void warn_of_refusal(std::span<const std::byte> memory, const memory::device_description& device,
                     int code) {
  log_warning("network: the provider refuses to register ", bytes_text(memory.size()), " at ",
              hex(memory.data()), " of ", name_of(device.kind), " device ", device.index, " (",
              device.name, "): ", ::fi_strerror(-code),
              "; transfers of it between hosts are staged. See whether the peer-memory module is "
              "loaded, and whether the device's BAR has room for it (resizable BAR in the "
              "firmware; nvidia-smi -q -d MEMORY shows BAR1)");
}

}  // namespace

std::uint64_t exposed_memory::add(std::span<std::byte> memory,
                                  const memory::device_description* device) noexcept {
  if (net_.can().transfer_max == 0) return no_memory_key;
  int code = 0;
  owned<fid_mr> made = try_add(memory, device, code);
  if (made == nullptr && device != nullptr) {
    warn_of_refusal(memory, *device, code);
    return no_memory_key;
  }
  if (made == nullptr) {
    log_warning("network: the provider refuses to register ", bytes_text(memory.size()), " (",
                ::fi_strerror(-code),
                "); puts and gets to this rank go by messages. Lower "
                "ATOLL_SEGMENT_LIMIT, or raise the limit of locked memory (ulimit -l)");
    return no_memory_key;
  }
  return keep(memory, std::move(made));
}

std::uint64_t exposed_memory::add_loan(std::span<std::byte> memory) noexcept {
  int code = 0;
  owned<fid_mr> made = try_add(memory, nullptr, code);
  if (made != nullptr) return keep(memory, std::move(made));
  log_warning("network: the provider refuses to register ", bytes_text(memory.size()),
              " that one rank fills or reads (", ::fi_strerror(-code),
              "); large messages of collectives come in pieces, which are copied. Raise the limit "
              "of locked memory (ulimit -l)");
  return no_memory_key;
}

// Only a try shows whether a key is taken.
owned<fid_mr> exposed_memory::try_add(std::span<std::byte> memory,
                                      const memory::device_description* device,
                                      int& code) noexcept {
  code = -FI_ENOMEM;
  owned<fid_mr> made;
  for (int attempt = 0; attempt < 8 && allowed_; ++attempt) {
    made = reg(net_, {memory, FI_REMOTE_READ | FI_REMOTE_WRITE, next_key(), device}, code);
    if (code != -FI_ENOKEY) break;
  }
  return made;
}

std::uint64_t exposed_memory::keep(std::span<std::byte> memory, owned<fid_mr> made) noexcept {
  const std::uint64_t key = ::fi_mr_key(made.get());
  parts_.push_back({memory, key, std::move(made)});
  return key;
}

// The first is random and the others spread evenly from there: nobody outside of the job guesses
// one.
std::uint64_t exposed_memory::next_key() noexcept {
  if (net_.can().provider_chooses_keys) return 0;
  const std::size_t bits = 8 * std::min<std::size_t>(net_.can().key_bytes, 8);
  keys_ += 0x9e3779b97f4a7c15;
  return keys_ >> (64 - bits);
}

std::span<std::byte> exposed_memory::remove(std::uint64_t key) noexcept {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const part& each) { return each.key == key; });
  if (found == parts_.end()) return {};
  const std::span<std::byte> memory = found->memory;
  parts_.erase(found);
  return memory;
}

bool local_memory::try_add(std::span<std::byte> memory) noexcept {
  if (!net_.can().registers_local) return true;
  owned<fid_mr> made =
      reg(net_, {memory, FI_SEND | FI_RECV | FI_READ | FI_WRITE, next_key_++}, refusal_);
  if (made == nullptr) return false;
  parts_.push_back({memory, std::move(made)});
  return true;
}

bool local_memory::try_add(std::span<std::byte> memory,
                           const memory::device_description& device) noexcept {
  owned<fid_mr> made = reg(net_, {memory, FI_READ | FI_WRITE, next_key_++, &device}, refusal_);
  if (made == nullptr) {
    warn_of_refusal(memory, device, refusal_);
    return false;
  }
  parts_.push_back({memory, std::move(made)});
  has_devices_ = true;
  return true;
}

void local_memory::add(std::span<std::byte> memory) {
  if (try_add(memory)) return;
  refuse(text("registering ", bytes_text(memory.size())), refusal_,
         "raise the limit of locked memory (ulimit -l)");
}

void local_memory::remove(std::span<std::byte> memory) noexcept {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const part& each) {
    return each.memory.data() == memory.data() && each.memory.size() == memory.size();
  });
  if (found != parts_.end()) parts_.erase(found);
}

const local_memory::part* local_memory::find(const void* address,
                                             std::size_t bytes) const noexcept {
  const auto* const first = static_cast<const std::byte*>(address);
  for (const part& each : parts_) {
    const std::byte* const end = each.memory.data() + each.memory.size();
    if (first >= each.memory.data() && first + bytes <= end) return &each;
  }
  return nullptr;
}

void* local_memory::describe_own(const void* address, std::size_t bytes) const noexcept {
  const part* const known =
      net_.can().registers_local || has_devices_ ? find(address, bytes) : nullptr;
  return known == nullptr ? nullptr : ::fi_mr_desc(known->registered.get());
}

int local_memory::describe(std::span<const std::byte> buffer, std::uint64_t access,
                           void*& descriptor, lease& registered) noexcept {
  descriptor = nullptr;
  registered = {};
  if (knows(buffer.data(), buffer.size())) {
    descriptor = describe_own(buffer.data(), buffer.size());
    return 0;
  }
  registered.kept = cache_.take(buffer.data(), buffer.size());
  if (registered.kept == nullptr) {
    if (!told_) report_not_kept();
    registered.once = reg(net_, {buffer, access, next_key_++}, refusal_).release();
    if (registered.once == nullptr) return lacked_room() ? -FI_EAGAIN : refusal_;
  }
  auto* const used = registered.kept == nullptr ? registered.once : registered.kept->registration();
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
  return reg(net_, {{first, pages.bytes()}, FI_READ | FI_WRITE, next_key_++}, refusal_).release();
}

bool local_memory::lacked_room() const noexcept {
  const auto passing = {-FI_EAGAIN, -FI_ENOMEM, -FI_ENOSPC, -FI_EBUSY, -FI_ENOKEY};
  return std::find(passing.begin(), passing.end(), refusal_) != passing.end();
}

void local_memory::remove(void* registration) noexcept {
  ::fi_close(&static_cast<fid_mr*>(registration)->fid);
}

void local_memory::report_not_kept() noexcept {
  if (cache_.refusal().empty()) return;
  told_ = true;
  log_info("network: memory outside of the heap is registered anew for each transfer: ",
           cache_.refusal());
}

}  // namespace atl::transport::ofi
