// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the network may touch. The heap of this rank is registered as a whole, once, so that
// others reach all of it with one key for as long as the job lasts. Where a provider wants the
// buffers of its own rank registered too, the heap and the transport's buffers are already. Of what
// lies elsewhere, small transfers go through the transport's buffers, and larger ones are
// registered while they are under way. No registration is kept beyond that: one would have to know
// when the program gives the memory back to the system, or data would go to pages that are no
// longer its own. Providers that register slowly keep what they have registered, and do know.
#pragma once

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

  std::byte* data() const noexcept { return at_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* at_;
  std::size_t bytes_;
};

/// Memory of this rank that others may use.
class exposed_memory {
 public:
  /// Registers; where the provider refuses, others are told that there is none, and use messages.
  /// `allowed` is false where a test wants that.
  exposed_memory(fabric& net, std::span<std::byte> memory, std::uint64_t wanted_key, bool allowed);

  bool usable() const noexcept { return registered_ != nullptr; }
  std::uint64_t key() const noexcept { return ::fi_mr_key(registered_.get()); }

 private:
  owned<fid_mr> registered_;
};

/// Buffers of this rank that the network reads and writes.
class local_memory {
 public:
  explicit local_memory(fabric& net) noexcept : net_(net) {}

  /// Registers for good; throws `atl::error`.
  void add(std::span<std::byte> memory);

  /// Whether a buffer may be used as it is.
  bool knows(const void* at, std::size_t bytes) const noexcept {
    return !net_.can().registers_local || find(at, bytes) != nullptr;
  }

  /// What the provider wants to know of a buffer. `borrowed` is set when it had to be registered
  /// for this use; the caller ends that by closing it. False: the provider refuses for now.
  bool describe(const void* at, std::size_t bytes, void*& descriptor, fid_mr*& borrowed) noexcept;

 private:
  struct part {
    std::span<std::byte> memory;
    owned<fid_mr> registered;
  };

  const part* find(const void* at, std::size_t bytes) const noexcept;

  fabric& net_;
  std::uint64_t next_key_ = 1;  // small ones; others cannot use them, whatever they guess
  std::vector<part> parts_;
};

}  // namespace atl::transport::ofi
