// SPDX-License-Identifier: BSD-3-Clause
//
// Domains, registered memory and completion queues.
#include <tests/conformance/strict/objects.hpp>

#include <rdma/fi_errno.h>

#include <algorithm>
#include <memory>
#include <span>

namespace strict {

namespace {

int open_addresses(fid_domain* on, fi_av_attr* attributes, fid_av** made, void* context) {
  return ::fi_av_open(whole<domain>(on).inner, attributes, made, context);
}

// --- memory --------------------------------------------------------------------------------------

int enable_memory(registration& of) {
  return ::fi_mr_reg(of.owner->inner, of.begin, of.bytes, of.access, of.offset, of.mr.key, 0,
                     &of.inner, nullptr);
}

int bind_memory(fid* front, fid* to, std::uint64_t) {
  registration& mine = whole<registration>(front);
  if (to->fclass != FI_CLASS_EP) return -FI_EINVAL;
  if (whole<endpoint>(to).owner != mine.owner) return -FI_EINVAL;
  mine.bound = true;
  return 0;
}

int control_memory(fid* front, int command, void*) {
  registration& mine = whole<registration>(front);
  if (command != FI_ENABLE) return -FI_ENOSYS;
  if (!mine.bound) broken("fi_mr_enable", "the memory is bound to no endpoint (FI_MR_ENDPOINT)");
  return enable_memory(mine);
}

int close_memory(fid* front) {
  registration& gone = whole<registration>(front);
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

ssize_t read_completions(fid_cq* on, void* to, std::size_t count) {
  completions& mine = whole<completions>(on);
  if (mine.breaks != breakage::none && ++mine.reads > reads_before_breaking) {
    return mine.breaks == breakage::overrun ? -FI_EOVERRUN : -FI_EAVAIL;
  }
  const ssize_t got = ::fi_cq_read(mine.inner, to, count);
  if (got <= 0) return got;
  const std::span entries(static_cast<fi_cq_data_entry*>(to), static_cast<std::size_t>(got));
  for (const fi_cq_data_entry& each : entries) {
    const bool stays = (each.flags & FI_RECV) != 0 && (each.flags & FI_MULTI_RECV) == 0 &&
                       mine.owner->kept.asked().many_per_receive;
    if (!stays) mine.owner->kept.end(each.op_context);
  }
  return got;
}

ssize_t read_failure(fid_cq* on, fi_cq_err_entry* to, std::uint64_t flags) {
  return ::fi_cq_readerr(whole<completions>(on).inner, to, flags);
}

const char* failure_text(fid_cq* on, int code, const void* data, char* to, std::size_t bytes) {
  return ::fi_cq_strerror(whole<completions>(on).inner, code, data, to, bytes);
}

int control_completions(fid* front, int command, void* argument) {
  return ::fi_control(&whole<completions>(front).inner->fid, command, argument);
}

}  // namespace

int open_domain(fid_fabric* on, fi_info* info, fid_domain** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_object<domain>,
                    .bind = no_bind,
                    .control = no_control};
  static fi_ops_domain calls{.size = sizeof(fi_ops_domain),
                             .av_open = open_addresses,
                             .cq_open = open_completions,
                             .endpoint = open_endpoint};
  static fi_ops_mr memory{.size = sizeof(fi_ops_mr), .reg = register_memory};
  const fabric& of = whole<fabric>(on);
  auto whole_made = std::make_unique<domain>(*of.shown);
  fi_info* const inner = as_worker(*info, *of.shown);
  if (inner == nullptr) return -FI_ENOMEM;
  const int code = ::fi_domain(of.inner, inner, &whole_made->inner, context);
  ::fi_freeinfo(inner);
  if (code != 0) return code;
  whole_made->front = {.fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &ops},
                       .ops = &calls,
                       .mr = &memory};
  *made = &whole_made.release()->front;
  return 0;
}

int register_memory(fid* on, const void* at, std::size_t bytes, std::uint64_t access,
                    std::uint64_t offset, std::uint64_t wanted_key, std::uint64_t flags,
                    fid_mr** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_memory,
                    .bind = bind_memory,
                    .control = control_memory};
  domain& of = whole<domain>(on);
  if (flags != 0 || offset != 0) return -FI_EINVAL;
  if (!of.kept.choose_key(wanted_key)) return -FI_ENOKEY;
  auto whole_made = std::make_unique<registration>();
  whole_made->mr = {.fid = {.fclass = FI_CLASS_MR, .context = context, .ops = &ops},
                    .mem_desc = whole_made.get(),
                    .key = wanted_key};
  whole_made->owner = &of;
  whole_made->begin = static_cast<const std::byte*>(at);
  whole_made->bytes = bytes;
  whole_made->access = access;
  if (!of.kept.asked().asks_for(FI_MR_ENDPOINT)) {
    if (const int code = enable_memory(*whole_made); code != 0) {
      of.kept.give_back_key(wanted_key);
      return code;
    }
  }
  of.kept.add(*whole_made);
  *made = &whole_made.release()->mr;
  return 0;
}

int open_completions(fid_domain* on, fi_cq_attr* attributes, fid_cq** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_object<completions>,
                    .bind = no_bind,
                    .control = control_completions};
  static fi_ops_cq calls{.size = sizeof(fi_ops_cq),
                         .read = read_completions,
                         .readerr = read_failure,
                         .strerror = failure_text};
  domain& of = whole<domain>(on);
  if (attributes->wait_obj != FI_WAIT_NONE && !of.kept.asked().sleeps) return -FI_ENOSYS;
  if (attributes->format != FI_CQ_FORMAT_DATA) return -FI_ENOSYS;
  auto whole_made = std::make_unique<completions>();
  if (const int code = ::fi_cq_open(of.inner, attributes, &whole_made->inner, context); code != 0)
    return code;
  whole_made->owner = &of;
  whole_made->breaks = asked_breakage();
  whole_made->front = {.fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &ops},
                       .ops = &calls};
  *made = &whole_made.release()->front;
  return 0;
}

}  // namespace strict
