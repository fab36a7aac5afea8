// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of teams, and counters between pairs of images for SYNC IMAGES: an image stores at each
// partner how often it has come to a statement with it, and waits until the partner has come as
// often here.
//
// A synchronization by the words of a team is a barrier of flags in those words, which have to be
// stored anyway; a second barrier would take as long again. Such a synchronization does not wait
// for the action of a statement, so complete_together() adds a barrier of the core, which members
// that have not done the action do not enter.
//
// The failure of an image ends the core's barriers of its teams, and some images may then miss the
// completion of a barrier that others have seen. So the survivors then synchronize by their words.
#include <front/coarray/statements/synchronization.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/team/host_barrier.hpp>
#include <front/coarray/failures/failed_images.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

namespace atl::coarray {
namespace {

void count_arrival(image_team& team) noexcept {
  // Release: pairs with the load of an image that sees this one stopped or failed.
  __atomic_store_n(&team.words->entered, ++team.progress, __ATOMIC_RELEASE);
}

// The last word that a failed image wrote counts, where it can be read.
bool has_reached(process_state& us, const image_team& team, rank_id member,
                 std::uint32_t team_words::* word) noexcept {
  std::uint32_t seen = 0;
  return load_word(us, team, member, word, seen) && is_reached(seen, team.progress);
}

bool has_entered(process_state& us, const image_team& team, rank_id member) noexcept {
  return has_reached(us, team, member, &team_words::entered);
}

/// An image of the team that has stopped and has not come to the present statement; 0: none.
int find_missing(process_state& us, const image_team& team) noexcept {
  if (!layer_access::boot(us.runtime).any_has_stopped()) [[likely]]
    return 0;
  us.knows_of_stop = true;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    const rank_id rank = team.core->job_rank(member);
    if (us.runtime.stopped(rank) && !has_entered(us, team, member))
      return static_cast<int>(member) + 1;
  }
  return 0;
}

bool is_complete_for_another(process_state& us, const image_team& team) noexcept {
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (has_reached(us, team, member, &team_words::completed)) return true;
  }
  return false;
}

enum class presence : unsigned char { awaited, entered, stopped, failed };

// The word of an image is read again once it is known that the image will not come.
presence presence_of(process_state& us, const image_team& team, rank_id member) noexcept {
  const rank_id rank = team.core->job_rank(member);
  if (has_entered(us, team, member)) return presence::entered;
  const bool is_lost = has_failed(us, rank);
  if (!is_lost && !us.runtime.stopped(rank)) return presence::awaited;
  if (has_entered(us, team, member)) return presence::entered;
  return is_lost ? presence::failed : presence::stopped;
}

/// Waits without a barrier, which a team that has lost a member does not have, until each image has
/// come to the present statement or is known not to come.
sync_result sync_without_barrier(process_state& us, image_team& team, const char* call,
                                 const status_variables& status) noexcept {
  int failed = 0;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (member == team.core->rank()) continue;
    presence found = presence::awaited;
    us.runtime.wait_until(
        [&] { return (found = presence_of(us, team, member)) != presence::awaited; },
        runtime::silent_sleep_ns);
    if (found == presence::stopped) {
      tell_stopped(status, call, static_cast<int>(member) + 1);
      return sync_result::missed;
    }
    if (found == presence::entered || is_complete_for_another(us, team)) continue;
    if (failed == 0) failed = static_cast<int>(member) + 1;
    if (status.stat == nullptr) tell_failed(us, status, call, failed);
  }
  return failed == 0 ? sync_result::of_all : sync_result::of_survivors;
}

}  // namespace

void count_completed(image_team& team) noexcept {
  __atomic_store_n(&team.words->completed, team.progress, __ATOMIC_RELEASE);
}

void tell_stopped(const status_variables& status, const char* call, int image) noexcept {
  status.fail(statement_error::stopped_image, call,
              text("image ", image, " has stopped and never comes here"),
              "let all images come to this statement, or give it STAT=");
}

namespace {

void begin_statement(process_state& us, image_team& team, const status_variables& status) noexcept {
  note_status(us, status);
  us.writes.wait();
  count_arrival(team);
}

bool tell_missing(process_state& us, const image_team& team, const char* call,
                  const status_variables& status) noexcept {
  const int missing = find_missing(us, team);
  if (missing == 0) [[likely]]
    return false;
  tell_stopped(status, call, missing);
  return true;
}

}  // namespace

void open_team_words(process_state& us, image_team& team) {
  team.is_on_host = true;
  for (rank_id member = 0; member < team.core->size() && team.is_on_host; ++member)
    team.is_on_host = us.runtime.is_neighbour(team.core->job_rank(member));
  team.syncs_by_words = meets_by_flags(*team.core);
  if (!team.syncs_by_words) return;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (member == team.core->rank()) continue;
    const rank_id rank = team.core->job_rank(member);
    team.others.push_back({&find_words(us, team, member).mapped->entered,
                           &layer_access::host_memory(us.runtime).page(rank).bell});
  }
}

bool enter(process_state& us, image_team& team, const char* call,
           const status_variables& status) noexcept {
  begin_statement(us, team, status);
  return !tell_missing(us, team, call, status);
}

sync_result wait_for_members(process_state& us, image_team& team, event& done, const char* call,
                             const status_variables& status) noexcept {
  operation_status ended = operation_status::done;
  if (!us.runtime.test(done, ended)) {
    int missing = 0;
    us.runtime.wait_until(
        [&] { return done.record()->complete() || (missing = find_missing(us, team)) != 0; });
    if (!done.record()->complete()) {
      (void)done.release();
      tell_stopped(status, call, missing);
      return sync_result::missed;
    }
    ended = us.runtime.wait(done);
  }
  return ended == operation_status::done ? sync_result::of_all : sync_result::of_survivors;
}

namespace {

/// Called by a barrier that waits: whether a member has stopped and never comes.
bool is_any_missing(void* context) noexcept {
  return find_missing(*the_process, *static_cast<const image_team*>(context)) != 0;
}

/// Empty when a member has stopped and never comes.
std::optional<operation_status> start_barrier(image_team& team) {
  return team.core->barrier_unless({.is_wanted = is_any_missing, .context = &team});
}

/// False: a member has stopped or failed before it came. Looks for a stopped member before the
/// barrier only if one is known; otherwise the barrier looks for one while it does not complete.
[[gnu::noinline]] bool sync_by_barrier(process_state& us, image_team& team) {
  return (!us.knows_of_stop || find_missing(us, team) == 0) &&
         start_barrier(team) == operation_status::done;
}

/// Goes on if some member does not come.
[[gnu::noinline]] sync_result sync_with_others(process_state& us, image_team& team,
                                               const char* call,
                                               const status_variables& status) noexcept {
  if (tell_missing(us, team, call, status)) return sync_result::missed;
  const sync_result synced = sync_without_barrier(us, team, call, status);
  if (synced == sync_result::of_all) count_completed(team);
  fence_all();
  return synced;
}

// --- synchronizations by the words of the members

/// Whether all others have come to the present statement; those before `next` have.
bool have_all_entered(const image_team& team, std::size_t& next) noexcept {
  for (; next < team.others.size(); ++next) {
    // Acquire: pairs with count_arrival() of the other.
    const std::uint32_t seen = __atomic_load_n(team.others[next].entered, __ATOMIC_ACQUIRE);
    if (!is_reached(seen, team.progress)) return false;
  }
  return true;
}

[[gnu::noinline]] bool wait_for_words(process_state& us, const image_team& team, std::size_t next) {
  us.runtime.wait_until([&] {
    return have_all_entered(team, next) || team.core->has_lost_member() ||
           find_missing(us, team) != 0;
  });
  return have_all_entered(team, next);
}

/// False: a member has stopped or failed before it came. Polls first, because others often come in
/// less time than looking for messages takes.
[[gnu::always_inline]] inline bool sync_by_words(process_state& us,
                                                 const image_team& team) noexcept {
  constexpr int looks_max = 64;
  for (const image_team_member& other : team.others) other.bell->ring();
  trace::count(trace::counter::barriers);
  if (us.must_serve_others()) us.serve_others();
  std::size_t next = 0;
  for (int looks = 0; looks < looks_max; ++looks) {
    if (have_all_entered(team, next)) return true;
  }
  return wait_for_words(us, team, next);
}

// It orders memory among the members. A full fence adds the order with images of other teams, which
// may look at this image's atomic variables. Inlined, so that `status` costs nothing in SYNC ALL
// without STAT=.
[[gnu::always_inline]] inline sync_result sync_everybody(process_state& us, image_team& team,
                                                         const char* call,
                                                         const status_variables& status) noexcept {
  begin_statement(us, team, status);
  if (team.syncs_by_words ? !sync_by_words(us, team) : !sync_by_barrier(us, team)) [[unlikely]]
    return sync_with_others(us, team, call, status);
  count_completed(team);
  if (&team != us.initial && team.core->size() != us.runtime.size()) fence_all();
  return sync_result::of_all;
}

}  // namespace

sync_result sync_members(process_state& us, image_team& team, const char* call,
                         const status_variables& status) noexcept {
  return sync_everybody(us, team, call, status);
}

sync_result complete_together(process_state& us, image_team& team, bool is_done, const char* call,
                              const status_variables& status) noexcept {
  if (!enter(us, team, call, status)) return sync_result::missed;
  if (!is_done) return sync_result::of_survivors;
  const std::optional<operation_status> ended = start_barrier(team);
  if (!ended.has_value()) {
    tell_stopped(status, call, find_missing(us, team));
    return sync_result::missed;
  }
  if (*ended != operation_status::done) return sync_result::of_survivors;
  count_completed(team);
  return sync_result::of_all;
}

void conclude(process_state& us, const image_team& team, const char* call, sync_result synced,
              const status_variables& status) noexcept {
  if (synced == sync_result::of_all) [[likely]]
    return status.succeed();
  if (synced == sync_result::of_survivors) tell_state_of(us, team, call, status);
}

namespace {

constexpr const char* sync_all_call = "SYNC ALL";

}  // namespace

void sync_all() noexcept {
  static constexpr status_variables none;
  process_state& us = running();
  // Without STAT= a synchronization that some members have missed has ended the program.
  sync_everybody(us, *us.current, sync_all_call, none);
}

void sync_all(const status_variables& status) noexcept {
  process_state& us = running();
  conclude(us, *us.current, sync_all_call, sync_members(us, *us.current, sync_all_call, status),
           status);
}

void sync_team(image_team* team, const status_variables& status) noexcept {
  static constexpr const char* call = "SYNC TEAM";
  process_state& us = running();
  image_team& members = team != nullptr ? *team : *us.current;
  conclude(us, members, call, sync_members(us, members, call, status), status);
}

void sync_memory(const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  us.runtime.progress();
  check_patience(us, "SYNC MEMORY");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  status.succeed();
}

// --- SYNC IMAGES

namespace {

/// The partners of a SYNC IMAGES, read from the statement's own list: no list of ranks is made.
class partner_list {
 public:
  partner_list(const process_state& us, int count, const int* images) noexcept
      : team_(*us.current->core),
        images_(count < 0 ? nullptr : images),
        count_(count < 0 ? team_.size() : static_cast<rank_id>(count)) {}

  rank_id count() const noexcept { return count_; }
  /// The job rank.
  rank_id operator[](rank_id i) const noexcept {
    return team_.job_rank(images_ == nullptr ? i : static_cast<rank_id>(images_[i] - 1));
  }

 private:
  const atl::team& team_;
  const int* images_;  // null: all of the team
  rank_id count_;
};

constexpr const char* sync_images_call = "SYNC IMAGES";

/// False, with the error told: an image is named twice, or does not exist.
bool are_partners(const process_state& us, int count, const int* images,
                  const status_variables& status) noexcept {
  const rank_id size = us.image_count();
  for (int i = 0; i < count; ++i) {
    if (images[i] < 1 || static_cast<rank_id>(images[i]) > size) {
      status.fail(statement_error::other, sync_images_call,
                  text("there is no image ", images[i], " in the current team"),
                  text("use images from 1 to ", size));
      return false;
    }
    if (std::find(images, images + i, images[i]) != images + i) {
      status.fail(statement_error::other, sync_images_call,
                  text("image ", images[i], " is named twice"), "name each image once");
      return false;
    }
  }
  return true;
}

// Only one image writes the word, so a store replaces an atomic addition.
void post(process_state& us, rank_id partner) noexcept {
  auto* const own_word = reinterpret_cast<const std::byte*>(us.sync_posts + us.runtime.rank());
  auto* const word = reinterpret_cast<std::uint32_t*>(us.remote_address(partner, own_word));
  atomic<std::uint32_t>(
      us.heaps, partner, word,
      {.op = atomic_op::set, .operand = ++us.sync_posted[partner], .operand2 = 0});
  us.wake(partner);
}

/// False: the partner has stopped or failed before its post.
bool take_post(process_state& us, rank_id partner) noexcept {
  constexpr int looks_max = 128;
  const std::uint32_t wanted = ++us.sync_taken[partner];
  const auto has_posted = [&] {
    // Acquire: pairs with the partner's store in post(), which releases.
    const std::uint32_t posts = __atomic_load_n(us.sync_posts + partner, __ATOMIC_ACQUIRE);
    return static_cast<std::int32_t>(posts - wanted) >= 0;
  };
  // Polls first, because the partner often comes in less time than looking for messages takes.
  if (us.must_serve_others()) us.serve_others();
  for (int looks = 0; looks < looks_max; ++looks) {
    if (has_posted()) return true;
  }
  us.runtime.wait_until(
      [&] { return has_posted() || us.runtime.stopped(partner) || has_failed(us, partner); },
      runtime::silent_sleep_ns);
  if (has_posted()) return true;
  --us.sync_taken[partner];
  return false;
}

/// Takes the posts of all others even if an image has stopped or failed.
void await_posts(process_state& us, const partner_list& partners,
                 const status_variables& status) noexcept {
  int stopped = 0;
  int failed = 0;
  for (rank_id i = 0; i < partners.count(); ++i) {
    const rank_id partner = partners[i];
    if (partner == us.runtime.rank() || take_post(us, partner)) continue;
    int& missing = has_failed(us, partner) ? failed : stopped;
    if (missing == 0) missing = static_cast<int>(us.current->core->member(partner)) + 1;
    if (status.stat == nullptr) break;
  }
  if (stopped != 0) return tell_stopped(status, sync_images_call, stopped);
  if (failed != 0) return tell_failed(us, status, sync_images_call, failed);
  status.succeed();
}

}  // namespace

// The fence orders accesses of this image before the statement with those behind it, also for
// images that are not named. It is at a place where the image waits for others anyway.
void sync_images(int count, const int* images, const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  if (!are_partners(us, count, images, status)) return;
  const partner_list partners(us, count, images);
  us.writes.wait();
  const rank_id self = us.runtime.rank();
  for (rank_id i = 0; i < partners.count(); ++i) {
    if (partners[i] != self) post(us, partners[i]);
  }
  fence_all();
  await_posts(us, partners, status);
}

}  // namespace atl::coarray
