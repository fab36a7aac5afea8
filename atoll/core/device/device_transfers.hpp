// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers with memory of a device at one end or at both. The processor reaches such memory only
// through a window of the device. A transfer goes, best first:
//
// clang-format off
//   windowed     by the processor, through a window of a device of this rank, when the bytes are few
//                (windowed_transfers.cpp)
//   directly     one copy of a device's engine: within this process, to memory of the host's shared
//                file, and to memory of a neighbour's device that this process has opened
//   registered   by the network, between memories that it knows at both ends
//   staged       in chunks, through pinned host memory at each end whose memory is a device's;
//                between the two as host memory goes (by the network, the kernel or messages). Where
//                the other end is a device's, messages carry it, and that rank's device copies
// clang-format on
//
// Copies of engines, the way between ranks and the copies at the other rank run at the same time
// for different chunks. Chunks wait until few are under way and, where this end is a device's, for
// a free slot of pinned memory. Progress moves all of it.
//
// Threads: any. The lock is never held while something is sent, since that may wait and so come
// back here.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/am/am.hpp>
#include <atoll/core/device/device_queue.hpp>
#include <atoll/core/device/device_rows.hpp>
#include <atoll/core/device/ordered_transfers.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/memory/device/window.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace atl {

/// A contiguous transfer between memory of this process and a part of `memory`.
struct device_request {
  bool is_put;
  segment& memory;
  rank_id peer;
  std::byte* remote;  // as its owner addresses it
  std::byte* local;
  std::size_t bytes;
  memory::device* device;  // that `local` is memory of; null: host memory
};

/// The way that a transfer takes.
struct device_way {
  bool is_direct = false;
  memory::device* device = nullptr;  // whose engine copies, of a direct one
  std::byte* remote = nullptr;       // as this process addresses it, of a direct one
};

/// A part of a transfer that moves by itself.
struct device_chunk {
  enum class role { direct, put, get, served_put, served_get, served_scatter, served_gather };

  role task;
  device_queue* queue;                  // of the device at this end; null: host memory
  std::byte* slot;                      // pinned, of the queue; or null
  std::unique_ptr<std::byte[]> buffer;  // of a served transfer that has found no slot
  segment* memory;
  rank_id peer;
  std::byte* remote;
  std::byte* local;
  std::size_t bytes;
  device_rows rows;     // of a non-contiguous transfer; `remote` and `local` are of the first
  operation* record;    // that has a piece for this chunk
  std::uint64_t piece;  // of a served transfer: the requester's
  std::uint32_t answered_rows;  // of a served gather: the requester's, which go back first
  operation leg;                // the way between the ranks

  std::byte* staged() const noexcept { return slot != nullptr ? slot : buffer.get(); }
};

class device_transfers final : public attachment {
 public:
  /// Registers its handlers in the runtime's own endpoint. Opens no driver.
  explicit device_transfers(runtime& owner);
  ~device_transfers() override;

  /// The device of this process, opened at the first call. Throws `atl::error`.
  memory::device& open(memory::memory_kind kind, int index);

  /// Whether this rank has parts on devices, and the device whose memory an address of such a part
  /// is; null for all other memory.
  bool has_parts() const noexcept { return part_count_.load(std::memory_order_relaxed) != 0; }
  const memory::device* device_at(const void* address) const noexcept;

  /// Adds, or removes, memory of a device that is this rank's part of a segment.
  void add_part(segment_part part);
  void remove_part(segment_part part) noexcept;

  /// Starts a transfer, and adds its pieces to `record`. Unless `keeps_source`, the source of a put
  /// may be changed on return.
  void start(const device_request& request, operation& record, bool keeps_source) noexcept;

  /// The same for a non-contiguous transfer: `extent` tells the range at the peer and where the
  /// range of `local_bytes` begins here, `source` the rows.
  void start_rows(const device_request& extent, std::size_t local_bytes, device_row_source& source,
                  operation& record, bool keeps_source) noexcept;

  /// Whether a get of the peer's part into this rank's own makes no stop in host memory where
  /// either is a device's.
  bool reads_without_stop(segment& memory, rank_id peer) noexcept;

  /// The way of a transfer between `bytes` at `remote` of a rank and memory here.
  device_way find_way(const device_request& request) noexcept;

  /// Lets neighbours open a part of this rank; false where that is refused, after a warning.
  bool export_part(const segment_part& part, memory::exported_memory& exported) noexcept;
  /// Closes what has been opened of another rank's part.
  void close(device_part& part) noexcept;

  bool advance() noexcept override;
  bool busy() const noexcept override { return active_.load(std::memory_order_acquire) != 0; }

  /// Whether a thread that waits must look again at once: a copy is under way, whose end rings no
  /// bell, and the last one began or ended a short while ago. During a long copy threads sleep.
  bool keeps_awake() const noexcept;

  /// The transfers that are ordered with the program's streams.
  ordered_transfers& ordered() noexcept { return ordered_; }

  /// Bytes that the processor copied through a window, that went directly and that were staged at
  /// this end, for tests and reports.
  std::uint64_t windowed_bytes() const noexcept {
    return windowed_bytes_.load(std::memory_order_relaxed);
  }
  std::uint64_t direct_bytes() const noexcept {
    return direct_bytes_.load(std::memory_order_relaxed);
  }
  std::uint64_t staged_bytes() const noexcept {
    return staged_bytes_.load(std::memory_order_relaxed);
  }
  /// Bytes that the network has read or written in memory of devices.
  std::uint64_t registered_bytes() const noexcept {
    return registered_bytes_.load(std::memory_order_relaxed);
  }
  /// Bytes that were staged at this end for another rank in memory that is not pinned, which is
  /// slow, because no slot was free.
  std::uint64_t unpinned_bytes() const noexcept {
    return unpinned_bytes_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t chunks_under_way_max = 128;
  static constexpr std::int64_t awake_ns = 5'000'000;
  static constexpr std::uint32_t eager_looks = 8;  // before the core is given away
  static constexpr std::size_t chunk_least = std::size_t{64} << 10;
  // While an engine begins a copy, the processor moves this many bytes through a window.
  static constexpr std::size_t window_write_most = 8192;
  static constexpr std::size_t window_read_most = 256;

  static void on_put(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_get(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_scatter(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_gather(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);

  device_queue* queue_of(const memory::device* device) noexcept;
  device_queue& owner_of(const char* action, rank_id requester, const std::byte* address,
                         std::size_t bytes) noexcept;
  device_queue& owner_of(const char* action, rank_id requester, const run_row& row) noexcept;
  void check_local(const device_request& request, std::size_t bytes) const noexcept;
  bool is_registered(const device_request& request) const noexcept;
  bool goes_registered(const device_request& request) const noexcept;
  void start_registered(const device_request& request, operation& record) noexcept;
  memory::device* find_opener(memory::memory_kind kind,
                              const memory::device_uuid& exporter) noexcept;
  std::byte* open_part(segment& memory, rank_id peer, memory::device*& through) noexcept;
  void warn_of_refusal(const memory::device& device, const char* action, const void* address,
                       rank_id owner) noexcept;

  void map_part(const segment_part& part);
  void unmap_part(const segment_part& part) noexcept;
  std::byte* window_at(const std::byte* address, std::size_t bytes) const noexcept;
  bool write_window(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
  bool read_window(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
  bool go_through_window(const device_request& request) noexcept;

  device_chunk& make_chunk();
  void end_chunk(device_chunk& chunk) noexcept;
  void finish(device_chunk& chunk, operation_status status) noexcept;
  void start_direct(const device_request& request, const device_way& way, operation& record);
  void add_chunks(const device_request& request, operation& record);
  std::size_t chunk_of(std::size_t bytes) const noexcept;
  static memory::copy_direction direction_of(const device_request& request) noexcept;
  void finish_start(operation& record, operation& counted) noexcept;
  void start_direct_rows(const device_request& request, const device_way& way, device_rows rows,
                         operation& record);
  void add_chunk_of_rows(const device_request& request, device_rows rows, operation& record);
  void gather_to_slot(device_chunk& chunk) noexcept;
  void scatter_from_slot(device_chunk& chunk) noexcept;
  static void take_from_slot(device_chunk& chunk) noexcept;
  void start_leg_of_rows(device_chunk& chunk) noexcept;

  void copy(device_chunk& chunk, memory::copy_direction direction, void* to,
            const void* from) noexcept;
  void copy_rows(device_chunk& chunk, memory::copy_direction direction, std::span<const run_row> to,
                 std::span<const run_row> from) noexcept;
  void note_copies(std::size_t complete) noexcept;
  void begin_waiting() noexcept;
  std::size_t slot_use(const device_chunk& chunk) const noexcept;
  bool take_place(device_chunk& chunk);
  void begin(device_chunk& chunk) noexcept;
  void copied(device_chunk& chunk) noexcept;
  void start_leg(device_chunk& chunk) noexcept;
  void end_legs() noexcept;
  void send_put(device_chunk& chunk, const std::byte* from) noexcept;
  void ask_for_data(device_chunk& chunk, std::byte* to) noexcept;
  bool take_serving_slot(device_chunk& chunk);
  void take_buffer(device_chunk& chunk);
  bool may_serve(device_chunk& chunk);
  void serve(device_chunk& chunk, device_queue& queue);
  void serve_get(device_chunk& chunk) noexcept;
  void serve_waiting() noexcept;
  void send_answers() noexcept;
  bool answer(const device_chunk& chunk) noexcept;
  [[noreturn]] void fail(const device_chunk& chunk) noexcept;

  runtime& owner_;
  ordered_transfers ordered_;
  bool always_staged_;
  std::size_t slot_bytes_;
  std::size_t staging_bytes_;
  // The most bytes in chunks of this rank's own transfers: enough to keep engines and the way
  // between the ranks busy. More would leave the caches before they are sent, and would take the
  // slots that serve other ranks. One chunk may be longer.
  std::size_t bytes_under_way_max_;
  std::atomic<std::uint32_t> active_ = 0;              // chunks; release: what they wrote is seen
  std::atomic<std::uint32_t> part_count_ = 0;          // relaxed: set-up comes before use
  std::atomic<std::uint32_t> copying_ = 0;             // copies under way; relaxed: a hint
  std::atomic<std::int64_t> last_copy_ns_ = 0;         // when one began or ended; relaxed: a hint
  std::atomic<std::uint32_t> serving_slots_ = 0;       // that served chunks hold; relaxed: a hint
  std::atomic<std::uint32_t> looks_without_copy_ = 0;  // in a row; relaxed: a hint
  std::atomic<bool> warned_ = false;                   // of a handle that was refused; relaxed
  std::atomic<bool> has_windows_ = false;              // relaxed: set-up comes before use
  std::atomic<std::uint64_t> windowed_bytes_ = 0;
  std::atomic<std::uint64_t> direct_bytes_ = 0;
  std::atomic<std::uint64_t> staged_bytes_ = 0;
  std::atomic<std::uint64_t> registered_bytes_ = 0;
  std::atomic<std::uint64_t> unpinned_bytes_ = 0;
  mutable std::mutex guard_;  // of what follows
  std::vector<std::unique_ptr<device_queue>> queues_;
  std::vector<segment_part> parts_;
  std::vector<memory::mapped_window> windows_;
  std::vector<std::unique_ptr<device_chunk>> chunks_;
  std::vector<device_chunk*> free_chunks_;
  std::deque<device_chunk*> waiting_;  // for a place under way, and a slot
  std::vector<device_chunk*> legs_;
  std::deque<device_chunk*> answers_;
  std::deque<device_chunk*> asked_;   // served gets that wait for a slot
  std::size_t chunks_under_way_ = 0;  // under way, of this rank's own transfers
  std::size_t bytes_under_way_ = 0;   // their bytes
};

}  // namespace atl
