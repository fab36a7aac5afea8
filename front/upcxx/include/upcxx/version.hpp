// SPDX-License-Identifier: BSD-3-Clause
//
// UPC++ on Atoll: which revision of the specification this is written for, which interface of the
// implementation it is, and how this translation unit is compiled. All are plain integer literals,
// so that a program can test them in the preprocessor. Spec: chapter 2, version macros.
//
// There is one library, so the modes of other implementations are only what a program may assume:
// clang-format off
//   UPCXX_THREADMODE        defined: any thread may communicate; undefined where the program was
//                           compiled with -DATOLL_UPCXX_SEQ, which changes nothing else
//   UPCXX_ASSERT_ENABLED    0 with NDEBUG, else 1; a program may define it before
//   UPCXX_CODEMODE          defined where UPCXX_ASSERT_ENABLED is 0
//   UPCXX_NETWORK_ATOLL     the network is chosen when the program runs
//   UPCXX_KIND_CUDA         cuda_device can have devices; which there are is known when the program
//                           runs. Programs often include CUDA's own headers where it is defined;
//                           ATOLL_UPCXX_NO_CUDA leaves it undefined, and changes nothing else
//   UPCXX_KIND_HIP, _ZE     the same for hip_device and ze_device, where the vendor's headers are
//                           found as well; ATOLL_UPCXX_HIP and ATOLL_UPCXX_ZE define them anyway
// clang-format on
#pragma once

#define UPCXX_SPEC_VERSION 20230900L
#define UPCXX_VERSION 20230900L

#define UPCXX_NETWORK_ATOLL 1

#undef UPCXX_KIND_CUDA
#ifndef ATOLL_UPCXX_NO_CUDA
#define UPCXX_KIND_CUDA 202309L
#endif
#undef UPCXX_KIND_HIP
#if defined(ATOLL_UPCXX_HIP) || __has_include(<hip/hip_runtime_api.h>)
#define UPCXX_KIND_HIP 202309L
#endif
#undef UPCXX_KIND_ZE
#if defined(ATOLL_UPCXX_ZE) || __has_include(<level_zero/ze_api.h>)
#define UPCXX_KIND_ZE 202309L
#endif

#ifndef ATOLL_UPCXX_SEQ
#undef UPCXX_THREADMODE
#define UPCXX_THREADMODE 1
#endif

#ifndef UPCXX_ASSERT_ENABLED
#ifdef NDEBUG
#define UPCXX_ASSERT_ENABLED 0
#else
#define UPCXX_ASSERT_ENABLED 1
#endif
#endif

#undef UPCXX_CODEMODE
#if !UPCXX_ASSERT_ENABLED
#define UPCXX_CODEMODE 1
#endif

namespace upcxx {

/// The same two numbers of the library that the program runs with.
long release_version() noexcept;
long spec_version() noexcept;

}  // namespace upcxx
