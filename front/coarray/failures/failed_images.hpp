// SPDX-License-Identifier: BSD-3-Clause
//
// Images that have failed, and how statements report them. The others go on if every image wants
// that: from the start in a program with FAIL IMAGE, IMAGE_STATUS or FAILED_IMAGES, else from its
// first statement with STAT= on. Before that the failure of an image ends the job, so programs that
// know nothing of failures never wait for an image that is gone.
//
// A failure is known here once progress has been made after it. From then on the memory of a failed
// image is not accessed any more; fast paths fall through to the slow ones, which look here.
#pragma once

#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray {

/// Notes that the program has statements about failed images; by constructors, before the start.
void expect_failures() noexcept;
bool are_failures_expected() noexcept;

/// When all images have called it, the others go on when one fails. It may be called repeatedly.
void outlive_failures(process_state& us) noexcept;

/// For a statement that can tell of a failure: this image knows from now on that images may fail.
void become_aware(process_state& us) noexcept;
inline void note_status(process_state& us, const status_variables& status) noexcept {
  if (status.stat != nullptr && !us.is_aware) become_aware(us);
}

inline bool has_failed(const process_state& us, rank_id rank) noexcept {
  return us.runtime.failed(rank);
}
inline bool any_has_failed(const process_state& us) noexcept {
  return layer_access::losses(us.runtime).count() != 0;
}

/// The lowest image of a team that has failed; 0: none.
int find_failed(const process_state& us, const image_team& team) noexcept;

/// Tells STAT_FAILED_IMAGE, or ends the job.
void tell_failed(process_state& us, const status_variables& status, const char* call,
                 int image) noexcept;
void tell_failed_rank(process_state& us, const status_variables& status, const char* call,
                      rank_id rank) noexcept;
/// The same with success where no image of the team has failed.
void tell_state_of(process_state& us, const image_team& team, const char* call,
                   const status_variables& status) noexcept;

/// For a statement that a program repeats until another image has done something: ends the job
/// when that image may have failed some seconds ago and this one knows nothing of failures.
void check_patience(process_state& us, const char* call) noexcept;

/// For statements whose STAT= the compiler does not pass, as gfortran 12 for coindexed writes and
/// statements of teams: in an image that knows of failures they end as if they had STAT=.
class unseen_status {
 public:
  explicit unseen_status(process_state& us, int* passed = nullptr) noexcept
      : us_(us),
        failures_reported_(us.failures_reported),
        variables_{.stat = passed != nullptr || !us.is_aware ? passed : &status_} {}
  /// The failures count as not told, because the program does not see this status.
  ~unseen_status() {
    if (variables_.stat == &status_) us_.failures_reported = failures_reported_;
  }
  unseen_status(const unseen_status&) = delete;
  unseen_status& operator=(const unseen_status&) = delete;

  const status_variables& variables() const noexcept { return variables_; }

  /// Ends the job for another error than a failed image.
  void require_no_error(const char* call) const noexcept {
    if (status_ != 0 && status_ != code_of(gfortran_codes, statement_error::failed_image))
      refuse(call, "an image of the team has stopped and never comes here",
             "let all images come to this statement");
  }

 private:
  process_state& us_;
  std::size_t failures_reported_;
  int status_ = 0;
  status_variables variables_;
};

}  // namespace atl::coarray
