// SPDX-License-Identifier: BSD-3-Clause
//
// A customized class without deserialize.
// expect: needs two public static member templates
#include <upcxx/serialization.hpp>

struct object {
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer&, const object&) {}
  };
};

using arrives = upcxx::deserialized_type_t<object>;
