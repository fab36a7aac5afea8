/* SPDX-License-Identifier: BSD-3-Clause

   Parallel files (UPC optional library specification 1.3, 7.9; version 2). All functions are
   collective. Except where the specification asks for the same error on all threads, an error is
   -1 and errno on the threads that had it. A second asynchronous operation on one file before the
   first is completed ends the job with a message. */
#ifndef ATOLL_UPC_IO_H
#define ATOLL_UPC_IO_H

#include <stdint.h>
#include <upc.h>

ATOLL_UPC_BEGIN

typedef int64_t upc_off_t;

#ifdef __UPC__
typedef shared struct atoll_upc_file upc_file_t;
#define ATOLL_UPC_FILE upc_file_t*
#else
#define ATOLL_UPC_FILE atoll_upc_pointer
#endif

/* Flags of upc_all_fopen, 7.9.4.1: one of the first three, one of the next two, and any others. */
#define UPC_RDONLY 1
#define UPC_WRONLY 2
#define UPC_RDWR 4
#define UPC_INDIVIDUAL_FP 8
#define UPC_COMMON_FP 16
#define UPC_APPEND 32
#define UPC_CREATE 64
#define UPC_EXCL 128
#define UPC_STRONG_CA 256
#define UPC_TRUNC 512
#define UPC_DELETE_ON_CLOSE 1024

/* Origins of upc_all_fseek. */
#define UPC_SEEK_SET 0
#define UPC_SEEK_CUR 1
#define UPC_SEEK_END 2

/* Commands of upc_all_fcntl, 7.9.4.8. */
#define UPC_GET_CA_SEMANTICS 1
#define UPC_SET_WEAK_CA_SEMANTICS 2
#define UPC_SET_STRONG_CA_SEMANTICS 3
#define UPC_GET_FP 4
#define UPC_SET_COMMON_FP 5
#define UPC_SET_INDIVIDUAL_FP 6
#define UPC_GET_FL 7
#define UPC_GET_FN 8
#define UPC_GET_HINTS 9
#define UPC_SET_HINT 10
#define UPC_ASYNC_OUTSTANDING 11

/* Of the hints only file_perm (octal digits) has an effect. */
typedef struct upc_hint {
  const char* key;
  const char* value;
} upc_hint_t;

/* Regions of list functions; lengths and block sizes in bytes, block size 0: all on one thread. */
typedef struct upc_local_memvec {
  void* baseaddr;
  size_t len;
} upc_local_memvec_t;
typedef struct upc_shared_memvec {
  ATOLL_UPC_TO(void) baseaddr;
  size_t blocksize;
  size_t len;
} upc_shared_memvec_t;
typedef struct upc_filevec {
  upc_off_t offset;
  size_t len;
} upc_filevec_t;

/* ---- files ----------------------------------------------------------------------------------- */

ATOLL_UPC_FILE upc_all_fopen(const char* fname, int flags, size_t numhints,
                             const struct upc_hint* hints);
int upc_all_fclose(ATOLL_UPC_FILE fd);
int upc_all_fsync(ATOLL_UPC_FILE fd);
upc_off_t upc_all_fseek(ATOLL_UPC_FILE fd, upc_off_t offset, int origin);
int upc_all_fset_size(ATOLL_UPC_FILE fd, upc_off_t size);
upc_off_t upc_all_fget_size(ATOLL_UPC_FILE fd);
int upc_all_fpreallocate(ATOLL_UPC_FILE fd, upc_off_t size);
int upc_all_fcntl(ATOLL_UPC_FILE fd, int cmd, void* arg);

/* ---- reading and writing --------------------------------------------------------------------- */

/* Read or write at the file pointer, and move it by the number of bytes: the pointer of the caller,
   or, for shared buffers, the one that is common to all. They return the number of bytes, of all
   threads where the pointer is common. */
upc_off_t upc_all_fread_local(ATOLL_UPC_FILE fd, void* buffer, size_t size, size_t nmemb,
                              upc_flag_t flags);
upc_off_t upc_all_fread_shared(ATOLL_UPC_FILE fd, ATOLL_UPC_TO(void) buffer, size_t blocksize,
                               size_t size, size_t nmemb, upc_flag_t flags);
upc_off_t upc_all_fwrite_local(ATOLL_UPC_FILE fd, void* buffer, size_t size, size_t nmemb,
                               upc_flag_t flags);
upc_off_t upc_all_fwrite_shared(ATOLL_UPC_FILE fd, ATOLL_UPC_TO(void) buffer, size_t blocksize,
                                size_t size, size_t nmemb, upc_flag_t flags);

/* At the places of the file that `filevec` lists, without file pointers. */
upc_off_t upc_all_fread_list_local(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                   const struct upc_local_memvec* memvec, size_t filevec_entries,
                                   const struct upc_filevec* filevec, upc_flag_t flags);
upc_off_t upc_all_fread_list_shared(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                    const struct upc_shared_memvec* memvec, size_t filevec_entries,
                                    const struct upc_filevec* filevec, upc_flag_t flags);
upc_off_t upc_all_fwrite_list_local(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                    const struct upc_local_memvec* memvec, size_t filevec_entries,
                                    const struct upc_filevec* filevec, upc_flag_t flags);
upc_off_t upc_all_fwrite_list_shared(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                     const struct upc_shared_memvec* memvec, size_t filevec_entries,
                                     const struct upc_filevec* filevec, upc_flag_t flags);

/* ---- the same, asynchronously ---------------------------------------------------------------- */

/* Between threads that share memory a thread of the library reads and writes in the background;
   elsewhere, and with UPC_STRONG_CA, the operation is done when the call returns. */
void upc_all_fread_local_async(ATOLL_UPC_FILE fd, void* buffer, size_t size, size_t nmemb,
                               upc_flag_t flags);
void upc_all_fread_shared_async(ATOLL_UPC_FILE fd, ATOLL_UPC_TO(void) buffer, size_t blocksize,
                                size_t size, size_t nmemb, upc_flag_t flags);
void upc_all_fwrite_local_async(ATOLL_UPC_FILE fd, void* buffer, size_t size, size_t nmemb,
                                upc_flag_t flags);
void upc_all_fwrite_shared_async(ATOLL_UPC_FILE fd, ATOLL_UPC_TO(void) buffer, size_t blocksize,
                                 size_t size, size_t nmemb, upc_flag_t flags);
void upc_all_fread_list_local_async(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                    const struct upc_local_memvec* memvec, size_t filevec_entries,
                                    const struct upc_filevec* filevec, upc_flag_t flags);
void upc_all_fread_list_shared_async(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                     const struct upc_shared_memvec* memvec, size_t filevec_entries,
                                     const struct upc_filevec* filevec, upc_flag_t flags);
void upc_all_fwrite_list_local_async(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                     const struct upc_local_memvec* memvec, size_t filevec_entries,
                                     const struct upc_filevec* filevec, upc_flag_t flags);
void upc_all_fwrite_list_shared_async(ATOLL_UPC_FILE fd, size_t memvec_entries,
                                      const struct upc_shared_memvec* memvec,
                                      size_t filevec_entries, const struct upc_filevec* filevec,
                                      upc_flag_t flags);

/* Complete the operation, and return what the blocking form returns. The second sets *flag to 1
   when it is complete, and to 0 when it is not yet; the same on all threads. */
upc_off_t upc_all_fwait_async(ATOLL_UPC_FILE fd);
upc_off_t upc_all_ftest_async(ATOLL_UPC_FILE fd, int* flag);

ATOLL_UPC_END

#endif
