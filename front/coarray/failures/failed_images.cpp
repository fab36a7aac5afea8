// SPDX-License-Identifier: BSD-3-Clause
//
// Going on without failed images, and reporting them to statements.
#include <front/coarray/failures/failed_images.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/failures/loss_watch.hpp>

#include <chrono>

namespace atl::coarray {
namespace {

bool is_expected = false;

// The time after which a statement that waits in a program without STAT= gives up: another image
// may still do what it waits for, but most likely waits for the one that has failed.
constexpr std::int64_t patience_ns = 3'000'000'000;

std::int64_t now_ns() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Other fronts do not look for operations that end because of a loss.
void hear_of_failure(void* context, rank_id rank, std::string_view cause) noexcept {
  process_state& us = *static_cast<process_state*>(context);
  if (!layer_access::losses(us.runtime).is_outlived())
    us.runtime.fail(text("job rank ", rank), cause, "start the program by `atoll run` or cafrun");
  if (us.held.use_count() == 1) return;
  us.runtime.fail(text("job rank ", rank), cause,
                  "let no other front run in a program whose images may fail");
}

}  // namespace

void expect_failures() noexcept { is_expected = true; }
bool are_failures_expected() noexcept { return is_expected; }

void outlive_failures(process_state& us) noexcept {
  if (us.outlives || us.has_ended) return;
  us.outlives = true;
  us.runtime.on_peer_lost({.run = hear_of_failure, .context = &us});
  if (layer_access::losses(us.runtime).is_outlived()) start_loss_watch(us);
}

void become_aware(process_state& us) noexcept {
  us.is_aware = true;
  outlive_failures(us);
}

int find_failed(const process_state& us, const image_team& team) noexcept {
  if (!any_has_failed(us)) [[likely]]
    return 0;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (has_failed(us, team.core->job_rank(member))) return static_cast<int>(member) + 1;
  }
  return 0;
}

void tell_failed(process_state& us, const status_variables& status, const char* call,
                 int image) noexcept {
  us.failures_reported = layer_access::losses(us.runtime).count();
  status.fail(statement_error::failed_image, call, text("image ", image, " has failed"),
              "find out why it did, or give the statement STAT= and go on without it");
}

void tell_failed_rank(process_state& us, const status_variables& status, const char* call,
                      rank_id rank) noexcept {
  const rank_id member = us.current->core->member(rank);
  if (member != no_rank) return tell_failed(us, status, call, static_cast<int>(member) + 1);
  us.failures_reported = layer_access::losses(us.runtime).count();
  status.fail(statement_error::failed_image, call,
              text("image ", rank + 1, " of the initial team has failed"),
              "find out why it did, or give the statement STAT= and go on without it");
}

void tell_state_of(process_state& us, const image_team& team, const char* call,
                   const status_variables& status) noexcept {
  const int failed = find_failed(us, team);
  if (failed != 0) return tell_failed(us, status, call, failed);
  status.succeed();
}

void check_patience(process_state& us, const char* call) noexcept {
  if (!any_has_failed(us) || us.is_aware) [[likely]]
    return;
  if (us.impatient_since_ns == 0) us.impatient_since_ns = now_ns();
  if (now_ns() - us.impatient_since_ns < patience_ns) return;
  const int failed = find_failed(us, *us.initial);
  refuse(call, text("image ", failed, " of the initial team has failed, and this may wait for it"),
         "find out why it did, or give statements STAT= and go on without it");
}

}  // namespace atl::coarray
