// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that are compiled into programs, in one list. It serves two purposes. A tool that
// replaces one of them is found by name. And inline code of clang calls the library through a
// pointer per function: if it called its own name, as inline code of gcc does, clang would see a
// recursion and inline nothing. The loader fills the pointers as it binds calls, so they lead to a
// tool's function where there is one.
#include <front/shmem/entry.hpp>
#include <front/shmem/inlined.hpp>

#include <dlfcn.h>

// clang-format off
#define INLINED_RMA(X, T, TYPE) \
  X(T##_p) X(ctx_##T##_p) X(T##_g) X(ctx_##T##_g) \
  X(T##_put) X(ctx_##T##_put) X(T##_get) X(ctx_##T##_get)
#define INLINED_SIZED(X, SIZE) \
  X(put##SIZE) X(ctx_put##SIZE) X(get##SIZE) X(ctx_get##SIZE)
#define INLINED_AMO(X, T, TYPE) \
  X(T##_atomic_fetch) X(ctx_##T##_atomic_fetch) X(T##_atomic_set) X(ctx_##T##_atomic_set) \
  X(T##_atomic_swap) X(ctx_##T##_atomic_swap) \
  X(T##_atomic_compare_swap) X(ctx_##T##_atomic_compare_swap) \
  X(T##_atomic_fetch_add) X(ctx_##T##_atomic_fetch_add) \
  X(T##_atomic_add) X(ctx_##T##_atomic_add) \
  X(T##_atomic_fetch_inc) X(ctx_##T##_atomic_fetch_inc) \
  X(T##_atomic_inc) X(ctx_##T##_atomic_inc)
#define INLINED_BITWISE(X, T, TYPE) \
  X(T##_atomic_fetch_and) X(ctx_##T##_atomic_fetch_and) X(T##_atomic_and) X(ctx_##T##_atomic_and) \
  X(T##_atomic_fetch_or) X(ctx_##T##_atomic_fetch_or) X(T##_atomic_or) X(ctx_##T##_atomic_or) \
  X(T##_atomic_fetch_xor) X(ctx_##T##_atomic_fetch_xor) X(T##_atomic_xor) X(ctx_##T##_atomic_xor)
#define INLINED(X) \
  ATOLL_SHMEM_RMA(INLINED_RMA, X) \
  INLINED_SIZED(X, mem) INLINED_SIZED(X, 8) INLINED_SIZED(X, 16) \
  INLINED_SIZED(X, 32) INLINED_SIZED(X, 64) INLINED_SIZED(X, 128) \
  ATOLL_SHMEM_AMO(INLINED_AMO, X) \
  ATOLL_SHMEM_BITWISE(INLINED_BITWISE, X)

extern "C" {
#define POINTER(NAME) \
  extern decltype(&shmem_##NAME) const atoll_shmem_library_##NAME; \
  decltype(&shmem_##NAME) const atoll_shmem_library_##NAME = &shmem_##NAME;
INLINED(POINTER)
}

namespace atl::shmem {
namespace {

bool is_own(const char* name, const void* own) noexcept {
  const void* const found = ::dlsym(RTLD_DEFAULT, name);
  return found == nullptr || found == own;
}

}  // namespace

bool a_tool_replaces_functions() noexcept {
  bool all_own = true;
#define OWN(NAME) all_own = all_own && is_own("shmem_" #NAME, reinterpret_cast<const void*>(&pshmem_##NAME));
  INLINED(OWN)
  return !all_own;
}

}  // namespace atl::shmem
// clang-format on
