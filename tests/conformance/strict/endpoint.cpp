// SPDX-License-Identifier: BSD-3-Clause
//
// The strict provider's endpoints: every call is checked, sometimes refused for lack of room, and
// passed on to the worker.
#include <tests/conformance/strict/objects.hpp>

#include <rdma/fi_errno.h>

#include <memory>

namespace strict {

namespace {

// The context and the vectors that a call leaves with the provider once it has been accepted.
struct given {
  const char* call;
  void* context;
  vectors named = {};
};

// Runs `call` on the worker's endpoint. Once the worker has accepted it, the context and the
// vectors of `arguments` belong to the provider.
template <class Call>
ssize_t hand_on(endpoint& local, const given& arguments, Call call) {
  rules& kept = local.owner->kept;
  if (kept.is_full()) return -FI_EAGAIN;
  const ssize_t code = call(local.inner);
  if (code == 0) kept.begin(arguments.call, arguments.context, arguments.named);
  return code;
}

// --- messages ------------------------------------------------------------------------------------

ssize_t send(fid_ep* front, const void* buffer, std::size_t bytes, void* descriptor, fi_addr_t to,
             void* context) {
  endpoint& local = object_of<endpoint>(front);
  const rules& kept = local.owner->kept;
  kept.check_size("fi_send", bytes);
  kept.reach("fi_send", buffer, bytes, nullptr);
  kept.check_buffer("fi_send", buffer, bytes, descriptor, FI_SEND);
  return hand_on(local, {"fi_send", context},
                 [&](fid_ep* ep) { return ::fi_send(ep, buffer, bytes, nullptr, to, context); });
}

ssize_t inject(fid_ep* front, const void* buffer, std::size_t bytes, fi_addr_t to) {
  endpoint& local = object_of<endpoint>(front);
  local.owner->kept.check_inject("fi_inject", bytes);
  local.owner->kept.reach("fi_inject", buffer, bytes, nullptr);
  return local.owner->kept.is_full() ? -FI_EAGAIN : ::fi_inject(local.inner, buffer, bytes, to);
}

ssize_t receive(fid_ep* front, const fi_msg* message, std::uint64_t flags) {
  endpoint& local = object_of<endpoint>(front);
  const rules& kept = local.owner->kept;
  if (message->iov_count != 1) return -FI_EINVAL;
  if ((flags & FI_MULTI_RECV) != 0 && !kept.asked().many_per_receive)
    broken("fi_recvmsg", "FI_MULTI_RECV is not offered");
  kept.check_buffer("fi_recvmsg", message->msg_iov->iov_base, message->msg_iov->iov_len,
                    message->desc != nullptr ? *message->desc : nullptr, FI_RECV);
  fi_msg inner = *message;
  inner.desc = nullptr;
  return hand_on(local, {"fi_recvmsg", message->context, {message->msg_iov}},
                 [&](fid_ep* ep) { return ::fi_recvmsg(ep, &inner, flags); });
}

// --- transfers -----------------------------------------------------------------------------------

ssize_t write(fid_ep* front, const fi_msg_rma* message, std::uint64_t flags) {
  endpoint& local = object_of<endpoint>(front);
  const rules& kept = local.owner->kept;
  if (message->iov_count != 1 || message->rma_iov_count != 1) return -FI_EINVAL;
  const iovec& from = *message->msg_iov;
  kept.check_size("fi_writemsg", from.iov_len);
  if ((flags & FI_INJECT) != 0) {
    kept.check_inject("fi_writemsg", from.iov_len);
  } else {
    kept.check_buffer("fi_writemsg", from.iov_base, from.iov_len,
                      message->desc != nullptr ? *message->desc : nullptr, FI_WRITE);
  }
  const void* const named =
      (flags & FI_INJECT) == 0 && message->desc != nullptr ? *message->desc : nullptr;
  const iovec moved{kept.reach("fi_writemsg", from.iov_base, from.iov_len, named), from.iov_len};
  fi_msg_rma inner = *message;
  inner.msg_iov = &moved;
  inner.desc = nullptr;
  return hand_on(local, {"fi_writemsg", message->context, {message->msg_iov, message->rma_iov}},
                 [&](fid_ep* ep) { return ::fi_writemsg(ep, &inner, flags); });
}

ssize_t read(fid_ep* front, void* to, std::size_t bytes, void* descriptor, fi_addr_t from,
             std::uint64_t address, std::uint64_t key, void* context) {
  endpoint& local = object_of<endpoint>(front);
  const rules& kept = local.owner->kept;
  kept.check_size("fi_read", bytes);
  kept.check_buffer("fi_read", to, bytes, descriptor, FI_READ);
  to = kept.reach("fi_read", to, bytes, descriptor);
  return hand_on(local, {"fi_read", context}, [&](fid_ep* ep) {
    return ::fi_read(ep, to, bytes, nullptr, from, address, key, context);
  });
}

// --- the endpoint itself -------------------------------------------------------------------------

int bind(fid* front, fid* to, std::uint64_t flags) {
  fid* const inner = to->fclass == FI_CLASS_CQ ? &object_of<completions>(to).inner->fid : to;
  return ::fi_ep_bind(object_of<endpoint>(front).inner, inner, flags);
}

int control(fid* front, int command, void* argument) {
  return ::fi_control(&object_of<endpoint>(front).inner->fid, command, argument);
}

int name_of(fid* front, void* to, std::size_t* bytes) {
  return ::fi_getname(&object_of<endpoint>(front).inner->fid, to, bytes);
}

int set_option(fid* front, int level, int option, const void* value, std::size_t bytes) {
  return ::fi_setopt(&object_of<endpoint>(front).inner->fid, level, option, value, bytes);
}

}  // namespace

int open_endpoint(fid_domain* front, fi_info* info, fid_ep** made, void* context) {
  static fi_ops ops{
      .size = sizeof(fi_ops), .close = close_object<endpoint>, .bind = bind, .control = control};
  static fi_ops_ep options{.size = sizeof(fi_ops_ep), .setopt = set_option};
  static fi_ops_cm names{.size = sizeof(fi_ops_cm), .getname = name_of};
  static fi_ops_msg messages{
      .size = sizeof(fi_ops_msg), .recvmsg = receive, .send = send, .inject = inject};
  static fi_ops_rma transfers{.size = sizeof(fi_ops_rma), .read = read, .writemsg = write};
  domain& owner = object_of<domain>(front);
  auto whole_made = std::make_unique<endpoint>();
  fi_info* const inner = as_worker(*info, owner.kept.asked());
  if (inner == nullptr) return -FI_ENOMEM;
  const int code = ::fi_endpoint(owner.inner, inner, &whole_made->inner, context);
  ::fi_freeinfo(inner);
  if (code != 0) return code;
  whole_made->owner = &owner;
  whole_made->front = {.fid = {.fclass = FI_CLASS_EP, .context = context, .ops = &ops},
                       .ops = &options,
                       .cm = &names,
                       .msg = &messages,
                       .rma = &transfers};
  *made = &whole_made.release()->front;
  return 0;
}

}  // namespace strict
