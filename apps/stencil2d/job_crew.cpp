// SPDX-License-Identifier: BSD-3-Clause
//
// The explicit variants share two fields, the elegant one has arrays of its own; beside them a rank
// keeps the first field, and rank 0 the two of one core.
#include <apps/stencil2d/elegant.hpp>
#include <apps/stencil2d/ground.hpp>
#include <apps/stencil2d/job_crew.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/memory_limits.hpp>
#include <atoll/coll/collectives.hpp>

#include <algorithm>
#include <array>

namespace stencil2d {
namespace {

std::size_t shared_bytes(const setting& given) {
  return ground::bytes_needed(given) + elegant::bytes_needed(given);
}

void add_all(atl::team& on, void* numbers, std::size_t count, atl::data_type type) {
  const auto sum = atl::coll::built_in(atl::coll::reduce_operation::add, type);
  atl::coll::allreduce(on, numbers, numbers, count, sum);
}

void refuse(std::uint64_t needed, const char* what, std::uint64_t there) {
  throw atl::error(
      "stencil2d: memory",
      atl::text(atl::bytes_text(needed), " are needed and ", what, " ", atl::bytes_text(there)),
      "use smaller blocks or a machine with more memory");
}

}  // namespace

std::vector<std::string> job_variants() {
  return {"trivial", "put", "get", "get0", "get1", "elegant"};
}

void check_memory(atl::team& on, const setting& given) {
  const auto& limits = on.owner().host_memory().layout();
  // The heap grows in steps and rounds up: allow for it.
  const std::uint64_t each = shared_bytes(given) + (std::uint64_t{8} << 20);
  const std::uint64_t field = given.mine.elements * sizeof(double);
  const std::uint64_t all = (each + field) * on.size() + 2 * field;
  std::array<std::uint64_t, 3> there{limits.heap_limit, limits.host_limit,
                                     atl::read_available_memory()};
  atl::coll::broadcast(on, 0, there.data(), there.data(), sizeof there);  // all decide alike
  if (each > there[0]) refuse(each, "the heap of a rank may have", there[0]);
  if (each * on.size() > there[1])
    refuse(each * on.size(), "all heaps together may have", there[1]);
  if (all > there[2]) refuse(all, "the machine has now", there[2]);
}

void job_crew::add(std::span<double> numbers) {
  add_all(on_, numbers.data(), numbers.size(), atl::data_type::f64);
}

void job_crew::add(std::uint64_t& number) { add_all(on_, &number, 1, atl::data_type::u64); }

std::vector<std::unique_ptr<variant>> job_crew::variants(const setting& given,
                                                         const std::vector<std::string>& names) {
  memory_.reset();
  memory_ = std::make_unique<arena>(on_, shared_bytes(given));
  auto all = explicit_variants(std::make_shared<ground>(*memory_, given));
  all.push_back(std::make_unique<elegant>(*memory_, given));
  on_.barrier();  // from here on peers write to the memory
  if (names.empty()) return all;
  std::erase_if(all, [&](const std::unique_ptr<variant>& each) {
    return std::find(names.begin(), names.end(), each->name()) == names.end();
  });
  return all;
}

}  // namespace stencil2d
