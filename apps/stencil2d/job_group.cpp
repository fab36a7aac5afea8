// SPDX-License-Identifier: BSD-3-Clause
//
// The group and its memory. The explicit variants share two fields, the elegant one has separate
// arrays; a rank also keeps the first field, and rank 0 the two fields for one core.
#include <apps/stencil2d/device_variant.hpp>
#include <apps/stencil2d/elegant.hpp>
#include <apps/stencil2d/job_group.hpp>
#include <apps/stencil2d/shared_fields.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/coll/collectives.hpp>

#include <algorithm>
#include <array>

namespace stencil2d {
namespace {

std::size_t shared_bytes(const setting& given) {
  return shared_fields::bytes_needed(given) + elegant::bytes_needed(given) + device_variant_bytes;
}

void add_all(atl::team& team, void* numbers, std::size_t count, atl::data_type type) {
  const auto sum = atl::coll::built_in(atl::coll::reduce_operation::add, type);
  atl::coll::allreduce(team, numbers, numbers, count, sum);
}

void refuse(std::uint64_t needed, const char* limit_text, std::uint64_t limit) {
  throw atl::error("stencil2d: memory",
                   atl::text(atl::bytes_text(needed), " are needed and ", limit_text, " ",
                             atl::bytes_text(limit)),
                   "use smaller blocks or a machine with more memory");
}

}  // namespace

std::vector<std::string> job_variants() {
  return {"trivial", "put", "get", "get0", "get1", "elegant", "device"};
}

void check_memory(atl::team& team, const setting& given) {
  const auto& limits = team.owner().memory_layout();
  // The heap grows in steps and rounds up, which takes some more.
  const std::uint64_t each = shared_bytes(given) + (std::uint64_t{8} << 20);
  const std::uint64_t field = given.local.elements * sizeof(double);
  const std::uint64_t total = (each + field) * team.size() + 2 * field;
  std::array<std::uint64_t, 3> available{limits.heap_limit, limits.host_limit,
                                         atl::read_available_memory()};
  atl::coll::broadcast(team, 0, available.data(), available.data(),
                       sizeof available);  // so that all decide the same
  if (each > available[0]) refuse(each, "the heap of a rank may have", available[0]);
  if (each * team.size() > available[1])
    refuse(each * team.size(), "all heaps together may have", available[1]);
  if (total > available[2]) refuse(total, "the machine has now", available[2]);
}

void job_group::add(std::span<double> numbers) {
  add_all(team_, numbers.data(), numbers.size(), atl::data_type::f64);
}

void job_group::add(std::uint64_t& number) { add_all(team_, &number, 1, atl::data_type::u64); }

std::vector<std::unique_ptr<variant>> job_group::variants(const setting& given,
                                                          const std::vector<std::string>& names) {
  memory_.reset();
  memory_ = std::make_unique<arena>(team_, shared_bytes(given));
  std::vector<std::unique_ptr<variant>> result;
  if (kind_ == atl::memory::memory_kind::host) {
    result = explicit_variants(std::make_shared<shared_fields>(*memory_, given));
  } else {
    result.push_back(make_device_variant(*memory_, given, kind_));
  }
  result.push_back(std::make_unique<elegant>(*memory_, given));
  team_.barrier();  // from here on peers write to the memory
  if (names.empty()) return result;
  std::erase_if(result, [&](const std::unique_ptr<variant>& each) {
    return std::find(names.begin(), names.end(), each->name()) == names.end();
  });
  return result;
}

}  // namespace stencil2d
