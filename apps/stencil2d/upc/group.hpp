// SPDX-License-Identifier: BSD-3-Clause
//
// All threads of a UPC program as a group, and the variants that are written with it. UPC has no
// teams, so a group has all threads.
#pragma once

#include <apps/stencil2d/comparison.hpp>

namespace stencil2d {

/// Names of the variants, in the order in which they run.
std::vector<std::string> upc_variants();

/// The fields of one run. Collective, and so is its end.
class upc_fields {
 public:
  /// Throws `atl::error`, on all threads, when there is no memory.
  explicit upc_fields(const setting& given);
  upc_fields(const upc_fields&) = delete;
  upc_fields& operator=(const upc_fields&) = delete;
  ~upc_fields();
};

class upc_group final : public rank_group {
 public:
  upc_group(unsigned thread, unsigned threads) : thread_(thread), threads_(threads) {}

  unsigned rank() const override { return thread_; }
  unsigned size() const override { return threads_; }
  void barrier() override;
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  unsigned thread_;
  unsigned threads_;
};

}  // namespace stencil2d
