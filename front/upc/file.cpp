// SPDX-License-Identifier: BSD-3-Clause
//
// Files of UPC-IO (UPC optional library specification 1.3, 7.9.4): opening, closing, sizes,
// positions and modes. Thread 0 creates and truncates a file, and only then do the others open it;
// errors that must be the same on all threads are agreed on.
#include <front/upc/file.hpp>

#include <upc.h>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/allocation.hpp>
#include <front/upc/global_heap.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

namespace atl::upc {
namespace {

constexpr std::uint64_t file_mark = 0x66696c6575706321;

struct file_words {
  std::uint64_t mark = file_mark;
  open_file* file = nullptr;
};

/// The largest error number of all threads; 0: none has one.
int agreed_error(process_state& us, int own) {
  const std::int32_t said = own;
  std::int32_t worst = 0;
  coll::allreduce(*us.world, &worst, &said, 1,
                  coll::built_in(coll::reduce_operation::max, data_type::i32));
  return worst;
}

int result_of(int error) noexcept {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

bool is_one_bit(int bits) noexcept { return bits != 0 && (bits & (bits - 1)) == 0; }

bool are_valid(int flags) noexcept {
  const bool excludes = (flags & UPC_EXCL) != 0;
  return is_one_bit(flags & (UPC_RDONLY | UPC_WRONLY | UPC_RDWR)) &&
         is_one_bit(flags & (UPC_COMMON_FP | UPC_INDIVIDUAL_FP)) &&
         (!excludes || (flags & UPC_CREATE) != 0) && flags < 2 * UPC_DELETE_ON_CLOSE;
}

void set_hint(open_file& file, const upc_hint_t& hint) {
  const auto known =
      std::ranges::find_if(file.hints, [&](const auto& each) { return each.first == hint.key; });
  if (known != file.hints.end()) {
    known->second = hint.value;
  } else {
    file.hints.emplace_back(hint.key, hint.value);
  }
}

mode_t permissions(const open_file& file) noexcept {
  unsigned bits = 0666;
  for (const auto& [key, value] : file.hints) {
    if (key == "file_perm") std::from_chars(value.data(), value.data() + value.size(), bits, 8);
  }
  return static_cast<mode_t>(bits);
}

int open_local(open_file& file, bool is_first) noexcept {
  int mode = (file.flags & UPC_RDONLY) != 0   ? O_RDONLY
             : (file.flags & UPC_WRONLY) != 0 ? O_WRONLY
                                              : O_RDWR;
  if (is_first && (file.flags & UPC_CREATE) != 0) mode |= O_CREAT;
  if (is_first && (file.flags & UPC_EXCL) != 0) mode |= O_EXCL;
  if (is_first && (file.flags & UPC_TRUNC) != 0) mode |= O_TRUNC;
  file.descriptor = ::open(file.name.c_str(), mode | O_CLOEXEC, permissions(file));
  return file.descriptor < 0 ? errno : 0;
}

int open_on_all(process_state& us, open_file& file) {
  int error = us.rank() == 0 ? open_local(file, true) : 0;
  error = agreed_error(us, error);
  if (error != 0) return error;
  if (us.rank() != 0) error = open_local(file, false);
  struct stat found = {};
  if (error == 0 && ::fstat(file.descriptor, &found) != 0) error = errno;
  if ((file.flags & UPC_APPEND) != 0) file.position = found.st_size;
  return agreed_error(us, error);
}

atoll_upc_pointer publish(process_state& us, std::shared_ptr<open_file> file) {
  file->handle = allocate_together(us, "upc_all_fopen", us.size(), sizeof(file_words));
  file->guard = upc_all_lock_alloc();
  if (file->handle.offset == 0 || file->guard.offset == 0) {
    ::close(file->descriptor);
    upc_all_free(file->handle);
    upc_all_lock_free(file->guard);
    errno = ENOMEM;
    return {};
  }
  auto* const words = reinterpret_cast<file_words*>(us.own_address(file->handle.offset));
  *words = {file_mark, file.get()};
  us.files.push_back(std::move(file));
  us.world->barrier();
  return us.files.back()->handle;
}

/// Closes the file here; no thread uses the handle any more.
int close_local(process_state& us, open_file& file) {
  us.world->barrier();
  if (us.rank() == 0 && (file.flags & UPC_DELETE_ON_CLOSE) != 0) ::unlink(file.name.c_str());
  const int error = ::close(file.descriptor) != 0 ? errno : 0;
  reinterpret_cast<file_words*>(us.own_address(file.handle.offset))->mark = 0;
  upc_all_free(file.handle);
  upc_all_lock_free(file.guard);
  std::erase_if(us.files, [&](const auto& each) { return each.get() == &file; });
  return error;
}

upc_off_t size_of(const open_file& file) noexcept {
  struct stat found = {};
  return ::fstat(file.descriptor, &found) != 0 ? -1 : found.st_size;
}

/// Lets thread 0 do something, and tells its error to all.
template <class Action>
int by_thread_0(process_state& us, const open_file& file, Action action) {
  const int error = !file.can_write() ? EBADF : us.rank() == 0 ? action() : 0;
  const int worst = agreed_error(us, error);
  us.world->barrier();
  return result_of(worst);
}

/// Changes the modes of a file that upc_all_fcntl sets.
int change_mode(process_state& us, open_file& file, int cleared, int set) {
  const int error = synchronise(us, file);
  file.flags = (file.flags & ~cleared) | set;
  if ((cleared & (UPC_COMMON_FP | UPC_INDIVIDUAL_FP)) != 0) file.position = 0;
  return result_of(error);
}

int get_hints(open_file& file, const upc_hint_t** result) {
  file.reported_hints.clear();
  for (const auto& [key, value] : file.hints) {
    file.reported_hints.push_back({key.c_str(), value.c_str()});
  }
  *result = file.reported_hints.data();
  return static_cast<int>(file.reported_hints.size());
}

int control(process_state& us, open_file& file, int cmd, void* arg) {
  switch (cmd) {
    case UPC_GET_CA_SEMANTICS:
      return file.flags & UPC_STRONG_CA;
    case UPC_SET_WEAK_CA_SEMANTICS:
      return change_mode(us, file, UPC_STRONG_CA, 0);
    case UPC_SET_STRONG_CA_SEMANTICS:
      return change_mode(us, file, UPC_STRONG_CA, UPC_STRONG_CA);
    case UPC_GET_FP:
      return file.flags & (UPC_COMMON_FP | UPC_INDIVIDUAL_FP);
    case UPC_SET_COMMON_FP:
      return change_mode(us, file, UPC_COMMON_FP | UPC_INDIVIDUAL_FP, UPC_COMMON_FP);
    case UPC_SET_INDIVIDUAL_FP:
      return change_mode(us, file, UPC_COMMON_FP | UPC_INDIVIDUAL_FP, UPC_INDIVIDUAL_FP);
    case UPC_GET_FL:
      return file.flags;
    case UPC_GET_FN:
      *static_cast<const char**>(arg) = file.name.c_str();
      return 0;
    case UPC_GET_HINTS:
      return get_hints(file, static_cast<const upc_hint_t**>(arg));
    case UPC_SET_HINT:
      set_hint(file, *static_cast<const upc_hint_t*>(arg));
      return result_of(synchronise(us, file));
    default:
      return result_of(EINVAL);
  }
}

}  // namespace

open_file* file_of(process_state& us, atoll_upc_pointer handle) noexcept {
  if (handle.offset != 0 && us.global->contains(handle.offset)) {
    const auto* const words = reinterpret_cast<const file_words*>(us.own_address(handle.offset));
    if (words->mark == file_mark) return words->file;
  }
  errno = EBADF;
  return nullptr;
}

open_file* idle_file_of(const char* call, process_state& us, atoll_upc_pointer handle) {
  open_file* const file = file_of(us, handle);
  if (file != nullptr && file->pending.is_outstanding) {
    refuse(call, text("an asynchronous operation on ", file->name, " is outstanding"),
           "complete it by upc_all_fwait_async or upc_all_ftest_async first");
  }
  return file;
}

int synchronise(process_state& us, open_file& file) {
  const bool fails = file.can_write() && ::fsync(file.descriptor) != 0;
  const int error = fails && errno != EINVAL && errno != EROFS ? errno : 0;  // of pipes etc.
  us.world->barrier();
  return error;
}

void close_files(process_state& us) {
  while (!us.files.empty()) {
    open_file& last = *us.files.back();
    if (last.pending.running.valid()) last.pending.running.wait();
    close_local(us, last);
  }
}

}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

atoll_upc_pointer upc_all_fopen(const char* fname, int flags, std::size_t numhints,
                                const struct upc_hint* hints) {
  process_state& us = running("upc_all_fopen");
  auto file = std::make_shared<open_file>();
  file->name = fname;
  file->flags = flags;
  for (std::size_t i = 0; i < numhints; ++i) set_hint(*file, hints[i]);
  const int error = agreed_error(us, are_valid(flags) ? 0 : EINVAL);
  const int worst = error != 0 ? error : open_on_all(us, *file);
  if (worst == 0) return publish(us, std::move(file));
  if (file->descriptor >= 0) ::close(file->descriptor);
  errno = worst;
  return {};
}

int upc_all_fclose(atoll_upc_pointer fd) {
  process_state& us = running("upc_all_fclose");
  open_file* const file = file_of(us, fd);
  const int error = file == nullptr ? EBADF : file->pending.is_outstanding ? EBUSY : 0;
  if (const int worst = agreed_error(us, error); worst != 0) return result_of(worst);
  const int synchronised = synchronise(us, *file);
  const int closed = close_local(us, *file);
  return result_of(agreed_error(us, synchronised != 0 ? synchronised : closed));
}

int upc_all_fsync(atoll_upc_pointer fd) {
  process_state& us = running("upc_all_fsync");
  open_file* const file = idle_file_of("upc_all_fsync", us, fd);
  return file == nullptr ? -1 : result_of(synchronise(us, *file));
}

upc_off_t upc_all_fseek(atoll_upc_pointer fd, upc_off_t offset, int origin) {
  process_state& us = running("upc_all_fseek");
  open_file* const file = idle_file_of("upc_all_fseek", us, fd);
  if (file == nullptr) return -1;
  const upc_off_t begin = origin == UPC_SEEK_SET   ? 0
                          : origin == UPC_SEEK_CUR ? file->position
                          : origin == UPC_SEEK_END ? size_of(*file)
                                                   : -1;
  upc_off_t position = 0;
  if (begin < 0 || __builtin_add_overflow(begin, offset, &position) || position < 0)
    return result_of(EINVAL);
  file->position = position;
  return position;
}

int upc_all_fset_size(atoll_upc_pointer fd, upc_off_t size) {
  process_state& us = running("upc_all_fset_size");
  open_file* const file = idle_file_of("upc_all_fset_size", us, fd);
  if (file == nullptr) return -1;
  synchronise(us, *file);
  return by_thread_0(us, *file,
                     [&] { return ::ftruncate(file->descriptor, size) != 0 ? errno : 0; });
}

upc_off_t upc_all_fget_size(atoll_upc_pointer fd) {
  process_state& us = running("upc_all_fget_size");
  const open_file* const file = idle_file_of("upc_all_fget_size", us, fd);
  return file == nullptr ? -1 : size_of(*file);
}

int upc_all_fpreallocate(atoll_upc_pointer fd, upc_off_t size) {
  process_state& us = running("upc_all_fpreallocate");
  open_file* const file = idle_file_of("upc_all_fpreallocate", us, fd);
  if (file == nullptr) return -1;
  return by_thread_0(us, *file,
                     [&] { return size == 0 ? 0 : ::posix_fallocate(file->descriptor, 0, size); });
}

int upc_all_fcntl(atoll_upc_pointer fd, int cmd, void* arg) {
  process_state& us = running("upc_all_fcntl");
  if (cmd == UPC_ASYNC_OUTSTANDING) {
    const open_file* const file = file_of(us, fd);
    return file == nullptr ? -1 : file->pending.is_outstanding ? 1 : 0;
  }
  open_file* const file = idle_file_of("upc_all_fcntl", us, fd);
  return file == nullptr ? -1 : control(us, *file, cmd, arg);
}
