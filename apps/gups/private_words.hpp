// SPDX-License-Identifier: BSD-3-Clause
//
// Words in private memory, in large pages where the kernel has them: with small pages, random
// access spends more time on address translation than on reading the word.
#pragma once

#include <apps/gups/stream.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace gups {

class private_words {
 public:
  private_words() = default;
  /// first() is null where there is no memory.
  explicit private_words(std::size_t count) {
    constexpr std::size_t large_page = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(word) + large_page - 1) / large_page * large_page;
    words_.reset(static_cast<word*>(std::aligned_alloc(large_page, bytes)));
    if (words_) ::madvise(words_.get(), bytes, MADV_HUGEPAGE);  // refused: small pages
  }

  word* first() const noexcept { return words_.get(); }

 private:
  struct free_words {
    void operator()(word* gone) const { std::free(gone); }
  };
  std::unique_ptr<word, free_words> words_;
};

}  // namespace gups
