// SPDX-License-Identifier: BSD-3-Clause
//
// Starting, ending, and the one place where incoming work runs. Start-up is a short list of steps,
// each in a function of its own: read settings, join the job, size and map the host's memory, open
// transports, agree with all ranks that they did the same, bind the heap. One exchange through the
// launcher does for both agreement and "everybody is ready": the shared memory starts as zeros,
// which is a valid empty state of everything in it.
#include <atoll/base/threads/forget_thread.hpp>
#include <atoll/core/job/runtime_parts.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/sparse_table.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/bootstrap/single.hpp>
#include <atoll/core/atomic/atomic_access.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/front_table.hpp>
#include <atoll/core/job/latest_refusal.hpp>
#include <atoll/core/job/progress_thread.hpp>
#include <atoll/core/rma/reference_transfers.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/core/team/barrier_table.hpp>
#include <atoll/memory/settings.hpp>
#include <atoll/trace/settings.hpp>
#include <atoll/transport/list.hpp>
#include <atoll/transport/settings.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <system_error>

namespace atl {

namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serials = 0;
  return serials.fetch_add(1, std::memory_order_relaxed) + 1;
}

transport::shm::geometry shape_for(const settings& chosen) {
  return {.ring_cells = chosen.number(setting::ring_cells)};
}

std::size_t transport_bytes_for(const settings& chosen) {
  return round_up(shape_for(chosen).control_bytes(), page_bytes);
}

// The choices that must be the same on every rank of a job; exchanged once at start.
struct job_choices {
  char version[32];
  std::uint64_t layout;  // of the library: there may be several builds of one version
  std::uint64_t fronts;  // in the library: their numbers
  std::uint64_t control_bytes;
  std::uint64_t heap_limit;
  std::uint64_t symmetric_limit;
  std::uint64_t host_limit;
  std::uint64_t reference_path;
  std::uint64_t barrier;
  std::uint64_t barrier_radix;
  std::uint64_t neighbourhood;
  std::uint64_t network;
  std::uint64_t world_block;  // offset, of a neighbourhood's first rank; 0: none
  core_claim cores;
};

// The agreement at the start of a rank's blob; zeros, and so of another version, when the blob is
// too short.
job_choices agreement_in(std::span<const std::byte> blob) {
  job_choices remote{};
  if (blob.size() >= sizeof remote) std::memcpy(&remote, blob.data(), sizeof remote);
  return remote;
}

struct difference {
  const char* property = nullptr;  // null: none
  const char* name = nullptr;      // of the setting or file that must be the same
};

// Hosts may differ in memory; the ranks of one host share a file, so they must agree.
difference find_difference(const job_choices& local, const job_choices& remote, bool same_host) {
  if (std::memcmp(remote.version, local.version, sizeof local.version) != 0)
    return {"the Atoll version", "libatoll.so"};
  if (remote.layout != local.layout) return {"the build of the library", "libatoll.so"};
  if (remote.fronts != local.fronts) return {"the list of fronts in the library", "libatoll.so"};
  if (remote.control_bytes != local.control_bytes) return {"the ring size", "ATOLL_RING_CELLS"};
  if (same_host && remote.heap_limit != local.heap_limit)
    return {"the heap limit", "ATOLL_SEGMENT_LIMIT"};
  if (same_host && remote.symmetric_limit != local.symmetric_limit)
    return {"the limit of the symmetric heap", "ATOLL_SYMMETRIC_LIMIT"};
  if (same_host && remote.host_limit != local.host_limit)
    return {"the host limit", "ATOLL_MEMORY_LIMIT"};
  if (remote.reference_path != local.reference_path) return {"the RMA path", "ATOLL_RMA_PATH"};
  if (remote.barrier != local.barrier) return {"the barrier", "ATOLL_BARRIER"};
  if (remote.barrier_radix != local.barrier_radix)
    return {"the radix of barriers", "ATOLL_BARRIER_RADIX"};
  if (remote.neighbourhood != local.neighbourhood)
    return {"the neighbourhood", "ATOLL_NEIGHBOURHOOD"};
  if (remote.network != local.network) return {"the network", "ATOLL_NETWORK"};
  return {};
}

}  // namespace

runtime_parts::runtime_parts(runtime& owner, settings chosen, runtime_options& options)
    : owner_(owner),
      job_(std::move(chosen), std::move(options.boot), options.threads),
      direct_allowed_(configuration().choice(setting::rma_path) == 0),
      serial_(next_serial()),
      pieces_(threaded()),
      fronts_(std::make_unique<front_table>()),
      losses_({.boot = boot(),
               .attachments = attachments_,
               .forget = [this](rank_id peer) { forget_peer(peer); }}),
      worlds_of_fronts_(front_table::fronts_max) {}

runtime_parts::~runtime_parts() = default;

void runtime_parts::start(const runtime_options& options) {
  static_assert(front_table::first_endpoint == runtime::endpoints_max &&
                front_table::end_of_endpoints == system_endpoint);
  const settings& chosen = configuration();
  log_configure(static_cast<log_level>(chosen.number(setting::verbose)), rank());
  // Choice 0 is `auto`, which fronts may refine; the levels follow.
  const unsigned checks = chosen.choice(setting::checks);
  set_checks(checks == 0 ? check_level::normal : static_cast<check_level>(checks - 1));
  if (rank() == 0 && chosen.text(setting::job).empty()) {  // else the launcher has printed them
    for (const std::string& line : chosen.warnings()) log_warning(line);
  }
  doorbell::register_process();
  memory_ = std::make_unique<rank_memory>(job_, transport_bytes_for(chosen), direct_allowed_);
  owner_.heap_ = &memory_->heap();
  owner_.first_bell_ = reinterpret_cast<std::byte*>(&host_memory().page(neighbours().first).bell);
  owner_.bell_distance_ = host_memory().layout().stride();
  share_cores();
  waiting_ = std::make_unique<wait_control>(host_memory().page(rank()).bell, attachments_);
  owner_.waiting_ = waiting_.get();
  owner_.terms_ = &waiting_->terms();
  router_ = std::make_unique<router>(open_transports(options));
  owner_.medium_max_ = router_->medium_max();
  // The heaps come before the network's publish(), whose content depends on them.
  heaps_ = std::make_unique<segment>(owner_);
  owner_.heaps_ = heaps_.get();
  heaps_->place({host_memory().shared(rank()), host_memory().layout().shared_bytes()});
  owner_.primordial_ = &find_endpoint(0);
  system_ = &find_endpoint(system_endpoint);
  reference_ = std::make_unique<reference_transfers>(owner_);
  devices_ = std::make_unique<device_transfers>(owner_);
  add_atomic_handlers(owner_);
  barriers_ = std::make_unique<barrier_table>(owner_);
  machine_cores machine(claim_cores());
  const std::uint64_t world_block = agree(make_world_block(), machine);
  choose_waiting(machine);
  open_world(world_block);
  heaps_->share();
  if (options.on_peer_lost.run != nullptr) losses_.watch(options.on_peer_lost);
  if (job_.has_progress_thread() && options.own_progress_thread)
    progress_thread_ = start_progress_thread(
        owner_, "unset ATOLL_PROGRESS_THREAD, or raise the limit of processes (ulimit -u)");
}

// All ranks read these after agree(), whose exchange comes in between.
void runtime_parts::share_cores() {
  const core_mask cores = cores_allowed();
  for (std::size_t word = 0; word < cores.size(); ++word) {
    host_memory().header().cores[word].fetch_or(cores[word], std::memory_order_relaxed);
  }
  // The smallest quota of any rank, as a distance from "none" so that zeros mean none: all ranks
  // must come to the same answer, since the choice of the barrier depends on it.
  std::atomic<std::uint32_t>& quota = host_memory().header().quota_below_none;
  const std::uint32_t own_distance = ~cores_by_quota();
  std::uint32_t most = quota.load(std::memory_order_relaxed);
  while (most < own_distance &&
         !quota.compare_exchange_weak(most, own_distance, std::memory_order_relaxed)) {
  }
}

transport::opened runtime_parts::open_transports(const runtime_options& options) {
  const transport::transport_request wanted{.self = rank(),
                                            .memory = host_memory(),
                                            .shape = shape_for(configuration()),
                                            .threaded = threaded(),
                                            .to = *this,
                                            .ranks = size(),
                                            .hosts = hosts().count(),
                                            .first_neighbour = neighbours().first,
                                            .neighbours = neighbours().count,
                                            .configuration = configuration()};
  transport::opened opened =
      options.open_transports ? options.open_transports(wanted) : transport::open_all(wanted);
  // The memory of ranks on other hosts is out of reach. Where those ranks run on this machine after
  // all, a stray access to it would go unnoticed; hiding that memory makes such an access end the
  // program.
  if (!opened.networks.empty()) host_memory().hide_all_but(neighbours().first, neighbours().count);
  return opened;
}

endpoint& runtime_parts::endpoint_of(const front_declaration& front, std::size_t index) {
  if (index >= front.endpoints) {
    throw error(text("endpoint ", index, " of front '", front.name, "'"),
                text("it has declared ", front.endpoints), "declare more");
  }
  return find_endpoint(fronts_->place_of(front).first_endpoint + index);
}

endpoint& runtime_parts::find_endpoint(std::size_t index) {
  std::atomic<endpoint*>& slot = endpoints_[index];
  // Pairs with the release below: an endpoint that is seen is whole.
  if (endpoint* const made = slot.load(std::memory_order_acquire)) return *made;
  const std::lock_guard hold(making_endpoints_);
  if (endpoint* const made = slot.load(std::memory_order_relaxed)) return *made;
  endpoints_made_.push_back(std::make_unique<endpoint>(owner_, static_cast<std::uint8_t>(index)));
  if (index != 0 && index < runtime::endpoints_max)
    endpoints_made_.back()->fall_back_to(*owner_.primordial_);
  slot.store(endpoints_made_.back().get(), std::memory_order_release);
  return *endpoints_made_.back();
}

// The block of the team of all, made by the first rank of each neighbourhood.
std::uint64_t runtime_parts::make_world_block() {
  return rank() == neighbours().first ? make_team_block(owner_, neighbours().count) : 0;
}

void runtime_parts::open_world(std::uint64_t block_offset) {
  world_ = std::make_unique<team>(
      owner_, team_options{.id = 0, .members = rank_set::progression(0, 1, size())});
  owner_.world_ = world_.get();
  world_->open(find_team_block(owner_, neighbours().first, block_offset));
}

// All ranks know the number and the members of this team, so they need not tell each other; only
// the block of a neighbourhood has to be found. Messages for the team may come before it is made
// here, and are kept. Where the team of all has no block, on all ranks, this one has none either.
team& runtime_parts::world_of(const front_declaration& front) {
  static_assert(front_table::fronts_max <= memory::rank_page::team_blocks_max);
  constexpr std::uint64_t named_by_front = std::uint64_t{1}
                                           << 60;  // no other team has such numbers
  const std::size_t number = fronts_->place_of(front).number;
  const std::lock_guard hold(making_worlds_);
  std::unique_ptr<team>& made = worlds_of_fronts_[number];
  if (made != nullptr) return *made;
  team_block* block = nullptr;
  if (world_->host_block() != nullptr) {
    block = share_team_block(owner_, number);
    if (block == nullptr) {
      throw error(text("the team of all ranks of front '", front.name, "'"),
                  text("rank ", rank(), " has no shared memory for its barrier"),
                  "raise ATOLL_MEMORY_LIMIT");
    }
  }
  auto fresh = std::make_unique<team>(
      owner_, team_options{.id = named_by_front | number, .members = world_->members()});
  fresh->open(block);
  made = std::move(fresh);
  return *made;
}

// Returns where this neighbourhood's block of the team of all is, as make_world_block() does; 0
// when any neighbourhood has none, so that all ranks use the same barrier.
std::uint64_t runtime_parts::agree(std::uint64_t world_block, machine_cores& machine) {
  const auto with_cards = [this](const job_choices& terms) {
    const auto bytes = std::as_bytes(std::span(&terms, 1));
    std::vector<std::byte> blob(bytes.begin(), bytes.end());
    const std::vector<std::byte> cards = router_->publish();
    blob.insert(blob.end(), cards.begin(), cards.end());
    return blob;
  };
  job_choices local{.version = {},
                    .layout = runtime_layout,
                    .fronts = fronts_->digest(),
                    .control_bytes = host_memory().layout().control_bytes,
                    .heap_limit = host_memory().layout().heap_limit,
                    .symmetric_limit = host_memory().layout().symmetric_limit,
                    .host_limit = host_memory().layout().host_limit,
                    .reference_path = configuration().choice(setting::rma_path),
                    .barrier = configuration().choice(setting::barrier),
                    .barrier_radix = configuration().choice(setting::barrier_radix),
                    .neighbourhood = configuration().number(setting::neighbourhood),
                    .network = configuration().choice(setting::network),
                    .world_block = world_block,
                    .cores = machine.own()};
  std::strncpy(local.version, version_text, sizeof local.version - 1);
  const bootstrap::blob_table blobs = boot().exchange(with_cards(local));
  const rank_range host_ranks = job_.ranks_of_host();
  heap_limit_everywhere_ = local.heap_limit;
  std::uint64_t local_block = 0;
  bool all_have_blocks = true;
  for (rank_id peer = 0; peer < size(); ++peer) {
    const job_choices remote = agreement_in(blobs[peer]);
    if (const difference found = find_difference(local, remote, host_ranks.contains(peer));
        found.property) {
      throw error(text("start of rank ", rank(), " of ", size()),
                  text(found.property, " differs from that of rank ", peer),
                  text("give all ranks the same ", found.name));
    }
    machine.add(hosts().host_of(peer), remote.cores);
    heap_limit_everywhere_ = std::min<std::size_t>(heap_limit_everywhere_, remote.heap_limit);
    if (peer == neighbours().first) local_block = remote.world_block;
    const bool leads = hosts().neighbourhood(hosts().neighbourhood_of(peer)).first == peer;
    if (leads && remote.world_block == 0) all_have_blocks = false;
  }
  if (has_network()) join_networks(blobs);
  return all_have_blocks ? local_block : 0;
}

// After the agreement each blob has what its rank has published for its networks.
void runtime_parts::join_networks(const bootstrap::blob_table& blobs) {
  // It lies in pages of its own, which go back to the system: in a large job it is large.
  const sparse_table<std::span<const std::byte>> published(size());
  for (rank_id peer = 0; peer < size(); ++peer)
    published[peer] = blobs[peer].subspan(sizeof(job_choices));
  router_->connect(rank(), job_.neighbours(), {published.data(), size()});
  waiting_->watch(router_->networks(), neighbours().count == 1, threaded());
}

// Ranks that are bound to a core each are not oversubscribed, though each may use only one: what
// counts is the number of cores that all of them together may use. If several hosts are one
// machine, each of them is oversubscribed when the machine is.
void runtime_parts::choose_waiting(const machine_cores& machine) {
  unsigned cores = 0;
  for (const auto& word : host_memory().header().cores) {
    cores += static_cast<unsigned>(std::popcount(word.load(std::memory_order_relaxed)));
  }
  cores = std::max(
      std::min(cores, ~host_memory().header().quota_below_none.load(std::memory_order_relaxed)),
      1u);
  wait_conditions shared{
      .ranks = host_memory().layout().ranks, .cores = cores, .has_network = has_network()};
  const bool has_core_each = shared.ranks <= shared.cores;
  if (has_core_each && machine.hosts() > 1 && machine.ranks() > machine.cores()) {
    shared.ranks = machine.ranks();
    shared.cores = machine.cores();
    log_info("waiting: ", shared.ranks, " ranks on ", machine.hosts(), " hosts share ",
             shared.cores, " cores of one machine");
  }
  const bool parted = hosts().neighbourhoods() > 1;
  const bool barrier_over_messages = !direct_allowed_ || (parted && !has_network()) ||
                                     configuration().text(setting::barrier) == "am";
  waiting_->choose(static_cast<wait_mode>(configuration().choice(setting::wait)), shared,
                   barrier_over_messages ? runtime::silent_sleep_ns : wait_control::rung_sleep_ns);
}

void runtime_parts::end() {
  if (job_.is_forked_copy()) {
    abandon();
    return;
  }
  const std::string refusal = take_refusal(owner_);
  if (std::uncaught_exceptions() > exceptions_at_start_) {
    // The others are somewhere else in the program; a barrier here would wait for them for ever.
    fail(text("rank ", rank()),
         text("an exception left the scope of the runtime",
              refusal.empty() ? "" : "; before, this was refused: ", refusal),
         "catch it inside, or let it end the program");
  }
  const bool all_end = end_barrier_completes();
  if (!all_end) part_from_the_others();
  end_progress_thread();
  if (all_end) leave_networks();
  waiting_->end_watch();
  job_.report_counters(router_->counts_table());
  boot().goodbye();
}

void runtime_parts::end_progress_thread() noexcept {
  if (!progress_thread_.joinable()) return;
  progress_thread_.request_stop();
  waiting_->wake();
  progress_thread_.join();
}

// A forked child has this object and none of its threads, and shares memory, sockets and network
// with the parent, which goes on using them. So nothing is closed, joined or reported; objects
// whose destructors would do that are kept until the child ends.
void runtime_parts::abandon() noexcept {
  if (progress_thread_.joinable()) forget_thread(progress_thread_);
  static auto* const left = new std::vector<std::shared_ptr<void>>;  // in reach, so no leak
  const auto leave = [](auto& owner) { left->emplace_back(std::move(owner)); };
  for (auto& each : attached_) leave(each);
  for (auto& each : router_->release()) leave(each);
  for (auto& each : endpoints_made_) leave(each);
  leave(heaps_);
  leave(world_);
  for (auto& each : worlds_of_fronts_) leave(each);
  leave(barriers_);
  leave(reference_);
  leave(devices_);
  left->emplace_back(waiting_->release_watcher());
  left->emplace_back(waiting_->release_descriptor_waiter());
  left->emplace_back(memory_->release_kernel_copy());
  left->emplace_back(job_.release_boot());
}

// Calls of the launcher wait without progress. A network may hold messages back until this rank
// polls, or need its help to repeat them, and others may wait for those before they come here.
template <class Call>
void runtime_parts::call_launcher(Call call) {
  if (!has_network())
    call();
  else
    serve_during(call);
}

// Makes progress while another thread waits in a call of the launcher.
template <class Call>
void runtime_parts::serve_during(Call call) {
  std::atomic<bool> done = false;
  std::exception_ptr failure;
  std::jthread caller;
  try {
    const blocked_signals meanwhile;  // they are for the program's own threads
    caller = std::jthread([&] {
      try {
        call();
      } catch (...) {
        failure = std::current_exception();
      }
      done.store(true, std::memory_order_release);  // pairs with the load below
      waiting_->wake();
    });
  } catch (const std::system_error& refused) {
    log_warning(
        "rank ", rank(), ": no thread to wait for the launcher (", refused.what(),
        "); other ranks are not served meanwhile; raise the limit of processes (ulimit -u)");
    return call();
  }
  // Pairs with the store above.
  owner_.wait_until([&] { return done.load(std::memory_order_acquire); }, runtime::silent_sleep_ns);
  caller.join();
  if (failure) std::rethrow_exception(failure);
}

// A rank that has stopped or failed never enters the barrier at the end, and rings no bell. Its
// peers look for that when they wake by themselves, since they have nothing else to do.
bool runtime_parts::end_barrier_completes() {
  event done = world_->start_barrier();
  owner_.wait_until([&] { return done.record()->complete() || boot().any_has_stopped(); });
  if (!done.record()->complete()) return false;
  return owner_.wait(done) == operation_status::done;
}

// Some rank has stopped or is lost. The launcher knows when the others are done with this rank's
// memory; a launcher that does not know of the loss would wait for the lost rank for ever.
void runtime_parts::part_from_the_others() {
  if (losses_.count() == 0 || losses_.is_outlived()) wait_for_stopped_ranks(0);
}

// The first call ends when all ranks have stopped or left: until then they may need this one. From
// then on no rank polls, and the second call ends when all know that. So no rank takes the end of
// another one's process for the loss of a peer.
void runtime_parts::wait_for_stopped_ranks(int code) {
  try {
    serve_during([&] { boot().stop(code); });
    boot().stop(code);
  } catch (const error& ended) {
    log_debug(ended.what());  // the job has ended already
  }
}

bootstrap::blob_table runtime_parts::exchange(std::span<const std::byte> contribution) {
  std::optional<bootstrap::blob_table> contributions;
  call_launcher([&] { contributions = boot().exchange(contribution); });
  return std::move(*contributions);
}

// The last messages of the barrier must not be lost with this rank's ends of its networks. So it
// polls until the launcher says that every rank has come this far.
void runtime_parts::leave_networks() noexcept {
  if (!has_network()) return;
  try {
    call_launcher([&] { boot().fence(); });
  } catch (const error& ended) {
    log_debug(ended.what());  // the job has ended already
  }
}

// --- progress ----------------------------------------------------------------------------------

// Is not inlined, so that progress that finds nothing stays short.
[[gnu::noinline]] std::size_t runtime_parts::advance_after(std::size_t delivered) noexcept {
  bool ended = attachments_.has_work() && attachments_.advance();
  ended |= continuations_.run();
  ended |= losses_.tell();
  // Another thread of this rank may sleep until a handler or an attachment does what it has just
  // done.
  if ((delivered != 0 || ended) && threaded()) waiting_->wake();
  return delivered == 0 && devices_ != nullptr && devices_->keeps_awake() ? 1 : delivered;
}

std::size_t runtime_parts::progress_replies() noexcept {
  const std::size_t delivered = router_->poll(true);
  if (delivered != 0 && threaded()) waiting_->wake();
  return delivered;
}

void runtime_parts::deliver(const transport::arrival& in) noexcept {
  // For the thread sanitizer: all that any thread here did before a barrier comes before what
  // another rank does after it, and all that a handler did here before what follows the next
  // barrier.
  ordered_after_other_ranks();
  endpoint* const target = endpoints_[in.endpoint].load(std::memory_order_acquire);
  const am_entry* entry = target != nullptr ? target->handlers().find(in) : nullptr;
  if (entry == nullptr) [[unlikely]] {
    endpoint* const other = target != nullptr ? target->fallback() : nullptr;
    if (other != nullptr) entry = other->handlers().find(in);
    if (entry == nullptr) refuse_message(in);
  }
  am_token token(*target, in);
  const handler_scope scope(in.via);
  trace::count(trace::counter::handled);
  entry->run(entry->context, token, in.args, in.nargs, in.payload, in.bytes);
  ordered_before_other_ranks();
}

void runtime_parts::complete(void* context) noexcept {
  ordered_after_other_ranks();
  pieces_.end(*static_cast<piece*>(context));
  ordered_before_other_ranks();
}

void runtime_parts::filled(const transport::loan& ended) noexcept {
  ordered_after_other_ranks();
  ended.filled(ended.context);
  ordered_before_other_ranks();
}

void runtime_parts::abandon(void* context) noexcept {
  pieces_.end(*static_cast<piece*>(context), operation_status::peer_lost);
}

namespace {

// The launcher knows best why a peer has died: it gets a moment to report that, and then ends this
// rank as well.
void let_launcher_speak() noexcept {
  constexpr std::chrono::milliseconds moment{1500};
  std::this_thread::sleep_for(moment);
}

constexpr const char* network_remedy = "the job cannot go on without it; see docs/gotchas-ofi.md";

}  // namespace

void runtime_parts::lost(rank_id peer, std::string_view cause) noexcept {
  if (losses_.note(peer, cause)) return;
  let_launcher_speak();
  fail(text("network to rank ", peer), cause, network_remedy);
}

void runtime_parts::broken(std::string_view cause) noexcept {
  let_launcher_speak();
  fail("network", cause, network_remedy);
}

// From here on no operation at the peer begins, and nothing reaches its memory; then the operations
// under way there end.
void runtime_parts::forget_peer(rank_id peer) noexcept {
  segments_.for_each([peer](segment& each) { segment_access::close(each, peer); });
  pieces_.lose(peer);
  router_->forget(peer);
  waiting_->wake();
}

void runtime_parts::refuse_message(const transport::arrival& in) noexcept {
  static constexpr const char* kinds[] = {"short", "medium", "long"};
  const std::string object =
      text(in.via == transport::channel::request ? "AM request (" : "AM reply (",
           kinds[static_cast<int>(in.kind)], ", ", unsigned{in.nargs}, " arguments) from rank ",
           in.source, " to handler ", unsigned{in.handler}, " of rank ", rank());
  // Acquire: pairs with endpoint_at().
  endpoint* const target = endpoints_[in.endpoint].load(std::memory_order_acquire);
  if (target == nullptr || !target->handlers().taken(in.handler)) {
    fail(object, "no handler is registered at that index",
         "register the handlers on all ranks, then a barrier, before the first message");
  }
  const am_entry& entry = target->handlers().entry_at(in.handler);
  fail(object,
       text("handler '", entry.name, "' was registered for other messages (",
            entry.nargs == am_entry::any_nargs ? std::string("any") : text(entry.nargs),
            " arguments, categories mask ", entry.categories, ", channels mask ", entry.channels,
            ")"),
       "send what it was registered for");
}

implicit_state& runtime_parts::implicit_operations() noexcept {
  return implicit_state_of_thread(serial_, implicit_);
}

}  // namespace atl
