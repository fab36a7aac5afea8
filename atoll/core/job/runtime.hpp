// SPDX-License-Identifier: BSD-3-Clause
//
// The runtime: one rank's part of a job. It is composed of parts (runtime_parts.hpp), which are not
// installed; this class is what programs see of them, and keeps what inline functions read. There
// are no mutable globals, so several can live in one process. Making and ending one is collective;
// in between, incoming work runs only in progress(), called by the user, by anything that waits, or
// by the optional progress thread.
//
// Waiting is one loop everywhere (wait_until): poll, look, and between looks spin, then yield, then
// sleep on this rank's doorbell, which a sender to this rank rings.
//
// Threads: in mode `any` all functions may be called by any thread, except making and ending; in
// mode `funnelled` by the thread that made the runtime; in mode `single` there is only one thread.
#pragma once

#include <atoll/base/layout_stamp.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/job/job_hosts.hpp>
#include <atoll/core/job/thread_mode.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/progress/parker.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>
#include <atoll/memory/heap.hpp>
#include <atoll/memory/host_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace atl {

namespace transport {
struct opened;
struct transport_request;
}  // namespace transport

class runtime_parts;
struct core_access;
struct layer_access;

/// How to start. Defaults: the environment's settings, the launcher found there.
struct runtime_options {
  std::optional<thread_mode> threads = {};          // default: ATOLL_THREADS
  std::optional<atl::settings> configuration = {};  // default: settings::from_environment()
  std::unique_ptr<bootstrap::bootstrap> boot = {};  // default: bootstrap::make(settings)
  bool own_progress_thread = true;      // else the program gives one to run_progress_thread()
  peer_lost_handler on_peer_lost = {};  // see runtime::on_peer_lost; default: the job ends
  /// Opens the transports to all ranks; alike on all of them. Default: transport::open_all.
  std::function<transport::opened(const transport::transport_request&)> open_transports = {};
};

class runtime final {
 public:
  /// Joins the job. Collective. Throws `atl::error`.
  explicit runtime(runtime_options options = {});

  /// The same, for a caller that was compiled for `layout`. Throws `atl::error` when that is not
  /// the layout of this library, and reads nothing of `options` then.
  runtime(runtime_options options, std::uint64_t layout);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Leaves the job after a barrier: collective, and no operation may be under way. In a child that
  /// the rank has forked it only forgets the job, which goes on in the parent.
  ~runtime();

  /// Whether this process is a forked child of the one that joined the job, and so no rank of it.
  bool is_forked_copy() const noexcept;

  // --- identity ------------------------------------------------------------------------------
  rank_id rank() const noexcept { return rank_; }
  rank_id size() const noexcept { return size_; }
  thread_mode threads() const noexcept { return threads_; }
  const settings& configuration() const noexcept;
  /// Whether there is a progress thread, or will be because a setting asks for it.
  bool has_progress_thread() const noexcept;

  /// Which ranks are on which host, and the neighbourhoods of the job.
  const job_hosts& hosts() const noexcept;

  /// The ranks that can map each other's memory with this one (the neighbourhood): the range
  /// [first, first + count). All of a host, or parts of it when ATOLL_NEIGHBOURHOOD says so.
  rank_id neighbourhood_first() const noexcept { return neighbours_.first; }
  rank_id neighbourhood_count() const noexcept { return neighbours_.count; }
  bool is_neighbour(rank_id rank) const noexcept { return neighbours_.contains(rank); }

  // --- what it owns --------------------------------------------------------------------------
  /// The program's team of all ranks, and its endpoint of index 0. Fronts have their own.
  team& world() noexcept { return *world_; }
  endpoint& primordial() noexcept { return *primordial_; }

  /// The program's endpoint of an index, made when it is first asked for, also where only other
  /// ranks receive at this index: it holds what is known of theirs. Throws `atl::error` for an
  /// index that is not below `endpoints_max`. Any thread.
  endpoint& endpoint_at(std::size_t index);
  static constexpr std::size_t endpoints_max = 32;  // fronts have the indices from here on

  /// Segment 0: the heaps of all ranks, which any endpoint is bound to at first.
  segment& heaps() noexcept { return *heaps_; }
  /// The segment that this rank has shared under this number; null when there is none. Any thread.
  segment* find_segment(std::uint32_t number) noexcept;

  /// The shared heap of this rank, from which programs and fronts allocate. Any thread.
  memory::heap& heap() noexcept { return *heap_; }

  /// The limits of the heaps of this rank and of its host, in bytes, and the ranks of the host.
  const memory::host_layout& memory_layout() const noexcept;

  /// A device of this process by its kind and number; its driver is opened at the first call.
  /// Throws `atl::error`.
  memory::device& open_device(memory::memory_kind kind, int number);

  // --- progress and waiting ------------------------------------------------------------------
  /// Runs what has arrived (a bounded amount); returns how many handlers ran. A handler must not
  /// call it.
  std::size_t progress() noexcept;

  /// Makes progress until asked to stop; sleeps while there is nothing to do.
  void run_progress_thread(const std::stop_token& stop);

  /// Sends this rank's contribution, at most 64 KiB, to all ranks through the launcher, and returns
  /// those of all, by rank. Makes progress meanwhile, since others may need this rank's help to
  /// arrive here. Collective, by one thread; throws `atl::error` when the job ends.
  bootstrap::blob_table exchange(std::span<const std::byte> contribution);

  /// Polls until `ready()`; sleeps at most `sleep_ns_max` at a time, so a condition that rings no
  /// bell (a peer's plain store) is seen no later than that.
  template <class Ready>
  void wait_until(Ready ready, std::int64_t sleep_ns_max = 0);  // 0: until this rank's bell rings

  /// The same with another way to poll: `poll()` returns how much it did.
  template <class Poll, class Ready>
  void wait_while(Poll poll, Ready ready, std::int64_t sleep_ns_max);

  /// One step of a wait whose loop is the caller's (a client's own predicate): polls, and when
  /// nothing came, spends a little time as `steps` says; sleeps at most silent_sleep_ns.
  void wait_step(waiter& steps) noexcept;
  waiter new_wait() const noexcept { return waiter(policy()); }

  /// Sets the policy of waits that begin from now on, unless ATOLL_WAIT has set it. Any thread.
  void set_waiting(wait_mode mode) noexcept;

  /// Wakes `peer`, a neighbour, if it sleeps in a wait: for a flag that was just stored in its
  /// memory, which by itself rings no bell. One load when nobody sleeps.
  void wake(rank_id peer) noexcept {
    reinterpret_cast<doorbell*>(first_bell_ + (peer - neighbours_.first) * bell_distance_)->ring();
  }

  /// True when the operation is complete; then the event is empty. Polls once if it is not. An
  /// operation that ended as peer_lost is complete, too; the second form gives the status.
  bool test(event& done) noexcept { return done.empty() || test_record(done) != still_under_way; }
  bool test(event& done, operation_status& status) noexcept {
    const int ended = done.empty() ? 0 : test_record(done);
    if (ended == still_under_way) return false;
    status = static_cast<operation_status>(ended);
    return true;
  }
  /// Makes progress until the operation is complete; then the event is empty. Not in a handler.
  operation_status wait(event& done) noexcept {
    return done.empty() ? operation_status::done : wait_record(done);
  }

  /// Has progress call `then` once when the operation is complete, on whichever thread polls; the
  /// event is empty afterwards. False: it is done already, and `then` is not called.
  bool when_complete(event& done, continuation then) noexcept;

  /// Whether the calling thread's implicit operations of these kinds, outside of access regions,
  /// are complete. Polls once if they are not.
  bool test_implicit(bool puts, bool gets, bool atomics = false) noexcept;
  /// Waits for them. peer_lost: one that has ended since the last such wait has lost its peer.
  operation_status wait_implicit(bool puts, bool gets, bool atomics = false) noexcept;

  // --- endings -------------------------------------------------------------------------------
  /// Ends this rank's program with this exit code while the others go on: its memory stays readable
  /// and writable, and what they ask of it is served, until every other rank has stopped too or has
  /// left the job. Then it writes out the standard streams and ends the process; objects with
  /// static storage are not destroyed. `atoll run` returns the first code of a rank that is not 0.
  /// Not from a handler, and no other call may be under way in this rank; a forked child ends
  /// itself only. Under other launchers every rank must stop.
  [[noreturn]] void stop(int code) noexcept;

  /// The same without the end of the process: it returns when every other rank has stopped or left.
  /// The caller then ends the process with this code, and does not use this runtime again; a front
  /// whose language has its own work to do at exit needs that.
  void stop_serving(int code) noexcept;

  /// Whether a rank has stopped, as far as is known here; it takes part in no barrier and no
  /// collective any more. Any thread; a load. Always false under launchers other than `atoll run`.
  bool stopped(rank_id rank) const noexcept;

  /// From now on progress calls `handler` for each rank that is lost, and the program goes on with
  /// the others. Without a handler the loss of a rank ends the job with one message. A rank is lost
  /// when the network says that nothing reaches it, or when its process has failed and all ranks
  /// watch for that (`atoll run` then lets them go on; other launchers end the job).
  ///
  /// Operations under way at that rank end with the status peer_lost, and so do those that are
  /// started later; messages to it are dropped; barriers and collectives of the teams that it is a
  /// member of end with peer_lost, with results that mean nothing. The other ranks and the teams
  /// without it are as before. The end of the runtime does not wait for it. Collective, since all
  /// ranks are to watch; any thread.
  void on_peer_lost(peer_lost_handler handler);

  /// Whether a rank is lost, as far as is known here. Any thread; a load while none is.
  bool failed(rank_id rank) const noexcept;

  /// Ends this rank's process at once, as if it had failed, and with code 0: the others go on where
  /// they watch for that, and otherwise the job ends. From any thread.
  [[noreturn]] void fail_rank() noexcept;

  /// From now on the failure of this rank, or of another, ends the job although all ranks watch for
  /// losses. For a rank that is about to end because of an error that concerns all. Any thread.
  void depend_on_others() noexcept;

  /// Ends the whole job with this exit code, from any thread and also from a handler. A forked
  /// child ends itself only, here and in fail().
  [[noreturn]] void exit(int code) noexcept;

  /// Ends the whole job because of an error: object, cause, remedy.
  [[noreturn]] void fail(std::string_view object, std::string_view cause,
                         std::string_view remedy) noexcept;

  // --- state of its users --------------------------------------------------------------------
  /// Keeps an object of a user of the runtime (a front, a library over it) until the runtime ends.
  /// Collective set-up, by one thread.
  template <class Kind>
  Kind& attach(std::unique_ptr<Kind> made) {
    Kind& object = *made;
    keep(std::move(made));
    return object;
  }
  /// The object of this kind that attach() was given; null when there is none.
  template <class Kind>
  Kind* attached() const noexcept {
    static_assert(std::is_final_v<Kind>, "found by its very type");
    return static_cast<Kind*>(find_attached(typeid(Kind)));
  }

  /// Most payload of a medium message, on every route.
  std::size_t medium_max() const noexcept { return medium_max_; }
  bool is_oversubscribed() const noexcept { return terms_->is_oversubscribed; }
  /// Whether several threads of this rank may poll and send.
  bool threaded() const noexcept { return is_threaded_; }

  /// Longest sleep of a wait for something that rings no bell.
  static constexpr std::int64_t silent_sleep_ns = parker::silent_sleep_ns;

 private:
  friend class runtime_parts;  // which fills in what follows, while the runtime starts
  friend struct core_access;   // for the other folders of core
  friend struct layer_access;  // for collectives and fronts

  static constexpr int still_under_way = -1;
  int test_record(event& done) noexcept;  // the status, or still_under_way
  operation_status wait_record(event& done) noexcept;
  void keep(std::unique_ptr<attachment> made);
  attachment* find_attached(const std::type_info& kind) const noexcept;
  wait_policy policy() const noexcept { return terms_->policy.load(std::memory_order_relaxed); }

  std::unique_ptr<runtime_parts> parts_;
  rank_id rank_;
  rank_id size_;
  rank_range neighbours_;
  thread_mode threads_;
  bool is_threaded_;
  std::size_t medium_max_ = 0;
  // Of the parts:
  std::byte* first_bell_ = nullptr;  // of the neighbourhood's first rank; the others follow evenly
  std::size_t bell_distance_ = 0;
  memory::heap* heap_ = nullptr;
  const wait_control* waiting_ = nullptr;
  const wait_terms* terms_ = nullptr;
  segment* heaps_ = nullptr;
  endpoint* primordial_ = nullptr;
  team* world_ = nullptr;
};

/// The stamp of the core's parts that a program has compiled in. Count it up when inline functions
/// of these headers and the library change together and no size changes, and when the size of what
/// a program passes to a layer above changes (`coll::choice`). Ranks compare it too: count it up
/// when the messages of the core or of collectives change, or the rules by which members choose
/// alike.
inline constexpr std::uint64_t runtime_layout =
    layout_stamp<runtime, runtime_options, settings, endpoint, am_token, am_entry, route, segment,
                 event, operation, transfer_options, implicit_state, team, doorbell, waiter, parker,
                 wait_terms, memory::heap, memory::host_layout, transport::message,
                 transport::arrival, trace::thread_counters>(14);

/// Inline, so that the caller's number is the one that is passed.
inline runtime::runtime(runtime_options options) : runtime(std::move(options), runtime_layout) {}

template <class Ready>
void runtime::wait_until(Ready ready, std::int64_t sleep_ns_max) {
  if (ready()) return;
  trace::count(trace::counter::waits);
  wait_while([this] { return progress(); }, ready,
             sleep_ns_max != 0 ? sleep_ns_max : terms_->bell_sleep_ns);
}

template <class Poll, class Ready>
void runtime::wait_while(Poll poll, Ready ready, std::int64_t sleep_ns_max) {
  const auto look = [&] {
    const bool moved = poll() != 0;
    if (ready()) return poll_result::done;
    return moved ? poll_result::progress : poll_result::idle;
  };
  parker parking(*waiting_);
  atl::wait_until(policy(), parking, look, sleep_ns_max);
}

}  // namespace atl
