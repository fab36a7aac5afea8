// SPDX-License-Identifier: BSD-3-Clause
//
// A main() for fuzz harnesses in builds without libFuzzer: it feeds LLVMFuzzerTestOneInput every
// file of the given corpus folders, the empty input, and several thousand mutations of them from a
// fixed seed. libFuzzer finds more; but with this every check compiles and runs each harness with
// any compiler, and failures can be repeated. One thread; when a harness finds a fault, it aborts
// or a sanitizer ends it, which fails the test.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes);

namespace {

using input = std::vector<std::uint8_t>;

constexpr std::size_t mutations = 5'000;
constexpr std::size_t size_max_bytes = 4096;

input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<input> read_corpus(int folders, char** folder_names) {
  std::vector<input> corpus{input{}};
  for (int i = 0; i < folders; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_names[i])) {
      if (entry.is_regular_file()) corpus.push_back(read_file(entry.path()));
    }
  }
  return corpus;
}

// Makes one random edit: replace, flip a bit, insert, erase, cut short, or repeat a range.
void edit(input& bytes, std::mt19937_64& random) {
  const auto byte = static_cast<std::uint8_t>(random());
  const std::size_t offset = bytes.empty() ? 0 : random() % bytes.size();
  const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  switch (bytes.empty() ? 2 : random() % 6) {
    case 0:
      bytes[offset] = byte;
      break;
    case 1:
      bytes[offset] = static_cast<std::uint8_t>(bytes[offset] ^ (1U << (byte % 8)));
      break;
    case 2:
      bytes.insert(position, byte);
      break;
    case 3:
      bytes.erase(position);
      break;
    case 4:
      bytes.resize(offset);
      break;
    default: {
      const input stretch(position, bytes.end());
      bytes.insert(bytes.end(), stretch.begin(), stretch.end());
    }
  }
  if (bytes.size() > size_max_bytes) bytes.resize(size_max_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<input> corpus = read_corpus(argc - 1, argv + 1);
  for (const input& bytes : corpus) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  std::mt19937_64 random(2026);
  for (std::size_t i = 0; i < mutations; ++i) {
    input bytes = corpus[random() % corpus.size()];
    for (std::size_t edits = 1 + random() % 8; edits > 0; --edits) edit(bytes, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu inputs and %zu mutations of them\n", corpus.size(), mutations);
  return 0;
}
