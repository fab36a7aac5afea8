// SPDX-License-Identifier: BSD-3-Clause
//
// All of UPC++: one header per chapter of the specification.
#pragma once

#if __cplusplus < 201703L
#error \
    "UPC++ on Atoll needs C++17: compile by `upcxx`, or with -std=c++17 or later (g++ 11, clang++ 14, or newer)"
#endif

// The headers are in C++17 but for [[likely]], of which clang++ warns there when asked for
// -pedantic.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++20-attribute-extensions"
#endif

#include <upcxx/allocate.hpp>
#include <upcxx/atomic.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/copy.hpp>
#include <upcxx/coroutine.hpp>
#include <upcxx/device_allocator.hpp>
#include <upcxx/diagnostic.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/init.hpp>
#include <upcxx/memberof.hpp>
#include <upcxx/nontrivial.hpp>
#include <upcxx/operations.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/promise.hpp>
#include <upcxx/reduce.hpp>
#include <upcxx/reference_names.hpp>
#include <upcxx/relocation.hpp>
#include <upcxx/rget.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/say.hpp>
#include <upcxx/serialization.hpp>
#include <upcxx/team.hpp>
#include <upcxx/version.hpp>
#include <upcxx/vis.hpp>
#include <upcxx/when_all.hpp>

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

namespace atl::upcxx_front {
// Here and not in a chapter's header, since the library includes those itself.
inline const bool is_expected = expect();
}  // namespace atl::upcxx_front

// Programs rely on these.
#include <cassert>
#include <climits>
#include <cmath>
#include <forward_list>
#include <iomanip>
#include <numeric>
