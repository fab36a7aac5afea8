// SPDX-License-Identifier: BSD-3-Clause
//
// The strict provider's domains, registered memory and completion queues.
#include <tests/conformance/strict/objects.hpp>

#include <dlfcn.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <memory>
#include <span>

namespace strict {

namespace {

int open_addresses(fid_domain* front, fi_av_attr* attributes, fid_av** made, void* context) {
  return ::fi_av_open(object_of<domain>(front).inner, attributes, made, context);
}

// --- memory --------------------------------------------------------------------------------------

int enable_memory(registration& region) {
  return ::fi_mr_reg(region.owner->inner, region.begin + region.shift, region.bytes, region.access,
                     region.offset, region.mr.key, 0, &region.inner, nullptr);
}

int bind_memory(fid* front, fid* to, std::uint64_t) {
  registration& region = object_of<registration>(front);
  if (to->fclass != FI_CLASS_EP) return -FI_EINVAL;
  if (object_of<endpoint>(to).owner != region.owner) return -FI_EINVAL;
  region.bound = true;
  return 0;
}

int control_memory(fid* front, int command, void*) {
  registration& region = object_of<registration>(front);
  if (command != FI_ENABLE) return -FI_ENOSYS;
  if (!region.bound) broken("fi_mr_enable", "the memory is bound to no endpoint (FI_MR_ENDPOINT)");
  return enable_memory(region);
}

int close_memory(fid* front) {
  registration& gone = object_of<registration>(front);
  if (gone.inner != nullptr) {
    if (const int code = ::fi_close(&gone.inner->fid); code != 0) return code;
  }
  gone.owner->kept.remove(gone);
  gone.owner->kept.give_back_key(gone.mr.key);
  delete &gone;
  return 0;
}

// --- completions ---------------------------------------------------------------------------------

constexpr unsigned reads_before_breaking = 500;

ssize_t read_completions(fid_cq* front, void* to, std::size_t count) {
  completions& queue = object_of<completions>(front);
  if (queue.breaks != breakage::never && ++queue.reads > reads_before_breaking) {
    return queue.breaks == breakage::overrun ? -FI_EOVERRUN : -FI_EAVAIL;
  }
  const ssize_t got = ::fi_cq_read(queue.inner, to, count);
  if (got <= 0) return got;
  const std::span entries(static_cast<fi_cq_data_entry*>(to), static_cast<std::size_t>(got));
  for (const fi_cq_data_entry& each : entries) {
    const bool stays = (each.flags & FI_RECV) != 0 && (each.flags & FI_MULTI_RECV) == 0 &&
                       queue.owner->kept.asked().many_per_receive;
    if (!stays) queue.owner->kept.end(each.op_context);
  }
  return got;
}

ssize_t read_failure(fid_cq* front, fi_cq_err_entry* to, std::uint64_t flags) {
  return ::fi_cq_readerr(object_of<completions>(front).inner, to, flags);
}

const char* failure_text(fid_cq* front, int code, const void* data, char* to, std::size_t bytes) {
  return ::fi_cq_strerror(object_of<completions>(front).inner, code, data, to, bytes);
}

int control_completions(fid* front, int command, void* argument) {
  return ::fi_control(&object_of<completions>(front).inner->fid, command, argument);
}

}  // namespace

int open_domain(fid_fabric* front, fi_info* info, fid_domain** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_object<domain>,
                    .bind = no_bind,
                    .control = no_control};
  static fi_ops_domain calls{.size = sizeof(fi_ops_domain),
                             .av_open = open_addresses,
                             .cq_open = open_completions,
                             .endpoint = open_endpoint};
  static fi_ops_mr memory{
      .size = sizeof(fi_ops_mr), .reg = register_memory, .regattr = register_with};
  const fabric& owner = object_of<fabric>(front);
  auto whole_made = std::make_unique<domain>(*owner.shown);
  whole_made->takes_devices = (info->caps & FI_HMEM) != 0;
  fi_info* const inner = as_worker(*info, *owner.shown);
  if (inner == nullptr) return -FI_ENOMEM;
  const int code = ::fi_domain(owner.inner, inner, &whole_made->inner, context);
  ::fi_freeinfo(inner);
  if (code != 0) return code;
  whole_made->front = {.fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &ops},
                       .ops = &calls,
                       .mr = &memory};
  *made = &whole_made.release()->front;
  return 0;
}

namespace {

int make_registration(domain& owner, registration wanted, fid_mr** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_memory,
                    .bind = bind_memory,
                    .control = control_memory};
  if (!owner.kept.choose_key(wanted.mr.key)) return -FI_ENOKEY;
  auto whole_made = std::make_unique<registration>(wanted);
  whole_made->mr.fid = {.fclass = FI_CLASS_MR, .context = context, .ops = &ops};
  whole_made->mr.mem_desc = whole_made.get();
  whole_made->owner = &owner;
  if (!owner.kept.asked().asks_for(FI_MR_ENDPOINT)) {
    if (const int code = enable_memory(*whole_made); code != 0) {
      owner.kept.give_back_key(whole_made->mr.key);
      return code;
    }
  }
  owner.kept.add(*whole_made);
  *made = &whole_made.release()->mr;
  return 0;
}

/// The address at which the processor can access a device's memory, which the simulated driver of
/// that kind knows; hardware would use the vendor's kernel module. Null when there is no such
/// memory.
std::byte* bytes_of_device(fi_hmem_iface kind, const void* address, std::size_t bytes) {
  const char* const name = kind == FI_HMEM_CUDA   ? "libcuda.so.1"
                           : kind == FI_HMEM_ROCR ? "libamdhip64.so"
                                                  : "libze_loader.so.1";
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  using call = void* (*)(const void*, std::size_t);
  const auto reach = reinterpret_cast<call>(::dlsym(library, "testdev_reach"));
  auto* const found = reach != nullptr ? static_cast<std::byte*>(reach(address, bytes)) : nullptr;
  ::dlclose(library);
  return found;
}

}  // namespace

int register_memory(fid* front, const void* address, std::size_t bytes, std::uint64_t access,
                    std::uint64_t offset, std::uint64_t wanted_key, std::uint64_t flags,
                    fid_mr** made, void* context) {
  if (flags != 0 || offset != 0) return -FI_EINVAL;
  registration wanted{
      .begin = static_cast<const std::byte*>(address), .bytes = bytes, .access = access};
  wanted.mr.key = wanted_key;
  return make_registration(object_of<domain>(front), wanted, made, context);
}

int register_with(fid* front, const fi_mr_attr* attributes, std::uint64_t flags, fid_mr** made) {
  domain& owner = object_of<domain>(front);
  if (attributes->iov_count != 1 || attributes->offset != 0 || flags != 0) return -FI_EINVAL;
  const iovec& memory = *attributes->mr_iov;
  registration wanted{.begin = static_cast<const std::byte*>(memory.iov_base),
                      .bytes = memory.iov_len,
                      .access = attributes->access};
  wanted.mr.key = attributes->requested_key;
  if (attributes->iface != FI_HMEM_SYSTEM) {
    if (!owner.takes_devices) broken("fi_mr_regattr", "FI_HMEM was not asked for");
    if (memory.iov_len > asked_window()) return -FI_ENOMEM;
    std::byte* const place = bytes_of_device(attributes->iface, memory.iov_base, memory.iov_len);
    if (place == nullptr) return -FI_EINVAL;
    wanted.shift = place - wanted.begin;
  }
  return make_registration(owner, wanted, made, attributes->context);
}

int open_completions(fid_domain* front, fi_cq_attr* attributes, fid_cq** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_object<completions>,
                    .bind = no_bind,
                    .control = control_completions};
  static fi_ops_cq calls{.size = sizeof(fi_ops_cq),
                         .read = read_completions,
                         .readerr = read_failure,
                         .strerror = failure_text};
  domain& owner = object_of<domain>(front);
  if (attributes->wait_obj != FI_WAIT_NONE && !owner.kept.asked().sleeps) return -FI_ENOSYS;
  if (attributes->format != FI_CQ_FORMAT_DATA) return -FI_ENOSYS;
  auto whole_made = std::make_unique<completions>();
  if (const int code = ::fi_cq_open(owner.inner, attributes, &whole_made->inner, context);
      code != 0)
    return code;
  whole_made->owner = &owner;
  whole_made->breaks = asked_breakage();
  whole_made->front = {.fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &ops},
                       .ops = &calls};
  *made = &whole_made.release()->front;
  return 0;
}

}  // namespace strict
