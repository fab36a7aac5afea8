// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics that are not direct: the network's own, or one request and one reply, both short. The
// request names the number, the operation and the initiator's record; the handler at the target
// does the operation with the processor's atomics and replies with the record and, if it fetches,
// the result's address and value. A request that carries a payload writes it first, to the address
// that stands in place of the result's: so a put and its notification are one message.
#include <atoll/core/atomic/atomic.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/core/atomic/atomic_access.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/starting.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment_access.hpp>

#include <array>
#include <cstring>
#include <memory>
#include <span>
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
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(names) ? names[index] : "(none)";
}

std::string names_of(atomic_ops set) {
  std::string names;
  for (unsigned value = 0; value < 32; ++value) {
    const auto op = static_cast<atomic_op>(value);
    if (set.contains(op)) names += text(names.empty() ? "" : ", ", name_of(op));
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
  operation_at = 0,  // operation, and type above it
  address_at = 1,
  record_at = 3,
  result_at = 5,
  operand_at = 7,
  operand2_at = 9,
  request_nargs = 11
};
constexpr unsigned type_shift = 8;
// Arguments of a reply: the record, and for a fetch also the result's address and the value.
constexpr unsigned done_nargs = 2, value_at = 4, fetched_nargs_max = 6;

using request_arguments = std::array<std::uint32_t, request_nargs>;

void put_pair(std::uint32_t* pair, std::uint64_t value) noexcept {
  pair[0] = low_half(value);
  pair[1] = high_half(value);
}
std::uint64_t address_bits(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}
void* pointer_at(const std::uint32_t* pair) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(join_halves(pair)));
}

template <class T>
std::uint64_t perform_bits(void* address, atomic_op op, const std::uint32_t* operands) noexcept {
  const atomic_request<T> request{.op = op,
                                  .operand = value_of_bits<T>(join_halves(operands)),
                                  .operand2 = value_of_bits<T>(join_halves(operands + 2))};
  return bits_of(perform(static_cast<T*>(address), request));
}

std::uint64_t perform_locally(data_type type, atomic_op op, void* address,
                              const std::uint32_t* operands) noexcept {
  switch (type) {
    case data_type::i32:
      return perform_bits<std::int32_t>(address, op, operands);
    case data_type::u32:
      return perform_bits<std::uint32_t>(address, op, operands);
    case data_type::i64:
      return perform_bits<std::int64_t>(address, op, operands);
    case data_type::u64:
      return perform_bits<std::uint64_t>(address, op, operands);
    case data_type::f32:
      return perform_bits<float>(address, op, operands);
    default:
      return perform_bits<double>(address, op, operands);
  }
}

void on_request(void*, am_token& token, const std::uint32_t* args, unsigned nargs, void* payload,
                std::size_t bytes) {
  request_arguments in{};
  std::memcpy(in.data(), args, nargs * sizeof *args);
  if (bytes != 0) std::memcpy(pointer_at(&in[result_at]), payload, bytes);
  const auto op = static_cast<atomic_op>(in[operation_at] & ((1u << type_shift) - 1));
  const auto type = static_cast<data_type>(in[operation_at] >> type_shift);
  const std::uint64_t old_value =
      perform_locally(type, op, pointer_at(&in[address_at]), &in[operand_at]);
  std::array<std::uint32_t, fetched_nargs_max> out;
  std::memcpy(out.data(), &in[record_at], 4 * sizeof *args);  // record and result
  put_pair(&out[value_at], old_value);
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
void on_reply(void*, am_token& token, const std::uint32_t* args, unsigned nargs, void*,
              std::size_t) {
  const auto store = [&] {
    if (nargs == fetched_nargs_max) {
      const std::uint64_t value = join_halves(args + value_at);
      std::memcpy(pointer_at(args + done_nargs), &value, sizeof value);
    } else if (nargs != done_nargs) {
      std::memcpy(pointer_at(args + done_nargs), args + value_at, sizeof *args);
    }
  };
  core_access::pieces(token.receiver().owner())
      .end_after(*static_cast<piece*>(pointer_at(args)), store);
}

// --- the initiator -----------------------------------------------------------------------------

void check_call(segment& memory, rank_id target, const atomic_call& call) noexcept {
  refuse_in_handler(memory, "atomic", target);
  segment_access::check_range(memory, "atomic", target, call.address, size_bytes(call.type));
  segment_access::check_host_memory(memory, "atomic", target);
  if (!ops_of(call.type).contains(call.op)) {
    memory.owner().fail(text("atomic '", name_of(call.op), "' to rank ", target),
                        text("there is no such operation on ", name_of(call.type)),
                        "use one of the type's operations");
  }
  if (address_bits(call.address) % size_bytes(call.type) != 0) {
    memory.owner().fail(text("atomic '", name_of(call.op), "' on ", name_of(call.type), ", rank ",
                             memory.owner().rank(), " to rank ", target, " at ", hex(call.address)),
                        "the address is not aligned to the size of the type",
                        text("use a multiple of ", size_bytes(call.type)));
  }
}

// The result of a call with data is where the data goes.
bool send_request(segment& memory, rank_id target, const atomic_call& call, operation& record,
                  bool immediate, std::span<const std::byte> data = {}) noexcept {
  piece_table& pieces = core_access::pieces(memory.owner());
  piece* const begun = pieces.begin(record, target);
  if (begun == nullptr) return true;
  request_arguments out;
  out[operation_at] = static_cast<std::uint32_t>(call.op) | static_cast<std::uint32_t>(call.type)
                                                                << type_shift;
  put_pair(&out[address_at], address_bits(call.address));
  put_pair(&out[record_at], address_bits(begun));
  put_pair(&out[result_at], address_bits(call.result));
  put_pair(&out[operand_at], call.operand);
  put_pair(&out[operand2_at], call.operand2);
  const auto nargs = static_cast<std::uint8_t>(operand_at + 2 * operands_of(call.op));
  if (!layer_access::system_endpoint(memory.owner())
           .request({.target = target,
                     .kind = data.empty() ? am_category::short_ : am_category::medium,
                     .handler = system_handler::atomic_request,
                     .nargs = nargs,
                     .args = out.data(),
                     .payload = data.data(),
                     .bytes = data.size()},
                    immediate)) {
    pieces.end(*begun);
    return false;
  }
  trace::count(trace::counter::atomics);
  return true;
}

bool start(segment& memory, rank_id target, const atomic_call& call, operation& record,
           bool immediate) noexcept {
  const bool native = call.by_network && segment_access::network_reaches(memory, target);
  // If the network does not reach this memory from here, it does not from any rank: so all ranks
  // send requests.
  if (!native) return send_request(memory, target, call, record, immediate);
  if (!segment_access::start_atomic(memory,
                                    {.target = target,
                                     .memory = {},
                                     .op = call.op,
                                     .type = call.type,
                                     .remote = address_bits(call.address),
                                     .result = call.result,
                                     .operand = call.operand,
                                     .operand2 = call.operand2},
                                    record, immediate)) {
    return false;
  }
  trace::count(trace::counter::atomics);
  trace::count(trace::counter::network_atomics);
  return true;
}

/// Does a direct operation that inline code has left to the library, and counts it; false when it
/// is not direct, or the network does it. Inline code leaves to the library all operations when
/// they are counted, and always those on small numbers in the last bytes of a part.
bool perform_mapped(segment& memory, rank_id target, const atomic_call& call) noexcept {
  if (call.by_network) return false;
  std::byte* const mapped = memory.routes()[target].direct(call.address, size_bytes(call.type));
  if (mapped == nullptr) return false;
  std::array<std::uint32_t, 4> operands;
  put_pair(&operands[0], call.operand);
  put_pair(&operands[2], call.operand2);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // covers every order asked for
  const std::uint64_t old_value = perform_locally(call.type, call.op, mapped, operands.data());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  trace::count(trace::counter::atomics);
  if (fetches(call.op)) store_bits(call.result, old_value, size_bytes(call.type));
  return true;
}

/// The atomic that follows when the data of a large put has arrived.
struct notification {
  segment& numbers;
  rank_id target;
  atomic_call call;
  operation& record;

  static void send(void* context, operation_status put_ended) noexcept {
    const std::unique_ptr<notification> atomic_part(static_cast<notification*>(context));
    if (put_ended == operation_status::done)
      start(atomic_part->numbers, atomic_part->target, atomic_part->call, atomic_part->record,
            false);
    atomic_part->record.end_piece(put_ended);
  }
};

implicit kind_of(atomic_op op) noexcept {
  if (op == atomic_op::set) return implicit::put;
  return op == atomic_op::get ? implicit::get : implicit::atomic;
}

}  // namespace

void add_atomic_handlers(runtime& owner) {
  handler_table& table = layer_access::system_endpoint(owner).handlers();
  const bool added =
      table.set(
          system_handler::atomic_request,
          {.run = on_request, .channels = am_entry::accept_request, .name = "atomic request"}) &&
      table.set(system_handler::atomic_reply,
                {.run = on_reply, .channels = am_entry::accept_reply, .name = "atomic reply"});
  ATOLL_ASSERT(added, "a handler of remote atomics is taken");
}

operation_status atomic_out_of_line(segment& memory, rank_id target,
                                    const atomic_call& call) noexcept {
  check_call(memory, target, call);
  if (perform_mapped(memory, target, call)) return operation_status::done;
  return complete_blocking(memory,
                           [&](operation& record) { start(memory, target, call, record, false); });
}

bool atomic_nb_out_of_line(segment& memory, rank_id target, const atomic_call& call,
                           atomic_options options, event& done) noexcept {
  check_call(memory, target, call);
  done = event();
  if (perform_mapped(memory, target, call)) return true;
  return start_explicit(memory, done, [&](operation& record) {
    return start(memory, target, call, record, options.immediate);
  });
}

bool atomic_nbi_out_of_line(segment& memory, rank_id target, const atomic_call& call,
                            atomic_options options) noexcept {
  check_call(memory, target, call);
  if (perform_mapped(memory, target, call)) return true;
  operation& record = *layer_access::implicit_operations(memory.owner()).record(kind_of(call.op));
  return start(memory, target, call, record, options.immediate);
}

void start_atomic(segment& memory, rank_id target, const atomic_call& call,
                  operation& record) noexcept {
  check_call(memory, target, call);
  if (!perform_mapped(memory, target, call)) start(memory, target, call, record, false);
}

void start_put_then_atomic(segment& memory, const put_call& data, segment& numbers,
                           const atomic_call& call, operation& record) noexcept {
  const rank_id target = data.target;
  check_call(numbers, target, call);
  ATOLL_ASSERT(!fetches(call.op), "the atomic after a put fetches");
  runtime& owner = memory.owner();
  segment_access::check_range(memory, "put", target, data.to, data.bytes);
  segment_access::check_host_memory(memory, "put with an atomic", target);
  if (data.bytes <= layer_access::system_endpoint(owner).medium_max(target)) {
    atomic_call with_data = call;
    with_data.result = data.to;
    send_request(numbers, target, with_data, record, false,
                 {static_cast<const std::byte*>(data.from), data.bytes});
    return;
  }
  if (!data.keeps_source) {
    put_out_of_line(memory, target, data.to, data.from, data.bytes);
    start(numbers, target, call, record, false);
    return;
  }
  auto atomic_part = std::make_unique<notification>(notification{numbers, target, call, record});
  record.add_piece();
  event arrived;
  put_nb_out_of_line(memory, target, data.to, data.from, data.bytes, {.keeps_source = true},
                     arrived);
  notification* const later = atomic_part.release();
  if (!owner.when_complete(arrived, {.run = notification::send, .context = later}))
    notification::send(later, operation_status::done);
}

// --- domains -----------------------------------------------------------------------------------

bool atomics_by_network(const team& members, data_type type, atomic_ops ops) noexcept {
  runtime& owner = members.owner();
  const transport::transport* const network = core_access::first_network(owner);
  if (network == nullptr || !layer_access::direct_allowed(owner)) return false;
  for (rank_id member = 0; member < members.size(); ++member) {
    const rank_id rank = members.job_rank(member);
    if (!core_access::routes(owner).shares_first(rank)) return false;
    const atomic_ops native = network->native_atomics(rank, type);
    if (!(ops - native).empty()) return false;
  }
  return true;
}

atomic_domain::atomic_domain(team& members, data_type type, atomic_ops ops)
    : members_(members), heaps_(members.owner().heaps()), type_(type), ops_(ops) {
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
  if (type == type_ && network_ops_.contains(op) && member < members_.size()) return;
  const std::string object = text("atomic '", name_of(op), "' on ", name_of(type), " to rank ",
                                  member, " of an atomic domain of ", name_of(type_));
  if (type != type_) {
    members_.owner().fail(object, "the types differ", "use a domain of the operation's type");
  }
  if (!ops().contains(op)) {
    members_.owner().fail(object, text("the domain was made for: ", names_of(ops())),
                          "name the operation when the domain is made");
  }
  members_.owner().fail(object, text("the team has ", members_.size(), " ranks"),
                        "ranks count from 0");
}

}  // namespace atl
