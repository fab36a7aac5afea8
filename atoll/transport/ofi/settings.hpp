// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of the transport on libfabric. settings.cpp belongs to the layer and not to the
// module, so that they are checked and shown where the module is not loaded.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row ofi_provider{
    .name = "ATOLL_OFI_PROVIDER",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "libfabric's providers, best first, as in net,udp@eth1; empty: the best there is"};

inline constexpr setting_row ofi_interface{
    .name = "ATOLL_OFI_INTERFACE",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "network interface or libfabric domain (eth0); empty: by where the ranks are"};

inline constexpr setting_row ofi_transfers{
    .name = "ATOLL_OFI_TRANSFERS",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,native,am",
    .help = "puts and gets over libfabric: the provider's own (auto: where fast), or messages"};

inline constexpr setting_row ofi_atomics{
    .name = "ATOLL_OFI_ATOMICS",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,native,messages",
    .help = "atomics over libfabric: the provider's own (auto: where hardware does them), or not"};

inline constexpr setting_row ofi_window{
    .name = "ATOLL_OFI_WINDOW",
    .kind = setting_kind::number,
    .default_value = "16",
    .min = 4,
    .max = 1024,
    .unit = "packets",
    .help = "packets under way to one rank, of requests and of replies"};

inline constexpr setting_row ofi_inject{
    .name = "ATOLL_OFI_INJECT",
    .kind = setting_kind::bytes,
    .default_value = "64K",
    .help = "longest message that the provider takes along at once, if it can; 0: none"};

inline constexpr setting_row ofi_memory{
    .name = "ATOLL_OFI_MEMORY",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,local,refused",
    .help = "registering memory: what the provider asks for, all buffers, or (for tests) no heap"};

inline constexpr setting_row ofi_devices{
    .name = "ATOLL_OFI_DEVICES",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,yes,no",
    .help = "memory of devices is registered where the provider can (auto: if there are devices)"};

inline constexpr setting_row ofi_cache_bytes{
    .name = "ATOLL_OFI_CACHE_BYTES",
    .kind = setting_kind::bytes,
    .default_value = "1G",
    .help = "buffers outside of the heap that stay registered, together; 0: none"};

inline constexpr setting_row ofi_cache_entries{
    .name = "ATOLL_OFI_CACHE_ENTRIES",
    .kind = setting_kind::number,
    .default_value = "512",
    .min = 1,
    .max = 65536,
    .unit = "buffers",
    .help = "how many buffers outside of the heap stay registered"};

}  // namespace atl::setting
