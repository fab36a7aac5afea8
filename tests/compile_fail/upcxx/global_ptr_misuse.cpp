// SPDX-License-Identifier: BSD-3-Clause
//
// Uses of global pointers that the specification forbids.
// expect: global_ptr<T>: T must not be volatile
// expect: global_ptr<T>: T must not be a reference
// expect: static_pointer_cast<T>: a U* cannot be cast to T* by static_cast
// expect: reinterpret_pointer_cast<T>: a U* cannot be cast to T* by reinterpret_cast
// expect: const_pointer_cast<T>: a U* cannot be cast to T* by const_cast
// expect: static_kind_cast: one kind of memory cannot become another
// expect: dynamic_kind_cast: one kind of memory cannot become another
#include <upcxx/global_ptr.hpp>

using upcxx::global_ptr;
using upcxx::memory_kind;

extern global_ptr<volatile int> to_volatile;
extern global_ptr<int&> to_reference;
bool use_it() { return to_volatile.is_null(); }
std::size_t use_its_size() { return sizeof(to_reference); }

void cast(global_ptr<const int> readable, global_ptr<double, memory_kind::cuda_device> device) {
  static_cast<void>(upcxx::static_pointer_cast<double>(readable));
  static_cast<void>(upcxx::reinterpret_pointer_cast<char>(readable));
  static_cast<void>(upcxx::const_pointer_cast<char>(readable));
  static_cast<void>(upcxx::static_kind_cast<memory_kind::host>(device));
  static_cast<void>(upcxx::dynamic_kind_cast<memory_kind::hip_device>(device));
}
