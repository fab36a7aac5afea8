/* SPDX-License-Identifier: BSD-3-Clause

   UPC-IO: individual and common file pointers, private and shared buffers of several block sizes,
   lists, asynchronous forms, positions past the end, modes, and errors. Each job uses a separate
   file, which is deleted when it is closed. */
#include <tests/multi/upc/unit.h>
#include <upc_io.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int failures;

static const struct atoll_upc_object objects[1];
__attribute__((constructor)) static void register_unit(void) {
  const struct atoll_upc_unit unit = {ATOLL_UPC_ABI_VERSION, 0, __FILE__, objects, 0, NULL, 0};
  atoll_upc_register_unit(&unit);
}

enum { per_thread = 1000, no_sync = UPC_IN_NOSYNC | UPC_OUT_NOSYNC };

static char name[200];

/* Chooses one name for all threads. */
static void choose_name(void) {
  const atoll_upc_pointer number = upc_all_alloc(1, sizeof(int));
  if (atoll_upc_mythread == 0) ATOLL_UPC_PUT(int, number, getpid());
  atoll_upc_barrier(0, 0);
  snprintf(name, sizeof name, "/tmp/atoll-upc-file-%d", ATOLL_UPC_GET(int, number));
  upc_all_free(number);
}

static int value_of(int i) { return i * 7 + 3; }

static void check_individual(void) {
  const int threads = ATOLL_UPC_THREADS;
  const int me = atoll_upc_mythread;
  int own[per_thread];
  int i;
  atoll_upc_pointer fd = upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_CREATE, 0, NULL);
  EXPECT(!atoll_upc_is_null(fd));
  for (i = 0; i < per_thread; ++i) own[i] = value_of(me * per_thread + i);
  EXPECT(upc_all_fseek(fd, (upc_off_t)sizeof own * me, UPC_SEEK_SET) == (upc_off_t)sizeof own * me);
  EXPECT(upc_all_fwrite_local(fd, own, sizeof(int), per_thread, 0) == (upc_off_t)sizeof own);
  EXPECT(upc_all_fseek(fd, 0, UPC_SEEK_CUR) == (upc_off_t)sizeof own * (me + 1));
  EXPECT(upc_all_fsync(fd) == 0);
  EXPECT(upc_all_fget_size(fd) == (upc_off_t)sizeof own * threads);
  upc_all_fseek(fd, (upc_off_t)sizeof own * ((me + 1) % threads), UPC_SEEK_SET);
  memset(own, 0, sizeof own);
  upc_all_fread_local_async(fd, own, sizeof(int), per_thread, no_sync);
  EXPECT(upc_all_fcntl(fd, UPC_ASYNC_OUTSTANDING, NULL) == 1);
  EXPECT(upc_all_fwait_async(fd) == (upc_off_t)sizeof own);
  for (i = 0; i < per_thread; ++i) {
    EXPECT(own[i] == value_of((me + 1) % threads * per_thread + i));
  }
  upc_all_fseek(fd, -8, UPC_SEEK_END);
  EXPECT(upc_all_fread_local(fd, own, 1, 100, 0) == 8); /* up to the end of the file */
  EXPECT(upc_all_fread_local(fd, own, 1, 100, 0) == 0);
  EXPECT(upc_all_fclose(fd) == 0);
}

/* Reads the file into shared memory by the common pointer, and appends a copy to the file. */
static void check_common(size_t block) {
  const size_t count = per_thread * (size_t)ATOLL_UPC_THREADS;
  const size_t width = block == 0 ? count : block;
  const atoll_upc_pointer buffer = upc_all_alloc(count / width + 1, width * sizeof(int));
  const atoll_upc_pointer half =
      atoll_upc_add(buffer, (ptrdiff_t)(count / 2 / width * width), sizeof(int), block);
  const size_t half_count = count - count / 2 / width * width;
  atoll_upc_pointer fd = upc_all_fopen(name, UPC_RDWR | UPC_COMMON_FP, 0, NULL);
  size_t i;
  int flag = 0;
  EXPECT(upc_all_fread_shared(fd, buffer, block, sizeof(int), count, 0) ==
         (upc_off_t)(count * sizeof(int)));
  for (i = 0; i < count; ++i) {
    EXPECT(ATOLL_UPC_GET(int, atoll_upc_add(buffer, (ptrdiff_t)i, sizeof(int), block)) ==
           value_of((int)i));
  }
  EXPECT(upc_all_fread_shared(fd, buffer, block, sizeof(int), count, 0) == 0);
  EXPECT(upc_all_fwrite_shared(fd, half, block, sizeof(int), half_count, 0) ==
         (upc_off_t)(half_count * sizeof(int)));
  EXPECT(upc_all_fseek(fd, (upc_off_t)(count * sizeof(int)), UPC_SEEK_SET) > 0);
  upc_all_fread_shared_async(fd, buffer, block, sizeof(int), count, 0);
  while (flag == 0) {
    const upc_off_t done = upc_all_ftest_async(fd, &flag);
    EXPECT(flag == 0 || done == (upc_off_t)(half_count * sizeof(int)));
  }
  for (i = 0; i < half_count; ++i) {
    EXPECT(ATOLL_UPC_GET(int, atoll_upc_add(buffer, (ptrdiff_t)i, sizeof(int), block)) ==
           value_of((int)(count - half_count + i)));
  }
  EXPECT(upc_all_fset_size(fd, (upc_off_t)(count * sizeof(int))) == 0);
  EXPECT(upc_all_fclose(fd) == 0);
  upc_all_free(buffer);
}

static void check_lists(void) {
  const atoll_upc_pointer shared = upc_all_alloc((size_t)ATOLL_UPC_THREADS * 4, 16);
  const int me = atoll_upc_mythread;
  char got[12] = "............";
  const struct upc_local_memvec memory[] = {{got, 4}, {got + 6, 0}, {got + 7, 3}};
  const struct upc_filevec places[] = {{10 * me, 2}, {10 * me + 5, 5}};
  const upc_shared_memvec_t shared_memory[] = {{shared, 16, 40}};
  const struct upc_filevec one_place[] = {{100, 40}};
  const atoll_upc_pointer fd =
      upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_STRONG_CA, 0, NULL);
  char text[200];
  int i;
  for (i = 0; i < (int)sizeof text; ++i) text[i] = (char)('A' + i % 50);
  EXPECT(upc_all_fwrite_local(fd, text, 1, sizeof text, 0) == sizeof text);
  EXPECT(upc_all_fsync(fd) == 0);
  EXPECT(upc_all_fread_list_local(fd, 3, memory, 2, places, 0) == 7);
  for (i = 0; i < 7; ++i) {
    const int at = i < 4 ? i : i + 3;
    EXPECT(got[at] == text[10 * me + (i < 2 ? i : i + 3)]);
  }
  EXPECT(got[4] == '.' && got[6] == '.' && got[10] == '.');
  EXPECT(upc_all_fread_list_shared(fd, 1, shared_memory, 1, one_place, 0) == 40);
  for (i = 0; i < 40; ++i) {
    EXPECT(ATOLL_UPC_GET(char, atoll_upc_add(shared, i, 1, 16)) == text[100 + i]);
  }
  atoll_upc_barrier(0, 0);
  upc_all_fwrite_list_shared_async(fd, 1, shared_memory, 1, places, 0); /* lengths differ */
  EXPECT(upc_all_fwait_async(fd) == -1 && errno == EINVAL);
  EXPECT(upc_all_fwrite_list_shared(fd, 1, shared_memory, 1, one_place, 0) == 40);
  upc_all_fwrite_list_local_async(fd, 1, memory, 1, (const struct upc_filevec[]){{150, 4}}, 0);
  EXPECT(upc_all_fwait_async(fd) == 4);
  EXPECT(upc_all_fclose(fd) == 0);
  upc_all_free(shared);
}

static void check_modes_and_errors(void) {
  const upc_hint_t hints[] = {{"file_perm", "600"}, {"access_style", "sequential"}};
  const upc_hint_t* reported_hints = NULL;
  const char* told_name = NULL;
  char byte = 'x';
  atoll_upc_pointer fd = upc_all_fopen("/tmp/no/such/folder", UPC_RDONLY | UPC_COMMON_FP, 0, NULL);
  EXPECT(atoll_upc_is_null(fd) && errno == ENOENT);
  EXPECT(atoll_upc_is_null(upc_all_fopen(name, UPC_RDONLY, 0, NULL)) && errno == EINVAL);
  EXPECT(atoll_upc_is_null(
             upc_all_fopen(name, UPC_RDWR | UPC_COMMON_FP | UPC_CREATE | UPC_EXCL, 0, NULL)) &&
         errno == EEXIST);
  fd = upc_all_fopen(name, UPC_RDONLY | UPC_COMMON_FP | UPC_APPEND | UPC_DELETE_ON_CLOSE, 2, hints);
  EXPECT(upc_all_fseek(fd, 0, UPC_SEEK_CUR) == upc_all_fget_size(fd));
  EXPECT(upc_all_fread_local(fd, &byte, 1, 1, 0) == -1 && errno == EINVAL);
  EXPECT(upc_all_fcntl(fd, UPC_GET_FP, NULL) == UPC_COMMON_FP);
  EXPECT(upc_all_fcntl(fd, UPC_SET_INDIVIDUAL_FP, NULL) == 0);
  EXPECT(upc_all_fseek(fd, 0, UPC_SEEK_CUR) == 0);
  EXPECT(upc_all_fseek(fd, -1, UPC_SEEK_SET) == -1 && errno == EINVAL);
  EXPECT(upc_all_fseek(fd, 1, UPC_SEEK_SET) == 1);
  EXPECT(upc_all_fseek(fd, INT64_MAX, UPC_SEEK_CUR) == -1 && errno == EINVAL);
  EXPECT(upc_all_fseek(fd, 0, UPC_SEEK_SET) == 0);
  EXPECT(upc_all_fwrite_local(fd, &byte, 1, 1, 0) == -1 && errno == EBADF);
  EXPECT(upc_all_fset_size(fd, 5) == -1);
  EXPECT(upc_all_fcntl(fd, UPC_GET_CA_SEMANTICS, NULL) == 0);
  EXPECT(upc_all_fcntl(fd, UPC_SET_STRONG_CA_SEMANTICS, NULL) == 0);
  EXPECT(upc_all_fcntl(fd, UPC_GET_CA_SEMANTICS, NULL) == UPC_STRONG_CA);
  EXPECT((upc_all_fcntl(fd, UPC_GET_FL, NULL) & UPC_INDIVIDUAL_FP) != 0);
  EXPECT(upc_all_fcntl(fd, UPC_GET_FN, &told_name) == 0 && strcmp(told_name, name) == 0);
  EXPECT(upc_all_fcntl(fd, UPC_GET_HINTS, &reported_hints) == 2 &&
         strcmp(reported_hints[1].value, "sequential") == 0);
  EXPECT(upc_all_fclose(fd) == 0);
  EXPECT(access(name, F_OK) != 0);
  EXPECT(upc_all_fclose(fd) == -1 && errno == EBADF);
}

/* Closed by the end of the program. */
static void leave_open(void) {
  const atoll_upc_pointer fd =
      upc_all_fopen(name, UPC_WRONLY | UPC_COMMON_FP | UPC_CREATE | UPC_DELETE_ON_CLOSE, 0, NULL);
  EXPECT(upc_all_fpreallocate(fd, 1000) == 0 && upc_all_fget_size(fd) == 1000);
}

int atoll_upc_program(int count, char** words) {
  (void)count, (void)words;
  choose_name();
  check_individual();
  check_common(0);
  check_common(1);
  check_common(7);
  check_common(500);
  check_lists();
  check_modes_and_errors();
  leave_open();
  return failures != 0;
}
