// SPDX-License-Identifier: BSD-3-Clause
//
// The names of distributed objects in this process. An entry is made by whoever comes first: the
// constructor, or a call from another rank that has to wait for it. Used by the holder of the
// master persona only.
#include <upcxx/dist_object.hpp>

#include <front/upcxx/process.hpp>

#include <utility>

namespace atl::upcxx_front {

object_name next_object_name(const upcxx::team& of) noexcept {
  need_job("dist_object::dist_object");
  return {of.id(), ++the_process->teams[of.id()].objects};
}

void set_object(const object_name& name, void* here) {
  if (here == nullptr) {
    the_process->objects.erase(name);
    return;
  }
  process::object_entry& entry = the_process->objects[name];
  entry.here = here;
  if (auto waiting = std::exchange(entry.awaited, std::nullopt)) waiting->fulfill_result(here);
}

upcxx::future<void*> find_object(const object_name& name) {
  need_job("dist_id::when_here");
  process::object_entry& entry = the_process->objects[name];
  if (entry.here != nullptr) return upcxx::make_future(entry.here);
  if (!entry.awaited) entry.awaited.emplace();
  return entry.awaited->get_future();
}

}  // namespace atl::upcxx_front
