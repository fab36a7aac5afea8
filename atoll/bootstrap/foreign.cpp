// SPDX-License-Identifier: BSD-3-Clause
//
// The marks that other launchers leave in the environment of what they start. Each row names the
// variable that only a started process has and the one that tells how many there are; where a
// launcher does not say the number (PMIx), its presence is enough. Slurm sets its job variables in
// batch scripts too, where no srun has started anything: only a step id that srun gave counts.
#include <atoll/bootstrap/foreign.hpp>

#include <array>

namespace atl::bootstrap {
namespace {

struct mark {
  const char* started;  // set in every process that the launcher starts
  const char* count;    // how many there are; null when it is not told
  const char* name;
};

constexpr std::array marks{
    mark{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    mark{"PMI_RANK", "PMI_SIZE", "a PMI launcher such as MPICH's mpiexec"},
    mark{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun_rsh"},
    mark{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm's srun"},
    mark{"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "Flux"},
    mark{"PALS_RANKID", "PALS_SIZE", "HPE's mpiexec (PALS)"},
    mark{"ALPS_APP_PE", nullptr, "Cray's aprun"},
    mark{"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "IBM's jsrun"},
    mark{"PMIX_RANK", nullptr, "a PMIx launcher"},
};

}  // namespace

std::optional<foreign_launcher> find_foreign_launcher(std::string_view (*lookup)(const char*)) {
  for (const auto& row : marks) {
    if (lookup(row.started).empty()) continue;
    const auto count = row.count ? lookup(row.count) : std::string_view();
    if (count == "1") return std::nullopt;
    if (row.count && count.empty()) continue;
    return foreign_launcher{row.name, row.started};
  }
  return std::nullopt;
}

}  // namespace atl::bootstrap
