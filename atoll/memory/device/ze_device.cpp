// SPDX-License-Identifier: BSD-3-Clause
//
// A Level Zero device. Each direction of copies has an immediate command list on a copy engine.
// Such a list may do its copies in any order, so each waits for the event of the one before. An
// event is used again only when the copy behind it is complete as well, because that waits for it.
#include <atoll/memory/device/ze_device.hpp>

#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/foreign_descriptor.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/program_order.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace atl::memory {

namespace {

// --- contexts --------------------------------------------------------------------------------

struct driver_context {
  ze::driver_handle driver;
  ze::context_handle context;
};

struct context_table {
  std::mutex guard;
  std::vector<driver_context> contexts;
};

context_table& contexts() {
  static context_table table;
  return table;
}

bool is_driver(ze::driver_handle driver) {
  return std::ranges::any_of(ze::open_driver().devices_found,
                             [&](const ze::place& each) { return each.driver == driver; });
}

/// The caller holds the table's lock.
driver_context& find_context(ze::driver_handle driver) {
  auto& known = contexts().contexts;
  for (driver_context& each : known)
    if (each.driver == driver) return each;
  if (!is_driver(driver))
    throw error("a driver of Level Zero", "it has no GPU that this process sees",
                "pass a handle that device_id_to_driver_handle() has given");
  known.push_back({.driver = driver, .context = nullptr});
  return known.back();
}

ze::context_handle context_in(driver_context& known) {
  if (known.context != nullptr) return known.context;
  const ze::context_terms terms;
  const ze::result made = ze::open_driver().context_create(known.driver, &terms, &known.context);
  if (made == ze::success) return known.context;
  known.context = nullptr;
  throw error("a context of Level Zero", text("zeContextCreate: ", ze::driver::message(made)),
              "see what uses the device, and whether this process may open /dev/dri/renderD*");
}

// --- handles ---------------------------------------------------------------------------------

int descriptor_in(const ze::ipc_handle& handle) {
  int descriptor = -1;
  std::memcpy(&descriptor, handle.data.data(), sizeof descriptor);
  return descriptor;
}

/// Whether the driver fetches the descriptor by itself: then the number of the process that has it
/// stands in the handle, behind the descriptor.
bool names_process(const ze::ipc_handle& handle, std::uint32_t process) {
  for (std::size_t at = sizeof(std::uint64_t); at + sizeof process <= handle.data.size(); ++at)
    if (std::memcmp(handle.data.data() + at, &process, sizeof process) == 0) return true;
  return false;
}

// --- the device ------------------------------------------------------------------------------

class ze_device final : public device, public program_order {
 public:
  explicit ze_device(const device_description& description)
      : device(description), driver_(ze::open_driver()), place_(*ze_place_of(description.index)) {
    context_ = ze_context_of(place_.driver);
    if (make_lists()) return;
    end();
    throw error(text_of(description), problem(), "see what uses the device");
  }
  ~ze_device() override { end(); }

  std::byte* allocate(std::size_t bytes) noexcept override {
    ze::device_memory_terms terms;
    const ze::relaxed_limits relaxed;
    if (bytes > place_.properties.allocation_max) terms.next = &relaxed;
    void* made = nullptr;
    return works(ze::driver::allocate_name,
                 driver_.allocate(context_, &terms, bytes, alignment, place_.device, &made))
               ? static_cast<std::byte*>(made)
               : nullptr;
  }

  void free(std::byte* memory) noexcept override {
    works(ze::driver::free_name, driver_.free(context_, memory));
  }

  bool owns(const void* address, std::size_t bytes) noexcept override {
    ze::allocation_properties found;
    ze::device_handle owner = nullptr;
    void* base = nullptr;
    std::size_t size = 0;
    return works(ze::driver::describe_memory_name,
                 driver_.describe_memory(context_, address, &found, &owner)) &&
           found.type == ze::memory_device && owner == place_.device &&
           works(ze::driver::address_range_name,
                 driver_.address_range(context_, address, &base, &size)) &&
           bytes <= size && offset_in(base, address) <= size - bytes;
  }

  std::byte* pin(std::size_t bytes) noexcept override {
    const ze::host_memory_terms terms;
    void* made = nullptr;
    return works(ze::driver::pin_name, driver_.pin(context_, &terms, bytes, alignment, &made))
               ? static_cast<std::byte*>(made)
               : nullptr;
  }
  void unpin(std::byte* memory) noexcept override { free(memory); }

  std::uint64_t start_copy(copy_direction which, void* to, const void* from,
                           std::size_t bytes) noexcept override {
    const std::lock_guard hold(guard_);
    copy_queue& queue = copies_[static_cast<std::size_t>(which)];
    ze::event done = nullptr;
    if (!take_event(done)) return 0;
    const bool is_behind = !queue.under_way.empty();
    ze::event before = is_behind ? queue.under_way.back() : nullptr;
    if (!works(ze::driver::copy_name,
               driver_.copy(queue.list, to, from, bytes, done, is_behind ? 1 : 0,
                            is_behind ? &before : nullptr))) {
      free_events_.push_back(done);
      return 0;
    }
    queue.under_way.push_back(done);
    return queue.done + queue.under_way.size();
  }

  std::optional<std::uint64_t> copies_done(copy_direction which) noexcept override {
    const std::lock_guard hold(guard_);
    copy_queue& queue = copies_[static_cast<std::size_t>(which)];
    while (!queue.under_way.empty()) {
      const ze::result state = driver_.event_query(queue.under_way.front());
      if (state == ze::not_ready) break;
      if (!works(ze::driver::event_query_name, state)) return std::nullopt;
      if (queue.last != nullptr) free_events_.push_back(queue.last);
      queue.last = queue.under_way.front();
      queue.under_way.pop_front();
      ++queue.done;
    }
    return queue.done;
  }

  bool export_memory(const void* base, exported_memory& exported) noexcept override {
    void* allocation = nullptr;
    std::size_t size = 0;
    ze::ipc_handle handle;
    if (!works(ze::driver::address_range_name,
               driver_.address_range(context_, base, &allocation, &size)) ||
        !works(ze::driver::ipc_export_name, driver_.ipc_export(context_, allocation, &handle)))
      return false;
    exported.device = description().uuid;
    exported.offset = offset_in(allocation, base);
    exported.handle = handle.data;
    exported.process = static_cast<std::uint32_t>(::getpid());
    exported.descriptor = names_process(handle, exported.process) ? -1 : descriptor_in(handle);
    exported.file = exported.descriptor < 0 ? 0 : file_identity(exported.descriptor);
    return true;
  }

  std::byte* open(const exported_memory& exported) noexcept override {
    ze::ipc_handle handle{.data = exported.handle};
    descriptor fetched;  // closed below: the memory stays mapped
    if (exported.descriptor >= 0) {
      fetched = duplicate_of_foreign(exported.process, exported.descriptor, exported.file);
      if (!fetched) {
        note_problem(text("pidfd_getfd: ", errno_text(errno)));
        return nullptr;
      }
      const int number = fetched.get();
      std::memcpy(handle.data.data(), &number, sizeof number);
    }
    void* opened = nullptr;
    const bool is_open = works(ze::driver::ipc_open_name,
                               driver_.ipc_open(context_, place_.device, handle, 0, &opened));
    return is_open ? static_cast<std::byte*>(opened) + exported.offset : nullptr;
  }

  void close(std::byte* opened, const exported_memory& exported) noexcept override {
    works(ze::driver::ipc_close_name, driver_.ipc_close(context_, opened - exported.offset));
  }

  bool reaches(const device_uuid& other) noexcept override {
    if (other == description().uuid) return true;
    for (const device_description& each : describe_ze().devices)
      if (each.uuid == other) return is_ze_peer(description().index, each.index);
    return false;
  }

  std::optional<bool> has_passed(void* mark) noexcept override {
    const ze::result state = driver_.event_query(mark);
    if (state == ze::not_ready) return false;
    if (!works(ze::driver::event_query_name, state)) return std::nullopt;
    return true;
  }

  void* mark(program_stream marked) noexcept override {
    const std::lock_guard hold(guard_);
    ze::event made = nullptr;
    if (!take_event(made)) return nullptr;
    if (works(ze::driver::barrier_name, driver_.barrier(marked, made, 0, nullptr))) return made;
    free_events_.push_back(made);
    return nullptr;
  }

  void forget(void* mark) noexcept override {
    const std::lock_guard hold(guard_);
    free_events_.push_back(mark);
  }

  // The list waits at a barrier, whose end the second event tells.
  void* hold_stream(program_stream held) noexcept override {
    const std::lock_guard hold(guard_);
    auto made = std::make_unique<held_list>();
    if (!take_event(made->awaited)) return nullptr;
    const bool has_both = take_event(made->passed);
    if (has_both &&
        works(ze::driver::barrier_name, driver_.barrier(held, made->passed, 1, &made->awaited)))
      return made.release();
    free_events_.push_back(made->awaited);
    if (has_both) free_events_.push_back(made->passed);
    return nullptr;
  }

  void* hold_event(program_event held) noexcept override {
    if (!works(ze::driver::event_reset_name, driver_.event_reset(held))) return nullptr;
    return new held_list{.awaited = held};
  }

  void release(void* held) noexcept override {
    const std::lock_guard hold(guard_);
    std::unique_ptr<held_list> let_go(static_cast<held_list*>(held));
    works(ze::driver::event_signal_name, driver_.event_signal(let_go->awaited));
    if (let_go->passed != nullptr) released_.push_back(*let_go);
  }

  std::string problem() const override {
    const std::lock_guard hold(problem_guard_);
    return problem_;
  }
  std::string remedy() const override {
    const std::lock_guard hold(problem_guard_);
    return ze::driver::remedy_of(problem_code_);
  }

 private:
  static constexpr std::size_t alignment = 4096;
  static constexpr std::uint32_t pool_events = 256;
  static constexpr std::int64_t drain_ns = 10'000'000'000;

  struct copy_queue {
    ze::command_list list = nullptr;
    std::deque<ze::event> under_way;
    ze::event last = nullptr;  // of the last complete copy; the next one may still wait for it
    std::uint64_t done = 0;
  };

  /// A list of the program that waits for an event, and the event that is signalled when it goes
  /// on; or an event of the program alone.
  struct held_list {
    ze::event awaited = nullptr;
    ze::event passed = nullptr;
  };

  static std::size_t offset_in(const void* base, const void* address) noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                    static_cast<const std::byte*>(base));
  }

  void note_problem(std::string words, ze::result code = ze::success) noexcept {
    const std::lock_guard hold(problem_guard_);
    problem_ = std::move(words);
    problem_code_ = code;
  }

  bool works(const char* call, ze::result code) noexcept {
    if (code == ze::success) [[likely]]
      return true;
    note_problem(text(call, ": ", ze::driver::message(code)), code);
    return false;
  }

  bool make_events() noexcept {
    const ze::pool_terms terms{.count = pool_events};
    ze::event_pool pool = nullptr;
    ze::device_handle visible = place_.device;
    if (!works(ze::driver::pool_create_name,
               driver_.pool_create(context_, &terms, 1, &visible, &pool)))
      return false;
    pools_.push_back(pool);
    for (std::uint32_t index = 0; index < pool_events; ++index) {
      const ze::event_terms event_terms{.index = index};
      ze::event made = nullptr;
      if (!works(ze::driver::event_create_name, driver_.event_create(pool, &event_terms, &made)))
        return !free_events_.empty();
      events_.push_back(made);
      free_events_.push_back(made);
    }
    return true;
  }

  // The events of lists that have gone on.
  void reclaim_events() noexcept {
    std::erase_if(released_, [this](const held_list& each) {
      if (driver_.event_query(each.passed) == ze::not_ready) return false;
      free_events_.insert(free_events_.end(), {each.awaited, each.passed});
      return true;
    });
  }

  bool take_event(ze::event& taken) noexcept {
    if (free_events_.empty()) reclaim_events();
    if (free_events_.empty() && !make_events()) return false;
    taken = free_events_.back();
    if (!works(ze::driver::event_reset_name, driver_.event_reset(taken))) return false;
    free_events_.pop_back();
    return true;
  }

  /// The group of queues that suits copies best: one that only copies, else any that copies.
  bool choose_group(std::uint32_t& ordinal, ze::queue_group_properties& chosen) {
    std::uint32_t count = 0;
    if (!works(ze::driver::queue_groups_name, driver_.queue_groups(place_.device, &count, nullptr)))
      return false;
    std::vector<ze::queue_group_properties> groups(count);
    if (!works(ze::driver::queue_groups_name,
               driver_.queue_groups(place_.device, &count, groups.data())))
      return false;
    ordinal = 0;
    for (std::uint32_t each = 0; each < groups.size(); ++each) {
      if ((groups[each].flags & ze::group_copy) == 0) continue;
      ordinal = each;
      if ((groups[each].flags & ze::group_compute) == 0) break;
    }
    chosen = ordinal < groups.size() ? groups[ordinal] : ze::queue_group_properties{};
    return true;
  }

  bool make_lists() {
    ze::queue_terms terms;
    ze::queue_group_properties group;
    if (!choose_group(terms.ordinal, group)) return false;
    const std::uint32_t queues = std::max(group.queues, std::uint32_t{1});
    terms.flags = queues > 1 ? ze::queue_explicit : 0;
    for (std::uint32_t number = 0; number < copy_directions; ++number) {
      terms.index = number % queues;
      if (!works(ze::driver::list_create_name,
                 driver_.list_create(context_, place_.device, &terms, &copies_[number].list)))
        return false;
    }
    return true;
  }

  /// A list may only be destroyed when it has nothing to do; a device that hangs is left.
  bool drain(copy_queue& queue) const noexcept {
    const std::int64_t until = now_ns() + drain_ns;
    for (ze::event const each : queue.under_way) {
      while (driver_.event_query(each) == ze::not_ready) {
        if (now_ns() > until) return false;
        sched_yield();
      }
    }
    return true;
  }

  void end() noexcept {
    bool is_drained = true;
    for (copy_queue& queue : copies_) {
      if (queue.list == nullptr) continue;
      if (drain(queue)) {
        driver_.list_destroy(queue.list);
      } else {
        is_drained = false;
      }
    }
    if (is_drained) {
      for (ze::event const each : events_) driver_.event_destroy(each);
      for (ze::event_pool const each : pools_) driver_.pool_destroy(each);
    }
  }

  const ze::driver& driver_;
  const ze::place place_;
  ze::context_handle context_ = nullptr;
  std::mutex guard_;  // of the queues and events
  std::array<copy_queue, copy_directions> copies_;
  std::vector<ze::event_pool> pools_;
  std::vector<ze::event> events_;  // all
  std::vector<ze::event> free_events_;
  std::vector<held_list> released_;
  mutable std::mutex problem_guard_;
  std::string problem_;
  ze::result problem_code_ = ze::success;
};

device_description describe_device(const ze::driver& driver, int index) {
  const ze::place& place = driver.devices_found[static_cast<std::size_t>(index)];
  device_description found{.kind = memory_kind::ze,
                           .index = index,
                           .name = place.properties.name.data(),
                           .uuid = place.properties.uuid};
  std::uint32_t count = 0;
  driver.memories(place.device, &count, nullptr);
  std::vector<ze::memory_properties> memories(count);
  driver.memories(place.device, &count, memories.data());
  for (const ze::memory_properties& each : memories) found.bytes += each.bytes;
  return found;
}

}  // namespace

const ze::place* ze_place_of(int index) {
  const auto& devices = ze::open_driver().devices_found;
  const auto place = static_cast<std::size_t>(index);
  return index >= 0 && place < devices.size() ? &devices[place] : nullptr;
}

int ze_index_of(ze::device_handle device) {
  const auto& devices = ze::open_driver().devices_found;
  const auto found = std::ranges::find(devices, device, &ze::place::device);
  return found == devices.end() ? -1 : static_cast<int>(found - devices.begin());
}

ze::context_handle ze_context_of(ze::driver_handle driver) {
  const std::lock_guard hold(contexts().guard);
  return context_in(find_context(driver));
}

void set_ze_context(ze::driver_handle driver, ze::context_handle context) {
  const std::lock_guard hold(contexts().guard);
  driver_context& known = find_context(driver);
  if (known.context != nullptr && known.context != context)
    throw error("a context of Level Zero", "that driver has another one already",
                "set the context before the first device is opened, or its context asked for");
  known.context = context;
}

driver_state describe_ze() {
  const ze::driver& driver = ze::open_driver();
  driver_state state{.kind = memory_kind::ze,
                     .usable = driver.refusal.empty(),
                     .library = ze::library_name,
                     .version = {},
                     .reason = driver.refusal.empty() ? driver.problem : driver.refusal,
                     .devices = {}};
  if (!state.usable) return state;
  state.version = text("Level Zero ", driver.version >> 16, ".", driver.version & 0xffff);
  for (std::size_t index = 0; index < driver.devices_found.size(); ++index)
    state.devices.push_back(describe_device(driver, static_cast<int>(index)));
  return state;
}

std::unique_ptr<device> open_ze(const device_description& description) {
  return std::make_unique<ze_device>(description);
}

bool is_ze_peer(int index, int other) {
  const ze::driver& driver = ze::open_driver();
  const ze::place* const from = ze_place_of(index);
  const ze::place* const to = ze_place_of(other);
  ze::boolean can = 0;
  return from != nullptr && to != nullptr && from->driver == to->driver &&
         driver.can_access_peer(from->device, to->device, &can) == ze::success && can != 0;
}

}  // namespace atl::memory
