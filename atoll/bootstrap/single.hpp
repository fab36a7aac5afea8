// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap of a program started without a launcher: a job of one rank. Every collective
// returns at once; the host memory is a memfd that this process makes for itself.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>

namespace atl::bootstrap {

class single final : public bootstrap {
 public:
  /// Throws `atl::error` when the host memory cannot be made.
  single();

  rank_id rank() const noexcept override { return 0; }
  rank_id size() const noexcept override { return 1; }
  blob_table exchange(std::span<const std::byte> contribution) override;
  void fence() override {}
  descriptor host_memory() override;
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override;
  void goodbye() noexcept override {}

 private:
  descriptor memory_;
};

/// Writes out what this process has printed, before it is ended from within. A thread that holds
/// the stream, perhaps for ever, is not waited for.
void flush_output() noexcept;

/// A new anonymous memory file of size 0, close-on-exec. Throws `atl::error`.
descriptor make_host_memory();

/// Another descriptor of the same file, close-on-exec. Throws `atl::error`.
descriptor duplicate(const descriptor& original);

}  // namespace atl::bootstrap
