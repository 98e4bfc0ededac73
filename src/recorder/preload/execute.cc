// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that start another program, with an
// environment that records it, too. Programs often start others with an
// environment of their own. None of these functions allocates, since the child
// of a vfork may call them.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/recorder/preload/glibc_malloc.h"
#include "src/recorder/preload/process_log.h"
#include "src/recorder/preload/touches.h"
#include "stowage/recordings/log_format.h"

namespace stowage::preload {
namespace {

constexpr char kPreloadVariable[] = "LD_PRELOAD";

// Returns the value if `entry` is the variable, or null.
const char* ValueOf(const char* entry, const char* variable) {
  const size_t length = strlen(variable);
  return strncmp(entry, variable, length) == 0 && entry[length] == '='
             ? entry + length + 1
             : nullptr;
}

// An environment that has to be changed, or not.
struct Environment {
  char* const* entries;
  size_t count = 0;
  size_t bytes = 0;               // that Build needs
  const char* preload = nullptr;  // its own libraries
  bool has_folder = false;
  bool records = false;  // as it is

  // Touches the arguments, too.
  Environment(char* const* arguments, char* const* all) : entries(all) {
    TouchStrings(arguments);
    TouchStrings(all);
    if (LogFolder()[0] == '\0' || PreloadPath()[0] == '\0') records = true;
    for (; all != nullptr && all[count] != nullptr; ++count) {
      if (const char* const value = ValueOf(all[count], kPreloadVariable)) {
        preload = value;
      }
      if (ValueOf(all[count], log_format::kFolderVariable) != nullptr) {
        has_folder = true;
      }
    }
    const bool has_preload =
        preload != nullptr && strstr(preload, PreloadPath()) != nullptr;
    if (has_folder && has_preload) records = true;
    bytes = (count + 3) * sizeof(char*) + sizeof(kPreloadVariable) +
            strlen(PreloadPath()) + 1 +
            (preload == nullptr ? 0 : strlen(preload) + 1) +
            sizeof(log_format::kFolderVariable) + strlen(LogFolder()) + 1;
  }

  // Builds the environment in `memory`, which must have `bytes` bytes and the
  // alignment of pointers.
  char* const* Build(void* memory) const {
    if (records) return entries;
    auto** const built = static_cast<char**>(memory);
    char* text = reinterpret_cast<char*>(built + count + 3);
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
      if (ValueOf(entries[i], kPreloadVariable) == nullptr) {
        built[used++] = entries[i];
      }
    }
    built[used++] = text;
    text = Append(kPreloadVariable, text);
    text = Append("=", text);
    text = Append(PreloadPath(), text);
    if (preload != nullptr && preload[0] != '\0') {
      text = Append(":", text);
      text = Append(preload, text);
    }
    ++text;
    if (!has_folder) {
      built[used++] = text;
      text = Append(log_format::kFolderVariable, text);
      text = Append("=", text);
      Append(LogFolder(), text);
    }
    built[used] = nullptr;
    return built;
  }

  // Copies a string with its end, and returns the place of the end.
  static char* Append(const char* from, char* to) {
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
  }
};

using ExecFunction = int (*)(const char*, char* const*, char* const*);
using SpawnFunction = int (*)(pid_t*, const char*,
                              const posix_spawn_file_actions_t*,
                              const posix_spawnattr_t*, char* const*,
                              char* const*);

using SystemFunction = int (*)(const char*);
using PipeFunction = FILE* (*)(const char*, const char*);

ExecFunction next_execvpe = nullptr;
SystemFunction next_system = nullptr;
PipeFunction next_popen = nullptr;
SpawnFunction next_spawn = nullptr;
SpawnFunction next_spawnp = nullptr;

template <typename Function>
void FindNext(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The lookup may allocate, which the program itself would not do. Begins the
// log even if the program never allocates, so that the log says so.
__attribute__((constructor)) void Prepare() {
  ProcessLog();
  const LogPause pause;
  FindNext("execvpe", &next_execvpe);
  FindNext("posix_spawn", &next_spawn);
  FindNext("posix_spawnp", &next_spawnp);
  FindNext("system", &next_system);
  FindNext("popen", &next_popen);
  BeginTouches();
}

int Execute(const char* path, char* const* arguments, char* const* entries) {
  const Environment recorded(arguments, entries);
  void* const memory = __builtin_alloca(recorded.bytes);
  return static_cast<int>(
      syscall(SYS_execve, path, arguments, recorded.Build(memory)));
}

int ExecuteByName(const char* file, char* const* arguments,
                  char* const* entries) {
  const Environment recorded(arguments, entries);
  void* const memory = __builtin_alloca(recorded.bytes);
  if (next_execvpe == nullptr) FindNext("execvpe", &next_execvpe);
  return next_execvpe(file, arguments, recorded.Build(memory));
}

int ExecuteAt(int folder, const char* path, char* const* arguments,
              char* const* entries, int flags) {
  const Environment recorded(arguments, entries);
  void* const memory = __builtin_alloca(recorded.bytes);
  return static_cast<int>(syscall(SYS_execveat, folder, path, arguments,
                                  recorded.Build(memory), flags));
}

// Counts the arguments in a list that ends with a null pointer.
size_t CountArguments(va_list* list) {
  size_t count = 0;
  while (va_arg(*list, char*) != nullptr) ++count;
  return count;
}

void CopyArguments(const char* first, va_list* list, char** arguments) {
  arguments[0] = const_cast<char*>(first);
  for (size_t i = 0; arguments[i] != nullptr; ++i) {
    arguments[i + 1] = va_arg(*list, char*);
  }
}

}  // namespace
}  // namespace stowage::preload

// Collects the arguments of a call `exec(path, first, ..., NULL)` in an array
// `arguments`, with `list` behind them.
#define STOWAGE_COLLECT_ARGUMENTS(first)                                  \
  va_list list;                                                           \
  va_start(list, first);                                                  \
  const size_t count = stowage::preload::CountArguments(&list) + 1;       \
  va_end(list);                                                           \
  auto** const arguments =                                                \
      static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                  \
  stowage::preload::CopyArguments(first, &list, arguments)

// glibc has names of its own for the parameters.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
STOWAGE_INTERPOSED int execve(const char* path, char* const* arguments,
                              char* const* entries) noexcept {
  return stowage::preload::Execute(path, arguments, entries);
}

STOWAGE_INTERPOSED int execv(const char* path,
                             char* const* arguments) noexcept {
  return stowage::preload::Execute(path, arguments, environ);
}

STOWAGE_INTERPOSED int execvp(const char* file,
                              char* const* arguments) noexcept {
  return stowage::preload::ExecuteByName(file, arguments, environ);
}

STOWAGE_INTERPOSED int execvpe(const char* file, char* const* arguments,
                               char* const* entries) noexcept {
  return stowage::preload::ExecuteByName(file, arguments, entries);
}

STOWAGE_INTERPOSED int execl(const char* path, const char* first,
                             ...) noexcept {
  STOWAGE_COLLECT_ARGUMENTS(first);
  va_end(list);
  return stowage::preload::Execute(path, arguments, environ);
}

STOWAGE_INTERPOSED int execlp(const char* file, const char* first,
                              ...) noexcept {
  STOWAGE_COLLECT_ARGUMENTS(first);
  va_end(list);
  return stowage::preload::ExecuteByName(file, arguments, environ);
}

STOWAGE_INTERPOSED int execle(const char* path, const char* first,
                              ...) noexcept {
  STOWAGE_COLLECT_ARGUMENTS(first);
  char* const* const entries = va_arg(list, char* const*);
  va_end(list);
  return stowage::preload::Execute(path, arguments, entries);
}

STOWAGE_INTERPOSED int fexecve(int fd, char* const* arguments,
                               char* const* entries) noexcept {
  return stowage::preload::ExecuteAt(fd, "", arguments, entries, AT_EMPTY_PATH);
}

STOWAGE_INTERPOSED int execveat(int folder, const char* path,
                                char* const* arguments, char* const* entries,
                                int flags) noexcept {
  return stowage::preload::ExecuteAt(folder, path, arguments, entries, flags);
}

STOWAGE_INTERPOSED int posix_spawn(pid_t* pid, const char* path,
                                   const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* attributes,
                                   char* const* arguments,
                                   char* const* entries) {
  using stowage::preload::next_spawn;
  const stowage::preload::Environment recorded(arguments, entries);
  void* const memory = __builtin_alloca(recorded.bytes);
  if (next_spawn == nullptr) {
    stowage::preload::FindNext("posix_spawn", &next_spawn);
  }
  return next_spawn(pid, path, actions, attributes, arguments,
                    recorded.Build(memory));
}

STOWAGE_INTERPOSED int posix_spawnp(pid_t* pid, const char* file,
                                    const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* attributes,
                                    char* const* arguments,
                                    char* const* entries) {
  using stowage::preload::next_spawnp;
  const stowage::preload::Environment recorded(arguments, entries);
  void* const memory = __builtin_alloca(recorded.bytes);
  if (next_spawnp == nullptr) {
    stowage::preload::FindNext("posix_spawnp", &next_spawnp);
  }
  return next_spawnp(pid, file, actions, attributes, arguments,
                     recorded.Build(memory));
}
// The shell that these start is another process, which reads the command.
STOWAGE_INTERPOSED int system(const char* command) {
  using stowage::preload::next_system;
  const char* const strings[] = {command, nullptr};
  stowage::preload::TouchStrings(strings);
  if (next_system == nullptr) {
    stowage::preload::FindNext("system", &next_system);
  }
  return next_system(command);
}

STOWAGE_INTERPOSED FILE* popen(const char* command, const char* mode) {
  using stowage::preload::next_popen;
  const char* const strings[] = {command, nullptr};
  stowage::preload::TouchStrings(strings);
  if (next_popen == nullptr) {
    stowage::preload::FindNext("popen", &next_popen);
  }
  return next_popen(command, mode);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
