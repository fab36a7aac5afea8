/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files (upc_io.h): individual and common file pointers, private and shared memory, lists, asynchronous calls, sizes,
 * and errors. The file lies in the current folder and is named after the first argument. */

#include <errno.h>
#include <string.h>
#include <upc_io.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define ALL (UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC)
#define MANY 12

shared [3] int blocks[MANY * THREADS];
shared [3] int again[MANY * THREADS];

static const char* name = "io_test.file";

static void individual_pointers(void) {
  int mine[MANY], got[MANY] = {0};
  for (int i = 0; i < MANY; ++i) mine[i] = 100 * MYTHREAD + i;
  upc_file_t* file = upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_CREATE | UPC_TRUNC, 0, NULL);
  CHECK(file != NULL);
  SAME(upc_all_fseek(file, MYTHREAD * sizeof mine, UPC_SEEK_SET), MYTHREAD * sizeof mine);
  SAME(upc_all_fwrite_local(file, mine, sizeof(int), MANY, ALL), sizeof mine);
  SAME(upc_all_fseek(file, 0, UPC_SEEK_CUR), (MYTHREAD + 1) * sizeof mine);
  SAME(upc_all_fsync(file), 0);
  SAME(upc_all_fget_size(file), THREADS * sizeof mine);
  const int right = (MYTHREAD + 1) % THREADS;
  upc_all_fseek(file, right * sizeof mine, UPC_SEEK_SET);
  SAME(upc_all_fread_local(file, got, sizeof(int), MANY, ALL), sizeof got);
  for (int i = 0; i < MANY; ++i) SAME(got[i], 100 * right + i);
  SAME(upc_all_fseek(file, -(upc_off_t)sizeof(int), UPC_SEEK_END), THREADS * sizeof mine - sizeof(int));
  SAME(upc_all_fread_local(file, got, sizeof(int), MANY, ALL), sizeof(int)); /* up to the end of the file */
  SAME(got[0], 100 * (THREADS - 1) + MANY - 1);
  SAME(upc_all_fread_local(file, got, sizeof(int), MANY, ALL), 0);
  SAME(upc_all_fclose(file), 0);
}

static void shared_memory_by_a_common_pointer(void) {
  upc_file_t* file = upc_all_fopen(name, UPC_RDWR | UPC_COMMON_FP, 0, NULL);
  CHECK(file != NULL);
  SAME(upc_all_fread_shared(file, blocks, 3, sizeof(int), MANY * THREADS, ALL), MANY * THREADS * sizeof(int));
  for (int i = 0; i < MANY * THREADS; ++i) SAME(blocks[i], 100 * (i / MANY) + i % MANY);
  SAME(upc_all_fseek(file, 0, UPC_SEEK_CUR), MANY * THREADS * sizeof(int));
  upc_barrier;
  int i;
  upc_forall (i = 0; i < MANY * THREADS; ++i; &blocks[i]) blocks[i] = -i;
  SAME(upc_all_fwrite_shared(file, blocks, 3, sizeof(int), MANY * THREADS, ALL), MANY * THREADS * sizeof(int));
  SAME(upc_all_fsync(file), 0);
  SAME(upc_all_fget_size(file), 2 * MANY * THREADS * sizeof(int));
  SAME(upc_all_fcntl(file, UPC_GET_FP, NULL), UPC_COMMON_FP);
  SAME(upc_all_fcntl(file, UPC_SET_INDIVIDUAL_FP, NULL), 0);
  SAME(upc_all_fcntl(file, UPC_GET_FP, NULL), UPC_INDIVIDUAL_FP);
  upc_all_fseek(file, (MANY * THREADS + 2) * sizeof(int), UPC_SEEK_SET);
  upc_memset(&again[3 * MYTHREAD], 0x7f, 3 * sizeof(int));
  upc_barrier;
  /* Each thread reads into its own block. */
  SAME(upc_all_fread_shared(file, &again[3 * MYTHREAD], 3, sizeof(int), 3, ALL), 3 * sizeof(int));
  for (i = 0; i < 3; ++i) SAME(again[3 * MYTHREAD + i], -(i + 2));
  SAME(upc_all_fclose(file), 0);
}

static void lists_gather_and_scatter(void) {
  char text[8], got[8];
  memset(text, 'a' + MYTHREAD % 26, sizeof text);
  upc_file_t* file = upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_TRUNC, 0, NULL);
  struct upc_local_memvec memory[2] = {{&text[4], 4}, {&text[0], 2}};
  struct upc_filevec places[3] = {{6 * MYTHREAD, 1}, {6 * MYTHREAD + 1, 0}, {6 * MYTHREAD + 1, 5}};
  text[4] = '<';
  text[1] = '>';
  SAME(upc_all_fwrite_list_local(file, 2, memory, 3, places, ALL), 6);
  SAME(upc_all_fsync(file), 0);
  SAME(upc_all_fget_size(file), 6 * THREADS);
  const int right = (MYTHREAD + 1) % THREADS;
  struct upc_local_memvec into = {got, 6};
  struct upc_filevec whole = {6 * right, 6};
  SAME(upc_all_fread_list_local(file, 1, &into, 1, &whole, ALL), 6);
  CHECK(got[0] == '<' && got[1] == 'a' + right % 26 && got[5] == '>');
  /* Shared memory: blocks of 3 ints from an address in the middle of an array, as far as a thread's own row. */
  struct upc_shared_memvec spread = {&blocks[3 * MYTHREAD], 3 * sizeof(int), 3 * sizeof(int)};
  struct upc_filevec record = {1000 + 12 * MYTHREAD, 12};
  for (int i = 0; i < 3; ++i) blocks[3 * MYTHREAD + i] = 5000 + 10 * MYTHREAD + i;
  SAME(upc_all_fwrite_list_shared(file, 1, &spread, 1, &record, ALL), 12);
  upc_all_fsync(file);
  record.offset = 1000 + 12 * right;
  spread.baseaddr = &again[3 * MYTHREAD];
  SAME(upc_all_fread_list_shared(file, 1, &spread, 1, &record, ALL), 12);
  for (int i = 0; i < 3; ++i) SAME(again[3 * MYTHREAD + i], 5000 + 10 * right + i);
  SAME(upc_all_fread_list_local(file, 0, NULL, 0, NULL, ALL), 0);
  SAME(upc_all_fclose(file), 0);
}

static void work_in_the_background(void) {
  int mine[MANY], got[MANY], done = 0;
  for (int i = 0; i < MANY; ++i) mine[i] = 9 * MYTHREAD + i;
  upc_file_t* file = upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_TRUNC | UPC_STRONG_CA, 0, NULL);
  SAME(upc_all_fcntl(file, UPC_GET_CA_SEMANTICS, NULL), UPC_STRONG_CA);
  upc_all_fseek(file, MYTHREAD * sizeof mine, UPC_SEEK_SET);
  upc_all_fwrite_local_async(file, mine, sizeof(int), MANY, ALL);
  SAME(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, NULL), 1);
  SAME(upc_all_fwait_async(file), sizeof mine);
  SAME(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, NULL), 0);
  upc_barrier;
  upc_all_fseek(file, (THREADS - 1 - MYTHREAD) * sizeof mine, UPC_SEEK_SET);
  upc_all_fread_local_async(file, got, sizeof(int), MANY, ALL);
  upc_off_t bytes = 0;
  while (!done) bytes = upc_all_ftest_async(file, &done);
  SAME(bytes, sizeof got);
  for (int i = 0; i < MANY; ++i) SAME(got[i], 9 * (THREADS - 1 - MYTHREAD) + i);
  upc_all_fcntl(file, UPC_SET_COMMON_FP, NULL);
  upc_all_fread_shared_async(file, again, 3, sizeof(int), MANY * THREADS, ALL);
  SAME(upc_all_fwait_async(file), MANY * THREADS * sizeof(int));
  for (int i = 0; i < MANY * THREADS; ++i) SAME(again[i], 9 * (i / MANY) + i % MANY);
  SAME(upc_all_fclose(file), 0);
}

static void sizes_and_names(void) {
  struct upc_hint hints[2] = {{"access_style", "sequential"}, {"no_such_hint", "1"}};
  upc_file_t* file = upc_all_fopen(name, UPC_RDWR | UPC_COMMON_FP | UPC_APPEND, 2, hints);
  CHECK(file != NULL);
  SAME(upc_all_fseek(file, 0, UPC_SEEK_CUR), MANY * THREADS * sizeof(int));
  SAME(upc_all_fset_size(file, 100), 0);
  SAME(upc_all_fget_size(file), 100);
  upc_barrier;
  SAME(upc_all_fpreallocate(file, 5000), 0);
  SAME(upc_all_fget_size(file), 5000);
  SAME(upc_all_fpreallocate(file, 10), 0);
  SAME(upc_all_fget_size(file), 5000);
  const char* file_name = NULL;
  SAME(upc_all_fcntl(file, UPC_GET_FN, &file_name), 0);
  CHECK(file_name != NULL && strcmp(file_name, name) == 0);
  CHECK(upc_all_fcntl(file, UPC_GET_FL, NULL) & UPC_RDWR);
  SAME(upc_all_fclose(file), 0);
}

static void errors_are_told(void) {
  errno = 0;
  CHECK(upc_all_fopen("no/such/folder/file", UPC_RDONLY | UPC_COMMON_FP, 0, NULL) == NULL);
  CHECK(errno != 0);
  CHECK(upc_all_fopen(name, UPC_RDWR | UPC_COMMON_FP | UPC_CREATE | UPC_EXCL, 0, NULL) == NULL);
  CHECK(upc_all_fopen(name, UPC_RDWR, 0, NULL) == NULL); /* neither kind of file pointer */
  upc_file_t* file = upc_all_fopen(name, UPC_RDONLY | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE, 0, NULL);
  CHECK(file != NULL);
  SAME(upc_all_fclose(file), 0);
  CHECK(upc_all_fopen(name, UPC_RDONLY | UPC_INDIVIDUAL_FP, 0, NULL) == NULL);
}

int main(int argc, char** argv) {
  if (argc > 1) name = argv[1];
  individual_pointers();
  shared_memory_by_a_common_pointer();
  lists_gather_and_scatter();
  work_in_the_background();
  sizes_and_names();
  errors_are_told();
  return check_result();
}
