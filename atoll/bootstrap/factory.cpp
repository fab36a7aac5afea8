// SPDX-License-Identifier: BSD-3-Clause
//
// Which bootstrap this process has: the launcher that ATOLL_JOB names, else a job of one, unless
// another launcher started several of us: one that speaks PMIx is joined through the module for it,
// one that speaks PMI-1 directly, any other is refused. ATOLL_RANK or ATOLL_SIZE without a job (set
// by hand, or kept by a wrapper that dropped the rest) would lie about the job, so is refused. A
// process that a rank has started is not that rank, whatever it inherited, and is a job of one.
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/foreign.hpp>
#include <atoll/bootstrap/local.hpp>
#include <atoll/bootstrap/membership.hpp>
#include <atoll/bootstrap/pmi1.hpp>
#include <atoll/bootstrap/pmix.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/bootstrap/single.hpp>

namespace atl::bootstrap {
namespace {

std::unique_ptr<bootstrap> join_job(const settings& settings) {
  const auto job = job_address::parse(settings.text(setting::job));
  if (!job)
    throw error("ATOLL_JOB", "does not have the form that `atoll run` gives it",
                "start the program with `atoll run`, or unset ATOLL_JOB");
  if (settings.text(setting::rank).empty() || settings.text(setting::size).empty())
    throw error("ATOLL_JOB", "is set, but ATOLL_RANK and ATOLL_SIZE are not both",
                "keep all three in the environment of a rank, or unset ATOLL_JOB");
  return std::make_unique<local>(local::identity{
      .job = *job,
      .rank = static_cast<rank_id>(settings.number(setting::rank)),
      .size = static_cast<rank_id>(settings.number(setting::size)),
      .version = version_text,
  });
}

/// Joins the launcher that has started this process; null where there is none.
std::unique_ptr<bootstrap> join_launcher(const settings& settings) {
  const bool is_own_job = !has_inherited_job(settings);
  if (is_own_job && !settings.text(setting::job).empty()) return join_job(settings);
  const bool has_rank = !settings.text(setting::rank).empty();
  if (is_own_job && has_rank && settings.text(setting::size) != "1")
    throw error("ATOLL_RANK", "is set, but ATOLL_JOB is not",
                "start the ranks with `atoll run -n N`, or unset it to run a job of one");
  const auto foreign = find_foreign_launcher(foreign_variable);
  if (foreign && !foreign_variable("PMIX_RANK").empty())
    return join_by_pmix(foreign->name + " (" + foreign->variable + " is set)");
  if (has_pmi1() && (foreign || foreign_variable("PMI_FD").empty()))
    return std::make_unique<pmi1>(settings);
  if (foreign)
    throw error(
        "job",
        "this process was started by " + foreign->name + " (" + foreign->variable +
            " is set), which Atoll does not speak: it would be one of many jobs of one rank",
        foreign->variable == "SLURM_PROCID" ? "start it with `srun --mpi=pmix`, or `atoll run -n N`"
                                            : "start it with `atoll run -n N`");
  return nullptr;
}

/// ATOLL_SIZE alone demands this number of ranks of any launcher (`atoll run --launcher`).
void require_size(const settings& settings, const bootstrap* joined) {
  if (settings.text(setting::size).empty() || has_inherited_job(settings)) return;
  const auto asked = settings.number(setting::size);
  const rank_id size = joined ? joined->size() : 1;
  if (size == asked) return;
  if (!joined)
    throw error("ATOLL_SIZE",
                text("asks for ", asked,
                     " ranks, but no launcher that Atoll speaks started this process as one of "
                     "several"),
                "start the ranks with `atoll run -n N`, or by a launcher that speaks PMIx or "
                "PMI-1; or unset it to run a job of one");
  throw error("ATOLL_SIZE", text("asks for ", asked, " ranks, but the launcher started ", size),
              "give the launcher the number by %N");
}

}  // namespace

std::unique_ptr<bootstrap> make(const settings& settings) {
  if (is_started_by_rank(settings)) return std::make_unique<single>();
  auto joined = join_launcher(settings);
  require_size(settings, joined.get());
  if (!joined) return std::make_unique<single>();
  mark_children();
  return joined;
}

}  // namespace atl::bootstrap
