// SPDX-License-Identifier: BSD-3-Clause
//
// Operations by the provider's names, and remote atomics by the provider. An operation without a
// result is started with delivery-complete semantics, so that its completion means that the
// number has changed. An operation with a result completes when the result arrives, and the
// number has changed before that.
#include <atoll/transport/ofi/atomics.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <bit>
#include <cstring>

namespace atl::transport::ofi {

namespace {

constexpr std::array<fi_datatype, atomic_types> provider_types{FI_INT32,  FI_UINT32, FI_INT64,
                                                               FI_UINT64, FI_FLOAT,  FI_DOUBLE};

constexpr fi_datatype provider_type(data_type type) noexcept {
  return provider_types[atomic_index(type)];
}

constexpr fi_op provider_op(atomic_op op) noexcept {
  switch (plain(op)) {
    case atomic_op::bit_and:
      return FI_BAND;
    case atomic_op::bit_or:
      return FI_BOR;
    case atomic_op::bit_xor:
      return FI_BXOR;
    case atomic_op::mult:
      return FI_PROD;
    case atomic_op::min:
      return FI_MIN;
    case atomic_op::max:
      return FI_MAX;
    case atomic_op::cas:
      return FI_CSWAP;
    case atomic_op::get:
      return FI_ATOMIC_READ;
    case atomic_op::set:
      return FI_ATOMIC_WRITE;
    default:
      return FI_SUM;
  }
}

constexpr bool compares(atomic_op op) noexcept { return plain(op) == atomic_op::cas; }

bool is_valid(fid_ep* endpoint, data_type type, atomic_op op) noexcept {
  const fi_datatype number = provider_type(type);
  std::size_t most = 0;
  if (compares(op)) {
    return !is_floating(type) && ::fi_compare_atomicvalid(endpoint, number, FI_CSWAP, &most) == 0 &&
           most != 0;
  }
  const fi_op native = provider_op(op);
  const int code = fetches(op) ? ::fi_fetch_atomicvalid(endpoint, number, native, &most)
                               : ::fi_atomicvalid(endpoint, number, native, &most);
  return code == 0 && most != 0;
}

std::uint64_t one_of(data_type type) noexcept {
  if (type == data_type::f32) return std::bit_cast<std::uint32_t>(1.0f);
  return type == data_type::f64 ? std::bit_cast<std::uint64_t>(1.0) : 1;
}

std::uint64_t negated(data_type type, std::uint64_t bits) noexcept {
  if (is_floating(type)) return bits ^ (std::uint64_t{1} << (8 * size_bytes(type) - 1));
  return 0 - bits;  // of a small number the low half
}

std::uint64_t operand_of(const atomic_transfer& request) noexcept {
  switch (plain(request.op)) {
    case atomic_op::sub:
      return negated(request.type, request.operand);
    case atomic_op::inc:
      return one_of(request.type);
    case atomic_op::dec:
      return negated(request.type, one_of(request.type));
    case atomic_op::cas:
      return request.operand2;
    default:
      return request.operand;
  }
}

}  // namespace

atomic_sets atomics_of(fabric& net) noexcept {
  atomic_sets sets{};
  if (!net.can().atomics || net.endpoint()->atomic == nullptr) return sets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto type = static_cast<data_type>(i + static_cast<std::size_t>(data_type::i32));
    for (unsigned bit = 0; bit < 32; ++bit) {
      const auto op = static_cast<atomic_op>(bit);
      if (!ops_of(type).contains(op) || !is_valid(net.endpoint(), type, op)) continue;
      sets[i] = sets[i] | op;
    }
  }
  return sets;
}

ssize_t atomic_words::start(fabric& net, const local_memory& local, const atomic_transfer& request,
                            const atomic_route& route) noexcept {
  words& own = words_at(route.place);
  own.operand = operand_of(request);
  own.compared = request.operand;
  void* descriptor = local.describe_own(&own, sizeof own);
  const fi_datatype type = provider_type(request.type);
  const fi_op op = provider_op(request.op);
  if (compares(request.op)) {
    return ::fi_compare_atomic(net.endpoint(), &own.operand, 1, descriptor, &own.compared,
                               descriptor, &own.result, descriptor, route.address, route.remote,
                               route.key, type, op, route.note);
  }
  if (fetches(request.op)) {
    return ::fi_fetch_atomic(net.endpoint(), &own.operand, 1, descriptor, &own.result, descriptor,
                             route.address, route.remote, route.key, type, op, route.note);
  }
  own.from = {&own.operand, 1};
  own.to = {route.remote, 1, route.key};
  fi_msg_atomic change{};
  change.msg_iov = &own.from;
  change.desc = &descriptor;
  change.iov_count = 1;
  change.addr = route.address;
  change.rma_iov = &own.to;
  change.rma_iov_count = 1;
  change.datatype = type;
  change.op = op;
  change.context = route.note;
  return ::fi_atomicmsg(net.endpoint(), &change, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

// --- the transport's side ------------------------------------------------------------------------

atomic_ops context::native_atomics(rank_id target, data_type type) const noexcept {
  return ops_of(type).empty() ? atomic_ops() : atomics_[atomics_of_[target]][atomic_index(type)];
}

post context::atomic(const atomic_transfer& request) noexcept {
  const hold held(*this);
  work_record* const note =
      take_transfer(work_record::kind::atomic, request.target, request.context);
  if (note == nullptr) return post::retry;
  note->home = fetches(request.op) ? static_cast<std::byte*>(request.result) : nullptr;
  note->bytes = size_bytes(request.type);
  const atomic_route route{.address = peer_of(request.target).address,
                           .remote = net_.name_of(request.remote, request.memory),
                           .key = request.memory.key,
                           .place = works_.place_of(*note),
                           .note = note};
  const ssize_t code = words_.start(net_, local_, request, route);
  return settle(static_cast<int>(code), *note);
}

std::size_t context::complete_atomic(work_record& ended) noexcept {
  if (ended.home != nullptr && ended.token != nullptr)
    std::memcpy(ended.home, words_.result(works_.place_of(ended)), ended.bytes);
  void* const token = ended.token;
  works_.give_back(ended);
  if (token != nullptr) to_.complete(token);
  return 1;
}

}  // namespace atl::transport::ofi
