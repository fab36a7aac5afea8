// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the messages of a chain of components: none where all memory of the chain is mapped, one
// request and its answer where the image is reached by messages only. The object is as gfortran
// makes it from
//
//   type part
//     real(8), allocatable :: values(:)
//   end type
//   type whole
//     type(part), allocatable :: parts(:)
//   end type
//   type(whole), save :: x[*]
//
// and the chain is that of x[p]%parts(2)%values(2:5). It is written here by hand, so that the test
// needs no Fortran compiler and runs under sanitizers. So are the calls that allocate and free such
// objects, after which the heap has as many blocks as before. A coarray has the same place on all
// images, even if one of them has another free place.
#include <atoll/coll/collectives.hpp>
#include <atoll/trace/counters.hpp>
#include <front/coarray/access/access.hpp>
#include <front/coarray/access/chain_calls.hpp>
#include <front/coarray/access/reference.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/atomics.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace caf = atl::coarray;
namespace gf = atl::coarray::gfortran;

namespace {

// The compiler's descriptor has room for the dimensions of the array; this one has room for the
// most.
struct component {
  gf::array_descriptor described;
  caf::coarray* token;
};

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "image %d misses: %s\n", caf::running().this_image(), what);
  std::_Exit(EXIT_FAILURE);
}

void describe(gf::array_descriptor& made, gf::type_code type, std::size_t item_bytes,
              std::ptrdiff_t count) {
  made.dtype = {item_bytes, 0, 1, type, 0};
  made.span = static_cast<std::ptrdiff_t>(item_bytes);
  made.dim[0] = {1, 1, count};
}

/// ALLOCATE of a component with `count` elements.
void allocate(component& part, gf::type_code type, std::size_t item_bytes, std::ptrdiff_t count) {
  describe(part.described, type, item_bytes, count);
  caf::register_coarray(item_bytes * static_cast<std::size_t>(count),
                        caf::registration::component_only_token, &part.token, &part.described, {});
  caf::register_coarray(item_bytes * static_cast<std::size_t>(count),
                        caf::registration::component_only_data, &part.token, &part.described, {});
}

gf::reference component_step(std::size_t item_bytes) {
  gf::reference step = {};
  step.kind = gf::reference_kind::component;
  step.item_bytes = item_bytes;
  step.component = {0, offsetof(component, token)};
  return step;
}

gf::reference array_step(std::size_t item_bytes, gf::subscript_mode mode, std::ptrdiff_t first,
                         std::ptrdiff_t last) {
  gf::reference step = {};
  step.kind = gf::reference_kind::array;
  step.item_bytes = item_bytes;
  step.array.mode[0] = mode;
  step.array.dim[0].triplet = {first, last, 1};
  return step;
}

std::uint64_t requests() {
  return atl::trace::read()[static_cast<std::size_t>(atl::trace::counter::requests)];
}

/// x[p]%parts(2)%values(first:last)
struct chain {
  std::array<gf::reference, 4> steps{
      component_step(sizeof(component)),
      array_step(sizeof(component), gf::subscript_mode::single, 2, 2),
      component_step(sizeof(double)), array_step(sizeof(double), gf::subscript_mode::range, 0, 0)};
  chain(std::ptrdiff_t first, std::ptrdiff_t last) {
    steps.back().array.dim[0].triplet = {first, last, 1};
    for (std::size_t i = 1; i < steps.size(); ++i) steps[i - 1].next = &steps[i];
  }
};

// --- objects that are allocated and freed

/// Registers a component of a new object, as the compiler does.
void open(component& part) {
  describe(part.described, gf::type_code::real, sizeof(double), 0);
  part.described.data = nullptr;
  caf::register_coarray(1, caf::registration::component_only_token, &part.token, &part.described,
                        {});
}

/// free() of the program, after which the component has no memory.
void free_data(component& part) {
  check(caf::free_component_data(part.described.data), "the memory of a component is known");
  part.described.data = nullptr;
}

/// DEALLOCATE of a component.
void deallocate(component& part) {
  caf::deregister_coarray(&part.token, caf::deregistration::only_data, {});
  part.described.data = nullptr;
}

void copy(component& to, const component& from) {
  to = from;
  caf::register_coarray(6 * sizeof(double), caf::registration::allocatable, &to.token,
                        &to.described, {});
}

/// p => q, of which q was allocated and p is deallocated last.
void associate(component& pointer, const component& allocated) {
  pointer.described.data = allocated.described.data;
}

/// ALLOCATE of a coarray of four components, what a program may do with them, and DEALLOCATE.
void allocate_and_free(atl::memory::heap& heap) {
  caf::coarray* object = nullptr;
  gf::array_descriptor described = {};
  described.dtype = {4 * sizeof(component), 0, 0, gf::type_code::derived, 0};
  caf::register_coarray(4 * sizeof(component), caf::registration::allocatable, &object, &described,
                        {});
  auto* const parts = reinterpret_cast<component*>(described.data);
  for (int i = 0; i < 4; ++i) open(parts[i]);
  allocate(parts[0], gf::type_code::real, sizeof(double), 6);
  copy(parts[1], parts[0]);
  check(parts[0].token != parts[1].token, "a copy has a token of its own");
  deallocate(parts[0]);
  allocate(parts[0], gf::type_code::real, sizeof(double), 9);
  free_data(parts[0]);

  allocate(parts[2], gf::type_code::real, sizeof(double), 3);
  component kept = parts[2];
  allocate(parts[3], gf::type_code::real, sizeof(double), 3);
  associate(parts[2], parts[3]);
  deallocate(parts[2]);
  check(heap.find_misuse(kept.described.data).empty(), "the target of another pointer stays");
  free_data(kept);
  caf::deregister_coarray(&parts[1].token, caf::deregistration::everything, {});
  caf::deregister_coarray(&parts[3].token, caf::deregistration::everything, {});
  caf::deregister_coarray(&object, caf::deregistration::everything, {});
}

/// Image 1 has used the place that the others would choose for a coarray.
void check_that_places_agree(caf::process_state& us) {
  void* const taken = us.this_image() == 1 ? us.heap.hold_local(4096) : nullptr;
  caf::coarray* object = nullptr;
  gf::array_descriptor described = {};
  described.dtype = {4096, 0, 0, gf::type_code::derived, 0};
  caf::register_coarray(4096, caf::registration::allocatable, &object, &described, {});
  const auto place = static_cast<std::uint64_t>(object->memory - us.heap_base);
  std::uint64_t highest = 0;
  atl::coll::allreduce(*us.current->core, &highest, &place, 1,
                       atl::coll::built_in(atl::coll::reduce_operation::max, atl::data_type::u64));
  check(place == highest && object->memory != taken, "a coarray has one place on all images");
  check(us.heap.block_bytes(object->memory) == 4096, "a coarray is a block of the heap");
  caf::deregister_coarray(&object, caf::deregistration::everything, {});
  if (taken != nullptr) us.heap.free_local(taken);
}

void check_that_tokens_end(caf::process_state& us) {
  atl::memory::heap& heap = us.runtime.heap();
  allocate_and_free(heap);
  const atl::memory::heap_usage once = heap.usage();
  for (int i = 0; i < 3; ++i) allocate_and_free(heap);
  check(heap.usage().used_bytes == once.used_bytes && heap.usage().blocks == once.blocks,
        "objects that are gone leave nothing in the heap");
}

/// The last number of an image's heaps, which stays as it is.
void check_that_the_end_is_reached(caf::process_state& us) {
  const auto rank = static_cast<atl::rank_id>(us.this_image()) % us.image_count();
  if (caf::is_reached_by_messages(us, rank)) return;
  const atl::segment_part part = us.heaps.part(rank);
  std::byte* const place = part.base + part.bytes - sizeof(std::int32_t);
  const std::int32_t nothing = 0;
  std::int32_t seen = 0;
  std::int32_t got = 0;
  const std::uint64_t sent = requests();
  caf::run_atomic("a test", {rank, place}, sizeof nothing,
                  {.op = atl::atomic_op::fetch_add, .operand = &nothing, .old = &seen}, {});
  caf::read_bytes(us, rank, &got, place, sizeof got);
  caf::write_bytes(us, rank, place, &got, sizeof got);
  check(requests() == sent, "the last bytes of mapped memory take no request");
  check(got == seen, "an atomic and a read see one number");
}

void check_the_heaps(caf::process_state& us) {
  check_that_tokens_end(us);
  check_that_places_agree(us);
  check_that_the_end_is_reached(us);
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) caf::start(caf::state_layout + 1);  // as a program with an older libcaf_atoll.a
  caf::process_state& us = caf::running();
  check_the_heaps(us);
  static caf::coarray* x = nullptr;  // static, like the compiler's tokens
  gf::array_descriptor described = {};
  caf::register_coarray(sizeof(component), caf::registration::static_data, &x, &described, {});
  auto& root = *reinterpret_cast<component*>(described.data);
  const int other = us.this_image() % static_cast<int>(us.image_count()) + 1;
  const bool is_far = caf::is_reached_by_messages(us, static_cast<atl::rank_id>(other - 1));

  const chain way(2, 5);
  const auto is_present = [&] { return caf::is_present(*x, other, way.steps.data()); };
  check(!is_present(), "a component that is not allocated");
  caf::sync_all({});
  allocate(root, gf::type_code::derived, sizeof(component), 3);
  auto* const parts = reinterpret_cast<component*>(root.described.data);
  std::fill_n(reinterpret_cast<std::byte*>(parts), 3 * sizeof(component), std::byte{0});
  allocate(parts[1], gf::type_code::real, sizeof(double), 6);
  auto* const values = reinterpret_cast<double*>(parts[1].described.data);
  std::iota(values, values + 6, 10.0 * us.this_image());
  caf::sync_all({});

  std::array<double, 4> got{};
  gf::array_descriptor local = {};
  describe(local, gf::type_code::real, sizeof(double), 4);
  local.data = reinterpret_cast<std::byte*>(got.data());
  const caf::referenced there{x, other, way.steps.data(), 8, gf::type_code::real};
  const std::uint64_t expected = is_far ? 1 : 0;

  std::uint64_t sent = requests();
  check(is_present(), "a component that is allocated");
  check(requests() - sent == expected, "ALLOCATED() takes one request where nothing is mapped");

  sent = requests();
  caf::get_by_reference({&local, 8}, there, false);
  check(requests() - sent == expected, "a read takes one request where nothing is mapped");
  check(got[0] == 10.0 * other + 1 && got[3] == 10.0 * other + 4, "the values that are read");
  caf::sync_all({});

  got.fill(-other);
  sent = requests();
  caf::send_by_reference(there, {&local, 8});
  check(requests() - sent == expected, "a write takes one request where nothing is mapped");
  caf::sync_all({});
  check(values[0] == 10.0 * us.this_image() && values[1] == -us.this_image() &&
            values[4] == -us.this_image() && values[5] == 10.0 * us.this_image() + 5,
        "the values that are written");
  caf::sync_all({});

  // x[other]%parts(2)%values(5:6) = x[next]%parts(2)%values(1:2)
  const auto images = static_cast<int>(us.image_count());
  const int next = other % images + 1;
  const bool is_next_far = caf::is_reached_by_messages(us, static_cast<atl::rank_id>(next - 1));
  std::iota(values, values + 6, 100.0 * us.this_image());
  caf::sync_all({});
  const chain head(1, 2);
  const chain tail(5, 6);
  sent = requests();
  caf::sendget_by_reference({x, other, tail.steps.data(), 8, gf::type_code::real},
                            {x, next, head.steps.data(), 8, gf::type_code::real}, nullptr, nullptr);
  check(requests() - sent == expected + (is_next_far ? 1 : 0),
        "an assignment between images takes one request to each that is not mapped");
  caf::sync_all({});
  check(values[1] == 100.0 * us.this_image() + 1 && values[4] == 100.0 * other &&
            values[5] == 100.0 * other + 1,
        "the values that another image has assigned");
  caf::sync_all({});
  return EXIT_SUCCESS;
}
