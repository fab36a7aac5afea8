// SPDX-License-Identifier: BSD-3-Clause
//
// The duties of a program to a provider, which the domain checks in every call: which memory must
// be registered and for what, which contexts and vectors belong to the provider until an operation
// has completed. A broken rule is printed, and the program aborts. One thread at a time per domain,
// as Atoll requests.
#pragma once

#include <tests/conformance/strict/profiles.hpp>

#include <rdma/fi_domain.h>
#include <rdma/fi_rma.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <unordered_set>

namespace strict {

/// Prints the rule that was broken, and aborts.
[[noreturn]] void broken(const char* call, const char* rule);

/// A registration; the program's descriptors point to it.
struct registration {
  fid_mr mr{};
  fid_mr* inner = nullptr;  // null until it may be used
  struct domain* owner = nullptr;
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t access = 0;
  std::uint64_t offset = 0;
  bool bound = false;
  std::ptrdiff_t shift = 0;  // from a device's address to its bytes; 0: host memory

  bool holds(const void* address, std::size_t length) const noexcept {
    const auto* const first = static_cast<const std::byte*>(address);
    return first >= begin && first + length <= begin + bytes;
  }
};

/// A vector of an operation under way, which FI_ASYNC_IOV gives to the provider, with a copy of its
/// first value.
class kept_vector {
 public:
  kept_vector() = default;
  kept_vector(const void* address, std::size_t bytes) noexcept;
  bool has_changed() const noexcept;

 private:
  const void* address_ = nullptr;
  std::size_t bytes_ = 0;
  std::array<std::byte, sizeof(fi_rma_iov)> value_{};
};

/// The vectors of an operation, which the provider may read until the operation has completed; null
/// where it has none.
struct vectors {
  const iovec* local = nullptr;
  const fi_rma_iov* remote = nullptr;
};

class rules {
 public:
  explicit rules(const profile& hardware) noexcept : profile_(hardware) {}

  const profile& asked() const noexcept { return profile_; }

  void add(const registration& made) { registrations_.insert(&made); }
  void remove(const registration& gone) { registrations_.erase(&gone); }

  /// Chooses a key for new memory, or uses the program's; false when that is too large or in use.
  bool choose_key(std::uint64_t& key);
  void give_back_key(std::uint64_t key) { keys_.erase(key); }

  /// Checks that a buffer of an operation lies in the registration of `descriptor`, and that this
  /// allows `access`.
  void check_buffer(const char* call, const void* buffer, std::size_t bytes, const void* descriptor,
                    std::uint64_t access) const;
  /// Checks that memory of a device is named by its own descriptor (FI_MR_HMEM), and returns the
  /// place where the bytes are.
  void* reach(const char* call, const void* buffer, std::size_t bytes,
              const void* descriptor) const;
  void check_size(const char* call, std::size_t bytes) const;
  void check_inject(const char* call, std::size_t bytes) const;

  /// An operation has begun: the provider owns its context and its vectors until end().
  void begin(const char* call, void* context, const vectors& named);
  /// The operation of this context has completed.
  void end(void* context);

  /// Sometimes true, as if there were no room.
  bool is_full() { return chance_() % 16 == 0; }

 private:
  struct operation {
    kept_vector local;
    kept_vector remote;
    std::array<std::byte, sizeof(fi_context2)>
        notes{};  // bytes that the provider has written there
    std::size_t notes_bytes = 0;
  };

  std::size_t context_bytes() const noexcept;

  const profile& profile_;
  std::unordered_set<const registration*> registrations_;
  std::unordered_set<std::uint64_t> keys_;
  std::unordered_map<void*, operation> under_way_;
  std::minstd_rand chance_{42};
};

}  // namespace strict
