// SPDX-License-Identifier: BSD-3-Clause
//
// Non-blocking transfers (UPC optional library specification 1.3, 7.8). A handle is the record of
// an operation of the core, null when it was complete at once, as all are between threads that
// share memory. A copy of which neither side is mapped here is done at once, and so is memset.
// A handle of several transfers is the address of a list of theirs, plus one.
#include <front/upc/handles.hpp>

#include <upc.h>

#include <atoll/abi.h>
#include <atoll_upc/access.h>
#include <front/upc/address.hpp>
#include <front/upc/pending.hpp>
#include <front/upc/relaxed.hpp>

#include <cstdint>
#include <memory>
#include <utility>

using namespace atl;
using namespace atl::upc;

namespace {

constexpr transfer_options keep_source = {.keeps_source = true};

upc_handle_t handle_of(event& done) noexcept {
  return reinterpret_cast<upc_handle_t>(done.release());
}

// The address of what a transfer reads or writes; completes accesses to it that are under way.
std::byte* place(process_state& us, const char* call, atoll_upc_pointer p, std::size_t n) {
  if (us.relaxed != nullptr) us.relaxed->make_way(p, n);
  return find(us, call, p, n);
}

upc_handle_t get(const char* call, void* dst, atoll_upc_pointer src, std::size_t n) {
  process_state& us = running(call);
  if (n == 0) return UPC_COMPLETE_HANDLE;
  if (us.counted != nullptr) us.counted->add_read(src.thread, n);
  event done;
  get_nb(us.heaps, dst, src.thread, place(us, call, src, n), n, done, keep_source);
  return handle_of(done);
}

upc_handle_t put(const char* call, atoll_upc_pointer dst, const void* src, std::size_t n) {
  process_state& us = running(call);
  if (n == 0) return UPC_COMPLETE_HANDLE;
  if (us.counted != nullptr) us.counted->add_write(dst.thread, n);
  event done;
  put_nb(us.heaps, dst.thread, place(us, call, dst, n), src, n, done, keep_source);
  return handle_of(done);
}

// A line that was fetched while a transfer was under way may lack what it wrote.
void drop_kept() noexcept {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
}

using handle_list = std::vector<upc_handle_t>;

bool is_list(upc_handle_t handle) noexcept {
  return (reinterpret_cast<std::uintptr_t>(handle) & 1) != 0;
}
handle_list* list_of(upc_handle_t handle) noexcept {
  return reinterpret_cast<handle_list*>(reinterpret_cast<std::uintptr_t>(handle) - 1);
}

bool test(upc_handle_t handle) {
  event done(reinterpret_cast<operation*>(handle));
  if (running("upc_sync_attempt").runtime.test(done)) return true;
  static_cast<void>(done.release());
  return false;
}

bool test_list(handle_list& list) {
  std::erase_if(list, test);
  return list.empty();
}

void* mapped(const char* call, atoll_upc_pointer p, std::size_t n) {
  process_state& us = running(call);
  return us.heaps.routes()[p.thread].direct(find(us, call, p, n), n);
}

}  // namespace

upc_handle_t upc_memget_nb(void* dst, atoll_upc_pointer src, std::size_t n) {
  return get("upc_memget_nb", dst, src, n);
}

upc_handle_t upc_memput_nb(atoll_upc_pointer dst, const void* src, std::size_t n) {
  return put("upc_memput_nb", dst, src, n);
}

upc_handle_t upc_memcpy_nb(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  static constexpr const char* call = "upc_memcpy_nb";
  if (n == 0) return UPC_COMPLETE_HANDLE;
  if (void* const address = mapped(call, dst, n); address != nullptr)
    return get(call, address, src, n);
  if (const void* const address = mapped(call, src, n); address != nullptr) {
    return put(call, dst, address, n);
  }
  upc_memcpy(dst, src, n);
  return UPC_COMPLETE_HANDLE;
}

upc_handle_t upc_memset_nb(atoll_upc_pointer dst, int c, std::size_t n) {
  upc_memset(dst, c, n);
  return UPC_COMPLETE_HANDLE;
}

void upc_memget_nbi(void* dst, atoll_upc_pointer src, std::size_t n) {
  process_state& us = running("upc_memget_nbi");
  if (n == 0) return;
  if (us.region) return us.region->push_back(get("upc_memget_nbi", dst, src, n));
  if (us.counted != nullptr) us.counted->add_read(src.thread, n);
  std::byte* const from = place(us, "upc_memget_nbi", src, n);
  get_in(us.pending, us.heaps, dst, src.thread, from, n);
}

void upc_memput_nbi(atoll_upc_pointer dst, const void* src, std::size_t n) {
  process_state& us = running("upc_memput_nbi");
  if (n == 0) return;
  if (us.region) return us.region->push_back(put("upc_memput_nbi", dst, src, n));
  if (us.counted != nullptr) us.counted->add_write(dst.thread, n);
  std::byte* const to = place(us, "upc_memput_nbi", dst, n);
  put_in(us.pending, us.heaps, dst.thread, to, src, n, true);
}

void upc_memcpy_nbi(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  static constexpr const char* call = "upc_memcpy_nbi";
  if (n == 0) return;
  if (void* const address = mapped(call, dst, n); address != nullptr) {
    upc_memget_nbi(address, src, n);
  } else if (const void* const own = mapped(call, src, n); own != nullptr) {
    upc_memput_nbi(dst, own, n);
  } else {
    upc_memcpy(dst, src, n);
  }
}

void upc_memset_nbi(atoll_upc_pointer dst, int c, std::size_t n) { upc_memset(dst, c, n); }

void upc_sync(upc_handle_t handle) {
  if (handle == UPC_COMPLETE_HANDLE) return;
  if (is_list(handle)) {
    const std::unique_ptr<handle_list> list(list_of(handle));
    for (upc_handle_t each : *list) upc_sync(each);
    return;
  }
  event done(reinterpret_cast<operation*>(handle));
  running("upc_sync").runtime.wait(done);
  drop_kept();
}

int upc_sync_attempt(upc_handle_t handle) {
  if (handle == UPC_COMPLETE_HANDLE) return 1;
  if (!(is_list(handle) ? test_list(*list_of(handle)) : test(handle))) return 0;
  if (is_list(handle)) delete list_of(handle);
  drop_kept();
  return 1;
}

void upc_synci() {
  running("upc_synci").pending.wait();
  drop_kept();
}

int upc_synci_attempt() {
  if (!running("upc_synci_attempt").pending.test()) return 0;
  drop_kept();
  return 1;
}

namespace atl::upc {

upc_handle_t join(std::vector<upc_handle_t> handles) {
  std::erase(handles, UPC_COMPLETE_HANDLE);
  if (handles.empty()) return UPC_COMPLETE_HANDLE;
  if (handles.size() == 1) return handles.front();
  auto list = std::make_unique<handle_list>(std::move(handles));
  return reinterpret_cast<upc_handle_t>(reinterpret_cast<std::uintptr_t>(list.release()) + 1);
}

}  // namespace atl::upc
