// SPDX-License-Identifier: BSD-3-Clause
//
// Lists the candidates for a call. Radixes of the number of members and more make the same tree, so
// one of them stands for all. A variant changes one parameter only, because all combinations would
// be too many to measure. The list must be alike on all members, so it depends on the call, the
// team and its hosts alone.
#include <atoll/coll/tuned/candidates.hpp>

#include <atoll/base/rounding.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/core/team/team.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace atl::coll {

namespace {

constexpr std::array<unsigned, 4> radixes{2, 3, 4, 8};
constexpr std::size_t eager_bytes_least = 1024;

// The lengths of chains that make the way to the last member of a fork tree short: by the number of
// messages, and by those between hosts. Of few members it is a chain or a flat tree.
std::vector<unsigned> widths_of_fork(const call& call) {
  if (call.size < 4) return {};
  unsigned square = 2;
  while (square * square < call.size) ++square;
  std::vector<unsigned> list{square};
  const rank_id of_host = pieces_of(call.size, call.whole_team->hosts().count());
  if (of_host > 1 && of_host < call.size && of_host <= radix_max) list.push_back(of_host);
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<unsigned> radixes_of(const algorithm& each, const call& call) {
  if (each.radix == 0) return {0};
  if (each.is_fork) return widths_of_fork(call);
  std::vector<unsigned> list;
  for (const unsigned radix : radixes) {
    if (list.empty() || radix <= call.size) list.push_back(radix);
  }
  // The flat tree, in which the root has all others as children; with a member more than the radix
  // it is that already. By digits of a distance one step needs a radix of all members.
  const bool is_barrier = each.kind == collective::barrier;
  const bool has_digits = is_barrier || each.name == "bruck";
  const rank_id most = is_barrier ? barrier_radix_max : radix_max;
  if (call.size > list.back() + (has_digits ? 0 : 1) && call.size <= most) {
    list.push_back(call.size);
  }
  return list;
}

}  // namespace

std::vector<choice> candidates_of(const call& call, const choice& first) {
  choice begin = first;
  begin.begins_together = begin.ends_together = false;
  if (begin.radix != 0) {
    const auto own = radixes_of(*begin.use, call);
    const auto above = std::upper_bound(own.begin(), own.end(), begin.radix);
    if (!own.empty()) begin.radix = above == own.begin() ? own.front() : *std::prev(above);
  }
  std::vector<choice> list{begin};
  for (const algorithm& each : algorithms()) {
    if (each.kind != call.kind || !obstacle(each, call).empty()) continue;
    for (const unsigned radix : radixes_of(each, call)) {
      const choice other{.use = &each, .radix = radix};
      if (name_of(other) != name_of(begin)) list.push_back(other);
    }
  }
  return list;
}

namespace {

rank_id members_of_smallest_host(const team& group) {
  const team_hosts& hosts = group.hosts();
  std::vector<rank_id> counts(hosts.count());
  for (rank_id member = 0; member < group.size(); ++member) ++counts[hosts.host_of(member)];
  return *std::ranges::min_element(counts);
}

void add_pieces(std::vector<choice>& list, const call& call, const choice& base) {
  if (!base.use->cuts || base.piece_bytes != 0) return;
  const std::size_t usual = usual_piece_bytes(*base.use, call);
  for (const std::size_t piece : {usual / 2, usual * 4}) {
    const bool differs = std::min(piece, usual) < call.bytes;
    if (!differs || piece < piece_bytes_min || piece > piece_bytes_max) continue;
    choice other = base;
    other.piece_bytes = piece;
    list.push_back(other);
  }
}

// Depths bound only what waits for its receiver; eager messages arrive at any time.
void add_depths(std::vector<choice>& list, const call& call, const choice& base) {
  const unsigned usual = base.use->depth;
  if (usual == 0 || base.depth != 0) return;
  const std::size_t each = std::max(message_bytes(*base.use, call), std::size_t{1});
  const std::size_t count = base.use->cuts ? pieces_of(call.bytes, each) : call.size - 1;
  if (each <= (base.eager_bytes != 0 ? base.eager_bytes : usual_eager_bytes(call))) return;
  for (const unsigned depth : {usual / 2, usual * 4}) {
    if (std::min(depth, usual) >= count) continue;  // all are under way with either
    choice other = base;
    other.depth = depth;
    list.push_back(other);
  }
}

// The limit on the other side of most of its messages: the same two for all sizes, so that one rule
// holds for several. Messages below them are always eager, since asking for them costs as much as
// sending them. Pieces are never eager. The limit is not raised where a member gets several
// messages in one call: as many again of each early call would fill its memory.
void add_eager_limit(std::vector<choice>& list, const call& call, const choice& base) {
  if (!base.use->messages || base.eager_bytes != 0) return;
  const std::size_t each = message_bytes(*base.use, call);
  const bool is_piece = base.use->cuts && each == usual_piece_bytes(*base.use, call);
  const bool is_eager = each <= usual_eager_bytes(call);
  if (is_piece || each <= eager_bytes_least || each > eager_bytes_max) return;
  if (!is_eager && base.use->repeats) return;
  choice other = base;
  other.eager_bytes = is_eager ? eager_bytes_least : eager_bytes_max;
  list.push_back(other);
}

void add_leaders(std::vector<choice>& list, const call& call, const choice& base) {
  constexpr std::size_t stripe_bytes_min = 512;
  if (!base.use->has_leaders || base.leaders != 0) return;
  const rank_id most = members_of_smallest_host(*call.whole_team);
  for (const unsigned leaders : {2u, 4u}) {
    if (leaders > most || call.bytes < leaders * stripe_bytes_min) continue;
    choice other = base;
    other.leaders = leaders;
    list.push_back(other);
  }
}

// Only messages that wait for their receiver are moved by one side alone. On a host whose members
// share cores, all but those in mapped memory come in pieces with either.
void add_gets(std::vector<choice>& list, const call& call, const choice& base) {
  if (!base.use->messages || base.mover != moved_by::usual) return;
  const std::size_t limit = base.eager_bytes != 0 ? base.eager_bytes : usual_eager_bytes(call);
  if (message_bytes(*base.use, call) <= limit) return;
  choice other = base;
  other.mover = moved_by::get;
  list.push_back(other);
}

}  // namespace

std::vector<choice> other_protocols_of(const choice& base, const call& call) {
  std::vector<choice> list;
  add_eager_limit(list, call, base);
  return list;
}

std::vector<choice> variants_of(const choice& base, const call& call) {
  std::vector<choice> list;
  add_pieces(list, call, base);
  add_depths(list, call, base);
  add_eager_limit(list, call, base);
  add_leaders(list, call, base);
  add_gets(list, call, base);
  return list;
}

// Blocks and pieces of which the last is smaller, and stripes of leaders, may be eager where most
// messages are not.
std::vector<std::string> parameters_that_count(const choice& base, const call& call) {
  const algorithm& use = *base.use;
  const std::size_t each = message_bytes(use, call);
  const std::size_t usual_piece = usual_piece_bytes(use, call);
  const bool has_equal_messages =
      use.message == message_share::whole && !use.cuts && !use.has_leaders;
  std::vector<std::string> names;
  if (use.cuts && std::min(piece_bytes_min, usual_piece) < call.bytes) names.push_back("piece");
  const bool waits = each > usual_eager_bytes(call) || !has_equal_messages;
  const bool has_several = use.cuts ? call.bytes > piece_bytes_min : call.size > 2;
  if (use.depth != 0 && waits && has_several) names.push_back("depth");
  if (use.messages && (each <= eager_bytes_max || !has_equal_messages)) names.push_back("eager");
  if (use.messages && waits) names.push_back("by");
  const bool has_many = use.has_leaders && members_of_smallest_host(*call.whole_team) > 1;
  if (has_many) names.push_back("leaders");
  return names;
}

tuned_rule rule_of(const choice& made) {
  tuned_rule rule;
  rule.algorithm = made.use->name;
  rule.radix = made.use->radix != 0 ? made.radix : 0;
  rule.piece_bytes = made.piece_bytes;
  rule.depth = made.depth;
  rule.eager_bytes = made.eager_bytes;
  rule.leaders = made.leaders;
  if (made.mover != moved_by::usual) rule.mover = made.mover == moved_by::get ? "get" : "put";
  return rule;
}

choice choice_of(const tuned_rule& rule, const algorithm& use) {
  const moved_by named = rule.mover == "get" ? moved_by::get : moved_by::put;
  return {.use = &use,
          .radix = rule.radix,
          .depth = rule.depth,
          .piece_bytes = rule.piece_bytes,
          .eager_bytes = rule.eager_bytes,
          .leaders = rule.leaders,
          .mover = rule.mover.empty() ? moved_by::usual : named};
}

std::string name_of(const choice& made) { return algorithm_text(rule_of(made)); }

}  // namespace atl::coll
