// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of the runtime.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row verbose{
    .name = "ATOLL_VERBOSE",
    .kind = setting_kind::number,
    .default_value = "1",
    .max = 3,
    .help = "messages on standard error: 0 errors, 1 and warnings, 2 and notes, 3 and details"};

inline constexpr setting_row checks{
    .name = "ATOLL_CHECKS",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,light,normal,heavy",
    .help = "how much is checked; light, and auto in optimised programs, go on after some misuse"};

inline constexpr setting_row threads{
    .name = "ATOLL_THREADS",
    .kind = setting_kind::choice,
    .default_value = "any",
    .choices = "single,funnelled,any",
    .help = "which threads may communicate: the only one, the one that started, or any"};

inline constexpr setting_row progress_thread{
    .name = "ATOLL_PROGRESS_THREAD",
    .kind = setting_kind::flag,
    .default_value = "0",
    .help = "a thread that runs incoming work while the program computes, and sleeps when idle"};

inline constexpr setting_row barrier{
    .name = "ATOLL_BARRIER",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,flags,counter,am",
    .help = "barrier within a host: a flag of each rank, one counter, or active messages"};

inline constexpr setting_row barrier_radix{
    .name = "ATOLL_BARRIER_RADIX",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
    .help = "radix of barriers by messages; auto: that of the tuned table, or else 2"};

inline constexpr setting_row neighbourhood{
    .name = "ATOLL_NEIGHBOURHOOD",
    .kind = setting_kind::number,
    .default_value = "0",
    .max = settable_ranks_max,
    .unit = "ranks",
    .help = "consecutive ranks that reach each other's memory; 0: all ranks of a host"};

inline constexpr setting_row wait{
    .name = "ATOLL_WAIT",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,spin,yield,sleep",
    .help = "how a rank waits; auto spins, then yields, then sleeps, by cores per rank"};

inline constexpr setting_row device_path{
    .name = "ATOLL_DEVICE_PATH",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,staged",
    .help = "memory of devices between ranks: directly where that can be, or always staged"};

inline constexpr setting_row device_pin{
    .name = "ATOLL_DEVICE_PIN",
    .kind = setting_kind::choice,
    .default_value = "no",
    .choices = "no,heaps",
    .help = "heaps: pin the shared heaps of all ranks of the host, for copies of devices"};

inline constexpr setting_row device_chunk{
    .name = "ATOLL_DEVICE_CHUNK",
    .kind = setting_kind::bytes,
    .default_value = "512K",
    .min = 4096,
    .max = std::uint64_t{1} << 30,
    .help = "most bytes of a chunk in which transfers of device memory are staged"};

inline constexpr setting_row device_staging{
    .name = "ATOLL_DEVICE_STAGING",
    .kind = setting_kind::bytes,
    .default_value = "8M",
    .min = 8192,
    .max = std::uint64_t{1} << 36,
    .help = "most bytes of pinned host memory per device through which transfers are staged"};

}  // namespace atl::setting
