/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coindexed objects by accessors, as gfortran 15 and later use them. The accessors are written by
 * hand in the form of these compilers, so that the test needs none of them. The coarrays are
 *
 *   integer, save :: numbers(10)[*]
 *   character(5), save :: word[*]
 *   real(8), allocatable :: line(:)[:]
 *   type(holder), save :: box[*]       ! has a real(8), pointer :: values(:)
 *
 * and values points to memory of its own image. */
#include "accessor_interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  get_number = 1,
  set_number,
  get_numbers,
  set_numbers,
  get_chosen,
  get_indices,
  get_word,
  set_word,
  set_line,
  get_value,
  set_values,
  get_values,
  find_values,
  accessor_count = find_values
};
enum { no_accessor = 99 };

enum { number_count = 10, word_length = 5, line_count = 8, few = 6, many = 60000 };

typedef struct {
  double* values;
  ptrdiff_t count;
} holder;

static int32_t* numbers;
static char* word;
static holder* box;
static descriptor line;
static token numbers_token, word_token, box_token, line_token;
static int numbers_of[accessor_count + 1];
static int me, images, right, left;

void check(bool holds, const char* rule) {
  if (holds) return;
  fprintf(stderr, "image %d misses: %s\n", this_image(), rule);
  _gfortran_caf_error_stop(9, true);
}

/* --- of the Fortran library */

void _gfortran_flush_i4(const int32_t* unit) { (void)unit; }
void _gfortran_random_seed_i4(int32_t* size, descriptor* put, descriptor* get) {
  (void)size, (void)put, (void)get;
}

/* --- accessors */

static void make_array(descriptor* array, int8_t type, size_t element_bytes, ptrdiff_t count) {
  if (array->data != NULL && array->dim[0].upper - array->dim[0].lower + 1 == count) return;
  array->data = realloc(array->data, (size_t)count * element_bytes + 1);
  array->element_bytes = element_bytes;
  array->span = (ptrdiff_t)element_bytes;
  array->rank = 1;
  array->type = type;
  array->dim[0] = (dimension){1, 1, count};
  array->offset = (size_t)-1;
}

typedef struct {
  int32_t index;
} index_argument;

static void run_get_number(index_argument* add, const int* image, int32_t** value, int32_t* is_new,
                           int32_t* object, token self, size_t offset) {
  (void)image, (void)self, (void)offset;
  *value = &object[add != NULL ? add->index - 1 : 0];
  *is_new = 0;
}

static void run_set_number(index_argument* add, const int* image, int32_t* object,
                           const int32_t* value, token self, size_t offset) {
  (void)image, (void)self, (void)offset;
  object[add->index - 1] = *value;
}

static void run_get_numbers(void* add, const int* image, descriptor* array, int32_t* is_new,
                            int32_t* object, token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  void* const old_data = array->data;
  make_array(array, type_integer, sizeof *object, number_count);
  memcpy(array->data, object, number_count * sizeof *object);
  *is_new = array->data != old_data;
}

/* numbers(2:4) = ... */
static void run_set_numbers(void* add, const int* image, int32_t* object, const descriptor* array,
                            token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  const int32_t* const values = array->data;
  for (int i = 0; i < 3; ++i)
    object[1 + i] =
        values[(i + array->dim[0].lower) * array->dim[0].stride + (ptrdiff_t)array->offset];
}

/* A vector subscript, whose size the compiler does not know. */
typedef struct {
  descriptor indices;
} indices_argument;

static void run_get_indices(void* add, const int* image, descriptor* array, int32_t* is_new,
                            indices_argument* object, token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  const ptrdiff_t count = object->indices.dim[0].upper;
  make_array(array, type_integer, sizeof(int32_t), count);
  memcpy(array->data, object->indices.data, (size_t)count * sizeof(int32_t));
  *is_new = 1;
}

/* numbers(indices)[image] */
static void run_get_chosen(void* add, const int* image, descriptor* array, int32_t* is_new,
                           int32_t* object, token self, size_t offset) {
  (void)add, (void)offset;
  descriptor indices = {.element_bytes = 4, .rank = 1, .type = type_integer, .span = 4};
  void* data = NULL;
  _gfortran_caf_get_from_remote(self, NULL, NULL, *image, 0, &data, NULL, &indices, true,
                                numbers_of[get_indices], NULL, 0, NULL, NULL, NULL);
  const ptrdiff_t count = indices.dim[0].upper - indices.dim[0].lower + 1;
  make_array(array, type_integer, sizeof *object, count);
  for (ptrdiff_t i = 0; i < count; ++i)
    ((int32_t*)array->data)[i] = object[((int32_t*)indices.data)[i] - 1];
  free(indices.data);
  *is_new = 1;
}

static void run_get_word(void* add, const int* image, char** value, int32_t* is_new, char* object,
                         token self, size_t offset, size_t* length, const size_t* object_length) {
  (void)add, (void)image, (void)self, (void)offset;
  *value = object;
  *length = *object_length;
  *is_new = 0;
}

static void run_set_word(void* add, const int* image, char* object, const char* value, token self,
                         size_t offset, const size_t* object_length, const size_t* length) {
  (void)add, (void)image, (void)self, (void)offset;
  memset(object, ' ', *object_length);
  memcpy(object, value, *length < *object_length ? *length : *object_length);
}

static void run_set_line(void* add, const int* image, descriptor* object, const double* value,
                         token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  double* const first = object->data;
  for (ptrdiff_t i = object->dim[0].lower; i <= object->dim[0].upper; ++i)
    first[i + (ptrdiff_t)object->offset] = *value;
}

static void run_get_value(index_argument* add, const int* image, double** value, int32_t* is_new,
                          holder* object, token self, size_t offset) {
  (void)image, (void)self, (void)offset;
  *value = &object->values[add->index - 1];
  *is_new = 0;
}

static void run_set_values(void* add, const int* image, holder* object, const descriptor* array,
                           token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  memcpy(object->values, array->data, (size_t)object->count * sizeof(double));
}

static void run_get_values(void* add, const int* image, descriptor* array, int32_t* is_new,
                           holder* object, token self, size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  make_array(array, type_real, sizeof(double), object->count);
  memcpy(array->data, object->values, (size_t)object->count * sizeof(double));
  *is_new = 1;
}

static void run_find_values(void* add, const int* image, int32_t* result, void* object, token self,
                            size_t offset) {
  (void)add, (void)image, (void)self, (void)offset;
  *result = ((holder*)object_in(object))->values != NULL;
}

static void add_accessors(void) {
  const accessor functions[accessor_count + 1] = {NULL,
                                                  (accessor)run_get_number,
                                                  (accessor)run_set_number,
                                                  (accessor)run_get_numbers,
                                                  (accessor)run_set_numbers,
                                                  (accessor)run_get_chosen,
                                                  (accessor)run_get_indices,
                                                  (accessor)run_get_word,
                                                  (accessor)run_set_word,
                                                  (accessor)run_set_line,
                                                  (accessor)run_get_value,
                                                  (accessor)run_set_values,
                                                  (accessor)run_get_values,
                                                  (accessor)run_find_values};
  for (int hash = accessor_count; hash > 0; --hash)
    _gfortran_caf_register_accessor(hash, functions[hash]);
  _gfortran_caf_register_accessors_finish();
  for (int hash = 1; hash <= accessor_count; ++hash) {
    numbers_of[hash] = _gfortran_caf_get_remote_function_index(hash);
    check(numbers_of[hash] >= 0, "a number of each accessor");
  }
  check(_gfortran_caf_get_remote_function_index(no_accessor) == -1, "no number of another hash");
}

/* --- coarrays */

static void* add_static(token* made, int8_t type, size_t element_bytes, size_t count) {
  descriptor described = {.element_bytes = element_bytes, .type = type};
  described.span = (ptrdiff_t)element_bytes;
  _gfortran_caf_register(element_bytes * count, kind_static, made, &described, NULL, NULL, 0);
  return described.data;
}

static void add_coarrays(void) {
  numbers = add_static(&numbers_token, type_integer, sizeof *numbers, number_count);
  word = add_static(&word_token, type_character, word_length, 1);
  box = add_static(&box_token, type_derived, sizeof *box, 1);
  line = (descriptor){.element_bytes = sizeof(double), .rank = 1, .type = type_real};
  line.span = sizeof(double);
  _gfortran_caf_register(line_count * sizeof(double), kind_allocatable, &line_token, &line, NULL,
                         NULL, 0);
  line.dim[0] = (dimension){1, 1, line_count};
  line.offset = (size_t)-1;
}

/* --- the checks */

static void check_elements(void) {
  int32_t got = 0;
  void* data = &got;
  index_argument third = {3};
  int stat = -1;
  for (int i = 0; i < number_count; ++i) numbers[i] = me * 100 + i;
  sync_all();
  _gfortran_caf_get_from_remote(numbers_token, NULL, NULL, right, sizeof got, &data, NULL, NULL,
                                false, numbers_of[get_number], &third, sizeof third, &stat, NULL,
                                NULL);
  check(*(int32_t*)data == right * 100 + 2 && stat == 0, "read of an element");
  sync_all();
  got = me;
  _gfortran_caf_send_to_remote(numbers_token, NULL, NULL, right, sizeof got, &got, NULL, NULL,
                               numbers_of[set_number], &third, sizeof third, &stat, NULL, NULL);
  sync_all();
  check(numbers[2] == left && stat == 0, "write of an element");
  sync_all();
}

static void check_arrays(void) {
  int32_t values[number_count] = {0};
  descriptor fixed = {.data = values, .element_bytes = 4, .rank = 1, .type = type_integer};
  fixed.span = 4;
  fixed.dim[0] = (dimension){1, 0, number_count - 1};
  void* data = values;
  for (int i = 0; i < number_count; ++i) numbers[i] = me * 100 + i;
  sync_all();
  _gfortran_caf_get_from_remote(numbers_token, NULL, NULL, right, sizeof values, &data, NULL,
                                &fixed, false, numbers_of[get_numbers], NULL, 0, NULL, NULL, NULL);
  check(fixed.data == values && values[0] == right * 100 && values[9] == right * 100 + 9,
        "read of an array");
  descriptor taken = {.element_bytes = 4, .rank = 1, .type = type_integer, .span = 4};
  data = NULL;
  _gfortran_caf_get_from_remote(numbers_token, NULL, NULL, right, 0, &data, NULL, &taken, true,
                                numbers_of[get_numbers], NULL, 0, NULL, NULL, NULL);
  check(taken.dim[0].upper == number_count && ((int32_t*)taken.data)[4] == right * 100 + 4,
        "read of an array that is allocated");
  free(taken.data);
  sync_all();
  // The array of this image overlaps with its target, where that is this image.
  descriptor part = fixed;
  part.data = numbers;
  part.offset = 0; /* the accessor that read into `fixed` has set other bounds */
  part.dim[0] = (dimension){1, 0, 2};
  data = numbers;
  _gfortran_caf_send_to_remote(numbers_token, NULL, NULL, me, 12, &data, NULL, &part,
                               numbers_of[set_numbers], NULL, 0, NULL, NULL, NULL);
  check(numbers[1] == me * 100 && numbers[2] == me * 100 + 1 && numbers[3] == me * 100 + 2,
        "an array that is moved by one element");
  sync_all();
  // Every third element of an array.
  int32_t sparse[9] = {me, 0, 0, me + 1, 0, 0, me + 2, 0, 0};
  part.data = sparse;
  part.dim[0] = (dimension){3, 0, 2};
  data = sparse;
  if (right != me) {
    _gfortran_caf_send_to_remote(numbers_token, NULL, NULL, right, 12, &data, NULL, &part,
                                 numbers_of[set_numbers], NULL, 0, NULL, NULL, NULL);
  }
  sync_all();
  if (right != me)
    check(numbers[1] == left && numbers[2] == left + 1 && numbers[3] == left + 2,
          "every third element of an array");
  sync_all();
}

static void check_vector_subscripts(void) {
  int32_t indices[3] = {9, 2, 5};
  indices_argument add = {{.data = indices, .element_bytes = 4, .rank = 1, .type = type_integer}};
  add.indices.dim[0] = (dimension){1, 1, 3};
  for (int i = 0; i < number_count; ++i) numbers[i] = me * 100 + i;
  sync_all();
  for (int turn = 0; turn < 3; ++turn) {
    descriptor taken = {.element_bytes = 4, .rank = 1, .type = type_integer, .span = 4};
    void* data = NULL;
    add.indices.dim[0].upper = 3 - turn;
    _gfortran_caf_get_from_remote(numbers_token, NULL, NULL, right, 0, &data, NULL, &taken, true,
                                  numbers_of[get_chosen], &add, sizeof add, NULL, NULL, NULL);
    const int32_t* const got = taken.data;
    check(taken.dim[0].upper == 3 - turn && got[0] == right * 100 + 8, "a vector subscript");
    check(turn > 1 || got[1] == right * 100 + 1, "its second element");
    free(taken.data);
  }
  sync_all();
}

static void check_characters(void) {
  const size_t fixed_length = word_length;
  size_t length = word_length;
  char got[word_length];
  void* data = got;
  memcpy(word, "first", word_length);
  sync_all();
  _gfortran_caf_get_from_remote(word_token, NULL, &fixed_length, right, 1, &data, &length, NULL,
                                false, numbers_of[get_word], NULL, 0, NULL, NULL, NULL);
  check(length == word_length && memcmp(got, "first", word_length) == 0, "read of characters");
  sync_all();
  length = 3;
  _gfortran_caf_send_to_remote(word_token, NULL, &fixed_length, right, 1, "end", &length, NULL,
                               numbers_of[set_word], NULL, 0, NULL, NULL, NULL);
  sync_all();
  check(memcmp(word, "end  ", word_length) == 0, "write of characters, and blanks behind them");
}

static void check_allocatable(void) {
  double* const values = line.data;
  const double value = me;
  memset(values, 0, line_count * sizeof *values);
  sync_all();
  _gfortran_caf_send_to_remote(line_token, &line, NULL, right, sizeof value, &value, NULL, NULL,
                               numbers_of[set_line], NULL, 0, NULL, NULL, NULL);
  sync_all();
  check(line.data == values && values[0] == left && values[7] == left, "one value to an array");
}

/* Checks a pointer whose target has `count` elements. */
static void check_pointer(int count) {
  double* const sent = malloc((size_t)count * sizeof *sent);
  box->values = NULL;
  sync_all();
  check(_gfortran_caf_is_present_on_remote(box_token, right, numbers_of[find_values], NULL, 0) == 0,
        "a pointer to nothing");
  sync_all();
  box->values = malloc((size_t)count * sizeof *sent);
  box->count = count;
  for (int i = 0; i < count; ++i) {
    box->values[i] = me + i;
    sent[i] = me - i;
  }
  sync_all();
  check(_gfortran_caf_is_present_on_remote(box_token, right, numbers_of[find_values], NULL, 0) == 1,
        "a pointer to something");
  double got = 0;
  void* data = &got;
  index_argument last = {count};
  _gfortran_caf_get_from_remote(box_token, NULL, NULL, right, sizeof got, &data, NULL, NULL, false,
                                numbers_of[get_value], &last, sizeof last, NULL, NULL, NULL);
  check(got == right + count - 1, "an element of a target");
  descriptor taken = {.element_bytes = 8, .rank = 1, .type = type_real, .span = 8};
  data = NULL;
  _gfortran_caf_get_from_remote(box_token, NULL, NULL, right, 0, &data, NULL, &taken, true,
                                numbers_of[get_values], NULL, 0, NULL, NULL, NULL);
  const double* const elements = taken.data;
  check(taken.dim[0].upper == count && elements[0] == right &&
            elements[count - 1] == right + count - 1,
        "all of a target");
  free(taken.data);
  sync_all();
  descriptor source = {.data = sent, .element_bytes = 8, .rank = 1, .type = type_real, .span = 8};
  source.dim[0] = (dimension){1, 0, count - 1};
  data = sent;
  _gfortran_caf_send_to_remote(box_token, NULL, NULL, right, (size_t)count * 8, &data, NULL,
                               &source, numbers_of[set_values], NULL, 0, NULL, NULL, NULL);
  sync_all();
  check(box->values[0] == left && box->values[count - 1] == left - (count - 1),
        "a write to all of a target");
  sync_all();
  // box[right]%values(:) = box[left]%values(:)
  if (me == 1) {
    transfer(box_token, images, numbers_of[set_values], box_token, 1, numbers_of[get_values],
             sizeof(double), false);
  }
  sync_all();
  check(me != images || box->values[count - 1] == images - (count - 1),
        "one image's target to another one's");
  free(box->values);
  free(sent);
}

static void check_transfer(void) {
  for (int i = 0; i < number_count; ++i) numbers[i] = me * 100 + i;
  sync_all();
  if (me == 1) {
    transfer(numbers_token, images, numbers_of[set_numbers], numbers_token, right,
             numbers_of[get_numbers], number_count * 4, false);
  }
  sync_all();
  const int source = images > 1 ? 2 : 1;
  check(me != images || (numbers[1] == source * 100 && numbers[3] == source * 100 + 2),
        "one image's elements to another one's");
  sync_all();
}

int main(int count, char** arguments) {
  add_accessors();
  add_coarrays();
  _gfortran_caf_init(&count, &arguments);
  me = this_image();
  images = num_images();
  right = me % images + 1;
  left = (me + images - 2) % images + 1;
  if (count > 1) {  // must be refused
    _gfortran_caf_send_to_remote(numbers_token, NULL, NULL, right, 4, &count, NULL, NULL, -1, NULL,
                                 0, NULL, NULL, NULL);
  }
  check_elements();
  check_arrays();
  check_vector_subscripts();
  check_characters();
  check_allocatable();
  check_pointer(few);
  check_pointer(many);
  check_transfer();
  check_teams();
  _gfortran_caf_finalize();
  return 0;
}
