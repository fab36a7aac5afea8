// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a file of words.
#include <apps/kv/words.hpp>
#include <atoll/base/error.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace kv {

std::string read_file(const std::string& path) {
  const auto refuse = [&path](int number) {
    throw atl::error("--text " + path, "it cannot be read: " + atl::errno_text(number),
                     "name a file that every rank can read");
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) refuse(errno);
  std::string text;
  std::array<char, 65536> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), got);
  }
  if (std::ferror(file.get()) != 0) refuse(errno);  // a folder can be opened and fails here
  return text;
}

}  // namespace kv
