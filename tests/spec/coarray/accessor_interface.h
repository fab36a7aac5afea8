/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that gfortran 15 and 16 call for coindexed objects, and a common form for those
 * that differ between the two versions, which are in separate files. */
#ifndef TESTS_SPEC_COARRAY_ACCESSOR_INTERFACE_H
#define TESTS_SPEC_COARRAY_ACCESSOR_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void* token;
typedef void* team;

typedef struct {
  ptrdiff_t stride, lower, upper;
} dimension;

typedef struct {
  void* data;
  size_t offset;
  size_t element_bytes;
  int32_t version;
  int8_t rank, type;
  int16_t attribute;
  ptrdiff_t span;
  dimension dim[15];
} descriptor;

enum { type_integer = 1, type_real = 3, type_derived = 5, type_character = 6 };
enum { kind_static = 0, kind_allocatable = 1, kind_associated = 9 };

/* An accessor with any arguments. */
typedef void (*accessor)(void);

/* --- the library */

void _gfortran_caf_init(int* count, char*** arguments);
void _gfortran_caf_finalize(void);
void _gfortran_caf_register(size_t bytes, int kind, token* made, descriptor* described, int* stat,
                            char* message, size_t message_bytes);
void _gfortran_caf_deregister(token* gone, int kind, int* stat, char* message,
                              size_t message_bytes);
void _gfortran_caf_register_accessor(int hash, accessor function);
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int hash);
void _gfortran_caf_get_from_remote(token object, const descriptor* source,
                                   const size_t* source_length, int image, size_t bytes,
                                   void** data, size_t* length, descriptor* target,
                                   bool may_allocate, int accessor_number, void* arguments,
                                   size_t argument_bytes, int* stat, team* in_team,
                                   int* team_number);
int32_t _gfortran_caf_is_present_on_remote(token object, int image, int accessor_number,
                                           void* arguments, size_t argument_bytes);
void _gfortran_caf_send_to_remote(token object, descriptor* target, const size_t* target_length,
                                  int image, size_t bytes, const void* data, const size_t* length,
                                  const descriptor* source, int accessor_number, void* arguments,
                                  size_t argument_bytes, int* stat, team* in_team,
                                  int* team_number);
__attribute__((noreturn)) void _gfortran_caf_error_stop(int code, bool quiet);

/* --- in accessors_15.c and accessors_16.c */

int this_image(void);
int num_images(void);
void sync_all(void);
/* Assigns an object to another one, by their accessors. */
void transfer(token target, int target_image, int setter, token source, int source_image,
              int getter, size_t bytes, bool is_scalar);
/* The object in the argument that a finder gets for a scalar coarray. */
void* object_in(void* argument);
/* Checks the statements for teams of this version. */
void check_teams(void);

/* --- in accessors_test.c */

void check(bool holds, const char* rule);

#endif
