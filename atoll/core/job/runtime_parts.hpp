// SPDX-License-Identifier: BSD-3-Clause
//
// The parts that a runtime is composed of, each of which a test makes alone: the job_context (rank,
// size, launcher), the rank_memory, the router (transports), the wait_control, tables of segments
// and of what is under way. Programs see none of them, and this header is not installed; the other
// folders of core reach the parts through core_access.hpp, other layers through layer_access.hpp.
//
// The start makes the parts one after the other. It is split in two, because parts that are made
// late use the runtime, which then has those that were made before.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/job_context.hpp>
#include <atoll/core/job/machine_cores.hpp>
#include <atoll/core/job/rank_memory.hpp>
#include <atoll/core/job/router.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/progress/attachment_list.hpp>
#include <atoll/core/progress/continuation_list.hpp>
#include <atoll/core/progress/lost_peers.hpp>
#include <atoll/core/progress/piece_table.hpp>
#include <atoll/core/progress/thread_state.hpp>
#include <atoll/core/progress/wait_control.hpp>
#include <atoll/core/segment/segment_table.hpp>
#include <atoll/transport/transport.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace atl {

class barrier_table;
class device_transfers;
class front_table;
class reference_transfers;
struct front_declaration;

class runtime_parts final : private transport::receiver {
 public:
  /// Joins the job, and makes the parts that need nothing else. Throws `atl::error`.
  runtime_parts(runtime& owner, settings chosen, runtime_options& options);
  runtime_parts(const runtime_parts&) = delete;
  runtime_parts& operator=(const runtime_parts&) = delete;
  ~runtime_parts();

 private:
  friend class runtime;
  friend struct core_access;
  friend struct layer_access;

  /// Makes the other parts, and agrees with all ranks. Collective; throws `atl::error`.
  void start(const runtime_options& options);
  /// Leaves the job; in a forked child only what the parent does not need is ended.
  void end();

  void deliver(const transport::arrival& in) noexcept override;
  void complete(void* context) noexcept override;
  void filled(const transport::loan& ended) noexcept override;
  void abandon(void* context) noexcept override;
  void lost(rank_id peer, std::string_view cause) noexcept override;
  [[noreturn]] void broken(std::string_view cause) noexcept override;

  rank_id rank() const noexcept { return job_.rank(); }
  rank_id size() const noexcept { return job_.size(); }
  const settings& configuration() const noexcept { return job_.configuration(); }
  const job_hosts& hosts() const noexcept { return job_.hosts(); }
  const rank_range& neighbours() const noexcept { return job_.neighbours(); }
  bool threaded() const noexcept { return job_.is_threaded(); }
  bootstrap::bootstrap& boot() const noexcept { return job_.boot(); }
  memory::host_memory& host_memory() noexcept { return memory_->host(); }
  [[noreturn]] void fail(std::string_view object, std::string_view cause,
                         std::string_view remedy) const noexcept {
    job_.fail(object, cause, remedy);
  }

  std::size_t advance_after(std::size_t delivered) noexcept;
  std::size_t progress_replies() noexcept;
  implicit_state& implicit_operations() noexcept;

  static constexpr std::size_t system_endpoint = 127;
  static_assert(system_endpoint == transport::max_endpoints - 1);

  endpoint& find_endpoint(std::size_t index);
  endpoint& endpoint_of(const front_declaration& front, std::size_t index);
  team& world_of(const front_declaration& front);

  bootstrap::blob_table exchange(std::span<const std::byte> contribution);

  void share_cores();
  transport::opened open_transports(const runtime_options& options);
  bool has_network() const noexcept { return !router_->networks().empty(); }
  void join_networks(const bootstrap::blob_table& blobs);
  void leave_networks() noexcept;
  template <class Call>
  void call_launcher(Call call);
  template <class Call>
  void serve_during(Call call);
  bool end_barrier_completes();
  void part_from_the_others();
  void forget_peer(rank_id peer) noexcept;
  void wait_for_stopped_ranks(int code);
  std::uint64_t agree(std::uint64_t world_block, machine_cores& machine);
  void open_world(std::uint64_t block_offset);
  std::uint64_t make_world_block();
  void choose_waiting(const machine_cores& machine);
  void end_progress_thread() noexcept;
  void abandon() noexcept;
  [[noreturn]] void refuse_message(const transport::arrival& in) noexcept;

  runtime& owner_;
  job_context job_;
  bool direct_allowed_;
  int exceptions_at_start_ = std::uncaught_exceptions();
  std::uint64_t serial_;  // tells runtimes apart in thread-local caches

  std::unique_ptr<rank_memory> memory_;
  std::size_t heap_limit_everywhere_ = 0;
  std::unique_ptr<router> router_;
  operation_pool operations_;
  piece_table pieces_;
  std::unique_ptr<const front_table> fronts_;
  std::mutex making_endpoints_;
  std::array<std::atomic<endpoint*>, transport::max_endpoints> endpoints_{};
  segment_table segments_;
  std::unique_ptr<segment> heaps_;
  std::vector<std::unique_ptr<endpoint>> endpoints_made_;
  endpoint* system_ = nullptr;
  std::unique_ptr<reference_transfers> reference_;
  std::unique_ptr<barrier_table> barriers_;
  attachment_list attachments_;
  std::unique_ptr<wait_control> waiting_;
  std::unique_ptr<device_transfers> devices_;
  continuation_list continuations_{owner_};
  lost_peers losses_;
  std::atomic<std::uint32_t> teams_ = 0;
  std::unique_ptr<team> world_;
  std::mutex making_worlds_;
  std::vector<std::unique_ptr<team>> worlds_of_fronts_;  // by number
  std::vector<std::unique_ptr<attachment>> attached_;

  std::shared_ptr<implicit_states> implicit_ = std::make_shared<implicit_states>(operations_);
  std::jthread progress_thread_;
};

}  // namespace atl
