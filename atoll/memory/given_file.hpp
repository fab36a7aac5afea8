// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a program that is a shared mapping of a file, whose descriptor the program has given:
// a memfd, or any other file that can be mapped for reading and writing. Other processes of the
// host take a duplicate of the descriptor (base/system/foreign_descriptor.hpp) and map the same
// range, so they load and store there. Nothing has a name in a file system, and mappings end with
// the objects of this header or with their process.
//
// The owner checks the range against its own mappings, so that a wrong descriptor or offset is
// found where it was given and not as wrong data at another rank. A process that maps a file dies
// by SIGBUS where it touches what was cut off the file later.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/memory/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace atl::memory {

/// The owner's side: keeps a duplicate of the descriptor, for others to take.
class given_file {
 public:
  given_file() = default;

  /// `memory` is a shared mapping of the open file `number`, from its byte `offset` on. Throws
  /// `atl::error` where it is not, or the file is shorter or cannot be mapped to be written.
  given_file(std::span<const std::byte> memory, int number, std::uint64_t offset);

  explicit operator bool() const noexcept { return static_cast<bool>(file_); }

  /// The means by which others open it: process, descriptor, file and offset.
  exported_memory exported() const noexcept;

 private:
  descriptor file_;
  std::uint64_t offset_ = 0;
};

/// A mapping here of memory that another process has given so.
class foreign_mapping {
 public:
  foreign_mapping() = default;

  /// Maps `bytes` bytes, at the address that they have in the owner where that is free. Maps
  /// nothing, and errno says why, where the kernel refuses.
  foreign_mapping(const exported_memory& exported, std::size_t bytes,
                  std::uintptr_t address_in_owner) noexcept;
  foreign_mapping(foreign_mapping&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)),
        pages_bytes_(other.pages_bytes_),
        base_(std::exchange(other.base_, nullptr)) {}
  foreign_mapping& operator=(foreign_mapping&& other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(pages_bytes_, other.pages_bytes_);
    std::swap(base_, other.base_);
    return *this;
  }
  ~foreign_mapping();

  /// The first of the bytes; null when nothing is mapped.
  std::byte* base() const noexcept { return base_; }

 private:
  void* pages_ = nullptr;
  std::size_t pages_bytes_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace atl::memory
