// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the network may touch. A segment of this rank is registered as a whole, so that
// others reach all of it with one key for as long as it is shared; the heaps are one segment. Where
// a provider wants the buffers of its own rank registered too, segments and the transport's buffers
// already are. For buffers elsewhere, small transfers go through the transport's buffers, and
// larger ones are registered: permanently where a watch can tell that the program gives the memory
// back to the system (memory/registration_cache.hpp), otherwise while the transfer is under way.
#pragma once

#include <atoll/memory/device/device.hpp>
#include <atoll/memory/registration_cache.hpp>
#include <atoll/transport/ofi/fabric.hpp>

#include <span>

namespace atl::transport::ofi {

/// A private mapping of zeros, touched page by page.
class mapping {
 public:
  explicit mapping(std::size_t bytes);  // throws `atl::error`
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping();

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// Memory of this rank that others may use. Used under the context's lock.
class exposed_memory {
 public:
  /// `first_key` is random. `allowed` is false where a test wants the provider to refuse.
  exposed_memory(fabric& net, std::uint64_t first_key, bool allowed)
      : net_(net), allowed_(allowed), keys_(first_key) {}

  bool empty() const noexcept { return parts_.empty(); }

  /// Registers, and returns the key; no_memory_key, after a warning, where the provider refuses.
  /// `device`: whose memory it is; null: host memory.
  std::uint64_t add(std::span<std::byte> memory,
                    const memory::device_description* device = nullptr) noexcept;

  /// The same for a buffer that one rank fills once or reads.
  std::uint64_t add_loan(std::span<std::byte> memory) noexcept;

  /// Ends a registration; returns the memory.
  std::span<std::byte> remove(std::uint64_t key) noexcept;

 private:
  struct part {
    std::span<std::byte> memory;
    std::uint64_t key;
    owned<fid_mr> registered;
  };

  std::uint64_t next_key() noexcept;
  owned<fid_mr> try_add(std::span<std::byte> memory, const memory::device_description* device,
                        int& code) noexcept;
  std::uint64_t keep(std::span<std::byte> memory, owned<fid_mr> made) noexcept;

  fabric& net_;
  bool allowed_;
  std::uint64_t keys_;  // that of the next is derived from it
  std::vector<part> parts_;
};

/// The registration of a buffer for one transfer.
struct lease {
  fid_mr* once = nullptr;  // for this transfer only
  memory::registration_cache::entry* kept = nullptr;
};

/// Buffers of this rank that the network reads and writes. Used under the context's lock.
class local_memory final : memory::registrar {
 public:
  local_memory(fabric& net, const memory::cache_limits& keeps)
      : net_(net), cache_(static_cast<memory::registrar&>(*this), keeps) {}

  /// Registers until it is removed, where the provider wants that; throws `atl::error`.
  void add(std::span<std::byte> memory);
  /// The same; false where it is refused.
  bool try_add(std::span<std::byte> memory) noexcept;
  /// Memory of a device, which every provider wants registered.
  bool try_add(std::span<std::byte> memory, const memory::device_description& device) noexcept;
  void remove(std::span<std::byte> memory) noexcept;

  /// Whether a buffer may be used as it is.
  bool knows(const void* address, std::size_t bytes) const noexcept {
    return !net_.can().registers_local || find(address, bytes) != nullptr;
  }

  /// The provider's descriptor of a buffer, valid until `registered` is given back. `access` is
  /// the purpose of a registration that serves this transfer only: memory that may only be read
  /// is registered for reading. Returns 0, or the provider's refusal, which is -FI_EAGAIN when it
  /// may pass.
  int describe(std::span<const std::byte> buffer, std::uint64_t access, void*& descriptor,
               lease& registered) noexcept;
  void give_back(lease& ended) noexcept;

  /// The provider's descriptor of a buffer that was added.
  void* describe_own(const void* address, std::size_t bytes) const noexcept;

  /// Removes registrations of memory that the program has given back.
  void tidy() noexcept { cache_.tidy(); }

 private:
  struct part {
    std::span<std::byte> memory;
    owned<fid_mr> registered;
  };

  void* add(const memory::address_range& pages) noexcept override;
  void remove(void* registration) noexcept override;
  bool lacked_room() const noexcept override;
  const part* find(const void* address, std::size_t bytes) const noexcept;
  void report_not_kept() noexcept;

  fabric& net_;
  std::uint64_t next_key_ = 1;  // small ones; others cannot use them, whatever they guess
  std::vector<part> parts_;
  memory::registration_cache cache_;
  int refusal_ = 0;           // the last one
  bool told_ = false;         // that nothing is kept
  bool has_devices_ = false;  // some part is memory of a device
};

}  // namespace atl::transport::ofi
