// SPDX-License-Identifier: BSD-3-Clause
//
// Radixes of the number of members and more make the same tree, so one of them stands for all.
#include <atoll/coll/tuned/candidates.hpp>

#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace atl::coll {

namespace {

constexpr std::array<unsigned, 4> radixes{2, 3, 4, 8};

std::vector<unsigned> radixes_of(const algorithm& each, rank_id members) {
  if (each.radix == 0) return {0};
  std::vector<unsigned> list;
  for (const unsigned radix : radixes) {
    if (list.empty() || radix <= members) list.push_back(radix);
  }
  return list;
}

}  // namespace

std::vector<choice> candidates_of(const call& call, const choice& first) {
  choice begin{.use = first.use, .radix = first.radix, .piece_bytes = first.piece_bytes};
  if (begin.radix != 0) {
    const auto own = radixes_of(*begin.use, call.size);
    const auto above = std::upper_bound(own.begin(), own.end(), begin.radix);
    begin.radix = above == own.begin() ? own.front() : *std::prev(above);
  }
  std::vector<choice> list{begin};
  for (const algorithm& each : algorithms()) {
    if (each.kind != call.kind || !obstacle(each, call).empty()) continue;
    for (const unsigned radix : radixes_of(each, call.size)) {
      if (&each == begin.use && radix == begin.radix && begin.piece_bytes == 0) continue;
      list.push_back({.use = &each, .radix = radix});
    }
  }
  return list;
}

void add_pieces(std::vector<choice>& candidates, const call& call) {
  const std::size_t whole = candidates.size();
  for (std::size_t i = 0; i < whole; ++i) {
    const choice base = candidates[i];
    if (!base.use->cuts || base.radix != base.use->radix) continue;
    const std::size_t usual = usual_piece_bytes(*base.use, call);
    for (const std::size_t piece : {usual / 2, usual * 4}) {
      const bool differs = std::min(piece, usual) < call.bytes;
      if (!differs || piece < piece_bytes_min || piece > piece_bytes_max) continue;
      candidates.push_back({.use = base.use, .radix = base.radix, .piece_bytes = piece});
    }
  }
}

std::string name_of(const choice& made) {
  std::string name(made.use->name);
  if (made.use->radix != 0) name += text(":", made.radix);
  if (made.piece_bytes != 0) name += text("/", made.piece_bytes);
  return name;
}

}  // namespace atl::coll
