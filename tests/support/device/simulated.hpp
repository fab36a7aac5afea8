// SPDX-License-Identifier: BSD-3-Clause
//
// Simulated devices for tests: a libcuda.so.1, a libamdhip64.so and a libze_loader.so.1 with the
// calls that Atoll makes. Programs see device memory as a range that the processor may not touch,
// so a stray access faults; the bytes lie in a memory file that only the library maps elsewhere.
// Copies are done later, by a thread per stream, in the order of the stream, with a bandwidth and a
// latency that can be set. Each library simulates its devices alone, so a copy that names memory of
// another kind faults too.
//
// The environment says what is simulated (options, below). Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simulated {

// Error codes as cuda.h numbers them.
inline constexpr int success = 0;
inline constexpr int invalid_value = 1;
inline constexpr int out_of_memory = 2;
inline constexpr int device_unavailable = 46;
inline constexpr int no_device = 100;
inline constexpr int invalid_device = 101;
inline constexpr int invalid_context = 201;
inline constexpr int peer_access_unsupported = 217;
inline constexpr int invalid_handle = 400;
inline constexpr int not_ready = 600;
inline constexpr int illegal_address = 700;
inline constexpr int already_registered = 712;
inline constexpr int not_registered = 713;
inline constexpr int launch_failed = 719;
inline constexpr int not_permitted = 800;
inline constexpr int not_supported = 801;

/// A call that fails with a code when it is made for the `time`-th time.
struct failing_call {
  std::string call;
  int time = 0;
  int code = 0;
  bool stays_lost = false;
};

/// TESTDEV_KINDS (those that have devices: cuda, hip, ze, with commas between; cuda alone if
/// unset), _DEVICES (of each kind), _VERSION (of CUDA), _HIP_VERSION, _HANDLES (`opaque`: those of
/// ze name the process, and the library fetches the descriptor itself), _BYTES (of each device),
/// _PINNED (bytes of pinned memory), _BANDWIDTH (bytes a second and direction; 0: no limit),
/// _LATENCY_NS, _PEERS (a row of 0 and 1 per device, with commas between; empty: all are peers),
/// _IPC (0: refused; 2: handles are given, but cannot be opened, as between containers), _MOVES
/// (0: copies take their time by the clock and move nothing, so that they use no core while a test
/// measures), _FAIL (call:which:code[:lost], with commas between: the calls that fail;
/// `lost`: all later ones too).
struct options {
  std::vector<std::string> kinds;
  int devices = 2;
  int version = 12040;
  int hip_version = 60'200'000;
  bool opaque_handles = false;
  std::uint64_t bytes = std::uint64_t{1} << 30;
  std::uint64_t pinned = std::uint64_t{1} << 28;
  std::uint64_t bandwidth = 0;
  std::uint64_t latency_ns = 0;
  std::vector<std::string> peers;
  bool exports = true;
  bool opens = true;
  bool moves = true;
  std::vector<failing_call> failures;
};
const options& chosen();

/// The devices of a kind.
int devices_of(const char* kind);

/// Counts a call and returns the code with which it fails, or success. A call that does not touch
/// the device works on a lost one too, unless it is named.
enum class touches : bool { nothing, the_device };
int refusal_of(const char* call, touches what = touches::the_device);

bool are_peers(int device, int other);

// --- memory -------------------------------------------------------------------------------------

/// The handle of an allocation for other processes; 64 bytes, as the driver's.
struct handle {
  std::int32_t process;  // 0: the descriptor is of this process
  std::int32_t descriptor;
  std::int32_t device;
  std::int32_t unused;
  std::uint64_t bytes;
  std::array<char, 40> rest;
};
static_assert(sizeof(handle) == 64);

int allocate(int device, std::size_t bytes, std::uintptr_t& made);
int free_memory(std::uintptr_t base);
int export_memory(std::uintptr_t base, handle& exported);
int open_memory(int device, const handle& exported, std::uintptr_t& opened);
int close_memory(std::uintptr_t base);
/// The allocation around an address: its device, base and size; false when there is none.
bool find_memory(std::uintptr_t address, int& device, std::uintptr_t& base, std::size_t& bytes);

/// The bytes behind a range that programs see: those of the memory file for device memory, the
/// address itself for host memory. Null when the range leaves its allocation, or its owner has
/// freed it.
std::byte* bytes_behind(std::uintptr_t address, std::size_t bytes, bool& on_device);

/// For a test network that has registered such memory: the address at which the processor can read
/// the bytes. Null when they are not memory of a simulated device.
extern "C" __attribute__((visibility("default"))) void* testdev_reach(const void* address,
                                                                      std::size_t bytes);

int pin(std::size_t bytes, void*& made);
int unpin(void* memory);
/// Pins host memory of the program; and ends that.
int register_host(void* memory, std::size_t bytes);
int unregister_host(void* memory);
bool is_pinned(std::uintptr_t address);
/// Whether a range of host memory is pinned, not pinned, or partly pinned, which drivers refuse to
/// copy.
enum class pinning { none, whole, part };
pinning pinning_of(std::uintptr_t address, std::size_t bytes);

// --- streams ------------------------------------------------------------------------------------

struct stream;
struct event;
/// For test programs, in place of a kernel: calls a function after all work on a stream.
extern "C" __attribute__((visibility("default"))) void testdev_launch(void* in, void (*run)(void*),
                                                                      void* context);
stream* make_stream(int device);
/// The stream of a handle; for null, the device's default stream.
stream& stream_of(void* handle, int device);
void end_stream(stream* ended);

/// The longest pitch that a copy of rows may have; the smallest among real devices is larger.
inline constexpr std::size_t pitch_most = std::size_t{1} << 20;
/// A copy of `rows` rows.
struct copy_order {
  std::uintptr_t to = 0;
  std::uintptr_t from = 0;
  std::size_t bytes = 0;
  std::size_t rows = 1;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;
};
int enqueue_copy(stream& in, const copy_order& order);
/// As in CUDA and HIP, the call waits for a copy to host memory that is not pinned, for a large
/// copy from such memory, and for all work that is on the stream before it.
int enqueue_copy_as_call(stream& in, const copy_order& order);
/// The stream stops here until the word is at least this.
void enqueue_wait(stream& in, const std::uint32_t* word, std::uint32_t least);
event* make_event();
void end_event(event* ended);
/// All that follows on the stream happens after the event.
void enqueue_wait(stream& in, const event& awaited);
/// Makes the event as one that was never recorded, except that query() returns not_ready.
void reset(event& mark);
/// Completes the event from the processor.
void set(event& mark);
void record(event& mark, stream& in);
/// success, not_ready, or the error of the stream.
int query(const event& mark);

}  // namespace simulated
