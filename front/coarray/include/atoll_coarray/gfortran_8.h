/* SPDX-License-Identifier: BSD-3-Clause

   For the inline code of programs that gfortran 8 to 14 compiles: the compiler's descriptors and
   chains of references, and the library's functions that inline code calls for accesses that it
   does not do itself. The layouts are those of front/coarray/data/gfortran.hpp, which explains
   them.

   Each function comes in two forms. One has the compiler's arguments. The other gets a scalar by
   value, so that the program needs no descriptor of it in memory: the compiler then keeps the
   descriptor in registers, and drops most of it. */
#ifndef ATOLL_COARRAY_GFORTRAN_8_H
#define ATOLL_COARRAY_GFORTRAN_8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The compiler writes these objects by types of its own, so type-based aliasing must not apply. */
#define ATOLL_COARRAY_ANY_TYPE __attribute__((may_alias))

struct atoll_coarray_dimension {
  ptrdiff_t stride;
  ptrdiff_t lower;
  ptrdiff_t upper;
};

struct ATOLL_COARRAY_ANY_TYPE atoll_coarray_descriptor {
  char* data;
  size_t offset;
  size_t element_bytes;
  int32_t version;
  int8_t rank;
  int8_t type;
  int16_t attribute;
  ptrdiff_t span;
  struct atoll_coarray_dimension dim[15]; /* as many as there are dimensions and codimensions */
};

enum { ATOLL_COARRAY_COMPONENT, ATOLL_COARRAY_ARRAY, ATOLL_COARRAY_STATIC_ARRAY };
enum { ATOLL_COARRAY_NO_SUBSCRIPT = 0, ATOLL_COARRAY_ONE_SUBSCRIPT = 4 };
enum { ATOLL_COARRAY_COMPLEX = 4 }; /* the types up to this are numbers and logical values */

struct ATOLL_COARRAY_ANY_TYPE atoll_coarray_reference {
  const struct atoll_coarray_reference* next;
  int kind;
  size_t item_bytes;
  union {
    struct {
      ptrdiff_t offset;
      ptrdiff_t token_offset; /* not 0: allocatable or a pointer */
    } component;
    struct {
      unsigned char mode[15];
      int static_type;
      struct {
        ptrdiff_t start;
        ptrdiff_t end;
        ptrdiff_t stride;
      } dim[15];
    } array;
  } part;
};

/* The beginning of what a token points to. */
struct ATOLL_COARRAY_ANY_TYPE atoll_coarray_token {
  char* memory;
};

/* One scalar; `data` is null if another image has it. */
struct atoll_coarray_value {
  char* data;
  size_t bytes;
  int type;
  int kind;
};

#define ATOLL_COARRAY_COLD __attribute__((cold))

void atoll_coarray_get(struct atoll_coarray_token* token, size_t offset, int image,
                       struct atoll_coarray_descriptor* source, const void* source_vectors,
                       struct atoll_coarray_descriptor* target, int source_kind, int target_kind,
                       bool may_overlap, int* stat);
void atoll_coarray_send(struct atoll_coarray_token* token, size_t offset, int image,
                        struct atoll_coarray_descriptor* target, const void* target_vectors,
                        struct atoll_coarray_descriptor* source, int target_kind, int source_kind,
                        bool may_overlap, int* stat, void* team);
void atoll_coarray_get_by_ref(struct atoll_coarray_token* token, int image,
                              struct atoll_coarray_descriptor* target,
                              const struct atoll_coarray_reference* chain, int target_kind,
                              int source_kind, bool may_overlap, bool may_allocate, int* stat,
                              int source_type);
void atoll_coarray_send_by_ref(struct atoll_coarray_token* token, int image,
                               struct atoll_coarray_descriptor* source,
                               const struct atoll_coarray_reference* chain, int target_kind,
                               int source_kind, bool may_overlap, bool may_allocate, int* stat,
                               int target_type);

ATOLL_COARRAY_COLD void atoll_coarray_get_value(struct atoll_coarray_token* token, size_t offset,
                                                int image, struct atoll_coarray_value source,
                                                struct atoll_coarray_value target);
ATOLL_COARRAY_COLD void atoll_coarray_send_value(struct atoll_coarray_token* token, size_t offset,
                                                 int image, struct atoll_coarray_value target,
                                                 struct atoll_coarray_value source);
/* `chain` is a copy of the first reference, which names the next one. */
ATOLL_COARRAY_COLD void atoll_coarray_get_part(struct atoll_coarray_token* token, int image,
                                               struct atoll_coarray_value target,
                                               struct atoll_coarray_reference chain,
                                               int source_kind, int source_type);
ATOLL_COARRAY_COLD void atoll_coarray_send_part(struct atoll_coarray_token* token, int image,
                                                struct atoll_coarray_value source,
                                                struct atoll_coarray_reference chain,
                                                int target_kind, int target_type);

#ifdef __cplusplus
}
#endif

#endif
