// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA devices over the driver interface. A device uses the primary context of the process, which
// is the one that programs over CUDA's runtime use too, so addresses mean the same to both. Each
// direction of copies has a stream that does not wait for the default stream; an event behind each
// copy tells when it is complete.
#pragma once

#include <atoll/memory/device/device_list.hpp>

#include <memory>

namespace atl::memory {

driver_state describe_cuda();
std::unique_ptr<device> open_cuda(const device_description& description);
bool is_cuda_peer(int index, int other);

}  // namespace atl::memory
