// SPDX-License-Identifier: BSD-3-Clause
//
// A job on this host alone: the second process of the launcher is the supervisor and has the port
// to the ranks itself.
#include <tools/run/local_ranks.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/supervisor.hpp>

#include <sys/prctl.h>

#include <csignal>

namespace atl::tools {

launch_outcome run_on_this_host(const launch& job, int control) {
  prctl(PR_SET_NAME, supervisor_name);
  become_subreaper();
  std::signal(SIGPIPE, SIG_IGN);
  event_loop loop;
  job_output output(loop, job.options.size);
  supervisor decides({.loop = loop,
                      .output = output,
                      .options = job.options,
                      .size = job.options.size,
                      .control = control});
  rank_streams streams;
  if (job.options.tag)
    streams.open_output = [&](rank_id rank, int stream) { return output.open_pipe(rank, stream); };
  local_ranks ranks(loop, job, decides, std::move(streams));
  return decides.run(ranks);
}

}  // namespace atl::tools
