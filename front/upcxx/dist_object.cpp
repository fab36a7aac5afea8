// SPDX-License-Identifier: BSD-3-Clause
//
// The names of distributed objects in this process. An entry is made by the object's constructor,
// or by a call from another rank that comes first and has to wait for the object. Only the holder
// of the master persona uses the entries.
#include <upcxx/dist_object.hpp>

#include <front/upcxx/process_state.hpp>
#include <upcxx/progress.hpp>

#include <utility>

namespace atl::upcxx_front {
namespace {

// Objects of a team are numbered as they are made: an object whose number has been given already,
// and which is not here, never will be.
void need_object_to_come(const object_name& name, const char* call) noexcept {
  const auto team = the_process->teams.find(name.team);
  if (team == the_process->teams.end() || name.number > team->second.objects) return;
  refuse(call, "the distributed object has been destroyed in this process",
         "let all ranks be through with an object, by a barrier, before one of them destroys it");
}

}  // namespace

object_name next_object_name(const upcxx::team& team) noexcept {
  need_job("dist_object::dist_object");
  return {team.id(), ++the_process->teams[team.id()].objects};
}

void begin_object(const object_name& name, void* address) {
  the_process->objects[name].address = address;
  defer_work(make_work([name] {
    if (the_process == nullptr) return;
    const auto found = the_process->objects.find(name);
    if (found == the_process->objects.end() || found->second.address == nullptr) return;
    process_state::object_entry& entry = found->second;
    entry.is_notified = true;
    if (auto waiting = std::exchange(entry.awaited, std::nullopt)) {
      waiting->fulfill_result(entry.address);
    }
  }));
}

void set_object(const object_name& name, void* address) noexcept {
  the_process->objects[name].address = address;
}

void end_object(const object_name& name) noexcept {
  if (!upcxx::master_persona().active_with_caller()) [[unlikely]] {
    refuse_object("dist_object::~dist_object",
                  "the calling thread does not hold the master persona");
  }
  the_process->objects.erase(name);
}

void* look_up_object(const object_name& name) noexcept {
  need_job("dist_id::here");
  const auto found = the_process->objects.find(name);
  if (found != the_process->objects.end()) return found->second.address;
  need_object_to_come(name, "dist_id::here, or an argument of an rpc");
  return nullptr;
}

upcxx::future<void*> find_object(const object_name& name) {
  need_job("dist_id::when_here");
  if (!the_process->objects.contains(name)) need_object_to_come(name, "dist_id::when_here");
  process_state::object_entry& entry = the_process->objects[name];
  if (entry.is_notified || (entry.address != nullptr && upcxx::in_progress()))
    return upcxx::make_future(entry.address);
  if (!entry.awaited) entry.awaited.emplace();
  return entry.awaited->get_future();
}

void refuse_object(const char* call, const char* cause) noexcept {
  refuse(call, cause, "ask is_active() and has_value() before; only members of its team have it");
}

}  // namespace atl::upcxx_front
