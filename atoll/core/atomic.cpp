// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics that are not direct: the network's own, or one request and one reply, both short. The
// request names the number, the operation and the initiator's record; the handler at the target
// does the operation with the processor's atomics and replies with the record and, if it fetches,
// the result's address and value.
#include <atoll/core/atomic.hpp>

#include <atoll/base/error.hpp>
#include <atoll/core/runtime.hpp>
#include <atoll/core/starting.hpp>
#include <atoll/core/system_handlers.hpp>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace atl {

// --- names -------------------------------------------------------------------------------------

const char* name_of(atomic_op op) noexcept {
  static constexpr const char* names[] = {
      "bit_and",   "bit_or",    "bit_xor",   "add",       "sub",       "mult",       "min",
      "max",       "inc",       "dec",       "set",       "cas",       "get",        "(none)",
      "fetch_and", "fetch_or",  "fetch_xor", "fetch_add", "fetch_sub", "fetch_mult", "fetch_min",
      "fetch_max", "fetch_inc", "fetch_dec", "swap",      "fetch_cas"};
  const auto at = static_cast<std::size_t>(op);
  return at < std::size(names) ? names[at] : "(none)";
}

std::string names_of(atomic_ops set) {
  std::string names;
  for (unsigned at = 0; at < 32; ++at) {
    const auto op = static_cast<atomic_op>(at);
    if (set.has(op)) names += text(names.empty() ? "" : ", ", name_of(op));
  }
  return names;
}

namespace {

const char* name_of(data_type type) noexcept {
  static constexpr const char* names[] = {"i8",  "u8",  "i16", "u16", "i32",
                                          "u32", "i64", "u64", "f32", "f64"};
  return names[static_cast<std::size_t>(type)];
}

// --- the messages ------------------------------------------------------------------------------

// Arguments of a request; those that an operation does not need are left off the end.
enum request_argument : std::uint8_t {
  what_at = 0,  // operation, and type above it
  there_at = 1,
  record_at = 3,
  result_at = 5,
  operand_at = 7,
  operand2_at = 9,
  request_nargs = 11
};
constexpr unsigned type_shift = 8;
// Of a reply: the record, and of a fetch the result's address and the value.
constexpr unsigned done_nargs = 2, value_at = 4, fetched_nargs_max = 6;

using arguments = std::array<std::uint32_t, request_nargs>;

void put_pair(std::uint32_t* pair, std::uint64_t value) noexcept {
  pair[0] = static_cast<std::uint32_t>(value);
  pair[1] = static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t pair_at(const std::uint32_t* pair) noexcept {
  return pair[0] | std::uint64_t{pair[1]} << 32;
}
std::uint64_t address_bits(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}
void* pointer_at(const std::uint32_t* pair) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pair_at(pair)));
}

template <class T>
std::uint64_t perform_bits(void* at, atomic_op op, const std::uint32_t* operands) noexcept {
  const atomic_request<T> what{.op = op,
                               .operand = value_of_bits<T>(pair_at(operands)),
                               .operand2 = value_of_bits<T>(pair_at(operands + 2))};
  return bits_of(perform(static_cast<T*>(at), what));
}

std::uint64_t perform_here(data_type type, atomic_op op, void* at,
                           const std::uint32_t* operands) noexcept {
  switch (type) {
    case data_type::i32:
      return perform_bits<std::int32_t>(at, op, operands);
    case data_type::u32:
      return perform_bits<std::uint32_t>(at, op, operands);
    case data_type::i64:
      return perform_bits<std::int64_t>(at, op, operands);
    case data_type::u64:
      return perform_bits<std::uint64_t>(at, op, operands);
    case data_type::f32:
      return perform_bits<float>(at, op, operands);
    default:
      return perform_bits<double>(at, op, operands);
  }
}

void on_request(void*, am_token& token, const std::uint32_t* args, unsigned nargs, void*,
                std::size_t) {
  arguments in{};
  std::memcpy(in.data(), args, nargs * sizeof *args);
  const auto op = static_cast<atomic_op>(in[what_at] & ((1u << type_shift) - 1));
  const auto type = static_cast<data_type>(in[what_at] >> type_shift);
  const std::uint64_t was = perform_here(type, op, pointer_at(&in[there_at]), &in[operand_at]);
  std::array<std::uint32_t, fetched_nargs_max> out;
  std::memcpy(out.data(), &in[record_at], 4 * sizeof *args);  // record and result
  put_pair(&out[value_at], was);
  const std::size_t words = fetches(op) ? value_at + size_bytes(type) / sizeof *args : done_nargs;
  token.reply({.handler = system_handler::atomic_reply,
               .nargs = static_cast<std::uint8_t>(words),
               .args = out.data()});
}

void store_bits(void* result, std::uint64_t bits, std::size_t bytes) noexcept {
  const auto low = static_cast<std::uint32_t>(bits);
  if (bytes == sizeof low) {
    std::memcpy(result, &low, sizeof low);
  } else {
    std::memcpy(result, &bits, sizeof bits);
  }
}

// The number of arguments says whether there is a value and how large it is.
void on_reply(void*, am_token&, const std::uint32_t* args, unsigned nargs, void*, std::size_t) {
  if (nargs == fetched_nargs_max) {
    const std::uint64_t value = pair_at(args + value_at);
    std::memcpy(pointer_at(args + done_nargs), &value, sizeof value);
  } else if (nargs != done_nargs) {
    std::memcpy(pointer_at(args + done_nargs), args + value_at, sizeof *args);
  }
  static_cast<operation*>(pointer_at(args))->end_piece();
}

// --- the initiator -----------------------------------------------------------------------------

void check_call(segment& at, rank_id target, const atomic_call& what) noexcept {
  refuse_in_handler(at, "atomic", target);
  at.check_range("atomic", target, what.there, size_bytes(what.type));
  if (!ops_of(what.type).has(what.op)) {
    at.owner().fail(text("atomic '", name_of(what.op), "' to rank ", target),
                    text("there is no such operation on ", name_of(what.type)),
                    "use one of the type's operations");
  }
  if (address_bits(what.there) % size_bytes(what.type) != 0) {
    at.owner().fail(text("atomic '", name_of(what.op), "' on ", name_of(what.type), ", rank ",
                         at.owner().rank(), " to rank ", target, " at ", hex(what.there)),
                    "the address is not aligned to the size of the type",
                    text("use a multiple of ", size_bytes(what.type)));
  }
}

bool send_request(segment& at, rank_id target, const atomic_call& what, operation& record,
                  bool immediate) noexcept {
  arguments out;
  out[what_at] = static_cast<std::uint32_t>(what.op) | static_cast<std::uint32_t>(what.type)
                                                           << type_shift;
  put_pair(&out[there_at], address_bits(what.there));
  put_pair(&out[record_at], address_bits(&record));
  put_pair(&out[result_at], address_bits(what.result));
  put_pair(&out[operand_at], what.operand);
  put_pair(&out[operand2_at], what.operand2);
  record.add_piece();
  const auto nargs = static_cast<std::uint8_t>(operand_at + 2 * operands_of(what.op));
  if (!at.owner().system().request({.target = target,
                                    .handler = system_handler::atomic_request,
                                    .nargs = nargs,
                                    .args = out.data()},
                                   immediate)) {
    record.end_piece();
    return false;
  }
  trace::count(trace::counter::atomics);
  return true;
}

bool start(segment& at, rank_id target, const atomic_call& what, operation& record,
           bool immediate) noexcept {
  const bool native = what.by_network && at.network_reaches(target);
  // Memory that the network does not reach, it does not reach from anywhere: all send requests.
  if (!native) return send_request(at, target, what, record, immediate);
  if (!at.start_atomic({.target = target,
                        .memory = {},
                        .op = what.op,
                        .type = what.type,
                        .there = address_bits(what.there),
                        .result = what.result,
                        .operand = what.operand,
                        .operand2 = what.operand2},
                       record, immediate)) {
    return false;
  }
  trace::count(trace::counter::atomics);
  trace::count(trace::counter::network_atomics);
  return true;
}

/// A direct operation that inline code has left to the library because it is to be counted; false
/// when it is not direct, or the network is to do it.
bool perform_counted(segment& at, rank_id target, const atomic_call& what) noexcept {
  if (at.inline_ranks() != 0 || what.by_network) return false;
  std::byte* const here = at.routes()[target].direct(what.there, size_bytes(what.type));
  if (here == nullptr) return false;
  std::array<std::uint32_t, 4> operands;
  put_pair(&operands[0], what.operand);
  put_pair(&operands[2], what.operand2);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // whatever order the caller asked for
  const std::uint64_t was = perform_here(what.type, what.op, here, operands.data());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  trace::count(trace::counter::atomics);
  if (fetches(what.op)) store_bits(what.result, was, size_bytes(what.type));
  return true;
}

implicit kind_of(atomic_op op) noexcept {
  if (op == atomic_op::set) return implicit::put;
  return op == atomic_op::get ? implicit::get : implicit::atomic;
}

}  // namespace

void add_atomic_handlers(runtime& owner) {
  handler_table& table = owner.system().handlers();
  const bool added =
      table.set(
          system_handler::atomic_request,
          {.run = on_request, .channels = am_entry::accept_request, .name = "atomic request"}) &&
      table.set(system_handler::atomic_reply,
                {.run = on_reply, .channels = am_entry::accept_reply, .name = "atomic reply"});
  ATOLL_ASSERT(added, "a handler of remote atomics is taken");
}

void atomic_out_of_line(segment& at, rank_id target, const atomic_call& what) noexcept {
  check_call(at, target, what);
  if (perform_counted(at, target, what)) return;
  complete_blocking(at, [&](operation& record) { start(at, target, what, record, false); });
}

bool atomic_nb_out_of_line(segment& at, rank_id target, const atomic_call& what, atomic_options how,
                           event& done) noexcept {
  check_call(at, target, what);
  done = event();
  if (perform_counted(at, target, what)) return true;
  return start_explicit(
      at, done, [&](operation& record) { return start(at, target, what, record, how.immediate); });
}

bool atomic_nbi_out_of_line(segment& at, rank_id target, const atomic_call& what,
                            atomic_options how) noexcept {
  check_call(at, target, what);
  if (perform_counted(at, target, what)) return true;
  operation& record = *at.owner().implicit_operations().record(kind_of(what.op));
  return start(at, target, what, record, how.immediate);
}

// --- domains -----------------------------------------------------------------------------------

bool atomics_by_network(const team& members, data_type type, atomic_ops ops) noexcept {
  runtime& owner = members.owner();
  const transport::transport* const network = owner.network();
  if (network == nullptr || !owner.direct_allowed()) return false;
  for (rank_id member = 0; member < members.size(); ++member) {
    const atomic_ops there = network->native_atomics(members.job_rank(member), type);
    if (!(ops - there).empty()) return false;
  }
  return true;
}

atomic_domain::atomic_domain(team& members, data_type type, atomic_ops ops)
    : members_(members), at_(members.owner().heaps()), type_(type), ops_(ops) {
  const atomic_ops lacking = ops - ops_of(type);
  if (!ops.empty() && lacking.empty()) {
    if (atomics_by_network(members, type, ops)) std::swap(ops_, network_ops_);
    return;
  }
  throw error(text("atomic domain of ", name_of(type)),
              ops.empty() ? std::string("no operation is named")
                          : text("the type has no ", names_of(lacking)),
              text("name some of: ", names_of(ops_of(type))));
}

void atomic_domain::need_network_op(rank_id member, data_type type, atomic_op op) const noexcept {
  if (type == type_ && network_ops_.has(op) && member < members_.size()) return;
  const std::string object = text("atomic '", name_of(op), "' on ", name_of(type), " to rank ",
                                  member, " of an atomic domain of ", name_of(type_));
  if (type != type_) {
    members_.owner().fail(object, "the types differ", "use a domain of the operation's type");
  }
  if (!ops().has(op)) {
    members_.owner().fail(object, text("the domain was made for: ", names_of(ops())),
                          "name the operation when the domain is made");
  }
  members_.owner().fail(object, text("the team has ", members_.size(), " ranks"),
                        "ranks count from 0");
}

}  // namespace atl
