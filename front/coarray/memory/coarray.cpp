// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation. For a component of an object that it copies, the compiler uses the same kind of
// registration as for an allocatable coarray. Such a token lies inside a coarray, or still holds
// the token of a component that the object was copied from.
//
// A component has a token of its own only while it has memory that was allocated by that token.
// With the object the compiler gives back the memory of components, but no token, and it does not
// report pointers at all. All components without memory share one token.
#include <front/coarray/memory/coarray.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/team_creation.hpp>
#include <front/coarray/access/accessors.hpp>
#include <front/coarray/failures/agreement.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/memory/heap_sync.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace atl::coarray {
namespace {

constexpr std::size_t alignment_bytes = 64;
constexpr const char* allocate_call = "ALLOCATE";

bool is_array_of_words(registration kind) noexcept {
  return kind >= registration::static_locks && kind <= registration::allocatable_events;
}

bool is_array_of_events(registration kind) noexcept {
  return kind == registration::static_events || kind == registration::allocatable_events;
}

bool is_static(registration kind) noexcept {
  return kind == registration::static_data || kind == registration::static_locks ||
         kind == registration::critical || kind == registration::static_events;
}

/// Behind the words of the events and one more line, since processors fetch lines in pairs.
std::size_t distance_to_taken(std::size_t event_bytes) noexcept {
  return round_up(event_bytes, cache_line) + cache_line;
}

// --- tokens of components

bool is_component(const process_state& us, const coarray* token) noexcept {
  return us.components.contains(token);
}

// In shared memory, because other images read how large a component is.
coarray* make_token(process_state& us) {
  void* const memory = us.runtime.heap().allocate(sizeof(coarray), alignof(coarray));
  if (memory == nullptr)
    refuse(allocate_call, "there is no memory for a token", "raise ATOLL_SEGMENT_LIMIT");
  auto* const token = new (memory) coarray;
  us.components.add(token);
  return token;
}

// Only variables in the heaps are cleared: others may not exist any more.
void end_token(process_state& us, coarray& gone) {
  coarray** const variable = std::exchange(gone.held_at, nullptr);
  if (us.is_in_heaps(variable) && *variable == &gone) *variable = us.no_component;
  gone.memory = nullptr;
  us.components.add_spare(&gone);
}

// An allocatable coarray is never a component of an object in the heaps: such an object is neither
// allocatable nor a pointer nor a coarray (Fortran 2018, C824).
bool names_component(const process_state& us, registration kind, coarray* const* token) noexcept {
  if (kind == registration::component_only_token || kind == registration::component_only_data)
    return true;
  return kind == registration::allocatable && (us.is_in_heaps(token) || is_component(us, *token));
}

/// `call` is the statement, or the declaration.
void tell_no_room(const char* call, const status_variables& status, std::size_t bytes) noexcept {
  constexpr unsigned to_mib = 20;
  const memory_limits limits = read_memory_limits();
  status.fail(statement_error::no_memory, call,
              text("there is no memory for ", bytes, " bytes on some image; of the ",
                   limits.total_bytes >> to_mib, " MiB of this host ",
                   limits.available_bytes >> to_mib, " are free"),
              "use less or fewer images, or raise ATOLL_SYMMETRIC_LIMIT and ATOLL_SEGMENT_LIMIT if "
              "they are set");
}

// For an empty text the compiler asks for one byte, as for one letter, and never writes it. A blank
// is equal to an empty text, so other images read one.
void clear_empty_text(const coarray& owner) noexcept {
  if (owner.is_text && owner.bytes == 1) *owner.memory = std::byte{' '};
}

void register_component(process_state& us, std::size_t bytes, registration kind, coarray** token,
                        gfortran::array_descriptor* described_by, const status_variables& status) {
  if (us.no_component == nullptr) us.no_component = make_token(us);
  if (kind == registration::component_only_token) {
    *token = us.no_component;
    return status.succeed();
  }
  auto* const memory = static_cast<std::byte*>(us.runtime.heap().allocate(bytes, alignment_bytes));
  if (memory == nullptr) return tell_no_room(allocate_call, status, bytes);
  coarray* made = us.components.take_spare();
  if (made == nullptr) made = make_token(us);
  *made = {.memory = memory, .bytes = bytes, .described_by = described_by, .held_at = token};
  made->is_text = described_by->dtype.type == gfortran::type_code::character &&
                  described_by->dtype.element_bytes == 0 && described_by->dtype.rank == 0;
  clear_empty_text(*made);
  us.components.add_data(memory, made);
  described_by->data = memory;
  *token = made;
  status.succeed();
}

// --- coarrays

bool may_hold_pointers(gfortran::type_code type) noexcept {
  switch (type) {
    case gfortran::type_code::integer:
    case gfortran::type_code::logical:
    case gfortran::type_code::real:
    case gfortran::type_code::complex:
    case gfortran::type_code::character:
    case gfortran::type_code::unsigned_integer:
      return false;
    default:
      return true;
  }
}

void note_shape(coarray& made, registration kind,
                const gfortran::array_descriptor& described) noexcept {
  made.may_hold_pointers = may_hold_pointers(described.dtype.type);
  made.is_static_array =
      kind == registration::static_data && made.bytes > described.dtype.element_bytes;
  made.rank = described.dtype.rank;
}

void end_association(coarray& gone) noexcept { delete &gone; }

/// Registers an associated name, which lasts until END TEAM.
void register_associated(process_state& us, coarray** token,
                         gfortran::array_descriptor* described_by, const status_variables& status) {
  const coarray& original = **token;
  auto* const made = new coarray(original);
  made->memory = described_by->data;
  made->bytes = original.bytes - static_cast<std::size_t>(made->memory - original.memory);
  made->described_by = described_by;
  made->team = us.current;
  made->end = end_association;
  us.current->allocated.push_back(made);
  *token = made;
  status.succeed();
}

void register_shared(process_state& us, std::size_t size, registration kind, coarray** token,
                     gfortran::array_descriptor* described_by, const status_variables& status) {
  const std::size_t bytes = is_array_of_words(kind) ? size * word_bytes : size;
  const std::size_t to_taken = is_array_of_events(kind) ? distance_to_taken(bytes) : 0;
  std::byte* const memory = allocate_data(us, to_taken + bytes, status,
                                          is_static(kind) ? "a static coarray" : allocate_call);
  if (memory == nullptr) return;
  auto* const made = new coarray{memory, std::max<std::size_t>(bytes, 1), described_by, us.current};
  made->to_taken = to_taken;
  note_shape(*made, kind, *described_by);
  // Accessors of such a coarray run at the image that has it, even where images are mapped.
  if (made->may_hold_pointers && !is_array_of_words(kind) && has_accessors()) us.all_direct = false;
  const bool is_allocatable = kind == registration::allocatable ||
                              kind == registration::allocatable_locks ||
                              kind == registration::allocatable_events;
  if (is_allocatable) us.current->allocated.push_back(made);
  described_by->data = memory;
  *token = made;
}

/// The descriptor of a component whose token a variable holds: it lies beside the variable as in
/// the object for which the token was made. Null where it was not in the heaps, as that of a
/// scalar.
const gfortran::array_descriptor* descriptor_beside(const process_state& us,
                                                    coarray* const* variable) noexcept {
  const coarray& token = **variable;
  if (!us.is_in_heaps(token.described_by) || !us.is_in_heaps(token.held_at)) return nullptr;
  const std::ptrdiff_t distance = reinterpret_cast<const std::byte*>(token.described_by) -
                                  reinterpret_cast<const std::byte*>(token.held_at);
  return reinterpret_cast<const gfortran::array_descriptor*>(
      reinterpret_cast<const std::byte*>(variable) + distance);
}

bool describes_elements(const gfortran::array_descriptor& described, int rank) noexcept {
  const gfortran::array_type& item = described.dtype;
  return item.rank == rank && item.version == 0 && item.element_bytes != 0 &&
         item.type > gfortran::type_code::unknown && item.type <= gfortran::type_code::character;
}

/// The descriptor of an array of which only the variable for the token is known. The compiler puts
/// the variable behind the dimensions, and in some types behind one dimension more. Null for a
/// scalar, whose variable lies elsewhere. Two pointers to scalars and their variables behind an
/// array look like one dimension more, but are addresses and not bounds. If the memory there holds
/// chance values that could be addresses, the elements are not freed.
const gfortran::array_descriptor* descriptor_in_front_of(const process_state& us,
                                                         coarray* const* variable) noexcept {
  const auto is_address = [&us](std::ptrdiff_t bound) {
    constexpr std::ptrdiff_t bound_max = std::ptrdiff_t{1} << 32;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is only compared
    return std::abs(bound) >= bound_max || us.is_in_heaps(reinterpret_cast<const void*>(bound));
  };
  const auto* const end = reinterpret_cast<const std::byte*>(variable);
  for (int dimensions = 1; dimensions <= gfortran::max_rank + 1; ++dimensions) {
    const std::byte* const start = end - gfortran::array_descriptor::bytes_for(dimensions);
    if (!us.is_in_heaps(start)) return nullptr;
    const auto& described = *reinterpret_cast<const gfortran::array_descriptor*>(start);
    if (describes_elements(described, dimensions)) return &described;
    if (dimensions == 1 || !describes_elements(described, dimensions - 1)) continue;
    const auto* const last = reinterpret_cast<const gfortran::dimension*>(variable) - 1;
    if (!is_address(last->stride) && !is_address(last->lower) && !is_address(last->upper))
      return &described;
  }
  return nullptr;
}

/// Gives back the memory of the component. A pointer may have got another target since its token
/// was made. Or the token may be that of another object, from which this one was copied long ago,
/// and may serve a third object already. So without a descriptor only the variable for which the
/// token was made gives anything back. An array whose variable has no token of its own may still
/// have elements: those of a pointer whose target was allocated elsewhere, from where it also has
/// the variable.
void deregister_component(process_state& us, coarray** token, deregistration kind) noexcept {
  coarray* const gone = *token;
  const bool is_alive = is_component(us, gone) && gone->memory != nullptr;
  const gfortran::array_descriptor* const described =
      is_alive ? descriptor_beside(us, token) : nullptr;
  const bool is_of_token = gone->held_at == token;
  if (is_alive && (described == nullptr ? is_of_token : described->data == gone->memory)) {
    free_component_data(gone->memory);
  } else if (described != nullptr && is_of_token) {
    if (!free_component_data(described->data)) std::free(described->data);
  } else if (us.is_in_heaps(token) && (gone == us.no_component || !is_component(us, gone))) {
    if (const auto* const array = descriptor_in_front_of(us, token))
      free_component_data(array->data);
  }
  *token = kind == deregistration::only_data ? us.no_component : nullptr;
}

// Afterwards the program's descriptor says that the coarray is not allocated.
void end_in_program(coarray& gone) noexcept {
  gfortran::array_descriptor* const program = gone.described_by;
  if (program != nullptr && program->data == gone.memory) program->data = nullptr;
}

}  // namespace

remote_place place_of(const char* call, const coarray& object, std::size_t offset_bytes,
                      int image) noexcept {
  const process_state& us = running();
  const rank_id rank = image == 0 ? us.runtime.rank() : rank_of(us, call, image);
  return {rank, us.remote_address(rank, object.memory) + offset_bytes};
}

namespace {

/// One ALLOCATE of a coarray, by all members of the current team, or by the survivors if one fails.
class allocation {
 public:
  allocation(process_state& us, std::size_t bytes, const status_variables& status, const char* call)
      : us_(us),
        team_(*us.current),
        bytes_(std::max<std::size_t>(bytes, 1)),
        status_(status),
        call_(call) {}

  std::byte* run() {
    const heap_sync begin = begin_together();
    const sync_result begun = begin.synced;
    if (begun == sync_result::missed) return nullptr;
    if (begin.is_agreed) {
      us_.next_sync_all_tolerates_losses = status_.stat != nullptr;
      status_.succeed();
      return memory_;
    }
    const bool is_done = begun == sync_result::of_all && allocate_by(*team_.core);
    sync_result synced = complete_together(us_, team_, is_done, call_, status_);
    if (synced == sync_result::of_survivors) synced = allocate_by_survivors();
    if (synced == sync_result::missed) return nullptr;
    us_.next_sync_all_tolerates_losses = status_.stat != nullptr;
    if (memory_ == nullptr) {
      tell_no_room(call_, status_, bytes_);
    } else {
      conclude(us_, team_, call_, synced, status_);
    }
    return memory_;
  }

 private:
  /// Holds memory and clears it before the others know of it, because they may write to it as soon
  /// as they do.
  heap_sync begin_together() {
    std::byte* held = nullptr;
    if (team_.is_on_host) {
      held = static_cast<std::byte*>(us_.heap.hold_local(bytes_, alignment_bytes));
      if (held != nullptr) std::memset(held, 0, bytes_);
    }
    const heap_sync begun =
        sync_with_request(us_, team_, request_for(us_, held, bytes_, false), call_, status_);
    if (begun.is_agreed) {
      us_.heap.accept_local(*team_.core, held);
      memory_ = held;
    } else if (held != nullptr) {
      us_.heap.free_local(held);
    }
    return begun;
  }

  /// False: a member is lost. Without room the memory is null on all members.
  bool allocate_by(atl::team& members) {
    try {
      memory_ = static_cast<std::byte*>(us_.heap.allocate(members, bytes_, alignment_bytes));
    } catch (const error& refused) {
      if (any_has_failed(us_)) return false;
      refuse(call_, refused.what(),
             "all images of the team allocate the same coarrays in the same order");
    }
    if (memory_ != nullptr) std::memset(memory_, 0, bytes_);
    return true;
  }

  sync_result allocate_by_survivors() {
    for (;;) {
      agreed_list left;
      switch (agree(us_, team_, {}, call_, status_, left)) {
        case agreement::missed:
          return sync_result::missed;
        case agreement::complete:
          count_completed(team_);
          return sync_result::of_all;
        case agreement::reached:
          break;
      }
      const bool is_done = gather(left) && allocate_by(*team_.survivors);
      if (!enter(us_, team_, call_, status_)) return sync_result::missed;
      agree(us_, team_, {is_done ? 1u : 0u}, call_, status_, left);
      if (std::all_of(left.begin(), left.end(),
                      [](const agreed_member& each) { return each.offered[0] == 1; }))
        return sync_result::of_survivors;
      if (!enter(us_, team_, call_, status_)) return sync_result::missed;
    }
  }

  /// Makes a team of the survivors, or keeps the last one. False: one of them has failed since. A
  /// team that has lost a member is left as it is, because ending it would wait for that member.
  bool gather(const agreed_list& left) {
    std::vector<rank_id> ranks;
    for (const agreed_member& each : left) ranks.push_back(team_.core->job_rank(each.member));
    const rank_set members(ranks);
    if (team_.survivors != nullptr && team_.survivors->members() == members) return true;
    (void)team_.survivors.release();
    try {
      team_.survivors = coll::create_team_alone(us_.runtime, members);
    } catch (const error&) {
      return false;
    }
    return true;
  }

  process_state& us_;
  image_team& team_;
  std::size_t bytes_;
  const status_variables& status_;
  const char* call_;
  std::byte* memory_ = nullptr;
};

}  // namespace

std::byte* allocate_data(process_state& us, std::size_t bytes, const status_variables& status,
                         const char* call) noexcept {
  return allocation(us, bytes, status, call != nullptr ? call : allocate_call).run();
}

bool does_sync_all_tolerate_losses() noexcept {
  return std::exchange(running().next_sync_all_tolerates_losses, false);
}

void give_back(process_state& us, coarray& gone) noexcept {
  std::byte* const memory = std::exchange(gone.memory, nullptr);
  if (find_failed(us, *gone.team) != 0) return;
  try {
    us.heap.free(*gone.team->core, memory);
  } catch (const error& refused) {
    if (find_failed(us, *gone.team) != 0) return;
    refuse("DEALLOCATE", refused.what(),
           "all images of the team deallocate the same coarrays in the same order");
  }
}

void register_coarray(std::size_t size, registration kind, coarray** token,
                      gfortran::array_descriptor* described_by,
                      const status_variables& status) noexcept {
  process_state& us = running();
  if (kind == registration::associated) return register_associated(us, token, described_by, status);
  if (names_component(us, kind, token)) {
    register_component(us, std::max<std::size_t>(size, 1), kind, token, described_by, status);
  } else {
    register_shared(us, size, kind, token, described_by, status);
  }
}

void deregister_coarray(coarray** token, deregistration kind,
                        const status_variables& status) noexcept {
  process_state& us = running();
  if (us.has_ended) return status.succeed();
  if (us.is_in_heaps(token) || is_component(us, *token)) {
    deregister_component(us, token, kind);
    return status.succeed();
  }
  if (*token == nullptr) return status.succeed();
  coarray& gone = **token;
  static constexpr const char* call = "DEALLOCATE";
  image_team& team = *gone.team;
  const auto [synced, is_agreed] =
      sync_with_request(us, team, request_for(us, gone.memory, gone.bytes, true), call, status);
  if (synced == sync_result::missed) return;
  if (gone.memory != nullptr) {
    std::erase(gone.team->allocated, &gone);
    if (synced == sync_result::of_survivors)
      end_in_program(gone);  // the program does not do that itself when STAT= is not 0
    is_agreed ? us.heap.free_local(std::exchange(gone.memory, nullptr)) : give_back(us, gone);
  }
  if (kind == deregistration::everything) {
    delete &gone;
    *token = nullptr;
  }
  conclude(us, team, call, synced, status);
}

void deallocate_all(process_state& us, image_team& team) noexcept {
  while (!team.allocated.empty()) {
    coarray* const gone = team.allocated.back();
    team.allocated.pop_back();
    if (gone->end != nullptr) {
      gone->end(*gone);
      continue;
    }
    end_in_program(*gone);
    give_back(us, *gone);
  }
}

namespace {

// Most often the program has written in front of an array or behind one.
void free_data(process_state& us, void* data) noexcept {
  const std::string_view wrong = us.runtime.heap().try_free(data);
  if (!wrong.empty()) [[unlikely]] {
    refuse("DEALLOCATE, or the end of a variable", text("memory at ", data, ": ", wrong),
           "compile with -fcheck=bounds, which finds writes outside of arrays, and see whether two "
           "pointers free it");
  }
}

}  // namespace

bool free_component_data(void* data) noexcept {
  process_state* const us = the_process;
  if (us == nullptr || !us->is_in_heaps(data)) return false;
  coarray* const owner = us->components.remove_data(data);
  if (us->has_ended) return true;
  if (owner != nullptr) end_token(*us, *owner);
  free_data(*us, data);
  return true;
}

void* allocate_shared_data(std::size_t bytes) noexcept {
  process_state* const us = the_process;
  return us == nullptr || us->has_ended ? nullptr : us->runtime.heap().allocate(bytes);
}

bool resize_component_data(void** data, std::size_t bytes) noexcept {
  process_state* const us = the_process;
  if (us == nullptr || !us->is_in_heaps(*data)) return false;
  memory::heap& heap = us->runtime.heap();
  void* const made = heap.allocate(bytes, alignment_bytes);
  if (made != nullptr) {
    std::memcpy(made, *data, std::min(bytes, heap.usable_size(*data)));
    coarray* const owner = us->components.remove_data(*data);
    if (owner != nullptr) {
      owner->memory = static_cast<std::byte*>(made);
      owner->bytes = bytes;
      clear_empty_text(*owner);
      us->components.add_data(made, owner);
    }
    free_data(*us, *data);
  }
  *data = made;
  return true;
}

}  // namespace atl::coarray
