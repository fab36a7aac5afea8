// SPDX-License-Identifier: BSD-3-Clause
//
// A device whose driver makes copies on streams and tells of their ends by events: CUDA's, and
// HIP's, which has the same calls under other names. `Calls` says where the two differ. Every call
// of the driver runs with this device's context on the thread, and puts back the context that the
// program had. Each direction of copies has a stream that does not wait for the default stream; an
// event behind each copy tells when it is complete. Events are kept for reuse: a direction's events
// in flight stand in the order of their copies, and only the first is asked.
//
// A stream of the program is held by a word of pinned memory that it waits for. The word counts,
// and each wait is for a count of its own, so a word is used again before the stream has looked at
// it.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <atoll/memory/device/host_registration.hpp>
#include <atoll/memory/device/program_order.hpp>

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace atl::memory {

/// `Calls` has
///   driver, open_driver()     the table of calls (cuda_driver.hpp), whose members have the same
///                             names and parameters for each driver
///   result, address ...       the types of those parameters, and the constants that are passed
///   context, current          a context of a device, and an object that makes it the thread's;
///                             its code() says whether that worked
///   begin(), end()            of using a device
///   is_of_device()            whether an address is of a device's memory, not of pinned memory
///   copy(), copy_rows() and wait_value(), pitch_most() of the rows
///   number_of(), pointer_to(), kind, words for messages, and remedy_of() a code
template <class Calls>
class stream_device final : public device, public program_order, public host_registration {
  using driver = typename Calls::driver;
  using result = typename Calls::result;
  using number = typename Calls::address;  // of memory
  using stream = typename Calls::stream;
  using event = typename Calls::event;
  using current = typename Calls::current;

 public:
  explicit stream_device(const device_description& description)
      : device(description), driver_(Calls::open_driver()) {
    need(driver::device_get_name, driver_.device_get(&number_, description.index));
    need(Calls::begin_name, Calls::begin(driver_, number_, context_));
    pitch_most_ = Calls::pitch_most(driver_, number_);
    const char* call = driver::stream_create_name;
    const result made = make_streams(call);
    if (made != Calls::success) end();
    need(call, made);
  }

  ~stream_device() override { end(); }

  std::byte* allocate(std::size_t bytes) noexcept override {
    const current entered(driver_, context_);
    number made{};
    return works(entered, driver::allocate_name, driver_.allocate(&made, bytes))
               ? Calls::pointer_to(made)
               : nullptr;
  }

  void free(std::byte* memory) noexcept override {
    const current entered(driver_, context_);
    works(entered, driver::free_name, driver_.free(Calls::number_of(memory)));
  }

  bool owns(const void* address, std::size_t bytes) noexcept override {
    const current entered(driver_, context_);
    const number first = Calls::number_of(address);
    int owner = -1;
    number base{};
    std::size_t size = 0;
    return works(entered, driver::pointer_attribute_name,
                 driver_.pointer_attribute(&owner, Calls::device_ordinal, first)) &&
           owner == number_ && Calls::is_of_device(driver_, first) &&
           works(entered, driver::address_range_name, driver_.address_range(&base, &size, first)) &&
           bytes <= size &&
           static_cast<std::size_t>(Calls::pointer_to(first) - Calls::pointer_to(base)) <=
               size - bytes;
  }

  std::byte* pin(std::size_t bytes) noexcept override {
    const current entered(driver_, context_);
    void* made = nullptr;
    return works(entered, driver::pin_name, driver_.pin(&made, bytes, Calls::pinned_portable))
               ? static_cast<std::byte*>(made)
               : nullptr;
  }

  void unpin(std::byte* memory) noexcept override {
    const current entered(driver_, context_);
    works(entered, driver::unpin_name, driver_.unpin(memory));
  }

  bool register_host(std::byte* memory, std::size_t bytes) noexcept override {
    const std::lock_guard hold(guard_);
    const current entered(driver_, context_);
    if (!works(entered, driver::register_host_name,
               driver_.register_host(memory, bytes, Calls::registered_portable)))
      return false;
    registered_.push_back(memory);
    return true;
  }

  std::size_t registered() const noexcept override { return registered_.size(); }

  std::uint64_t start_copy(copy_direction direction, void* to, const void* from,
                           std::size_t bytes) noexcept override {
    return start(direction, [&](const current& entered, stream along) {
      return copy(entered, to, from, bytes, along);
    });
  }

  std::uint64_t start_rows(copy_direction direction, const row_copy& rows) noexcept override {
    return start(direction, [&](const current& entered, stream along) {
      return copy_as_block(entered, rows, along) || copy_one_by_one(entered, rows, along);
    });
  }

  std::optional<std::uint64_t> copies_done(copy_direction which) noexcept override {
    const std::lock_guard hold(guard_);
    copy_queue& queue = copies_[static_cast<std::size_t>(which)];
    if (queue.under_way.empty()) return queue.done;
    const current entered(driver_, context_);
    while (!queue.under_way.empty()) {
      const result state = driver_.event_query(queue.under_way.front());
      if (state == Calls::not_ready) break;
      if (!works(entered, driver::event_query_name, state)) return std::nullopt;
      free_events_.push_back(queue.under_way.front());
      queue.under_way.pop_front();
      ++queue.done;
    }
    return queue.done;
  }

  bool export_memory(const void* base, exported_memory& exported) noexcept override {
    const current entered(driver_, context_);
    number allocation{};
    std::size_t size = 0;
    typename Calls::ipc_handle handle{};
    if (!works(entered, driver::address_range_name,
               driver_.address_range(&allocation, &size, Calls::number_of(base))) ||
        !works(entered, driver::ipc_export_name, driver_.ipc_export(&handle, allocation)))
      return false;
    exported.device = description().uuid;
    exported.offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(base) -
                                                 Calls::pointer_to(allocation));
    std::memcpy(exported.handle.data(), handle.reserved.data(), handle.reserved.size());
    return true;
  }

  std::byte* open(const exported_memory& exported) noexcept override {
    const current entered(driver_, context_);
    typename Calls::ipc_handle handle{};
    std::memcpy(handle.reserved.data(), exported.handle.data(), handle.reserved.size());
    number opened{};
    if (!works(entered, driver::ipc_open_name,
               driver_.ipc_open(&opened, handle, Calls::ipc_peer_access)))
      return nullptr;
    return Calls::pointer_to(opened) + exported.offset;
  }

  void close(std::byte* opened, const exported_memory& exported) noexcept override {
    const current entered(driver_, context_);
    works(entered, driver::ipc_close_name,
          driver_.ipc_close(Calls::number_of(opened - exported.offset)));
  }

  bool reaches(const device_uuid& other) noexcept override {
    if (other == description().uuid) return true;
    for (const device_description& each : describe_driver(Calls::kind).devices)
      if (each.uuid == other) return is_peer(Calls::kind, description().index, each.index);
    return false;
  }

  void* mark(program_stream marked) noexcept override {
    const std::lock_guard hold(guard_);
    const current entered(driver_, context_);
    event made = nullptr;
    if (!take_event(entered, made)) return nullptr;
    if (works(entered, driver::event_record_name, driver_.event_record(made, marked))) return made;
    free_events_.push_back(made);
    return nullptr;
  }

  std::optional<bool> has_passed(void* mark) noexcept override {
    const current entered(driver_, context_);
    const result state = driver_.event_query(mark);
    if (state == Calls::not_ready) return false;
    if (!works(entered, driver::event_query_name, state)) return std::nullopt;
    return true;
  }

  void forget(void* mark) noexcept override {
    const std::lock_guard hold(guard_);
    free_events_.push_back(mark);
  }

  bool stall(program_stream stalled, std::uint32_t* flag) noexcept override {
    const current entered(driver_, context_);
    return wait_for(entered, stalled, flag, 1);
  }

  void* hold_stream(program_stream held) noexcept override {
    const std::lock_guard hold(guard_);
    const current entered(driver_, context_);
    held_word* const taken = take_word(entered);
    return taken != nullptr && begin_hold(entered, *taken, held) ? taken : nullptr;
  }

  // The event is recorded on a stream that nothing else uses until the event is released.
  void* hold_event(program_event held) noexcept override {
    const std::lock_guard hold(guard_);
    const current entered(driver_, context_);
    held_word* const taken = take_word(entered);
    if (taken == nullptr || !give_stream(entered, *taken) ||
        !begin_hold(entered, *taken, taken->along))
      return nullptr;
    if (works(entered, driver::event_record_name, driver_.event_record(held, taken->along)))
      return taken;
    let_go(*taken);
    return nullptr;
  }

  void release(void* held) noexcept override {
    const std::lock_guard hold(guard_);
    let_go(*static_cast<held_word*>(held));
  }

  std::string problem() const override {
    const std::lock_guard hold(problem_guard_);
    return problem_;
  }
  std::string remedy() const override {
    const std::lock_guard hold(problem_guard_);
    return Calls::remedy_of(problem_code_);
  }

 private:
  struct copy_queue {
    stream along = nullptr;
    std::deque<event> under_way;
    std::uint64_t done = 0;
  };

  /// A word that streams wait for, and a stream of its own once an event has needed it.
  struct held_word {
    std::uint32_t* word = nullptr;
    std::uint32_t count = 0;  // that the word has, or will have
    stream along = nullptr;
  };
  static constexpr std::size_t words_of_page = 64;
  static constexpr std::size_t line_bytes = 64;

  bool wait_for(const current& entered, program_stream stalled, std::uint32_t* word,
                std::uint32_t least) noexcept {
    if (driver_.wait_value == nullptr) {
      const std::lock_guard hold(problem_guard_);
      problem_ = text("this driver has no ", driver::wait_value_name, "; ", Calls::newer_driver);
      return false;
    }
    return works(entered, driver::wait_value_name,
                 Calls::wait_value(driver_, stalled, word, least));
  }

  // The caller holds guard_, here and in what follows.
  held_word* take_word(const current& entered) noexcept {
    if (free_words_.empty() && !make_words(entered)) return nullptr;
    held_word* const taken = free_words_.back();
    free_words_.pop_back();
    return taken;
  }

  bool make_words(const current& entered) noexcept {
    void* page = nullptr;
    if (!works(entered, driver::pin_name,
               driver_.pin(&page, words_of_page * line_bytes, Calls::pinned_portable)))
      return false;
    std::memset(page, 0, words_of_page * line_bytes);
    pages_.push_back(page);
    for (std::size_t i = 0; i < words_of_page; ++i) {
      words_.push_back(std::make_unique<held_word>());
      auto* const line = static_cast<std::byte*>(page) + i * line_bytes;
      words_.back()->word = reinterpret_cast<std::uint32_t*>(line);
      free_words_.push_back(words_.back().get());
    }
    return true;
  }

  bool give_stream(const current& entered, held_word& taken) noexcept {
    if (taken.along != nullptr) return true;
    if (works(entered, driver::stream_create_name,
              driver_.stream_create(&taken.along, Calls::stream_non_blocking)))
      return true;
    taken.along = nullptr;
    free_words_.push_back(&taken);
    return false;
  }

  bool begin_hold(const current& entered, held_word& taken, program_stream held) noexcept {
    if (wait_for(entered, held, taken.word, taken.count + 1)) {
      ++taken.count;
      return true;
    }
    free_words_.push_back(&taken);
    return false;
  }

  void let_go(held_word& held) noexcept {
    // Release: what was written before is seen by what follows on the stream.
    std::atomic_ref(*held.word).store(held.count, std::memory_order_release);
    free_words_.push_back(&held);
  }

  /// Starts the work that `put` puts on the direction's stream, as one copy.
  template <class Put>
  std::uint64_t start(copy_direction which, Put put) noexcept {
    const std::lock_guard hold(guard_);
    const current entered(driver_, context_);
    copy_queue& queue = copies_[static_cast<std::size_t>(which)];
    event done = nullptr;
    if (!take_event(entered, done)) return 0;
    if (!put(entered, queue.along) ||
        !works(entered, driver::event_record_name, driver_.event_record(done, queue.along))) {
      free_events_.push_back(done);
      return 0;
    }
    queue.under_way.push_back(done);
    return queue.done + queue.under_way.size();
  }

  bool copy(const current& entered, void* to, const void* from, std::size_t bytes,
            stream along) noexcept {
    return works(entered, driver::copy_name, Calls::copy(driver_, to, from, bytes, along));
  }

  // The driver takes strides that go forward and leave room for a row, up to a limit. Within one
  // device it may refuse some of them.
  bool copy_as_block(const current& entered, const row_copy& rows, stream along) noexcept {
    const auto fits = [&](std::ptrdiff_t stride) {
      return stride >= static_cast<std::ptrdiff_t>(rows.bytes) && stride <= pitch_most_;
    };
    if (rows.rows < 2 || !fits(rows.to_stride) || !fits(rows.from_stride)) return false;
    return works(entered, driver::copy_rows_name, Calls::copy_rows(driver_, rows, along));
  }

  bool copy_one_by_one(const current& entered, const row_copy& rows, stream along) noexcept {
    auto* to = static_cast<std::byte*>(rows.to);
    const auto* from = static_cast<const std::byte*>(rows.from);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (!copy(entered, to, from, rows.bytes, along)) return false;
      to += rows.to_stride;
      from += rows.from_stride;
    }
    return true;
  }

  void need(const char* call, result code) const {
    if (code == Calls::success) return;
    throw error(text_of(description()), text(call, ": ", driver_.message(code)), Calls::remedy);
  }

  // Notes the problem of a call. If the device's context could not be set, that is the problem.
  bool works(const current& entered, const char* call, result code) noexcept {
    if (code == Calls::success) [[likely]]
      return true;
    const bool is_outside = entered.code() != Calls::success;
    const std::lock_guard hold(problem_guard_);
    problem_code_ = is_outside ? entered.code() : code;
    problem_ = text(is_outside ? Calls::enter_name : call, ": ", driver_.message(problem_code_));
    return false;
  }

  bool take_event(const current& entered, event& taken) noexcept {
    if (free_events_.empty())
      return works(entered, driver::event_create_name,
                   driver_.event_create(&taken, Calls::event_no_timing));
    taken = free_events_.back();
    free_events_.pop_back();
    return true;
  }

  result make_streams(const char*& failing_call) noexcept {
    const current entered(driver_, context_);
    result made = entered.code();
    if (made != Calls::success) {
      failing_call = Calls::enter_name;
      return made;
    }
    for (copy_queue& queue : copies_) {
      made = driver_.stream_create(&queue.along, Calls::stream_non_blocking);
      if (made != Calls::success) break;
    }
    return made;
  }

  void end() noexcept {
    destroy_streams();
    Calls::end(driver_, number_);
  }

  void destroy_streams() noexcept {
    const current entered(driver_, context_);
    for (copy_queue& queue : copies_) {
      for (event each : queue.under_way) driver_.event_destroy(each);
      if (queue.along != nullptr) driver_.stream_destroy(queue.along);
    }
    for (event each : free_events_) driver_.event_destroy(each);
    for (const auto& each : words_)
      if (each->along != nullptr) driver_.stream_destroy(each->along);
    for (void* const each : pages_) driver_.unpin(each);
    for (void* const each : registered_) driver_.unregister_host(each);
  }

  const driver& driver_;
  typename Calls::device_number number_ = 0;
  typename Calls::context context_{};
  std::ptrdiff_t pitch_most_ = 0;
  std::mutex guard_;  // of the queues, events and words
  std::array<copy_queue, copy_directions> copies_;
  std::vector<event> free_events_;
  std::vector<void*> pages_;       // of words
  std::vector<void*> registered_;  // set-up comes before use
  std::vector<std::unique_ptr<held_word>> words_;
  std::vector<held_word*> free_words_;
  mutable std::mutex problem_guard_;
  std::string problem_;
  result problem_code_ = Calls::success;
};

}  // namespace atl::memory
