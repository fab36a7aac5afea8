// SPDX-License-Identifier: BSD-3-Clause
//
// Chains that their owner walks. A request has the address at which the chain begins, by the
// owner's addresses; the descriptor of the coarray where the chain begins with its subscripts; the
// steps, each as long as its dimensions; for a write the shape of the data, and the data. An answer
// begins with a word that is not 0; that of a read continues with the shape.
//
// Requests come from ranks of the same job and program, so sizes are trusted as the program's are.
#include <front/coarray/access/chain_calls.hpp>

#include <front/coarray/access/chain_walk.hpp>
#include <front/coarray/access/owner_calls.hpp>
#include <front/coarray/access/packing.hpp>
#include <front/coarray/memory/coarray.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace atl::coarray {
namespace {

using gfortran::reference;
using gfortran::reference_kind;
using gfortran::subscript_mode;

// --- shapes

void put_shape(packer& to, const section& shape) {
  to.put(shape.item);
  to.put(std::size_t{static_cast<unsigned>(shape.rank)});
  for (int d = 0; d < shape.rank; ++d) to.put(shape.dim[d].count);
}

/// The section of packed elements that follows its shape.
section take_packed(unpacker& from) noexcept {
  section made;
  made.item = from.get<element>();
  made.rank = static_cast<int>(from.get<std::size_t>());
  for (int d = 0; d < made.rank; ++d) made.dim[d] = {from.get<std::size_t>(), 0, {}};
  made = packed_like(made, nullptr, made.item);
  const std::byte* const data = from.take(made.count() * made.item.bytes);
  made.base = const_cast<std::byte*>(data);  // read only
  return made;
}

// --- chains

void put_dimension(packer& to, subscript_mode mode, const reference::subscript& chosen) {
  if (mode != subscript_mode::vector) return to.put(chosen.triplet);
  to.put(chosen.vector.count);
  to.put(std::size_t{static_cast<unsigned>(chosen.vector.kind)});
  to.put(chosen.vector.indices, chosen.vector.count * static_cast<unsigned>(chosen.vector.kind));
}

reference::subscript take_dimension(unpacker& from, subscript_mode mode) noexcept {
  reference::subscript chosen;
  if (mode != subscript_mode::vector) {
    chosen.triplet = from.get<reference::range>();
    return chosen;
  }
  const auto count = from.get<std::size_t>();
  const auto kind = from.get<std::size_t>();
  chosen.vector = {from.take(count * kind), count, static_cast<int>(kind)};
  return chosen;
}

void put_step(packer& to, const reference& step) {
  to.put(step.kind);
  to.put(step.item_bytes);
  if (step.kind == reference_kind::component) return to.put(step.component);
  const int count = dimensions_of(step.array);
  to.put(step.array.mode, sizeof step.array.mode);
  for (int d = 0; d < count; ++d) put_dimension(to, step.array.mode[d], step.array.dim[d]);
}

void take_step(unpacker& from, reference& step) noexcept {
  step.next = nullptr;
  step.kind = from.get<reference_kind>();
  step.item_bytes = from.get<std::size_t>();
  if (step.kind == reference_kind::component) {
    step.component = from.get<reference::component_step>();
    return;
  }
  std::memcpy(step.array.mode, from.take(sizeof step.array.mode), sizeof step.array.mode);
  const int count = dimensions_of(step.array);
  for (int d = 0; d < count; ++d) step.array.dim[d] = take_dimension(from, step.array.mode[d]);
}

void put_chain(packer& to, const process_state& us, rank_id rank, const coarray& object,
               const reference* chain) {
  to.put(us.remote_address(rank, object.memory));
  const bool has_subscripts = chain != nullptr && chain->kind == reference_kind::array;
  const std::size_t bytes =
      has_subscripts ? gfortran::array_descriptor::bytes_for(dimensions_of(chain->array)) : 0;
  to.put(bytes);
  to.put(object.described_by, bytes);
  std::size_t steps = 0;
  for (const reference* step = chain; step != nullptr; step = step->next) ++steps;
  to.put(steps);
  for (const reference* step = chain; step != nullptr; step = step->next) put_step(to, *step);
}

/// A chain that has been received, and the walk along it in the memory of this image.
class received_chain {
 public:
  received_chain(process_state& us, unpacker& from)
      : start_(from.get<std::byte*>()),
        described_by_(reinterpret_cast<const gfortran::array_descriptor*>(
            from.take(from.get<std::size_t>()))),
        steps_(from.get<std::size_t>()),
        way_(us, us.runtime.rank(), start_, described_by_) {
    for (reference& step : steps_) take_step(from, step);
    for (std::size_t i = 1; i < steps_.size(); ++i) steps_[i - 1].next = &steps_[i];
  }
  bool go() { return way_.go(steps_.empty() ? nullptr : steps_.data()); }
  section result(gfortran::type_code type, int kind) const noexcept {
    return way_.result(type, kind);
  }

 private:
  std::byte* start_;
  const gfortran::array_descriptor* described_by_;
  std::vector<reference> steps_;
  walk way_;
};

// --- at the owner

constexpr std::uint64_t is_done = 1;

/// An answer of one word. Other answers have 0 bytes where the owner refuses.
std::size_t answer_word(std::span<std::byte> answer, std::uint64_t word) noexcept {
  std::memcpy(answer.data(), &word, sizeof word);
  return sizeof word;
}

std::size_t answer_get(process_state& us, std::span<const std::byte> request,
                       std::span<std::byte> answer) {
  unpacker from(request);
  const auto type = from.get<gfortran::type_code>();
  const auto kind = from.get<int>();
  received_chain chain(us, from);
  if (!chain.go()) return 0;
  const section found = chain.result(type, kind);
  if (found.item.bytes == 0) return 0;
  packer head;
  head.put(is_done);
  put_shape(head, found);
  const std::size_t head_bytes = head.bytes().size();
  const std::size_t data_bytes = found.count() * found.item.bytes;
  if (head_bytes + data_bytes > answer.size()) return 0;
  std::copy(head.bytes().begin(), head.bytes().end(), answer.begin());
  assign(packed_like(found, answer.data() + head_bytes, found.item), found);
  return head_bytes + data_bytes;
}

/// Whether elements of one shape and of types that convert can be assigned.
bool conforms(const section& to, const section& from) noexcept {
  if (!is_convertible(to.item, from.item)) return false;
  if (from.rank == 0) return true;
  if (to.rank != from.rank) return false;
  for (int d = 0; d < to.rank; ++d) {
    if (to.dim[d].count != from.dim[d].count) return false;
  }
  return true;
}

std::size_t answer_send(process_state& us, std::span<const std::byte> request,
                        std::span<std::byte> answer) {
  unpacker from(request);
  const auto type = from.get<gfortran::type_code>();
  const auto kind = from.get<int>();
  received_chain chain(us, from);
  if (!chain.go()) return 0;
  const section target = chain.result(type, kind);
  const section data = take_packed(from);
  if (target.item.bytes == 0 || !conforms(target, data)) return 0;
  assign(target, data);
  return answer_word(answer, is_done);
}

std::size_t answer_find(process_state& us, std::span<const std::byte> request,
                        std::span<std::byte> answer) {
  unpacker from(request);
  received_chain chain(us, from);
  return answer_word(answer, chain.go() ? 1 : 0);
}

}  // namespace

void serve_chains(owner_calls& calls) noexcept {
  calls.serve(owner_task::get_chain, answer_get);
  calls.serve(owner_task::send_chain, answer_send);
  calls.serve(owner_task::find_chain, answer_find);
}

bool is_reached_by_messages(const process_state& us, rank_id rank) noexcept {
  const route& way = us.heaps.routes()[rank];
  return rank != us.runtime.rank() && way.direct(way.base(), 1) == nullptr;
}

bool get_chain(process_state& us, rank_id rank, const referenced& from, section& data) {
  us.writes.wait();  // they may be to bytes that the owner is about to read
  packer request;
  request.put(from.type);
  request.put(from.kind);
  put_chain(request, us, rank, *from.object, from.chain);
  if (request.bytes().size() > us.calls.most()) return false;
  const std::span<const std::byte> answer =
      us.calls.call(rank, owner_task::get_chain, request.bytes());
  if (answer.empty()) return false;
  unpacker result(answer.subspan(sizeof is_done));
  data = take_packed(result);
  return true;
}

bool send_chain(process_state& us, rank_id rank, const referenced& to, const section& data) {
  const std::size_t bytes = data.count() * data.item.bytes;
  if (bytes > us.calls.most()) return false;
  us.writes.wait();  // they may be to the same place
  packer request;
  request.put(to.type);
  request.put(to.kind);
  put_chain(request, us, rank, *to.object, to.chain);
  put_shape(request, data);
  assign(packed_like(data, request.make_room(bytes), data.item), data);
  if (request.bytes().size() > us.calls.most()) return false;
  return !us.calls.call(rank, owner_task::send_chain, request.bytes()).empty();
}

bool find_chain(process_state& us, rank_id rank, const coarray& object, const reference* chain,
                bool& is_allocated) {
  us.writes.wait();
  packer request;
  put_chain(request, us, rank, object, chain);
  if (request.bytes().size() > us.calls.most()) return false;
  const std::span<const std::byte> answer =
      us.calls.call(rank, owner_task::find_chain, request.bytes());
  if (answer.empty()) return false;
  is_allocated = unpacker(answer).get<std::uint64_t>() != 0;
  return true;
}

}  // namespace atl::coarray
