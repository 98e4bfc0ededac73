// SPDX-License-Identifier: Apache-2.0
// Replaces the functions of the C library that start another program. Programs
// often pass an environment of their own, so the replacements add the variables
// that make the started program be recorded as well. None of these functions
// allocates, because the child of a vfork may call them.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
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

// Returns the value of the variable if `entry` sets it, otherwise null.
const char* ValueOf(const char* entry, const char* variable) {
  const size_t length = strlen(variable);
  return strncmp(entry, variable, length) == 0 && entry[length] == '='
             ? entry + length + 1
             : nullptr;
}

// The environment for a program that is about to be started. If the program
// would not be recorded with this environment, Build adds the variables that
// enable recording.
struct Environment {
  char* const* entries;
  size_t count = 0;
  size_t bytes = 0;               // the bytes that Build needs
  const char* preload = nullptr;  // the value of LD_PRELOAD, or null
  bool has_folder = false;
  bool records = false;  // is true if no change is needed

  // Touches `all` and `arguments`, in order to remove the protection of their
  // memory, because the system cannot read protected memory.
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

  // Builds the environment in `memory`, which must have at least `bytes` bytes
  // and must be aligned for pointers.
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

  // Copies a string including its terminating NUL, and returns a pointer to
  // that NUL.
  static char* Append(const char* from, char* to) {
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
  }
};

// A command for a shell. The C library passes the environment of the program to
// the shell. If the shell would not be recorded with this environment, the
// command is extended: it first sets the variables for recording, and then
// replaces the shell with a shell that is recorded.
class ShellCommand {
 public:
  explicit ShellCommand(const char* command) : command_(command) {
    const char* const strings[] = {command, nullptr};
    TouchStrings(strings);
    const Environment recorded(nullptr, environ);
    if (command == nullptr || recorded.records) return;
    bytes_ = kFixedBytes + QuotedBytes(PreloadPath()) +
             QuotedBytes(recorded.preload) + QuotedBytes(LogFolder()) +
             QuotedBytes(command);
    // The text is in mapped memory, because a long command may not fit in a
    // small stack.
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return;
    text_ = static_cast<char*>(mapped);
    char* end = Variable(kPreloadVariable, PreloadPath(), text_);
    if (recorded.preload != nullptr && recorded.preload[0] != '\0') {
      end = Quoted(recorded.preload, Environment::Append(":", end));
    }
    if (!recorded.has_folder) {
      end = Environment::Append("; ", end);
      end = Variable(log_format::kFolderVariable, LogFolder(), end);
    }
    end = Quoted(command, Environment::Append("; exec /bin/sh -c ", end));
    end = Environment::Append(" sh", end);
    // The system rejects an argument that is too long. In that case, the
    // original command runs without being recorded.
    is_too_long_ = static_cast<size_t>(end - text_) >= kMostArgumentBytes;
  }
  ~ShellCommand() {
    if (text_ != nullptr) munmap(text_, bytes_);
  }
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  const char* text() const {
    return text_ != nullptr && !is_too_long_ ? text_ : command_;
  }

 private:
  static constexpr size_t kFixedBytes = 256;  // for names, blanks and the shell
  // MAX_ARG_STRLEN of Linux, which includes the terminating NUL.
  static constexpr size_t kMostArgumentBytes = size_t{1} << 17;

  // A quote character within a quoted text needs four bytes.
  static size_t QuotedBytes(const char* text) {
    return text == nullptr ? 0 : 4 * strlen(text) + 2;
  }

  static char* Quoted(const char* text, char* to) {
    *to++ = '\'';
    for (; *text != '\0'; ++text) {
      if (*text == '\'') {
        to = Environment::Append("'\\'", to);
      }
      *to++ = *text;
    }
    return Environment::Append("'", to);
  }

  static char* Variable(const char* name, const char* value, char* to) {
    to = Environment::Append("export ", to);
    to = Environment::Append(name, to);
    return Quoted(value, Environment::Append("=", to));
  }

  const char* command_;
  char* text_ = nullptr;
  size_t bytes_ = 0;
  bool is_too_long_ = false;
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

// Begins the log even if the program never allocates, so that the log shows
// that it did not. The log is paused during the lookups, because a lookup may
// allocate memory that the program itself would not have allocated.
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

// Collects the arguments of a call `exec(path, first, ..., NULL)` in the array
// `arguments`. Afterwards, the next argument of `list` is the one after the
// NULL.
#define STOWAGE_COLLECT_ARGUMENTS(first)                                  \
  va_list list;                                                           \
  va_start(list, first);                                                  \
  const size_t count = stowage::preload::CountArguments(&list) + 1;       \
  va_end(list);                                                           \
  auto** const arguments =                                                \
      static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                  \
  stowage::preload::CopyArguments(first, &list, arguments)

// The parameter names differ from those in the declarations of glibc.
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

STOWAGE_INTERPOSED int system(const char* command) {
  using stowage::preload::next_system;
  const stowage::preload::ShellCommand recorded(command);
  if (next_system == nullptr) {
    stowage::preload::FindNext("system", &next_system);
  }
  return next_system(recorded.text());
}

STOWAGE_INTERPOSED FILE* popen(const char* command, const char* mode) {
  using stowage::preload::next_popen;
  const stowage::preload::ShellCommand recorded(command);
  if (next_popen == nullptr) {
    stowage::preload::FindNext("popen", &next_popen);
  }
  return next_popen(recorded.text(), mode);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
