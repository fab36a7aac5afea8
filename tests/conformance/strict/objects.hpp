// SPDX-License-Identifier: BSD-3-Clause
//
// The strict provider's objects: each wraps one of the worker, the provider that does the work. The
// part that libfabric sees comes first in each, so that a pointer to it is a pointer to the whole.
#pragma once

#include <tests/conformance/strict/rules.hpp>

#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>

namespace strict {

inline constexpr const char* worker = "net";  // the provider that does the work: tcp

struct fabric {
  fid_fabric front{};
  fid_fabric* inner = nullptr;
  const profile* shown = nullptr;
};

struct domain {
  explicit domain(const profile& hardware) noexcept : kept(hardware) {}
  fid_domain front{};
  fid_domain* inner = nullptr;
  rules kept;
  bool takes_devices = false;  // FI_HMEM was requested
};

struct endpoint {
  fid_ep front{};
  fid_ep* inner = nullptr;
  domain* owner = nullptr;
};

/// How a completion queue breaks after a while, by FI_STRICT_BREAKS: "overrun", or "undescribed",
/// an error without an entry to read.
enum class breakage : std::uint8_t { never, overrun, undescribed };

struct completions {
  fid_cq front{};
  fid_cq* inner = nullptr;
  domain* owner = nullptr;
  breakage breaks = breakage::never;
  unsigned reads = 0;
};

/// The object of this provider whose first part is `front`.
template <class Object, class Front>
Object& object_of(Front* front) noexcept {
  return *reinterpret_cast<Object*>(front);
}

/// Closes the worker's object behind `front`, and deletes ours.
template <class Object>
int close_object(fid* front) {
  Object& gone = object_of<Object>(front);
  const int code = gone.inner != nullptr ? ::fi_close(&gone.inner->fid) : 0;
  if (code == 0) delete &gone;
  return code;
}

inline int no_bind(fid*, fid*, std::uint64_t) { return -FI_ENOSYS; }
inline int no_control(fid*, int, void*) { return -FI_ENOSYS; }

// fi_domain, fi_endpoint, fi_cq_open and fi_mr_reg of this provider.
int open_domain(fid_fabric* front, fi_info* info, fid_domain** made, void* context);
int open_endpoint(fid_domain* front, fi_info* info, fid_ep** made, void* context);
int open_completions(fid_domain* front, fi_cq_attr* attributes, fid_cq** made, void* context);
int register_memory(fid* front, const void* address, std::size_t bytes, std::uint64_t access,
                    std::uint64_t offset, std::uint64_t wanted_key, std::uint64_t flags,
                    fid_mr** made, void* context);
int register_with(fid* front, const fi_mr_attr* attributes, std::uint64_t flags, fid_mr** made);

/// The way in which queues break, from FI_STRICT_BREAKS.
breakage asked_breakage();
/// The bytes of a device for which its window has room, by FI_STRICT_BAR.
std::size_t asked_window();

/// The description to pass to the worker's own provider in place of `shown`.
fi_info* as_worker(const fi_info& shown, const profile& hardware);

}  // namespace strict
