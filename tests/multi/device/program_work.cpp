// SPDX-License-Identifier: BSD-3-Clause
//
// A program's work on each kind of device. The calls of CUDA and HIP have the same names and
// parameters in Atoll's tables, except copies. Atoll does not make one call, the wait of a stream
// for an event, which is looked up by name.
#include <tests/multi/device/program_work.hpp>

#include <atoll/base/error.hpp>
#include <atoll/memory/device/cuda_driver.hpp>
#include <atoll/memory/device/hip_driver.hpp>
#include <atoll/memory/device/ze_device.hpp>
#include <atoll/memory/device/ze_driver.hpp>

#include <dlfcn.h>

#include <cstdint>
#include <string>

namespace {

namespace cuda = atl::memory::cuda;
namespace hip = atl::memory::hip;
namespace ze = atl::memory::ze;

template <class Result>
void need(Result code, const char* call) {
  if (code != Result{0})
    throw atl::error("the program's work", std::string(call) + ": " + std::to_string(code), "");
}

struct cuda_work {
  static const auto& driver() { return cuda::open_driver(); }
  static constexpr const char* library = cuda::library_name;
  static constexpr const char* wait_name = "cuStreamWaitEvent";
  static void begin(int index) {
    cuda::context made = nullptr;
    need(driver().retain(&made, index), "cuDevicePrimaryCtxRetain");
    need(driver().push(made), "cuCtxPushCurrent");
  }
  static void end(int index) {
    cuda::context popped = nullptr;
    need(driver().pop(&popped), "cuCtxPopCurrent");
    need(driver().release(index), "cuDevicePrimaryCtxRelease");
  }
  static auto copy(void* stream, void* to, const void* from, std::size_t bytes) {
    return driver().copy(reinterpret_cast<std::uintptr_t>(to),
                         reinterpret_cast<std::uintptr_t>(from), bytes, stream);
  }
};

struct hip_work {
  static const auto& driver() { return hip::open_driver(); }
  static constexpr const char* library = "libamdhip64.so.6";
  static constexpr const char* wait_name = "hipStreamWaitEvent";
  static void begin(int index) { need(driver().set_device(index), "hipSetDevice"); }
  static void end(int) {}
  static auto copy(void* stream, void* to, const void* from, std::size_t bytes) {
    return driver().copy(to, from, bytes, hip::copy_default, stream);
  }
};

template <class Calls>
class stream_work final : public program_work {
 public:
  explicit stream_work(int index) : index_(index) {
    Calls::begin(index);
    void* const library = ::dlopen(Calls::library, RTLD_NOW);
    wait_ = library != nullptr ? reinterpret_cast<wait_call>(::dlsym(library, Calls::wait_name))
                               : nullptr;
    if (wait_ == nullptr) throw atl::error("the program's work", Calls::wait_name, "");
  }
  stream_work(const stream_work&) = delete;
  stream_work& operator=(const stream_work&) = delete;
  ~stream_work() override { Calls::end(index_); }

  void* make_stream() override {
    void* made = nullptr;
    need(calls_.stream_create(&made, 1), "make a stream");
    return made;
  }
  void end_stream(void* stream) override { need(calls_.stream_destroy(stream), "end a stream"); }
  void* make_event() override {
    void* made = nullptr;
    need(calls_.event_create(&made, 2), "make an event");
    return made;
  }
  void end_event(void* event) override { need(calls_.event_destroy(event), "end an event"); }
  void copy(void* stream, void* to, const void* from, std::size_t bytes) override {
    need(Calls::copy(stream, to, from, bytes), "copy");
  }
  void record(void* event, void* stream) override {
    need(calls_.event_record(event, stream), "record");
  }
  void wait_for(void* stream, void* event) override {
    need(wait_(stream, event, 0), Calls::wait_name);
  }
  bool is_complete(void* event) override {
    constexpr int not_ready = 600;
    const int state = calls_.event_query(event);
    if (state != not_ready) need(state, "query");
    return state != not_ready;
  }

 private:
  using wait_call = int (*)(void*, void*, unsigned);

  int index_;
  decltype(Calls::driver()) calls_ = Calls::driver();
  wait_call wait_ = nullptr;
};

class list_work final : public program_work {
 public:
  explicit list_work(int index)
      : calls_(ze::open_driver()),
        place_(*atl::memory::ze_place_of(index)),
        context_(atl::memory::ze_context_of(place_.driver)) {
    const ze::pool_terms terms{.count = events_most};
    ze::device_handle visible = place_.device;
    need(calls_.pool_create(context_, &terms, 1, &visible, &pool_), "zeEventPoolCreate");
  }
  list_work(const list_work&) = delete;
  list_work& operator=(const list_work&) = delete;
  ~list_work() override { calls_.pool_destroy(pool_); }

  void* make_stream() override {
    const ze::queue_terms terms{.ordinal = 1, .flags = ze::queue_explicit};
    ze::command_list made = nullptr;
    need(calls_.list_create(context_, place_.device, &terms, &made), "zeCommandListCreate");
    return made;
  }
  void end_stream(void* stream) override { need(calls_.list_destroy(stream), "end a list"); }
  void* make_event() override {
    const ze::event_terms terms{.index = events_made_++};
    ze::event made = nullptr;
    need(calls_.event_create(pool_, &terms, &made), "zeEventCreate");
    return made;
  }
  void end_event(void* event) override { need(calls_.event_destroy(event), "end an event"); }
  void copy(void* stream, void* to, const void* from, std::size_t bytes) override {
    need(calls_.barrier(stream, nullptr, 0, nullptr), "barrier");
    need(calls_.copy(stream, to, from, bytes, nullptr, 0, nullptr), "copy");
  }
  void record(void* event, void* stream) override {
    need(calls_.event_reset(event), "reset");
    need(calls_.barrier(stream, event, 0, nullptr), "barrier");
  }
  void wait_for(void* stream, void* event) override {
    need(calls_.barrier(stream, nullptr, 1, &event), "barrier");
  }
  bool is_complete(void* event) override {
    const ze::result state = calls_.event_query(event);
    if (state != ze::not_ready) need(state, "query");
    return state != ze::not_ready;
  }

 private:
  static constexpr std::uint32_t events_most = 64;

  const ze::driver& calls_;
  const ze::place place_;
  ze::context_handle context_;
  ze::event_pool pool_ = nullptr;
  std::uint32_t events_made_ = 0;
};

}  // namespace

std::unique_ptr<program_work> work_on(const atl::memory::device& device) {
  const atl::memory::device_description& found = device.description();
  switch (found.kind) {
    case atl::memory::memory_kind::cuda:
      return std::make_unique<stream_work<cuda_work>>(found.index);
    case atl::memory::memory_kind::hip:
      return std::make_unique<stream_work<hip_work>>(found.index);
    default:
      return std::make_unique<list_work>(found.index);
  }
}
