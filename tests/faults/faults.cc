// SPDX-License-Identifier: Apache-2.0
// Replaces functions of the C library. A program may define such functions
// itself; the libraries of the program then also call these definitions.
#include "tests/faults/faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/faults/next_function.h"

namespace stowage::faults {
namespace {

// The armed fault. These variables are atomic because several threads use them.
// They must not need construction, because the replaced functions are also
// called before main begins and after it has ended.
std::atomic<Call> armed{Call::kNone};
std::atomic<uint64_t> first_failure{0};
std::atomic<bool> lasts{false};
std::atomic<Counters*> counters_of_armed{nullptr};

bool FailsWith(Call call, int error) {
  if (!Fails(call)) return false;
  errno = error;
  return true;
}

}  // namespace

void Arm(const Fault& fault, Counters* counters) {
  first_failure = fault.first;
  lasts = fault.lasting;
  counters_of_armed = counters;
  armed = fault.call;
}

void Disarm() { armed = Call::kNone; }

bool Fails(Call call) {
  if (armed.load(std::memory_order_relaxed) != call) return false;
  Counters& counters = *counters_of_armed;
  const uint64_t number = ++counters.calls;
  const uint64_t first = first_failure;
  if (first == 0 || number < first || (number > first && !lasts)) return false;
  ++counters.failed;
  return true;
}

}  // namespace stowage::faults

namespace {

using stowage::faults::Call;
using stowage::faults::FailsWith;
using stowage::faults::Next;

// Returns the mode that was passed to open, or 0. Only calls that may create a
// file have a mode.
mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

void* mmap(void* address, size_t size, int protection, int flags, int fd,
           off_t offset) noexcept {
  static auto* const next =
      Next<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (fd >= 0 && FailsWith(Call::kMap, ENOMEM)) return MAP_FAILED;
  return next(address, size, protection, flags, fd, offset);
}

int open(const char* path, int flags, ...) {
  static auto* const next = Next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  if (FailsWith(Call::kOpen, EMFILE)) return -1;
  return next(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static auto* const next = Next<int(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  if (FailsWith(Call::kOpen, EMFILE)) return -1;
  return next(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static auto* const next = Next<FILE*(const char*, const char*)>("fopen");
  if (FailsWith(Call::kOpen, EMFILE)) return nullptr;
  return next(path, mode);
}

DIR* opendir(const char* path) {
  static auto* const next = Next<DIR*(const char*)>("opendir");
  if (FailsWith(Call::kOpen, EMFILE)) return nullptr;
  return next(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const next = Next<int(const char*, mode_t)>("mkdir");
  if (FailsWith(Call::kOpen, EACCES)) return -1;
  return next(path, mode);
}

char* mkdtemp(char* path) noexcept {
  static auto* const next = Next<char*(char*)>("mkdtemp");
  if (FailsWith(Call::kOpen, EACCES)) return nullptr;
  return next(path);
}

int stat(const char* path, struct stat* info) noexcept {
  static auto* const next = Next<int(const char*, struct stat*)>("stat");
  if (FailsWith(Call::kStat, EIO)) return -1;
  return next(path, info);
}

int lstat(const char* path, struct stat* info) noexcept {
  static auto* const next = Next<int(const char*, struct stat*)>("lstat");
  if (FailsWith(Call::kStat, EIO)) return -1;
  return next(path, info);
}

int fstat(int fd, struct stat* info) noexcept {
  static auto* const next = Next<int(int, struct stat*)>("fstat");
  if (FailsWith(Call::kStat, EIO)) return -1;
  return next(fd, info);
}

ssize_t read(int fd, void* buffer, size_t size) {
  static auto* const next = Next<ssize_t(int, void*, size_t)>("read");
  if (FailsWith(Call::kRead, EIO)) return -1;
  return next(fd, buffer, size);
}

ssize_t write(int fd, const void* buffer, size_t size) {
  static auto* const next = Next<ssize_t(int, const void*, size_t)>("write");
  if (fd != STDERR_FILENO) {
    if (FailsWith(Call::kWrite, ENOSPC)) return -1;
    if (stowage::faults::Fails(Call::kShortWrite)) size = (size + 1) / 2;
  }
  return next(fd, buffer, size);
}

int fsync(int fd) {
  static auto* const next = Next<int(int)>("fsync");
  if (FailsWith(Call::kSync, EIO)) return -1;
  const bool is_test = stowage::faults::armed != Call::kNone;
  return is_test ? 0 : next(fd);
}

int close(int fd) {
  static auto* const next = Next<int(int)>("close");
  const bool fails = stowage::faults::Fails(Call::kClose);
  const int result = next(fd);
  if (!fails) return result;
  errno = EIO;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next<int(const char*, const char*)>("rename");
  if (FailsWith(Call::kRename, EACCES)) return -1;
  return next(from, to);
}

int unlink(const char* path) noexcept {
  static auto* const next = Next<int(const char*)>("unlink");
  if (FailsWith(Call::kRemove, EACCES)) return -1;
  return next(path);
}

int remove(const char* path) noexcept {
  static auto* const next = Next<int(const char*)>("remove");
  if (FailsWith(Call::kRemove, EACCES)) return -1;
  return next(path);
}

int pipe2(int* ends, int flags) noexcept {
  static auto* const next = Next<int(int*, int)>("pipe2");
  if (FailsWith(Call::kProcess, EMFILE)) return -1;
  return next(ends, flags);
}

int posix_spawnp(pid_t* pid, const char* file,
                 const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments,
                 char* const* environment) {
  static auto* const next = Next<decltype(posix_spawnp)>("posix_spawnp");
  if (stowage::faults::Fails(Call::kProcess)) return EAGAIN;
  return next(pid, file, actions, attributes, arguments, environment);
}

}  // extern "C"
