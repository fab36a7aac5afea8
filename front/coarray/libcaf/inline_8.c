/* SPDX-License-Identifier: BSD-3-Clause

   Coindexed reads and writes of one value, which the compiler inlines where programs of gfortran 8
   to 14 call them. The command caf compiles this file with each object that is optimised, to
   gfortran's intermediate form of a program (-flto), and joins the two before gfortran goes on. It
   is C, and is installed as source, because each gfortran has a C compiler beside it, and
   understands that form only from its own version. Objects are not optimised together: gfortran may
   give a derived type another layout in another file, and would then take one variable for two.

   gfortran makes descriptors of both sides on the stack, and the "memory" clobbers that it puts
   beside a call force it to keep them. But a descriptor whose address is never taken stays in
   registers, and its parts that are known when compiling cost nothing. So only members of
   descriptors are read here, and scalars go to the library by value. The size of the object, which
   is known as soon as a call has been inlined, tells whether a descriptor is that of a scalar.

   The names are those of libcaf_atoll; caf makes them local to the object. */
#include <atoll_coarray/gfortran_8.h>
#include <atoll_coarray/table.h>
#include <string.h>

typedef struct atoll_coarray_descriptor descriptor;
typedef struct atoll_coarray_reference reference;
typedef struct atoll_coarray_token token_object;
typedef struct atoll_coarray_value value;

#define IN_CALLER inline __attribute__((always_inline))
#define ALWAYS_INLINE static IN_CALLER
#define LIKELY(condition) __builtin_expect(!!(condition), 1)

/* A descriptor with a dimension is larger. */
#define IS_OF_SCALAR(described)          \
  (__builtin_object_size(described, 0) < \
   offsetof(descriptor, dim) + sizeof(struct atoll_coarray_dimension))
#define IS_KNOWN_OBJECT(object) (__builtin_object_size(object, 0) + 1 > sizeof *(object))

/* Larger values justify a call. */
#define INLINE_BYTES 16

ALWAYS_INLINE value value_of(const descriptor* described, int kind) {
  const value found = {described->data, described->element_bytes, described->type, kind};
  return found;
}

ALWAYS_INLINE bool are_alike(value one, value other) {
  return one.type == other.type && one.kind == other.kind && one.bytes == other.bytes &&
         one.bytes - 1 < INLINE_BYTES;
}

/* The route to an image of the current team; null where inline code has none. */
ALWAYS_INLINE const atoll_route* route_to(int image) {
  const atoll_coarray_table* const table = &atoll_coarray_direct;
  const uint32_t member = (uint32_t)image - 1;
  const char* found;
  if (!LIKELY(member < table->images)) return NULL;
  found = table->first_route + (ptrdiff_t)member * table->route_stride;
  if (found == NULL) __builtin_unreachable(); /* so that the caller's test costs nothing */
  return (const atoll_route*)(const void*)found;
}

ALWAYS_INLINE bool reaches(const atoll_route* route, size_t offset, size_t bytes) {
  const size_t beyond_word = bytes > 8 ? bytes - 8 : 0;
  if (!LIKELY(offset < route->word_places)) return false;
  return beyond_word == 0 || route->word_places - offset > beyond_word;
}

/* The address in this process of `bytes` bytes at an offset in an image's part, or null. */
ALWAYS_INLINE char* find_bytes(const atoll_route* route, size_t offset, size_t bytes) {
  char* found;
  if (!reaches(route, offset, bytes)) return NULL;
  found = route->local + offset;
  if (found == NULL) __builtin_unreachable();
  return found;
}

ALWAYS_INLINE size_t offset_of(const token_object* token, size_t offset) {
  return (size_t)(token->memory - atoll_coarray_direct.heap_base) + offset;
}

ALWAYS_INLINE char* find_value(const token_object* token, size_t offset, int image, size_t bytes) {
  const atoll_route* const route = route_to(image);
  return route == NULL ? NULL : find_bytes(route, offset_of(token, offset), bytes);
}

ALWAYS_INLINE void copy_value(void* to, const void* from, size_t bytes) {
  if (bytes == 8) {
    memcpy(to, from, 8);
  } else if (bytes == 4) {
    memcpy(to, from, 4);
  } else {
    memmove(to, from, bytes);
  }
  ATOLL_ORDER();
}

/* The end of a chain that leads to a component, or to one element of a component that is an array
   of one dimension; null where the chain has another form, or leads out of mapped memory. */
ALWAYS_INLINE char* find_part(const token_object* token, int image, const reference* first,
                              size_t bytes) {
  const reference* const second = first->next;
  const atoll_route* route;
  const descriptor* array;
  char* found;
  if (first->kind != ATOLL_COARRAY_COMPONENT) return NULL;
  if (first->part.component.token_offset == 0) {
    return second == NULL ? find_value(token, (size_t)first->part.component.offset, image, bytes)
                          : NULL;
  }
  if (second == NULL || second->kind != ATOLL_COARRAY_ARRAY || second->next != NULL ||
      second->part.array.mode[0] != ATOLL_COARRAY_ONE_SUBSCRIPT ||
      second->part.array.mode[1] != ATOLL_COARRAY_NO_SUBSCRIPT)
    return NULL;
  route = route_to(image);
  if (route == NULL) return NULL;
  /* A descriptor that begins in the heaps is part of an object there. */
  found = find_bytes(route, offset_of(token, (size_t)first->part.component.offset), sizeof(char*));
  if (found == NULL) return NULL;
  array = (const descriptor*)(void*)found;
  if (array->span == 0) return NULL;
  found = array->data + (second->part.array.dim[0].start - array->dim[0].lower) *
                            array->dim[0].stride * array->span;
  if (!reaches(route, (uintptr_t)found - route->distance_base, bytes)) return NULL;
  if (found == NULL) __builtin_unreachable();
  return found;
}

/* ---- the names that the compiler calls ------------------------------------------------------- */

void _gfortran_caf_get(token_object* token, size_t offset, int image, descriptor* source,
                       const void* source_vectors, descriptor* target, int source_kind,
                       int target_kind, bool may_overlap, int* stat);
void _gfortran_caf_send(token_object* token, size_t offset, int image, descriptor* target,
                        const void* target_vectors, descriptor* source, int target_kind,
                        int source_kind, bool may_overlap, int* stat, void* team);
void _gfortran_caf_get_by_ref(token_object* token, int image, descriptor* target,
                              const reference* chain, int target_kind, int source_kind,
                              bool may_overlap, bool may_allocate, int* stat, int source_type);
void _gfortran_caf_send_by_ref(token_object* token, int image, descriptor* source,
                               const reference* chain, int target_kind, int source_kind,
                               bool may_overlap, bool may_allocate, int* stat, int target_type);

IN_CALLER void _gfortran_caf_get(token_object* token, size_t offset, int image, descriptor* source,
                                 const void* source_vectors, descriptor* target, int source_kind,
                                 int target_kind, bool may_overlap, int* stat) {
  if (stat == NULL && source_vectors == NULL && IS_OF_SCALAR(source) && IS_OF_SCALAR(target)) {
    const value from = value_of(source, source_kind);
    const value to = value_of(target, target_kind);
    const char* const found =
        are_alike(from, to) ? find_value(token, offset, image, to.bytes) : NULL;
    if (LIKELY(found != NULL)) {
      copy_value(to.data, found, to.bytes);
    } else {
      atoll_coarray_get_value(token, offset, image, from, to);
    }
    return;
  }
  atoll_coarray_get(token, offset, image, source, source_vectors, target, source_kind, target_kind,
                    may_overlap, stat);
}

IN_CALLER void _gfortran_caf_send(token_object* token, size_t offset, int image, descriptor* target,
                                  const void* target_vectors, descriptor* source, int target_kind,
                                  int source_kind, bool may_overlap, int* stat, void* team) {
  if (stat == NULL && team == NULL && target_vectors == NULL && IS_OF_SCALAR(target) &&
      IS_OF_SCALAR(source)) {
    const value to = value_of(target, target_kind);
    const value from = value_of(source, source_kind);
    char* const found = are_alike(from, to) ? find_value(token, offset, image, to.bytes) : NULL;
    if (LIKELY(found != NULL)) {
      copy_value(found, from.data, from.bytes);
    } else {
      atoll_coarray_send_value(token, offset, image, to, from);
    }
    return;
  }
  atoll_coarray_send(token, offset, image, target, target_vectors, source, target_kind, source_kind,
                     may_overlap, stat, team);
}

IN_CALLER void _gfortran_caf_get_by_ref(token_object* token, int image, descriptor* target,
                                        const reference* chain, int target_kind, int source_kind,
                                        bool may_overlap, bool may_allocate, int* stat,
                                        int source_type) {
  if (stat == NULL && IS_OF_SCALAR(target) && IS_KNOWN_OBJECT(chain)) {
    const value to = value_of(target, target_kind);
    const value from = {NULL, to.bytes, source_type,
                        source_kind}; /* of numbers the kind tells it */
    const char* const found = are_alike(from, to) && source_type <= ATOLL_COARRAY_COMPLEX
                                  ? find_part(token, image, chain, to.bytes)
                                  : NULL;
    if (LIKELY(found != NULL)) {
      copy_value(to.data, found, to.bytes);
    } else {
      atoll_coarray_get_part(token, image, to, *chain, source_kind, source_type);
    }
    return;
  }
  atoll_coarray_get_by_ref(token, image, target, chain, target_kind, source_kind, may_overlap,
                           may_allocate, stat, source_type);
}

IN_CALLER void _gfortran_caf_send_by_ref(token_object* token, int image, descriptor* source,
                                         const reference* chain, int target_kind, int source_kind,
                                         bool may_overlap, bool may_allocate, int* stat,
                                         int target_type) {
  if (stat == NULL && IS_OF_SCALAR(source) && IS_KNOWN_OBJECT(chain)) {
    const value from = value_of(source, source_kind);
    const value to = {NULL, from.bytes, target_type, target_kind};
    char* const found = are_alike(from, to) && target_type <= ATOLL_COARRAY_COMPLEX
                            ? find_part(token, image, chain, from.bytes)
                            : NULL;
    if (LIKELY(found != NULL)) {
      copy_value(found, from.data, from.bytes);
    } else {
      atoll_coarray_send_part(token, image, from, *chain, target_kind, target_type);
    }
    return;
  }
  atoll_coarray_send_by_ref(token, image, source, chain, target_kind, source_kind, may_overlap,
                            may_allocate, stat, target_type);
}
