// SPDX-License-Identifier: BSD-3-Clause
//
// Lists points and computes their memory. The names of collectives stand here once more, because
// the command does not link the engine; the job compares them with the engine's.
#include <tools/tune/measure/points.hpp>

#include <atoll/base/parse.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <ranges>

namespace atl::tune {

using coll::collective;

namespace {

constexpr std::array<std::string_view, 9> names{"broadcast", "reduce", "allreduce",
                                                "scatter",   "gather", "allgather",
                                                "alltoall",  "scan",   "barrier"};
static_assert(names.size() == static_cast<std::size_t>(collective::fence));

// The sizes for a kind of call: each once, those of reductions rounded up to whole elements.
std::vector<std::size_t> sizes_for(const point_selection& chosen, const point& call) {
  if (call.kind == collective::barrier) return {1};
  std::vector<std::size_t> sizes = chosen.sizes;
  if (is_reduction(call.kind)) {
    for (std::size_t& each : sizes) each = round_up(each, call.element_bytes);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

// The sizes in an order in which small and large ones alternate: some three in eight of all sizes
// lie between one and the next.
std::vector<std::size_t> spread(auto sizes) {
  const std::vector<std::size_t> ascending(sizes.begin(), sizes.end());
  const std::size_t count = ascending.size();
  std::size_t step = std::max(3 * count / 8, std::size_t{1});
  while (std::gcd(step, count) > 1) ++step;
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(ascending[i * step % count]);
  return list;
}

// The kinds of calls of a collective in one form, without their sizes.
std::vector<point> calls_of(const point_selection& chosen, collective kind, bool blocking) {
  std::vector<point> calls;
  for (const unsigned element_bytes : chosen.elements) {
    point each{.kind = kind, .blocking = blocking};
    if (is_reduction(kind)) each.element_bytes = element_bytes;
    calls.push_back(each);
    each.commutative = false;
    if (is_reduction(kind) && chosen.in_order) calls.push_back(each);
    if (!is_reduction(kind)) break;
  }
  const bool is_first_form = blocking || !chosen.blocking;  // strict calls run alike in both
  const bool has_strict = kind != collective::barrier;
  if (!chosen.strict || !is_first_form || !has_strict) return calls;
  calls.push_back(calls.front());
  calls.back().strict = true;
  return calls;
}

}  // namespace

bool is_reduction(collective kind) {
  return kind == collective::reduce || kind == collective::allreduce || kind == collective::scan;
}

std::string name_of(const point& measured) {
  const std::string_view name = names[static_cast<std::size_t>(measured.kind)];
  const bool has_data = measured.kind != collective::barrier;
  return text(name, has_data ? " of " : "", has_data ? bytes_text(measured.bytes) : "",
              measured.strict     ? ", strict"
              : measured.blocking ? ", waited for"
                                  : ", overlapped",
              measured.element_bytes == usual_element_bytes
                  ? ""
                  : text(", elements of ", measured.element_bytes, " B"),
              measured.commutative ? "" : ", in order");
}

std::string text_of(const point& measured) {
  return text(names[static_cast<std::size_t>(measured.kind)], ":", measured.bytes,
              measured.blocking ? ":waited" : ":overlapped",
              measured.element_bytes == usual_element_bytes
                  ? ""
                  : text(":elements=", measured.element_bytes),
              measured.commutative ? "" : ":in-order", measured.strict ? ":strict" : "");
}

std::optional<point> point_from(std::string_view words) {
  const auto next = [&] {
    const std::string_view word = words.substr(0, words.find(':'));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    return word;
  };
  const auto kind = collective_named(next());
  const auto bytes = parse_number<std::size_t>(next());
  const std::string_view form = next();
  if (!kind || !bytes || (form != "waited" && form != "overlapped")) return {};
  point found{.kind = *kind, .bytes = *bytes, .blocking = form == "waited"};
  while (!words.empty()) {
    const std::string_view word = next();
    constexpr std::string_view elements = "elements=";
    const auto size = word.starts_with(elements)
                          ? parse_number<unsigned>(word.substr(elements.size()))
                          : std::nullopt;
    if (size) {
      found.element_bytes = *size;
    } else if (word == "in-order") {
      found.commutative = false;
    } else if (word == "strict") {
      found.strict = true;
    } else {
      return {};
    }
  }
  return found;
}

std::vector<std::string> collective_names() { return {names.begin(), names.end()}; }

std::optional<collective> collective_named(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  return static_cast<collective>(found - names.begin());
}

std::size_t source_blocks(collective kind, std::size_t ranks) {
  return kind == collective::scatter || kind == collective::alltoall ? ranks : 1;
}

std::size_t target_blocks(collective kind, std::size_t ranks) {
  const bool has_all =
      kind == collective::gather || kind == collective::allgather || kind == collective::alltoall;
  return has_all ? ranks : 1;
}

std::uint64_t need_bytes(const point& measured, const job_layout& job) {
  const collective kind = measured.kind;
  const bool root_has_all = kind == collective::scatter || kind == collective::gather;
  const std::size_t blocks = source_blocks(kind, job.ranks) + target_blocks(kind, job.ranks);
  const std::uint64_t host_blocks =
      root_has_all ? blocks + 2 * (job.host_ranks - 1) : blocks * job.host_ranks;
  return 2 * host_blocks * measured.bytes * (measured.blocking ? 1 : calls_in_flight);
}

std::vector<point> points_of(const point_selection& chosen, const job_layout& job) {
  constexpr std::uint64_t no_limit = ~std::uint64_t{0};
  const std::uint64_t limit = chosen.memory_limit != 0 ? chosen.memory_limit : no_limit;
  std::map<std::size_t, std::vector<point>> by_size;
  for (const collective kind : chosen.collectives) {
    if (kind == collective::barrier && job.hosts < hosts_of_barriers_min) continue;
    for (const bool blocking : {true, false}) {
      if (!(blocking ? chosen.blocking : chosen.overlapped)) continue;
      for (point each : calls_of(chosen, kind, blocking)) {
        for (const std::size_t bytes : sizes_for(chosen, each)) {
          each.bytes = bytes;
          if (need_bytes(each, job) <= limit) by_size[bytes].push_back(each);
        }
      }
    }
  }
  for (const point& each : chosen.also) {
    const auto is_same = [&](const point& other) { return text_of(other) == text_of(each); };
    if (std::ranges::none_of(by_size[each.bytes], is_same)) by_size[each.bytes].push_back(each);
  }
  std::vector<point> points;
  for (const std::size_t bytes : spread(std::views::keys(by_size))) {
    const std::vector<point>& same = by_size[bytes];
    points.insert(points.end(), same.begin(), same.end());
  }
  return points;
}

}  // namespace atl::tune
