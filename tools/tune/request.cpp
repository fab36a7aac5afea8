// SPDX-License-Identifier: BSD-3-Clause
//
// Checks the options of `atoll tune`. The usual sizes leave out points that need more than a
// quarter of the memory that is free; for sizes that were asked for, three quarters are the limit,
// and more is refused.
#include <tools/tune/request.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/nearest.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/system/replace_file.hpp>
#include <atoll/base/text.hpp>
#include <tools/hosts/host_list.hpp>
#include <tools/run/program.hpp>
#include <tools/tune/job_settings.hpp>
#include <tools/tune/rules.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace atl::tools {

namespace {

constexpr std::array<std::size_t, 13> usual_sizes{
    8, 32, 128, 512, 2048, 8192, 32768, 65536, 131072, 262144, 524288, 1048576, 4194304};
constexpr unsigned powers_max = 64;  // of the numbers of ranks below that of the cores
constexpr std::uint64_t size_max = std::uint64_t{1} << 40;
constexpr double busy_load = 0.75;  // of the cores, as of atoll bench

[[noreturn]] void refuse_option(const std::string& message) {
  throw launch_refusal{2, message + "; atoll tune --help tells more"};
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& each : words) list += (list.empty() ? "" : ", ") + each;
  return list;
}

}  // namespace

std::vector<unsigned> usual_ranks(unsigned cores) {
  std::vector<unsigned> list;
  for (unsigned ranks = 2; ranks < cores && ranks <= powers_max; ranks *= 2) list.push_back(ranks);
  if (cores > 1) list.push_back(cores);
  list.push_back(2 * cores);
  return list;
}

namespace {

std::vector<std::size_t> sizes_of(const std::vector<std::string>& words) {
  if (words.empty()) return {usual_sizes.begin(), usual_sizes.end()};
  std::vector<std::size_t> sizes;
  for (const std::string& each : words) {
    const auto bytes = parse_bytes(each);
    if (!bytes) {
      refuse_option(text("--sizes: \"", each.substr(0, 40),
                         "\" is no size; give whole bytes, as 8, 4k or 1M"));
    }
    if (*bytes == 0 || *bytes > size_max) {
      refuse_option(text("--sizes: a block of ", each.substr(0, 40),
                         " bytes cannot be measured; give sizes from 1 byte to 1 TiB"));
    }
    sizes.push_back(static_cast<std::size_t>(*bytes));
  }
  return sizes;
}

std::vector<coll::collective> collectives_of(const std::vector<std::string>& words) {
  const std::vector<std::string> names = tune::collective_names();
  std::vector<coll::collective> list;
  for (const std::string& each : words.empty() ? names : words) {
    const auto found = tune::collective_named(each);
    if (!found) {
      const std::string near = nearest(each, names);
      refuse_option(text("--collectives: there is no \"", each.substr(0, 40), "\"",
                         near.empty() ? "" : ", did you mean " + near + "?",
                         near.empty() ? "; " : " ", "there are ", list_of(names)));
    }
    if (std::ranges::find(list, *found) == list.end()) list.push_back(*found);
  }
  return list;
}

// In the order in which they were given.
std::vector<unsigned> without_repetitions(const std::vector<unsigned>& list) {
  std::vector<unsigned> once;
  for (const unsigned each : list) {
    if (std::ranges::count(once, each) == 0) once.push_back(each);
  }
  return once;
}

void check_numbers(const tune_request& request) {
  if (!(request.seconds > 0) || !std::isfinite(request.seconds)) {
    refuse_option(text("--seconds: in ", request.seconds,
                       " seconds nothing can be measured; give a number above 0"));
  }
  if (!(request.work >= 0) || request.work > 100) {
    refuse_option(text("--work: ", request.work,
                       " times a call is no work to compute beside it; give 0 to 100"));
  }
}

// Of what is measured by default, barriers are left out in silence where there are too few hosts.
void check_hosts_of_barriers(const tune_request& request) {
  const auto& kinds = request.which.collectives;
  if (kinds.size() != 1 || kinds.front() != coll::collective::barrier) return;
  const bool has_points = std::ranges::any_of(
      request.ranks, [&](unsigned ranks) { return !request.points(ranks).empty(); });
  if (has_points) return;
  refuse_option(text("--collectives: barriers on fewer than ", tune::hosts_of_barriers_min,
                     " hosts have nothing to choose; name more by --hosts"));
}

void check_memory(tune_request& request) {
  const std::uint64_t free_bytes = read_memory_limits().available_bytes;
  const bool is_asked = !request.sizes.empty();
  if (!is_asked) request.which.memory_limit = free_bytes / 4;
  for (const unsigned ranks : request.ranks) {
    for (const tune::point& each : is_asked ? request.points(ranks) : std::vector<tune::point>{}) {
      const std::uint64_t need = tune::need_bytes(each, request.layout(ranks));
      if (need <= free_bytes - free_bytes / 4) continue;
      refuse_option(text("--sizes: ", tune::name_of(each), " on ", ranks, " ranks needs about ",
                         bytes_text(need), " of memory on this host, of ", bytes_text(free_bytes),
                         " that are free; give smaller sizes or fewer ranks",
                         each.blocking ? "" : ", or --form waited"));
    }
  }
}

}  // namespace

tune::job_layout tune_request::layout(unsigned job_ranks) const {
  if (hosts.empty()) return {.ranks = job_ranks, .hosts = 1, .host_ranks = job_ranks};
  const std::vector<host_slots> filled = fill(parse_hosts(hosts), job_ranks);
  return {.ranks = job_ranks,
          .hosts = filled.size(),
          .host_ranks = std::ranges::max_element(filled, {}, &host_slots::slots)->slots};
}

std::vector<tune::point> tune_request::points(unsigned job_ranks) const {
  return tune::points_of(which, layout(job_ranks));
}

void check(tune_request& request) {
  if (request.output.empty()) {
    throw launch_refusal{2, "there is no HOME to keep the table in; name a file by --output"};
  }
  if (request.ranks.empty()) request.ranks = usual_ranks(cores_available());
  request.ranks = without_repetitions(request.ranks);
  request.elements = without_repetitions(request.elements);
  if (request.records.empty()) request.records = request.output + ".records";
  check_numbers(request);
  request.which = {.collectives = collectives_of(request.collectives),
                   .sizes = sizes_of(request.sizes),
                   .blocking = request.form != "overlapped",
                   .overlapped = request.form != "waited",
                   .elements = request.elements,
                   .in_order = request.in_order,
                   .strict = request.strict};
  check_hosts_of_barriers(request);
  check_memory(request);
}

// Nothing of the user's is changed before all has been checked.
records_file open_files(const tune_request& request) {
  new_folders made;
  check_records(request.records);
  made.make_for(request.output);
  made.make_for(request.records);
  check_replaceable(request.output);
  records_file records(request.records);
  if (request.fresh) records.clear();
  made.keep();
  return records;
}

void check_settings(const settings& current) {
  const std::vector<std::string> changing = tune::settings_that_change_times(current);
  if (changing.empty()) return;
  throw launch_refusal{
      2, text(list_of(changing), changing.size() == 1 ? " changes" : " change",
              " what would be measured, and jobs without ", changing.size() == 1 ? "it" : "them",
              " would use the table too; unset ", changing.size() == 1 ? "it" : "them")};
}

std::string busy_warning(double load, unsigned cores) {
  if (load <= busy_load * cores) return {};
  char rounded[40];
  std::snprintf(rounded, sizeof rounded, "%.1f", load);
  return text("other programs have the cores: a load of ", rounded, " on ", cores,
              cores == 1 ? " core" : " cores", "; the figures will be theirs too");
}

}  // namespace atl::tools
