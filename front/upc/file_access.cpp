// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing of files (UPC optional library specification 1.3, 7.9.5 to 7.9.8). Each call
// becomes a request: places of the file, and regions of memory. With a common file pointer each
// thread does one part of the file, in pieces of whole elements, whatever thread has the memory.
//
// The blocking forms begin the operation and complete it at once. Asynchronous forms use another
// thread, except in two cases, in which they block too: with strong consistency, which makes an
// operation atomic by a lock of the file, and for memory that is reached by messages.
#include <upc_io.h>

#include <atoll/coll/collectives.hpp>
#include <front/upc/collective.hpp>
#include <front/upc/file.hpp>
#include <front/upc/locks.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

namespace atl::upc {
namespace {

struct call_options {
  const char* name;
  bool writes;
  bool is_asynchronous;
  upc_flag_t flags;
};

void enter(process_state& us, upc_flag_t flags) {
  if ((flags & UPC_IN_NOSYNC) == 0) us.world->barrier();
}

void leave(process_state& us, upc_flag_t flags) {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  if ((flags & UPC_OUT_NOSYNC) == 0) us.world->barrier();
}

upc_off_t fail_with(int error) noexcept {
  errno = error;
  return -1;
}

file_result do_transfer(process_state& us, const open_file& file, const file_request& request) {
  if (!file.is_strong()) return transfer(request);
  us.locks->lock(file.guard);
  const file_result done = transfer(request);
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  us.locks->unlock(file.guard);
  return done;
}

/// Sums what the threads have done of one operation.
file_result combined(process_state& us, const file_result& own) {
  std::array<std::int64_t, 1> bytes = {std::max<std::int64_t>(own.bytes, 0)};
  std::array<std::int32_t, 1> error = {own.error};
  coll::allreduce(*us.world, bytes.data(), bytes.data(), 1,
                  coll::built_in(coll::reduce_operation::add, data_type::i64));
  coll::allreduce(*us.world, error.data(), error.data(), 1,
                  coll::built_in(coll::reduce_operation::max, data_type::i32));
  return error[0] != 0 ? file_result{-1, error[0]} : file_result{bytes[0], 0};
}

upc_off_t complete(process_state& us, open_file& file) {
  pending_operation& pending = file.pending;
  file_result done = pending.running.valid() ? pending.running.get() : pending.result;
  if (pending.is_common) done = combined(us, done);
  pending.is_outstanding = false;
  if (pending.moves_pointer && done.error == 0) file.position += done.bytes;
  leave(us, pending.flags);
  return done.error != 0 ? fail_with(done.error) : done.bytes;
}

/// Begins an operation; blocking forms complete it too.
upc_off_t begin(process_state& us, open_file& file, const call_options& call, file_request request,
                pending_operation kind) {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  kind.flags = file.is_strong() ? 0 : call.flags;
  kind.is_outstanding = true;
  enter(us, kind.flags);
  request.descriptor = file.descriptor;
  request.writes = call.writes;
  if (call.is_asynchronous && us.all_direct && us.heaps.inline_ranks() != 0 && !file.is_strong()) {
    kind.running = std::async(std::launch::async,
                              [request = std::move(request)] { return transfer(request); });
  } else {
    kind.result = do_transfer(us, file, request);
  }
  file.pending = std::move(kind);
  return call.is_asynchronous ? 0 : complete(us, file);
}

/// Reports a call that cannot succeed: at once, or through the function that completes it.
upc_off_t begin_failed(open_file& file, const call_options& call, int error) {
  if (!call.is_asynchronous) return fail_with(error);
  file.pending = {};
  file.pending.is_outstanding = true;
  file.pending.flags = UPC_IN_NOSYNC | UPC_OUT_NOSYNC;
  file.pending.result = {-1, error};
  return -1;
}

/// 0, or the reason why the file cannot be used in this way.
int refusal(const open_file& file, const call_options& call) noexcept {
  return (call.writes ? file.can_write() : file.can_read()) ? 0 : EBADF;
}

upc_off_t access_local(const call_options& call, atoll_upc_pointer fd, void* buffer,
                       std::size_t bytes) {
  process_state& us = running(call.name);
  open_file* const file = idle_file_of(call.name, us, fd);
  if (file == nullptr) return -1;
  const int error = file->is_common() ? EINVAL : refusal(*file, call);
  if (error != 0) return begin_failed(*file, call, error);
  file_request request;
  request.places = {{file->position, bytes}};
  request.memory = {{.local = static_cast<char*>(buffer), .bytes = bytes}};
  pending_operation kind;
  kind.moves_pointer = true;
  return begin(us, *file, call, std::move(request), std::move(kind));
}

struct elements {
  atoll_upc_pointer buffer;
  std::size_t block;
  std::size_t size;
  std::size_t count;
};

/// The part of the bytes that this thread does: whole elements, in the order of threads.
upc_filevec_t own_part(const process_state& us, const elements& asked) {
  const std::size_t first = asked.count * us.rank() / us.size();
  const std::size_t end = asked.count * (us.rank() + std::size_t{1}) / us.size();
  return {static_cast<upc_off_t>(first * asked.size), (end - first) * asked.size};
}

upc_off_t access_shared(const call_options& call, atoll_upc_pointer fd, const elements& asked) {
  process_state& us = running(call.name);
  open_file* const file = idle_file_of(call.name, us, fd);
  if (file == nullptr) return -1;
  if (const int error = refusal(*file, call); error != 0) return begin_failed(*file, call, error);
  const std::size_t bytes = asked.size * asked.count;
  pending_operation kind;
  kind.moves_pointer = true;
  kind.is_common = file->is_common();
  upc_filevec_t place = {0, bytes};
  if (file->is_common()) place = own_part(us, asked);
  file_request request;
  request.skipped = static_cast<std::size_t>(place.offset);
  place.offset += file->position;
  request.places = {place};
  request.memory = {
      {.shared = asked.buffer, .block_bytes = asked.block * asked.size, .bytes = bytes}};
  return begin(us, *file, call, std::move(request), std::move(kind));
}

/// The lists of a list function as a request; nothing when their lengths differ.
std::optional<file_request> lists(std::vector<memory_region> memory, std::size_t entries,
                                  const upc_filevec_t* places) {
  file_request request;
  std::size_t memory_bytes = 0;
  std::size_t file_bytes = 0;
  std::erase_if(memory, [](const memory_region& each) { return each.bytes == 0; });
  for (const memory_region& each : memory) memory_bytes += each.bytes;
  for (std::size_t i = 0; i < entries; ++i) {
    file_bytes += places[i].len;
    if (places[i].len != 0) request.places.push_back(places[i]);
  }
  if (memory_bytes != file_bytes) return std::nullopt;
  request.memory = std::move(memory);
  return request;
}

upc_off_t access_list(const call_options& call, atoll_upc_pointer fd,
                      std::optional<file_request> request) {
  process_state& us = running(call.name);
  open_file* const file = idle_file_of(call.name, us, fd);
  if (file == nullptr) return -1;
  const int error = !request ? EINVAL : refusal(*file, call);
  if (error != 0) return begin_failed(*file, call, error);
  return begin(us, *file, call, std::move(*request), {});
}

std::vector<memory_region> regions_of(std::size_t entries, const upc_local_memvec_t* memory) {
  std::vector<memory_region> regions;
  for (std::size_t i = 0; i < entries; ++i) {
    regions.push_back({.local = static_cast<char*>(memory[i].baseaddr), .bytes = memory[i].len});
  }
  return regions;
}

std::vector<memory_region> regions_of(std::size_t entries, const upc_shared_memvec_t* memory) {
  std::vector<memory_region> regions;
  for (std::size_t i = 0; i < entries; ++i) {
    regions.push_back(
        {.shared = memory[i].baseaddr, .block_bytes = memory[i].blocksize, .bytes = memory[i].len});
  }
  return regions;
}

open_file* outstanding_file(const char* call, process_state& us, atoll_upc_pointer fd) {
  open_file* const file = file_of(us, fd);
  if (file != nullptr && !file->pending.is_outstanding) {
    refuse(call, "no asynchronous operation is outstanding on the file",
           "begin one before it is waited for");
  }
  return file;
}

bool all_have(process_state& us, bool own) {
  std::int32_t least = own ? 1 : 0;
  coll::allreduce(*us.world, &least, &least, 1,
                  coll::built_in(coll::reduce_operation::min, data_type::i32));
  return least != 0;
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

// Each function and its asynchronous form.
#define ATOLL_UPC_FILE_ACCESS(NAME, WRITES, PARAMETERS, PERFORM, ...)           \
  upc_off_t upc_all_##NAME PARAMETERS {                                         \
    return PERFORM({"upc_all_" #NAME, WRITES, false, flags}, fd, __VA_ARGS__);  \
  }                                                                             \
  void upc_all_##NAME##_async PARAMETERS {                                      \
    PERFORM({"upc_all_" #NAME "_async", WRITES, true, flags}, fd, __VA_ARGS__); \
  }
#define ATOLL_UPC_LOCAL_ACCESS(NAME, WRITES)                                                       \
  ATOLL_UPC_FILE_ACCESS(                                                                           \
      NAME, WRITES,                                                                                \
      (atoll_upc_pointer fd, void* buffer, std::size_t size, std::size_t nmemb, upc_flag_t flags), \
      access_local, buffer, size* nmemb)
#define ATOLL_UPC_SHARED_ACCESS(NAME, WRITES)                                                   \
  ATOLL_UPC_FILE_ACCESS(NAME, WRITES,                                                           \
                        (atoll_upc_pointer fd, atoll_upc_pointer buffer, std::size_t blocksize, \
                         std::size_t size, std::size_t nmemb, upc_flag_t flags),                \
                        access_shared, {buffer, blocksize, size, nmemb})
#define ATOLL_UPC_LIST_ACCESS(NAME, WRITES, KIND)                                         \
  ATOLL_UPC_FILE_ACCESS(                                                                  \
      NAME, WRITES,                                                                       \
      (atoll_upc_pointer fd, std::size_t memvec_entries, const struct KIND* memvec,       \
       std::size_t filevec_entries, const struct upc_filevec* filevec, upc_flag_t flags), \
      access_list, lists(regions_of(memvec_entries, memvec), filevec_entries, filevec))

ATOLL_UPC_LOCAL_ACCESS(fread_local, false)
ATOLL_UPC_LOCAL_ACCESS(fwrite_local, true)
ATOLL_UPC_SHARED_ACCESS(fread_shared, false)
ATOLL_UPC_SHARED_ACCESS(fwrite_shared, true)
ATOLL_UPC_LIST_ACCESS(fread_list_local, false, upc_local_memvec)
ATOLL_UPC_LIST_ACCESS(fwrite_list_local, true, upc_local_memvec)
ATOLL_UPC_LIST_ACCESS(fread_list_shared, false, upc_shared_memvec)
ATOLL_UPC_LIST_ACCESS(fwrite_list_shared, true, upc_shared_memvec)

upc_off_t upc_all_fwait_async(atoll_upc_pointer fd) {
  process_state& us = running("upc_all_fwait_async");
  open_file* const file = outstanding_file("upc_all_fwait_async", us, fd);
  return file == nullptr ? -1 : complete(us, *file);
}

upc_off_t upc_all_ftest_async(atoll_upc_pointer fd, int* flag) {
  process_state& us = running("upc_all_ftest_async");
  open_file* const file = outstanding_file("upc_all_ftest_async", us, fd);
  if (file == nullptr) return -1;
  const bool own =
      !file->pending.running.valid() ||
      file->pending.running.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  *flag = all_have(us, own) ? 1 : 0;
  return *flag != 0 ? complete(us, *file) : 0;
}
